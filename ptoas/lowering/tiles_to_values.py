"""DPS to SSA: a buffer that is written whole, once, becomes the result of the instruction that writes it.

    %d = pto.alloc_tile : T
    pto.tadd ins(%a, %b : T, T) outs(%d : T)

becomes

    %d = pto.tadd %a, %b : (T, T) -> T

A tile that is written twice, or only in part, or before a loop and in it, or that sits at an address, has no
such form; the pass says which.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.clauses import last_clause
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.slots import accesses
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.grammar.spans import span_of
from ptoas.ir.names import replace_keeping_name, set_name

CODE = "PTO-L001"


@dataclass(frozen=True)
class TilesToValues(ModulePass):
    """Turn destination operands into results."""

    name = "tiles-to-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiles_to_values(op)


def tiles_to_values(module: ModuleOp) -> None:
    """Rewrite the module in place; raises `PtoasError` that names every tile that prevents it."""
    problems: list[Diagnostic] = []
    for op in walk(module):
        if isinstance(op, Instruction) and op.is_dps:
            problem = _obstacle(op)
            if problem is not None:
                problems.append(problem)
    if problems:
        raise PtoasError(problems)
    for op in walk(module):
        if isinstance(op, Instruction) and op.is_dps:
            _rewrite(op)


def _destinations(op: Instruction) -> list[SSAValue]:
    return [value for name in op.OUTS for value in op.operands_of(name)]


def _obstacle(op: Instruction) -> Diagnostic | None:
    """The reason why this instruction's destination can't be its result, if any."""
    if any(op.operands_of(name) for name in op.WRITES):
        return _problem(op, f"`{op.mnemonic()}` writes more than a result can be")
    for tile in _destinations(op):
        name = f"`%{tile.name_hint}`" if tile.name_hint else "its destination"
        alloc = tile.owner
        if not isinstance(alloc, AllocTileOp):
            return _problem(op, f"{name} is not a tile of this function, so it can't become a result")
        if alloc.addr is not None:
            return _problem(op, f"{name} sits at an address, which a value can't have", alloc)
        assert isinstance(tile.type, TileType)
        if DYNAMIC in tile.type.valid:
            return _problem(op, f"{name} gets its valid extents at run time, which a value can't say", alloc)
        assigns = _assigns(tile)
        if len(assigns) > 1:
            return _problem(op, f"{name} is given two addresses", assigns[1])
        for use in tile.uses:
            user = use.operation
            if isinstance(user, TAssignOp) and user.parent is op.parent:
                continue  # it can follow the value that it places
            if user is op:
                if op.operands.index(tile) != use.index and list(op.operands).count(tile) > 1:
                    return _problem(op, f"{name} is read and written by one instruction")
                continue
            if _writes(user, use.index):
                return _problem(op, f"{name} is written more than once", user)
            if not _follows(op, user):
                return _problem(op, f"{name} is used before this instruction writes it", user)
        if op.parent is not alloc.parent:
            return _problem(op, f"{name} is made outside the loop or branch that writes it", alloc)
    return None


def _assigns(tile: SSAValue) -> list[TAssignOp]:
    return [use.operation for use in tile.uses if isinstance(use.operation, TAssignOp)]


def _writes(user: Operation, index: int) -> bool:
    if not isinstance(user, PtoOp):
        return True  # unknown what it does with the tile
    if any(isinstance(result.type, TileType) for result in user.results) and not isinstance(
        user, Instruction
    ):
        return True  # another name of the tile, under which it may be written
    if user.name in ("pto.tassign", "pto.set_validshape"):
        return True
    return any(access.operand == index and access.write for access in accesses(user))


def _follows(op: Operation, user: Operation) -> bool:
    """Return True if `user`, or its ancestor in `op`'s block, comes after `op`."""
    block = op.parent
    ancestor: Operation | None = user
    while ancestor is not None and ancestor.parent is not block:
        ancestor = ancestor.parent_op()
    return ancestor is not None and op.is_before_in_block(ancestor)


def _problem(op: Operation, message: str, other: Operation | None = None) -> Diagnostic:
    notes = (Note("the other place is here", span_of(other)),) if other is not None else ()
    return Diagnostic(CODE, message, span_of(op), notes=notes, fix="keep this program in DPS form", op=op)


def _rewrite(op: Instruction) -> None:
    destinations = _destinations(op)
    new = op.rebuilt({name: [] for name in op.OUTS}, [tile.type for tile in destinations])
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    Rewriter.erase_op(op)
    for tile, result in zip(destinations, new.results, strict=True):
        for assign in _assigns(tile):
            assign.detach()
            block.insert_op_after(assign, last_clause(new))
        alloc = tile.owner
        set_name(result, tile.name_hint)
        replace_keeping_name(tile, result)
        assert isinstance(alloc, AllocTileOp)
        Rewriter.erase_op(alloc)
