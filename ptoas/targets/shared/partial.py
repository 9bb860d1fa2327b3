"""Rows of arithmetic where an operand may be missing."""

from __future__ import annotations

from ptoas.dialects.pto.element_types import element_size
from ptoas.targets.pipes import V
from ptoas.targets.row import Call, Forms, Row
from ptoas.targets.rules.partial import one_source_is_valid_as_the_destination
from ptoas.targets.specs import INDEX, ROW_MAJOR, SHORT_INDEX, T, tile

PARTIAL = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, ROW_MAJOR)},
    rules=(one_source_is_valid_as_the_destination,),
    pipe=V,
)

PARTIAL_ARG = PARTIAL.override(
    tiles={"src0_idx src1_idx dst_idx": tile(INDEX, ROW_MAJOR)},
    valid={"src0 src0_idx": "R0 C0", "src1 src1_idx": "R1 C1", "dst dst_idx": "R C"},
    call=Call(arguments="dst src0 src1 dst_idx src0_idx src1_idx"),
)


FIRST, UNLESS = "the first where it compares", "the first unless the second wins"
"""Selection of one of two values on a device: equal values select the first, unordered ones the second or
the first. The simulator selects the first only if it wins.
"""


def partial_arg(row: Row) -> Forms:
    """Values of 16 and of 32 bits: the indices of the former may have 16 bits as well."""
    short = row.override(
        tiles=dict.fromkeys(("src0_idx", "src1_idx", "dst_idx"), tile(SHORT_INDEX, ROW_MAJOR))
    )
    return Forms(
        lambda op: element_size(op.destination.type.element_type) == 2,
        {True: short.of("f16 f32"), False: row.of("f16 f32")},
    )
