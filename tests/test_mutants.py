"""Details of printing, reading and C++ types that no other test sees; each kills a mutant that survived."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import UnregisteredOp

import ptoas
from ptoas.dialects.pto.type_text import type_from_text
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.printer import FORMS
from ptoas.lowering.cpp.types import tile_cpp

TILE = "!pto.tile_buf<vec, 8x8xf32>"
BRANCHES = """
func.func @f(%c: i1, %a: i32, %p: !pto.ptr<i32>) {
  %z = arith.constant 0 : index
  %r = scf.if %c -> (i32) {
    scf.yield %a : i32
  } else {
    %x = arith.addi %a, %a : i32
    scf.yield %x : i32
  }
  %r2 = scf.if %c -> (i32) {
    scf.yield %r : i32
  } else {
    scf.yield %a : i32
  }
  %r3 = arith.addi %r, %r2 : i32
  pto.store_scalar %r3, %p[%z] : !pto.ptr<i32>, i32
  return
}
"""


@pytest.mark.parametrize("form", FORMS)
def test_results_of_operations_with_bodies_keep_their_names_to_themselves(form: str) -> None:
    module = ptoas.parse(BRANCHES)
    for op in module.walk():
        for result in op.results:
            result.name_hint = "r"
    again = ptoas.parse(ptoas.print_module(module, form), "f.pto")
    assert again.is_structurally_equivalent(module)


def test_results_of_unregistered_operations_are_printed_with_their_types() -> None:
    text = f"func.func @f(%a: {TILE}) {{\n  %b = pto.new ins(%a : {TILE}) -> i32\n  return\n}}\n"
    printed = ptoas.print_module(ptoas.parse(text, allow_unregistered=True), "dps")
    assert f"%b = pto.new ins(%a : {TILE}) -> i32" in printed
    without = text.replace("%b = ", "").replace(" -> i32", "")
    printed = ptoas.print_module(ptoas.parse(without, allow_unregistered=True), "dps")
    assert f"  pto.new ins(%a : {TILE})\n" in printed


def test_types_of_an_unregistered_operation_without_results_make_no_results() -> None:
    for typing in (f"{TILE} -> i32", f"({TILE}) -> i32", f"({TILE}) -> (i32, i32)", TILE):
        text = f"func.func @f(%a: {TILE}) {{\n  pto.new %a : {typing}\n  return\n}}\n"
        module = ptoas.parse(text, allow_unregistered=True)
        (op,) = (op for op in module.walk() if isinstance(op, UnregisteredOp))
        assert len(op.operands) == 1 and not op.results


def test_types_of_an_unregistered_operation_without_results_are_its_operands() -> None:
    text = f"func.func @f(%a: {TILE}) {{\n  pto.new %a : !pto.tile_buf<vec, 8x8xf16>\n  return\n}}\n"
    with pytest.raises(ptoas.PtoasError, match="PTO-P042"):
        ptoas.parse(text, allow_unregistered=True)


@pytest.mark.parametrize(
    ("tile", "extents"),
    [
        ("!pto.tile_buf<vec, 8x32x!pto.f4E2M1x2, valid=?x?>", "8, 64, BLayout::RowMajor, -1, -1"),
        ("!pto.tile_buf<vec, 8x32x!pto.f4E2M1x2, valid=4x?>", "8, 64, BLayout::RowMajor, 4, -1"),
        ("!pto.tile_buf<vec, 8x32x!pto.f4E2M1x2, valid=?x16>", "8, 64, BLayout::RowMajor, -1, 32"),
        ("!pto.tile_buf<vec, 8x32xf32, valid=?x?>", "8, 32, BLayout::RowMajor, -1, -1"),
    ],
)
def test_an_open_extent_of_pairs_is_minus_one_in_cpp(tile: str, extents: str) -> None:
    type = type_from_text(tile)
    assert isinstance(type, TileType)
    assert extents in tile_cpp(type)
