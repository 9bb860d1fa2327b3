"""Staging tiles for collectives and transfers that name none (document 003: lowering introduces them).

Before:

    pto.comm.tgather(%dst, group(%sources) : ...) {pingpong}

After:

    %ping = pto.alloc_tile valid_row = %0 valid_col = %1 : !pto.tile_buf<vec, 100x96xf32, valid=?x?>
    %pong = ...
    pto.comm.tgather(%dst, recv(%ping, %pong), group(%sources) : ...) {pingpong}

The tiles are as large as a rank's data, if the memory that the program's own tiles leave is enough for that;
else they share it, and the data goes in chunks. Their valid extents are dynamic, so a last chunk may be
smaller. They are never more than the data's: the library stores a tile as it is valid. Where only the
running program knows those, it takes the lesser of them and the tile's.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from math import prod

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.kinds import function_of
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.storage import end_of_tiles, manual_placement, places_of, vec_tiles
from ptoas.analysis.structure import Bodies, bodies_of, of_kinds
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp, StagedOp
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import BLayout, Layout, TileLoc
from ptoas.dialects.pto.remote import TransferOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, GetTensorViewDimOp
from ptoas.lowering.plan_memory import simt_functions
from ptoas.targets import Target

BLOCK = 32
"""Bytes of the smallest tile row."""

UNLIMITED_STAGING_BYTES = 192 * 1024
"""Bytes of staging tiles on a target without a memory limit."""

LEAST = 32 * BLOCK
"""Bytes of a staging tile below which it is not made smaller: placing says what does not fit."""

UNKNOWN_LINES, UNKNOWN_WIDTH = 64, 1024
"""Staging shape for dynamic extents: rows, and bytes of a row; for dn memory, columns."""

Allocate = Callable[[Operation, TileType, str, list[SSAValue]], SSAValue]


def missing_tiles(op: StagedOp) -> list[str]:
    """The tiles that the call needs and the program does not give, by their roles."""
    needed = ("ping", "pong") if op.pingpong is not None else ("staging",)
    accumulator = isinstance(op, CommTReduceOp) and op.acc is None
    return [*needed[len(op.staging) :], *(("acc",) if accumulator else ())]


def stage_collectives(
    module: ModuleOp, collectives: Iterable[StagedOp], target: Target, allocate: Allocate
) -> None:
    """Make the tiles that are missing in a module, in front of its collectives."""
    calls = [op for op in collectives if missing_tiles(op)]
    if not calls:
        return
    bodies = bodies_of(module)
    simt = simt_functions(bodies, target)
    shares = {op: _share(op, calls, bodies, simt, target) for op in calls}
    for op in calls:
        _stage(op, shares[op], allocate)


def _stage(op: StagedOp, share: int, allocate: Allocate) -> None:
    staging = [*op.staging]
    if isinstance(op, CommTReduceOp) and op.acc is not None:
        staging.append(op.acc)
    type, extents = _like(op, staging[0]) if staging else _fitting(op, share)
    new = {name: allocate(op, type, name, extents) for name in missing_tiles(op)}
    if "acc" in new:
        op.fill("acc", [new.pop("acc")])
    op.fill("staging", [*op.staging, *new.values()])


def _like(op: StagedOp, tile: SSAValue) -> tuple[TileType, list[SSAValue]]:
    """Another tile of the same type and the same valid extents; as a whole if they are not given here."""
    type = tile.type
    assert isinstance(type, TileType)
    owner = tile.owner
    extents = (owner.valid_row, owner.valid_col) if isinstance(owner, AllocTileOp) else (None, None)
    pairs = zip(extents, type.valid, type.shape, strict=True)
    return type, [
        constant(op, whole) if value is None else value for value, valid, whole in pairs if valid == DYNAMIC
    ]


def _fitting(op: StagedOp, most: int) -> tuple[TileType, list[SSAValue]]:
    """A tile of at most so many bytes, no larger than a rank's data; column-major for dn memory."""
    member, view = op.moved, _view(op)
    unit = element_size(member.element_type)
    shape = member.shape5
    layout = member.layout if view is None else Knowledge().view(view).layout
    blayout = BLayout.ColMajor if layout is Layout.DN else BLayout.RowMajor
    known = [DYNAMIC if DYNAMIC in shape[:4] else max(1, prod(shape[:4])), max(DYNAMIC, shape[4])]
    # A line is a row, or a column of dn memory: its elements follow each other.
    along, across = (0, 1) if layout is Layout.DN else (1, 0)
    length = UNKNOWN_WIDTH // unit if known[along] == DYNAMIC else max(1, known[along])
    lines = UNKNOWN_LINES if known[across] == DYNAMIC else max(1, known[across])
    per_block = BLOCK // unit
    whole = min(-(-length // per_block), most // BLOCK) * per_block
    sizes, extents = [0, 0], [0, 0]
    sizes[along], extents[along] = whole, min(whole, length)
    sizes[across] = extents[across] = min(lines, most // (whole * unit))
    type = TileType.of(member.element_type, *sizes, valid=(DYNAMIC, DYNAMIC), blayout=blayout)
    if view is None or DYNAMIC not in member.shape:
        return type, [constant(op, extent) for extent in extents]
    rank = len(member.shape)
    height = [_extent(op, view, dim) for dim in range(rank - 1)]
    width = [_extent(op, view, rank - 1)]
    return type, [_at_most(op, height, extents[0]), _at_most(op, width, extents[1])]


def _view(op: StagedOp) -> SSAValue | None:
    """The memory of a rank, if it is named by itself and so can be asked for its extents."""
    first = op.group[0] if isinstance(op, CollectiveOp) else op.src if isinstance(op, TransferOp) else None
    return first if first is not None and isinstance(first.type, ViewType) else None


def _extent(op: Operation, view: SSAValue, dim: int) -> SSAValue:
    type = view.type
    assert isinstance(type, ViewType)
    if type.shape[dim] != DYNAMIC:
        return constant(op, type.shape[dim])
    return _insert(op, GetTensorViewDimOp(view, constant(op, dim), location=op.location))


def _at_most(op: Operation, factors: list[SSAValue], most: int) -> SSAValue:
    """The lesser of a product and a number, but one at least: the library refuses an empty tile even where
    there is nothing to move."""
    whole = factors[0] if factors else constant(op, 1)
    for factor in factors[1:]:
        whole = _insert(op, arith.MuliOp(whole, factor))
    lesser = _insert(op, arith.MinSIOp(whole, constant(op, most)))
    return _insert(op, arith.MaxSIOp(lesser, constant(op, 1)))


def _insert(before: Operation, op: Operation) -> SSAValue:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(first_clause(before)))
    return op.results[0]


def _share(
    op: StagedOp, all_calls: list[StagedOp], bodies: Bodies, simt: Container[func.FuncOp], target: Target
) -> int:
    """Bytes for each new tile, of what the program's own tiles leave."""
    function = function_of(op)
    assert function is not None
    limit = target.memory_size(TileLoc.Vec, function in simt)
    if limit is None:
        limit = UNLIMITED_STAGING_BYTES
    if function in simt and target.ub is not None and target.ub.default_budget is not None:
        limit = min(limit, target.ub.default_budget)
    # Functions that call each other have their tiles at the same time.
    nested = any(of_kinds(ops, func.CallOp) for ops in bodies.values())
    together = list(bodies) if nested else [function]
    sharing = [op]
    if nested or manual_placement(bodies[function]):
        # Their staging tiles lie one above the other; elsewhere each call may use the same memory again.
        sharing = [other for other in all_calls if function_of(other) in together]
    free = limit - sum(_used(each, bodies[each]) for each in together)
    return max(LEAST, free // sum(len(missing_tiles(other)) for other in sharing))


def _used(function: func.FuncOp, ops: Sequence[Operation]) -> int:
    """Bytes up to the end of the tiles that have an address, and of all others, which go above them: which of
    those live at once is not known yet."""
    places, tiles = places_of(function, ops), vec_tiles(function, ops)
    others = [type.size_bytes for tile, type in tiles if not places.is_placed(tile)]
    return end_of_tiles(places, tiles, lambda _: False) + sum(others)


def constant(before: Operation, value: int) -> SSAValue:
    """A constant in front of an operation."""
    return _insert(before, arith.ConstantOp(IntegerAttr(value, IndexType())))
