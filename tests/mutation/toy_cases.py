"""Tests of `toy.py`; named so that only the tool runs them."""

from __future__ import annotations

from tests.mutation.toy import LIMIT, clamp, small, unwatched


def test_limit() -> None:
    assert LIMIT == 3


def test_clamp() -> None:
    assert [clamp(n, 4) for n in (0, 3, 4, 9)] == [0, 3, 3, 3]
    assert clamp(0, 1) == 0
    assert clamp(5, 0) == -2


def test_small() -> None:
    assert list(small([1, 2, 3, 4])) == [1, 2]


def test_unwatched() -> None:
    assert unwatched(1, 2)
