"""Windows of a memory, and whether two of them have an element in common."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import accumulate

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

Dims = tuple[tuple[int, int], ...]
"""Extent and stride of each dimension."""

MOST_TRIES = 1000
"""Strides that fit into each other need a few; for others a longer search is not worth it."""


@dataclass(unsafe_hash=True, slots=True)
class Window:
    """Position of a view: its base value, and its first element, if known, with extents and strides.

    Immutable by convention; a frozen class would be slower to create.
    """

    root: SSAValue
    first: int | None = None
    dims: Dims = ()

    @property
    def identity(self) -> Hashable:
        """The key that equal places share."""
        return self

    @property
    def last(self) -> int | None:
        """The last element, if known."""
        return None if self.first is None else self.first + sum((n - 1) * stride for n, stride in self.dims)

    @property
    def is_argument(self) -> bool:
        """True if it is based on an argument of the function, not on a computed pointer."""
        owner = self.root.owner
        return isinstance(owner, Block) and isinstance(owner.parent_op(), FuncOp)

    def overlaps(self, other: object, unsure: bool = False) -> bool:
        """Return True if both have a common element, `unsure` if unknown; adjacent columns have none."""
        if not isinstance(other, Window):
            return False
        if self.root is not other.root:
            # Two arguments are two memories; a pointer that the program chose may point into any.
            return unsure and not (self.is_argument and other.is_argument)
        if self.first is None or other.first is None:
            return unsure
        if self is other:
            return True
        return share_elements(other.first - self.first, self.dims, other.dims, unsure)


def share_elements(distance: int, dims: Dims, others: Dims, unsure: bool = False) -> bool:
    """Return True if two windows at a distance have a common element.

    `unsure` is the answer if finding out takes too long.
    """
    spans: dict[int, tuple[int, int]] = {}
    for sign, members in ((1, dims), (-1, others)):
        for extent, stride in members:
            reach = sign * (extent - 1) * stride
            low, high = spans.get(abs(stride), (0, 0))
            spans[abs(stride)] = (low + min(reach, 0), high + max(reach, 0))
    return _is_sum(distance, spans, unsure)


def _is_sum(distance: int, spans: dict[int, tuple[int, int]], unsure: bool) -> bool:
    """Return True if a distance is a sum of one multiple of each stride, each inside its stride's span."""
    strides = sorted(spans)
    lows = [0, *accumulate(spans[stride][0] for stride in strides)]
    highs = [0, *accumulate(spans[stride][1] for stride in strides)]
    if not lows[-1] <= distance <= highs[-1]:
        return False
    work = [(distance, len(strides))]
    for _ in range(MOST_TRIES):
        if not work:
            return False
        rest, count = work.pop()
        if not rest:
            return True
        # The multiples of the greatest stride after which the smaller ones can make up the rest.
        inner = count - 1
        stride = strides[inner]
        low, high = spans[stride]
        first = -(-max(low, rest - highs[inner]) // stride)
        last = min(high, rest - lows[inner]) // stride
        work += [(rest - n * stride, inner) for n in range(first, min(last, first + MOST_TRIES) + 1)]
    return unsure
