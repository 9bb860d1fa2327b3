"""Races between the pipes of a core, and within a pipe.

Flags, barriers and the handshakes inside instructions (`target.effects`) carry what one pipe has seen to
another. Two accesses of different pipes to a common byte, one of them a write, must be ordered. So must two
of one pipe, where it begins an instruction before the one before it is done (D26): by a barrier of the pipe
or a flag that comes back, unless the target keeps these two in order itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.analysis.order import is_in_turn
from ptoas.analysis.storage import behind
from ptoas.diagnostics import Note
from ptoas.dialects.pto.channel import FreeOp
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.location import span_of
from ptoas.machine.arrays import share_bytes
from ptoas.machine.bound import Bound
from ptoas.machine.clocks import NUMBER, PIPES, Known
from ptoas.machine.errors import line_of
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import LocalMemory, View
from ptoas.machine.touched import Touched, touched_by, view_touched

MOST_RECORDS = 512
"""Past this many of one pipe, accesses that every pipe in use has seen are dropped, then the oldest."""


class Record:
    """The latest access of one pipe to some bytes: number `at` of an instruction's."""

    __slots__ = ("at", "bound", "pipe", "time", "touched", "write")

    def __init__(self, touched: Touched, pipe: int, write: bool, time: int, bound: Bound, at: int):
        self.touched = touched
        self.pipe = pipe
        self.write = write
        self.time = time
        self.bound = bound
        self.at = at

    @property
    def op(self) -> Operation:
        return self.bound.op


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
        self.overlapping = [pipe in machine.target.overlapping_pipes for pipe in PIPES]
        """Which pipes begin an instruction before the one before it is done."""
        self.reset()

    def reset(self) -> None:
        """Another actor starts on this core: nothing has happened yet."""
        self.clocks = self.machine.actor.clocks
        self.flags: dict[tuple[Pipe, Pipe, Event], tuple[list[int], Known, Operation]] = {}
        self.tokens: dict[int, Token] = {}
        self.records: dict[LocalMemory | None, list[dict[tuple[object, ...], Record]]] = {}
        """By memory, the accesses of each pipe, the latest last; `None` is global memory."""

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
        self.records.clear()

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

    def execute(self, bound: Bound) -> None:
        """Check and note one instruction."""
        op, effects, operands = bound.op, bound.effects, bound.operands
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
        for at, access in enumerate(effects.accesses):
            pipe = NUMBER[access.pipe]
            self.pipes_in_use.add(pipe)
            clock = clocks[pipe]
            for touched in operands[access.operand]:
                if touched.is_empty:
                    continue
                if self.machine.flights:
                    self._check_flights(op, touched, access.write)
                record = Record(touched, pipe, access.write, clock[pipe] + 1, bound, at)
                self._check(record, clock)
                fresh.append(record)
        for record in fresh:
            clocks[record.pipe][record.pipe] = record.time
            self._note(record)
        for source, target in effects.after:
            self.join(source, target)

    def _note(self, record: Record) -> None:
        """Of accesses to the same bytes by one pipe the latest is the one to be ordered after."""
        touched = record.touched
        by_pipe = self.records.get(touched.space)
        if by_pipe is None:
            by_pipe = self.records[touched.space] = [{} for _ in PIPES]
        records = by_pipe[record.pipe]
        key = (touched.form, touched.low, touched.high, record.write)
        records.pop(key, None)
        records[key] = record
        if len(records) > MOST_RECORDS:
            by_pipe[record.pipe] = self._kept(record.pipe, records)

    def _check(self, new: Record, clock: list[int]) -> None:
        touched, pipe, write = new.touched, new.pipe, new.write
        low, high = touched.low, touched.high
        for other_pipe, records in enumerate(self.records.get(touched.space, ())):
            if not records:
                continue
            seen = clock[other_pipe]
            if other_pipe == pipe:
                if not self.overlapping[pipe]:
                    continue
                seen = self.clocks.settled[pipe]
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
                    raise self._race(new, record)
                if not self._keeps_order(record, new):
                    raise self._too_early(new, record)

    def _keeps_order(self, first: Record, second: Record) -> bool:
        """Whether the pipe does these two in the order of the program although they overlap (D26)."""
        if is_in_turn(first.op, second.op):
            return True
        if isinstance(first.op, FreeOp):
            return False
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

    def _race(self, new: Record, earlier: Record) -> Exception:
        here, there = PIPES[new.pipe].value, PIPES[earlier.pipe].value
        return self.machine.fail(
            "PTO-R301",
            f"{_told(new, earlier)} on {there}",
            new.op,
            notes=(Note(f"the earlier access, on {there}", span_of(earlier.op)),),
            fix=_apart(new, earlier) or f"set_flag and wait_flag from {there} to {here} between the two",
        )

    def _too_early(self, new: Record, earlier: Record) -> Exception:
        here = PIPES[new.pipe].value
        line = line_of(new.op)
        where = f"before line {line}" if line else "between the two"
        return self.machine.fail(
            "PTO-R124",
            f"{_told(new, earlier)} there too: {here} begins an instruction before the one before it is done",
            new.op,
            notes=(Note(f"the earlier access, on {here}", span_of(earlier.op)),),
            fix=_apart(new, earlier) or f"put pto.barrier #pto.pipe<{here}> {where}",
        )

    def _kept(self, pipe: int, records: dict[tuple[object, ...], Record]) -> dict[tuple[object, ...], Record]:
        """Without what every pipe in use has seen; if that is not enough, the newer half."""
        seen = min(self.clocks.own[other][pipe] for other in self.pipes_in_use)
        if self.overlapping[pipe]:
            seen = min(seen, self.clocks.settled[pipe])
        kept = {key: record for key, record in records.items() if record.time > seen}
        if len(kept) > MOST_RECORDS // 2:
            kept = dict(list(kept.items())[len(kept) // 2 :])
        return kept


def _told(new: Record, earlier: Record) -> str:
    verb, before = ("writes" if new.write else "reads"), ("wrote" if earlier.write else "read")
    through = "" if earlier.touched.name == new.touched.name else f" (as {earlier.touched.name})"
    return (
        f"{new.op.name.removeprefix('pto.')} {verb} {new.touched.name} on {PIPES[new.pipe].value}, and "
        f"nothing orders that after {label(earlier.op)}, which {before} it{through}"
    )


def _apart(new: Record, earlier: Record) -> str | None:
    """Where two tiles overlap in part, that is what is wrong: in whichever order, one loses what it held."""
    if isinstance(earlier.op, FreeOp) or isinstance(new.op, FreeOp):
        return None  # what it gives back is not among its operands
    tiles = [behind(record.bound.value(record.at))[0] for record in (earlier, new)]
    if tiles[0] is tiles[1] or not all(isinstance(tile.owner, AllocTileOp) for tile in tiles):
        return None
    if new.touched.low == earlier.touched.low:
        return None
    names = f"{earlier.touched.name} and {new.touched.name}"
    return f"place {names} apart: they overlap in part, and no flag or barrier keeps the bytes of both"


def _flag(flag: tuple[Pipe, Pipe, Event]) -> str:
    source, target, event = flag
    return f"[{source.value}, {target.value}, {event.value}]"


def ordered(
    op: Operation, race: RaceDetector, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step with its accesses checked before it is done."""
    bound = Bound(op, effects, [touched_by(value) for value in values])

    def checked(*scalars: Any) -> None:
        race.execute(bound)
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
    bound = Bound(op, effects, [touched_by(value) for value in values])

    def checked(view: View) -> None:
        bound.operands[at] = (view_touched(view),)
        race.execute(bound)
        run(view)

    return checked
