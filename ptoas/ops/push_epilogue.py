"""What a push makes of an accumulator on its way into the slot."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from ptoas.dialects.pto.channel import PipeInitOp, PushOp
from ptoas.machine.machine import Machine
from ptoas.machine.tiles import Tile
from ptoas.ops.fixpipe import Convert, as_it_is


def epilogue_of(op: PushOp, init: PipeInitOp, m: Machine, tile: Tile) -> tuple[Attribute, Convert]:
    """The element type of what is in the slot, and how the accumulator's bits become that."""
    epilogue = init.acc_push_epilogue
    if epilogue is None:
        return tile.type.element_type, as_it_is
    raise NotImplementedError


SIGNED = IntegerType(8, Signedness.SIGNED)
