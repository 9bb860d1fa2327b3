"""Sweeps: accesses that move through global memory with the iterations of a loop."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.sweeps import Sweep, Sweeps
from ptoas.grammar.parse import parse

VIEW = "!pto.tensor_view<64x32xf32>"
PART = "!pto.partition_tensor_view<8x32xf32>"
CONSTANTS = "\n".join(f"%c{n} = arith.constant {n} : index" for n in (0, 1, 4, 8, 32, 64))
LOOP = "scf.for %i = %c0 to %n step %c1 {"


def sweeps(loop: str, *rows: str) -> list[Sweep | None]:
    """The sweeps of eight rows each of a view, from these on."""
    lines = list[str]()
    for at, row in enumerate(rows):
        lines += [f"%r{at} = {row} : index"]
        lines += [
            f"%p{at} = pto.partition_view %v, offsets = [%r{at}, %c0], sizes = [%c8, %c32] : {VIEW} -> {PART}"
        ]
    body = "\n".join(lines)
    text = f"""func.func @f(%x: !pto.ptr<f32>, %n: index) {{
    {CONSTANTS}
    %v = pto.make_tensor_view %x, shape = [%c64, %c32], strides = [%c32, %c1] : {VIEW}
    {loop}
    {body}
    }}
    return
    }}"""
    results = [result for op in parse(text).walk() for result in op.results]
    views: list[SSAValue] = [each for each in results if (each.name_hint or "").startswith("p")]
    known = Sweeps(Knowledge())
    return [known.of(view) for view in views]


def may_meet(first: str, second: str, loop: str = LOOP) -> bool:
    """Return True if the second may touch what the first has touched in an earlier iteration."""
    earlier, later = sweeps(loop, first, second)
    return earlier is None or earlier.may_meet(1, later)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("arith.muli %i, %c8", "arith.muli %i, %c8", False),
        ("arith.muli %c8, %i", "arith.muli %i, %c8", False),
        ("arith.muli %i, %c4", "arith.muli %i, %c4", True),  # the rows of two iterations overlap
        ("arith.muli %i, %c8", "arith.muli %i, %c4", True),
        ("arith.addi %n, %i", "arith.addi %n, %i", True),
        ("arith.muli %i, %n", "arith.muli %i, %n", True),
        ("arith.muli %n, %c8", "arith.muli %n, %c8", True),  # the same in each iteration
    ],
)
def test_slope_and_size(first: str, second: str, expected: bool) -> None:
    assert may_meet(first, second) is expected


def test_a_step_of_the_loop_counts() -> None:
    assert not may_meet("arith.addi %i, %n", "arith.addi %i, %n", "scf.for %i = %c0 to %n step %c8 {")
    assert may_meet("arith.addi %i, %n", "arith.addi %i, %n", "scf.for %i = %c0 to %n step %n {")


def test_sweeps_distinguish_rows_ahead_from_rows_behind() -> None:
    """Of rows that move upwards: those ahead are touched later, those behind have been touched."""
    here, ahead = "arith.muli %i, %c8", "arith.addi %k, %c8"
    one, other = sweeps(f"{LOOP}\n%k = arith.muli %i, %c8 : index", here, ahead)
    assert one is not None and other is not None
    assert not one.may_meet(1, other) and other.may_meet(1, one)
    assert one.may_meet(0, one) and one.may_meet(1, None)


@pytest.mark.parametrize(("start", "expected"), [("%c0", False), ("%n", True)])
def test_an_offset_that_is_kept_from_being_negative(start: str, expected: bool) -> None:
    """PyPTO writes `max(offset, 0)`, which changes nothing where the loop starts at a number."""
    loop = f"scf.for %i = {start} to %n step %c1 {{\n%k = arith.muli %i, %c8 : index"
    assert may_meet("arith.maxsi %k, %c0", "arith.maxsi %k, %c0", loop) is expected
