"""What scratch tiles are valid for, where a header asks."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto.tile_scalar import TRemSOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.examples import kernel

Violations = Iterator[Violation]


def _trems(tmp: str) -> str:
    tile, scratch = "!pto.tile_buf<vec, 16x64xf32>", f"!pto.tile_buf<vec, {tmp}>"
    return kernel(
        f"pto.trems ins(%s, %k, %t : {tile}, f32, {scratch}) outs(%d : {tile})",
        args=f"%s: {tile}, %k: f32, %t: {scratch}, %d: {tile}",
    )


@rule(
    "PTO-Q401",
    source="header of TREMS, A2/A3: valid extents of tmp",
    reason="The library asks what the scratch tile is valid for, not how large it is.",
    failing=_trems("1x64xf32, valid=1x32"),
    passing=_trems("1x64xf32"),
    on="a2a3",
)
def scratch_is_valid_for_a_row(op: TRemSOp, know: Facts) -> Violations:
    """The scratch tile of trems is valid for a row, and for the columns of the destination."""
    if op.tmp is None:
        return
    tmp, dst = know.tile("tmp"), know.tile("dst")
    if 0 <= tmp.valid_rows < 1:
        yield mismatch("valid rows of tmp", tmp.valid_rows, "at least 1", slot="tmp")
    if DYNAMIC not in (tmp.valid_cols, dst.valid_cols) and tmp.valid_cols < dst.valid_cols:
        yield mismatch("valid columns of tmp", tmp.valid_cols, f"at least {dst.valid_cols}", slot="tmp")
