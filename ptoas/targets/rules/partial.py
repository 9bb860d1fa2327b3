"""Operands that may be missing in part (public TPART* headers)."""

from __future__ import annotations

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import fits
from ptoas.targets.rules.examples import instruction


@rule(
    "PTO-E801",
    source="TPART* headers, valid shapes of the sources",
    reason="An element that neither source has would be undefined.",
    failing=instruction("tpartadd", "16x32xf32", "16x32xf32, valid=8x32", "16x32xf32, valid=16x16"),
    passing=instruction("tpartadd", "16x32xf32", "16x32xf32", "16x32xf32, valid=8x16"),
)
def one_source_is_valid_as_the_destination(op: PtoOp, know: Facts) -> Violations:
    """One source must have the valid shape of the destination, the other must not exceed it."""
    dst = know.tile("dst")
    required = shape_str(dst.valid)
    sources = {slot: know.tile(slot) for slot in ("src0", "src1")}
    large = [slot for slot, tile in sources.items() if _exceeds(tile, dst)]
    for slot in large:
        found = shape_str(sources[slot].valid)
        yield mismatch(f"valid shape of ${slot}", found, f"at most {required}, as $dst", slot=slot)
    if not large and not any(fits(tile.valid, dst.valid) for tile in sources.values()):
        found = " and ".join(shape_str(tile.valid) for tile in sources.values())
        yield mismatch(
            "valid shapes of $src0 and $src1", found, f"{required} for one of them, as $dst", slot="src0"
        )


def _exceeds(tile: TileFacts, dst: TileFacts) -> bool:
    pairs = zip(tile.valid, dst.valid, strict=True)
    return any(DYNAMIC not in (mine, most) and mine > most for mine, most in pairs)
