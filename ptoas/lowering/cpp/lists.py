"""A list of indices that is loaded into a tile of one column (document 002's own example).

The library loads nd memory into row-major tiles only. One row is one column as well:

GlobalTensor<int32_t, Shape<1, 1, 1, 16, 1>, Stride<16, 16, 16, 1, 16>, Layout::DN> indices1(indices);
TLOAD(idx, indices1);
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.lowering.cpp.types import CppView
from ptoas.targets.rules.memory import is_list_for_a_column

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter


@contextmanager
def list_as_column(emit: FunctionEmitter, op: TLoadOp) -> Generator[None]:
    """Around the call the memory is the column that it is as well, where the tile is one."""
    tile, memory = emit.knowledge.tile(op.destination), emit.knowledge.view(op.mem)
    if not is_list_for_a_column(tile, memory):
        yield
        return
    view = emit.view(op.mem)
    count = view.shape[-1]
    column = CppView(view.element, view.pointer, (count, 1), (1, count), Layout.DN, view.count)
    emit.show_as(op.mem, column)
    yield
    emit.show_as(op.mem, None)
