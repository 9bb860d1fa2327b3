"""Work of a program on a target, counted as in the documents' performance sections.

A scalar-driven gather issues one burst a row (one a row and batch for NZ tables, of one piece a block
column), or one scalar read an element; a SIMT gather launches warps of 32 lanes, up to 32 of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ptoas.diagnostics.columns import columns
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.enums import BLayout, Coalesce, GatherOOB, Layout, Pipe
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.machine.arrays import np
from ptoas.machine.errors import line_of
from ptoas.machine.memory import RankGroup, View
from ptoas.machine.tiles import Tile
from ptoas.targets import Target

LANES = 32
MOST_WARPS = 32


@dataclass
class InstructionCounts:
    """Counts of one execution of an instruction."""

    name: str
    counts: dict[str, int] = field(default_factory=dict[str, int])
    measured: Callable[[], dict[str, int]] | None = None
    """Counts that depend on what is in the tiles, asked for before each execution."""
    launch: dict[str, int] | None = None
    line: int = 0
    local_end: int = 0


@dataclass
class Stats:
    """Sums over a run."""

    instructions: Counter[str] = field(default_factory=Counter[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    launches: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    """SIMT launch geometry by instruction and line."""
    local_peak: int = 0
    flags: int = 0
    """Flags that are raised."""
    waits: int = 0
    barriers: int = 0
    steps: int = 0
    """Operations of all kinds, as `--max-steps` counts them."""

    def add(self, cost: InstructionCounts, measured: Mapping[str, int] | None = None) -> None:
        self.instructions[cost.name] += 1
        self.counts.update(cost.counts)
        self.counts.update(measured or {})
        self.local_peak = max(self.local_peak, cost.local_end)
        if cost.launch is not None:
            self.launches[f"{cost.name} at line {cost.line}" if cost.line else cost.name] = cost.launch

    @staticmethod
    def sum(parts: Iterable[Stats]) -> Stats:
        """Return the sum over several cores."""
        whole = Stats()
        for part in parts:
            whole.instructions.update(part.instructions)
            whole.counts.update(part.counts)
            whole.launches |= part.launches
            whole.local_peak = max(whole.local_peak, part.local_peak)
            whole.flags += part.flags
            whole.waits += part.waits
            whole.barriers += part.barriers
        return whole

    def as_dict(self) -> dict[str, Any]:
        return {
            "instructions": dict(self.instructions),
            **{name: self.counts[name] for name in sorted(self.counts)},
            "launches": self.launches,
            "local_memory_peak_bytes": self.local_peak,
            "pipe_flags": self.flags,
            "pipe_waits": self.waits,
            "pipe_barriers": self.barriers,
            "steps": self.steps,
        }

    def lines(self) -> list[str]:
        """Return the lines of a table."""
        rows: list[tuple[str, str]] = []
        for name, value in self.as_dict().items():
            match name:
                case "instructions":
                    counts = ", ".join(f"{each} {count}" for each, count in sorted(value.items()))
                    rows.append((name, counts or "none"))
                case "launches":
                    rows += [
                        (f"launch of {each}", ", ".join(f"{key} {number}" for key, number in launch.items()))
                        for each, launch in value.items()
                    ]
                case "local_memory_peak_bytes":
                    rows.append(("local memory peak", f"{value:,} bytes"))
                case _:
                    rows.append((name.replace("_", " "), f"{value:,}"))
        return columns(rows)


def cost_of(op: PtoOp, target: Target, values: list[object]) -> InstructionCounts:
    """The counts of the instruction on these operands."""

    tiles = [value for value in values if isinstance(value, Tile)]
    cost = InstructionCounts(
        op.name.removeprefix("pto."),
        line=line_of(op),
        local_end=max((tile.address + tile.size_bytes for tile in tiles), default=0),
    )
    match op:
        case TLoadOp() | TStoreOp():
            tile = tiles[0]
            direction = "load" if isinstance(op, TLoadOp) else "store"
            # A row is one burst, in column-major order a column is.
            by_columns = tile.type.blayout is BLayout.ColMajor and not tile.boxed
            cost.counts = {
                f"dma_{direction}_bursts": tile.valid[1 if by_columns else 0],
                f"dma_{direction}_bytes": tile.valid[0] * tile.valid[1] * tile.dtype.size,
            }
        case IndexedMemoryOp():
            _indexed(op, target, values, cost)
        case CollectiveOp():
            group = [values[at] for at in slot_places(op)["group"]]
            members = [view for value in group for view in _members(value)]
            cost.counts = {"collective_bytes": sum(prod(v.shape5) * v.dtype.size for v in members)}
        case _:
            pass
    return cost


def _members(value: object) -> Sequence[View]:
    """The memory of each rank, of a group or of several operands."""
    if isinstance(value, RankGroup):
        return value.members
    return (value,) if isinstance(value, View) else ()


def _indexed(op: IndexedMemoryOp, target: Target, values: list[object], cost: InstructionCounts) -> None:
    places = slot_places(op)
    data = values[places[op.DATA].start]
    table = values[places["mem"].start]
    assert isinstance(data, Tile) and isinstance(table, View)
    rows, cols = data.valid
    size = data.dtype.size
    by_row = target.value(op, "coalesce") is Coalesce.Row
    direction = "gather" if op.DATA == "dst" else "scatter"
    cost.counts = {f"{direction}_bytes": rows * cols * size}
    pipes = {access.pipe for access in target.effects(op).accesses}
    if not target.has_pipes:
        cost.counts[f"{direction}_elements"] = rows * cols
    elif Pipe.PIPE_V in pipes:
        cost.launch = launch_geometry(rows, cols, by_row, whole=target.model(op).launches_all)
    elif by_row:
        nz = table.layout is Layout.NZ
        batches, pieces = (table.shape5[0], table.shape5[1]) if nz else (1, 1)
        capacity = target.model(op).capacity(table.shape5, table.layout, Coalesce.Row)
        index = values[places["idx"].start]
        assert isinstance(index, Tile)

        def transfers(moved: int) -> dict[str, int]:
            calls = moved * batches
            counts = {f"{direction}_dma_calls": calls, f"{direction}_dma_bursts": calls * pieces}
            return counts | {f"{direction}_bytes": moved * cols * size}

        cost.counts = {"scalar_index_reads": rows}
        if target.value(op, "gatherOob") is GatherOOB.Zero and capacity is not None:
            # A row out of bounds is cleared, not fetched.
            cost.measured = lambda: transfers(int((index.load_raw().view(np.uint32) < capacity).sum()))
        else:
            cost.counts |= transfers(rows)
    else:
        cost.counts[f"{direction}_scalar_accesses"] = rows * cols
        cost.counts["scalar_index_reads"] = rows * cols


def launch_geometry(rows: int, cols: int, by_row: bool, whole: bool = False) -> dict[str, int]:
    """Document 000, Performance Considerations, A5: warps own rows and share a row's columns, or own
    elements; `whole`: document 002, where every launch has all 1,024 threads."""
    counts: dict[str, int] = {}
    if by_row and not whole:
        row_warps = max(1, min(rows, MOST_WARPS))
        per_row = max(1, min(MOST_WARPS // row_warps, -(-cols // LANES)))
        counts = {"kRowWarps": row_warps, "kWarpsPerRow": per_row}
        warps = row_warps * per_row
        idle = (per_row * LANES - cols) * row_warps
    else:
        warps = MOST_WARPS if whole else max(1, min(-(-(rows * cols) // LANES), MOST_WARPS))
        idle = warps * LANES - rows * cols
    return {**counts, "kLaunchWarps": warps, "threads": warps * LANES, "idle_threads": max(0, idle)}
