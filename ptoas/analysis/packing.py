"""Operands of the matrix unit that are packed regardless of their types."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.movement import FixpipeOp
from ptoas.dialects.pto.types import TileType


def is_packed(value: SSAValue) -> bool:
    """Return True if all writers of an 8-bit operand transpose it.

    It is then moved by its valid extents, as if it were compact.
    """
    type = value.type
    if not isinstance(type, TileType) or element_size(type.element_type) != 1:
        return False
    if type.loc.data not in (TileLoc.Left, TileLoc.Right):
        return False
    users = {use.operation for use in value.uses}
    fills = [op for op in users if isinstance(op, FixpipeOp) and op.destination is value]
    sources = [op.operands_of("src")[0].type for op in fills]
    return bool(sources) and all(
        isinstance(source, TileType)
        and source.slayout not in (SLayout.NoneBox, type.slayout)
        and source.rows > 1
        for source in sources
    )
