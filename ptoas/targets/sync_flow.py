"""Happens-before between the pipes of a core, by the programmer's flags and the instructions' own handshakes.

The state keeps every access that some pipe may still be busy with, and for each the pipes that certainly come
after it. Raising a flag takes along what its pipe comes after; awaiting it hands that on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.flow import Flow
from ptoas.analysis.windows import Window
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.function_facts import FunctionFacts, Storage, touched
from ptoas.targets.pipes import Flag, Pair
from ptoas.targets.target import Target

_PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.PIPE_ALL)
_BIT = {pipe: 1 << at for at, pipe in enumerate(_PIPES)}
_FLAG_SHIFT = len(_PIPES)

DOWN, UP = 1, 2

_ORDERING = frozenset({SetFlagOp, WaitFlagOp, BarrierOp, CallOp})


@dataclass(frozen=True)
class Touch:
    """One access of one operation: who, where, with which pipe."""

    op: Operation
    pipe: Pipe
    value: SSAValue
    write: bool
    place: Storage | Window


@dataclass(frozen=True)
class Hazard:
    """Two accesses of one place that nothing orders."""

    first: Touch
    second: Touch
    pair: Pair
    """The flag that would order them."""


@dataclass(frozen=True)
class FlagMisuse:
    """A flag that is not raised and taken down in turn."""

    kind: str  # "unset", "maybe unset", "set twice", "left up", "reserved"
    op: Operation
    flag: Flag
    other: Operation | None = None


@dataclass
class _State:
    pending: dict[int, int] = field(default_factory=dict[int, int])
    """For an access: the pipes that come after it, and above them the flags that carry it."""
    flags: dict[Flag, int] = field(default_factory=dict[Flag, int])
    """For a flag: whether it may be down, may be up, or both."""


class SyncFlow(Flow[_State]):
    """Collects hazards and misused flags of one function on one target."""

    def __init__(self, facts: FunctionFacts, target: Target):
        super().__init__(facts.knowledge)
        self.facts = facts
        self.target = target
        self.touches: list[Touch] = []
        self.hazards: dict[tuple[Operation, Operation, SSAValue], Hazard] = {}
        self.misuses: dict[tuple[str, Operation, Flag], FlagMisuse] = {}
        self._numbers: dict[Operation, list[int]] = {}
        self._conflicts: list[list[int]] = []
        """For each access, those on other pipes that it must not meet."""
        self._superseded: list[list[int]] = []
        """For each access, those that need no order of their own once it comes after them."""
        self._every_pipe = 0
        self._flag_bits: dict[Flag, int] = {}
        self._set_at: dict[Flag, Operation] = {}

    def run(self) -> None:
        self._number_touches()
        state = self.region(self.facts.func.body, _State())
        for flag, status in state.flags.items():
            if status & UP:
                self._misuse("left up", self._set_at[flag], flag)

    # --- states ----------------------------------------------------------------------------------

    def copy(self, state: _State) -> _State:
        return _State(dict(state.pending), dict(state.flags))

    def join(self, a: _State, b: _State) -> _State:
        pending = dict(a.pending)
        for number, mask in b.pending.items():
            pending[number] = pending[number] & mask if number in pending else mask
        flags = {flag: a.flags.get(flag, DOWN) | b.flags.get(flag, DOWN) for flag in {**a.flags, **b.flags}}
        return _State(pending, flags)

    # --- operations ------------------------------------------------------------------------------

    def visit(self, op: Operation, state: _State) -> None:
        # Operations that order nothing are the most; this is the quickest way past them.
        kind = op.__class__
        if kind not in _ORDERING:
            self._instruction(op, state)
            return
        match op:
            case SetFlagOp():
                self._set(op, _flag(op), state)
            case WaitFlagOp():
                self._wait(op, _flag(op), state)
            case BarrierOp() if op.pipe.data is not Pipe.PIPE_ALL:
                pass
            case _:
                # All is awaited. What a callee leaves behind is its own affair: it is checked by itself.
                state.pending.clear()

    def _instruction(self, op: Operation, state: _State) -> None:
        effects = self.facts.effects(op, self.target)
        if not effects.accesses:
            return
        if self.reporting:
            for flag in effects.reserved_events:
                if state.flags.get(flag, DOWN) & UP:
                    self._misuse("reserved", op, flag, self._set_at.get(flag))
        for pair in effects.before:
            self._handshake(pair, state)
        numbers = self._numbers[op]
        for number in numbers:
            if self._conflicts[number]:
                self._check(number, state, effects.before)
        for number in numbers:
            self._begin(number, state.pending)
        for pair in effects.after:
            self._handshake(pair, state)

    def _number_touches(self) -> None:
        """Give every access a number, and find out which ones can meet."""
        for op in self.facts.ops:
            numbers = self._numbers[op] = []
            for access in self.facts.effects(op, self.target).accesses:
                value = touched(op, access.operand)
                for place in self._places(value):
                    numbers.append(len(self.touches))
                    self.touches.append(Touch(op, access.pipe, value, access.write, place))
        for touch in self.touches:
            self._every_pipe |= _BIT[touch.pipe]
        self._conflicts = [[] for _ in self.touches]
        self._superseded = [[] for _ in self.touches]
        by_root: dict[SSAValue, list[int]] = {}
        for number, touch in enumerate(self.touches):
            by_root.setdefault(touch.place.root, []).append(number)
        for group in by_root.values():
            self._relate(group, group)
        for one, other in _overlapping_roots([self.touches[group[0]].place for group in by_root.values()]):
            self._relate(by_root[one], by_root[other])
            self._relate(by_root[other], by_root[one])

    def _relate(self, group: list[int], others: list[int]) -> None:
        for number in group:
            touch = self.touches[number]
            for other in others:
                first = self.touches[other]
                if touch.place == first.place and (touch.write or not first.write):
                    self._superseded[number].append(other)
                if touch.pipe is first.pipe or not (touch.write or first.write):
                    continue
                # Both are of one kind: they have one root, or are tiles.
                if touch.place.overlaps(first.place):  # pyright: ignore[reportArgumentType]
                    self._conflicts[number].append(other)

    def _places(self, value: SSAValue) -> Iterator[Storage | Window]:
        if isinstance(value.type, TileType):
            yield from self.facts.storages(value)
        else:
            yield self.facts.knowledge.window(value)

    def _begin(self, number: int, pending: dict[int, int]) -> None:
        """The access is under way; what comes before it anyway is not looked at any more."""
        bit = _BIT[self.touches[number].pipe]
        for other in self._superseded[number]:
            if pending.get(other, 0) & bit:
                del pending[other]
        pending[number] = bit

    def _check(self, number: int, state: _State, before: tuple[Pair, ...]) -> None:
        second = self.touches[number]
        bit = _BIT[second.pipe]
        # Within a pipe the latest access speaks for the earlier ones.
        latest: dict[Pipe, tuple[int, int]] = {}
        for other in self._conflicts[number]:
            mask = state.pending.get(other)
            if mask is None or mask & bit:
                continue
            first = self.touches[other]
            if first.pipe not in latest or latest[first.pipe][0] < other:
                latest[first.pipe] = (other, mask)
        if not latest:
            return
        self._assume_flags(latest, bit, state)
        if not self.reporting:
            return
        for other, mask in latest.values():
            # A flag from a pipe that already comes after this access would order it too.
            later = (_BIT[p] for p, (o, _) in latest.items() if o > other)
            if any(mask & after for after in later):
                continue
            first = self.touches[other]
            key = (first.op, second.op, second.value)
            self.hazards.setdefault(key, Hazard(first, second, _pair(first.pipe, second.pipe, before)))

    def _assume_flags(self, latest: dict[Pipe, tuple[int, int]], bit: int, state: _State) -> None:
        """Take the missing flags as added after the first accesses, so that one mistake is one report."""
        for pipe, (last, _) in latest.items():
            end = self._numbers[self.touches[last].op][-1]
            for number, mask in state.pending.items():
                if number <= end and mask & _BIT[pipe]:
                    state.pending[number] = mask | bit

    # --- order -----------------------------------------------------------------------------------

    def _handshake(self, pair: Pair, state: _State) -> None:
        source, sink = pair
        if source is Pipe.PIPE_ALL:
            state.pending.clear()
            return
        has, gives = _BIT[source], _BIT[sink]
        for number, mask in state.pending.items():
            if mask & has:
                state.pending[number] = mask | gives
        self._forget(state)

    def _flag_bit(self, flag: Flag) -> int:
        at = self._flag_bits.setdefault(flag, len(self._flag_bits))
        return 1 << (_FLAG_SHIFT + at)

    def _set(self, op: Operation, flag: Flag, state: _State) -> None:
        if self.reporting and state.flags.get(flag, DOWN) & UP:
            self._misuse("set twice", op, flag, self._set_at[flag])
        state.flags[flag] = UP
        self._set_at[flag] = op
        has, carrier = _BIT.get(flag[0], 0), self._flag_bit(flag)
        for number, mask in state.pending.items():
            state.pending[number] = mask | carrier if mask & has else mask & ~carrier

    def _wait(self, op: Operation, flag: Flag, state: _State) -> None:
        status = state.flags.get(flag, DOWN)
        if self.reporting and status & DOWN:
            kind = "unset" if not status & UP else "maybe unset"
            self._misuse(kind, op, flag, self._set_at.get(flag) if status & UP else None)
        state.flags[flag] = DOWN
        gives, carrier = _BIT.get(flag[1], 0), self._flag_bit(flag)
        for number, mask in state.pending.items():
            if mask & carrier:
                state.pending[number] = (mask | gives) & ~carrier
        self._forget(state)

    def _forget(self, state: _State) -> None:
        """Drop accesses that every pipe comes after, of those that access anything."""
        every = self._every_pipe
        done = [number for number, mask in state.pending.items() if mask & every == every]
        for number in done:
            del state.pending[number]

    def _misuse(self, kind: str, op: Operation, flag: Flag, other: Operation | None = None) -> None:
        self.misuses.setdefault((kind, op, flag), FlagMisuse(kind, op, flag, other))


def _flag(op: SetFlagOp | WaitFlagOp) -> Flag:
    return op.src_pipe.data, op.dst_pipe.data, op.event_id.data


def _overlapping_roots(places: Iterable[Storage | Window]) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Different tiles that share bytes because they are placed so."""
    placed = [place for place in places if isinstance(place, Storage) and place.start is not None]
    placed.sort(key=lambda place: (place.loc.value, place.start))
    for n, place in enumerate(placed):
        for other in placed[n + 1 :]:
            if place.root is not other.root and not place.is_placed_over(other):
                break
            yield place.root, other.root


def _pair(first: Pipe, second: Pipe, before: tuple[Pair, ...]) -> Pair:
    """The flag to add. Where the instruction itself hands on from V, a flag to V is the documented way."""
    return first, Pipe.PIPE_V if (Pipe.PIPE_V, second) in before else second


def free_event(facts: FunctionFacts, pair: Pair, target: Target) -> Event:
    """An event id that the function does not use for that pair yet."""
    used = {
        op.event_id.data
        for op in facts.ops
        if isinstance(op, SetFlagOp | WaitFlagOp) and (op.src_pipe.data, op.dst_pipe.data) == pair
    }
    return next((event for event in target.events if event not in used), target.events[0])
