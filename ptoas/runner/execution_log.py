"""Log of a run: every executed instruction with the values that it wrote, for comparing two runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.ir.location import SourceLocation
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType, by_text
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.runner.observe import loops_around, parts_of

_SCALARS = {"i": by_text("i64"), "f": by_text("f64")}


@dataclass(frozen=True)
class ByteRange:
    """Bytes of a local memory of one core, or of a buffer in global memory."""

    space: Hashable
    low: int
    high: int

    def overlaps(self, other: ByteRange) -> bool:
        return self.space == other.space and self.low < other.high and other.low < self.high


@dataclass(frozen=True, eq=False)
class WrittenValue:
    """The contents of an operand after an instruction wrote it, or the result of a scalar operation."""

    name: str
    bits: Array
    dtype: DType
    place: ByteRange | None = None

    @property
    def numbers(self) -> Array:
        return self.dtype.numbers(self.bits)


@dataclass(frozen=True, eq=False)
class Execution:
    """One executed instruction."""

    op: PtoOp
    actor: tuple[int, int, int]
    """Rank, block and core."""
    loops: tuple[Operation, ...]
    iterations: tuple[int, ...]
    """Induction variables of the loops around it, the outermost first."""
    written: tuple[WrittenValue, ...]
    reads: tuple[ByteRange, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(value.name for value in self.written)

    @property
    def origin(self) -> str | None:
        """The original location that `loc(...)` gives."""
        location = self.op.location
        if not isinstance(location, SourceLocation):
            return None
        origin = location.source.origin_of_statement(location.start)
        return None if origin is None else str(origin)


@dataclass
class ExecutionLog:
    """Executed instructions in order; passed to `ptoas.compile` as its `recorder`."""

    executions: list[Execution] = field(default_factory=list[Execution])

    def number(self, module: ModuleOp) -> None:
        """Need no numbers of operations."""

    def on(self, machine: Machine) -> ExecutionLogger:
        return ExecutionLogger(machine, self.executions)

    def writers(self, execution: Execution) -> list[Execution]:
        """Return the last executions before this one that wrote what it reads."""
        at = self.executions.index(execution)
        found: list[Execution] = []
        for read in execution.reads:
            for earlier in reversed(self.executions[:at]):
                places = [value.place for value in earlier.written]
                if any(place is not None and place.overlaps(read) for place in places):
                    found.append(earlier)
                    break
        return list(dict.fromkeys(found))


class ExecutionLogger:
    """Appends the instructions of one machine to a log."""

    moves = False

    def __init__(self, machine: Machine, executions: list[Execution]):
        self.machine = machine
        self.executions = executions
        self.iterations: dict[Operation, int] = {}

    def watching(
        self,
        op: PtoOp,
        values: list[object],
        step: Step,
        run: Callable[..., None],
    ) -> Callable[..., None]:
        if step.idle:
            return run
        accesses = self.machine.target.effects(op).accesses
        scratch = {n for slot in op.SCRATCH for n in slot_places(op)[slot]}
        writes, reads = (
            [
                part
                for n in dict.fromkeys(a.operand for a in accesses if a.write is write)
                if n >= 0 and n not in scratch
                for part in parts_of(values[n])
            ]
            for write in (True, False)
        )

        def observed(*scalars: float) -> None:
            run(*scalars)
            read = tuple(self._place(part) for part in reads)
            self._append(op, tuple(map(self._written, writes)), read)

        return observed

    def watching_value(self, op: PtoOp, function: Callable[..., Any]) -> Callable[..., Any]:
        if len(op.results) != 1:
            return function
        result = op.results[0]

        def observed(*values: Any) -> Any:
            returned = function(*values)
            if isinstance(returned, bool | int | float | np.generic):
                number = np.asarray(returned)
                kind = np.asarray(number, np.float64 if number.dtype.kind == "f" else np.int64)
                dtype = _SCALARS[kind.dtype.kind]
                value = WrittenValue(result.name_hint or "", kind.view(dtype.raw), dtype)
                self._append(op, (value,), ())
            return returned

        return observed

    def _append(self, op: PtoOp, written: tuple[WrittenValue, ...], reads: tuple[ByteRange, ...]) -> None:
        if not written:
            return
        self.machine.hold(sum(value.bits.nbytes for value in written), op)
        actor, loops = self.machine.actor, loops_around(op)
        iterations = tuple(self.iterations.get(loop, 0) for loop in loops)
        where = (actor.rank, actor.block, actor.core)
        self.executions.append(Execution(op, where, loops, iterations, written, reads))

    def _written(self, part: Tile | View) -> WrittenValue:
        if isinstance(part, Tile):
            return WrittenValue(part.name, np.array(part.load_raw()), part.dtype, self._place(part))
        return WrittenValue(part.buffer.name, np.array(part.array), part.dtype, self._place(part))

    def _place(self, part: Tile | View) -> ByteRange:
        if isinstance(part, Tile):
            space = (self.machine.actor.block, self.machine.core, part.memory.loc)
            return ByteRange(space, part.address, part.address + part.size_bytes)
        first, last = part.extent()
        return ByteRange(part.buffer.name, first * part.dtype.size, (last + 1) * part.dtype.size)

    def released(self, key: Hashable, pipe: Pipe | None) -> None:
        """Record no synchronisation."""

    def acquired(self, key: Hashable, pipe: Pipe | None) -> None:
        """Record no synchronisation."""

    def fenced(self) -> None:
        """Record no synchronisation."""

    def synchronised(self, op: PtoOp, number: int | None = None) -> None:
        """Record no synchronisation."""
