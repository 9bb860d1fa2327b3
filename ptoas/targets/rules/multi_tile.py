"""Several tiles under one name."""

from __future__ import annotations

from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule


@rule(
    "PTO-G306",
    source="PTOAS multi_tile_get",
    reason="Beyond the last tile lies other memory.",
)
def tile_is_one_of_several(op: MultiTileGetOp, know: Facts) -> Violations:
    """The number of a tile must be less than the count of the multi tile, counted from 0."""
    count = len(know.values("source"))
    (slot,) = know.constants("slot")
    if slot is not None and not 0 <= slot < count:
        yield mismatch("tile of a multi tile", slot, f"0 to {count - 1}", slot="slot", part="value")
