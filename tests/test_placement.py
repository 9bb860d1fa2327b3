"""`--placement`: whether no function, or every function, says where its tiles lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main

BY_HAND = """func.func @f(%x: !pto.memref<8x8xf32>) {
  %at = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%x : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tprint ins(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
"""
BY_COMPILER = BY_HAND.replace(" addr = %at", "")
MOVED = BY_HAND.replace(
    "  pto.tprint", "  pto.tassign %t, %at : !pto.tile_buf<vec, 8x8xf32>, i64\n  pto.tprint"
)
SUMMED = """func.func @f(%x: !pto.tile_buf<vec, 8x8xf32>, %d: !pto.tile_buf<vec, 8x1xf32>) {
  pto.trowsum ins(%x : !pto.tile_buf<vec, 8x8xf32>) outs(%d : !pto.tile_buf<vec, 8x1xf32>)
  return
}
"""
RING = """func.func @f() -> i32 {
  %ring = pto.reserve_buffer {name = "r", size = 1024, location = #pto.address_space<vec>, HOW} -> i32
  return %ring : i32
}
"""
AUTO_RING, PLACED_RING = RING.replace("HOW", "auto = true"), RING.replace("HOW", "auto = false, base = 256")


@pytest.mark.parametrize(
    ("text", "target", "placement", "messages"),
    [
        (BY_HAND, "a5", None, []),
        (BY_COMPILER, "a5", None, []),
        (BY_HAND, "a5", "manual", []),
        (BY_COMPILER, "a5", "auto", []),
        (BY_HAND, "a5", "auto", ["`alloc_tile` has an address, but the placement is auto"]),
        (
            BY_COMPILER,
            "a5",
            "manual",
            ["`alloc_tile` has no address, but the placement is manual"],
        ),
        (
            MOVED,
            "a5",
            "auto",
            [
                "`alloc_tile` has an address, but the placement is auto",
                "`tassign` gives a tile an address, but the placement is auto",
            ],
        ),
        (
            SUMMED,
            "a2a3",
            "manual",
            ["`trowsum` has no tmp, but the placement is manual"],
        ),
        (SUMMED, "a5", "manual", []),
        (AUTO_RING, "a5", "auto", []),
        (PLACED_RING, "a5", "manual", []),
        (
            AUTO_RING,
            "a5",
            "manual",
            ["`reserve_buffer` has no base, but the placement is manual"],
        ),
        (
            PLACED_RING,
            "a5",
            "auto",
            ["`reserve_buffer` has a base, but the placement is auto"],
        ),
    ],
)
def test_placement_option_selects_the_errors(
    text: str, target: str, placement: str | None, messages: list[str]
) -> None:
    report = ptoas.verify(ptoas.parse(text), target, placement=placement)
    assert [found.message for found in report.diagnostics if found.is_error] == messages
    assert {found.code for found in report.diagnostics if found.is_error} <= {"PTO-V140"}


def test_the_option(tmp_path: Path) -> None:
    file = tmp_path / "k.pto"
    file.write_text(BY_HAND)
    for placement, code in (("auto", 1), ("manual", 0)):
        result = CliRunner().invoke(main, ["verify", str(file), "--target", "a5", "--placement", placement])
        assert result.exit_code == code


def test_another_word_is_a_usage_error() -> None:
    with pytest.raises(ptoas.UsageError, match="placement is 'auto' or 'manual'"):
        ptoas.verify(ptoas.parse(BY_HAND), "a5", placement="both")
