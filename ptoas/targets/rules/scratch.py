"""Valid extents of scratch tiles that a header requires."""

from __future__ import annotations

from ptoas.targets.relation import Relation, Stated, constraint
from ptoas.targets.rules.examples import kernel


def _trems(tmp: str) -> str:
    tile, scratch = "!pto.tile_buf<vec, 16x64xf32>", f"!pto.tile_buf<vec, {tmp}>"
    return kernel(
        f"pto.trems ins(%s, %k, %t : {tile}, f32, {scratch}) outs(%d : {tile})",
        args=f"%s: {tile}, %k: f32, %t: {scratch}, %d: {tile}",
    )


@constraint(
    "PTO-Q401",
    source="header of TREMS, A2/A3: valid extents of tmp",
    reason="The library uses the valid extents of the scratch tile, not its size.",
    failing=_trems("1x64xf32, valid=1x32"),
    passing=_trems("1x64xf32"),
)
def scratch_is_valid_for_a_row() -> Stated:
    """The scratch tile of trems must have a valid row and the valid columns of the destination."""
    yield Relation("tmp.valid_rows", "at least", 1)
    yield Relation("tmp.valid_cols", "at least", "dst.valid_cols")
