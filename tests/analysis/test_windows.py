"""Windows of global memory: they meet where they have an element in common, and are said to only then."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr

from ptoas.analysis.windows import Window

Dims = tuple[tuple[int, int], ...]


def value():
    return arith.ConstantOp(IntegerAttr(0, IndexType())).result


ROOT = value()


def elements(first: int, dims: Dims) -> set[int]:
    """Every element of a window, one by one."""
    places = product(*(range(extent) for extent, _ in dims))
    strides = [stride for _, stride in dims]
    return {first + sum(n * stride for n, stride in zip(at, strides, strict=True)) for at in places}


DIMS = st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 20)), max_size=3).map(tuple)


@settings(max_examples=300)
@given(st.integers(0, 40), DIMS, st.integers(0, 40), DIMS)
@example(0, ((16, 32), (8, 1)), 8, ((16, 32), (8, 1)))
@example(0, ((16, 32), (8, 1)), 7, ((16, 32), (8, 1)))
@example(8, ((16, 32), (8, 1)), 0, ((16, 32), (8, 1)))
@example(0, ((4, 10), (2, 3)), 33, ((1, 10),))
@example(0, ((4, 10), (2, 3)), 34, ((1, 10),))
@example(5, (), 5, ())
@example(5, (), 6, ())
def test_windows_overlap_where_they_have_an_element_in_common(a: int, one: Dims, b: int, other: Dims) -> None:
    common = bool(elements(a, one) & elements(b, other))
    assert Window(ROOT, a, one).overlaps(Window(ROOT, b, other)) is common


def test_only_windows_of_one_memory_overlap() -> None:
    assert not Window(ROOT, 0, ((4, 1),)).overlaps(Window(value(), 0, ((4, 1),)))


@pytest.mark.parametrize(("a", "b"), [(None, 0), (0, None), (None, None)])
def test_a_window_at_an_unknown_place_overlaps_none_for_certain(a: int | None, b: int | None) -> None:
    assert not Window(ROOT, a).overlaps(Window(ROOT, b))


def test_the_last_element() -> None:
    assert Window(ROOT, 5, ((16, 32), (8, 1))).last == 5 + 15 * 32 + 7
    assert Window(ROOT).last is None


def test_a_search_without_end_finds_nothing() -> None:
    """Strides that are even never make an odd distance; there are too many sums to try them all."""
    wide = tuple((10**6, 10**6 + 2 * n) for n in range(5))
    assert not Window(ROOT, 0, wide).overlaps(Window(ROOT, 10**9 + 1, wide))
