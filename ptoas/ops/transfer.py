"""Mapping between a global-memory view and a tile's valid region, for loads and stores.

ND stacks the first four dimensions as rows; DN stacks the first three and the last as columns; NZ is
(batch, block column, block row, row in block, column in block) on both sides. Scales of mx operands lie in
boxes of 16x2, whole ones, the next box of columns behind the last; for the right operand transposed.
"""

from __future__ import annotations

from math import prod

from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.geometry import SCALE_BOX, strided
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import MAX_RANK
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile


def logical_extents(view: View) -> tuple[int, int]:
    """Rows and columns of a view, as a tile sees them."""
    s = view.shape5
    match view.layout:
        case Layout.NZ:
            return s[2] * s[3], s[0] * s[1] * s[4]
        case Layout.DN:
            return s[3], s[0] * s[1] * s[2] * s[4]
        case Layout.MX_A_ZZ if len(view.shape) == MAX_RANK:
            return s[0] * s[1] * s[3], s[2] * s[4]
        case Layout.MX_B_NN if len(view.shape) == MAX_RANK:
            return s[2] * s[4], s[0] * s[1] * s[3]
        case _:
            return s[0] * s[1] * s[2] * s[3], s[4]


def boxes_of_scales(view: View) -> Array:
    """Memory as (1, boxes, boxes, 16, 2); a view of two dimensions says how many scales there are."""
    if len(view.shape) == MAX_RANK:
        return view.array
    (rows, cols), stride = view.shape5[3:], view.strides5[3]
    long, short = SCALE_BOX
    outer, inner = (rows, cols) if view.layout is Layout.MX_A_ZZ else (cols, rows)
    outer, inner = -(-outer // long), -(-inner // short)
    step = inner * short * long
    if view.layout is Layout.MX_A_ZZ:
        step = max(step, stride * long)
    return view.buffer.window(view.offset, (1, outer, inner, long, short), (0, step, long * short, short, 1))


def check_extents(op: PtoOp, m: Machine, tile: Tile, view: View) -> None:
    extents = logical_extents(view)
    rows, cols = tile.valid
    if extents == tile.valid:
        return
    # A vector has the same bytes as a row and as a column.
    if rows * cols == extents[0] * extents[1] and 1 in tile.valid and 1 in extents:
        return
    message = (
        f"the valid region of {tile.describe()} is [{rows}, {cols}], the view of %{view.buffer.name} has "
        f"[{extents[0]}, {extents[1]}]"
    )
    raise m.refuse("PTO-R105", message, op)


def check_contiguous(op: PtoOp, m: Machine, view: View) -> None:
    """A stride that the device does not look at, and that only the running program knows, is 1 (D30)."""
    at = {Layout.ND: 4, Layout.DN: 3}.get(view.layout)
    if at is None or view.shape5[at] <= 1 or view.strides5[at] == 1:
        return
    if m.target.has_pipes and m.checks.mem:
        message = (
            f"the stride of DIM_{at} of the {view.layout.value} view of %{view.buffer.name} is "
            f"{view.strides5[at]}; {m.target.name} treats it as 1"
        )
        raise m.refuse("PTO-R122", message, op)


def paired(op: PtoOp, m: Machine, tile: Tile, view: View) -> tuple[Array, Array] | None:
    """The view and the tile's valid region as two arrays of one shape; `None` if no strides can say it."""
    check_extents(op, m, tile, view)
    check_contiguous(op, m, view)
    rows, cols = tile.valid
    if rows == 0 or cols == 0:
        empty = np.empty((0,), tile.dtype.raw)
        return empty, empty
    memory = view.array
    if tile.boxed:
        return _paired_nz(tile, view, memory)
    if logical_extents(view) != tile.valid:
        # A transposed vector: its elements are contiguous in every layout.
        return memory, tile.raw.reshape(view.shape5)
    if view.shape5[:3] == (1, 1, 1):
        return memory[0, 0, 0], tile.raw
    return memory, in_dimensions_of(view, tile.raw)


def _paired_nz(tile: Tile, view: View, memory: Array) -> tuple[Array, Array] | None:
    s = view.shape5
    if logical_extents(view) != tile.valid:
        return None
    if view.layout in (Layout.ND, Layout.DN) and s[:3] == (1, 1, 1):
        buffer = view.buffer
        matrix = strided(*view.strides5[3:])
        pair = tile.against(matrix, buffer.raw, view.offset * buffer.dtype.size, buffer.dtype)
        return None if pair is None else (pair[1], pair[0])
    cols, row = tile.geometry.cols, tile.row_stride
    if view.layout is not Layout.NZ or not tile.type.is_nz or s[4] != cols.box or tile.cols % cols.box:
        return None
    column = cols.outer * tile.dtype.size
    strides = (s[1] * column, column, s[3] * row, row, tile.col_stride)
    return memory, tile.window(s, strides, tile.dtype.raw)


def rows_and_columns(view: View) -> Array:
    """The elements of a view as (row, column): a copy where strides can't say it."""
    memory = view.array
    s = view.shape5
    rows, cols = logical_extents(view)
    match view.layout:
        case Layout.NZ:
            return memory.transpose(2, 3, 0, 1, 4).reshape(rows, cols)
        case Layout.DN:
            return memory.transpose(3, 0, 1, 2, 4).reshape(rows, cols)
        case Layout.MX_A_ZZ:
            boxes = boxes_of_scales(view)
            return boxes.transpose(0, 1, 3, 2, 4).reshape(-1, boxes.shape[2] * boxes.shape[4])
        case Layout.MX_B_NN:
            boxes = boxes_of_scales(view)
            return boxes.transpose(2, 4, 0, 1, 3).reshape(boxes.shape[2] * boxes.shape[4], -1)
        case _:
            return memory.reshape(prod(s[:4]), s[4])


def in_dimensions_of(view: View, values: Array) -> Array:
    """The inverse: elements by row and column in the five dimensions of a view."""
    s = view.shape5
    match view.layout:
        case Layout.NZ:
            return values.reshape(s[2], s[3], s[0], s[1], s[4]).transpose(2, 3, 0, 1, 4)
        case Layout.DN:
            return values.reshape(s[3], s[0], s[1], s[2], s[4]).transpose(1, 2, 3, 0, 4)
        case _:
            return values.reshape(s)


def array_of(op: PtoOp, m: Machine, view: View) -> Array:
    """The elements of a view, which have to be inside of its buffer."""
    try:
        return view.array
    except ValueError:
        raise outside(op, m, view) from None


def outside(op: PtoOp, m: Machine, view: View) -> Exception:
    first, last = view.extent()
    message = (
        f"the view touches elements {first} to {last} of %{view.buffer.name}, which has {view.buffer.size}"
    )
    return m.refuse("PTO-R102", message, op)
