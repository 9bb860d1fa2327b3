"""Observers of a run: trace of instructions, printed values, reports of a target."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.analysis.structure import enclosing_loops
from ptoas.diagnostics.render import visible
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import AwaitsFlag, DrainOp, FlagOp
from ptoas.ir.location import SourceLocation
from ptoas.machine.actors import Actor, Launch
from ptoas.machine.arrays import np
from ptoas.machine.errors import failure, line_of
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import RankGroup, View
from ptoas.machine.tiles import Tile
from ptoas.runner.stats import Stats, cost_of
from ptoas.targets import Target


@dataclass
class Printing:
    """A value to print after each write: `%name[0:4, :8]`."""

    name: str
    slices: tuple[slice | int, ...] = ()

    def text(self, array: Any, when: str) -> str:
        """Return the requested part of an array."""
        whole: Any = np.asarray(array)
        try:
            part = np.asarray(whole[self.slices] if self.slices else whole)
        except IndexError as error:
            raise failure("PTO-R609", f"--print {self.name}: {error}") from None
        numbers = np.array2string(part, threshold=1000, max_line_width=110)
        return f"%{self.name} {when}:\n{numbers}"


class TraceLine(str):
    """One executed instruction: its text, and the same as data."""

    data: dict[str, Any]

    def __new__(cls, text: str, data: dict[str, Any]) -> TraceLine:
        made = super().__new__(cls, text)
        made.data = data
        return made


@dataclass(frozen=True)
class TraceFormat:
    """The constant part of a line of a trace."""

    text: str
    data: dict[str, Any]
    loops: tuple[Operation, ...]
    """Around the instruction, the outermost first."""

    def line(self, actor: Actor, iterations: tuple[int, ...], launch: Launch) -> TraceLine:
        names = [loop_name(loop) for loop in self.loops]
        iteration = dict(zip(names, iterations, strict=True))
        place = {"rank": actor.rank} if launch.ranks is not None else {}
        place |= {"block": actor.block, "core": actor.core}
        shown = [f"{name} {number}" for name, number in place.items()]
        shown += [f"{name}={number}" for name, number in iteration.items()]
        data = {**self.data, **place, "iteration": iteration}
        return TraceLine(f"{self.text} | {', '.join(shown)}", data)


@dataclass
class Observer:
    """Recorder of a run."""

    machine: Machine
    trace: list[tuple[TraceFormat, Actor, tuple[int, ...]]] | None = None
    stats: Stats | None = None
    prints: tuple[Printing, ...] = ()
    seen: set[str] = field(default_factory=set[str])
    moves: bool = False
    iterations: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def start(self) -> None:
        """Begin a new run: steps that are kept hold the observer, not its records."""
        self.seen.clear()
        self.trace = None if self.trace is None else []
        self.stats = None if self.stats is None else Stats()

    def lines(self) -> list[TraceLine]:
        """Render the trace."""
        return [
            traced.line(actor, iterations, self.machine.launch)
            for traced, actor, iterations in self.trace or ()
        ]

    def watching(
        self,
        op: PtoOp,
        values: list[object],
        step: Step,  # noqa: ARG002
        run: Callable[..., None],
    ) -> Callable[..., None]:
        effects = self.machine.target.effects(op)
        traced = traced_line(op, values, self.machine.target) if self.trace is not None else None
        cost = cost_of(op, self.machine.target, values) if self.stats is not None else None
        printed = [
            (printing, value)
            for value in written(values, effects)
            for printing in self.prints
            if printing.name == getattr(value, "name", None) and isinstance(value, Tile)
        ]

        measure = cost.measured if cost is not None else None

        def observed(*scalars: float) -> None:
            measured = None if measure is None else measure()
            run(*scalars)
            if traced is not None:
                self._trace(op, traced)
            if cost is not None and self.stats is not None:
                self.stats.add(cost, measured)
            for printing, tile in printed:
                self.seen.add(printing.name)
                self._print(op, printing, tile)

        return observed

    def _trace(self, op: Operation, traced: TraceFormat) -> None:
        assert self.trace is not None
        self.machine.hold(64, op)
        actor = self.machine.actor
        at = Actor(actor.rank, actor.block, actor.core, clocks=actor.clocks)
        self.trace.append((traced, at, tuple(map(self.iterations.__getitem__, traced.loops))))

    def watching_value(self, op: PtoOp, function: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ARG002
        return function

    def released(self, key: Hashable, pipe: Pipe | None) -> None:
        pass

    def acquired(self, key: Hashable, pipe: Pipe | None) -> None:
        pass

    def fenced(self) -> None:
        pass

    def synchronised(self, op: PtoOp, number: int | None = None) -> None:  # noqa: ARG002
        if self.stats is None:
            return
        if isinstance(op, DrainOp):
            self.stats.barriers += 1
        elif isinstance(op, AwaitsFlag):
            self.stats.waits += 1
        elif isinstance(op, FlagOp):
            self.stats.flags += 1

    def _print(self, op: Operation, printing: Printing, tile: Tile) -> None:
        numbers = tile.dtype.numbers(np.ascontiguousarray(tile.load_raw()))
        self.machine.print_line(
            printing.text(numbers, f"after line {line_of(op)}" if line_of(op) else "written")
        )


def written(values: list[object], effects: Effects) -> list[object]:
    return [values[a.operand] for a in effects.accesses if a.write and a.operand >= 0]


def loops_around(op: Operation) -> tuple[Operation, ...]:
    """The loops around an operation, the outermost first."""
    return tuple(enclosing_loops(op))[::-1]


def loop_name(loop: Operation) -> str:
    """The name of a loop's counter: its induction variable, or its iteration."""
    if isinstance(loop, scf.ForOp):
        hint = loop.body.block.args[0].name_hint
        return f"%{hint}" if hint else f"for at line {line_of(loop)}"
    return f"while at line {line_of(loop)}"


