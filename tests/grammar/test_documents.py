"""Every line that the documents show in assembly, SSA or DPS form; `...` stands for real parameters here."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.dialects.pto.instruction import Instruction, PtoOp

MEMREF = "!pto.memref<64x32xf32>"
PART = "!pto.partition_tensor_view<64x32xf32>"
DST = "!pto.tile<16x32xf32>"
ROW_IDX = "!pto.tile<1x16xi32>"
BARE_IDX = "pto.tile<1x16xi32>"
ELEM_IDX = "!pto.tile<16x32xi32>"
LEVEL_1 = "!pto.tile<vec, f32, 16, 32, row_major, none_box, 512, null>"
BUF = "!pto.tile_buf<vec, 16x32xf32>"
BUF_IDX = "!pto.tile_buf<loc=vec, dtype=i32, rows=1, cols=16, v_row=1, v_col=16>"
GROUP = "!pto.group<4 x !pto.memref<64x32xf32>>"
RESULT = "!pto.memref<256x32xf32>"
SAME = "!pto.tile<16x16xf32>"
SAME_IDX = "!pto.tile<16x16xi32>"
SAME_BUF = "!pto.tile_buf<vec, 16x16xf32>"
SAME_BUF_IDX = "!pto.tile_buf<vec, 16x16xi32>"
HALF = "!pto.tile<16x8xf32>"
HALF_BUF = "!pto.tile_buf<vec, 16x8xf32>"

# Document and line, what is declared before it, the line, and the operation it must make.
GATHER = {"mem": MEMREF, "idx": ROW_IDX}
SSA = {"mem": PART, "idx": ROW_IDX}
DPS = {"mem": PART, "idx": ROW_IDX, "dst": DST}
TABLE = {"table": MEMREF, "idx": ROW_IDX}
TILES = {"src0": SAME, "src": SAME, "indices": SAME_IDX}
TILES_DPS = {**TILES, "dst": SAME}

ASSEMBLY = f"%dst = mgather %mem, %idx : {MEMREF}, {ROW_IDX} -> {DST}"
LEVEL_1_LINE = f"%dst = pto.mgather %mem, %idx : ({PART}, {BARE_IDX})\n-> {LEVEL_1}"
LEVEL_2_LINE = f"pto.mgather ins(%mem, %idx : {PART}, {BUF_IDX}) outs(%dst : {BUF})"
ASSIGN = "pto.tassign %arg0, @tile(0x1000)\npto.tassign %arg1, @tile(0x2000)"
ASSIGNED = {"arg0": DST, "arg1": ROW_IDX}
TGATHER_1 = f"%dst = pto.tgather %src, %indices : ({SAME}, {SAME_IDX}) -> {SAME}"
TGATHER_2 = f"pto.tgather ins(%src, %indices : {SAME_BUF}, {SAME_BUF_IDX}) outs(%dst : {SAME_BUF})"

LINES: dict[str, tuple[dict[str, str], str, str]] = {
    "000:61": (GATHER, ASSEMBLY, "pto.mgather"),
    "000:65": (TABLE, f"mgather.row %dst, %table, %idx : ({DST}, {MEMREF}, {ROW_IDX})", "pto.mgather"),
    "000:69": (
        {"table": MEMREF, "idx": ELEM_IDX},
        f"mgather.elem %dst, %table, %idx : ({DST}, {MEMREF}, {ELEM_IDX})",
        "pto.mgather",
    ),
    "000:71 row.clamp": (
        TABLE,
        f"mgather.row.clamp %dst, %table, %idx : ({DST}, {MEMREF}, {ROW_IDX})",
        "pto.mgather",
    ),
    "000:71 elem.zero": (
        {"table": MEMREF, "idx": ELEM_IDX},
        f"mgather.elem.zero %dst, %table, %idx : ({DST}, {MEMREF}, {ELEM_IDX})",
        "pto.mgather",
    ),
    "000:75": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "000:80": (DPS, LEVEL_2_LINE, "pto.mgather"),
    "000:587": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "000:593": (ASSIGNED, ASSIGN, "pto.tassign"),
    "000:595": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "000:599": (GATHER, ASSEMBLY, "pto.mgather"),
    "000:601": (DPS, LEVEL_2_LINE, "pto.mgather"),
    "001:23": (GATHER, ASSEMBLY, "pto.mgather"),
    "001:27": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "001:32": (DPS, LEVEL_2_LINE, "pto.mgather"),
    "001:103": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "001:109": (ASSIGNED, ASSIGN, "pto.tassign"),
    "001:111": (SSA, LEVEL_1_LINE, "pto.mgather"),
    "001:115": (GATHER, ASSEMBLY, "pto.mgather"),
    "001:117": (DPS, LEVEL_2_LINE, "pto.mgather"),
    "002:39": (
        {"table": MEMREF, "idx": "!pto.tile<16x1xi32>"},
        f"%dst = mgather.row %table, %idx : ({MEMREF}, !pto.tile<16x1xi32>) -> {DST}",
        "pto.mgather",
    ),
    "002:45": (
        {"table": MEMREF, "idx": ELEM_IDX},
        f"%dst = mgather.elem %table, %idx : ({MEMREF}, {ELEM_IDX}) -> {DST}",
        "pto.mgather",
    ),
    "003:12": (
        {"group": GROUP, "dst": RESULT},
        f"tgather %group, %dst : ({GROUP}, {RESULT})",
        "pto.comm.tgather",
    ),
    "004:29": (TILES, f"%dst = tgather %src0, %indices : {SAME} -> {SAME}", "pto.tgather"),
    "004:33": (
        TILES,
        f"%dst = tgather %src {{maskPattern = #pto.mask_pattern<P0101>}} : {SAME} -> {HALF}",
        "pto.tgather",
    ),
    "004:37": (TILES, TGATHER_1, "pto.tgather"),
    "004:38": (
        TILES,
        f"%dst = pto.tgather %src {{maskPattern = #pto.mask_pattern<P0101>}}: {SAME} -> {HALF}",
        "pto.tgather",
    ),
    "004:42": (TILES_DPS, TGATHER_2, "pto.tgather"),
    "004:43": (
        {"src": SAME, "dst": HALF},
        f"pto.tgather ins(%src, {{maskPattern = #pto.mask_pattern<P0101>}} : {SAME_BUF}) "
        f"outs(%dst : {HALF_BUF})",
        "pto.tgather",
    ),
    "004:119": (TILES, TGATHER_1, "pto.tgather"),
    "004:125": ({"arg0": SAME, "arg1": SAME_IDX}, ASSIGN, "pto.tassign"),
    "004:127": (TILES, TGATHER_1, "pto.tgather"),
    "004:131": (TILES, TGATHER_1, "pto.tgather"),
    "004:133": (TILES_DPS, TGATHER_2, "pto.tgather"),
}


def instructions(module: ModuleOp) -> list[PtoOp]:
    return [op for op in module.walk() if isinstance(op, PtoOp)]


def check(module: ModuleOp, line: str, name: str) -> None:
    found = [op for op in instructions(module) if op.name == name]
    assert len(found) == len([part for part in line.split("\n") if not part.startswith("->")])
    for op in found:
        assert list(op.problems()) == []
        op.verify()
        if isinstance(op, Instruction):
            assert str(op.destination.type).startswith("!pto.tile_buf<vec, 16x")
            assert op.is_dps == (not line.startswith("%dst ="))


@pytest.mark.parametrize("place", LINES)
def test_line_is_a_program(place: str) -> None:
    declared, line, name = LINES[place]
    program = "".join(f".arg %{arg} : {type}\n" for arg, type in declared.items())
    check(ptoas.parse(program + line, "line.pto"), line, name)


@pytest.mark.parametrize("place", LINES)
def test_document_line_parses_in_a_function(place: str) -> None:
    declared, line, name = LINES[place]
    args = ", ".join(f"%{arg}: {type}" for arg, type in declared.items())
    check(ptoas.parse(f"module {{\n  func.func @f({args}) {{\n{line}\nreturn\n  }}\n}}\n"), line, name)


@pytest.mark.parametrize("document", ["000", "001"])
def test_example_with_its_comments(document: str) -> None:
    """Lines 585 to 601 of document 000, 101 to 117 of document 001: comments, then the line they speak of."""
    text = f"""
