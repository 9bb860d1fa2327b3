"""The width of a table beside open valid columns, where the library compares both as they are written.

A width that is known is passed as an open one, too, as the library's own tests do:

GlobalTensor<float, Shape<1, 1, 1, 64, -1>, Stride<1, 1, 1, 32, 1>> table1(table, Shape<1, 1, 1, 64, -1>(32));
MGATHER<Coalesce::Row>(dst, table1, idx);
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ptoas.dialects.pto.enums import Coalesce
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.types import DYNAMIC, TileType

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@contextmanager
def open_row_width(emit: FunctionEmitter, op: IndexedMemoryOp) -> Generator[None]:
    """Around the call the table has an open width, where the valid columns of the tile are open."""
    view, data = emit.view(op.mem), op.values_of(op.DATA)[0].type
    width = view.shape[-1]
    assert isinstance(data, TileType)
    is_row = emit.target.value(op, "coalesce") is Coalesce.Row
    compares = is_row and emit.target.model(op).compares_width
    if not compares or data.valid_cols != DYNAMIC or isinstance(width, str):
        yield
        return
    emit.show_as(op.mem, replace(view, shape=(*view.shape[:-1], str(width))))
    yield
    emit.show_as(op.mem, None)
