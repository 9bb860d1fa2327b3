"""The tiles of a whole function: addresses, overlaps, reads of uninitialised tiles (D21, D22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, product
from typing import cast

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.function import FunctionFacts, Touches, value_name
from ptoas.analysis.storage import Storage
from ptoas.analysis.structure import is_of
from ptoas.diagnostics import Severity
from ptoas.diagnostics.spelling import nearest
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.slots import int_values
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import TAssignOp, can_precede
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Violation, Violations, access_rule, function_rule, target_rule
from ptoas.targets.specs import tile_type
from ptoas.targets.target import Target, rows_of


def place_of(facts: FunctionFacts, value: SSAValue) -> Operation:
    """The operation that makes a tile, or the function whose argument it is."""
    return value.owner if isinstance(value, OpResult) else facts.func


@function_rule(
    "PTO-U101",
    source="D21",
    reason="The compiler can't know which bytes manually placed tiles leave free.",
)
def all_tiles_have_an_address(facts: FunctionFacts, _target: Target) -> Violations:
    """If any tile has an address, every tile in the function needs one."""
    if not facts.manual_placement:
        return
    bound = [op for ops in facts.addresses.values() for op, _ in ops]
    first = min(bound, key=lambda op: facts.positions[op])
    for root in facts.local_tiles:
        if root not in facts.addresses:
            yield Violation(
                f"`{value_name(root)}` has no address, but other tiles of the function have one",
                op=place_of(facts, root),
                fix="give it `addr = %address`, or remove all addresses",
                related=(Related("this address switches the function to manual placement", first),),
            )


# --- overlaps ------------------------------------------------------------------------------------


@target_rule(
    "PTO-U104",
    source="D22",
    reason="The instruction would overwrite data that it has not read yet.",
    on="a2a3 a5",
)
def destination_does_not_overlap_its_index(facts: FunctionFacts, target: Target) -> Violations:
    """Operands that an instruction reads and writes independently, such as the destination and the index tile
    of a gather, must not overlap; an element gather on A2/A3 may overwrite its own indices."""
    for kind, ops in facts.by_class.items():
        for op in cast("list[PtoOp]", ops) if _keeps_apart(kind, target) else ():
            row = target.row(op)
            for one, other in row.no_alias if isinstance(row, Row) else ():
                assert isinstance(row, Row)
                yield from _overlaps(facts, op, one, other, row)


@cache
def _keeps_apart(kind: type[Operation], target: Target) -> bool:
    return any(row.no_alias for row in rows_of(kind, target))


def _is_one_tile(value: SSAValue, other: SSAValue, facts: FunctionFacts) -> bool:
    """Return True if two tiles have each element in the same bytes."""
    one, two = tile_type(value), tile_type(other)
    if facts.storage(value).identity != facts.storage(other).identity:
        return False
    alike = (one.shape, one.blayout, one.slayout) == (two.shape, two.blayout, two.slayout)
    return alike and element_size(one.element_type) == element_size(two.element_type)


def _overlaps(facts: FunctionFacts, op: PtoOp, one: str, other: str, row: Row) -> Violations:
    elementwise_alias = row.elementwise_alias is not None and row.elementwise_alias(op)
    for value, second in product(op.values_of(one), op.values_of(other)):
        first, behind = facts.storage(value), facts.storage(second)
        if elementwise_alias and _is_one_tile(value, second, facts):
            continue
        if first.overlaps(behind):
            message = f"{one} {_bytes(first)} overlaps {other} {_bytes(behind)}"
            if value is second:
                message = f"`{value_name(value)}` is both {one} and {other}"
            fix = _without_overlap(first, behind, one)
            yield Violation(message, op=op, slot=one, part="value", fix=fix)


def _without_overlap(first: Storage, behind: Storage, slot: str) -> str:
    if first.root is behind.root or first.start is None or behind.start is None:
        return f"use a tile of its own for {slot}"
    after = -(-(behind.start + behind.size) // BURST) * BURST
    return f"place `{value_name(first.root)}` at {after} or beyond"


def _bytes(storage: Storage) -> str:
    name = value_name(storage.root)
    return (
        f"`{name}`"
        if storage.start is None
        else f"`{name}` (bytes {storage.start} to {storage.start + storage.size - 1})"
    )


@function_rule(
    "PTO-U105",
    source="D22",
    reason="Two tiles at one address are a reinterpretation; a partial overlap is usually a mistake.",
    severity=Severity.WARNING,
)
def live_tiles_do_not_overlap_in_part(facts: FunctionFacts, _target: Target) -> Violations:
    """Two live tiles with addresses should be at the same address or not overlap."""
    if not facts.manual_placement:
        return
    placed = [facts.storage(root) for root in (*facts.arguments, *facts.local_tiles)]
    known = [(at.loc.value, at.start, n, at) for n, at in enumerate(placed) if at.start is not None]
    known.sort()
    for n, (loc, start, _, at) in enumerate(known):
        end, alive = start + at.size, facts.live(at.root)
        if alive is None:
            continue
        for m in range(n + 1, len(known)):
            there_loc, behind, _, there = known[m]
            # Sorted by memory and address: the first tile beyond the end ends the search.
            if there_loc != loc or behind >= end:
                break
            if behind == start or (other := facts.live(there.root)) is None or not alive.overlaps(other):
                continue
            first = facts.addresses[at.root][0][0]
            yield Violation(
                f"{_bytes(there)} partly overlaps {_bytes(at)}",
                op=facts.addresses[there.root][0][0],
                related=(Related(f"`{value_name(at.root)}` is placed here", first),),
                fix=f"use an address from {end} on, or the same address as `{value_name(at.root)}`",
            )


# --- unwritten tiles -----------------------------------------------------------------------------


@function_rule(
    "PTO-U107",
    source="D21; public TASSIGN page",
    reason="An instruction uses the address that its tile has when it is issued.",
)
def tile_has_an_address_before_its_use(facts: FunctionFacts, _target: Target) -> Violations:
    """`tassign` must come before the first use of its tile. For a result it must directly follow the
    instruction, with an address that is a literal or known before it."""
    place = facts.positions
    for root, bound in facts.addresses.items():
        first = bound[0][0]
        if isinstance(first, TGetScaleAddrOp) and len(underlying_values(first.src)) == 1:
            continue  # one operand has one address: the scales have theirs from the start
        early = [use.operation for use in root.uses if place[use.operation] < place[first]]
        maker = root.owner
        if not early and isinstance(maker, Instruction):
            assert isinstance(first, TAssignOp), "a result has no other way to an address"
            early = [] if can_precede(maker, first) else [maker]
        if early:
            used = min(early, key=place.__getitem__)
            yield Violation(
                f"`{value_name(root)}` is used before it has an address",
                op=first,
                related=(Related("used here", used),),
                fix=f"move `{first.name.removeprefix('pto.')}` before line {facts.line(used)}",
            )


@access_rule(
    "PTO-U106",
    source="D14, D29",
    severity=Severity.WARNING,
    reason="Memory that nothing has written holds whatever the last kernel left there.",
)
def tile_is_written_before_it_is_read(facts: FunctionFacts, touches: Touches) -> Violations:
    """A local tile must be written before it is read."""
    writes: dict[SSAValue, list[int]] = {}
    placed: list[tuple[Storage, int]] = []
    reads: list[tuple[Operation, int, SSAValue, int]] = []
    place, by_hand = facts.positions, facts.manual_placement

    def write(value: SSAValue, at: int) -> None:
        if isinstance(value.type, TileType):
            for root in _possible_tiles(facts.root(value), facts):
                writes.setdefault(root, []).append(at)
            if by_hand:
                placed.append((facts.storage(value), at))

    for op, here in touches:
        if isinstance(op, CollectiveOp):
            continue  # It fills its staging tiles itself before it reads them.
        at = place[op]
        for value, is_write, operand in here:
            if is_write:
                write(value, at)
            elif isinstance(value.type, TileType) and 0 not in (value.type.valid_rows, value.type.valid_cols):
                reads.append((op, operand, facts.root(value), at))
    for op in facts.ops:
        for value in _possible_writes(op):
            write(value, place[op])

    def written(root: SSAValue) -> Iterator[int]:
        return chain.from_iterable(writes.get(tile, ()) for tile in _possible_tiles(root, facts))

    seen: set[SSAValue] = set()
    for op, operand, root, at in reads:
        if not isinstance(root, OpResult) or root in seen or any(w < at for w in written(root)):
            continue
        if not root.owner.name.startswith("pto."):
            continue  # A loop's or a branch's result was made elsewhere.
        loops = [(s, e) for s, e in facts.loops if s <= at <= e]
        if any(s <= w <= e for s, e in loops for w in written(root)):
            continue
        storage = facts.storage(root)
        if facts.manual_placement and (
            storage.start is None
            or any(
                there.overlaps(storage) and (w < at or any(s <= w <= e for s, e in loops))
                for there, w in placed
            )
        ):
            continue
        seen.add(root)
        yield Violation(
            f"`{value_name(root)}` is read before it is initialised",
            op=op,
            slot=("operand", operand),
            part="value",
            related=(Related("allocated here", root.owner),),
            fix=_similar_name(root, writes, {read for _, _, read, _ in reads}),
        )


def _possible_tiles(root: SSAValue, facts: FunctionFacts) -> Sequence[SSAValue]:
    """The tiles that a name may refer to: each tile of a multi-tile, and the name itself."""
    owner = root.owner
    return (root, *map(facts.root, owner.source)) if isinstance(owner, MultiTileGetOp) else (root,)


def _possible_writes(op: Operation) -> Sequence[SSAValue]:
    """Operands that may be written elsewhere.

    Writers are callees, the next iteration of a loop, and unknown operations, which write their `outs(...)`
    if they have them (D29).
    """
    if is_of(op.__class__, (UnregisteredOp,)):
        sizes: Attribute | None = op.attributes.get("operandSegmentSizes")
        ins_outs = int_values(sizes) if sizes is not None else ()
        return op.operands[ins_outs[0] :] if len(ins_outs) == 2 else op.operands
    return op.operands if op.name in ("func.call", "scf.yield", "scf.for", "scf.while") else ()


def _similar_name(tile: SSAValue, written: Iterable[SSAValue], read: set[SSAValue]) -> str | None:
    """A destination that nothing had defined defines a tile (D23), so a slip of the pen makes a new one."""
    unused = {value_name(value) for value in written if value not in read}
    near = nearest(value_name(tile), sorted(unused))
    return f"`{near}` is written and never read: did you mean `{value_name(tile)}` there?" if near else None
