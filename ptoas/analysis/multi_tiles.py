"""A module in which each tile has a name of its own: multi tiles taken apart.

Before:

    %mb = pto.alloc_multi_tile : M
    %t = pto.multi_tile_get %mb[%k] : M -> T

After:

    %mb_0 = pto.alloc_tile : T
    %mb_1 = pto.alloc_tile : T
    %t = pto.multi_tile_get %mb_0, %mb_1[%k] : T, T -> T

Where the number is a constant, the tile itself stands in the place of `%t`.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk_of
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.dialects.pto.enums import CompactMode
from ptoas.dialects.pto.multi_tile import AllocMultiTileOp, MultiTileGetOp
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import span_of
from ptoas.ir.clone import clone
from ptoas.ir.names import set_name

MULTI_TILE_CODE = "PTO-V141"
_PLANNED = "pto.multi_buffer_addrs"


def single_tiles(module: ModuleOp) -> ModuleOp:
    """The module itself if it has no multi tiles, else a copy in which they are taken apart."""
    if not walk_of(module, AllocMultiTileOp):
        return module
    copied = clone(module)
    take_apart(copied)
    return copied


def take_apart(module: ModuleOp) -> None:
    knowledge = Knowledge()
    for op in walk_of(module, AllocMultiTileOp):
        if (found := _unclear(op)) is not None:
            raise PtoasError([Diagnostic(MULTI_TILE_CODE, f"alloc_multi_tile: {found}", span_of(op))])
        tiles = _allocated(op)
        for use in list(op.result.uses):
            if isinstance(use.operation, MultiTileGetOp):
                _choose(use.operation, tiles, knowledge)
        if op.result.first_use is None:
            Rewriter.erase_op(op)


def _unclear(op: AllocMultiTileOp) -> str | None:
    """The reason why the placement of the tiles is unknown."""
    if _PLANNED in op.attributes:
        return f"`{_PLANNED}` of another tool is not supported; write `addr`"
    if op.addr is not None and op.multi_type.tile.compact is CompactMode.RowPlusOne:
        return (
            "an address can't be combined with compact=row_plus_one: the C++ assembler counts one row more "
            "than the shape has"
        )
    if op.addr is not None and not isinstance(op.addr.owner, arith.ConstantOp) and _is_narrow(op.addr):
        return f"an address of type {op.addr.type} can't hold the address of every tile; use i64"
    return None


def _allocated(op: AllocMultiTileOp) -> list[SSAValue]:
    """The tiles, in front of the operation."""
    name, tiles = op.result.name_hint, list[SSAValue]()
    for at in range(op.multi_type.count):
        address = None if op.addr is None else _address(op, op.addr, at * op.multi_type.step)
        tile = AllocTileOp(
            addr=address,
            valid_row=op.valid_row,
            valid_col=op.valid_col,
            result_type=op.multi_type.tile,
            location=op.location,
        )
        Rewriter.insert_op(tile, InsertPoint.before(op))
        set_name(tile.result, None if name is None else f"{name}_{at}")
        tiles.append(tile.result)
    return tiles


def _is_narrow(address: SSAValue) -> bool:
    """Return True if the address has fewer than 32 bits."""
    type: Attribute = address.type
    return isinstance(type, IntegerType) and type.bitwidth < 32


def _address(op: Operation, base: SSAValue, step: int) -> SSAValue:
    if step == 0:
        return base
    if isinstance(base.owner, arith.ConstantOp) and isinstance(base.owner.value, IntegerAttr):
        # An address of few bits need not hold that of a later tile.
        type = i64 if _is_narrow(base) else base.type
        known = arith.ConstantOp(IntegerAttr(base.owner.value.value.data + step, type))  # pyright: ignore
        Rewriter.insert_op(known, InsertPoint.before(op))
        return known.result
    offset = arith.ConstantOp(IntegerAttr(step, base.type))  # pyright: ignore
    total = arith.AddiOp(base, offset.result)
    Rewriter.insert_op([offset, total], InsertPoint.before(op))
    return total.result


def _choose(op: MultiTileGetOp, tiles: list[SSAValue], knowledge: Knowledge) -> None:
    slot = knowledge.constant(op.slot)
    if slot is not None and 0 <= slot < len(tiles):
        op.result.replace_all_uses_with(tiles[slot])
        Rewriter.erase_op(op)
    else:
        op.fill("source", tiles)
