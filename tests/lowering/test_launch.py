# ruff: noqa: E501 - programs are text
"""`dynUBufSize` of `verify`, of the launcher and of `run` is one number (D36)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ptoas
from ptoas.compiler.run import compile
from ptoas.verifier import verify

LOOKUP = """
func.func {qualifier}@look(%t: !pto.memref<64x128xf32>, %x: !pto.memref<1x320xi32>, %o: !pto.memref<320x128xf32>) {{
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x320xi32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 320x128xf32>
  pto.tload ins(%x : !pto.memref<1x320xi32>) outs(%i : !pto.tile_buf<vec, 1x320xi32>)
  pto.mgather ins(%t, %i : !pto.memref<64x128xf32>, !pto.tile_buf<vec, 1x320xi32>) outs(%d : !pto.tile_buf<vec, 320x128xf32>) {{coalesce = #pto<coalesce row>}}
  pto.tstore ins(%d : !pto.tile_buf<vec, 320x128xf32>) outs(%o : !pto.memref<320x128xf32>)
  return
}}
"""
CALLED = (
    LOOKUP.format(qualifier="private ")
    + """
func.func @outer(%t: !pto.memref<64x128xf32>, %x: !pto.memref<1x320xi32>, %o: !pto.memref<320x128xf32>, %y: !pto.memref<8x8xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%y : !pto.memref<8x8xf32>) outs(%a : !pto.tile_buf<vec, 8x8xf32>)
  func.call @look(%t, %x, %o) : (!pto.memref<64x128xf32>, !pto.memref<1x320xi32>, !pto.memref<320x128xf32>) -> ()
  pto.tstore ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%y : !pto.memref<8x8xf32>)
  return
}
"""
)
CARRIED = """
func.func @bag(%t: !pto.memref<64x128xf32>, %x: !pto.memref<1x128xi32>, %n: index, %o: !pto.memref<128x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %i = pto.tload %x : (!pto.memref<1x128xi32>) -> !pto.tile<1x128xi32>
  %start = pto.texpands %z : (f32) -> !pto.tile<128x128xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %start) -> (!pto.tile<128x128xf32>) {
    %row = mgather.row %t, %i : (!pto.memref<64x128xf32>, !pto.tile<1x128xi32>) -> !pto.tile<128x128xf32>
    %next = pto.tadd %acc, %row : (!pto.tile<128x128xf32>, !pto.tile<128x128xf32>) -> !pto.tile<128x128xf32>
    scf.yield %next : !pto.tile<128x128xf32>
  }
  tstore %sum, %o
  return
}
"""
UNKNOWN = """
func.func @far(%t: !pto.memref<64x32xf32>, %x: !pto.memref<1x16xi32>, %a: i64) {
  %b = arith.constant 0 : i64
  %i = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 1x16xi32>
  %d = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%x : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  pto.mgather ins(%t, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}
  return
}
"""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (LOOKUP.format(qualifier=""), 320 * 4 + 320 * 128 * 4),
        (CALLED, 8 * 8 * 4 + 320 * 4 + 320 * 128 * 4),
        (CARRIED, 128 * 4 + 2 * 128 * 128 * 4),
        (UNKNOWN, 216 * 1024),
    ],
    ids=["one function", "a called one", "a loop that carries a tile", "an address that only the run knows"],
)
def test_one_number(text: str, number: int) -> None:
    module = ptoas.parse(text)
    (warning,) = ptoas.verify(module, "a5").warnings
    assert warning.code == "PTO-A401" and f"need {number} bytes" in warning.message
    assert f"dynUBufSize = {number}:" in (warning.fix or "")
    launcher = ptoas.lower(module, "a5", emit="launcher")
    assert re.findall(r"<<<numBlocks, (\w+), stream>>>", launcher) == [str(number)]
    kernel = compile(module, "a5", force=True)
    (said,) = kernel.execute(kernel.complete({"a": 4096} if "%a: i64" in text else {})).warnings
    assert said.code == "PTO-R402" and f"at byte {number}," in said.message


def test_a_kernel_within_the_default_asks_for_nothing() -> None:
    small = LOOKUP.format(qualifier="").replace("320x", "128x").replace("x320", "x128")
    module = ptoas.parse(small)
    assert not ptoas.verify(module, "a5").diagnostics
    assert "<<<numBlocks, nullptr, stream>>>" in ptoas.lower(module, "a5", emit="launcher")


PLACED = """
func.func @placed(%t: !pto.memref<64x32xf32>, %x: !pto.memref<1x16xi32>) {{
  %a = arith.constant 0 : i64
  %b = arith.constant {start} : i64
  %i = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 1x16xi32>
  %d = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%x : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  pto.mgather ins(%t, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {{coalesce = #pto<coalesce row>}}
  return
}}
"""
DEFAULT, SIZE = 128 * 1024, 16 * 32 * 4


@pytest.mark.parametrize(("end", "codes"), [(DEFAULT, []), (DEFAULT + 32, ["PTO-A401"])])
def test_a_tile_with_an_address_counts_to_its_last_byte(end: int, codes: list[str]) -> None:
    report = ptoas.verify(ptoas.parse(PLACED.format(start=end - SIZE)), "a5")
    assert [d.code for d in report.diagnostics if d.code == "PTO-A401"] == codes


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "examples").glob("*.pto")), ids=lambda path: path.stem
)
def test_kernel_that_is_not_measured_is_within_its_budget(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Passes are run to measure a kernel only where it may be close to its budget: always gives the same."""
    module = ptoas.parse_file(str(path))
    found = ptoas.verify(module, "a5").diagnostics
    monkeypatch.setattr(verify, "may_exceed_memory", lambda *_: True)
    assert ptoas.verify(module, "a5").diagnostics == found
