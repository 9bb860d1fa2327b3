"""Give every local tile an address: live ranges, reuse of dead bytes, one plan for each memory (D21, D22).

Before:

    %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
    %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
    pto.tload ins(%m : ...) outs(%i : ...)
    pto.mgather ins(%table, %i : ...) outs(%d : ...)

After:

    %c0 = arith.constant 0 : i64
    %i = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 1x16xi32>
    %c64 = arith.constant 64 : i64
    %d = pto.alloc_tile addr = %c64 : !pto.tile_buf<vec, 16x32xf32>
    ...

Two tiles share bytes only if no instruction sees both, so a destination never lies over its own index. Flags
by hand do not order tiles that share bytes, so in a function that has them tiles share bytes only if they
would not fit otherwise.
A function that is placed by hand keeps its addresses; scratch tiles that the lowering added go above them.
"""

from __future__ import annotations

from bisect import bisect_left, insort_right
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.function import has_manual_sync
from ptoas.analysis.liveness import Liveness, LiveTile, peak
from ptoas.analysis.storage import StorageMap, manual_placement, places_of, set_tile_argument_addresses
from ptoas.analysis.structure import Bodies, bodies_of, calls_in, kernels_of, of_kinds
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp, PartitionViewOp, TAssignOp
from ptoas.grammar.spans import span_of
from ptoas.lowering.options import chosen_target
from ptoas.lowering.provenance import add_reason, location_of, named
from ptoas.lowering.rings import gaps_between, place_rings, placed_rings, rings_of
from ptoas.targets import Target


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Addresses for the local tiles of functions in which no tile has one."""

    name = "plan-memory"
    target: str | None = None
    sync: str | None = None
    """The synchronisation mode, like that of `insert-sync`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found: list[Diagnostic] = []
        plan_module(op, chosen_target(op, self.target), found, self.sync)
        if found:
            raise PtoasError(found)


def plan_module(
    module: ModuleOp, target: Target, found: list[Diagnostic], sync: str | None = None
) -> dict[func.FuncOp, dict[TileLoc, int]]:
    """Place the tiles of all functions; the ends of the used bytes in each. `found` has what did not fit."""
    bodies = bodies_of(module)
    calls = calls_in(bodies)
    called = {name for names in calls.values() for name in names}
    simt = simt_functions(bodies, target)
    frames: dict[str, dict[TileLoc, int]] = {}
    ends: dict[func.FuncOp, dict[TileLoc, int]] = {}
    for function in _callers_first(calls, found):
        name = function.sym_name.data
        by_hand = sync == "manual" or (sync is None and has_manual_sync(bodies[function]))
        by_hand = by_hand and target.has_pipes
        budget = MemoryBudget(target, function, bodies[function], function in simt, found, by_hand)
        used = ends[function] = _plan_function(budget, frames.get(name, {}), name in called)
        for callee in calls[function]:
            # What is called runs while the caller's tiles are alive: its own tiles go above them.
            below = frames.setdefault(callee, {})
            for loc, end in used.items():
                below[loc] = max(below.get(loc, 0), end)
    return ends


@dataclass(frozen=True)
class MemoryBudget:
    """Free memory of a target for the tiles of one function."""

    target: Target
    function: func.FuncOp
    ops: Sequence[Operation]
    """All that is in the function, before tiles are placed."""
    simt: bool
    """True if its kernel has SIMT instructions."""
    found: list[Diagnostic]
    """Diagnostics of tiles that did not fit."""
    by_hand: bool = False
    """True if the program synchronises the function."""

    def limit(self, loc: TileLoc, root: SSAValue) -> int | None:
        target = self.target
        if loc not in target.memories:
            owner = root.owner if isinstance(root.owner, Operation) else self.function
            message = f"{target.title} has no memory `{loc.value}` for this tile"
            raise PtoasError(
                [Diagnostic("PTO-L009", message, span_of(owner), targets=(target.name,), op=owner)]
            )
        return target.memory_size(loc, self.simt)

    def check(self, loc: TileLoc, end: int, limit: int | None, alive: Sequence[LiveTile] = ()) -> None:
        if limit is None or end <= limit:
            return
        rows = [f"{tile.bytes:>8} bytes  {_name(tile.root)}  {tile.type}" for tile in alive]
        notes = (Note("alive together at the peak:\n" + "\n".join(rows)),) if rows else ()
        message = (
            f"@{self.function.sym_name.data} needs {end} bytes of `{loc.value}` memory; {self.target.title} "
            f"has {limit}" + (f" ({sum(tile.bytes for tile in alive)} alive at the peak)" if alive else "")
        )
        fix = "make tiles smaller, or split the work so that fewer are alive at once"
        span = span_of(self.function)
        self.found.append(
            Diagnostic("PTO-L007", message, span, notes=notes, fix=fix, targets=(self.target.name,))
        )


