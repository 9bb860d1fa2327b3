"""Rows of fused and pairwise arithmetic."""

from __future__ import annotations

from ptoas.dialects.pto.fused import TDeinterleaveOp
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rules import fused as rules
from ptoas.targets.shared.elementwise import BINARY, UNARY
from ptoas.targets.specs import NINE, ROW_MAJOR, T, elements, tile

BINARY_OF_HEADERS = BINARY.override(rules=(rules.revision_has_the_instruction,))

NARROWED = {"f32": "f16", "f16": "i8", "i16": "i8"}
NARROWING = BINARY_OF_HEADERS.override(
    tiles={"src0 src1": tile(elements("f32 f16 i16"), ROW_MAJOR)},
    rules=(rules.narrowing_exists(pairs=NARROWED),),
).of("f16 i8")

STEPWISE = "scaled in three steps"
"""Multiplication by the scale between 1/131072 and 131072, as devices do."""

ADD_DEQ_RELU = BINARY_OF_HEADERS.override(
    tiles={"dst": tile("f16", ROW_MAJOR), "src0 src1 tmp": tile("i32", ROW_MAJOR)},
    call=Call(arguments="dst src0 src1 scale tmp"),
)

CLEARED = "the destination is cleared first"
"""Treatment of the second half of the columns by the simulator; devices do not touch it."""

PAIR_SUM = UNARY.override(
    rules=(rules.revision_has_the_instruction, rules.valid_columns_are_even), no_alias=(("dst", "src"),)
)

_PAIR = Row(
    tiles={"dst dst1": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    valid={"dst dst1 src0 src1": "R C"},
    no_alias=tuple((dst, src) for dst in ("dst", "dst1") for src in ("src0", "src1")),
    pipe=V,
    rules=(rules.revision_has_the_instruction, rules.valid_columns_are_even),
    call=Call(arguments="dst1 dst src1 src0"),
).of(NINE)
INTERLEAVE = _PAIR
_ONE_SOURCE = _PAIR.override(
    valid={"dst dst1": "R C", "src0": "R _"},
    call=Call(arguments="dst1 dst src0"),
    rules=(rules.source_is_twice_as_wide,),
)


def _number_of_sources(op: TDeinterleaveOp) -> int:
    return 1 if op.src1 is None else 2


DEINTERLEAVE = Forms(_number_of_sources, {1: _ONE_SOURCE, 2: _PAIR})
