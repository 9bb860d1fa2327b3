"""TGATHER by comparison: how targets read thresholds and count positions, and what it costs in scratch.

The library takes a tile with a whole number for each row. A2/A3 converts it to the source's type, A5 converts
the source instead: f32 is rounded, and integers are compared without their signs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i32

from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE, ElementType
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.row import Call, Row, Scratch

if TYPE_CHECKING:
    from ptoas.targets.facts import Facts

REPEAT = 256
"""Bytes that a vector instruction does at a time."""

LANES = 64
"""Elements that A5 compares at a time, whatever their type: positions advance by as many."""


@dataclass(frozen=True)
class CompareModel:
    """A target's way of comparing."""

    signed: bool
    """True if thresholds are signed; otherwise neither they nor the integers of the source are."""
    rounds: bool
    """True if f32 of the source is rounded to whole numbers first."""
    whole_repeats: bool
    """True if a row takes whole repeats of positions; otherwise as many as the source has columns."""
    after_scratch: bool = False
    """True if positions and thresholds are stored after the scratch tile, which contains only the lines
    of bits if its elements are bytes.
    """

    def threshold(self, source: ElementType) -> ElementType:
        """The element type of a tile of thresholds for a source."""
        letter = "i" if self.signed else "u"
        return BY_TEXT[f"{letter}{16 if source.size == 2 else 32}"]


def form(op: TGatherOp) -> str:
    """The forms that have rows of their own: a threshold that is a number is another one."""
    return "number" if op.threshold is not None else op.form


CALL = Call(
    template="type:dst type:src type:indices type:cdst type:tmp #cmpMode",
    arguments="dst src indices cdst tmp #offset",
)
NO_CALL = Call(
    unsupported="the library compares with whole numbers of 0 or more, a tile of them with one a row: give "
    "such a tile, an integer, or a whole constant"
)


def compare_rows(row: Row) -> dict[str, Row]:
    """The rows of the compare form: with a tile of thresholds, and with a number that is left."""
    return {"compare": replace(row, call=CALL), "number": replace(row, call=NO_CALL)}


# --- scratch ---------------------------------------------------------------------------------------


def scratch_bytes(src: TileType, valid_rows: int, tmp: TileType) -> int:
    """Bytes that A2/A3 writes from the start of the scratch tile.

    They are a line of bits for each row, at a distance of the tile's width (in bytes), a position for each
    element of the source, and the converted thresholds.
    """
    element = BY_TYPE[src.element_type]
    if element.is_integer:
        converted = src.rows * element.size
    else:
        rows = src.rows if valid_rows == DYNAMIC else valid_rows
        converted = -(-rows * element.size // REPEAT) * REPEAT
    return tmp.rows * tmp.cols + src.rows * src.cols * 4 + converted


def _bytes_from(know: Facts, tmp: TileType) -> int:
    src = know.tile("src")
    return scratch_bytes(src.type, src.valid_rows, tmp)


def line_bytes(know: Facts) -> int:
    """Bytes of one line of bits: whole repeats, a bit for each element."""
    src = know.tile("src")
    lanes = REPEAT // src.size
    cols = src.cols if src.valid_cols == DYNAMIC else src.valid_cols
    return -(-cols // lanes) * lanes // 8


def _needs(know: Facts) -> TileType:
    """The scratch tile: four bytes an element hold everything after the lines of bits."""
    rows = know.tile("src").rows
    line = max(line_bytes(know), BURST)
    behind = _bytes_from(know, TileType.of(i32, 1, 1)) - 1
    cols = max(line, -(-behind // (3 * rows)))
    return TileType.of(i32, rows, -(-cols // BURST) * BURST)


def _least(know: Facts) -> int:
    return _bytes_from(know, know.tile("tmp").type)


LINES_AND_POSITIONS = Scratch(_needs, _least, uses_bytes_after=True)
