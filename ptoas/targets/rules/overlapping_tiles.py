"""Tiles at overlapping addresses: reads of bytes that another tile has overwritten (D47)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, Touches, value_name
from ptoas.analysis.storage import Storage
from ptoas.analysis.windows import Dims, share_elements
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.movement import TExtractOp, TInsertOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AliasOp
from ptoas.targets.rule import Related, Violation, Violations, access_rule

Extent = tuple[TileLoc, int, int]
"""Memory, address and size of a tile: tiles that have them in common are one buffer."""


@dataclass(slots=True)
class TileAccess:
    """A read or write of a buffer."""

    at: int
    op: Operation
    value: SSAValue
    operand: int | None
    write: bool
    bytes: tuple[int, Dims] | None
    """Address of the first byte, extents and strides; `None`: it is not certain which bytes."""

    def shares_bytes(self, other: TileAccess) -> bool:
        if self.bytes is None or other.bytes is None:
            return False
        return share_elements(other.bytes[0] - self.bytes[0], self.bytes[1], other.bytes[1])


@access_rule(
    "PTO-U108",
    source="D47",
    reason="Tiles with one address and size are one buffer; another tile over the same bytes destroys them.",
    severity=Severity.WARNING,
)
def overwritten_bytes_are_not_read(facts: FunctionFacts, touches: Touches) -> Violations:
    """Bytes written through a tile should not be read through it after they were overwritten through a tile
    with another address or size that is not a view of the first."""
    if not facts.manual_placement:
        return
    accesses = _accesses(facts, touches)
    writes = {extent: [access for access in each if access.write] for extent, each in accesses.items()}
    found: set[SSAValue] = set()
    for extent, other in _overlapping(sorted(accesses, key=lambda each: (each[0].value, *each[1:]))):
        for overwrite in writes[other]:
            read = _read_after(overwrite, accesses[extent], writes[extent], facts)
            if read is None or facts.root(read.value) in found:
                continue
            found.add(facts.root(read.value))
            yield Violation(
                f"`{value_name(read.value)}` is read after its bytes were overwritten through "
                f"`{value_name(overwrite.value)}`",
                op=read.op,
                slot=("operand", read.operand) if read.operand is not None else None,
                part="value",
                related=(Related("overwritten here", overwrite.op),),
                fix=f"read `{value_name(read.value)}` before, or place `{value_name(overwrite.value)}` where "
                "it does not overlap it",
            )


def _overlapping(extents: Sequence[Extent]) -> Iterator[tuple[Extent, Extent]]:
    """Pairs of buffers of one memory with bytes in common, in both orders."""
    for n, one in enumerate(extents):
        for other in extents[n + 1 :]:
            if other[0] is not one[0] or other[1] >= one[1] + one[2]:
                break
            yield one, other
            yield other, one


def _accesses(facts: FunctionFacts, touches: Touches) -> dict[Extent, list[TileAccess]]:
    """The accesses of each buffer in program order, those of one instruction with reads first; not of
    memories with a tile whose address is only known at run time."""
    found: dict[Extent, list[TileAccess]] = {}
    dynamic: set[TileLoc] = set()

    def note(op: Operation, value: SSAValue, write: bool, operand: int | None) -> None:
        places = facts.places(value)
        for place in places:
            if not isinstance(place, Storage):
                continue
            if place.start is None:
                dynamic.add(place.loc)
                continue
            certain = _bytes(op, value, place, facts) if len(places) == 1 and operand is not None else None
            access = TileAccess(facts.positions[op], op, value, operand, write, certain)
            found.setdefault((place.loc, place.start, place.size), []).append(access)

    touched = dict(touches)
    for op in facts.ops:
        for value, write, operand in sorted(touched.get(op, ()), key=lambda each: each.write):
            if isinstance(value.type, TileType):
                note(op, value, write, operand)
        if op.name == "func.call":
            for value in op.operands:  # the callee may write them
                if isinstance(value.type, TileType):
                    note(op, value, True, None)
    return {extent: each for extent, each in found.items() if extent[0] not in dynamic}


def _bytes(op: Operation, value: SSAValue, place: Storage, facts: FunctionFacts) -> tuple[int, Dims] | None:
    """The valid bytes of a tile or of its window, if they are known."""
    root, tile = place.root.type, facts.knowledge.tile(value)
    assert isinstance(root, TileType) and place.start is not None
    if DYNAMIC in tile.valid or isinstance(value.owner, AliasOp) or isinstance(op, TExtractOp | TInsertOp):
        return None
    if tile.valid == root.shape and place.is_all:
        return place.start, ((place.size, 1),)
    if root.slayout is not SLayout.NoneBox or (tile.type.shape != root.shape and place.is_all):
        return None
    unit = tile.size
    by_row, by_col = root.geometry.rows.inner * unit, root.geometry.cols.inner * unit
    top, left = (span[0] if span is not None else 0 for span in (place.rows, place.cols))
    dims = ((tile.valid_rows, by_row), (tile.valid_cols, by_col), (unit, 1))
    return place.start + top * by_row + left * by_col, dims


def _read_after(
    overwrite: TileAccess,
    accesses: Sequence[TileAccess],
    writes: Sequence[TileAccess],
    facts: FunctionFacts,
) -> TileAccess | None:
    """The read of bytes that a tile held before they were overwritten, if nothing writes its buffer in
    between: in the same iteration of the loops around the overwrite, in the next one, or behind a loop."""
    kept_alive = {
        facts.root(access.value)
        for access in writes
        if access.at < overwrite.at and access.shares_bytes(overwrite)
        if _is_certain(access.op, overwrite.op)
    }
    if not kept_alive:
        return None
    positions = [access.at for access in accesses]
    before, behind = bisect_left(positions, overwrite.at), bisect_right(positions, overwrite.at)
    around = sorted((loop for loop in facts.loops if loop[0] <= overwrite.at <= loop[1]), reverse=True)
    for first, last in around:
        end = bisect_right(positions, last)
        read, is_written = _first_read(overwrite, accesses[behind:end], kept_alive, facts)
        if read is not None or is_written:
            return read
        # The next iteration reads what the tile held before the loop, unless it allocates the tile again.
        carried = {tile for tile in kept_alive if not first <= _position(tile, facts) <= last}
        begin = bisect_left(positions, first)
        read, _ = _first_read(overwrite, accesses[begin:before], carried, facts)
        if read is not None:
            return read
        behind = end
    return _first_read(overwrite, accesses[behind:], kept_alive, facts)[0]


def _position(tile: SSAValue, facts: FunctionFacts) -> int:
    return facts.positions[tile.owner] if isinstance(tile.owner, Operation) else -1


def _first_read(
    overwrite: TileAccess,
    accesses: Sequence[TileAccess],
    kept_alive: Container[SSAValue],
    facts: FunctionFacts,
) -> tuple[TileAccess | None, bool]:
    """The first read of overwritten bytes through a tile that held them, before any write of the buffer; and
    whether there is such a write."""
    for access in accesses:
        if access.write:
            return None, True
        is_lost = facts.root(access.value) in kept_alive and access.shares_bytes(overwrite)
        if is_lost and _is_certain(overwrite.op, access.op):
            return access, False
    return None, False


def _is_certain(first: Operation, second: Operation) -> bool:
    """Return True if every execution of the second operation follows one of the first one's block."""
    block = first.parent
    return block is not None and (
        second.parent is block or block.find_ancestor_op_in_block(second) is not None
    )
