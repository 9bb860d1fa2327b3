"""Products of matrices (public TMATMUL and TGEMV pages and headers)."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.packing import is_packed
from ptoas.analysis.storage import underlying_tile
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.geometry import BOX_ROWS, box_of
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.matmul import ProductOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets import drawing
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Related, Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target

MOST = 4095
"""Rows and columns that the matrix unit counts."""


@rule(
    "PTO-K101",
    source="header of TMATMUL, static checks",
    reason="The matrix unit multiplies these types and adds in 32 bits.",
)
def product_has_these_element_types(op: ProductOp, know: Facts, triples: tuple[str, ...] = ()) -> Violations:
    """The target must support the element types of the accumulator and both operands; a bias has the type of
    the accumulator."""
    found = tuple(know.tile(slot).element for slot in ("dst", "lhs", "rhs"))
    legal = [tuple(BY_TEXT[text] for text in triple.split()) for triple in triples]
    if found not in legal:
        names = "; ".join(f"{a} and {b} to {c}" for c, a, b in map(str.split, triples))
        c, a, b = (each.text.removeprefix("!pto.") for each in found)
        yield mismatch("element types", f"{a} and {b} to {c}", f"one of: {names}", slot="dst")
    if _has_bias(op, know) and (bias := know.tile("bias")).element is not found[0]:
        yield mismatch("element type of $bias", bias.element_name, f"{found[0].text}, as $dst", slot="bias")


def _has_bias(op: ProductOp, _know: Facts) -> bool:
    return any(slot.name == "bias" for slot in op.signature().slots)


@constraint(
    "PTO-K102",
    *(f"{slot}.valid_{dim} <= {MOST}" for slot in ("lhs", "rhs") for dim in ("rows", "cols")),
    source="header of TMATMUL, CheckDynamicMad",
    reason="The matrix unit counts rows and columns in 12 bits.",
)
def product_extents_are_in_range() -> None:
    """A product must have at most 4095 rows and columns, and at most 4095 terms per sum."""


@constraint(
    "PTO-K103",
    Relation("bias.valid_cols >= rhs.valid_cols, as $rhs", when=_has_bias),
    source="public TMATMUL_BIAS page",
    reason="Every column of the product has its own bias.",
)
def bias_is_as_wide_as_the_product() -> None:
    """A bias must have at least as many valid columns as the product."""


@constraint(
    "PTO-K107",
    "dst.rows >= lhs.valid_rows",
    "dst.cols >= rhs.valid_cols",
    source="header of TMATMUL: m, k and n are the valid extents of the operands",
    reason="The matrix unit writes as many rows and columns as the operands have.",
    on="a2a3 a5",
)
def product_fits_its_accumulator() -> None:
    """The destination must have at least as many rows as lhs has valid rows, and as many columns as rhs.
    Further valid elements in its last blocks are undefined on a device (D57)."""


@constraint(
    "PTO-K104",
    Relation(
        f"dst.rows >= {BOX_ROWS}",
        what="rows of $dst for a product of one row",
        fix="give $dst 16 rows, of which one is valid, or use tgemv",
        when="lhs.valid_rows == 1",
    ),
    source="header of TMATMUL, A2/A3: m == 1",
    reason="A product of one row is computed as 16 rows, and all of them are written.",
)
def product_of_one_row_has_16_rows() -> None:
    """A product of one row needs a destination of at least 16 rows; 15 of them are undefined."""


@constraint(
    "PTO-K108",
    "dst.rows == lhs.rows",
    "rhs.rows == lhs.cols",
    "dst.cols == rhs.cols",
    source="header of TMATMUL, the simulator: static checks",
    reason="The simulator compares physical extents, not valid ones.",
)
def simulator_multiplies_whole_tiles() -> None:
    """On cpu dst must have the physical rows of lhs and the physical columns of rhs, and rhs as many rows as
    lhs has columns."""


@rule(
    "PTO-K105",
    source="headers of TMATMUL, TEXTRACT and TSTORE: strides of operands",
    reason="The matrix unit knows addresses and the extents of the product, not the shape of the tile: "
    "it steps over the valid extent, rounded up to blocks.",
)
def operand_blocks_match_the_valid_extent(op: ProductOp, know: Facts) -> Violations:
    """If blocks follow each other at a stride of the tile's extent, the valid extent rounded up to blocks
    must be that extent, unless the tile is compact, has one line of blocks, or has 8-bit elements and was
    transposed when moved from mat."""
    for word in know.model.strided.split():
        slot, _, dim = word.partition(".")
        tile = know.tile(slot)
        at = ("rows", "cols").index(dim)
        box = box_of(tile.type.slayout, tile.type.fractal, tile.size)
        valid, across = tile.valid[at], tile.valid[1 - at]
        if tile.type.packs or DYNAMIC in (valid, across) or 0 in tile.valid:
            continue
        walked = -(-valid // box[at]) * box[at]
        physical = _surrounding(know, slot).shape[at]
        if walked < physical and across > box[1 - at] and not is_packed(know.values(slot)[0]):
            word = ("rows", "columns")[at]
            fix = f"declare ${slot} with {walked} {word}, or with compact=normal"
            if physical != tile.type.shape[at]:
                fix = f"use a separate tile of {walked} {word} instead of a window of one with {physical}"
            what = f"{word} of ${slot}, of which {valid} are valid"
            lines = -(-across // box[1 - at])
            picture = (Related(drawing.strides(valid, physical, box[at], lines)),)
            yield mismatch(what, physical, walked, slot=slot, fix=fix, related=picture)


def _surrounding(know: Facts, slot: str) -> TileType:
    """The type of an operand, or of the tile around it if it is a window."""
    _, windows = underlying_tile(know.values(slot)[0])
    outermost = windows[-1].source.type if windows else None
    return outermost if isinstance(outermost, TileType) else know.tile(slot).type


@function_rule(
    "PTO-K106",
    source="D37; headers of TMATMUL_ACC",
    reason="The devices always add to the destination, whatever the other operand is.",
)
def an_accumulator_is_one_buffer(facts: FunctionFacts, _target: Target) -> Violations:
    """The accumulator that is read and the one that is written must be the same tile."""
    for ops in facts.by_class.values():
        for op in ops:
            if not isinstance(op, PtoOp) or op.results:
                continue
            for destination, operand in op.TIED:
                first, second = (op.operands_of(slot)[0] for slot in (destination, operand))
                a, b = facts.places(first), facts.places(second)
                if not any(one.overlaps(other, unsure=True) for one in a for other in b):
                    yield Violation(
                        f"the product is added to `{value_name(second)}` but written to "
                        f"`{value_name(first)}`; both must be one tile",
                        op=op,
                        slot=operand,
                        part="value",
                        fix=f"write `{value_name(first)}` in both places",
                        fixit=Fixit("place", value_name(first), safe=False),
                    )
