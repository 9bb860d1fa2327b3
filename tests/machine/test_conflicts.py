"""Accesses of several actors, kept as walks and pieces, against plain sets of bytes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.analysis.clocks import Ledger
from ptoas.machine.accesses import AccessLog, AccessSite, StridedShape, pieces_at, pieces_of, united
from ptoas.machine.actors import Actor, ActorSlot, Launch
from ptoas.machine.conflicts import conflicts

MODULE = ptoas.parse(
    "func.func @main() {\n" + "  pto.barrier #pto.pipe<PIPE_V>\n" * 3 + "  return\n}\n", "three.pto"
)
STATEMENTS = [op for op in MODULE.walk() if op.name == "pto.barrier"]
BLOCKS = 3


def bytes_in(pieces: np.ndarray) -> set[int]:
    return {byte for first, end in pieces.tolist() for byte in range(first, end)}


def window(start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> set[int]:
    """The bytes of a window, one by one."""
    return {
        start + sum(n * s for n, s in zip(at, strides, strict=True)) for at in product(*map(range, shape))
    }


dimensions = st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=3)


@given(dimensions, st.integers(1, 4))
def test_the_pieces_of_a_window_are_its_bytes(dims: list[tuple[int, int]], size: int) -> None:
    shape, strides = (*(n for n, _ in dims), size), (*(s for _, s in dims), 1)
    assert bytes_in(pieces_of(100, shape, strides)) == window(100, shape, strides)


@given(st.lists(st.integers(0, 40)), st.integers(1, 4))
def test_pieces_are_united_as_far_as_possible(starts: list[int], size: int) -> None:
    pieces = pieces_at(np.array(starts, np.int64), size)
    assert bytes_in(pieces) == {start + n for start in starts for n in range(size)}
    # In order, and with a byte between one and the next.
    assert (pieces[1:, 0] > pieces[:-1, 1]).all() and np.array_equal(united(pieces), pieces)


accesses = st.lists(
    st.tuples(
        st.integers(0, BLOCKS - 1),
        st.integers(0, len(STATEMENTS) - 1),
        st.integers(0, 60),
        st.sampled_from([((2,), (1,)), ((3, 2), (8, 1)), ((2, 2), (-4, 1))]),
    ),
    max_size=12,
)
WRITES = (True, False, True)
"""The first statement writes, the second reads, the third adds."""


@settings(max_examples=200)
@given(accesses, st.booleans())
def test_blocks_conflict_where_they_share_a_byte(
    done: list[tuple[int, int, int, tuple[tuple[int, ...], tuple[int, ...]]]], signal: bool
) -> None:
    """With a signal, the first block has told the others what it did; nothing else is ordered."""
    log, ledger = AccessLog(), Ledger()
    launch = Launch(blocks=BLOCKS)
    actors = [ActorSlot(ledger=ledger).actor(block, launch) for block in range(BLOCKS)]
    operands = [
        AccessSite(op, "m", 0, write, atomic="add" if n == 2 else None)
        for n, (op, write) in enumerate(zip(STATEMENTS, WRITES, strict=True))
    ]

    def note(actor: Actor, statement: int, start: int, form: StridedShape) -> None:
        series = log.series(operands[statement], -1, form, actor)
        series.time = actor.clocks.own[0][0]
        series.add(start)

    first_block_first = sorted(done, key=lambda each: each[0])
    for block, statement, start, form in first_block_first:
        if signal and block:
            actors[block].clocks.acquire("told")
        note(actors[block], statement, start, StridedShape(*form))
        if signal and not block:
            actors[0].clocks.release("told")

    expected: set[tuple[int, int]] = set()
    for (b, s, at, form), (c, t, there, other) in product(first_block_first, repeat=2):
        ordered = b == c or (signal and 0 in (b, c))
        if ordered or not (WRITES[s] or WRITES[t]) or s == t == 2:
            continue
        if window(at, *form) & window(there, *other):
            expected.add((min(s, t), max(s, t)))
    found = conflicts(log.records(), launch, "a5")
    assert {tuple(sorted((d.span.line - 2, d.notes[0].span.line - 2))) for d in found} == expected
    assert len(found) == len(expected) and {d.code for d in found} <= {"PTO-R306"}


def test_a_long_walk_is_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptoas.machine.accesses.MOST_PIECES", 8)
    log, actor = AccessLog(), Actor()
    series = log.series(AccessSite(STATEMENTS[0], "m", 0, True), -1, StridedShape((4,), (1,)), actor)
    for _ in range(3):
        for start in range(0, 1000, 10):
            series.add(start)
    assert len(series.walks) == 1
    for start in range(50):
        series.add_indexed(pieces_at(np.array([5000 + start % 7]), 1))
    (record,) = log.records()
    assert bytes_in(record.pieces) == {n for n in range(1000) if n % 10 < 4} | set(range(5000, 5007))
    assert series.kept <= 8
