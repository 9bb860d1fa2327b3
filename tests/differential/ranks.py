"""A program of several ranks, as of one: everyone's arguments, and the memory of all in a row.

Each rank has all arguments but the groups, which they share; the first rank's memory has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from xdsl.ir import Attribute

from ptoas.dialects.pto.types import GroupType, PtrType, TileType, ViewType
from ptoas.runner.kernel import Kernel, Result
from ptoas.runner.ranks.in_process import run_in_process
from tests.cpp.harness import buffers


def execute(kernel: Kernel, given: Sequence[dict[str, Any]]) -> list[Result]:
    """Run the ranks, or the one that there is."""
    if len(given) == 1:
        return [kernel.execute(given[0])]
    groups = {name: value for name, value in given[0].items() if isinstance(value, list)}
    own = {f"{name}@{n}": v for n, each in enumerate(given) for name, v in each.items() if name not in groups}
    return run_in_process(kernel, len(given), {**groups, **own}).ranks


def memory_of(ranks: Sequence[dict[str, Any]], types: Sequence[Attribute]) -> list[bytes]:
    """The buffers of all ranks."""
    found = buffers(ranks[0], types)
    own = [type for type in types if not isinstance(type, GroupType)]
    for each in ranks[1:]:
        values = zip(each.items(), types, strict=True)
        found += buffers(dict(item for item, type in values if not isinstance(type, GroupType)), own)
    return found


def places_of(types: Sequence[Attribute], ranks: int) -> Iterator[list[int]]:
    """The positions in `memory_of` of the buffers of each rank's arguments."""
    sizes = [type.size if isinstance(type, GroupType) else _buffers_of(type) for type in types]
    first = list(range(sum(sizes)))
    yield first
    following = count(len(first))
    for _ in range(ranks - 1):
        left = iter(first)
        found: list[int] = []
        for size, type in zip(sizes, types, strict=True):
            of_first = [next(left) for _ in range(size)]
            found += of_first if isinstance(type, GroupType) else [next(following) for _ in range(size)]
        yield found


def _buffers_of(type: Attribute) -> int:
    return int(isinstance(type, TileType | PtrType | ViewType))
