"""An accumulator that goes to the unified buffer goes to another core: to one of the block's vector cores, or
in halves to both."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from ptoas.analysis.kinds import CUBE, core_of
from ptoas.dialects.pto.enums import AccToVecMode, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.movement import FixpipeOp
from ptoas.dialects.pto.types import TileType
from ptoas.machine.machine import Machine
from ptoas.machine.memory import LocalMemory
from ptoas.machine.tiles import Tile

FIRST_NUMBER = -1_000_000
"""Numbers of unified buffers, apart from those of global memories."""


def writes_cross_core(op: Operation) -> bool:
    """Return True if the cube core writes to the unified buffer."""
    if not isinstance(op, FixpipeOp):
        return False
    type = op.destination.type
    return isinstance(type, TileType) and type.loc.data is TileLoc.Vec and core_of(op) is CUBE


def any_writes_cross_core(ops: Iterable[Operation]) -> bool:
    return any(writes_cross_core(op) for op in ops)


def number(memories: Iterable[LocalMemory], block: int) -> None:
    """Let accesses to these memories be compared with those of other cores."""
    for lane, memory in enumerate(memories):
        memory.number = FIRST_NUMBER - 2 * block - lane


def cross_core_operands(op: PtoOp, m: Machine, values: list[object]) -> list[list[object]] | None:
    """The operands for each vector core that gets a part; `None` where the instruction stays on its core."""
    if not m.lane_memories or not isinstance(op, FixpipeOp) or not writes_cross_core(op):
        return None
    operands = list(op.operands)
    src_at, dst_at = operands.index(op.operands_of("src")[0]), operands.index(op.destination)
    src, dst = values[src_at], values[dst_at]
    assert isinstance(src, Tile) and isinstance(dst, Tile)
    mode = None if op.acc_to_vec_mode is None else op.acc_to_vec_mode.data
    rows, cols = src.valid
    match mode:
        case AccToVecMode.DualModeSplitM:
            halves = [(0, (0, 0)), (1, (rows // 2, 0))]
            shape = (rows // 2, cols)
        case AccToVecMode.DualModeSplitN:
            halves = [(0, (0, 0)), (1, (0, cols // 2))]
            shape = (rows, cols // 2)
        case AccToVecMode.SingleModeVec1:
            halves, shape = [(1, (0, 0))], src.valid
        case _:
            halves, shape = [(0, (0, 0))], src.valid
    found: list[list[object]] = []
    for lane, place in halves:
        part = src if shape == src.valid else src.part(*place, shape)
        if part is None:
            raise m.fail(
                "PTO-R107", f"{op.mnemonic()}: the half of %{src.name} does not start at a block", op
            )
        there = Tile(dst.type, m.lane_memories[lane], dst.address, dst.valid, dst.name, None, dst.geometry)
        parts = list(values)
        parts[src_at], parts[dst_at] = part, there
        found.append(parts)
    return found
