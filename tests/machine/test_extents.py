# ruff: noqa: E501 - programs are text
"""Valid regions that only the running program knows: the last that fits, and the first that does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import ptoas
from tests.machine.support import execute, failing


@dataclass
class Case:
    """One instruction on tiles of which one has `%n` rows or columns; up to `good` it runs, `bad` is refused."""

    code: str
    tiles: dict[str, tuple[str, str]]
    statement: str
    good: int
    bad: int
    words: str


def tile(shape: str, open_: str = "", element: str = "f32", extra: str = "") -> tuple[str, str]:
    """The operands of the allocation, and the type."""
    rows, cols = shape.split("x")
    valid = {"": "", "row": f", valid=?x{cols}", "col": f", valid={rows}x?"}[open_]
    operand = f"valid_{open_} = %n " if open_ else ""
    return operand, f"!pto.tile_buf<vec, {shape}x{element}{valid}{extra}>"


CASES = {
    "trowsum": Case(
        "PTO-R105",
        {"a": tile("8x8", "row"), "t": tile("8x8"), "d": tile("4x1")},
        "pto.trowsum ins(%a, %t : {a}, {t}) outs(%d : {d})",
        4,
        5,
        "5 rows of 8 elements do not fit",
    ),
    "tgather by index": Case(
        "PTO-R105",
        {"a": tile("8x8"), "i": tile("4x8", element="i32"), "d": tile("8x8", "row")},
        "pto.texpands ins(%zero : i32) outs(%i : {i})\n  pto.tgather ins(%a, %i : {a}, {i}) outs(%d : {d})",
        4,
        5,
        "is valid for [5, 8], %i has only [4, 8]",
    ),
    "tgather by mask, rows": Case(
        "PTO-R108",
        {"a": tile("16x8", "row"), "d": tile("4x8")},
        "pto.tgather ins(%a : {a}) outs(%d : {d}) {{maskPattern = #pto.mask_pattern<P0101>, axis = \"col\"}}",
        8,
        9,
        "5 rows of 8 are kept",
    ),
    "tgather by comparison": Case(
        "PTO-R108",
        {"a": tile("8x8", "row"), "t": tile("8x256", element="ui8"), "d": tile("4x8", element="i32"), "c": tile("1x8", element="i32")},
        "pto.tgather ins(%a, %k, %t : {a}, f32, {t}) outs(%d, %c : {d}, {c}) {{cmpMode = #pto<cmp gt>}}",
        4,
        5,
        "5 rows are compared",
    ),
    "tgatherb": Case(
        "PTO-R105",
        {"a": tile("8x8"), "o": tile("2x8", element="ui32"), "d": tile("8x8", "row")},
        "pto.texpands ins(%none : ui32) outs(%o : {o})\n  pto.tgatherb ins(%a, %o : {a}, {o}) outs(%d : {d})",
        2,
        3,
        "3x1 blocks are gathered",
    ),
    "alloc_tile": Case(
        "PTO-R107",
        {"a": tile("8x8", "row"), "d": tile("8x8")},
        "pto.tmov ins(%a : {a}) outs(%d : {d})",
        8,
        9,
        "valid extents [9, 8] exceed the tile's 8x8",
    ),
}  # fmt: skip


ZEROS = {"k": 0.0, "zero": 0, "none": 0}


@pytest.mark.parametrize("name", CASES)
def test_the_last_extent_that_fits_and_the_first_that_does_not(name: str) -> None:
    case = CASES[name]
    types = {key: type for key, (_, type) in case.tiles.items()}
    allocated = "".join(
        f"  %{key} = pto.alloc_tile {operand}: {type}\n" for key, (operand, type) in case.tiles.items()
    )
    text = f"func.func @main(%n: index, %k: f32, %zero: i32, %none: ui32) {{\n{allocated}  {case.statement.format(**types)}\n  return\n}}\n"
    # Nothing was written into these tiles: that is another check's business.
    execute(text, {**ZEROS, "n": case.good}, "a2a3", checks="mem")
    found = failing(case.code, text, {**ZEROS, "n": case.bad}, "a2a3", checks="mem")
    assert case.words in found.message


BOXED = "blayout=col_major, slayout=row_major, fractal=512"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("pto.tadd ins(%x, %y : {t}, {t}) outs(%d : {t})", lambda x, y: x + y),
        ("pto.tmuls ins(%x, %k : {t}, f32) outs(%d : {t})", lambda x, y: x * 3),
        ("pto.tneg ins(%x : {t}) outs(%d : {t})", lambda x, y: -x),
        ("pto.tmov ins(%x : {t}) outs(%d : {t})", lambda x, y: x),
        ("pto.texpands ins(%k : f32) outs(%d : {t})", lambda x, y: np.full_like(x, 3)),
        (
            "pto.texp ins(%x : {t}) outs(%d : {t})",
            lambda x, y: np.exp(x.astype(np.float64)).astype(np.float32),
        ),
    ],
)
def test_boxes_are_calculated_like_rows(statement: str, expected) -> None:
    """A tile in boxes has other places for its elements, not other elements."""
    t = f"!pto.tile_buf<vec, 32x16xf32, {BOXED}>"
    m = "!pto.memref<32x16xf32>"
    text = f"""
