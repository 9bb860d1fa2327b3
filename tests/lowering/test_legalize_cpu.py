# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Gathers that `cpu` lacks, rewritten (D17): extents that are known only when they run, refusals, what is written.

`test_legalize_values.py` compares the values of all modes with the formula.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.compiler.lower import lower
from ptoas.compiler.run import run
from ptoas.diagnostics import PtoasError
from ptoas.grammar.spans import span_of
from ptoas.lowering.legalize_cpu import LegalizeCpuPass

ROWS, STRIDE, COLS = 11, 24, 16
WILD = np.array([0, 10, 11, 12, -1, -11, -12, 2**31 - 1, -(2**31), 5, 1 << 20, -7, 3, 22, 33, 9], np.int32)


def remapped(index: np.ndarray, capacity: int, oob: str) -> tuple[np.ndarray, np.ndarray]:
    """The position that an index of 32 unsigned bits reads, and True if it was in bounds (D12)."""
    unsigned = index.astype(np.int64) % 2**32
    inside = unsigned < capacity
    where = unsigned % capacity if oob == "wrap" else np.minimum(unsigned, capacity - 1)
    return where, inside if oob == "zero" else np.ones_like(inside)


DYNAMIC_ROWS = """
func.func @f(%t: !pto.ptr<f32>, %idx: !pto.memref<1x16xi32>, %out: !pto.ptr<f32>, %rows: index, %stride: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  TABLE
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.tload ins(%idx : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  %d = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x16xf32, valid=?x16>
  pto.mgather ins(%table, %i : TYPE, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x16xf32, valid=?x16>) {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob OOB>}
  %vo = pto.make_tensor_view %out, shape = [%n, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x16xf32>
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf32, valid=?x16>) outs(%vo : !pto.tensor_view<?x16xf32>)
  return
}
"""
VIEW = "pto.make_tensor_view %t, shape = [%rows, %c16], strides = [%stride, %c1] : !pto.tensor_view<?x16xf32>"
TABLES = {
    "view": (f"%table = {VIEW}", "!pto.tensor_view<?x16xf32>", 0),
    "part": (
        f"%whole = {VIEW}\n  %less = arith.subi %rows, %c1 : index\n"
        "  %table = pto.partition_view %whole, offsets = [%c1, %c0], sizes = [%less, %c16] : !pto.tensor_view<?x16xf32> -> !pto.partition_tensor_view<?x16xf32>",
        "!pto.partition_tensor_view<?x16xf32>",
        1,
    ),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("oob", ["clamp", "wrap", "zero"])
def test_row_gather_from_a_table_with_dynamic_extents(table: str, oob: str) -> None:
    made, type, first = TABLES[table]
    text = DYNAMIC_ROWS.replace("TABLE", made).replace("TYPE", type).replace("OOB", oob)
    memory = np.arange(ROWS * STRIDE, dtype=np.float32)
    out = np.full(16 * COLS, -1, np.float32)
    valid = 13
    arguments: dict[str, Any] = {"t": memory, "idx": WILD.reshape(1, 16), "out": out}
    scalars = {"rows": ROWS, "stride": STRIDE, "n": valid}
    run(ptoas.parse(text), {**arguments, **scalars}, "cpu", legalize=True)
    rows = memory.reshape(ROWS, STRIDE)[first:, :COLS]
    where, inside = remapped(WILD, len(rows), oob)
    expected = np.where(inside[:, None], rows[where], 0)[:valid]
    assert np.array_equal(out.reshape(16, COLS)[:valid], expected)
    assert (out.reshape(16, COLS)[valid:] == -1).all()


@pytest.mark.parametrize("oob", ["clamp", "wrap", "zero"])
def test_elements_of_a_table_with_two_unknown_extents(oob: str) -> None:
    text = """
func.func @f(%t: !pto.ptr<i32>, %idx: !pto.memref<1x16xi32>, %out: !pto.memref<1x16xi32>, %rows: index, %cols: index) {
  %c1 = arith.constant 1 : index
  %table = pto.make_tensor_view %t, shape = [%rows, %cols], strides = [%cols, %c1] : !pto.tensor_view<?x?xi32>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.tload ins(%idx : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.mgather ins(%table, %i : !pto.tensor_view<?x?xi32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 1x16xi32>) {coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 1x16xi32>) outs(%out : !pto.memref<1x16xi32>)
  return
}
""".replace("OOB", oob)
    memory = np.arange(100, 124, dtype=np.int32)
    out = np.zeros((1, 16), np.int32)
    run(
        ptoas.parse(text),
        {"t": memory, "idx": WILD.reshape(1, 16), "out": out, "rows": 3, "cols": 8},
        "cpu",
        legalize=True,
    )
    where, inside = remapped(WILD, 24, oob)
    assert out[0].tolist() == np.where(inside, memory[where], 0).tolist()


TILE = "!pto.tile_buf<vec, 16x16xf32>"
LINE = "!pto.tile_buf<vec, 1x16xi32>"
FULL = "!pto.tile_buf<vec, 16x16xi32>"
TABLE = "!pto.memref<64x16xf32>"


def gather(modes: str, table: str = TABLE, index: str = FULL, tile: str = TILE, head: str = "") -> str:
    """A gather alone; `head` makes what is no argument then."""
    names = {"%table": table, "%i": index, "%d": tile, "%n": "index", "%p": "!pto.ptr<f32>"}
    arguments = ", ".join(f"{name}: {type}" for name, type in names.items() if f"{name} =" not in head)
    return f"""
func.func @f({arguments}) {{
{head}
  pto.mgather ins(%table, %i : {table}, {index}) outs(%d : {tile}) {modes}
  return
}}
"""


def modes(coalesce: str, oob: str = "") -> str:
    named = [f"coalesce = #pto<coalesce {coalesce}>"] if coalesce else []
    named += [f"gatherOob = #pto<gather_oob {oob}>"] if oob else []
    return f"{{{', '.join(named)}}}" if named else ""


def legalized(text: str) -> ModuleOp:
    module = ptoas.parse(text)
    LegalizeCpuPass().apply(Context(), module)
    return module


def tile(rest: str) -> str:
    return TILE.replace(">", f", {rest}>")


@pytest.mark.parametrize(
    ("mode", "changed", "why"),
    [
        ("elem", {"table": "!pto.memref<32768x32768xf32>"}, "table of 1073741824 entries"),
        ("row", {"table": "!pto.memref<1048576x1024xf32>", "index": LINE}, "table of 1073741824 entries"),
        (
            "row",
            {"table": "!pto.memref<64x16xf32, strides=[16777216, 1]>", "index": LINE},
            "table of 1073741824 entries",
        ),
        ("row", {"table": "!pto.memref<0x16xf32>", "index": LINE}, "table of 0 entries"),
        ("elem", {"table": "!pto.memref<16x0xf32>"}, "table of 0 entries"),
        ("elem", {"table": "!pto.memref<?x16xf32>"}, "table's extents must be known"),
        (
            "elem",
            {
                "table": "!pto.partition_tensor_view<?x16xf32>",
                "head": """  %c0 = arith.constant 0 : index
  %w = pto.make_tensor_view %p, shape = [%n, %n, %n], strides = [%n, %n, %n] : !pto.tensor_view<?x?x?xf32>
  %table = pto.partition_view %w, offsets = [%c0, %c0, %c0], sizes = [%n, %n, %n] : !pto.tensor_view<?x?x?xf32> -> !pto.partition_tensor_view<?x16xf32>""",
            },
            "table's extents must be known",
        ),
        ("elem", {"table": "!pto.memref<64x16xf32, dn>"}, "ND table"),
        ("elem", {"tile": tile("blayout=col_major")}, "row-major destination"),
        ("elem", {"tile": tile("slayout=row_major")}, "row-major destination"),
        ("elem", {"tile": tile("valid=?x16")}, "destination's valid extents"),
        (
            "elem",
            {
                "tile": tile("valid=?x16"),
                "head": f"""  %c16 = arith.constant 16 : index
  %d = pto.alloc_tile valid_row = %n : {tile("valid=?x16")}
  pto.set_validshape %d, %c16, %c16 : {tile("valid=?x16")}""",
            },
            "destination's valid extents",
        ),
        ("row", {"table": "!pto.memref<64x16xf32, strides=[?, 1]>", "index": LINE}, "table's row stride"),
        (
            "row",
            {
                "table": "!pto.tensor_view<?xf32>",
                "index": LINE,
                "head": "  %table = pto.make_tensor_view %p, shape = [%n], strides = [%n] : !pto.tensor_view<?xf32>",
            },
            "table's row stride",
        ),
        ("row", {"index": FULL.replace("16x16", "4x4")}, "index: found 4x4, expected 1x16 or 16x1"),
        ("row", {"index": FULL.replace("16x16", "1x8")}, "index: found 1x8, expected 1x16 or 16x1"),
        ("row", {"index": FULL.replace(">", ", valid=?x?>")}, "index: found ?x?, expected 1x16 or 16x1"),
        ("elem", {"index": LINE}, "index: found 1x16, expected 16x16"),
        ("elem", {"index": FULL, "tile": tile("valid=16x1")}, "index: found 16x16, expected 16x1"),
    ],
)
def test_legalize_rejects_unsupported_gathers_with_a_reason(
    mode: str, changed: dict[str, str], why: str
) -> None:
    text = gather(modes(mode, "clamp"), **changed)
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(text), "cpu", legalize=True)
    (found,) = caught.value.diagnostics
    line = text[: text.index("pto.mgather")].count("\n") + 1
    assert (found.code, found.span.line, found.targets) == ("PTO-L008", line, ("cpu",))
    assert why in found.message


