"""Pointers as numbers: nothing of them runs on a pipe."""

from __future__ import annotations

from ptoas.dialects.pto import pointers as p
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.pointers import integer_pointer_is_for_scalars
from ptoas.targets.specs import ANY, tile

ROWS: Rows = {
    p.PtrToIntOp: Row(),
    p.IntToPtrOp: Row(rules=(integer_pointer_is_for_scalars,)),
    p.CastPtrOp: Row(),
    p.TileBufAddrOp: Row(tiles={"src": tile(ANY)}),
}