def traced_line(op: PtoOp, values: list[object], target: Target) -> TraceFormat:
    """`12: mgather.row ... | PIPE_V | reads %idx 1x16xi32 at vec 0x0, 64 bytes, ... | writes ...`."""
    accesses = target.effects(op).accesses
    pipes = list(dict.fromkeys(access.pipe.value for access in accesses)) if target.has_pipes else []
    touched = {
        name: dict.fromkeys(a.operand for a in accesses if a.write is write and a.operand >= 0)
        for name, write in (("reads", False), ("writes", True))
    }
    operands = {name: [p for n in found for p in parts_of(values[n])] for name, found in touched.items()}
    parts = [f"{line_of(op)}: {statement(op)}", " ".join(pipes)]
    parts += [f"{name} " + ", ".join(map(_short, found)) for name, found in operands.items() if found]
    data = {"line": line_of(op), "op": op.name.removeprefix("pto."), "text": statement(op), "pipes": pipes}
    data |= {name: [_described(part) for part in found] for name, found in operands.items()}
    return TraceFormat(" | ".join(part for part in parts if part), data, loops_around(op))


def statement(op: Operation) -> str:
    """The text of the statement on one line, or the opcode if it came from no text."""
    location = op.location
    if not isinstance(location, SourceLocation):
        return op.name.removeprefix("pto.")
    text = visible(" ".join(location.source.text[location.start : location.end].split()))
    return text if len(text) <= 100 else text[:97] + "..."


def parts_of(value: object) -> tuple[Tile | View, ...]:
    """The tiles and views of an operand."""
    match value:
        case Tile() | View():
            return (value,)
        case RankGroup():
            return value.members
        case _:
            return ()


def _described(value: Tile | View) -> dict[str, Any]:
    """The position and size of an operand: a tile relative to its memory, a view relative to its buffer."""
    if isinstance(value, Tile):
        name, memory, at, shape = value.name, value.memory.loc.value, value.address, value.valid
    else:
        name, memory, shape = value.buffer.name, "gm", value.shape
        at = value.offset * value.dtype.size
    size = int(np.prod(shape)) * value.dtype.size
    return {"name": name, "memory": memory, "address": at, "bytes": size, "shape": list(shape),
            "dtype": value.dtype.short}  # fmt: skip


def _short(value: Tile | View) -> str:
    found = _described(value)
    shape = "x".join(map(str, found["shape"]))
    place = f"{found['memory']} {found['address']:#x}" + (" of its buffer" if found["memory"] == "gm" else "")
    return f"%{found['name']} {shape}x{found['dtype']} at {place}, {found['bytes']} bytes"
