"""Accesses of a function, and which of them must not happen in another order than written.

This is what the check of flags by hand and the insertion of flags have in common: both walk a function, keep
the accesses that some pipe may still be busy with, and ask which of them a new one must come after.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Protocol, TypeVar

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.effects import Effects, OperandAccess, touched
from ptoas.analysis.phases import Phase, Phases
from ptoas.analysis.storage import Place, Storage, underlying_tile
from ptoas.analysis.sweeps import Sweep
from ptoas.analysis.windows import Window
from ptoas.dialects.pto.channel import FreeOp, PopOp
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.types import TileType

K = TypeVar("K")


class Access(Protocol):
    """An access in the order of a pipe, static or executed."""

    @property
    def op(self) -> Operation: ...

    @property
    def pipe(self) -> Pipe: ...

    @property
    def write(self) -> bool: ...

    @property
    def value(self) -> SSAValue: ...

    @property
    def spot(self) -> Hashable:
        """Equal where two tiles are the same bytes."""
        ...

    @property
    def is_global(self) -> bool:
        """True for an access to global memory."""
        ...

    @property
    def is_whole(self) -> bool:
        """True if the value is a tile as allocated, neither a window nor another form of it."""
        ...

    @property
    def beside(self) -> Sequence[Access]:
        """All accesses of the operation."""
        ...


@dataclass(frozen=True, eq=False)
class ExecutedAccess:
    """One access of an instruction on given operands."""

    op: Operation
    effect: OperandAccess
    spot: Hashable
    beside: Sequence[ExecutedAccess]

    @property
    def pipe(self) -> Pipe:
        return self.effect.pipe

    @property
    def write(self) -> bool:
        return self.effect.write

    @property
    def value(self) -> SSAValue:
        return touched(self.op, self.effect.operand)

    @property
    def is_global(self) -> bool:
        return not isinstance(self.value.type, TileType)

    @property
    def is_whole(self) -> bool:
        return underlying_tile(self.value)[0].type == self.value.type


def executed_accesses(
    op: Operation, effects: Effects, spot: Callable[[int], Hashable]
) -> list[ExecutedAccess]:
    """The accesses of an instruction in their order; `spot` gives the bytes of an operand."""
    found: list[ExecutedAccess] = []
    found += [ExecutedAccess(op, each, spot(each.operand), found) for each in effects.accesses]
    return found


@dataclass(eq=False, slots=True)
class StaticAccess:
    """One access of one operation: who, where, with which pipe. It is never changed; a program has so many
    that a frozen one would take noticeable time to make."""

    number: int
    op: Operation
    pipe: Pipe
    value: SSAValue
    write: bool
    place: Place
    at: int
    """The number of the place."""
    operand: int
    """The operand number; numbers past the operands are implicit accesses."""
    beside: Sequence[StaticAccess]
    """All accesses of the operation."""
    lane: int
    """The number of the pipe."""
    phase: Phase | Sweep | None = None
    """The iterations in which it touches the place, or its way through it; None: unknown."""
    age: int = 0
    """Iterations since, if it has a phase."""
    ages: Sequence[StaticAccess] = ()
    """The same access of this iteration, of the one before, and so on; the last is that of an earlier run of
    the loop, and has no phase."""

    @property
    def kind(self) -> Hashable:
        """Key of accesses to one place that have the same order: same instruction class and operands."""
        like = (self.op.__class__, *[operand.type for operand in self.op.operands])
        return self.at, self.pipe, self.operand, self.write, self.phase, self.age, like

    @property
    def spot(self) -> Hashable:
        return self.place.identity

    @property
    def is_global(self) -> bool:
        return isinstance(self.place, Window)

    @property
    def is_whole(self) -> bool:
        return self.value.type == self.place.root.type


class PipeModel(Protocol):
    """The interface of a target for this analysis."""

    @property
    def name(self) -> str: ...

    @property
    def overlapping_pipes(self) -> frozenset[Pipe]:
        """Pipes that begin an instruction before the one before it is done."""
        ...

    def effects(self, op: Operation) -> Effects:
        """Return the effects of an operation on the pipes."""
        ...

    def uses_simt(self, op: Operation) -> bool: ...

    def keeps_order(self, first: Access, second: Access, /) -> bool:
        """Return True if an overlapping pipe executes two accesses in program order nevertheless."""
        ...


class Accesses:
    """Every access of a function, in the order of its operations.

    `unsure` says whether two places count as overlapping where that is not known: what inserts flags must
    assume it, what reports missing ones must not.
    """

    def __init__(
        self,
        ops: Iterable[Operation],
        machine: PipeModel,
        effects: Callable[[Operation], Effects],
        places: Callable[[SSAValue], Iterable[Place]],
        phases: Phases,
        unsure: bool,
    ):
        self.machine = machine
        self._overlapping_pipes = machine.overlapping_pipes
        self.of: dict[Operation, list[StaticAccess]] = {}
        self.does: dict[Operation, Effects] = {}
        """Effects of each of these operations on the pipes."""
        self.pipes: set[Pipe] = set()
        """The pipes that access anything."""
        self._numbers: dict[object, int] = {}
        self.phased: dict[Operation, list[StaticAccess]] = {}
        """The accesses with a phase, by their loop."""
        self._places: list[Place] = []
        """Places by number; tiles of one size at one address are one place."""
        count = 0
        for op in ops:
            does = effects(op)
            if not does.accesses and not does.implicit:
                continue
            found: list[StaticAccess] = []
            self.of[op], self.does[op] = found, does
            named = [
                (each.pipe, touched(op, each.operand), each.write, each.operand) for each in does.accesses
            ]
            more = len(op.operands)
            for pipe, value, write, n in (*named, *[(*each, more) for each in does.implicit]):
                self.pipes.add(pipe)
                lane = NUMBER[pipe]
                for place in places(value):
                    at = self._number(place)
                    access = StaticAccess(count, op, pipe, value, write, place, at, n, found, lane)
                    phase = phases.of(op, value, place.root)
                    if phase is not None:
                        access.phase, access.ages = phase, _aged(access, phase)
                        self.phased.setdefault(phase.loop, []).append(access)
                    found.append(access)
                    count += 1
        self._overlapping = self._relate(unsure)

    def conflicting(
        self, touch: StaticAccess, pending: Mapping[int, Mapping[StaticAccess, K]]
    ) -> list[tuple[StaticAccess, K]]:
        """Conflicting accesses in flight, by place, with their states.

        This access must come after them unless their pipe keeps the order.
        """
        found: list[tuple[StaticAccess, K]] = []
        for place in self._overlapping[touch.at]:
            here = pending.get(place)
            if here:
                found += here.items() if touch.write else [each for each in here.items() if each[0].write]
        if touch.phase is None:
            return found
        return [each for each in found if _may_meet(each[0], touch)]

    def copy(self, access: StaticAccess) -> StaticAccess:
        """The same access at another time, so that different facts may hold for the two."""
        other = replace(access, ages=())
        if access.phase is not None:
            other.ages = _aged(other, access.phase)
            self.phased[access.phase.loop].append(other)
        return other

    def next_iteration(self, loop: Operation) -> dict[StaticAccess, StaticAccess]:
        """The names that accesses in flight have in the next iteration of a loop."""
        names: dict[StaticAccess, StaticAccess] = {}
        for access in self.phased.get(loop, ()):
            *aged, _ = access.ages
            names.update(zip(aged, (*aged[1:], aged[-1]), strict=True))
        return names

    def next_run(self, loop: Operation) -> dict[StaticAccess, StaticAccess]:
        """The names that accesses in flight have when a loop starts again."""
        return {aged: access.ages[-1] for access in self.phased.get(loop, ()) for aged in access.ages}

    def is_unknown(self, access: StaticAccess) -> bool:
        """Return True if the place of an access is only known when the program runs."""
        return not self._overlapping[access.at] or _may_be_anywhere(access.place)

    def overlaps(self, pipe: Pipe) -> bool:
        """Return True if the pipe starts an instruction before the previous one is done."""
        return pipe in self._overlapping_pipes

    @staticmethod
    def subsumes(touch: StaticAccess, other: StaticAccess) -> bool:
        """Return True if an access subsumes an earlier one of the same place that it comes after.

        Whatever must wait for the earlier one must wait for it too. A read subsumes reads only, an access in
        some iterations only those of the same.
        """
        if touch.phase is not None and not touch.phase.subsumes(other.phase, other.age):
            return False
        return touch.write or not other.write

    def _number(self, place: Place) -> int:
        at = self._numbers.setdefault(place.identity, len(self._numbers))
        if at == len(self._places):
            self._places.append(place)
        return at

    def _relate(self, unsure: bool) -> list[list[int]]:
        """The overlapping places of each place, itself included if its position is known."""
        by_root: dict[SSAValue, list[Place]] = {}
        for place in self._places:
            by_root.setdefault(place.root, []).append(place)
        overlapping = [[n] if place.overlaps(place, unsure) else [] for n, place in enumerate(self._places)]
        alone = ((group, group) for group in by_root.values())
        for group, others in chain(alone, _neighbours(list(by_root.values()), unsure)):
            for place in group:
                for other in others:
                    if place is not other and place.overlaps(other, unsure):
                        overlapping[self._number(place)].append(self._number(other))
        return overlapping


def _aged(access: StaticAccess, phase: Phase | Sweep) -> list[StaticAccess]:
    ages: list[StaticAccess] = [access]
    ages += [replace(access, phase=phase, age=age, ages=ages) for age in range(1, phase.period + 1)]
    ages.append(replace(access))
    return ages


def _may_meet(other: StaticAccess, touch: StaticAccess) -> bool:
    """Return False if the iterations of two accesses show that they are not on the same tile."""
    return other.phase is None or touch.phase is None or other.phase.may_meet(other.age, touch.phase)


def in_program_order(machine: PipeModel, first: Access, second: Access) -> bool:
    """Return True if one pipe executes both accesses, the second after the first (D26)."""
    if first.pipe is not second.pipe:
        return False
    # Waits for a channel, and releases of its tiles, are executed in order.
    if _waits_in_turn(first.op.__class__) or _frees(second.op.__class__):
        return True
    return first.pipe not in machine.overlapping_pipes or machine.keeps_order(first, second)


@cache
def _waits_in_turn(kind: type[Operation]) -> bool:
    return issubclass(kind, PopOp | FreeOp)


@cache
def _frees(kind: type[Operation]) -> bool:
    return issubclass(kind, FreeOp)


def _neighbours(groups: list[list[Place]], unsure: bool) -> Iterator[tuple[list[Place], list[Place]]]:
    """Groups of places, one for each root, that may overlap although the roots differ; in both orders."""
    placed = [(place, group) for group in groups if isinstance(place := group[0], Storage)]
    placed = sorted(
        (each for each in placed if each[0].start is not None),
        key=lambda each: (each[0].loc.value, each[0].start),
    )
    for n, (place, group) in enumerate(placed):
        for other, others in placed[n + 1 :]:
            if not place.is_placed_over(other):
                break
            yield group, others
            yield others, group
    if not unsure:
        return
    anywhere = [_may_be_anywhere(group[0]) for group in groups]
    for n, group in enumerate(groups):
        for m, others in enumerate(groups) if anywhere[n] else ():
            if m != n:
                yield group, others
            if not anywhere[m]:
                yield others, group


def _may_be_anywhere(place: Place) -> bool:
    return place.dynamic_address if isinstance(place, Storage) else not place.is_argument
