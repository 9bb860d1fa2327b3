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

Two tiles share bytes only if no instruction sees both, so a destination never lies over its own index.
A function that is placed by hand keeps its addresses; scratch tiles that the lowering added go above them.
"""

from __future__ import annotations

from bisect import insort_right
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.liveness import Liveness, LiveTile, peak
from ptoas.analysis.storage import Places, is_placed_by_hand, places_of, set_tile_argument_addresses
from ptoas.analysis.structure import calls_of, functions
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp, PartitionViewOp, TAssignOp
from ptoas.location import span_of
from ptoas.lowering.because import because, named
from ptoas.lowering.options import chosen_target
from ptoas.targets import Target


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Addresses for the local tiles of functions in which no tile has one."""

    name = "plan-memory"
    target: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        found: list[Diagnostic] = []
        calls = calls_of(op)
        called = {name for names in calls.values() for name in names}
        frames: dict[str, dict[TileLoc, int]] = {}
        for function in _callers_first(calls, found):
            name = function.sym_name.data
            used = _plan_function(function, target, frames.get(name, {}), found, name in called)
            for callee in calls[function]:
                # What is called runs while the caller's tiles are alive: its own tiles go above them.
                below = frames.setdefault(callee, {})
                for loc, end in used.items():
                    below[loc] = max(below.get(loc, 0), end)
        if found:
            raise PtoasError(found)


def _callers_first(calls: dict[func.FuncOp, set[str]], found: list[Diagnostic]) -> list[func.FuncOp]:
    """The functions in an order in which each stands behind all that call it."""
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
        message = f"these functions call each other in a circle, so their tiles can't be placed: {names}"
        found.append(Diagnostic("PTO-L003", message, span_of(circle[0])))
    return ordered


def place_added(module: ModuleOp, target: Target, own: Container[SSAValue]) -> None:
    """Place the tiles that passes have added to functions placed by hand; not the author's own."""
    for function in functions(module):
        if is_placed_by_hand(function.walk()):
            used, unplaced = _ends(places_of(function), _allocated(function))
            added = [root for root in unplaced if root not in own]
            _write_addresses(_stack(added, used, target, []))


def _plan_function(
    function: func.FuncOp,
    target: Target,
    base: dict[TileLoc, int],
    found: list[Diagnostic],
    is_called: bool,
) -> dict[TileLoc, int]:
    """Place what has no address; the end of the used bytes of each memory."""
    places = places_of(function)
    arguments = [a for a in function.body.block.args if isinstance(a.type, TileType)]
    used, unplaced = _ends(places, [*arguments, *_allocated(function)], base)
    if not unplaced and not arguments:
        return used
    # A function that others call gets its tiles from them, wherever they lie.
    free = [root for root in unplaced if not (is_called and root in arguments)]
    if is_placed_by_hand(function.walk()):
        addresses = _stack(free, used, target, found)
    else:
        addresses = _plan_all(function, free, used, target, found)
    if arguments and not is_called:
        set_tile_argument_addresses(
            function, [addresses.get(tile, places.address(tile) or 0) for tile in arguments]
        )
    _write_addresses(addresses)
    _declare_first(function)
    return used


def _allocated(function: func.FuncOp) -> list[SSAValue]:
    return [op.result for op in function.walk() if isinstance(op, AllocTileOp)]


def _ends(
    places: Places, roots: Iterable[SSAValue], base: Mapping[TileLoc, int] = MappingProxyType({})
) -> tuple[dict[TileLoc, int], list[SSAValue]]:
    """Where the tiles that have an address end in each memory, `base` at least; and those that have none."""
    used = dict(base)
    unplaced: list[SSAValue] = []
    for root in roots:
        assert isinstance(root.type, TileType)
        address = places.address(root)
        if not places.is_placed(root):
            unplaced.append(root)
        elif address is not None:
            loc = root.type.loc.data
            used[loc] = max(used.get(loc, 0), address + root.type.size_bytes)
    return used, unplaced


def _stack(
    roots: list[SSAValue], used: dict[TileLoc, int], target: Target, found: list[Diagnostic]
) -> dict[SSAValue, int]:
    """One above the other, over whatever the program placed itself."""
    addresses: dict[SSAValue, int] = {}
    for root in roots:
        assert isinstance(root.type, TileType)
        loc = root.type.loc.data
        address = _aligned(used.get(loc, 0), target.alignment(loc))
        addresses[root] = address
        used[loc] = address + root.type.size_bytes
        _check_budget(loc, used[loc], _limit(target, loc, root), root, target, found, [])
        if isinstance(root.owner, Operation):
            because(root.owner, lambda: "above the tiles that have an address in the text")
    return addresses


def _plan_all(
    function: func.FuncOp,
    roots: list[SSAValue],
    used: dict[TileLoc, int],
    target: Target,
    found: list[Diagnostic],
) -> dict[SSAValue, int]:
    by_space: dict[TileLoc, list[LiveTile]] = {}
    for tile in _lifetimes(function, roots):
        by_space.setdefault(tile.type.loc.data, []).append(tile)
    addresses: dict[SSAValue, int] = {}
    for loc, tiles in by_space.items():
        step = target.alignment(loc)
        floor = _aligned(used.get(loc, 0), step)
        limit = _limit(target, loc, tiles[0].root)
        placed, end = _place(tiles, floor, step)
        if limit is not None and end > limit:
            # First come, first served leaves gaps; large tiles first often leaves fewer.
            placed, end = _place(sorted(tiles, key=lambda tile: (-tile.bytes, tile.first)), floor, step)
        _check_budget(loc, end, limit, tiles[0].root, target, found, peak(tiles)[1])
        used[loc] = end
        addresses.update(placed)
        for tile in tiles:
            if isinstance(tile.root.owner, Operation):
                because(tile.root.owner, partial(_why_there, tile, placed, tiles, floor))
    return addresses