def _callers_first(calls: dict[func.FuncOp, set[str]], found: list[Diagnostic]) -> list[func.FuncOp]:
    """The functions, callers first."""
    callers = Counter(name for names in calls.values() for name in names)
    by_name = {function.sym_name.data: function for function in calls}
    ordered = [function for function in calls if not callers[function.sym_name.data]]
    for function in ordered:  # which grows meanwhile
        for name in sorted(calls[function]):
            callers[name] -= 1
            if not callers[name] and name in by_name:
                ordered.append(by_name[name])
    circle = [function for function in calls if callers[function.sym_name.data]]
    if circle:
        names = ", ".join(f.sym_name.data for f in circle)
        message = f"these functions call each other recursively, so their tiles can't be placed: {names}"
        found.append(Diagnostic("PTO-L003", message, span_of(circle[0]), op=circle[0]))
    return ordered


def place_added(module: ModuleOp, target: Target, own: Container[SSAValue]) -> None:
    """Place the tiles that passes have added to functions placed by hand; not the author's own."""
    bodies = bodies_of(module)
    simt = simt_functions(bodies, target)
    for function, ops in bodies.items():
        if manual_placement(ops):
            used, unplaced = _ends(target, places_of(function, ops), _allocated(ops))
            added = [root for root in unplaced if root not in own]
            _write_addresses(_stack(added, used, MemoryBudget(target, function, ops, function in simt, [])))


def _plan_function(budget: MemoryBudget, base: dict[TileLoc, int], is_called: bool) -> dict[TileLoc, int]:
    """Place tiles without an address; return the end of the used bytes of each memory."""
    function = budget.function
    places = places_of(function, budget.ops)
    arguments = [a for a in function.body.block.args if isinstance(a.type, TileType)]
    used, unplaced = _ends(budget.target, places, [*arguments, *_allocated(budget.ops)], base)
    if not unplaced and not arguments:
        return _with_rings(base, used, budget)
    # A function that others call gets its tiles from them, wherever they lie.
    free = [root for root in unplaced if not (is_called and root in arguments)]
    idle = [root for root in free if budget.target.leaves_alone(root)]
    free = [root for root in free if root not in idle]
    addresses = _stack(free, used, budget) if manual_placement(budget.ops) else _plan_all(free, used, budget)
    if arguments and not is_called:
        set_tile_argument_addresses(
            function, [addresses.get(tile, places.address(tile) or 0) for tile in arguments]
        )
    # A call wants an address of every tile, and does not look at these.
    _write_addresses({**addresses, **dict.fromkeys(idle, 0)})
    _declare_first(function)
    return _with_rings(base, used, budget)


def _with_rings(
    base: dict[TileLoc, int], used: dict[TileLoc, int], budget: MemoryBudget
) -> dict[TileLoc, int]:
    """Place the rings of channels, beside all tiles and above what callers have; the ends with them."""
    rings = rings_of(budget.ops)
    if not rings:
        return used
    places = places_of(
        budget.function, budget.ops
    )  # where the tiles lie now; placing them adds only constants
    tiles = [(loc, (0, end)) for loc, end in base.items()]
    for root in _allocated(budget.ops):
        assert isinstance(root.type, TileType)
        start = places.address(root)
        if start is not None:
            tiles.append((budget.target.space(root.type.loc.data), (start, start + root.type.size_bytes)))
    for loc, end in place_rings(rings, tiles).items():
        used[loc] = max(used.get(loc, 0), end)
        budget.check(loc, used[loc], budget.limit(loc, rings[0].result))
    return used


def _allocated(ops: Sequence[Operation]) -> list[SSAValue]:
    return [op.result for op in of_kinds(ops, AllocTileOp)]


