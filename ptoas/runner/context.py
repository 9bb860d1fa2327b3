"""The table that says where the windows of all ranks are, as kernels read it.

| word | what it holds |
|---|---|
| 0, 1 | address and size of a workspace: none |
| 2 | this rank in the low 32 bits, how many there are in the high ones |
| 3 | bytes of a window |
| 4 + r | address of rank r's window |

Addresses are the same in every process and mean nothing to the host: `machine/memory.py` knows what is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptoas.machine.arrays import Array, np

RANK, WINDOW_BYTES, WINDOWS = 2, 3, 4
"""Words of the table."""

LEAST_WINDOWS = 64
"""Places for windows that a table has at least."""

ALIGNMENT = 512
"""Alignment of an argument in its window in bytes; as many are left free after it."""

_DISTANCE = 1 << 40
"""Bytes from one rank's window to the next."""


def window_of(rank: int) -> int:
    """The address of a rank's window."""
    return (rank + 1) * _DISTANCE


def places_in_window(sizes: Sequence[int]) -> tuple[list[int], int]:
    """The positions of arguments of these sizes in a window, and its size."""
    places: list[int] = []
    end = 0
    for size in sizes:
        places.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT + ALIGNMENT
    return places, end


@dataclass(frozen=True)
class RankPlace:
    """A rank among others; a program that runs alone is the first of one."""

    rank: int = 0
    ranks: int = 1
    window_bytes: int = 0

    def table(self) -> Array:
        """The table of windows for this rank."""
        words = np.zeros(WINDOWS + max(LEAST_WINDOWS, self.ranks), np.int64)
        words[RANK] = self.ranks << 32 | self.rank
        words[WINDOW_BYTES] = self.window_bytes
        words[WINDOWS : WINDOWS + self.ranks] = [window_of(each) for each in range(self.ranks)]
        return words


ALONE = RankPlace()
