"""Transfers that go on beside the program, between their start and the wait for them.

Until then both memories are the engine's: whoever writes one of them, or reads the destination, may come
before the transfer or after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation

from ptoas.machine.arrays import share_bytes
from ptoas.machine.touched import TouchedBytes


@dataclass(frozen=True, eq=False)
class InflightDma:
    """One transfer that was started and not waited for yet."""

    op: Operation
    reads: tuple[TouchedBytes, ...]
    writes: tuple[TouchedBytes, ...]
    """The written regions, the control words of its session included."""
    complete: Callable[[], None]
    """Move the data."""

    def meets(self, touched: TouchedBytes, write: bool) -> TouchedBytes | None:
        """The part of the transfer that an access conflicts with."""
        for mine in (*self.writes, *(self.reads if write else ())):
            apart = touched.high <= mine.low or mine.high <= touched.low
            if not apart and share_bytes(touched.array, mine.array):
                return mine
        return None