def _ends(
    target: Target,
    places: StorageMap,
    roots: Iterable[SSAValue],
    base: Mapping[TileLoc, int] = MappingProxyType({}),
) -> tuple[dict[TileLoc, int], list[SSAValue]]:
    """The end of the placed tiles in each memory, at least `base`, and the tiles without an address."""
    used = dict(base)
    unplaced: list[SSAValue] = []
    for root in roots:
        assert isinstance(root.type, TileType)
        address = places.address(root)
        if not places.is_placed(root):
            unplaced.append(root)
        elif address is not None:
            loc = target.space(root.type.loc.data)
            used[loc] = max(used.get(loc, 0), address + root.type.size_bytes)
    return used, unplaced


def _stack(roots: list[SSAValue], used: dict[TileLoc, int], budget: MemoryBudget) -> dict[SSAValue, int]:
    """Stack the tiles above those that the program placed."""
    addresses: dict[SSAValue, int] = {}
    for root in roots:
        assert isinstance(root.type, TileType)
        loc = budget.target.space(root.type.loc.data)
        address = _aligned(used.get(loc, 0), budget.target.alignment(loc))
        addresses[root] = address
        used[loc] = address + root.type.size_bytes
        budget.check(loc, used[loc], budget.limit(loc, root))
        if isinstance(root.owner, Operation):
            add_reason(root.owner, lambda: "above the tiles that have an address in the text")
    return addresses


def _plan_all(roots: list[SSAValue], used: dict[TileLoc, int], budget: MemoryBudget) -> dict[SSAValue, int]:
    by_space: dict[TileLoc, list[LiveTile]] = {}
    rings = rings_of(budget.ops)
    for tile in _lifetimes(roots, budget):
        by_space.setdefault(budget.target.space(tile.type.loc.data), []).append(tile)
    addresses: dict[SSAValue, int] = {}
    for loc, tiles in by_space.items():
        step = budget.target.alignment(loc)
        floor = _aligned(used.get(loc, 0), step)
        limit = budget.limit(loc, tiles[0].root)
        kept = placed_rings(rings, loc)
        ranges = [replace(tile, first=0, last=len(budget.ops)) for tile in tiles] if budget.by_hand else tiles
        placed, end = _place_in_turn(ranges, gaps_between(kept, floor, step), step)
        if budget.by_hand and limit is not None and end > limit:
            placed, end = _place_in_turn(tiles, gaps_between(kept, floor, step), step)
        if limit is not None and end > limit and not kept:
            # First come, first served leaves gaps; large tiles first often leaves fewer.
            placed, end = _place(sorted(tiles, key=lambda tile: (-tile.bytes, tile.first)), floor, step)
        budget.check(loc, end, limit, peak(tiles)[1])
        used[loc] = end
        addresses.update(placed)
        for tile in tiles:
            if isinstance(tile.root.owner, Operation):
                add_reason(tile.root.owner, partial(_placement_reason, tile, placed, tiles, floor))
    return addresses


def _placement_reason(
    tile: LiveTile, placed: dict[SSAValue, int], tiles: Sequence[LiveTile], floor: int
) -> str:
    """The reason for a tile's address: tiles that were in the way, and the tile whose bytes it reuses."""
    start = placed[tile.root]
    others = [other for other in tiles if other is not tile]
    below = [o for o in others if o.overlaps(tile) and placed[o.root] < start]
    under = max(below, key=lambda other: placed[other.root], default=None)
    again = [
        named(other.root)
        for other in others
        if not other.overlaps(tile)
        and other.last < tile.first
        and placed[other.root] < start + tile.bytes
        and start < placed[other.root] + other.bytes
    ]
    where = "the lowest free address"
    if under is not None and start > floor:
        where = f"the lowest free address above {named(under.root)}, which is needed at the same time"
    reused = f", in bytes that {', '.join(again[:3])} no longer needs" if again else ""
    return f"{tile.type.size_bytes} bytes at {where}{reused}"


def _lifetimes(roots: list[SSAValue], budget: MemoryBudget) -> list[LiveTile]:
    """Live ranges of tiles in order of their start; an unused tile lives only where it is made."""
    liveness = Liveness(budget.function, budget.ops)
    return sorted((liveness.live(root) or _unused(root, liveness) for root in roots), key=lambda t: t.first)


