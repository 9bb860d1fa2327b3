"""Staging tiles for collectives that name none (document 003: lowering introduces them).

Before:

    pto.comm.tgather(%dst, group(%sources) : ...) {pingpong}

After:

    %ping = pto.alloc_tile valid_row = %0 valid_col = %1 : !pto.tile_buf<vec, 100x96xf32, valid=?x?>
    %pong = ...
    pto.comm.tgather(%dst, recv(%ping, %pong), group(%sources) : ...) {pingpong}

The tiles are as large as a rank's data, if the memory that the program's own tiles leave is enough for that;
else they share it, and the data goes in chunks. Their valid extents are dynamic, so a last chunk may be
smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.lowering.memory_map import end_of_vec_tiles
from ptoas.lowering.plan_memory import is_placed_by_hand, uses_simt
from ptoas.targets import Target

BLOCK = 32
"""Bytes of the smallest tile row."""

WHERE_NO_LIMIT = 192 * 1024
"""What staging tiles may take on a target whose memory has no end."""

LEAST = 1024
"""Bytes of a staging tile below which it is not made smaller: placing says what does not fit."""

UNKNOWN_ROWS, UNKNOWN_WIDTH = 64, 1024
"""For data whose extents only the running program knows: rows, and bytes of a row."""

Allocate = Callable[[Operation, TileType, str, list[SSAValue] | None], SSAValue]
Fill = Callable[[CollectiveOp, str, list[SSAValue]], None]


def missing_tiles(op: CollectiveOp) -> int:
    """How many tiles the call needs that the program does not give."""
    need = 2 if op.pingpong is not None else 1
    accumulator = isinstance(op, CommTReduceOp) and op.acc is None
    return max(0, need - len(op.staging)) + accumulator


def stage_collectives(module: ModuleOp, target: Target, allocate: Allocate, fill: Fill) -> None:
    """Make the tiles that are missing in a module, in front of the calls."""
    calls = [op for op in module.walk() if isinstance(op, CollectiveOp) and missing_tiles(op)]
    shares = {op: _share(op, calls, target) for op in calls}
    for op in calls:
        _stage(op, shares[op], allocate, fill)


def _stage(op: CollectiveOp, share: int, allocate: Allocate, fill: Fill) -> None:
    count = max(1, 2 if op.pingpong is not None else len(op.staging))
    model = op.staging[0] if op.staging else None
    if model is None and isinstance(op, CommTReduceOp):
        model = op.acc
    type, extents = _fitting(op, share) if model is None else _like(op, model)
    names = ("ping", "pong") if count > 1 else ("staging",)
    new = [allocate(op, type, name, extents) for name in names[len(op.staging) :]]
    if isinstance(op, CommTReduceOp) and op.acc is None:
        fill(op, "acc", [allocate(op, type, "acc", extents)])
    if new:
        fill(op, "staging", [*op.staging, *new])


def _like(op: CollectiveOp, tile: SSAValue) -> tuple[TileType, list[SSAValue] | None]:
    """Another tile of the same type and the same valid extents."""
    type = tile.type
    assert isinstance(type, TileType)
    if DYNAMIC not in type.valid:
        return type, None
    owner = tile.owner
    given = (owner.valid_row, owner.valid_col) if isinstance(owner, AllocTileOp) else (None, None)
    pairs = zip(given, type.valid, type.shape, strict=True)
    return type, [
        constant(op, whole) if value is None else value for value, valid, whole in pairs if valid == DYNAMIC
    ]


def _fitting(op: CollectiveOp, most: int) -> tuple[TileType, list[SSAValue]]:
    """A tile of at most so many bytes, no larger than a rank's data."""
    member = op.member_types[0]
    unit = element_size(member.element_type)
    shape = member.shape5
    rows_total = UNKNOWN_ROWS if DYNAMIC in shape[:4] else max(1, prod(shape[:4]))
    cols_total = UNKNOWN_WIDTH // unit if shape[4] == DYNAMIC else max(1, shape[4])
    per_block = max(1, BLOCK // unit)
    blocks = min(-(-cols_total // per_block), max(1, most // BLOCK))
    cols = blocks * per_block
    rows = max(1, min(rows_total, most // (cols * unit)))
    type = TileType.of(member.element_type, rows, cols, valid=(DYNAMIC, DYNAMIC))
    return type, [constant(op, rows), constant(op, min(cols, cols_total))]


def _share(op: CollectiveOp, all_calls: list[CollectiveOp], target: Target) -> int:
    """Bytes for each new tile, of what the program's own tiles leave."""
    function = _function_of(op)
    simt = uses_simt(function)
    limit = target.memory_size(TileLoc.Vec, simt)
    if limit is None:
        limit = WHERE_NO_LIMIT
    if simt and target.ub is not None and target.ub.default_budget is not None:
        limit = min(limit, target.ub.default_budget)
    module = function.parent_op()
    assert module is not None
    # Functions that call each other have their tiles at the same time.
    nested = any(isinstance(inner, func.CallOp) for inner in module.walk())
    used, sharing = _used(module if nested else function), [op]
    if is_placed_by_hand(function):
        used = max(used, end_of_vec_tiles(function))
    if nested or is_placed_by_hand(function):
        # Their staging tiles lie one above the other; elsewhere each call may use the same memory again.
        sharing = [other for other in all_calls if nested or _function_of(other) is function]
    share = (limit - used) // sum(missing_tiles(other) for other in sharing)
    return max(LEAST, share) // BLOCK * BLOCK


def _function_of(op: Operation) -> func.FuncOp:
    parent = op.parent_op()
    while not isinstance(parent, func.FuncOp):
        assert parent is not None
        parent = parent.parent_op()
    return parent


def _used(scope: Operation) -> int:
    """All tiles together: which of them live at once is not known yet."""
    found: dict[SSAValue, int] = {}
    for op in scope.walk():
        values = op.body.block.args if isinstance(op, func.FuncOp) and op.body.blocks else op.results
        for value in values:
            if not isinstance(value.type, TileType) or value.type.loc.data is not TileLoc.Vec:
                continue
            if isinstance(op, AllocTileOp | func.FuncOp):
                found[value] = -(-value.type.size_bytes // BLOCK) * BLOCK
    return sum(found.values())


def constant(before: Operation, value: int) -> SSAValue:
    """A constant in front of an operation."""
    op = arith.ConstantOp.create(
        result_types=[IndexType()],
        properties={"value": IntegerAttr(value, IndexType())},
        location=before.location,
    )
    assert before.parent is not None
    before.parent.insert_op_before(op, before)
    return op.results[0]