func.func @main(%a: {m}, %b: {m}, %k: f32, %out: {m}) {{
  %x = pto.alloc_tile : {t}
  %y = pto.alloc_tile : {t}
  %d = pto.alloc_tile : {t}
  pto.tload ins(%a : {m}) outs(%x : {t})
  pto.tload ins(%b : {m}) outs(%y : {t})
  {statement.format(t=t)}
  pto.tstore ins(%d : {t}) outs(%out : {m})
  return
}}
"""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-5, 5, (32, 16)).astype(np.float32) for _ in range(2))
    out = execute(text, {"a": a, "b": b, "k": 3.0}, "a2a3").outputs["out"]
    assert np.array_equal(out, expected(a, b))


def test_hif8_is_moved_but_not_calculated_with() -> None:
    t = "!pto.tile_buf<vec, 1x32x!pto.hif8>"
    text = f"func.func @main(%a: {t}, %d: {t}) {{\n  OP\n  return\n}}\n"
    execute(text.replace("OP", f"pto.tmov ins(%a : {t}) outs(%d : {t})"))
    add = text.replace("OP", f"pto.tadd ins(%a, %a : {t}, {t}) outs(%d : {t})")
    assert "hif8 does not support arithmetic" in failing("PTO-R505", add).message


NOTHING = """
func.func @vector(%m: !pto.memref<5x128xf32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %c0 = arith.constant 0 : index
  %whole = pto.alloc_tile : !pto.tile_buf<vec, 16x128xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 5x128xf32, valid=0x128>
  pto.tload ins(%m : !pto.memref<5x128xf32>) outs(%t : !pto.tile_buf<vec, 5x128xf32, valid=0x128>)
  %v = pto.subview %whole[%c0, %c0] sizes [5, 128] :
    !pto.tile_buf<vec, 16x128xf32> -> !pto.tile_buf<vec, 5x128xf32, valid=5x0>
  pto.tstore ins(%v : !pto.tile_buf<vec, 5x128xf32, valid=5x0>) outs(%m : !pto.memref<5x128xf32>)
  return
}
func.func @cube() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %a = pto.alloc_tile : !pto.tile_buf<left, 16x32xf16, valid=LHS, blayout=col_major, slayout=row_major>
  %b = pto.alloc_tile : !pto.tile_buf<right, 32x16xf16, valid=RHS, blayout=row_major, slayout=col_major>
  %d = pto.alloc_tile : !pto.tile_buf<acc, 16x16xf32, valid=0x0, blayout=col_major, slayout=row_major, fractal=1024>
  pto.tmatmul ins(%a, %b : !pto.tile_buf<left, 16x32xf16, valid=LHS, blayout=col_major, slayout=row_major>,
    !pto.tile_buf<right, 32x16xf16, valid=RHS, blayout=row_major, slayout=col_major>)
    outs(%d : !pto.tile_buf<acc, 16x16xf32, valid=0x0, blayout=col_major, slayout=row_major, fractal=1024>)
  return
}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_transfers_and_products_of_nothing_do_nothing(target: str) -> None:
    """The assembler accepts them; the headers would use the extents of the memory."""
    module = ptoas.parse(NOTHING.replace("LHS", "0x32").replace("RHS", "32x0"))
    assert not ptoas.verify(module, target).errors
    text = ptoas.lower(module, target)
    assert not any(call in str(text) for call in ("TLOAD", "TSTORE", "TMATMUL"))
    m = np.ones((5, 128), np.float32)
    for entry, arguments in (("vector", {"m": m}), ("cube", {})):
        result = ptoas.run(module, arguments, target=target, entry=entry)
        assert all((value == 1).all() for value in result.outputs.values())


def test_a_product_into_something_has_operands() -> None:
    text = NOTHING.replace("LHS", "16x0").replace("RHS", "0x16").replace("valid=0x0", "valid=16x16")
    assert "PTO-I104" in {found.code for found in ptoas.verify(ptoas.parse(text), "a5").errors}
