"""Rules of arithmetic and moves: pairs of types and of memories, precision, shifts."""

from __future__ import annotations

from dataclasses import replace

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.movement import TTransOp
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import fits
from ptoas.targets.rules.examples import instruction


@constraint(
    "PTO-E401",
    Relation(
        "dst.memory in ways[src.memory]",
        message="no move from {src.memory} to {found}; {src.memory} moves to {expected}",
    ),
    source="public TMOV page, Constraints",
    reason="The hardware connects only some of the memories.",
    failing=instruction("tmov", "left, 16x32xf32, slayout=row_major", "16x32xf32"),
    passing=instruction("tmov", "16x32xf32", "16x32xf32"),
)
def move_between_memories_exists() -> None:
    """The target must support a move from the source's memory to the destination's."""


@constraint(
    "PTO-E318",
    "tmp.element == dst.element, as ${slot}",
    source="device headers of A2/A3, TXOR and TXORS: TXorCheck and the checks of TAND",
    reason="The library computes the bitwise or into the scratch tile with the instructions of the result.",
)
def scratch_has_the_elements_of_the_destination() -> None:
    """The scratch tile must have the element type of the destination."""


_DEFAULT_PRECISION = Relation(
    "precisionType == default",
    what="precision",
    fix="leave the attribute out",
    fixit=Fixit("drop field", old="precisionType"),
)


@constraint(
    "PTO-E312",
    replace(_DEFAULT_PRECISION, when="by_scratch != True"),
    Relation(
        "precisionType == default",
        what="precision",
        fix="give it a scratch tile",
        when="by_scratch == True and tmp == none",
    ),
    source="device headers of A2/A3: the template parameter is taken and not used",
    reason="The result has the default precision, and the attribute is ignored.",
    severity=Severity.WARNING,
)
def high_precision_has_an_effect() -> None:
    """A higher precision must be supported by the target, directly or with a scratch tile."""


@constraint(
    "PTO-E317",
    _DEFAULT_PRECISION,
    source="public TPOW page, A2/A3; pto/npu/a2a3/TPow.hpp header: one algorithm",
    reason="The header accepts the parameter but computes with the default precision.",
)
def power_has_one_precision() -> None:
    """tpow and tpows have no high-precision algorithm on A2/A3."""


@constraint(
    "PTO-E313",
    "tmp.type == dst.type",
    source="header of the simulator: one template parameter for both tiles",
    reason="The library's call takes both tiles as one C++ type.",
    failing=instruction("trems", "16x32xf32", "16x32xf32", "f32", "1x32xf32"),
    passing=instruction("trems", "16x32xf32", "16x32xf32", "f32", "16x32xf32"),
)
def scratch_has_the_type_of_the_destination() -> None:
    """A scratch tile must have the type of the destination."""


@rule(
    "PTO-V133",
    source="pto_instr.hpp, TAND and TOR; headers of the simulator, TADD and TABS: one template parameter",
    reason="The call does not compile with different tile types.",
    failing=instruction("tand", "16x32xi16", "16x32xi16", "16x64xi16, valid=16x32"),
    passing=instruction("tand", "16x32xi16", "16x32xi16", "16x32xi16"),
)
def tiles_have_one_type(op: PtoOp, know: Facts, slots: str = "src0 src1") -> Violations:
    """Tiles that the library's call takes as one C++ type must have the type of the destination."""
    dst = know.tile("dst")
    for slot in slots.split():
        tile = know.tile(slot)
        # Another memory, layout or valid shape is wrong for a better reason.
        alike = (tile.loc, tile.layout_text) == (dst.loc, dst.layout_text) and fits(tile.valid, dst.valid)
        if alike and tile.type != dst.type:
            yield mismatch(f"type of ${slot}", tile.type.body(), f"{dst.type.body()}, as $dst", slot=slot)


def _valid_type_of_result(op: PtoOp, know: Facts) -> tuple[int, ...]:
    valid = know.tile("dst").type.valid
    return valid[::-1] if isinstance(op, TTransOp) else valid


@constraint(
    "PTO-E314",
    Relation("src.type.valid opens as", _valid_type_of_result, what="valid shape of $src in its type"),
    source="header of the simulator: static_assert on the static valid extents",
    reason="A dynamic extent in one type and a static one in the other does not compile.",
    failing=instruction("tsqrt", "16x32xf32", "16x32xf32, valid=16x?"),
    passing=instruction("tsqrt", "16x32xf32, valid=16x?", "16x32xf32, valid=16x?"),
)
def valid_extents_are_open_in_both() -> None:
    """A valid extent must be dynamic in the types of both tiles or in neither (rows and columns swapped for a
    transposed tile)."""


@constraint(
    "PTO-E315",
    Relation("scalar in 0 to 8 * src.size - 1", what="shift in bits"),
    source="C++ and the device headers: a shift by the width or more, or backwards, is not defined",
    reason="No document defines the result of a larger shift.",
)
def shift_is_less_than_the_width() -> None:
    """A tile must be shifted by 0 or more bits, and fewer than its elements have."""


@constraint(
    "PTO-E316",
    Relation("dst.element == src.element or f32", when="src.element == f16"),
    Relation("dst.element == src.element", fix="", when="src.element != f16"),
    source="device headers, TAXPY: static_assert on the two types",
    reason="The product is added in the destination's type; the hardware has no other pair.",
)
def sum_has_the_type_of_the_product() -> None:
    """The destination must have the source's element type, or be f32 if the source is f16."""


WIDE_LANES = 64
"""Columns that one vector of 64-bit integers has."""


@constraint(
    "PTO-E956",
    Relation(
        f"dst.valid_cols <= {WIDE_LANES}",
        fix=f"divide tiles of {WIDE_LANES} columns one after the other",
    ),
    source="device header of A5, Int64Div.hpp: a loop over rows, and one vector for each",
    reason="Further columns keep their old contents.",
)
def quotient_fits_one_vector() -> None:
    """Quotients and remainders of 64-bit integers must not have more valid columns than a vector has
    lanes."""
