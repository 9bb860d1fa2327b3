"""One instruction on given operands: accesses, duration, and the source of the duration."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Pair
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.order import ExecutedAccess, executed_accesses
from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import Coalesce, Layout, Pipe
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.matmul import ProductOp
from ptoas.dialects.pto.movement import TExtractOp, TInsertOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, TileType, ViewType
from ptoas.machine.errors import line_of
from ptoas.machine.memory import Pointer, RankGroup, View
from ptoas.machine.tiles import Tile
from ptoas.runner.stats import LANES, launch_geometry
from ptoas.runner.stats import InstructionCounts as Counted
from ptoas.targets import Target
from ptoas.targets.costs import SPREAD, Confidence, CostModel, CostTable, Form, cycles
from ptoas.targets.pipes import Pipes
from ptoas.targets.row import Row

REPEAT = 256
BURST = 128
"""Bytes of global memory that neighbouring threads read at once (document 000)."""
GM = "gm"

COPIES = (Pipe.PIPE_MTE1, Pipe.PIPE_MTE2, Pipe.PIPE_MTE3, Pipe.PIPE_FIX)


@dataclass(frozen=True)
class WorkOperand:
    """Memory that an instruction works on."""

    name: str
    memory: str
    """`gm`, or the name of a local memory."""
    address: int
    """Address in a local memory; for global memory, the offset in its buffer. -1: unknown."""
    span: int
    """Bytes from the first to the end of the last."""
    rows: int
    cols: int
    columns: int
    """Physical columns."""
    size: int
    dtype: str
    outer: int = 1
    """Number of matrices of rows and columns in a view."""
    nz: bool = False

    @property
    def bytes(self) -> int:
        return self.outer * self.rows * self.cols * self.size

    @property
    def whole(self) -> bool:
        """True if rows are contiguous."""
        return self.cols == self.columns or self.rows == 1

    @property
    def spot(self) -> tuple[str, tuple[int, int]]:
        """Bytes of a local memory; an argument counts as a whole, for the windows of a loop are too many."""
        if self.memory == GM or self.address < 0:
            return f"{self.memory} {self.name}", (0, 1)
        return self.memory, (self.address, self.address + self.span)

    def text(self) -> str:
        at = "" if self.memory == GM or self.address < 0 else f" {self.address:#x}"
        return f"%{self.name} {self.rows}x{self.cols}x{self.dtype} in {self.memory}{at}"


def operand_of(value: object) -> WorkOperand | None:
    """A tile or a view of a run; a group counts as the memory of all its ranks."""
    match value:
        case Tile():
            rows, cols = value.valid
            memory = value.memory.loc.value
            name, size, short = value.name, value.dtype.size, value.dtype.short
            return WorkOperand(
                name, memory, value.address, value.size_bytes, rows, cols, value.cols, size, short
            )
        case View():
            shape, size = value.shape5, value.dtype.size
            first, last = value.form.reach
            return WorkOperand(
                value.buffer.name,
                GM,
                (value.offset + first) * size,
                max(0, last - first + 1) * size,
                shape[3],
                shape[4],
                shape[4],
                size,
                value.dtype.short,
                prod(shape[:3]),
                value.layout is Layout.NZ,
            )
        case RankGroup() if value.members:
            first = operand_of(value.members[0])
            assert first is not None
            parts = dict(vars(first), outer=first.outer * len(value.members))
            return WorkOperand(**parts)
        case Pointer():
            size = value.buffer.dtype.size
            return WorkOperand(
                value.buffer.name, GM, value.offset * size, size, 1, 1, 1, size, value.buffer.dtype.short
            )
        case _:
            return None


def static_operand(value: SSAValue, know: Knowledge, address: int | None) -> WorkOperand | None:
    """The same as far as it is known before a run: an open extent counts in full."""
    name = value.name_hint or "?"
    match value.type:
        case TileType():
            tile = know.tile(value)
            rows, cols = (n if v == DYNAMIC else v for v, n in zip(tile.valid, tile.type.shape, strict=True))
            at = -1 if address is None else address
            return WorkOperand(
                name, tile.loc.value, at, tile.type.size_bytes, rows, cols, tile.cols, tile.size,
                tile.element_name,
            )  # fmt: skip
        case ViewType():
            view = know.view(value)
            shape = [max(1, n) for n in view.shape5]
            span, short = prod(shape) * view.size, view.element.text.removeprefix("!pto.")
            return WorkOperand(
                name, GM, 0, span, shape[3], shape[4], shape[4], view.size, short, prod(shape[:3]),
                view.layout is Layout.NZ,
            )  # fmt: skip
        case GroupType() if isinstance(value.type.member, ViewType):
            member = value.type.member
            shape, size = [max(1, n) for n in member.shape5], element_size(member.element_type)
            whole = prod(shape) * size
            return WorkOperand(name, GM, 0, whole, shape[3], shape[4], shape[4], size, "?", value.type.size)
        case PtrType():
            return WorkOperand(name, GM, 0, 4, 1, 1, 1, 4, "?")
        case _:
            return None


@dataclass(frozen=True)
class PipeOperand:
    """One operand, touched by one pipe."""

    access: ExecutedAccess
    operand: WorkOperand

    @property
    def pipe(self) -> Pipe:
        return self.access.pipe

    @property
    def write(self) -> bool:
        return self.access.write


@dataclass(frozen=True)
class PipeWork:
    """Share of one pipe in an instruction: cycles, and the ends of the range."""

    pipe: Pipe
    cycles: float
    low: float
    high: float


@dataclass(frozen=True)
class Cost:
    """Duration of an instruction, and its source."""

    key: str
    model: CostModel
    confidence: Confidence
    formula: str
    values: dict[str, float]
    parts: tuple[PipeWork, ...]
    first: float

    @property
    def is_range(self) -> bool:
        return any(part.low != part.high for part in self.parts)

    def text(self) -> str:
        """`slope * repeats: slope 2, repeats 64, 116 to 141 (A: ...)`."""
        shown = [f"{n} {v:g}" for n, v in self.values.items() if n in self.formula.replace("(", " ").split()]
        ends = f", {self.parts[0].low:,.0f} to {self.parts[0].high:,.0f}" if self.is_range else ""
        source = f"{self.confidence}: {self.model.source}"
        return f"{self.formula}{': ' * bool(shown)}{', '.join(shown)}{ends} ({source})"


@dataclass(eq=False)
class Work:
    """An instruction on given operands: all that is the same each time it is executed."""

    op: Operation
    name: str
    line: int
    order: int
    """The instruction's place in the program."""
    loops: tuple[Operation, ...]
    cost: Cost
    before: tuple[Pair, ...] = ()
    after: tuple[Pair, ...] = ()
    touches: tuple[PipeOperand, ...] = ()
    counted: Counted | None = None
    """Category of `run --stats`."""

    @property
    def pipe(self) -> Pipe:
        return self.cost.parts[0].pipe

    @property
    def moved(self) -> int:
        """Bytes of global memory that are read or written."""
        named = {
            (t.operand.name, t.operand.address): t.operand for t in self.touches if t.operand.memory == GM
        }
        if "bytes" in self.cost.values and named:
            return int(min(self.cost.values["bytes"], max(each.bytes for each in named.values())))
        return sum(each.bytes for each in named.values())


