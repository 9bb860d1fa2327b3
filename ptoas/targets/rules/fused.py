"""Rules of fused and pairwise arithmetic."""

from __future__ import annotations

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.fused import TPairReduceSumOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.targets.facts import Facts
from ptoas.targets.isa import HEADERS
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import only_in_headers
from ptoas.targets.rules.examples import instruction

_PADDED = "16x32xf32, valid=16x24"


@rule(
    "PTO-E957",
    source="pto_instr.hpp header of August 2026",
    reason="No document describes the instruction, and older libraries do not have it.",
    failing=instruction("tpairreducesum", _PADDED, _PADDED),
    passing=instruction("tabs", _PADDED, _PADDED),
    severity=Severity.WARNING,
)
def revision_has_the_instruction(op: PtoOp, know: Facts) -> Violations:
    """An instruction that only the headers describe should be used with the revision of those headers."""
    return only_in_headers(know, f"`{op.mnemonic()}`")


@constraint(
    "PTO-E958",
    "dst.valid_cols % 2",
    source="headers of TINTERLEAVE, TDEINTERLEAVE and TPAIRREDUCESUM",
    reason="Columns are processed in pairs; targets treat a single last one differently.",
    failing=instruction("tpairreducesum", "16x32xf32, valid=16x7", "16x32xf32, valid=16x7"),
    passing=instruction("tpairreducesum", "16x32xf32, valid=16x8", "16x32xf32, valid=16x8"),
    example_isa=HEADERS,
)
def valid_columns_are_even() -> None:
    """The number of valid columns must be even."""


@constraint(
    "PTO-E959",
    Relation("dst.element in pairs[src0.element], for sources of {src0.element}", fix=""),
    source="headers of TADDRELUCONV and TSUBRELUCONV: static_assert on the two types",
    reason="Each conversion is an instruction of its own.",
    failing=instruction("taddreluconv", "16x32xi8", *["16x32xf32"] * 2),
    passing=instruction("taddreluconv", "16x32xf16", *["16x32xf32"] * 2),
    example_isa=HEADERS,
)
def narrowing_exists() -> None:
    """The target must support the conversion from the sources' element type to the destination's."""


@rule(
    "PTO-E960",
    source="pto/npu/a5/TPairReduceSum.hpp header: one loop over tiles whose columns are all valid",
    reason="The sums of the second row would follow those of the first one in its row.",
    failing=instruction("tpairreducesum", "16x32xf32", "16x32xf32"),
    passing=instruction("tpairreducesum", _PADDED, _PADDED),
    example_isa=HEADERS,
)
def tile_has_more_columns_than_are_valid(op: TPairReduceSumOp, know: Facts) -> Violations:
    """A tile of several rows must have more columns than are valid."""
    dst, src = know.tile("dst").type, know.tile("src").type
    packed = all(tile.valid[1] == tile.cols for tile in (dst, src)) and (dst.rows, src.rows) != (1, 1)
    if packed and know.tile("dst").valid_rows != 1:
        fix = "declare both tiles with more columns than are valid"
        yield mismatch("valid columns of $dst", dst.cols, f"less than {dst.cols}", slot="dst", fix=fix)


@constraint(
    "PTO-E961",
    "src0.valid_cols == 2 * dst.valid_cols, twice those of $dst",
    source="headers of TDEINTERLEAVE: assertions of the form with one source",
    reason="The source's columns are shared between the two destinations.",
    example_isa=HEADERS,
)
def source_is_twice_as_wide() -> None:
    """A single source must have twice the valid columns of each destination."""
