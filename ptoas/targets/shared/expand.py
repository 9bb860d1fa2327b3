"""Rows of instructions that repeat a value."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto import expand as x
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import MTE2, V
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.expand import one_source_has_a_value_for_each_row
from ptoas.targets.specs import PLAIN, ROW_MAJOR, T, Types, tile

FILL = Row(
    tiles={"dst": tile(T, locs="vec mat")},
    pipe=lambda op: MTE2 if _loc(op.destination.type) is TileLoc.Mat else V,
)

ROW_EXPAND = Row(
    tiles={"dst": tile(T), "src": tile(empty=False)},
    valid={"dst": "R C", "src": "R _"},
    idle=True,
    reads_past_valid=True,
    pipe=V,
)

COLUMN_EXPAND = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src": tile(None, ROW_MAJOR)},
    valid={"dst": "R C", "src": "_ C"},
    reads_past_valid=True,
    pipe=V,
)

ROW_EXPAND_BINARY = Row(
    tiles={"dst": tile(T, ROW_MAJOR), "src0 src1": tile(None, PLAIN)},
    valid={"dst": "R C", "src0 src1": "R _"},
    idle=True,
    rules=(one_source_has_a_value_for_each_row,),
    reads_past_valid=True,
    pipe=V,
    ignores=("tmp",),
)
"""Row expansion whose scratch tile is only an argument of the call."""

COLUMN_EXPAND_BINARY = Row(
    tiles={
        "dst": tile(T, ROW_MAJOR),
        "src0": tile(None, ROW_MAJOR),
        "src1": tile(None, ROW_MAJOR, empty=False),
    },
    valid={"dst": "R C", "src0": "R C", "src1": "_ C"},
    idle=True,
    reads_past_valid=True,
    pipe=V,
)


def _loc(type: object) -> TileLoc | None:
    return type.loc.data if isinstance(type, TileType) else None


_BY_ROW = (x.TRowExpandAddOp, x.TRowExpandSubOp, x.TRowExpandMulOp, x.TRowExpandMaxOp, x.TRowExpandMinOp)
_BY_COLUMN = (x.TColExpandAddOp, x.TColExpandSubOp, x.TColExpandMulOp, x.TColExpandMaxOp, x.TColExpandMinOp)


def operations(
    by_row: Row,
    by_column: Row,
    types: str | Types,
    divide: Callable[[Row, str], Row],
    divided: str | Types,
    multiplied: str | None = None,
) -> Rows:
    """The rows of expansion with an operation; `divide` adds what a target says of quotients."""
    products = multiplied or types
    return {
        **by_row.each({**dict.fromkeys(_BY_ROW, types), x.TRowExpandMulOp: products}),
        **by_column.each({**dict.fromkeys(_BY_COLUMN, types), x.TColExpandMulOp: products}),
        x.TRowExpandExpdifOp: by_row.of("f16 f32"),
        x.TRowExpandDivOp: divide(by_row, "Div").of(divided),
        x.TColExpandDivOp: divide(by_column, "Div").of(divided),
    }


ROWS: Rows = COLUMN_EXPAND_BINARY.each({x.TColExpandExpdifOp: "f16 f32"})
"""Rows that are the same on all targets."""
