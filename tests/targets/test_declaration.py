"""Fixes that name the type with which an operand meets a requirement."""

from __future__ import annotations

import re

import pytest

import ptoas
from ptoas.targets.rules.examples import instruction

DECLARED = re.compile(r"declare `%(\w+)` as `(.*)`")


def fixes(text: str, target: str) -> list[str | None]:
    return [finding.fix for finding in ptoas.verify(ptoas.parse(text, "k.pto"), target).errors]


@pytest.mark.parametrize(
    ("target", "types", "slot", "wanted"),
    [
        ("a5", ("16x32xf32", "16x32xf32", "16x32xf32, valid=16x16"), 2, "vec, 16x32xf32"),
        ("a5", ("16x32xf32", "16x32xf32", "16x8xf32"), 2, "vec, 16x32xf32"),
        ("a5", ("16x32xf32", "mat, 16x32xf32", "16x32xf32"), 1, "vec, 16x32xf32"),
    ],
)
def test_declared_type_meets_the_requirement(
    target: str, types: tuple[str, ...], slot: int, wanted: str
) -> None:
    (fix,) = fixes(instruction("tadd", *types), target)
    found = DECLARED.fullmatch(fix or "")
    assert found is not None and found[2] == f"!pto.tile_buf<{wanted}>"
    corrected = [*types]
    corrected[slot] = wanted
    assert fixes(instruction("tadd", *corrected), target) == []


WINDOW = """
.arg %t : !pto.tile_buf<vec, 16x32xf32>
.arg %i : !pto.tile_buf<vec, 8x16xi32>
.arg %s : !pto.tile_buf<vec, 16x32xf32>
%z = arith.constant 0 : index
%d = pto.subview %t[%z, %z] sizes [8, 16] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x16xf32>
pto.tgather ins(%s, %i : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 8x16xi32>)
  outs(%d : !pto.tile_buf<vec, 8x16xf32>)
"""


def test_type_of_a_window_follows_from_its_tile() -> None:
    assert not any(DECLARED.fullmatch(fix or "") for fix in fixes(WINDOW, "a5"))
    assert fixes(WINDOW, "a5"), "the window has gaps between its rows"


OPEN = """
func.func @f(%n: index, %d: !pto.tile_buf<vec, 16x32xf32>, %a: !pto.tile_buf<vec, 16x32xf32>) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %b = pto.alloc_tile valid_row = %c8 valid_col = %c32 : !pto.tile_buf<vec, 16x32xf32, valid=?x?>
  pto.tadd ins(%a, %b : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32, valid=?x?>)
    outs(%d : !pto.tile_buf<vec, 16x32xf32>)
  return
}
"""


def test_open_valid_extents_are_given_as_values() -> None:
    report = ptoas.verify(ptoas.parse(OPEN, "k.pto"), "a5")
    assert "give `%b` the valid shape 16x32" in [finding.fix for finding in report.diagnostics]
