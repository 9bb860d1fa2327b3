"""Actors of a program: a core of a block of a rank.

An actor works with a machine of its own, its memories and its pipes. It shares global memory with the other
cores and blocks of its rank, memory of a group with other ranks, channels and counters with the other cores
of its block. A block is one core, or, where a program needs both kinds, one cube core and two vector cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ptoas.analysis.clocks import Clocks, Ledger
from ptoas.dialects.pto.enums import KernelKind
from ptoas.machine.scheduler import Condition, Deadlock, Scheduler, What


@dataclass(frozen=True)
class Role:
    """Position of a core in its block."""

    kind: KernelKind | None = None
    """`None`: the only core, which does all there is to do."""
    lane: int = 0
    """Its number among those of its kind."""
    lanes: int = 1
    """Number of cores of its kind in a block."""

    @property
    def name(self) -> str:
        if self.kind is None:
            return "the core"
        return "cube" if self.kind is KernelKind.Cube else f"vector {self.lane}"


ALONE = Role()

CLUSTER = (Role(KernelKind.Cube), Role(KernelKind.Vector, 0, 2), Role(KernelKind.Vector, 1, 2))
"""The cores of a block of a kernel that needs both kinds."""


@dataclass
class Actor:
    """One core of one block of one rank, with its clocks."""

    rank: int = 0
    block: int = 0
    core: int = 0
    scheduler: Scheduler | None = None
    """`None`: this actor runs to its end before any other."""
    place: int = 0
    """The actor's number for the scheduler."""
    clocks: Clocks = field(default_factory=Clocks)

    def yield_(self) -> None:
        if self.scheduler is not None:
            self.scheduler.yield_(self.place)

    def point(self) -> None:
        """Note a point at which the order of the actors can matter."""
        if self.scheduler is not None:
            self.scheduler.point(self.place)

    def wait_until(self, condition: Condition, what: What, op: Operation, on: Sequence[int] = ()) -> None:
        """Go on when the condition holds; what the actor waits for, and which others, is in the report of a
        deadlock."""
        if self.scheduler is not None:
            self.scheduler.wait_until(self.place, condition, what, op, on)
        elif not condition():
            raise Deadlock(op, what, on)


@dataclass(frozen=True)
class Launch:
    """Number of actors of a program, and their names."""

    ranks: int | None = None
    """`None`: not as one rank of several; one core then plays the root of every collective."""
    blocks: int = 1
    cores: tuple[Role, ...] = (ALONE,)
    """The cores of each block."""

    @property
    def actors(self) -> int:
        return (self.ranks or 1) * self.blocks * len(self.cores)

    def number(self, rank: int, block: int, core: int = 0) -> int:
        return (rank * self.blocks + block) * len(self.cores) + core

    def place(self, number: int) -> tuple[int, int, int]:
        """Rank, block and core of an actor."""
        rest, core = divmod(number, len(self.cores))
        return *divmod(rest, self.blocks), core

    def rank(self, number: int) -> int:
        return self.place(number)[0]

    def names(self, numbers: Iterable[int]) -> str:
        """`rank 2`, `blocks 0, 1 and 3`, `rank 0 block 1 and rank 1 block 0`, `cube and vector 1`."""
        if len(self.cores) > 1:
            return _listed([self._core_name(number) for number in sorted(numbers)])
        places = [divmod(number, self.blocks) for number in sorted(numbers)]
        if self.ranks is not None and self.blocks > 1:
            return _listed([f"rank {rank} block {block}" for rank, block in places])
        word = "block" if self.blocks > 1 else "rank"
        texts = [str(block if self.blocks > 1 else rank) for rank, block in places]
        return f"{word}{'s' * (len(texts) > 1)} {_listed(texts)}"

    def _core_name(self, number: int) -> str:
        """`cube`, `block 2 vector 1`, `rank 0 block 1 cube`."""
        rank, block, core = self.place(number)
        parts = [f"rank {rank}"] if self.ranks is not None else []
        parts += [f"block {block}"] if self.blocks > 1 else []
        return " ".join([*parts, self.cores[core].name])


@dataclass
class ActorSlot:
    """Place of a core among others: its rank, and the objects shared with them."""

    rank: int = 0
    scheduler: Scheduler | None = None
    place: int = 0
    ledger: Ledger | None = None
    core: int = 0

    def actor(self, block: int, launch: Launch) -> Actor:
        clocks = Clocks(launch.number(self.rank, block, self.core), self.ledger)
        return Actor(self.rank, block, self.core, self.scheduler, self.place, clocks)


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
