"""Single elements of tiles."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto.scalar import TGetValOp, TSetValOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.examples import kernel

Violations = Iterator[Violation]

_TILE = "!pto.tile_buf<vec, 16x32xf32>"


def _set(offset: int) -> str:
    return kernel(
        f"%n = arith.constant {offset} : index",
        f"pto.tsetval ins(%n, %x : index, f32) outs(%t : {_TILE})",
        args=f"%t: {_TILE}, %x: f32",
    )


@rule(
    "PTO-V121",
    source="PTOAS tgetval, tsetval: the offset counts elements of the tile",
    reason="Behind the tile lies another one.",
    failing=_set(512),
    passing=_set(511),
    on="cpu a2a3 a5",
)
def element_is_inside_the_tile(op: TGetValOp | TSetValOp, know: Facts) -> Violations:
    """The element that tgetval reads or tsetval writes is one of the physical tile's."""
    tile = know.tile(op.HOLDER).type
    (offset,) = know.constants("offset")
    count = tile.rows * tile.cols
    if offset is not None and not 0 <= offset < count:
        yield mismatch("offset", offset, f"0 to {count - 1}", slot="offset", part="value")