def _unused(root: SSAValue, liveness: Liveness) -> LiveTile:
    assert isinstance(root.owner, Operation) and isinstance(root.type, TileType)
    at = liveness.order.start[root.owner]
    return LiveTile(root, root.type, at, at)


def _aligned(address: int, step: int) -> int:
    return -(-address // step) * step


def _place_in_turn(
    tiles: Iterable[LiveTile], gaps: list[tuple[int, float]], step: int
) -> tuple[dict[SSAValue, int], int]:
    """Lowest addresses in what is free such that tiles alive together lie apart, for tiles by their
    beginnings; the end of the used bytes."""
    alive: list[tuple[int, int, int]] = []
    addresses: dict[SSAValue, int] = {}
    top = gaps[0][0]
    for tile in tiles:
        while alive and alive[0][0] < tile.first:
            _give_back(gaps, *heappop(alive)[1:])
        size = _aligned(tile.bytes, step)
        at, low, high = next((n, *gap) for n, gap in enumerate(gaps) if gap[1] - gap[0] >= size)
        gaps[at : at + 1] = [(low + size, high)] if low + size < high else []
        heappush(alive, (tile.last, low, low + size))
        addresses[tile.root] = low
        top = max(top, low + tile.bytes)
    return addresses, top


def _give_back(gaps: list[tuple[int, float]], low: int, high: float) -> None:
    """Free bytes, as one gap with those beside them."""
    at = bisect_left(gaps, (low, high))
    after = at
    if after < len(gaps) and gaps[after][0] == high:
        high, after = gaps[after][1], after + 1
    if at and gaps[at - 1][1] == low:
        low, at = gaps[at - 1][0], at - 1
    gaps[at:after] = [(low, high)]


def _place(tiles: Iterable[LiveTile], floor: int, step: int) -> tuple[dict[SSAValue, int], int]:
    """The same for tiles in any order."""
    placed: list[tuple[int, LiveTile]] = []
    addresses: dict[SSAValue, int] = {}
    top = floor
    for tile in tiles:
        address = floor
        for start, other in placed:  # kept in the order of addresses
            if not other.overlaps(tile):
                continue
            if start - address >= tile.bytes:
                break
            address = max(address, _aligned(start + other.bytes, step))
        addresses[tile.root] = address
        insort_right(placed, (address, tile), key=lambda each: each[0])
        top = max(top, address + tile.bytes)
    return addresses, top


def simt_functions(bodies: Bodies, target: Target) -> set[func.FuncOp]:
    """The functions of kernels that have an instruction which the target runs as threads, with a data cache
    (D22): a launch is for a kernel and all that it calls."""
    return {
        function
        for kernel in kernels_of(calls_in(bodies)).values()
        if any(target.uses_simt(op) for function in kernel for op in of_kinds(bodies[function], PtoOp))
        for function in kernel
    }


def _declare_first(function: func.FuncOp) -> None:
    """Move the function's own tiles in front of its first instruction, as an author would declare them."""
    block = function.body.block
    quiet = (AllocTileOp, TAssignOp, MakeTensorViewOp, PartitionViewOp, arith.ConstantOp)
    first = next((op for op in block.ops if op.__class__ not in quiet), None)
    if first is None:
        return
    before: set[SSAValue] = set(block.args)
    at: Operation | None = block.first_op
    while at is not None and at is not first:
        before.update(at.results)
        at = at.next_op
    for op in list(block.ops):
        if op.__class__ is not AllocTileOp:
            continue
        assert isinstance(op, AllocTileOp)
        if op.addr is None or op.result in before:
            continue
        constant = op.addr.owner
        if isinstance(constant, arith.ConstantOp) and all(value in before for value in op.operands[1:]):
            for moved in (constant, op) if op.addr not in before else (op,):
                moved.detach()
                block.insert_op_before(moved, first)
            before.update((op.addr, op.result))


def _name(root: SSAValue) -> str:
    return f"%{root.name_hint}" if root.name_hint else "%?"


def _write_addresses(addresses: dict[SSAValue, int]) -> None:
    for root, address in addresses.items():
        op = root.owner
        if not isinstance(op, AllocTileOp):
            continue
        value = IntegerAttr(address, i64)
        constant = arith.ConstantOp.create(
            result_types=[i64], properties={"value": value}, location=location_of(op)
        )
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.fill("addr", [constant.results[0]])
