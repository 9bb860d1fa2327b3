"""Several tiles under one name."""

from __future__ import annotations

from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.examples import kernel

_MULTI = "!pto.multi_tile_buf<vec, 16x16xf16, count=2>"


def _get(slot: int) -> str:
    return kernel(
        f"%k = arith.constant {slot} : index",
        f"%m = pto.alloc_multi_tile : {_MULTI}",
        f"%t = pto.multi_tile_get %m[%k] : {_MULTI} -> !pto.tile_buf<vec, 16x16xf16>",
        args="",
    )


@rule(
    "PTO-G306",
    source="PTOAS multi_tile_get",
    reason="Beyond the last tile lies other memory.",
    failing=_get(2),
    passing=_get(1),
)
def tile_is_one_of_several(op: MultiTileGetOp, know: Facts) -> Violations:
    """The number of a tile must be less than the count of the multi tile, counted from 0."""
    count = len(know.values("source"))
    (slot,) = know.constants("slot")
    if slot is not None and not 0 <= slot < count:
        yield mismatch("tile of a multi tile", slot, f"0 to {count - 1}", slot="slot", part="value")
