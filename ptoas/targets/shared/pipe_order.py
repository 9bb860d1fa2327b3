"""Accesses that the devices' pipes keep in program order, and those that need a barrier (D26)."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation

from ptoas.analysis.order import Access
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import WORKING_PIPES, BLayout, Pipe, SLayout
from ptoas.dialects.pto.expand import TColExpandOp, TRowExpandOp
from ptoas.dialects.pto.instruction import BinaryOp, ScalarOp, UnaryOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.types import DYNAMIC, TileType

OVERLAPPING = frozenset(WORKING_PIPES) - {Pipe.PIPE_S}
"""All pipes but the scalar one begin an instruction before the one before it is done."""

VECTOR_CORE = frozenset({Pipe.PIPE_S, Pipe.PIPE_V, Pipe.PIPE_MTE2, Pipe.PIPE_MTE3})
CUBE_CORE = frozenset({Pipe.PIPE_S, Pipe.PIPE_M, Pipe.PIPE_MTE1, Pipe.PIPE_MTE2, Pipe.PIPE_FIX})
"""Connections of both devices; A2/A3 also has one from L1 to global memory, on MTE3."""

REPEAT = 256
"""Bytes that the vector pipe works on at once."""

ENOUGH_REPEATS = 16
"""After so many, what an instruction wrote first is there when the next one starts reading."""


@cache
def _streams(kind: type[Operation]) -> bool:
    """Return True if an instruction reads its operands element by element, in the order of writing."""
    if issubclass(kind, TRowExpandOp | TColExpandOp):
        return False
    return issubclass(kind, TCvtOp | TMovOp | BinaryOp | ScalarOp | UnaryOp)


def both_load(first: Access, second: Access) -> bool:
    """Return True for two loads, which are a queue in order."""
    return first.pipe is Pipe.PIPE_MTE2 and _loads(first) and _loads(second)


def _loads(touch: Access) -> bool:
    return any(each.pipe is touch.pipe and not each.write and each.is_global for each in touch.beside)


def follows_closely(first: Access, second: Access) -> bool:
    """Return True if the second instruction streams exactly the bytes that the first one wrote.

    There are enough of them that it never reaches an element that is not written yet.
    """
    if first.pipe is not Pipe.PIPE_V or first.spot != second.spot:
        return False
    if not _streams(second.op.__class__):
        return False
    written = [each for each in first.beside if each.write and each.spot == second.spot]
    read = [each for each in second.beside if not each.write and each.spot == second.spot]
    return bool(written and read) and all(map(_is_long, (first, second, *written, *read)))


def load_or_follow(first: Access, second: Access) -> bool:
    """Return True if `a2a3` keeps the order of two accesses."""
    return both_load(first, second) or follows_closely(first, second)


def _is_long(touch: Access) -> bool:
    """Return True if an access covers a whole tile whose valid bytes are contiguous, and enough of them."""
    type = touch.value.type
    if not touch.is_whole or not isinstance(type, TileType) or DYNAMIC in type.valid:
        return False
    rows, cols = type.valid
    by_row = type.blayout is BLayout.RowMajor
    whole = cols == type.cols if by_row else rows == type.rows
    if not whole or type.slayout is not SLayout.NoneBox:
        return False
    return rows * cols * element_size(type.element_type) >= ENOUGH_REPEATS * REPEAT
