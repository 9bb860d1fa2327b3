"""Scalars and pointers: the scalar pipe reads and writes global memory, and the unified buffer, itself."""

from __future__ import annotations

from ptoas.dialects.pto import scalar
from ptoas.targets.pipes import S
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.scalar import element_is_inside_the_tile
from ptoas.targets.specs import tile

ROWS: Rows = {
    scalar.LoadScalarOp: Row(pipe=S),
    scalar.StoreScalarOp: Row(pipe=S),
    scalar.TGetValOp: Row(tiles={"src": tile()}, rules=(element_is_inside_the_tile,), pipe=S),
    scalar.TSetValOp: Row(tiles={"dst": tile()}, rules=(element_is_inside_the_tile,), pipe=S),
    scalar.AddPtrOp: Row(),
    scalar.GetBlockIdxOp: Row(),
    scalar.GetBlockNumOp: Row(),
    scalar.GetSubblockIdxOp: Row(),
    scalar.GetSubblockNumOp: Row(),
}