def _why_there(tile: LiveTile, placed: dict[SSAValue, int], tiles: Sequence[LiveTile], floor: int) -> str:
    """What decided a tile's address: which tiles were in the way, and whose bytes it uses again."""
    start = placed[tile.root]
    others = [other for other in tiles if other is not tile]
    below = [o for o in others if o.lives_with(tile) and placed[o.root] < start]
    under = max(below, key=lambda other: placed[other.root], default=None)
    again = [
        named(other.root)
        for other in others
        if not other.lives_with(tile)
        and other.last < tile.first
        and placed[other.root] < start + tile.bytes
        and start < placed[other.root] + other.bytes
    ]
    where = "the lowest free address"
    if under is not None and start > floor:
        where = f"the lowest free address above {named(under.root)}, which is needed at the same time"
    reused = f", in bytes that {', '.join(again[:3])} no longer needs" if again else ""
    return f"{tile.type.size_bytes} bytes at {where}{reused}"


def _lifetimes(function: func.FuncOp, roots: list[SSAValue]) -> list[LiveTile]:
    """How long tiles are needed, by their beginnings; one that nothing uses, where it is made."""
    liveness = Liveness(function)
    return sorted((liveness.live(root) or _unused(root, liveness) for root in roots), key=lambda t: t.first)


def _unused(root: SSAValue, liveness: Liveness) -> LiveTile:
    assert isinstance(root.owner, Operation) and isinstance(root.type, TileType)
    at = liveness.order.start[root.owner]
    return LiveTile(root, root.type, at, at)


def _aligned(address: int, step: int) -> int:
    return -(-address // step) * step


def _place(tiles: Sequence[LiveTile], floor: int, step: int) -> tuple[dict[SSAValue, int], int]:
    """Lowest addresses such that tiles alive together lie apart; the end of the used bytes."""
    placed: list[tuple[int, LiveTile]] = []
    addresses: dict[SSAValue, int] = {}
    top = floor
    by_start = all(a.first <= b.first for a, b in pairwise(tiles))
    for tile in tiles:
        if by_start:
            placed = [other for other in placed if other[1].last >= tile.first]
        address = floor
        for start, other in placed:  # kept in the order of addresses
            if not other.lives_with(tile):
                continue
            if start - address >= tile.bytes:
                break
            address = max(address, _aligned(start + other.bytes, step))
        addresses[tile.root] = address
        insort_right(placed, (address, tile), key=lambda each: each[0])
        top = max(top, address + tile.bytes)
    return addresses, top


def _limit(target: Target, loc: TileLoc, root: SSAValue) -> int | None:
    if loc not in target.memories:
        owner = root.owner if isinstance(root.owner, Operation) else _function_of(root)
        assert owner is not None
        span = span_of(owner)
        message = f"{target.title} has no memory `{loc.value}` for this tile"
        raise PtoasError([Diagnostic("PTO-L009", message, span, targets=(target.name,))])
    function = _function_of(root)
    return target.memory_size(loc, simt=function is not None and uses_simt(function, target))


def uses_simt(function: func.FuncOp, target: Target) -> bool:
    """Whether the function has an instruction that the target runs as threads, with a data cache (D22)."""
    return any(target.uses_simt(op) for op in function.walk())


def _function_of(root: SSAValue) -> func.FuncOp | None:
    owner = root.owner
    at = owner if isinstance(owner, Operation) else owner.parent_op()
    while at is not None and not isinstance(at, func.FuncOp):
        at = at.parent_op()
    return at


def _check_budget(
    loc: TileLoc,
    end: int,
    limit: int | None,
    root: SSAValue,
    target: Target,
    found: list[Diagnostic],
    alive: Sequence[LiveTile],
) -> None:
    if limit is None or end <= limit:
        return
    function = _function_of(root)
    assert function is not None
    rows = [f"{tile.bytes:>8} bytes  {_name(tile.root)}  {tile.type}" for tile in alive]
    notes = (Note("alive together at the peak:\n" + "\n".join(rows)),) if rows else ()
    message = (
        f"@{function.sym_name.data} needs {end} bytes of `{loc.value}` memory; {target.title} has {limit}"
        + (f" ({sum(tile.bytes for tile in alive)} alive at the peak)" if alive else "")
    )
    fix = "make tiles smaller, or split the work so that fewer are alive at once"
    found.append(
        Diagnostic("PTO-L007", message, span_of(function), notes=notes, fix=fix, targets=(target.name,))
    )


def _declare_first(function: func.FuncOp) -> None:
    """Move the function's own tiles in front of its first instruction, as an author would declare them."""
    block = function.body.block
    quiet = (AllocTileOp, TAssignOp, MakeTensorViewOp, PartitionViewOp, arith.ConstantOp)
    first = next((op for op in block.ops if not isinstance(op, quiet)), None)
    if first is None:
        return
    before: set[SSAValue] = set(block.args)
    at: Operation | None = block.first_op
    while at is not None and at is not first:
        before.update(at.results)
        at = at.next_op
    for op in list(block.ops):
        if not isinstance(op, AllocTileOp) or op.addr is None or op.result in before:
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
        constant = arith.ConstantOp(IntegerAttr(address, i64))
        constant.location = op.location
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.fill("addr", [constant.result])
