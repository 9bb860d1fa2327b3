"""Happens-before between the pipes of a core, by the programmer's flags and the instructions' own handshakes.

The state keeps every access that some pipe may still be busy with, and for each the pipes that certainly come
after it. Raising a flag takes along what its pipe was given; awaiting it hands that on. A pipe may begin with
an instruction before the one before it is done (D26): only a barrier, or a flag that comes back, settles an
access for its own pipe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import lcm, prod

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.clocks import PIPES
from ptoas.analysis.counts import trip_count
from ptoas.analysis.effects import Effects, Flag, Pair
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.order import PipeModel, StaticAccess, in_program_order
from ptoas.analysis.pending import Pending
from ptoas.analysis.pipe_walk import PipeWalk
from ptoas.analysis.storage import Storage, underlying_tile
from ptoas.analysis.structure import enclosing_loops, of_kinds
from ptoas.analysis.sync_actions import Acquire, Action, FlagKey, Release, SyncKey, UnknownFlag, event_of
from ptoas.analysis.turns import AtTurn, Periods, periods_of
from ptoas.dialects.pto.enums import EventAttr, Pipe
from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.sync import FlagOp

_BIT = {pipe: 1 << at for at, pipe in enumerate(PIPES)}
_SETTLED = 1 << len(PIPES)
_FLAG_SHIFT = len(PIPES) + 1

DOWN, UP = 1, 2

MOST_TURNS = 64
"""Iterations of nested loops that are told apart; past that, the events of the inner loops are unknown."""


@dataclass(frozen=True)
class Hazard:
    """Two conflicting accesses without an order."""

    first: StaticAccess
    second: StaticAccess
    pair: Pair
    """The flag that would order them; of one pipe twice, a barrier would."""


@dataclass(frozen=True)
class FlagMisuse:
    """Wrong use of a flag: set and wait do not alternate."""

    kind: str  # "unset", "maybe unset", "set twice", "left up", "reserved"
    op: Operation
    flag: Flag
    other: Operation | None = None


@dataclass
class _State:
    pending: Pending = field(default_factory=Pending)
    """Each access in flight: a bit for each pipe ordered after it, one if its own pipe is, then bits for
    the flags that carry it.
    """
    flags: dict[Flag, int] = field(default_factory=dict[Flag, int])
    """The possible states of each flag: clear, set, or both."""
    set_at: dict[Flag, Operation] = field(default_factory=dict[Flag, Operation])
    """The operations that may have set each flag."""

    def copy(self) -> _State:
        return _State(self.pending.copy(), dict(self.flags), dict(self.set_at))

    def join(self, other: _State) -> _State:
        either = {**self.flags, **other.flags}
        flags = {flag: self.flags.get(flag, DOWN) | other.flags.get(flag, DOWN) for flag in either}
        return _State(self.pending.joined(other.pending), flags, other.set_at | self.set_at)

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> _State:
        return _State(self.pending.renamed(names), self.flags, self.set_at)


class SyncFlow(PipeWalk[_State]):
    """Collects hazards and misused flags of one function on one target."""

    def __init__(self, facts: FunctionFacts, target: PipeModel, unsure: bool = False):
        super().__init__(facts, target, unsure)
        self.hazards: dict[tuple[Operation, Operation, SSAValue], Hazard] = {}
        self.misuses: dict[tuple[str, Operation, Flag], FlagMisuse] = {}
        self._assumed: dict[Operation, None] = {}
        self._periods: dict[Operation, int] = {}
        """Loops whose events are chosen by the number of the iteration: iterations until they repeat."""
        self._turns: dict[scf.ForOp, int] = {}
        """The iterations of such loops that are walked now."""
        self._numbers: dict[frozenset[tuple[scf.ForOp, int]], AtTurn] = {}
        self._copies: dict[tuple[Operation, frozenset[tuple[scf.ForOp, int]]], list[StaticAccess]] = {}
        self._repeats: dict[SSAValue, Periods] = {}
        self._chosen = self._unknown_events()
        """Pipes between which the running program chooses an event that is not known in each iteration."""
        self._done = sum(_BIT[pipe] for pipe in self.accesses.pipes) | _SETTLED
        """The state of an access that needs no further wait."""
        self._carriers: dict[SyncKey, int] = {}

    def run(self) -> None:
        state = self.region(self.facts.func.body, _State())
        for flag, status in state.flags.items():
            if status & UP and flag in state.set_at:
                self._misuse("left up", state.set_at[flag], flag)

    @property
    def assumed(self) -> list[Operation]:
        """Waits for unknown events, which are assumed to order everything that they could."""
        return list(self._assumed)

    @property
    def undecided(self) -> list[Operation]:
        """Operations that may be part of a race which the analysis cannot see.

        They wait for an unknown event, or access an unknown part of memory.
        """
        unknown = (op for op, found in self.accesses.of.items() if any(map(self.accesses.is_unknown, found)))
        return [*self._assumed, *unknown]

    # --- iterations that choose events ---

    def _dynamic_events(self) -> Iterator[tuple[Pair, Periods]]:
        """The pipes of each flag with a dynamic event, and when that repeats; empty: unknown."""
        for op in of_kinds(self.facts.ops, FlagOp):
            source, sink, event = op.flag
            if not isinstance(event, EventAttr) and event_of(op, self.facts.knowledge.constant) is None:
                yield (source, sink), periods_of(event, self.facts.knowledge) or {}

    def _unknown_events(self) -> set[Pair]:
        """Find the loops whose iterations are told apart; return pipes with other dynamic events."""
        events = list(self._dynamic_events())
        for _, periods in events:
            for loop, period in periods.items():
                self._periods[loop] = lcm(period, self._periods.get(loop, 1))
        nested = {
            loop: prod(self._periods.get(around, 1) for around in (loop, *enclosing_loops(loop)))
            for loop in self._periods
        }
        for loop, iterations in nested.items():
            if iterations > MOST_TURNS:
                del self._periods[loop]
        return {pair for pair, periods in events if not periods or not periods.keys() <= self._periods.keys()}

    def number(self, value: SSAValue) -> int | None:
        """The integer that a value is now."""
        constant = self.facts.knowledge.constant(value)
        if constant is not None or not self._turns:
            return constant
        if value not in self._repeats:
            self._repeats[value] = periods_of(value, self.facts.knowledge) or {}
        periods = self._repeats[value]
        if not periods or any(
            loop not in self._turns or self._periods[loop] % period for loop, period in periods.items()
        ):
            return None
        now = self.context()
        if now not in self._numbers:
            self._numbers[now] = AtTurn(dict(self._turns))
        return self._numbers[now].constant(value)

    def context(self) -> frozenset[tuple[scf.ForOp, int]]:
        return frozenset(self._turns.items())

    def taken(self, branch: scf.IfOp, /) -> bool | None:
        number = self.number(branch.cond) if self._turns else None
        return None if number is None else bool(number)

    def turn(self, loop: Operation, state: _State) -> tuple[_State, _State]:
        """Walk the body once for each iteration until its events repeat; the loop may end after each."""
        if not isinstance(loop, scf.ForOp) or loop not in self._periods:
            return super().turn(loop, state)
        period, count = self._periods[loop], trip_count(loop, self.facts.knowledge)
        ends: list[_State] = []
        for at in range(period):
            self._turns[loop] = at
            if at:
                state = self.repeat(loop, state)
            left, state = super().turn(loop, state)
            if not count or (count - 1) % period == at:
                ends.append(self.copy(left))
        del self._turns[loop]
        return reduce(self.join, ends), state

    def _now(self, op: Operation) -> list[StaticAccess]:
        """The accesses of an operation in the iterations that are walked now."""
        key = op, self.context()
        if key not in self._copies:
            self._copies[key] = [
                self.accesses.copy(touch) for touch in self.accesses.of[op] if self._is_chosen(touch)
            ]
        return self._copies[key]

    def _is_chosen(self, touch: StaticAccess) -> bool:
        """Return False for a tile that another iteration chooses."""
        place = touch.place
        match underlying_tile(touch.value)[0].owner:
            case MultiTileGetOp(source=tiles, slot=slot):
                number = self.number(slot)
            case arith.SelectOp(cond=condition, lhs=first, rhs=second):
                tiles, number = (second, first), self.number(condition)
            case _:
                return True
        if number is None or not 0 <= number < len(tiles) or not isinstance(place, Storage):
            return True
        chosen = underlying_tile(tiles[number])[0]
        return place.root is chosen or all(underlying_tile(tile)[0] is not place.root for tile in tiles)

    # --- accesses ---

    def access(self, op: Operation, touches: Sequence[StaticAccess], effects: Effects, state: _State) -> None:
        for flag in effects.reserved_events if self.reporting else ():
            if state.flags.get(flag, DOWN) & UP:
                self._misuse("reserved", op, flag, state.set_at.get(flag))
        if self._turns:
            touches = self._now(op)
        for touch in touches:
            self._check(touch, state, effects)
        for touch in touches:
            self._begin(touch, state.pending)

    def _begin(self, touch: StaticAccess, pending: Pending) -> None:
        """Add an access to those in flight, in place of earlier ones that it subsumes."""
        bit = _BIT[touch.pipe]
        here = pending.by_place.get(touch.at, {})
        for other, group in list(here.items()):
            if group.mask & bit and self.accesses.subsumes(touch, other):
                del here[other]
        pending.put(touch, bit if self.accesses.overlaps(touch.pipe) else bit | _SETTLED)

    def _check(self, second: StaticAccess, state: _State, effects: Effects) -> None:
        # Within a pipe the latest access subsumes earlier ones.
        latest: dict[Pipe, tuple[StaticAccess, int]] = {}
        for first, group in self.accesses.conflicting(second, state.pending.by_place):
            mask = group.mask
            if mask & _after(first.pipe, second.pipe) or in_program_order(self.target, first, second):
                continue
            if first.pipe not in latest or latest[first.pipe][0].number < first.number:
                latest[first.pipe] = (first, mask)
        if not latest:
            return
        self._assume_flags([first for first, _ in latest.values()], second.pipe, state)
        if not self.reporting:
            return
        for first, mask in latest.values():
            # A flag from a pipe that already comes after this access would order it too.
            later = (_BIT[pipe] for pipe, (other, _) in latest.items() if other.number > first.number)
            if any(mask & after for after in later):
                continue
            key = (first.op, second.op, second.value)
            self.hazards.setdefault(key, Hazard(first, second, (first.pipe, effects.flag_pipe(second.pipe))))

    def _assume_flags(self, latest: Sequence[StaticAccess], pipe: Pipe, state: _State) -> None:
        """Take the missing flags as added after the first accesses, so that one mistake is one report."""
        for last in latest:
            end, has = self.accesses.of[last.op][-1].number, _BIT[last.pipe]
            for touch, mask in state.pending.items():
                if touch.number <= end and mask & has:
                    state.pending.put(touch, mask | _after(touch.pipe, pipe))

    # --- order ---

    def action(self, op: Operation) -> Action | None:
        """The action of an operation; an event that the running program may choose is not known elsewhere."""
        action = super().action(op)
        match action:
            case Acquire(pipe, FlagKey(source, sink)) if (source, sink) in self._chosen:
                return Acquire(pipe, UnknownFlag(source, sink))
            case Release(pipe, FlagKey(source, sink)) if (source, sink) in self._chosen:
                return Release(pipe, UnknownFlag(source, sink))
            case _:
                return action

    def handshake(self, pair: Pair, state: _State) -> None:
        source, sink = pair
        if source is Pipe.PIPE_ALL:
            state.pending.clear()
            return
        has = _BIT.get(source, 0)
        state.pending.change(lambda pipe, mask: mask | _after(pipe, sink) if mask & has else mask, self._done)

    def _carrier(self, key: SyncKey) -> int:
        at = self._carriers.setdefault(key, len(self._carriers))
        return 1 << (_FLAG_SHIFT + at)

    def release(self, op: Operation, action: Release, state: _State) -> None:
        """Attach the work that a pipe has issued or waited for to a flag or a token."""
        if isinstance(action.key, UnknownFlag):
            return
        if isinstance(action.key, FlagKey):
            self._set(op, action.key, state)
        has, carrier = _BIT.get(action.pipe, 0), self._carrier(action.key)
        state.pending.change(lambda _, mask: mask | carrier if mask & has else mask & ~carrier, self._done)

    def acquire(self, op: Operation, action: Acquire, state: _State) -> None:
        if isinstance(action.key, UnknownFlag):
            # The event id is dynamic: accesses that may be ordered count as ordered.
            self._assumed[op] = None
            self.handshake((action.key.source, action.key.sink), state)
            return
        if isinstance(action.key, FlagKey):
            self._wait(op, action.key, state)
        carrier = self._carrier(action.key)

        def after(own: Pipe, mask: int) -> int:
            return (mask | _after(own, action.pipe)) & ~carrier if mask & carrier else mask

        state.pending.change(after, self._done)

    def _set(self, op: Operation, flag: FlagKey, state: _State) -> None:
        if self.reporting and state.flags.get(flag, DOWN) & UP:
            self._misuse("set twice", op, flag, state.set_at.get(flag, op))
        state.flags[flag] = UP
        state.set_at[flag] = op

    def _wait(self, op: Operation, flag: FlagKey, state: _State) -> None:
        status = state.flags.get(flag, DOWN)
        if self.reporting and status & DOWN:
            kind = "unset" if not status & UP else "maybe unset"
            self._misuse(kind, op, flag, state.set_at.get(flag))
        state.flags[flag] = DOWN
        state.set_at.pop(flag, None)

    def _misuse(self, kind: str, op: Operation, flag: Flag, other: Operation | None = None) -> None:
        self.misuses.setdefault((kind, op, flag), FlagMisuse(kind, op, flag, other))


def _after(own: Pipe, pipe: Pipe) -> int:
    """Return the bit of a pipe ordered after an access of `own`."""
    return _SETTLED if own is pipe else _BIT.get(pipe, 0)
