"""Races between the pipes of a core.

Each pipe works in order. Flags, barriers and the handshakes inside instructions (`target.effects`) carry
what one pipe has seen to another. Two accesses of different pipes to a common byte, one of them a write,
must be ordered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.location import span_of
from ptoas.machine.arrays import share_bytes
from ptoas.machine.clocks import NUMBER, PIPES, Known
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import View
from ptoas.machine.touched import Touched, touched_by, view_touched

MOST_RECORDS = 512
"""Past this many of one pipe, accesses that every pipe in use has seen are dropped, then the oldest."""


class Record:
    """The latest access of one pipe to some bytes."""

    __slots__ = ("op", "pipe", "time", "touched", "write")

    def __init__(self, touched: Touched, pipe: int, write: bool, time: int, op: Operation):
        self.touched = touched
        self.pipe = pipe
        self.write = write
        self.time = time
        self.op = op


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
        self.pipes_in_use: set[int] = set()
        self.reset()

    def reset(self) -> None:
        """Another actor starts on this core: nothing has happened yet."""
        self.clocks = self.machine.actor.clocks
        self.flags: dict[tuple[Pipe, Pipe, Event], tuple[list[int], Known, Operation]] = {}
        self.tokens: dict[int, Token] = {}
        self.records: list[dict[tuple[object, ...], Record]] = [{} for _ in PIPES]
        """The accesses of each pipe, the latest last."""

    # --- order ---

    def join(self, source: Pipe, target: Pipe) -> None:
        """Whatever `source` has done and seen is seen by `target`."""
        if source is Pipe.PIPE_ALL or target is Pipe.PIPE_ALL:
            self.barrier()
            return
        self.clocks.join(NUMBER[source], NUMBER[target])

    def barrier(self) -> None:
        self.clocks.barrier()
        for records in self.records:
            records.clear()

    def fence(self) -> None:
        """A barrier, after which other actors see what was written before."""
        self.barrier()
        self.clocks.fence()

    def set_flag(self, op: Operation, source: Pipe, target: Pipe, event: Event) -> None:
        key = (source, target, event)
        if key in self.flags:
            raise self.machine.fail(
                "PTO-R303",
                f"set_flag: {_flag(key)} is already up",
                op,
                notes=(self._raised_by(key),),
            )
        self.flags[key] = (*self.clocks.snapshot(self._number(op, source)), op)

    def _raised_by(self, flag: tuple[Pipe, Pipe, Event]) -> Note:
        op = self.flags[flag][2]
        return Note(f"raised by {label(op)}", span_of(op))

    def wait_flag(self, op: Operation, source: Pipe, target: Pipe, event: Event) -> None:
        key = (source, target, event)
        raised = self.flags.pop(key, None)
        if raised is None:
            up = [_flag(other) for other in self.flags]
            raise self.machine.fail(
                "PTO-R302",
                f"wait_flag: {target.value} waits for {_flag(key)}, which nothing has raised: the device "
                "hangs",
                op,
                notes=(Note("flags that are up: " + ", ".join(up)),) if up else (),
            )
        times, others, _ = raised
        self.clocks.learn(self._number(op, target), times, others)

    def _number(self, op: Operation, pipe: Pipe) -> int:
        number = NUMBER.get(pipe)
        if number is None:
            raise self.machine.fail("PTO-R302", f"no instruction runs on {pipe.value}", op)
        return number

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

    def execute(self, op: Operation, effects: Effects, operands: Sequence[tuple[Touched, ...]]) -> None:
        """Check and note one instruction; `operands` are the bytes of each operand."""
        for flag in effects.reserved_events:
            if flag in self.flags:
                raise self.machine.fail(
                    "PTO-R304",
                    f"{op.name.removeprefix('pto.')} uses {_flag(flag)} itself, and it is up",
                    op,
                    notes=(self._raised_by(flag),),
                )
        for source, target in effects.before:
            self.join(source, target)
        clocks = self.clocks.own
        fresh: list[Record] = []
        for access in effects.accesses:
            pipe = NUMBER[access.pipe]
            self.pipes_in_use.add(pipe)
            clock = clocks[pipe]
            for touched in operands[access.operand]:
                if touched.is_empty:
                    continue
                if self.machine.flights:
                    self._check_flights(op, touched, access.write)
                self._check(op, touched, pipe, access.write, clock)
                fresh.append(Record(touched, pipe, access.write, clock[pipe] + 1, op))
        for record in fresh:
            clocks[record.pipe][record.pipe] = record.time
            self._note(record)
        for source, target in effects.after:
            self.join(source, target)

    def _note(self, record: Record) -> None:
        """Of accesses to the same bytes by one pipe the latest is the one to be ordered after."""
        touched = record.touched
        records = self.records[record.pipe]
        key = (touched.form, touched.low, touched.high, record.write)
        records.pop(key, None)
        records[key] = record
        if len(records) > MOST_RECORDS:
            self._forget_old(record.pipe)

    def _check(self, op: Operation, touched: Touched, pipe: int, write: bool, clock: list[int]) -> None:
        low, high = touched.low, touched.high
        for other_pipe, records in enumerate(self.records):
            if other_pipe == pipe or not records:
                continue
            seen = clock[other_pipe]
            for record in reversed(records.values()):
                if record.time <= seen:
                    # This one and all before it are ordered.
                    break
                other = record.touched
                if not (write or record.write) or low >= other.high or other.low >= high:
                    continue
                if share_bytes(touched.array, other.array):
                    raise self._race(op, touched, pipe, write, record)

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

    def _race(self, op: Operation, touched: Touched, pipe: int, write: bool, earlier: Record) -> Exception:
        verb, before = ("writes" if write else "reads"), ("wrote" if earlier.write else "read")
        here, there = PIPES[pipe].value, PIPES[earlier.pipe].value
        through = "" if earlier.touched.name == touched.name else f" (as {earlier.touched.name})"
        return self.machine.fail(
            "PTO-R301",
            f"{op.name.removeprefix('pto.')} {verb} {touched.name} on {here}, and nothing orders that "
            f"after {label(earlier.op)}, which {before} it{through} on {there}",
            op,
            notes=(Note(f"the earlier access, on {there}", span_of(earlier.op)),),
            fix=f"set_flag and wait_flag from {there} to {here} between the two",
        )

    def _forget_old(self, pipe: int) -> None:
        """Drop what every pipe in use has seen; if that is not enough, the older half."""
        seen = min(self.clocks.own[other][pipe] for other in self.pipes_in_use)
        kept = {key: record for key, record in self.records[pipe].items() if record.time > seen}
        if len(kept) > MOST_RECORDS // 2:
            kept = dict(list(kept.items())[len(kept) // 2 :])
        self.records[pipe] = kept


def _flag(flag: tuple[Pipe, Pipe, Event]) -> str:
    source, target, event = flag
    return f"[{source.value}, {target.value}, {event.value}]"


def ordered(
    op: Operation, race: RaceDetector, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step with its accesses checked before it is done."""
    operands = [touched_by(value) for value in values]

    def checked(*scalars: Any) -> None:
        race.execute(op, effects, operands)
        run(*scalars)

    return checked


def ordered_moving(
    op: Operation,
    race: RaceDetector,
    effects: Effects,
    values: Sequence[object],
    at: int,
    run: Callable[..., None],
) -> Callable[..., None]:
    """The same for a step that gets its view, operand `at`, each time."""
    operands = [touched_by(value) for value in values]

    def checked(view: View) -> None:
        operands[at] = (view_touched(view),)
        race.execute(op, effects, operands)
        run(view)

    return checked