# --- quantities ------------------------------------------------------------------------------------


def pipe_of(op: PtoOp, target: Target) -> Pipe | None:
    """The pipe that does most of an instruction's work; `None`: it is none."""
    row = target.row(op)
    if not isinstance(row, Row) or row.pipe is None:
        return None
    model = row.pipe if isinstance(row.pipe, Pipe | Pipes) else row.pipe(op)
    return model if isinstance(model, Pipe) else model.pipe


def quantities(
    op: PtoOp, target: Target, by_slot: dict[str, list[WorkOperand]], form: Form
) -> dict[str, float]:
    """Values of the names of formulas: see `ptoas.targets.costs.QUANTITIES`."""
    tiles = [o for s, found in by_slot.items() for o in found if o.memory != GM and s not in op.SCRATCH]
    views = [o for found in by_slot.values() for o in found if o.memory == GM]
    staged = isinstance(op, StagedOp)
    # Of a window into a tile only the window moves.
    largest = min if isinstance(op, TExtractOp | TInsertOp) else max
    main = largest(views if staged else tiles or views, key=_bytes)
    size = max((o.size for o in tiles if o.bytes * 8 > main.bytes), default=main.size)
    rows, cols = main.rows * main.outer, main.cols
    elements, per = rows * cols, REPEAT // size or 1
    per_row, lines = ceil(cols / per), ceil(elements / per)
    by_row = not main.whole or (
        form != "line" and (main.columns < per or (form == "scalar" and main.columns % per != 0))
    )
    found: dict[str, float] = {
        "rows": rows, "cols": cols, "size": size, "elements": elements, "bytes": elements * main.size,
        "repeats": rows * per_row if by_row else lines,
        "masked": float((cols if by_row else elements) % per != 0),
        "lines": lines, "per_row": per_row, "whole": float(main.whole),
        "calls": max([1, *(o.outer for o in views)]) if views else (1 if main.whole else rows),
    }  # fmt: skip
    if staged and tiles:
        found["calls"] = ceil(main.bytes / max(1, max(map(_bytes, tiles))))
    if isinstance(op, ProductOp):
        left, right = by_slot["lhs"][0], by_slot["rhs"][0]
        pairs = float(left.dtype.endswith("x2"))
        found |= {"m": left.rows, "k": left.cols, "n": right.cols, "size": left.size, "pairs": pairs}
    if isinstance(op, IndexedMemoryOp):
        _indexed(op, target, by_slot, found)
    return found


