"""Scalars and pointers: the scalar pipe reads and writes global memory itself."""

from __future__ import annotations

from ptoas.dialects.pto import scalar
from ptoas.targets.pipes import S
from ptoas.targets.row import Row, Rows

ROWS: Rows = {
    scalar.LoadScalarOp: Row(pipe=S),
    scalar.StoreScalarOp: Row(pipe=S),
    scalar.AddPtrOp: Row(),
    scalar.GetBlockIdxOp: Row(),
    scalar.GetBlockNumOp: Row(),
}
