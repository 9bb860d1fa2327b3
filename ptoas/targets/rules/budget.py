"""Local memory used by a kernel and all functions that it calls (D22, D36; document 000, UB Memory
Budget).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.func import CallOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import SSAValue

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.kernel import KernelFacts
from ptoas.analysis.liveness import LiveTile
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.channel import ReserveBufferOp
from ptoas.dialects.pto.comm import CollectiveOp, StagedOp
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.multi_tile import AllocMultiTileOp
from ptoas.dialects.pto.remote import TransferOp
from ptoas.dialects.pto.slots import accesses
from ptoas.dialects.pto.types import TileType, shape_text
from ptoas.targets.facts import Facts
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Violation, Violations, mismatch, rule, target_rule
from ptoas.targets.rules.examples import mgather
from ptoas.targets.rules.placement import place_of
from ptoas.targets.specs import tile_type
from ptoas.targets.target import Target, needs_scratch


@target_rule(
    "PTO-U102",
    source="000, UB Memory Budget; D22",
    reason="Bytes beyond the end belong to the reserved region or the data cache, and nothing reports an "
    "overrun.",
    on="a2a3",
)
def placed_tile_ends_inside_its_memory(facts: FunctionFacts, target: Target) -> Violations:
    """The end of a tile must not exceed the memory available to tiles."""
    for root, bound in facts.addresses.items():
        type = tile_type(root)
        loc = type.loc.data
        limit = _limit((facts,), target, loc)
        for op, at in bound:
            if limit is not None and at is not None and at + type.size_bytes > limit:
                end = f"{at} + {type.size_bytes} = {at + type.size_bytes}"
                required = f"at most {limit} ({_layout((facts,), target, loc)})"
                what = f"end of `{value_name(root)}`"
                last = (limit - type.size_bytes) // target.alignment(loc) * target.alignment(loc)
                fix = f"place it at {last} or below" if last >= 0 else "use a smaller tile"
                yield mismatch(what, end, required, op=op, slot="addr", part="value", fix=fix)


def _layout(functions: Sequence[FunctionFacts], target: Target, loc: TileLoc) -> str:
    ub = target.ub
    assert ub is not None, "where there is no limit nothing is explained"
    if loc is not TileLoc.Vec or not ub.reserved:
        return f"all of {loc.value}"
    kb = 1024
    less = f"{ub.total // kb} KB less {ub.reserved // kb} KB reserved"
    if not functions[0].has_simt(target):
        return less
    return f"{less} and {ub.data_cache // kb} KB of data cache, which SIMT instructions need"


@target_rule(
    "PTO-U103",
    source="000, UB Memory Budget; D22",
    reason="Live tiles can't share bytes.",
)
def live_tiles_fit(facts: FunctionFacts, target: Target) -> Violations:
    """The tiles that are live at the same time must fit into the memory available to tiles."""
    if facts.manual_placement:
        return
    totals: dict[TileLoc, int] = {}
    idle = {root for root in facts.local_tiles if target.leaves_alone(root)}
    for root in (*facts.arguments, *facts.local_tiles):
        if root in idle:
            continue
        type = tile_type(root)
        totals[type.loc.data] = totals.get(type.loc.data, 0) + type.size_bytes
    for loc, total in totals.items():
        limit = _limit((facts,), target, loc)
        if limit is None or total <= limit:
            continue
        used, alive = facts.peak(loc, idle)
        if used <= limit:
            yield from _too_large(facts, idle, loc, limit, target)
            continue
        at = facts.ops[max(tile.first for tile in alive)]
        yield Violation(
            f"live tiles need {used} bytes of {loc.value}; {limit} are available "
            f"({_layout((facts,), target, loc)})",
            op=at,
            related=(Related(_table(facts, alive, used)),),
            fix="use smaller tiles, or split the work so that fewer are live at once",
        )


def _too_large(
    facts: FunctionFacts, idle: set[SSAValue], loc: TileLoc, limit: int, target: Target
) -> Violations:
    """Tiles that would not fit alone, and that nothing uses."""
    for root in facts.local_tiles:
        type = root.type
        if (
            root not in idle
            and isinstance(type, TileType)
            and type.loc.data is loc
            and type.size_bytes > limit
        ):
            required = f"at most {limit} ({_layout((facts,), target, loc)})"
            what, found = f"size of `{value_name(root)}`", f"{type.size_bytes} bytes"
            yield mismatch(what, found, required, op=place_of(facts, root))


def _table(facts: FunctionFacts, alive: tuple[LiveTile, ...], used: int) -> str:
    """The live tiles by line, largest first."""
    rows: list[tuple[str, str, str]] = []
    for tile in sorted(alive, key=lambda tile: -tile.bytes):
        shape = shape_text(tile.type.shape, tile.type.element_type)
        line = facts.line(place_of(facts, tile.root))
        rows.append((f"line {line}", f"{value_name(tile.root)} {shape}", str(tile.bytes)))
    rows.append(("", "together", str(used)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
    return "tiles live at the peak, in bytes:\n" + "\n".join(lines)


# --- kernels -------------------------------------------------------------------------------------


@rule(
    "PTO-U120",
    source="000, UB Memory Budget; D22; D36",
    reason="A callee runs while the caller's tiles are live, so its tiles are placed above them.",
    scope="kernel",
)
def tiles_of_a_kernel_fit(facts: KernelFacts, target: Target) -> Violations:
    """The tiles of a kernel, of its callees, and those that lowering adds must fit into the memory available
    to tiles."""
    for loc, end in facts.ends.items():
        limit = _limit(facts.functions, target, loc)
        if limit is None or end <= limit:
            continue
        outer = facts.functions[0]
        called = [each.func.sym_name.data for each in facts.functions[1:]]
        names = f"tiles of @{facts.name}" + (f" and its callees @{', @'.join(called)}" if called else "")
        calls = outer.by_class.get(CallOp, [])
        yield Violation(
            f"{names} need {end} bytes of {loc.value}; {limit} are available "
            f"({_layout(facts.functions, target, loc)})",
            op=calls[0] if calls else outer.func,
            fix="use smaller tiles, or split the work so that fewer are live at once",
        )


@rule(
    "PTO-A401",
    source="000, UB Memory Budget, A5; D22; D36",
    reason="Without a dynamic region the data cache keeps its default size, and results may be corrupted.",
    failing=mgather("elem", "96x256xf32", "64x32xf32", "96x256xi32"),
    passing=mgather("elem", "64x256xf32", "64x32xf32", "64x256xi32"),
    severity=Severity.WARNING,
    scope="kernel",
)
def kernel_fits_the_default_budget(facts: KernelFacts, target: Target) -> Violations:
    """A kernel with SIMT instructions whose tiles, including those of its callees, end above 128 KB must be
    launched with that size as dynUBufSize."""
    ub, end = target.ub, facts.ends.get(TileLoc.Vec, 0)
    simt = [op for each in facts.functions if (op := each.first_simt(target)) is not None]
    if not simt or ub is None or ub.default_budget is None:
        return
    if ub.default_budget < end <= ub.limit(simt=True):
        fix = f"launch with dynUBufSize = {end}: {facts.name}<<<blocks, {end}, stream>>>(...)"
        called = " and its callees" if len(facts.functions) > 1 else ""
        message = (
            f"tiles of @{facts.name}{called} need {end} bytes; a launch without dynUBufSize provides "
            f"{ub.default_budget}"
        )
        yield Violation(message, op=simt[0], fix=fix)


def _limit(functions: Sequence[FunctionFacts], target: Target, loc: TileLoc) -> int | None:
    return target.memory_size(loc, functions[0].has_simt(target)) if loc in target.memories else None


def may_exceed_memory(functions: Sequence[FunctionFacts], target: Target) -> bool:
    """Return True if a kernel may exceed the memory, by a bound that is cheap to compute."""
    placed, stacked = _needs(functions, target)
    needed = {loc: placed.get(loc, 0) + stacked.get(loc, 0) for loc in placed | stacked}
    simt = functions[0].has_simt(target)
    if simt and any(True for facts in functions for _ in facts.instances(CollectiveOp)):
        return True  # staging tiles take what is left
    default = target.ub.default_budget if simt and target.ub is not None else None
    for loc, most in needed.items():
        limit = _limit(functions, target, loc)
        if loc is TileLoc.Vec and default is not None:
            limit = default
        if limit is not None and most > limit:
            return True
    return False


_GET_TILES = (CallOp, TGatherOp, CollectiveOp, StagedOp, TransferOp)
"""Some of these get a tile that no row speaks of."""


def memory_end_as_written(facts: FunctionFacts, target: Target) -> dict[TileLoc, int] | None:
    """Return the end of the tiles of a kernel without calls, if its text determines it; `None`: run the
    passes.

    It does where the author has placed every tile, and the passes neither add one nor drop the last of those
    that are used: a plain instruction touches that, in no branch that may be left out.
    """
    if facts.branched or any(op.regions and not isinstance(op, ForOp) for op in facts.ops):
        return None
    if any(issubclass(kind, _GET_TILES) for kind in facts.by_class):
        return None
    placed, stacked = _needs((facts,), target)
    if stacked or not placed or any(True for _ in facts.instances(AllocMultiTileOp)):
        return None
    ends: dict[TileLoc, int] = {}
    certain: dict[TileLoc, int] = {}
    for root, bound in facts.addresses.items():
        type, (op, at) = tile_type(root), bound[0]
        loc = type.loc.data
        if len(bound) > 1 or at is None or root.owner is not op or target.space(loc) is not loc:
            return None
        if root.first_use is None:
            continue
        end = at + type.size_bytes
        ends[loc] = max(ends.get(loc, 0), end)
        users = (use.operation for use in root.uses)
        if not target.leaves_alone(root) and any(
            isinstance(user, PtoOp) and not user.results and accesses(user) for user in users
        ):
            certain[loc] = max(certain.get(loc, 0), end)
    return ends if ends == certain and ends.keys() == placed.keys() else None


def _needs(
    functions: Sequence[FunctionFacts], target: Target
) -> tuple[dict[TileLoc, int], dict[TileLoc, int]]:
    """Return the end of the placed tiles of each memory, and an upper bound of the bytes of the others.

    Those, and rings of channels, lie above each other. Loops that hand tiles on may need each twice.
    """
    placed: dict[TileLoc, int] = {}
    stacked: dict[TileLoc, int] = {}
    for facts in functions:
        addresses = facts.addresses
        for root, bound in addresses.items():
            type = tile_type(root)
            # An address that is not known may be any.
            ends = [1 << 30 if at is None else at + type.size_bytes for _, at in bound]
            placed[type.loc.data] = max(placed.get(type.loc.data, 0), *ends)
        own = (value for value in (*facts.arguments, *facts.local_tiles) if value not in addresses)
        tiles = map(tile_type, own)
        for type in (*tiles, *_carried_tiles(facts), *_scratch(facts, target)):
            stacked[type.loc.data] = stacked.get(type.loc.data, 0) + 2 * type.size_bytes
        for ring in facts.instances(ReserveBufferOp):
            loc, end = TileLoc(ring.space.data.value), (ring.address or 0) + 2 * ring.size.value.data
            stacked[loc] = stacked.get(loc, 0) + end
    return placed, stacked


def _carried_tiles(facts: FunctionFacts) -> Iterator[TileType]:
    """Tiles that are carried into and out of loops and branches."""
    for op in facts.ops:
        if op.regions:
            inside = (argument for region in op.regions for block in region.blocks for argument in block.args)
            values = (*op.results, *inside)
            yield from (value.type for value in values if isinstance(value.type, TileType))


def _scratch(facts: FunctionFacts, target: Target) -> Iterator[TileType]:
    """Tiles that lowering will add."""
    for kind, ops in facts.by_class.items():
        for op in cast("list[PtoOp]", ops) if needs_scratch(kind, target) else ():
            row = target.row(op)
            if not isinstance(row, Row) or not row.scratch:
                continue
            know = Facts(op, target, facts.knowledge, False, (target,), row)
            needs = (s.needs(know) for slot, s in row.scratch.items() if not op.operands_of(slot))
            yield from (type for type in needs if type is not None)
