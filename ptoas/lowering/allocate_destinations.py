"""SSA to DPS: every tile that an instruction gives as a result becomes a buffer that it writes.

    %d = pto.tadd %a, %b : (T, T) -> T

becomes

    %d = pto.alloc_tile : T
    pto.tadd ins(%a, %b : T, T) outs(%d : T)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.structure import walk_of
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.instruction import Instruction
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp, can_precede
from ptoas.ir.names import replace_keeping_name, set_name


@dataclass(frozen=True)
class AllocateDestinations(ModulePass):
    """Give every instruction in SSA form a destination operand."""

    name = "allocate-destinations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        allocate_destinations(op)


def allocate_destinations(module: ModuleOp) -> None:
    """Rewrite the module in place."""
    for op in walk_of(module, Instruction):
        if op.results:
            _rewrite(op)


def _rewrite(op: Instruction) -> None:
    block = op.parent
    assert block is not None
    destinations: list[SSAValue] = []
    tied = dict(op.TIED)
    for name, result in zip(op.OUTS, op.results, strict=False):
        if name in tied:
            destinations += op.operands_of(tied[name])
            continue
        rows, cols = _valid_extents(op, cast(TileType, result.type))
        alloc = AllocTileOp(result.type, valid_row=rows, valid_col=cols, location=op.location)
        block.insert_op_before(alloc, first_clause(op))
        set_name(alloc.result, result.name_hint)
        destinations.append(alloc.result)
    outs = {name: [tile] for name, tile in zip(op.OUTS, destinations, strict=False)}
    block.insert_op_before(op.rebuilt(outs, []), op)
    for result, destination in zip(op.results, destinations, strict=True):
        _assign_first(op, result, destination)
        replace_keeping_name(result, destination)
    Rewriter.erase_op(op)


def _assign_first(op: Instruction, result: SSAValue, destination: SSAValue) -> None:
    """A result's `tassign` must follow the instruction; a tile's must precede it (D21)."""
    for use in result.uses:
        assign = use.operation
        if isinstance(assign, TAssignOp) and can_precede(op, assign):
            assign.detach()
            Rewriter.insert_op(assign, InsertPoint.after(cast(Operation, destination.owner)))
            return


def _valid_extents(op: Instruction, tile: TileType) -> tuple[SSAValue | None, SSAValue | None]:
    """Values for the extents that the type leaves open: those of an operand of that shape, else all of it."""
    block = op.parent
    assert block is not None
    extents: list[SSAValue | None] = []
    for at, (valid, physical) in enumerate(zip(tile.valid, tile.shape, strict=True)):
        if valid != DYNAMIC:
            extents.append(None)
            continue
        known = _extent_of_operand(op, tile, at)
        if known is None:
            constant = ConstantOp(IntegerAttr(physical, IndexType()))
            constant.location = op.location
            block.insert_op_before(constant, first_clause(op))
            known = constant.result
        extents.append(known)
    return extents[0], extents[1]


def _extent_of_operand(op: Instruction, tile: TileType, at: int) -> SSAValue | None:
    for operand in op.operands:
        owner = operand.owner
        same = isinstance(operand.type, TileType) and operand.type.shape == tile.shape
        if same and isinstance(owner, AllocTileOp):
            extent = owner.valid_row if at == 0 else owner.valid_col
            if extent is not None:
                return extent
    return None
