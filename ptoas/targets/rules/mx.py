"""Products of mx operands (public TMATMUL_MX and TGET_SCALE_ADDR pages and headers)."""

from __future__ import annotations

from functools import partial

from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.geometry import LAYOUTS
from ptoas.dialects.pto.matmul import MxOp, TGetScaleAddrOp
from ptoas.dialects.pto.types import DYNAMIC, SCALE_MEMORIES, TileType
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint, orders_note
from ptoas.targets.rule import Violation, Violations, mismatch, rule, target_rule
from ptoas.targets.target import Target

GROUP, STEP = 32, 64
"""Numbers along k that share a scale, and of which k is made."""


def _numbers(tile: TileType) -> int:
    """The number of values that an element along k packs."""
    return 2 if tile.element_type.name.startswith("pto.f4") else 1


@constraint(
    "PTO-G201",
    Relation(
        f"lhs.numbers % {STEP}",
        what="numbers in a row of $lhs",
        fix="give the tile {multiple} columns, of which {lhs.valid_cols} are valid",
    ),
    Relation(
        "dst.whole_bytes <=",
        lambda _, know: know.target.memories[TileLoc.Acc] or DYNAMIC,
        what="physical size of $dst",
    ),
    source="header of TMATMUL_MX, CheckMadMxValid",
    reason="The matrix unit takes two groups of 32 numbers and their scales at a time.",
    on="a5",
)
def mx_operand_has_pairs_of_groups() -> None:
    """The columns of lhs of an mx product must be a multiple of 64 numbers; fewer may be valid. The physical
    size of dst must fit its memory, even if it is compact."""


def _groups(slot: str, dim: int, _op: MxOp, know: Facts) -> int:
    """The number of groups along k for which a tile is valid."""
    tile = know.tile(slot)
    terms = tile.valid[dim]
    return DYNAMIC if terms == DYNAMIC else -(-terms * _numbers(tile.type) // GROUP)


@constraint(
    "PTO-G202",
    "lhs_scale.valid_rows >= lhs.valid_rows",
    Relation("lhs_scale.valid_cols >=", partial(_groups, "lhs", 1)),
    Relation("rhs_scale.valid_rows >=", partial(_groups, "rhs", 0)),
    "rhs_scale.valid_cols >= rhs.valid_cols",
    source="public TMATMUL_MX page: shapes of the scales",
    reason="Every group of 32 numbers has a scale.",
    on="a5",
)
def each_group_has_a_scale() -> None:
    """lhs_scale needs a valid row for each row of lhs and a column for each 32 numbers; rhs_scale needs a
    column for each column of rhs and a row for each 32 numbers."""


@target_rule(
    "PTO-G203",
    source="header of TGET_SCALE_ADDR, GetScaleAddr",
    reason="The matrix unit finds the scales by the address of the operand.",
)
def scales_are_at_the_address_of_their_operand(facts: FunctionFacts, target: Target) -> Violations:
    """The scales of an mx operand must be at its address divided by 16; use tget_scale_addr."""
    if TileLoc.ScaleLeft not in target.memories or not target.has_pipes:
        return
    bindings = [op for op in facts.ops if isinstance(op, TGetScaleAddrOp)]
    for op in facts.ops:
        if not isinstance(op, MxOp):
            continue
        for slot in ("lhs", "rhs"):
            operand, scale = op.operands_of(slot)[0], op.operands_of(f"{slot}_scale")[0]
            bound = {
                root for each in bindings if _meet(each.dst, scale) for root in underlying_values(each.src)
            }
            if bound and bound & {*underlying_values(operand)}:
                continue
            others = ", ".join(f"`{value_name(each)}`" for each in bound)
            found = f"has the address of the scales of {others}" if bound else "has no address"
            yield Violation(
                f"`{value_name(scale)}` {found}; it must be bound to `{value_name(operand)}`",
                op=op,
                slot=f"{slot}_scale",
                part="value",
                fix=f"add `pto.tget_scale_addr ins({value_name(operand)} : {operand.type}) "
                f"outs({value_name(scale)} : {scale.type})` before it",
            )


def _meet(one: object, other: object) -> bool:
    return bool({*underlying_values(one)} & {*underlying_values(other)})  # pyright: ignore[reportArgumentType]


@rule(
    "PTO-G204",
    source="header of TGET_SCALE_ADDR",
    reason="The address of the scales follows from that of an operand in L0A or L0B.",
)
def scales_belong_to_their_operand(op: TGetScaleAddrOp, know: Facts) -> Violations:
    """tget_scale_addr binds scales in row_major + row_major boxes to a tile in left, and scales in col_major
    + col_major boxes to a tile in right. Another element type is a warning, because the header accepts any
    tile."""
    src, dst = know.tile("src"), know.tile("dst")
    pairs = {TileLoc.Left: TileLoc.ScaleLeft, TileLoc.Right: TileLoc.ScaleRight}
    if src.loc not in pairs:
        yield mismatch("memory of $src", src.loc.value, "left or right", slot="src")
    elif dst.loc is not pairs[src.loc]:
        order = LAYOUTS["Zz" if src.loc is TileLoc.Left else "Nn"]
        required = f"f8E8M0 in scaling, {order[0].value} + {order[1].value}, fractal 32"
        found = f"{dst.element_name} in {dst.loc.value}, {dst.layout_text}"
        soft = Severity.WARNING if _has_layout_of_scales(dst.type, pairs[src.loc]) else None
        picture = orders_note((dst.type.blayout, dst.type.slayout), order)
        what = f"scales of a tile in {src.loc.value}"
        yield mismatch(what, found, required, slot="dst", severity=soft, related=picture)


def _has_layout_of_scales(type: TileType, expected: TileLoc) -> bool:
    """Return True if a tile has the layout of the scales in this memory, whatever its element type."""
    own = type.loc.data
    return own is TileLoc.Scaling and SCALE_MEMORIES.get((type.blayout, type.slayout)) is expected