@pytest.mark.parametrize(
    ("mode", "table", "index", "valid"),
    [
        ("row", "1048575x1024", LINE, "16x16"),
        ("row", "1073741823x1", LINE, "16x1"),
        ("elem", "1x1073741823", FULL, "16x16"),
    ],
)
def test_the_largest_tables_are_rewritten(mode: str, table: str, index: str, valid: str) -> None:
    text = gather(modes(mode, "wrap"), f"!pto.memref<{table}xf32>", index, tile(f"valid={valid}"))
    lower(ptoas.parse(text), "cpu", legalize=True)


def test_zeros_need_a_tile_gather_of_the_element_type() -> None:
    """`cpu` has float8 only in AICORE builds, and no tile gather of it (000, 004)."""
    table, d = TABLE.replace("f32", "f8E5M2"), TILE.replace("16x16xf32", "16x32xf8E5M2, valid=16x16")
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(gather(modes("elem", "zero"), table, tile=d)), "cpu", legalize=True, aicore=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-L008", 4)
    assert "tile gather of f8E5M2" in found.message
    lower(ptoas.parse(gather(modes("elem", "clamp"), table, tile=d)), "cpu", legalize=True, aicore=True)


def test_a_table_of_several_dimensions_is_refused_after_the_rewrite_too() -> None:
    """Targets disagree about its rows (D15), and `cpu` has tables of rows only."""
    with pytest.raises(PtoasError) as caught:
        lower(
            ptoas.parse(gather(modes("row", "clamp"), "!pto.memref<2x64x16xf32>", LINE)), "cpu", legalize=True
        )
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-A208", 4)


