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

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp, PartitionViewOp, TAssignOp
from ptoas.location import span_of
from ptoas.lowering.memory_map import MemoryMap, TileRoots, set_tile_argument_addresses
from ptoas.lowering.options import chosen_target
from ptoas.lowering.structure import Order, calls_of, enclosing_loops, functions
from ptoas.targets import Target
from ptoas.targets.function_facts import is_placed_by_hand

ALIGNMENT = 32
"""Bytes; the memory engines move blocks of this size."""


@dataclass
class Interval:
    """A tile and the stretch of the function in which its bytes matter."""

    root: SSAValue
    type: TileType
    first: int
    last: int
    address: int = 0

    def __post_init__(self) -> None:
        self.size = -(-self.type.size_bytes // ALIGNMENT) * ALIGNMENT

    @property
    def end(self) -> int:
        return self.address + self.size


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
            used, unplaced = _ends(MemoryMap(function), _allocated(function))
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
    memory = MemoryMap(function)
    arguments = [a for a in function.body.block.args if isinstance(a.type, TileType)]
    used, unplaced = _ends(memory, [*arguments, *_allocated(function)], base)
    if not unplaced and not arguments:
        return used
    # A function that others call gets its tiles from them, wherever they lie.
    free = [root for root in unplaced if not (is_called and root in arguments)]
    if is_placed_by_hand(function.walk()):
        addresses = _stack(free, used, target, found)
    else:
        addresses = _plan_all(function, free, used, target, found, memory.roots)
    if arguments and not is_called:
        known = [memory.address(a) for a in arguments]
        set_tile_argument_addresses(
            function, [addresses.get(a, (k and k.value) or 0) for a, k in zip(arguments, known, strict=True)]
        )
    _write_addresses(addresses)
    _declare_first(function)
    return used


def _allocated(function: func.FuncOp) -> list[SSAValue]:
    return [op.result for op in function.walk() if isinstance(op, AllocTileOp)]


def _ends(
    memory: MemoryMap, roots: Iterable[SSAValue], base: Mapping[TileLoc, int] = MappingProxyType({})
) -> tuple[dict[TileLoc, int], list[SSAValue]]:
    """Where the tiles that have an address end in each memory, `base` at least; and those that have none."""
    used = dict(base)
    unplaced: list[SSAValue] = []
    for root in roots:
        assert isinstance(root.type, TileType)
        address = memory.address(root)
        if address is None:
            unplaced.append(root)
        elif address.value is not None:
            loc = root.type.loc.data
            used[loc] = max(used.get(loc, 0), address.value + root.type.size_bytes)
    return used, unplaced


def _stack(
    roots: list[SSAValue], used: dict[TileLoc, int], target: Target, found: list[Diagnostic]
) -> dict[SSAValue, int]:
    """One above the other, over whatever the program placed itself."""
    addresses: dict[SSAValue, int] = {}
    for root in roots:
        assert isinstance(root.type, TileType)
        loc = root.type.loc.data
        address = -(-used.get(loc, 0) // ALIGNMENT) * ALIGNMENT
        addresses[root] = address
        used[loc] = address + root.type.size_bytes
        _check_budget(loc, used[loc], _limit(target, loc, root), root, target, found, [])
    return addresses


def _plan_all(
    function: func.FuncOp,
    roots: list[SSAValue],
    used: dict[TileLoc, int],
    target: Target,
    found: list[Diagnostic],
    aliases: TileRoots,
) -> dict[SSAValue, int]:
    by_space: dict[TileLoc, list[Interval]] = {}
    for interval in live_ranges(function, roots, aliases):
        by_space.setdefault(interval.type.loc.data, []).append(interval)
    addresses: dict[SSAValue, int] = {}
    for loc, members in by_space.items():
        floor = -(-used.get(loc, 0) // ALIGNMENT) * ALIGNMENT
        limit = _limit(target, loc, members[0].root)
        end = place(members, floor)
        if limit is not None and end > limit:
            # First come, first served leaves gaps; large tiles first often leaves fewer.
            end = place(sorted(members, key=lambda i: (-i.size, i.first)), floor)
        _check_budget(loc, end, limit, members[0].root, target, found, _peak(members))
        used[loc] = end
        addresses.update((interval.root, interval.address) for interval in members)
    return addresses


def live_ranges(function: func.FuncOp, tiles: list[SSAValue], roots: TileRoots) -> list[Interval]:
    """From a tile's first use to its last; a loop that uses a tile from outside needs it all the time."""
    order = Order(function)
    wanted = set(tiles)
    first: dict[SSAValue, int] = {}
    last: dict[SSAValue, int] = {}
    for op in order.start:
        if isinstance(op, AllocTileOp | TAssignOp):
            continue
        for operand in op.operands:
            if not isinstance(operand.type, TileType):
                continue
            for root in roots.of(operand):
                if root not in wanted:
                    continue
                begin, end = _extent(op, root, order)
                first[root] = min(first.get(root, begin), begin)
                last[root] = max(last.get(root, end), end)
    intervals: list[Interval] = []
    final = len(order.start)
    for root in tiles:
        assert isinstance(root.type, TileType)
        if isinstance(root.owner, Operation):
            at = order.start[root.owner]
            intervals.append(Interval(root, root.type, first.get(root, at), last.get(root, at)))
        else:
            # The caller fills a tile argument before the function and may look at it afterwards (D24).
            intervals.append(Interval(root, root.type, -1, final))
    return sorted(intervals, key=lambda i: i.first)


def _extent(op: Operation, root: SSAValue, order: Order) -> tuple[int, int]:
    """The stretch in which a use at `op` keeps the bytes of `root` busy."""
    outermost: Operation = op
    owner = root.owner
    inner = set(enclosing_loops(owner)) if isinstance(owner, Operation) else set[Operation]()
    for loop in enclosing_loops(op):
        if loop in inner:
            break
        outermost = loop
    return order.start[outermost], order.end[outermost]


def place(intervals: list[Interval], floor: int) -> int:
    """Lowest addresses such that tiles alive together lie apart; the end of the used bytes."""
    placed: list[Interval] = []
    top = floor
    by_start = all(a.first <= b.first for a, b in pairwise(intervals))
    for interval in intervals:
        if by_start:
            placed = [other for other in placed if other.last >= interval.first]
        address = floor
        for other in placed:  # kept in the order of addresses
            if other.first > interval.last or other.last < interval.first:
                continue
            if other.address - address >= interval.size:
                break
            address = max(address, other.end)
        interval.address = address
        at = next((n for n, other in enumerate(placed) if other.address > address), len(placed))
        placed.insert(at, interval)
        top = max(top, interval.end)
    return top


def _peak(intervals: list[Interval]) -> list[Interval]:
    """The tiles that are alive together where they need the most bytes."""
    changes = sorted(
        [(i.first, 0, n) for n, i in enumerate(intervals)] + [(i.last, 1, n) for n, i in enumerate(intervals)]
    )
    alive: set[int] = set()
    size = best = 0
    at_best: list[int] = []
    for _, closing, n in changes:
        if closing:
            alive.discard(n)
            size -= intervals[n].size
            continue
        alive.add(n)
        size += intervals[n].size
        if size > best:
            best, at_best = size, sorted(alive)
    return [intervals[n] for n in at_best]


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
    peak: list[Interval],
) -> None:
    if limit is None or end <= limit:
        return
    function = _function_of(root)
    assert function is not None
    rows = [f"{i.size:>8} bytes  {_name(i.root)}  {i.type}" for i in peak]
    notes = (Note("alive together at the peak:\n" + "\n".join(rows)),) if rows else ()
    message = (
        f"@{function.sym_name.data} needs {end} bytes of `{loc.value}` memory; {target.title} has {limit}"
        + (f" ({sum(i.size for i in peak)} alive at the peak)" if peak else "")
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
