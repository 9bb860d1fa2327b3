"""Repeating rows, columns and scalars on A2/A3; the scalar pipe reads what a row repeats."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.a2a3.elementwise import precise
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Rows, Scratch
from ptoas.targets.rules.expand import scratch_needs_a_column
from ptoas.targets.shared.expand import (
    COLUMN_EXPAND,
    COLUMN_EXPAND_BINARY,
    FILL,
    ROW_EXPAND,
    ROW_EXPAND_BINARY,
    operations,
)
from ptoas.targets.specs import NINE

FOUR, FLOATS = "i16 i32 f16 f32", "f16 f32"


def _needs(know: Facts) -> TileType | None:
    """A block of 32 bytes for each value of a column, eight at once and 256 rows at most. Without it the
    library takes the last 8 KB of UB, whatever lies there."""
    if all(know.tile(slot).type.blayout is BLayout.RowMajor for slot in ("src0", "src1")):
        return None
    dst = know.tile("dst").type
    return TileType.of(dst.element_type, min(-(-dst.rows // 8), 32), 256 // element_size(dst.element_type))


def _least(know: Facts) -> int:
    dst = know.tile("dst")
    rows = dst.rows if dst.valid_rows == DYNAMIC else dst.valid_rows
    return -(-rows // 8) * 256 if rows < 256 else 7680


SPREAD = ROW_EXPAND_BINARY.override(
    rules=(scratch_needs_a_column,), ignores=(), scratch={"tmp": Scratch(_needs, _least, optional=True)}
)

ROWS: Rows = {
    x.TExpandSOp: FILL.of(NINE),
    x.TRowExpandOp: ROW_EXPAND.of(NINE, pipe=Pipes(V, {"src": (S, V)}, before=((V, S),), after=((S, V),))),
    x.TColExpandOp: COLUMN_EXPAND.of(NINE),
    **operations(SPREAD, COLUMN_EXPAND_BINARY, FOUR, precise, FLOATS),
}
