"""Happens-before between the pipes of a core: vector clocks over flags, barriers and handshakes.

Each pipe works in order. Flags, barriers and the handshakes inside instructions (`target.effects`) carry
what one pipe has seen to another. Two accesses of different pipes to a common byte, one of them a write,
must be ordered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.interpreter.arrays import Array, np
from ptoas.interpreter.comm import Group
from ptoas.interpreter.machine import Machine, label
from ptoas.interpreter.memory import Pointer, View
from ptoas.interpreter.tiles import Tile
from ptoas.location import span_of
from ptoas.targets.pipes import Effects

PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.PIPE_ALL)
_AT = {pipe: n for n, pipe in enumerate(PIPES)}

MOST_RECORDS = 512
"""Past this many, accesses that every pipe in use has seen are dropped, then the oldest."""


@dataclass(frozen=True)
class Touched:
    """Bytes that an operand stands for: an array over them, their bounds, and a name."""

    array: Array
    low: int
    high: int
    name: str


class Record:
    """The latest access of one pipe to some bytes."""

    __slots__ = ("op", "pipe", "time", "touched", "write")

    def __init__(self, touched: Touched, pipe: int, write: bool, time: int, op: Operation):
        self.touched = touched
        self.pipe = pipe
        self.write = write
        self.time = time
        self.op = op


def touched_by(value: object) -> tuple[Touched, ...]:
    """The bytes of a tile's valid region, or of a view."""
    match value:
        case Tile():
            return (_touched(value.touched, f"%{value.name}"),)
        case View():
            return (_touched(value.array, f"%{value.buffer.name}"),)
        case Group():
            return tuple(part for member in value.members for part in touched_by(member))
        case _:
            return ()


def _touched(array: Array, name: str) -> Touched:
    if not array.size:
        return Touched(array, 0, 0, name)
    low = high = int(array.__array_interface__["data"][0])
    for extent, stride in zip(array.shape, array.strides, strict=True):
        reach = (extent - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return Touched(array, low, high + array.itemsize, name)


def element_touched(pointer: Pointer, offset: int) -> Touched:
    """One element behind a pointer."""
    at = pointer.offset + offset
    return _touched(pointer.buffer.raw[at : at + 1], f"%{pointer.buffer.name}")


class RaceDetector:
    """The clocks of one core, and what it touched last."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.pipes_in_use: set[int] = set()
        self.reset()

    def reset(self) -> None:
        """A new block starts: nothing has happened yet."""
        self.clocks = [[0] * len(PIPES) for _ in PIPES]
        self.flags: dict[tuple[Pipe, Pipe, Event], tuple[list[int], Operation]] = {}
        self.records: dict[tuple[int, int, bool], Record] = {}

    # --- order ---

    def join(self, source: Pipe, target: Pipe) -> None:
        """Whatever `source` has done and seen is seen by `target`."""
        if source is Pipe.PIPE_ALL or target is Pipe.PIPE_ALL:
            self.barrier()
            return
        ours, theirs = self.clocks[_AT[target]], self.clocks[_AT[source]]
        for n, time in enumerate(theirs):
            if time > ours[n]:
                ours[n] = time

    def barrier(self) -> None:
        newest = [max(times) for times in zip(*self.clocks, strict=True)]
        self.clocks = [list(newest) for _ in PIPES]
        self.records.clear()

    def set_flag(self, op: Operation, source: Pipe, target: Pipe, event: Event) -> None:
        key = (source, target, event)
        if key in self.flags:
            raise self.machine.fail(
                "PTO-R303",
                f"set_flag: {_flag(key)} is already up",
                op,
                notes=(Note(f"raised by {label(self.flags[key][1])}", span_of(self.flags[key][1])),),
            )
        self.flags[key] = (list(self.clocks[_AT[source]]), op)

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
        clock = self.clocks[_AT[target]]
        for n, time in enumerate(raised[0]):
            if time > clock[n]:
                clock[n] = time

    def finish(self) -> None:
        """The block ends: no flag may stay up."""
        for key, (_, op) in self.flags.items():
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
                    notes=(Note(f"raised by {label(self.flags[flag][1])}", span_of(self.flags[flag][1])),),
                )
        for source, target in effects.before:
            self.join(source, target)
        fresh: list[Record] = []
        for access in effects.accesses:
            pipe = _AT[access.pipe]
            self.pipes_in_use.add(pipe)
            clock = self.clocks[pipe]
            for touched in operands[access.operand]:
                if not touched.array.size:
                    continue
                self._check(op, touched, pipe, access.write, clock)
                fresh.append(Record(touched, pipe, access.write, clock[pipe] + 1, op))
        for pipe in {record.pipe for record in fresh}:
            self.clocks[pipe][pipe] += 1
        for record in fresh:
            # One array stands for the same bytes each time: the newest access of a pipe is the one to be
            # ordered after.
            self.records[id(record.touched.array), record.pipe, record.write] = record
        if len(self.records) > MOST_RECORDS:
            self._forget_old()
        for source, target in effects.after:
            self.join(source, target)

    def _check(self, op: Operation, touched: Touched, pipe: int, write: bool, clock: list[int]) -> None:
        for record in self.records.values():
            if record.pipe == pipe or not (write or record.write) or clock[record.pipe] >= record.time:
                continue
            other = record.touched
            if (
                touched.low >= other.high
                or other.low >= touched.high
                or not _share(touched.array, other.array)
            ):
                continue
            raise self._race(op, touched, pipe, write, record)

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

    def _forget_old(self) -> None:
        """Drop what every pipe in use has seen; if that is not enough, the oldest half."""
        clocks = [self.clocks[pipe] for pipe in self.pipes_in_use]
        self.records = {
            key: record
            for key, record in self.records.items()
            if not all(clock[record.pipe] >= record.time for clock in clocks)
        }
        if len(self.records) > MOST_RECORDS:
            self.records = dict(list(self.records.items())[len(self.records) // 2 :])


def _share(a: Array, b: Array) -> bool:
    if a is b:
        return True
    try:
        return bool(np.shares_memory(a, b, max_work=20_000))
    except np.exceptions.TooHardError:
        # Undecided in reasonable time: only bounds are known to meet, and a false alarm is worse.
        return False


def _flag(flag: tuple[Pipe, Pipe, Event]) -> str:
    source, target, event = flag
    return f"[{source.value}, {target.value}, {event.value}]"


def ordered(
    op: Operation, race: RaceDetector, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step with its accesses checked before it is done."""
    operands = [touched_by(value) for value in values]

    def checked(*scalars: float) -> None:
        race.execute(op, effects, operands)
        run(*scalars)

    return checked