# --- what is written -----------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", modes("elem"), modes("", "undefined"), modes("elem", "undefined")])
def test_a_gather_that_cpu_has_is_left_as_it_is(given: str) -> None:
    text = gather(given)
    assert str(legalized(text)) == str(ptoas.parse(text))


def test_a_gather_without_a_mode_is_one_of_elements() -> None:
    """`cpu` defaults to Elem (D17)."""
    assert str(legalized(gather(modes("", "clamp")))) == str(legalized(gather(modes("elem", "clamp"))))


@pytest.mark.parametrize("oob", ["", "clamp", "wrap", "zero"])
def test_legalized_gather_keeps_its_location(oob: str) -> None:
    text = gather(modes("row", oob), index=LINE)
    (line,) = [n for n, written in enumerate(text.splitlines(), 1) if "mgather" in written]
    (function,) = legalized(text).ops
    written = [op for op in function.walk() if op.name not in ("func.func", "func.return", "scf.yield")]
    assert len(written) > 10
    assert {span_of(op).line for op in written} == {line}


COPY = ["texpands", "tmov"]
ROW_INDICES = ["texpands", "subview", "texpands", "tgather"]
NEGATIVE = ["texpands", "tmax", "texpands", "tmin", "tmuls"]
NEGATIVE_IS_BEYOND = [*NEGATIVE, "tmul", "texpands", "tmax", "tadd"]
LIMIT = ["texpands"]
CLAMP = ["texpands", "tsub", "tmin"]
MODULO = ["tdiv", "tmul", "tsub"]
COLUMNS = ["tci", "tcolexpand"]


@pytest.mark.parametrize(
    ("mode", "oob", "element", "instructions"),
    [
        ("row", "", "i32", [*ROW_INDICES, "tmuls", *COLUMNS, "tadd", "mgather"]),
        ("elem", "clamp", "ui32", [*COPY, *LIMIT, *CLAMP, "mgather"]),
        ("elem", "clamp", "i32", [*COPY, *LIMIT, *NEGATIVE_IS_BEYOND, *CLAMP, "mgather"]),
        ("elem", "wrap", "ui32", [*COPY, *LIMIT, *MODULO, "mgather"]),
        ("elem", "wrap", "i32", [*COPY, *LIMIT, *NEGATIVE, *MODULO, "tmuls", "tadd", *MODULO, "mgather"]),
    ],
)
def test_each_mode_costs_the_instructions_that_it_needs(
    mode: str, oob: str, element: str, instructions: list[str]
) -> None:
    """Only signed indices are asked for their sign, and a destination that is valid as a whole needs no windows."""
    index = (LINE if mode == "row" else FULL).replace("i32", element)
    module = legalized(gather(modes(mode, oob), index=index))
    names = [op.name.removeprefix("pto.") for op in module.walk() if op.name.startswith("pto.")]
    assert [name for name in names if name != "alloc_tile"] == instructions


def test_a_row_gather_of_a_padded_table_is_rewritten_without_a_warning_about_strides() -> None:
    """Its element indices are computed with the strides; those of an Elem gather are the program's own."""
    view = "!pto.memref<64x32xf32, strides=[40, 1]>"
    text = f".arg %t : {view}\n.arg %i : !pto.tile<INDEXxi32>\n%d = mgather.MODE %t, %i : ({view}, !pto.tile<INDEXxi32>) -> !pto.tile<16x32xf32>"
    found: dict[str, list[str]] = {}
    for mode, index in (("row", "1x16"), ("elem", "16x32")):
        module = ptoas.parse(text.replace("MODE", mode).replace("INDEX", index))
        lower(
            module,
            "cpu",
            legalize=True,
            on_warnings=lambda given, mode=mode: found.update({mode: [w.code for w in given]}),
        )
    assert found == {"elem": ["PTO-A223"]}