.arg %mem : {PART}
.arg %idx : {ROW_IDX}
# Auto mode: compiler/runtime-managed placement and scheduling.
{LEVEL_1_LINE}
"""
    module = ptoas.parse(text, f"{document}.pto")
    assert [op.name for op in instructions(module)] == ["pto.mgather"]


def test_manual_example_with_comments() -> None:
    """Lines 121 to 127 of document 004: the bindings stand there as comments."""
    text = f"""
.arg %src : {SAME}
.arg %indices : {SAME_IDX}
# 手动模式:先显式绑定资源,再发射指令。
# 可选(当该指令包含 tile 操作数时):
# pto.tassign %arg0, @tile(0x1000)
# pto.tassign %arg1, @tile(0x2000)
{TGATHER_1}
"""
    assert [op.name for op in instructions(ptoas.parse(text))] == ["pto.tgather"]


def test_tassign_binds_the_address() -> None:
    module = ptoas.parse(f".arg %arg0 : {DST}\n.arg %arg1 : {ROW_IDX}\n{ASSIGN}")
    addresses = [op.properties["address"] for op in instructions(module)]
    assert [str(address) for address in addresses] == ["4096 : i64", "8192 : i64"]


def test_collective_makes_no_staging_tile() -> None:
    """Document 003: lowering introduces the staging tiles; the text has none."""
    declared, line, _ = LINES["003:12"]
    program = "".join(f".arg %{arg} : {type}\n" for arg, type in declared.items())
    (op,) = instructions(ptoas.parse(program + line))
    assert [str(o.type) for o in op.operands_of("group")] == [GROUP]
    assert [str(o.type) for o in op.operands_of("dst")] == [RESULT]
    assert op.operands_of("staging") == ()


AUTO = f"%dst = pto.mgather %mem, %idx : ({PART}, {BARE_IDX})"
"""Lines 587 and 595 of document 000, 103 and 111 of document 001, as printed: no mode and no result type."""


@pytest.mark.parametrize(
    ("target", "shape"), [("cpu", "1x16"), ("a2a3", "16x32"), ("a5", "16x32"), ("a5-custom", "1x16")]
)
def test_target_determines_the_result_of_a_gather_without_a_mode(target: str, shape: str) -> None:
    bare = f".target {target}\n.arg %mem : {PART}\n.arg %idx : {ROW_IDX}\n{AUTO}"
    function = f"func.func @f(%mem: {PART}, %idx: {ROW_IDX}) {{\n{AUTO}\nreturn\n}}"
    named = f'module attributes {{pto.target_arch = "{target}"}} {{\n{function}\n}}'
    for text in (bare, named):
        (op,) = instructions(ptoas.parse(text))
        assert str(op.results[0].type) == f"!pto.tile_buf<vec, {shape}xf32>"
        assert not op.properties


@pytest.mark.parametrize(
    ("line", "mem", "idx", "result"),
    [
        ("mgather.row", "64x32xf16", "16x1xi32", "16x32xf16"),
        ("mgather.elem.zero", "64x32xf32", "16x8xi32, valid=9x8", "16x8xf32, valid=9x8"),
        ("mgather", "64x32xf32", "16x8xi32", "16x8xf32"),
    ],
)
def test_gather_result_is_inferred_from_operands(line: str, mem: str, idx: str, result: str) -> None:
    text = f".arg %m : !pto.memref<{mem}>\n.arg %i : !pto.tile<{idx}>\n%d = {line} %m, %i"
    (op,) = instructions(ptoas.parse(text))
    assert str(op.results[0].type) == f"!pto.tile_buf<vec, {result}>"


@pytest.mark.parametrize(
    ("line", "mem", "idx", "missing"),
    [
        ("mgather", "64x32xf32", "1x16xi32", "write mgather.row or mgather.elem, or name the target"),
        ("mgather.row", "64x?xf32", "1x16xi32", "the width of the table"),
        ("mgather.row", "64x32xf32", "1x16xi32, valid=1x?", "the number of valid indices"),
        (
            "mgather.row",
            "1x4x8x16x8xf32, nz",
            "1x16xi32",
            "the layout of the result does not follow from a table in nz",
        ),
    ],
)
def test_missing_result_type_is_reported(line: str, mem: str, idx: str, missing: str) -> None:
    text = f".arg %m : !pto.memref<{mem}>\n.arg %i : !pto.tile<{idx}>\n%d = {line} %m, %i"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text)
    (finding,) = caught.value.diagnostics
    assert finding.code == "PTO-P043" and missing in finding.message and finding.fix is not None
