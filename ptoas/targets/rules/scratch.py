"""Valid extents of scratch tiles that a header requires."""

from __future__ import annotations

from ptoas.targets.relation import constraint


@constraint(
    "PTO-Q401",
    "tmp.valid_rows >= 1",
    "tmp.valid_cols >= dst.valid_cols",
    source="header of TREMS, A2/A3: valid extents of tmp",
    reason="The library uses the valid extents of the scratch tile, not its size.",
)
def scratch_is_valid_for_a_row() -> None:
    """The scratch tile of trems must have a valid row and the valid columns of the destination."""
