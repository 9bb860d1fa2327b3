"""One operation, many spellings: forms, suffixes, signatures, declarations, windows, literals."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import ptoas
from ptoas.dialects.pto.enums import (
    Coalesce,
    GatherOOB,
)
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp, TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.types import MemRefType, TileType

HEAD = """.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
"""
TYPES = "(!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"


def ops(module: ModuleOp, name: str) -> list[Operation]:
    return [op for op in module.walk() if op.name == name]


def only(text: str, name: str, **options: bool) -> Operation:
    (op,) = ops(ptoas.parse(text, "f.pto", **options), name)
    return op


def gather(line: str, head: str = HEAD) -> MGatherOp:
    op = only(head + line, "pto.mgather")
    assert isinstance(op, MGatherOp)
    return op


# --- one operation, three forms (D4, D6, D7) --------------------------------------------------------

ROW_CLAMP = {
    "assembly, result": f"%dst = mgather.row.clamp %table, %idx : {TYPES}",
    "assembly, destination": "mgather.row.clamp %dst, %table, %idx : "
    "(!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<1x16xi32>)",
    "SSA": f"%dst = pto.mgather %table, %idx "
    f"{{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}} : {TYPES}",
    "SSA, dotted": f"%dst = pto.mgather %table, %idx "
    f"{{coalesce = #pto.coalesce<row>, gatherOob = #pto.gather_oob<clamp>}} : {TYPES}",
    "DPS": "%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n"
    "pto.mgather ins(%table, %idx : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) "
    "outs(%dst : !pto.tile_buf<vec, 16x32xf32>) "
    "{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob clamp>}",
    "DPS, suffix": "%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n"
    "pto.mgather.row.clamp ins(%table, %idx : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) "
    "outs(%dst : !pto.tile_buf<vec, 16x32xf32>)",
    "keys": f"%dst = mgather %table, %idx #coalesce=row #gatherOob=clamp : {TYPES}",
    "suffix and attribute": f"%dst = mgather.row %table, %idx {{gatherOob = #pto<gather_oob clamp>}} : {TYPES}",
    "suffix and the same attribute": f"%dst = mgather.row.clamp %table, %idx "
    f"{{coalesce = #pto<coalesce row>}} : {TYPES}",
    "bare words": f"%dst = mgather %table, %idx {{coalesce = row, gatherOob = Clamp}} : {TYPES}",
    "generic": '%dst = "pto.mgather"(%table, %idx) '
    f"<{{coalesce = #pto.coalesce<row>, gatherOob = #pto.gather_oob<clamp>}}> : {TYPES}",
    "generic, attributes": '%dst = "pto.mgather"(%table, %idx) '
    f"{{coalesce = #pto.coalesce<row>, gatherOob = #pto.gather_oob<clamp>}} : {TYPES}",
}


@pytest.mark.parametrize("form", ROW_CLAMP)
def test_row_clamp_in_every_form(form: str) -> None:
    op = gather(ROW_CLAMP[form])
    assert op.coalesce is not None and op.coalesce.data is Coalesce.Row
    assert op.gather_oob is not None and op.gather_oob.data is GatherOOB.Clamp
    assert op.mem.type == MemRefType.of(
        [64, 32], TileType.of(op.destination.type.element_type, 1, 8).element_type
    )
    assert op.destination.name_hint == "dst"
    assert op.destination.type.shape == (16, 32)
    assert op.attributes == {}


def test_forms_of_one_style_are_equal() -> None:
    """Those with a result make equal modules, and so do those with a destination."""
    with_result = [v for k, v in ROW_CLAMP.items() if "DPS" not in k and "destination" not in k]
    with_destination = [v for k, v in ROW_CLAMP.items() if "DPS" in k or "destination" in k]
    for group in (with_result, with_destination):
        modules = [ptoas.parse(HEAD + text, "f.pto") for text in group]
        assert all(modules[0].is_structurally_equivalent(other) for other in modules)


@pytest.mark.parametrize("coalesce", ["row", "elem"])
@pytest.mark.parametrize("oob", ["", "undefined", "clamp", "wrap", "zero"])
def test_suffixes_of_mgather(coalesce: str, oob: str) -> None:
    suffix = f".{coalesce}" + (f".{oob}" if oob else "")
    op = gather(f"%d = mgather{suffix} %table, %idx : {TYPES}")
    assert op.coalesce is not None and op.coalesce.data.value == coalesce
    assert (op.gather_oob.data.value if op.gather_oob else "") == oob


@pytest.mark.parametrize("oob", ["undefined", "clamp", "wrap", "zero"])
def test_bounds_suffix_alone(oob: str) -> None:
    op = gather(f"%d = mgather.{oob} %table, %idx : {TYPES}")
    assert op.coalesce is None and op.gather_oob is not None and op.gather_oob.data.value == oob


def test_unsuffixed_stays_open() -> None:
    """D8: the mode is never guessed."""
    op = gather(f"%d = mgather %table, %idx : {TYPES}")
    assert op.coalesce is None and op.gather_oob is None


def test_mscatter_suffixes() -> None:
    op = only(
        HEAD + ".arg %src : !pto.tile<16x32xf32>\n"
        "mscatter.row.skip.add.last %src, %idx, %table"
        " : (!pto.tile<16x32xf32>, !pto.tile<1x16xi32>, !pto.memref<64x32xf32>)",
        "pto.mscatter",
    )
    assert isinstance(op, MScatterOp)
    words = [op.coalesce, op.scatter_oob, op.scatter_atomic_op, op.scatter_conflict]
    assert [w and w.data.value for w in words] == ["row", "skip", "add", "last"]


def test_store_key() -> None:
    text = HEAD + ".arg %t : !pto.tile<64x32xf32>\ntstore %t, %table #atomic=add"
    op = only(text, "pto.tstore")
    assert isinstance(op, TStoreOp) and op.atomic_type is not None
    assert op.atomic_type.data.value == "atomic_add"


# --- signatures (forms.md) --------------------------------------------------------------------------

SIGNATURES = {
    "arrow": f"%d = mgather %table, %idx : {TYPES}",
    "arrow, result list": "%d = mgather %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> (!pto.tile<16x32xf32>)",
    "no parentheses": "%d = mgather %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
    "first input only": "%d = mgather %table, %idx : !pto.memref<64x32xf32> -> !pto.tile<16x32xf32>",
    "result only": "%d = mgather %table, %idx -> !pto.tile<16x32xf32>",
    "one type, the result's": "%d = mgather %table, %idx : !pto.tile<16x32xf32>",
    "all in one list": "%d = mgather %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32>, !pto.tile<16x32xf32>",
}


@pytest.mark.parametrize("spelling", SIGNATURES)
def test_signatures(spelling: str) -> None:
    op = gather(SIGNATURES[spelling])
    assert op.destination.type == TileType.of(op.destination.type.element_type, 16, 32)


def test_signature_is_optional_if_inferable() -> None:
    text = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a\n%c = texp %b : !pto.tile<8x16xf32>"
    module = ptoas.parse(text)
    assert [str(op.results[0].type) for op in module.walk() if isinstance(op, PtoOp)] == [
        "!pto.tile_buf<vec, 8x16xf32>"
    ] * 2


def test_one_type_for_all() -> None:
    op = only(".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a : !pto.tile<8x16xf32>", "pto.tadd")
    assert op.results[0].type == op.operands[0].type


def test_scatter_types_in_another_order() -> None:
    """The order of types does not matter if each fits only one operand."""
    op = only(
        HEAD + ".arg %src : !pto.tile<16x32xf32>\n"
        "mscatter.row %table, %src, %idx : (!pto.memref<64x32xf32>, !pto.tile<16x32xf32>, !pto.tile<1x16xi32>)",
        "pto.mscatter",
    )
    assert isinstance(op, MScatterOp)
    assert op.src.name_hint == "src" and op.mem.name_hint == "table"


# --- declarations (D23, D24) ------------------------------------------------------------------------


def test_destination_declares_a_tile() -> None:
    """D23: a local tile of the type that the signature gives it."""
    line = (
        "mgather.row %d, %table, %idx : (!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<1x16xi32>)"
    )
    module = ptoas.parse(HEAD + line + "\ntprint %d")
    assert [op.name for op in module.walk()][2:-1] == ["pto.alloc_tile", "pto.mgather", "pto.tprint"]
    assert only(HEAD + line, "pto.alloc_tile").results[0].name_hint == "d"


def test_destination_that_exists_is_used() -> None:
    line = "mgather.row %d, %table, %idx"
    module = ptoas.parse(HEAD + ".arg %d : !pto.tile<16x32xf32>\n" + line)
    assert [op.name for op in module.walk()][2:-1] == ["pto.mgather"]


def test_arguments_in_order() -> None:
    """D24: memory, a tile and a scalar are all parameters."""
    module = ptoas.parse(
        ".arg %m : !pto.memref<64xf32>\n.arg %t : !pto.tile<8x16xf32>\n.arg %s : f32\ntprint %t"
    )
    (function,) = module.body.block.ops
    assert isinstance(function, FuncOp)
    assert [str(t) for t in function.function_type.inputs] == [
        "!pto.memref<64xf32>",
        "!pto.tile_buf<vec, 8x16xf32>",
        "f32",
    ]
    assert [arg.name_hint for arg in function.body.block.args] == ["m", "t", "s"]


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("look_up.pto", "look_up"),
        ("a/b/look-up.v2.pto", "look_up_v2"),
        ("3d.pto", "_3d"),
        ("<string>", "string"),
    ],
)
def test_program_is_named_after_its_file(filename: str, name: str) -> None:
    (function,) = ptoas.parse(".arg %t : !pto.tile<8x16xf32>\ntprint %t", filename).body.block.ops
    assert isinstance(function, FuncOp) and function.sym_name.data == name


# --- the two TGATHERs (D20) -------------------------------------------------------------------------

RANKS = "".join(f".arg %g{r} : !pto.memref<64x32xf32>\n" for r in range(3)) + (
    ".arg %out : !pto.memref<192x32xf32>\n.arg %ping : !pto.tile<64x32xf32>\n.arg %pong : !pto.tile<64x32xf32>\n"
)
MEMBERS = ", ".join(["!pto.memref<64x32xf32>"] * 3)
COLLECTIVES = {
    "clauses": f"pto.comm.tgather(%out, recv(%ping, %pong), group(%g0, %g1, %g2) : !pto.memref<192x32xf32>, "
    f"!pto.tile<64x32xf32>, !pto.tile<64x32xf32>, {MEMBERS}) {{root = 1 : i32}}",
    "no prefix": f"comm.tgather(%out, recv(%ping, %pong), group(%g0, %g1, %g2) : !pto.memref<192x32xf32>, "
    f"!pto.tile<64x32xf32>, !pto.tile<64x32xf32>, {MEMBERS}) {{root = 1 : i32}}",
    "underscore": f"pto.comm_tgather(%out, recv(%ping, %pong), group(%g0, %g1, %g2) : !pto.memref<192x32xf32>, "
    f"!pto.tile<64x32xf32>, !pto.tile<64x32xf32>, {MEMBERS}) {{root = 1 : i32}}",
    "no types": "comm.tgather(%out, recv(%ping, %pong), group(%g0, %g1, %g2)) {root = 1 : i32}",
}


@pytest.mark.parametrize("spelling", COLLECTIVES)
def test_collective(spelling: str) -> None:
    op = only(RANKS + COLLECTIVES[spelling], "pto.comm.tgather")
    assert isinstance(op, PtoOp)
    names = {slot.name: [v.name_hint for v in values] for slot, values in op.segments()}
    assert names == {"dst": ["out"], "group": ["g0", "g1", "g2"], "staging": ["ping", "pong"], "context": []}
    assert str(op.properties["root"]) == "1 : i32"


GROUPED = ".arg %g : !pto.group<3 x !pto.memref<64x32xf32>>\n" + RANKS


@pytest.mark.parametrize(
    "line",
    [
        "tgather %g, %out : (!pto.group<3 x !pto.memref<64x32xf32>>, !pto.memref<192x32xf32>)",
        "tgather %g, %out",
        "pto.comm.tgather %g, %out",
        "tgather %g, %out, %ping, %pong",
    ],
)
def test_operand_types_decide(line: str) -> None:
    op = only(GROUPED + line, "pto.comm.tgather")
    assert isinstance(op, PtoOp)
    assert [v.name_hint for v in op.operands_of("group")] == ["g"]
    assert [v.name_hint for v in op.operands_of("dst")] == ["out"]
    assert len(op.operands_of("staging")) == (2 if "%pong" in line else 0)


TILES = """.arg %src : !pto.tile<16x16xf32>
.arg %ind : !pto.tile<16x16xi32>
.arg %tmp : !pto.tile<16x16xi32>
.arg %dst : !pto.tile<16x16xf32>
.arg %cnt : !pto.tile<1x16xi32>
.arg %out : !pto.tile<16x16xi32>
.arg %k : f32
"""
T, X, C = "!pto.tile_buf<vec, 16x16xf32>", "!pto.tile_buf<vec, 16x16xi32>", "!pto.tile_buf<vec, 1x16xi32>"
TILE_GATHERS = {
    f"pto.tgather ins(%src, %ind : {T}, {X}) outs(%dst : {T})": ("index", ["ind"], []),
    f"pto.tgather ins(%src, %ind, %tmp : {T}, {X}, {X}) outs(%dst : {T})": ("index", ["ind"], ["tmp"]),
    f"pto.tgather ins(%src, {{maskPattern = #pto.mask_pattern<P0101>}} : {T}) outs(%dst : {T})": (
        "mask",
        [],
        [],
    ),
    f'pto.tgather ins(%src, {{maskPattern = #pto.mask_pattern<P0101>}} : {T}, "row") outs(%dst : {T})': (
        "mask",
        [],
        [],
    ),
    f"pto.tgather ins(%src : {T}) outs(%dst : {T}) {{maskPattern = #pto<mask_pattern P1111>}}": (
        "mask",
        [],
        [],
    ),
    f"pto.tgather ins(%src, %k, %tmp : {T}, f32, {X}) outs(%out, %cnt : {X}, {C}) "
    "{cmpMode = #pto<cmp gt>, offset = 7 : i32}": ("compare", [], ["tmp"]),
}


@pytest.mark.parametrize("line", TILE_GATHERS)
def test_tile_gather_forms(line: str) -> None:
    form, indices, tmp = TILE_GATHERS[line]
    op = only(TILES + line, "pto.tgather")
    assert isinstance(op, TGatherOp)
    assert op.form == form
    assert [v.name_hint for v in op.operands_of("indices")] == indices
    assert [v.name_hint for v in op.operands_of("tmp")] == tmp


# --- windows, addresses, literals -------------------------------------------------------------------


def test_window_of_a_view() -> None:
    text = HEAD + ".const %i = 3\n.const %j = 0\n.arg %t : !pto.tile<16x32xf32>\ntstore %t, %table[%i, %j]"
    module = ptoas.parse(text)
    (part,) = ops(module, "pto.partition_view")
    assert isinstance(part, PtoOp)
    assert [v.name_hint for v in part.operands_of("offsets")] == ["i", "j"]
    sizes = [v.owner.value.value.data for v in part.operands_of("sizes")]  # pyright: ignore
    assert sizes == [16, 32]
    assert str(part.results[0].type) == "!pto.partition_tensor_view<16x32xf32>"
    assert only(text, "pto.tstore").operands[1] is not None


def test_window_with_five_indices_and_literals() -> None:
    text = ".arg %m : !pto.memref<2x1x1x64x32xf32>\n%t = tload %m[1, 0, 0, 16, 0] : !pto.tile<16x32xf32>"
    (part,) = ops(ptoas.parse(text), "pto.partition_view")
    assert str(part.results[0].type) == "!pto.partition_tensor_view<1x1x1x16x32xf32>"


def test_window_with_two_of_five_indices() -> None:
    text = ".arg %m : !pto.memref<2x1x1x64x32xf32>\n%t = tload %m[16, 0] : !pto.tile<16x32xf32>"
    (part,) = ops(ptoas.parse(text), "pto.partition_view")
    assert isinstance(part, PtoOp) and len(part.operands_of("offsets")) == 5


@pytest.mark.parametrize(
    "line", ["tassign %t, @tile(0x1000)", "pto.tassign %t, @tile(4096)", "tassign %t, %c"]
)
def test_addresses(line: str) -> None:
    text = f".arg %t : !pto.tile<8x16xf32>\n.const %c = 0x1000 : i64\n{line}"
    op = only(text, "pto.tassign")
    if "%c" in line:
        assert op.operands[1].name_hint == "c"
    else:
        assert str(op.properties["address"]) == "4096 : i64"


@pytest.mark.parametrize(
    ("literal", "value", "type"),
    [
        ("3", 3, "index"),
        ("-1 : i32", -1, "i32"),
        ("0x10 : i64", 16, "i64"),
        ("0xFFFFFFFF : i32", -1, "i32"),
        ("1.5 : f32", 1.5, "f32"),
        ("-2.5e-1 : f16", -0.25, "f16"),
        ("1.0e+3 : f32", 1000.0, "f32"),
        ("1. : f32", 1.0, "f32"),
        ("0x3F800000 : f32", 1.0, "f32"),
        ("0xBC00 : f16", -1.0, "f16"),
        ("7 : index", 7, "index"),
    ],
)
def test_literals(literal: str, value: float, type: str) -> None:
    for text in (f".const %c = {literal}", f"func.func @f() {{\n%c = arith.constant {literal}\nreturn\n}}"):
        if ":" not in literal and "arith" in text:
            continue
        op = only(text, "arith.constant")
        assert isinstance(op, ConstantOp) and isinstance(op.value, IntegerAttr | FloatAttr)
        found = op.value.value.data
        assert (found, str(op.value.type)) == (value, type)
        assert op.result.name_hint == "c"


@pytest.mark.parametrize(
    "line", ["%c = arith.constant true", "%c = arith.constant dense<[1, 2]> : tensor<2xi32>"]
)
def test_other_constants(line: str) -> None:
    assert only(f"func.func @f() {{\n{line}\nreturn\n}}", "arith.constant")


def test_scalar_literal_takes_the_tile_s_type() -> None:
    module = ptoas.parse(".arg %t : !pto.tile<8x16xf32>\n%u = tmuls %t, 2.5")
    (constant,) = ops(module, "arith.constant")
    assert str(constant.properties["value"]) == "2.500000e+00 : f32"


def test_location_of_an_operand() -> None:
    assert (
        only(".arg %t : !pto.tile<8x16xf32>\n%u = texp %t!loc=vec", "pto.texp").operands[0].name_hint == "t"
    )


@pytest.mark.parametrize("name", ["%0", "%x", "%idx_12", "%a$b", "%a-b", "%a.b", "%_", "%X9"])
def test_value_names(name: str) -> None:
    op = only(f".arg {name} : !pto.tile<8x16xf32>\ntprint {name}", "pto.tprint")
    assert op.operands[0].name_hint == (None if name == "%0" else name[1:])
