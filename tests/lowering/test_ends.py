"""End of the tiles of a kernel: the text determines it without the passes, with the same result."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import functions
from ptoas.dialects.pto.enums import TileLoc
from ptoas.lowering import launch
from ptoas.lowering.launch import ends_by_passes, memory_high_water
from ptoas.targets.rules.budget import may_exceed_memory

TILE = "!pto.tile_buf<vec, 64x256xf32>"
USED = f"pto.tload ins(%x : !pto.memref<64x256xf32>) outs(%a : {TILE})"
ALSO = f"pto.tload ins(%x : !pto.memref<64x256xf32>) outs(%b : {TILE})"
BRANCH = f"%no = arith.constant false\nscf.if %no {{\n{ALSO}\n}}"
NUMBERS = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"
LOOP = f"{NUMBERS}\nscf.for %i = %c0 to %c1 step %c1 {{\n{ALSO}\n}}"
READ = f"{NUMBERS}\n%v = pto.tgetval ins(%b, %c0 : {TILE}, index) outs : f32"
COLUMN = "!pto.tile_buf<vec, 64x1xf32, blayout=col_major>"
SUM = f"%d = pto.alloc_tile addr = %at : {COLUMN}\npto.trowsum ins(%a : {TILE}) outs(%d : {COLUMN})"


def program(body: str) -> str:
    return f"""
func.func @kernel(%x: !pto.memref<64x256xf32>) {{
  %zero = arith.constant 0 : i64
  %at = arith.constant 65536 : i64
  %a = pto.alloc_tile addr = %zero : {TILE}
  %b = pto.alloc_tile addr = %at : {TILE}
  {USED}
  {body}
  return
}}"""


@pytest.mark.parametrize(
    ("text", "end", "quick"),
    [
        (program(ALSO), 131072, True),
        (program(LOOP), 131072, True),
        (program(""), 65536, True),
        (program(BRANCH), 65536, False),
        (program(READ), 131072, False),
        (program(f"{ALSO}\n{SUM}"), 196608, False),
    ],
    ids=["used", "in a loop", "not used", "in a branch that is left out", "read by a scalar", "scratch"],
)
def test_ends_are_those_that_the_passes_find(
    text: str, end: int, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, target = ptoas.parse(text), ptoas.get_target("a2a3")
    slow = ends_by_passes(module, target)
    asked: list[str] = []

    def by_passes(*_: object) -> dict[str, launch.Ends]:
        asked.append("passes")
        return slow

    monkeypatch.setattr(launch, "ends_by_passes", by_passes)
    assert memory_high_water(module, target) == slow == {"kernel": {TileLoc.Vec: end}}
    assert quick is not bool(asked)


@pytest.mark.parametrize(("size", "near"), [(8192, False), (131072, True)])
def test_a_ring_counts_for_how_near_the_end_a_kernel_is(size: int, near: bool) -> None:
    ring = f'{{name = "ring", size = {size}, location = #pto.address_space<vec>, auto = true}}'
    text = f"""
func.func @kernel() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %ring = pto.reserve_buffer {ring} -> i32
  return
}}"""
    facts = FunctionFacts(functions(ptoas.parse(text))[0], Knowledge())
    assert may_exceed_memory((facts,), ptoas.get_target("a2a3")) is near