def _indexed(
    op: IndexedMemoryOp, target: Target, by_slot: dict[str, list[WorkOperand]], found: dict[str, float]
) -> None:
    """Cost of a gather or scatter of global memory, counted as in document 000."""
    data = by_slot[op.DATA][0]
    table = by_slot["mem"][0]
    by_row = target.value(op, "coalesce") is Coalesce.Row
    geometry = launch_geometry(data.rows, data.cols, by_row)
    found |= {"rows": data.rows, "cols": data.cols, "elements": data.rows * data.cols, "bytes": data.bytes}
    found["calls"] = data.rows * (table.outer if table.nz else 1) if by_row else 1
    if by_row:
        per_row = geometry["kWarpsPerRow"] * LANES
        found["passes"] = ceil(data.rows / geometry["kRowWarps"]) * ceil(data.cols / per_row)
        found["bursts"] = data.rows * ceil(data.cols * data.size / BURST)
    else:
        found["passes"] = ceil(data.rows * data.cols / geometry["threads"])
        found["bursts"] = data.rows * data.cols
    found["idle"] = geometry["idle_threads"] / geometry["threads"]


# --- costs -----------------------------------------------------------------------------------------


class Pricer:
    """Gives instructions of one target their costs."""

    def __init__(self, target: Target, table: CostTable):
        self.target = target
        self.table = table

    def cost(self, op: PtoOp, by_slot: dict[str, list[WorkOperand]], touches: list[PipeOperand]) -> Cost:
        pipe = pipe_of(op, self.target)
        assert pipe is not None
        key, model = self.table.model(*self._keys(op, pipe, touches))
        return _priced(key, model, pipe, tuple(quantities(op, self.target, by_slot, model.form).items()))

    def _keys(self, op: PtoOp, pipe: Pipe, touches: list[PipeOperand]) -> list[str]:
        """Keys under which a cost model may be listed, the most specific first."""
        name = op.name.removeprefix("pto.")
        read = [touch.operand for touch in touches if not touch.write]
        written = [touch.operand for touch in touches if touch.write]
        variant = getattr(op, "form", None)
        if isinstance(op, IndexedMemoryOp):
            variant = self.target.value(op, "coalesce")
        keys = [f"{name}:{read[0].dtype}-{written[0].dtype}"] if read and written else []
        keys += [f"{name}.{variant}"] * (variant is not None) + [name]
        if pipe in COPIES or type(op).__module__.endswith(".movement"):
            from_gm = any(operand.memory == GM for operand in read) or not read
            source = GM if from_gm else max(read, key=_bytes).memory
            keys.append(f"{source}-{written[0].memory if written else GM}")
        return [*keys, pipe.value]


def _bytes(operand: WorkOperand) -> int:
    return operand.bytes


@lru_cache(maxsize=4096)
def _priced(key: str, model: CostModel, pipe: Pipe, found: tuple[tuple[str, float], ...]) -> Cost:
    values = dict(found)
    constants, confidence = model.constants_for(values["size"], values["cols"])
    values |= constants
    formula = model.formula if values["whole"] or model.ragged is None else model.ragged
    if not values["elements"]:
        # Nothing to do: only the start remains.
        values |= dict.fromkeys(("repeats", "lines"), 0.0)
    middle = cycles(formula, values)
    spread = SPREAD[confidence]
    low = middle / spread if model.low is None else min(middle, cycles(model.low, values))
    high = middle * spread if model.high is None else max(middle, cycles(model.high, values))
    parts = [PipeWork(pipe, middle, low, high)]
    for name, text in model.other_pipes.items():
        share = cycles(text, values)
        parts.append(PipeWork(Pipe(name), share, share / spread, share * spread))
    first = cycles(model.first, values)
    return Cost(key, model, confidence, formula, values, tuple(parts), first)


def work_of(
    op: PtoOp,
    pricer: Pricer,
    operands: list[WorkOperand | None],
    order: int,
    loops: tuple[Operation, ...],
) -> Work | None:
    """An instruction with its costs; `None` for one that no pipe executes."""
    effects = pricer.target.effects(op)
    if pipe_of(op, pricer.target) is None:
        return None
    places = slot_places(op)
    by_slot = {
        slot: [found for n in at if (found := operands[n]) is not None]
        for slot, at in places.items()
        if len(at)
    }
    if not any(by_slot.values()):
        return None

    def spot(at: int) -> Hashable:
        found = operands[at] if at >= 0 else None
        return None if found is None else found.spot

    touches = [
        PipeOperand(access, found)
        for access in executed_accesses(op, effects, spot)
        if access.effect.operand >= 0 and (found := operands[access.effect.operand]) is not None
    ]
    cost = pricer.cost(op, by_slot, touches)
    name = op.name.removeprefix("pto.")
    return Work(op, name, line_of(op), order, loops, cost, effects.before, effects.after, tuple(touches))
