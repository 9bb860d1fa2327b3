"""Races between the pipes of a core, and within a pipe.

Flags, barriers and the handshakes inside instructions (`target.effects`) carry what one pipe has seen to
another. Two accesses of different pipes to a common byte, one of them a write, must be ordered. So must two
of one pipe, where it begins an instruction before the one before it is done (D26): by a barrier of the pipe
or a flag that comes back, unless the target keeps these two in order itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.analysis.order import is_in_turn
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.location import span_of
from ptoas.machine.arrays import share_bytes
from ptoas.machine.bound import Bound, Record
from ptoas.machine.clocks import NUMBER, PIPES, Known
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import LocalMemory, View
from ptoas.machine.race_report import between_pipes, within_a_pipe
from ptoas.machine.touched import Touched, touched_by, view_touched

OTHERS = [[n for n in range(len(PIPES)) if n != pipe] for pipe in range(len(PIPES))]
"""The other pipes of each."""

MOST_RECORDS = 512
"""Past this many of one pipe, accesses that every pipe in use has seen are dropped, then the oldest."""


Records: TypeAlias = dict[tuple[object, ...], Record]

Entry: TypeAlias = tuple[tuple[object, ...], Record]
"""What tells an access apart from others, and the access."""


@dataclass(frozen=True)
class End:
    """A pipe that a flag comes from or goes to."""

    value: str
    number: int | None
    """`None`: no instruction runs on it."""


@dataclass(frozen=True, eq=False)
class Flag:
    """One flag; there is one object for each, which is looked up faster than pipes and an event are."""

    source: End
    target: End
    event: str


@cache
def flag_of(source: Pipe, target: Pipe, event: Event) -> Flag:
    return Flag(_end(source), _end(target), event.value)


def _end(pipe: Pipe) -> End:
    return End(pipe.value, NUMBER.get(pipe))


class Token:
    """The token of a buffer: who holds it, and what its last holder knew when it was given back."""

    __slots__ = ("holder", "known", "op")

    def __init__(self) -> None:
        self.holder: Pipe | None = None
        self.op: Operation | None = None
        self.known: tuple[list[int], Known] | None = None


class RaceDetector:
    """What the pipes of one core touched last, and the flags between them."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.overlapping = [pipe in machine.target.overlapping_pipes for pipe in PIPES]
        """Which pipes begin an instruction before the one before it is done."""
        self.reset()

    def reset(self) -> None:
        """Another actor starts on this core: nothing has happened yet."""
        self.clocks = self.machine.actor.clocks
        self.flags: dict[Flag, tuple[list[int], Known, Operation]] = {}
        self.tokens: dict[int, Token] = {}
        self.records: list[dict[LocalMemory | None, Records]] = [{} for _ in PIPES]
        """The accesses of each pipe by memory, the latest last; `None` is global memory."""
        self.latest = [0] * len(PIPES)
        """When each pipe accessed anything last."""

    # --- order ---

    def join(self, source: Pipe, target: Pipe) -> None:
        """Whatever `source` has done and seen is seen by `target`."""
        if source is Pipe.PIPE_ALL or target is Pipe.PIPE_ALL:
            self.barrier()
            return
        self.clocks.join(NUMBER[source], NUMBER[target])

    def drain(self, pipe: Pipe) -> None:
        """A barrier of one pipe, or of all; of one on which nothing runs it says nothing."""
        if pipe is Pipe.PIPE_ALL or pipe in NUMBER:
            self.join(pipe, pipe)

    def barrier(self) -> None:
        self.clocks.barrier()
        for records in self.records:
            records.clear()
        self.latest = [0] * len(PIPES)

    def fence(self) -> None:
        """A barrier, after which other actors see what was written before."""
        self.barrier()
        self.clocks.fence()

    def set_flag(self, op: Operation, source: Pipe, target: Pipe, event: Event) -> None:
        self.raise_flag(op, flag_of(source, target, event))

    def raise_flag(self, op: Operation, key: Flag) -> None:
        if key in self.flags:
            raise self.machine.fail(
                "PTO-R303",
                f"set_flag: {_flag(key)} is already up",
                op,
                notes=(self._raised_by(key),),
            )
        number = key.source.number
        if number is None:
            raise self._no_such_pipe(op, key.source)
        self.flags[key] = (*self.clocks.snapshot(number), op)

    def _raised_by(self, flag: Flag) -> Note:
        op = self.flags[flag][2]
        return Note(f"raised by {label(op)}", span_of(op))

    def wait_flag(self, op: Operation, source: Pipe, target: Pipe, event: Event) -> None:
        self.await_flag(op, flag_of(source, target, event))

    def await_flag(self, op: Operation, key: Flag) -> None:
        raised = self.flags.pop(key, None)
        if raised is None:
            up = [_flag(other) for other in self.flags]
            raise self.machine.fail(
                "PTO-R302",
                f"wait_flag: {key.target.value} waits for {_flag(key)}, which nothing has raised: the device "
                "hangs",
                op,
                notes=(Note("flags that are up: " + ", ".join(up)),) if up else (),
            )
        times, others, _ = raised
        number = key.target.number
        if number is None:
            raise self._no_such_pipe(op, key.target)
        self.clocks.learn(number, times, others)

    def _no_such_pipe(self, op: Operation, end: End) -> Exception:
        return self.machine.fail("PTO-R302", f"no instruction runs on {end.value}", op)

    # --- tokens of buffers ---

    def take_token(self, op: Operation, pipe: Pipe, number: int) -> None:
        """The pipe goes on when the token has been given back: in the order of the program it has been."""
        token = self.tokens.setdefault(number, Token())
        if token.holder is not None:
            raise self.machine.fail(
                "PTO-R916",
                f"get_buf: {pipe.value} waits for token {number}, which {token.holder.value} holds and "
                "gives back only after that: the device hangs",
                op,
                notes=(Note(f"taken by {label(token.op)}", span_of(token.op)),) if token.op else (),
                fix=f"rls_buf of {number} by {token.holder.value} before this",
            )
        if token.known is not None:
            self.clocks.learn(NUMBER[pipe], *token.known)
        token.holder, token.op = pipe, op

    def give_token(self, op: Operation, pipe: Pipe, number: int) -> None:
        token = self.tokens.setdefault(number, Token())
        if token.holder is not pipe:
            held = "nobody holds" if token.holder is None else f"{token.holder.value} holds"
            raise self.machine.fail(
                "PTO-R916",
                f"rls_buf: {pipe.value} gives back token {number}, which {held}",
                op,
                notes=(Note(f"taken by {label(token.op)}", span_of(token.op)),) if token.op else (),
                fix=f"get_buf of {number} by {pipe.value} before this",
            )
        token.holder, token.known = None, self.clocks.snapshot(NUMBER[pipe])

    def finish(self) -> None:
        """The block ends: no flag may stay up."""
        for number, token in self.tokens.items():
            if token.holder is not None and token.op is not None:
                message = f"token {number} is still held by {token.holder.value} at the end of the kernel"
                self.machine.warn("PTO-R916", message, token.op)
        for key, (_, _, op) in self.flags.items():
            self.machine.warn("PTO-R305", f"{_flag(key)} is still up at the end of the kernel", op)

    # --- accesses ---

    def execute(self, bound: Bound) -> None:
        """Check and note one instruction."""
        op, effects, operands = bound.op, bound.effects, bound.operands
        for reserved in effects.reserved_events:
            flag = flag_of(*reserved)
            if flag in self.flags:
                raise self.machine.fail(
                    "PTO-R304",
                    f"{op.name.removeprefix('pto.')} uses {_flag(flag)} itself, and it is up",
                    op,
                    notes=(self._raised_by(flag),),
                )
        for source, target in effects.before:
            self.join(source, target)
        by_pipe: dict[int, list[Entry]] = {}
        for at, access in enumerate(effects.accesses):
            for touched in operands[access.operand]:
                if touched.low != touched.high:
                    pipe = NUMBER[access.pipe]
                    by_pipe.setdefault(pipe, []).append(entry(touched, pipe, access.write, bound, at))
        for pipe, entries in by_pipe.items():
            self.look_at(op, pipe, entries)
        for pipe, entries in by_pipe.items():
            self.note(pipe, entries)
        for source, target in effects.after:
            self.join(source, target)

    def look_at(self, op: Operation, pipe: int, entries: Sequence[Entry]) -> None:
        """Stop where an access of this pipe comes too early."""
        if self.machine.flights:
            for _, record in entries:
                self._check_flights(op, record.touched, record.write)
        clock, latest = self.clocks.own[pipe], self.latest
        # Pipes that have done something this one does not know of.
        unseen = [n for n in OTHERS[pipe] if latest[n] > clock[n]]
        if self.overlapping[pipe] and latest[pipe] > self.clocks.settled[pipe]:
            unseen.append(pipe)
        if unseen:
            for _, record in entries:
                self._check(record, unseen)

    def note(self, pipe: int, entries: Sequence[Entry]) -> None:
        """Of accesses to the same bytes by one pipe the latest is the one to be ordered after."""
        clock, by_space = self.clocks.own[pipe], self.records[pipe]
        self.latest[pipe] = clock[pipe] = time = clock[pipe] + 1
        for key, record in entries:
            space = record.touched.space
            records = by_space.get(space)
            if records is None:
                records = by_space[space] = {}
            records.pop(key, None)
            record.time = time
            records[key] = record
            if len(records) > MOST_RECORDS:
                by_space[space] = self._kept(pipe, records)

    def _check(self, new: Record, unseen: Sequence[int]) -> None:
        touched, pipe, write = new.touched, new.pipe, new.write
        low, high, space = touched.low, touched.high, touched.space
        clock = self.clocks.own[pipe]
        for other_pipe in unseen:
            records = self.records[other_pipe].get(space)
            if records is None:
                continue
            seen = clock[other_pipe] if other_pipe != pipe else self.clocks.settled[pipe]
            for record in reversed(records.values()):
                if record.time <= seen:
                    # This one and all before it are ordered.
                    break
                other = record.touched
                if not (write or record.write) or low >= other.high or other.low >= high:
                    continue
                if not share_bytes(touched.array, other.array):
                    continue
                if other_pipe != pipe:
                    raise between_pipes(self.machine, new, record)
                if not self._keeps_order(record, new):
                    raise within_a_pipe(self.machine, new, record)

    def _keeps_order(self, first: Record, second: Record) -> bool:
        """Whether the pipe does these two in the order of the program although they overlap (D26)."""
        if is_in_turn(first.op, second.op):
            return True
        return self.machine.target.keeps_order(first.bound.seen[first.at], second.bound.seen[second.at])

    def _check_flights(self, op: Operation, touched: Touched, write: bool) -> None:
        """What a transfer that goes on beside the program works with is not to be touched."""
        for flight in self.machine.flights:
            mine = flight.meets(touched, write)
            if mine is None:
                continue
            verb = "writes" if write else "reads"
            raise self.machine.fail(
                "PTO-R861",
                f"{op.name.removeprefix('pto.')} {verb} {touched.name}, which {label(flight.op)} works with "
                "until it is waited for",
                op,
                notes=(Note("the transfer is started here", span_of(flight.op)),),
                fix="comm.wait_async_event of its event, or of a later one of its session, before this",
            )

    def _kept(self, pipe: int, records: Records) -> Records:
        """Without what every pipe in use has seen; if that is not enough, the newer half."""
        in_use = {pipe, *(n for n, time in enumerate(self.latest) if time)}
        seen = min(self.clocks.own[other][pipe] for other in in_use)
        if self.overlapping[pipe]:
            seen = min(seen, self.clocks.settled[pipe])
        kept = {key: record for key, record in records.items() if record.time > seen}
        if len(kept) > MOST_RECORDS // 2:
            kept = dict(list(kept.items())[len(kept) // 2 :])
        return kept


def entry(touched: Touched, pipe: int, write: bool, bound: Bound, at: int) -> Entry:
    """Access number `at` of an instruction, and what tells it apart from others."""
    return (touched.form, touched.low, touched.high, write), Record(touched, pipe, write, 0, bound, at)


def _flag(flag: Flag) -> str:
    return f"[{flag.source.value}, {flag.target.value}, {flag.event}]"


def ordered(
    op: Operation, race: RaceDetector, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step with its accesses checked before it is done."""
    return ordered_touching(race, Bound(op, effects, [touched_by(value) for value in values]), run)


def ordered_touching(race: RaceDetector, bound: Bound, run: Callable[..., None]) -> Callable[..., None]:
    """The same, where it is known which bytes the operands stand for."""
    op, effects = bound.op, bound.effects
    pipes = {NUMBER[access.pipe] for access in effects.accesses}
    if len(pipes) != 1 or effects.before or effects.after or effects.reserved_events:

        def checked(*scalars: Any) -> None:
            race.execute(bound)
            run(*scalars)

        return checked
    # Most instructions: all that can be known of their accesses is known here.
    (pipe,) = pipes
    entries = [
        entry(touched, pipe, access.write, bound, at)
        for at, access in enumerate(effects.accesses)
        for touched in bound.operands[access.operand]
        if not touched.is_empty
    ]
    look_at, note = race.look_at, race.note

    def checked_quickly(*scalars: Any) -> None:
        look_at(op, pipe, entries)
        note(pipe, entries)
        run(*scalars)

    return checked_quickly


def ordered_moving(
    op: Operation,
    race: RaceDetector,
    effects: Effects,
    values: Sequence[object],
    at: int,
    run: Callable[..., None],
) -> Callable[..., None]:
    """The same for a step that gets its view, operand `at`, each time."""
    bound = Bound(op, effects, [touched_by(value) for value in values])
    (pipe,) = {NUMBER[access.pipe] for access in effects.accesses}
    assert not (effects.before or effects.after or effects.reserved_events), "a load or a store"
    plan: list[tuple[int, bool, Entry | None]] = []
    """Each access: its number, whether it writes, and what is known of it before the view is."""
    for n, access in enumerate(effects.accesses):
        for touched in bound.operands[access.operand]:
            if access.operand == at:
                plan.append((n, access.write, None))
            elif not touched.is_empty:
                plan.append((n, access.write, entry(touched, pipe, access.write, bound, n)))
    known = [each for _, _, each in plan if each is not None]

    def checked(view: View) -> None:
        touched = view_touched(view)
        entries = known
        if touched.low != touched.high:
            entries = [each or entry(touched, pipe, write, bound, n) for n, write, each in plan]
        race.look_at(op, pipe, entries)
        race.note(pipe, entries)
        run(view)

    return checked
