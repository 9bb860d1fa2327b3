"""Release and acquire actions of synchronisation operations.

A release publishes what was given to pipes so far under a key; an acquire continues after what was published
under the key. Flags, barriers, tokens and events order the pipes of one core: `verify`, `insert-sync`, `run`
and `profile` take these actions from `sync_action`. Channels, counters, signals and barriers of all cores
order actors: `actor_keys` has the kinds of their keys, and the machine, which knows the slots, counts and
addresses, makes the keys (`ptoas.machine`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Effects
from ptoas.dialects.pto.channel import AllocSlotOp, FreeOp, PopOp, PushOp
from ptoas.dialects.pto.core_sync import AwaitsCounter, SetsCounter, SyncAllOp
from ptoas.dialects.pto.enums import Event, EventAttr, Pipe
from ptoas.dialects.pto.remote import CommTNotifyOp, LookOp
from ptoas.dialects.pto.sync import (
    AcquiresToken,
    BufferTokenOp,
    DrainOp,
    EventClauseOp,
    FlagOp,
    RecordOp,
    SetsFlag,
    TSyncOp,
)

Numbers: TypeAlias = Callable[[SSAValue], "int | None"]
"""Value of an integer operand, or None if it is unknown."""

EffectsOf: TypeAlias = Callable[[Operation], Effects]
"""Effects of an operation on the pipes of a target."""


class FlagKey(NamedTuple):
    """A flag between two pipes; equal to the tuple `(source, sink, event)`."""

    source: Pipe
    sink: Pipe
    event: Event

    def __str__(self) -> str:
        return f"{_arrow(self.source, self.sink)} {self.event.value}"


class UnknownFlag(NamedTuple):
    """A flag with a dynamic event id."""

    source: Pipe
    sink: Pipe

    def __str__(self) -> str:
        return f"{_arrow(self.source, self.sink)} unknown event"


def _arrow(source: Pipe, sink: Pipe) -> str:
    return "->".join(pipe.value.removeprefix("PIPE_") for pipe in (source, sink))


class TokenKey(NamedTuple):
    """A buffer token, by its number or by the value that holds an unknown number."""

    token: int | SSAValue

    def __str__(self) -> str:
        return f"token {self.token if isinstance(self.token, int) else '?'}"


class EventKey(NamedTuple):
    """An event that one instruction records and another waits for."""

    event: SSAValue

    def __str__(self) -> str:
        return f"event %{self.event.name_hint}" if self.event.name_hint else "event"


SyncKey: TypeAlias = FlagKey | UnknownFlag | TokenKey | EventKey


@dataclass(frozen=True, slots=True)
class Release:
    """Publish the work issued to `pipe` so far under `key`."""

    pipe: Pipe
    key: SyncKey


@dataclass(frozen=True, slots=True)
class Acquire:
    """Make `pipe` continue after the work published under `key`."""

    pipe: Pipe
    key: SyncKey


@dataclass(frozen=True, slots=True)
class Barrier:
    """Finish the work issued to `pipe` so far; PIPE_ALL: every pipe waits for every other."""

    pipe: Pipe


Action: TypeAlias = Release | Acquire | Barrier


@cache
def is_sync_op(kind: type[Operation]) -> bool:
    """Return True if operations of a class have a sync action."""
    return issubclass(kind, FlagOp | DrainOp | BufferTokenOp | EventClauseOp | CallOp)


def sync_action(op: Operation, number: Numbers, effects: EffectsOf) -> Action | None:
    """Return the sync action of an operation, None if it only has the effects of an instruction."""
    match op:
        case FlagOp():
            source, sink, _ = op.flag
            event = event_of(op, number)
            key = UnknownFlag(source, sink) if event is None else FlagKey(source, sink, event)
            return Release(source, key) if isinstance(op, SetsFlag) else Acquire(sink, key)
        case BufferTokenOp():
            key = TokenKey(_token_of(op, number))
            return Acquire(op.pipe, key) if isinstance(op, AcquiresToken) else Release(op.pipe, key)
        case RecordOp():
            pipe = event_pipe(op, effects)
            return None if pipe is None else Release(pipe, EventKey(op.token))
        case TSyncOp():
            pipe = event_pipe(op, effects)
            return None if pipe is None else Acquire(pipe, EventKey(op.token))
        case DrainOp():
            return Barrier(op.drained)
        case CallOp():
            # A callee starts and ends with all pipes idle; it is checked on its own.
            return Barrier(Pipe.PIPE_ALL)
        case _:
            return None


def event_pipe(op: EventClauseOp, effects: EffectsOf) -> Pipe | None:
    """Return the pipe that records an event, or waits for it; None if its instruction runs on no pipe."""
    if op.instruction is None:
        return None
    found = effects(op.instruction)
    return found.recording_pipe if isinstance(op, RecordOp) else found.waiting_pipe


def event_pipes(record: RecordOp, effects: EffectsOf) -> tuple[Pipe, Pipe] | None:
    """Return the pipes that record an event and wait for it; None if there are not two ends."""
    wait = record.wait
    source, sink = event_pipe(record, effects), event_pipe(wait, effects) if wait is not None else None
    return None if source is None or sink is None else (source, sink)


def event_of(op: FlagOp, number: Numbers) -> Event | None:
    """Return the event id of a flag, None if it is unknown."""
    event = op.flag[2]
    if isinstance(event, EventAttr):
        return event.data
    known = number(event)
    return tuple(Event)[known] if known is not None and 0 <= known < len(Event) else None


def _token_of(op: BufferTokenOp, number: Numbers) -> int | SSAValue:
    token = op.token
    if isinstance(token, IntegerAttr):
        return token.value.data
    known = number(token)
    return token if known is None else known


# --- between actors ---


@dataclass(frozen=True, slots=True)
class SlotKey:
    """A slot of a channel as a core left it: filled for its consumers, or free for its producers."""

    ring: Hashable
    filled: bool
    slot: int
    core: int


@dataclass(frozen=True, slots=True)
class CounterKey:
    """A counter between cores, set for this time by one of them."""

    counter: Hashable
    number: int
    sender: int


@dataclass(frozen=True, slots=True)
class SignalKey:
    """A word of global memory."""

    memory: int
    slot: int


@dataclass(frozen=True, slots=True)
class SyncAllKey:
    """A barrier of all cores, reached for this time."""

    barrier: Hashable
    number: int


ActorKey: TypeAlias = SlotKey | CounterKey | SignalKey | SyncAllKey


class ActorKeys(NamedTuple):
    """The kinds of keys that an operation releases to other actors, and acquires from them."""

    releases: type[ActorKey] | None = None
    acquires: type[ActorKey] | None = None


_ACTOR_KEYS: dict[type[Operation], ActorKeys] = {
    # A push without a slot of its own waits for a free one; a pop that copies frees its slot at once.
    AllocSlotOp: ActorKeys(None, SlotKey),
    PushOp: ActorKeys(SlotKey, SlotKey),
    PopOp: ActorKeys(SlotKey, SlotKey),
    FreeOp: ActorKeys(SlotKey, None),
    SetsCounter: ActorKeys(CounterKey, None),
    AwaitsCounter: ActorKeys(None, CounterKey),
    CommTNotifyOp: ActorKeys(SignalKey, None),
    LookOp: ActorKeys(None, SignalKey),
    SyncAllOp: ActorKeys(SyncAllKey, SyncAllKey),
}


@cache
def actor_keys(kind: type[Operation]) -> ActorKeys:
    """Return the kinds of keys with which operations of a class order actors."""
    return next((keys for base, keys in _ACTOR_KEYS.items() if issubclass(kind, base)), ActorKeys())
