"""Looking at a run: a trace of instructions, tiles printed after they are written, what a target would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.diagnostics.render import visible
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import DrainOp, FlagOp
from ptoas.location import SourceLocation
from ptoas.machine.arrays import np
from ptoas.machine.errors import failure, line_of
from ptoas.machine.machine import Machine
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.runner.stats import Stats, cost_of


@dataclass
class Printing:
    """A value to print after each write: `%name[0:4, :8]`."""

    name: str
    slices: tuple[slice | int, ...] = ()

    def of(self, array: Any) -> Any:
        return array[self.slices] if self.slices else array


@dataclass
class Observer:
    """What is written down while the machine runs."""

    machine: Machine
    trace: list[str] | None = None
    stats: Stats | None = None
    prints: tuple[Printing, ...] = ()
    seen: set[str] = field(default_factory=set[str])

    def start(self) -> None:
        """A new run; steps that are kept hold the observer, not what it wrote down."""
        self.seen.clear()
        self.trace = None if self.trace is None else []
        self.stats = None if self.stats is None else Stats()

    def watching(self, op: PtoOp, values: list[object], run: Callable[..., None]) -> Callable[..., None]:
        effects = self.machine.target.effects(op)
        line = trace_line(op, values, effects) if self.trace is not None else ""
        cost = cost_of(op, self.machine.target, values) if self.stats is not None else None
        wanted = [
            (printing, value)
            for value in written(values, effects)
            for printing in self.prints
            if printing.name == getattr(value, "name", None) and isinstance(value, Tile)
        ]

        def observed(*scalars: float) -> None:
            run(*scalars)
            if self.trace is not None:
                self.machine.hold(8, op)
                self.trace.append(line)
            if cost is not None and self.stats is not None:
                self.stats.add(cost)
            for printing, tile in wanted:
                self.seen.add(printing.name)
                self._print(op, printing, tile)

        return observed

    def synchronised(self, op: PtoOp) -> None:
        if self.stats is None:
            return
        if isinstance(op, DrainOp):
            self.stats.barriers += 1
        elif isinstance(op, FlagOp):
            self.stats.flags += 1

    def _print(self, op: Operation, printing: Printing, tile: Tile) -> None:
        numbers = tile.dtype.numbers(np.ascontiguousarray(tile.load_raw()))
        self.show(printing, numbers, f"after line {line_of(op)}" if line_of(op) else "written")

    def show(self, printing: Printing, array: Any, when: str) -> None:
        """Print the part of an array that was asked for."""
        try:
            part = np.asarray(printing.of(np.asarray(array)))
        except IndexError as error:
            raise failure("PTO-R609", f"--print {printing.name}: {error}") from None
        text = np.array2string(part, threshold=1000, max_line_width=110)
        self.machine.say(f"%{printing.name} {when}:\n{text}")


def written(values: list[object], effects: Effects) -> list[object]:
    return [values[a.operand] for a in effects.accesses if a.write and a.operand >= 0]


def trace_line(op: PtoOp, values: list[object], effects: Effects) -> str:
    """`12: mgather.row ... | reads %idx 1x16xi32, %table 64x32xf32 | writes %dst 16x32xf32`."""
    reads = [_short(values[a.operand]) for a in effects.accesses if not a.write and a.operand >= 0]
    writes = [_short(value) for value in written(values, effects)]
    parts = [f"{line_of(op)}: {statement(op)}"]
    if reads:
        parts.append("reads " + ", ".join(dict.fromkeys(reads)))
    if writes:
        parts.append("writes " + ", ".join(dict.fromkeys(writes)))
    return " | ".join(parts)


def statement(op: Operation) -> str:
    """The text of the statement on one line, or the opcode if it came from no text."""
    location = op.location
    if not isinstance(location, SourceLocation):
        return op.name.removeprefix("pto.")
    text = visible(" ".join(location.source.text[location.start : location.end].split()))
    return text if len(text) <= 100 else text[:97] + "..."


def _short(value: object) -> str:
    match value:
        case Tile():
            return f"%{value.name} {value.valid[0]}x{value.valid[1]}x{value.dtype.short}"
        case View():
            return f"%{value.buffer.name} {'x'.join(map(str, value.shape))}x{value.dtype.short}"
        case _:
            return "memory"
