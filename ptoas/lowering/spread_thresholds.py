"""Give a comparing TGATHER the tile of thresholds that the library takes, where the text has one number.

Before:

    pto.tgather ins(%s, %k, %tmp : !pto.tile_buf<vec, 4x64xf32>, f32, ...) outs(%d, %n : ...)

After, where %k is the constant 2.0:

    %two = arith.constant 2 : i32
    %thresholds = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
    pto.texpands ins(%two : i32) outs(%thresholds : ...)
    pto.tgather ins(%s, %thresholds, %tmp : ...) outs(%d, %n : ...)

A number that is not whole, or that only the running program knows to be, stays; the emitter refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.element_types import BY_TYPE, ElementType
from ptoas.dialects.pto.expand import TExpandSOp
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import TileType
from ptoas.targets.facts import Facts
from ptoas.targets.shared.compare_gather import CompareModel

Allocate = Callable[[Operation, TileType, str], SSAValue]


def spread_threshold(op: TGatherOp, know: Facts, allocate: Allocate) -> None:
    """Put a tile in place of the number; nothing where it can't be."""
    model = know.model
    if op.threshold is None or not isinstance(model, CompareModel):
        return
    src = know.tile("src")
    element = model.threshold(src.element)
    number = _number(op, op.threshold, element, model.signed)
    if number is None:
        return
    step = BURST // element.size
    columns = -(-src.rows // step) * step
    tile = allocate(op, TileType.of(element.type, 1, columns), "thresholds")
    Rewriter.insert_op(TExpandSOp(number, tile, location=op.location), InsertPoint.before(first_clause(op)))
    op.fill("threshold", ())
    op.fill("indices", (tile,))


def _number(op: TGatherOp, value: SSAValue, element: ElementType, signed: bool) -> SSAValue | None:
    """The threshold as a scalar of the tile's type; `None` where it is not known to be a whole number."""
    made: Operation
    if isinstance(value.owner, ConstantOp) and (whole := _whole(value.owner.value)) is not None:
        bits = 8 * element.size
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if not least <= whole <= most:
            return None
        made = ConstantOp(IntegerAttr(whole, cast(IntegerType, element.type)))
    elif value.type == element.type:
        return value
    elif (known := BY_TYPE.get(value.type)) is not None and known.is_integer and known.size == element.size:
        made = UnrealizedConversionCastOp.get([value], [element.type])
    else:
        return None
    made.location = op.location
    Rewriter.insert_op(made, InsertPoint.before(first_clause(op)))
    return made.results[0]


def _whole(value: Attribute) -> int | None:
    match value:
        case IntegerAttr():
            return cast("IntegerAttr[IntegerType]", value).value.data
        case FloatAttr():
            number = value.value.data
            return int(number) if number.is_integer() else None
        case _:
            return None
