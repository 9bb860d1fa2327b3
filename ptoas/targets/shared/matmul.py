"""Products of matrices: what the simulator and A2/A3 take, which A5 adds to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ptoas.dialects.pto import matmul as mm
from ptoas.targets.pipes import M
from ptoas.targets.row import Call, Row, Rows
from ptoas.targets.rules import matmul as rules
from ptoas.targets.specs import tile

TYPES = ("i32 i8 i8", "f32 f16 f16", "f32 bf16 bf16", "f32 f32 f32")
"""Element types of the accumulator, of `left` and of `right`."""


@dataclass(frozen=True)
class Walk:
    """How the matrix unit walks its operands."""

    fills_a_block: bool = False
    """A product of one row is calculated as one of 16; what the other 15 rows then hold is undefined."""


def products(types: tuple[str, ...], walk: Walk, *, strided: str = "") -> Rows:
    """The rows of all products of a target, for these triples of element types.

    `strided`: the operands whose rows or columns lie at strides of their physical extents, where the matrix
    unit goes by the valid ones; see `operand_is_walked_as_it_lies`.
    """
    product = Row(
        tiles={
            "dst acc_in": tile(locs="acc", empty=False),
            "lhs": tile(locs="left", empty=False),
            "rhs": tile(locs="right", empty=False),
            "bias": tile(locs="bias", empty=False),
        },
        valid={"lhs": "M K", "rhs": "K N"},
        rules=(
            rules.product_has_these_element_types(triples=types),
            rules.product_is_not_too_long,
            rules.product_fits_its_accumulator,
            rules.bias_is_as_wide_as_the_product,
            *([rules.operand_is_walked_as_it_lies(strided=strided)] if strided else []),
        ),
        pipe=M,
        model=walk,
        source="public TMATMUL page and header",
    )
    matrix = product.but(rules=(rules.one_row_needs_a_block,)) if walk.fills_a_block else product
    vector = product.but(valid={"lhs": "1 K", "rhs": "K N", "dst acc_in": "1 _"}, model=Walk())
    rows = {
        mm.TMatmulOp: matrix.but(call=_call("TMATMUL", "dst lhs rhs")),
        mm.TMatmulAccOp: matrix.but(call=_call("TMATMUL_ACC", "dst acc_in lhs rhs")),
        mm.TMatmulBiasOp: matrix.but(call=_call("TMATMUL_BIAS", "dst lhs rhs bias")),
        mm.TGemvOp: vector.but(call=_call("TGEMV", "dst lhs rhs")),
        mm.TGemvAccOp: vector.but(call=_call("TGEMV_ACC", "dst acc_in lhs rhs")),
        mm.TGemvBiasOp: vector.but(call=_call("TGEMV_BIAS", "dst lhs rhs bias")),
    }
    return {op: _of(op, row) for op, row in rows.items()}


def _of(op: type[mm.ProductOp], row: Row) -> Row:
    """The row without the slots that this product has not."""
    slots = {slot.name for slot in op.signature().slots}

    def kept(said: Mapping[str, Any]) -> dict[str, Any]:
        return {slot: spec for slot, spec in said.items() if slot in slots}

    return replace(row, tiles=kept(row.tiles), valid=kept(row.valid))


def _call(name: str, arguments: str) -> Call:
    return Call(name, template="#accPhase", arguments=arguments, only_with="accPhase")


ROWS: Rows = {}
