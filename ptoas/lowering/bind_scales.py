"""Scales of mx operands get their addresses, which follow from those of the operands.

Before, with %a at 0x1000:

    %s = pto.alloc_tile : S
    pto.tmov ins(%m : M) outs(%s : S)
    pto.tget_scale_addr ins(%a : A) outs(%s : S)

After:

    %c256 = arith.constant 256 : i64
    %s = pto.alloc_tile addr = %c256 : S
    pto.tmov ins(%m : M) outs(%s : S)

So a program may fill its scales before it says whose they are. Where the address of the operand is not known
before the program runs, the instruction stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.storage import places_of
from ptoas.analysis.structure import bodies_of, of_kinds
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.lowering.provenance import location_of


@dataclass(frozen=True)
class BindScalesPass(ModulePass):
    """Addresses for tiles of scales."""

    name = "bind-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function, ops in bodies_of(op).items():
            bindings = of_kinds(ops, TGetScaleAddrOp)
            places = places_of(function, ops) if bindings else None
            for binding in bindings:
                assert places is not None
                _bind(binding, places.scale_address(binding))


def _bind(binding: TGetScaleAddrOp, address: int | None) -> None:
    roots = [root.owner for root in underlying_values(binding.dst)]
    if address is None or len(roots) != 1:
        return
    (tile,) = roots
    if not isinstance(tile, AllocTileOp):
        return
    if tile.addr is None:
        constant = arith.ConstantOp(IntegerAttr(address, i64))
        constant.location = location_of(tile)
        Rewriter.insert_op(constant, InsertPoint.before(tile))
        tile.fill("addr", [constant.result])
    elif not _is(tile, address):
        return  # bound to another address by hand, or to another operand before
    Rewriter.erase_op(binding)


def _is(tile: AllocTileOp, address: int) -> bool:
    owner = None if tile.addr is None else tile.addr.owner
    return (
        isinstance(owner, arith.ConstantOp)
        and isinstance(owner.value, IntegerAttr)
        and owner.value.value.data == address
    )
