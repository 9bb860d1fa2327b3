"""Reductions of A2/A3: rows are folded in the scratch tile, integers by the scalar pipe."""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto import reduce as r
from ptoas.dialects.pto.element_types import BY_TYPE, element_size
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.a2a3.elementwise import VECTORS_AND_SCALARS
from ptoas.targets.facts import Facts
from ptoas.targets.pipes import Pipe, Pipes, S, V
from ptoas.targets.row import Rows, Scratch
from ptoas.targets.shared.elementwise import by_element
from ptoas.targets.shared.reduce import (
    COLUMN_ARG,
    COLUMN_REDUCTION,
    ROW_ARG,
    ROW_REDUCTION,
    SUM_OF_PAIRS,
    column_sum,
)
from ptoas.targets.shared.scratch import BLOCK, as_large_as

REPEAT = 256
"""Bytes that the vector unit works on at once."""

BY_SCALARS = Pipes(V, {"dst": S, "tmp": (V, S)}, before=((V, S),), after=((S, V),))


def _pipe(op: Any) -> Pipe | Pipes:
    """The last block of integers is reduced by the scalar pipe, between two handshakes; floats by vectors
    alone (pto/npu/a2a3/TRowSum.hpp, TRowMax.hpp and TRowMin.hpp)."""
    return BY_SCALARS if BY_TYPE[op.src.type.element_type].is_integer else V


FOUR = "i16 i32 f16 f32"

FOLDED = ROW_REDUCTION.override(pipe=_pipe, ignores=(), scratch={"tmp": as_large_as("src", integers=32)})


def _least_row(know: Facts) -> int:
    """Two elements a row; of rows longer than a repeat the winners of each repeat, with their positions."""
    src = know.tile("src")
    rows, cols = (s if v == DYNAMIC else v for s, v in zip(src.type.shape, src.valid, strict=True))
    repeats = -(-cols * src.size // REPEAT)
    if repeats <= 1:
        return 2 * rows * src.size
    return rows * (_blocks(2 * repeats * src.size) + _blocks(repeats * src.size))


def _columns(know: Facts) -> TileType:
    """The position and the value of each column of a repeat; of 16 bits, its position in 32 bits as well."""
    src = know.tile("src").type
    size = element_size(src.element_type)
    width = min(REPEAT, _blocks(src.cols * size)) // size
    return TileType.of(src.element_type, 3 if size == 2 else 2, width)


def _blocks(size: int) -> int:
    """Bytes, in whole blocks."""
    return -(-size // BLOCK) * BLOCK


def _picked(op: Any) -> Pipe | Pipes:
    """The vector pipe finds the positions in rows of one repeat; of longer ones the scalar pipe picks them
    out of the scratch tile. Where only the running program knows, it may be either."""
    src = op.src.type
    if src.valid_cols == DYNAMIC:
        return VECTORS_AND_SCALARS
    if src.valid_cols * element_size(src.element_type) <= REPEAT:
        return V
    return BY_SCALARS


PICKED = ROW_ARG.override(
    pipe=_picked,
    ignores=(),
    source="pto/npu/a2a3/TRowReduceIdxOps.hpp header: OneRepeatProcIdx, ProcReduceIdxStage1 and 2",
    scratch={"tmp": Scratch(as_large_as("src").needs, _least_row)},
)
COMPARED = COLUMN_ARG.override(ignores=(), scratch={"tmp": Scratch(_columns)})

IN_SCRATCH = (("tmp", "src"), ("tmp", "dst"))
"""Each row is folded into the same block of scratch, which is cleared first."""
BY_TYPES = by_element(FOLDED.of(FOUR, no_alias=IN_SCRATCH), FOLDED.of(FOUR))

ROWS: Rows = {
    **dict.fromkeys((r.TRowSumOp, r.TRowMaxOp, r.TRowMinOp), BY_TYPES),
    # The last eight or sixteen factors are multiplied by the scalar pipe, whatever their type
    # (pto/npu/a2a3/TRowProd.hpp).
    r.TRowProdOp: ROW_REDUCTION.of(FOUR, pipe=BY_SCALARS, ignores=(), no_alias=IN_SCRATCH),
    r.TColSumOp: column_sum(COLUMN_REDUCTION.of(FOUR), SUM_OF_PAIRS.of(FOUR)),
    **COLUMN_REDUCTION.each(dict.fromkeys((r.TColProdOp, r.TColMaxOp, r.TColMinOp), FOUR)),
    **PICKED.each(dict.fromkeys((r.TRowArgMaxOp, r.TRowArgMinOp), FOUR)),
    **COMPARED.each(dict.fromkeys((r.TColArgMaxOp, r.TColArgMinOp), "u16 u32 f16 f32")),
}
