"""Rows of matrix products of the simulator and A2/A3; A5 extends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ptoas.dialects.pto import matmul as mm
from ptoas.targets.pipes import M
from ptoas.targets.row import Call, Row, Rows, Unsupported
from ptoas.targets.rule import Rule
from ptoas.targets.rules import matmul as rules
from ptoas.targets.rules import mx
from ptoas.targets.specs import NN_SCALES, SCALING, ZZ_SCALES, tile

TYPES = ("i32 i8 i8", "f32 f16 f16", "f32 bf16 bf16", "f32 f32 f32")
"""Element types of the accumulator, of `left` and of `right`."""


@dataclass(frozen=True)
class OperandWalk:
    """The matrix unit's traversal of its operands."""

    blocks: tuple[int, int] = (1, 1)
    """Rows and columns that it writes at once; what the rest of them holds then is undefined (D57)."""
    strided: str = ""
    """The operands whose rows or columns lie at strides of their physical extents, where the matrix unit goes
    by the valid ones; see `operand_blocks_match_the_valid_extent`."""
    derives_scales: bool = False
    """The matrix unit finds the scales of mx operands by the addresses of these."""


PRODUCT = Row(
    tiles={
        "dst acc_in": tile(locs="acc", empty=False),
        "lhs": tile(locs="left", empty=False),
        "rhs": tile(locs="right", empty=False),
        "bias": tile(locs="bias", empty=False),
    },
    valid={"lhs": "M K", "rhs": "K N"},
    pipe=M,
)


def _rules(types: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of all products of these types."""
    return (
        rules.product_has_these_element_types(triples=types),
        rules.product_extents_are_in_range,
        rules.product_fits_its_accumulator,
        rules.bias_is_as_wide_as_the_product,
    )


def products(types: tuple[str, ...], walk: OperandWalk, *further: Rule, one_row: bool = True) -> Rows:
    """The rows of all products of a target for these triples of element types, with `further` rules.

    `one_row`: True if it can calculate one row alone.
    """
    strides = (rules.operand_blocks_match_the_valid_extent,) if walk.strided else ()
    product = PRODUCT.override(
        rules=(*_rules(types), *strides, *further), model=walk, source="public TMATMUL page and header"
    )
    matrix = product if one_row else product.override(rules=(rules.product_of_one_row_has_16_rows,))
    vector = product.override(
        valid={"lhs": "1 K", "rhs": "K N", "dst acc_in": "1 _"}, model=_of_one_row(walk)
    )
    rows = {
        mm.TMatmulOp: matrix.override(call=_call("TMATMUL", "dst lhs rhs"), idle=True),
        mm.TMatmulAccOp: matrix.override(call=_call("TMATMUL_ACC", "dst acc_in lhs rhs")),
        mm.TMatmulBiasOp: matrix.override(call=_call("TMATMUL_BIAS", "dst lhs rhs bias")),
        mm.TGemvOp: vector.override(call=_call("TGEMV", "dst lhs rhs")),
        mm.TGemvAccOp: vector.override(call=_call("TGEMV_ACC", "dst acc_in lhs rhs")),
        mm.TGemvBiasOp: vector.override(call=_call("TGEMV_BIAS", "dst lhs rhs bias")),
    }
    return {op: _of(op, row) for op, row in rows.items()}


def _of_one_row(walk: OperandWalk) -> OperandWalk:
    return replace(walk, blocks=(1, walk.blocks[1]))


FLOAT8 = ("f8e4m3", "f8e5m2")
FLOAT4 = ("f4E1M2x2", "f4E2M1x2")
MX_TYPES = tuple(f"f32 {lhs} {rhs}" for some in (FLOAT8, FLOAT4) for lhs in some for rhs in some)
"""Element types of products of mx operands."""

MX_OPS: tuple[type[mm.MxOp], ...] = (
    mm.TMatmulMxOp,
    mm.TMatmulMxAccOp,
    mm.TMatmulMxBiasOp,
    mm.TGemvMxOp,
    mm.TGemvMxAccOp,
    mm.TGemvMxBiasOp,
)


def mx_products(walk: OperandWalk) -> Rows:
    """The rows of all products of mx operands."""
    rows: Rows = {}
    for op in MX_OPS:
        vector = op.mnemonic().startswith("tgemv")
        product = PRODUCT.override(
            tiles={
                "lhs_scale": tile("f8E8M0", ZZ_SCALES, SCALING, empty=False),
                "rhs_scale": tile("f8E8M0", NN_SCALES, SCALING, empty=False),
            },
            valid={"lhs": "1 K", "rhs": "K N", "dst": "1 _"} if vector else PRODUCT.valid,
            rules=(
                *_rules(MX_TYPES),
                mx.mx_operand_has_pairs_of_groups,
                mx.each_group_has_a_scale,
                *([rules.operand_blocks_match_the_valid_extent] if walk.strided else []),
            ),
            model=_of_one_row(walk) if vector else walk,
            call=_mx_call(op),
            source="public TMATMUL_MX page and header",
        )
        rows[op] = _of(op, product)
    return rows


def _mx_call(op: type[mm.MxOp]) -> Call:
    """The accumulator comes first, a bias last; with a bias there are no phases."""
    name = "TGEMV_MX" if op.mnemonic().startswith("tgemv") else "TMATMUL_MX"
    slots = [slot.name for slot in op.signature().slots]
    first, last = ("acc_in " if "acc_in" in slots else ""), (" bias" if "bias" in slots else "")
    return _call(name, f"dst {first}lhs lhs_scale rhs rhs_scale{last}")


NO_MX = Unsupported("the matrix unit of A2/A3 knows no scales of groups")


def _of(op: type[mm.ProductOp], row: Row) -> Row:
    """The row without the slots that this product has not."""
    slots = {slot.name for slot in op.signature().slots}

    def kept(specs: Mapping[str, Any]) -> dict[str, Any]:
        return {slot: spec for slot, spec in specs.items() if slot in slots}

    return replace(row, tiles=kept(row.tiles), valid=kept(row.valid))


def _call(name: str, arguments: str) -> Call:
    return Call(name, template="#accPhase", arguments=arguments, only_with="accPhase")


ROWS: Rows = {}
