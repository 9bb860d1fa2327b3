"""Rules of tiles: the fix that a finding proposes."""

from __future__ import annotations

import pytest

import ptoas


def fix(*lines: str) -> str | None:
    body = "\n".join(lines)
    (found,) = ptoas.verify(ptoas.parse(f"func.func @kernel() {{\n{body}\nreturn\n}}"), "a5").diagnostics
    return found.fix


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("1x9xi32", "pad to 16 columns and keep 9 valid"),
        ("4x17xi8", "pad to 32 columns and keep 17 valid"),
        ("9x1xf16", "pad to 16 rows and keep 9 valid"),
        ("16x8xf16, blayout=col_major, slayout=row_major", "pad to 16 cols and keep 8 valid"),
    ],
)
def test_a_tile_is_padded_to_the_next_multiple(type: str, expected: str) -> None:
    assert fix(f"%t = pto.alloc_tile : !pto.tile_buf<vec, {type}>") == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [(40, "use 32 or 64"), (31, "use 0 or 32"), (-40, "use 0 or 32"), (-32, "use 0 or 32")],
)
def test_an_address_is_moved_to_its_neighbours(address: int, expected: str) -> None:
    tile = "pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>"
    assert fix(f"%a = arith.constant {address} : i64", f"%t = {tile}") == expected
