"""A gather whose tile is stored right after it.

    mgather table, idx -> tile          look at the indices
    tstore tile -> memory               take the rows into memory; copy them, while in the cache, to the tile

The processor reads rows of a large table slowly, one distant place after the other, and writes to new memory
beside that at no cost. Into a tile first, it would do the one after the other. The tile holds the same
afterwards, unless nothing in the program can look at its bytes; and nothing that runs between the two does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.dialects.pto.local_types import MultiTileType
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.scalar import AddPtrOp
from ptoas.dialects.pto.sync import DrainOp, EventClauseOp, FlagOp
from ptoas.dialects.pto.types import PtrType, TileType, TileValueType
from ptoas.dialects.pto.views import AllocTileOp, MakeTensorViewOp, PartitionViewOp
from ptoas.machine.arrays import Array
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import View


@dataclass(frozen=True)
class DeferredGather:
    """The work of a gather in two parts: which elements, and taking them."""

    choose: Callable[[], Array]
    """Indices, checked."""
    take: Callable[[Array, int, Array, str], object]
    out: Array
    """The tile's elements by row and column."""


LEAST_BYTES = 16 << 10
"""A smaller tile is gathered and stored within the cache: to leave it to the store would only cost."""


class Handover:
    """Data passed from a gather to the store after it."""

    __slots__ = ("left", "unseen")

    def __init__(self, unseen: bool, machine: Machine) -> None:
        self.unseen = unseen
        """True if nothing else reads the tile."""
        self.left: dict[int, tuple[DeferredGather, Array]] = {}
        """Under key 0, the data for the store, and the selection."""
        machine.clear_with_arguments(self.left.clear)

    def gathering(self, step: Step) -> Step:
        """The step of the gather: the taking is left to the store."""
        later = step.later
        if later is None or later.out.nbytes < LEAST_BYTES:
            return step
        choose, left = later.choose, self.left

        def run() -> None:
            left[0] = (later, choose())

        return replace(step, run=run)

    def storing(self, step: Step) -> Step:
        """The step of the store, which takes what was left to it."""
        store, filled, unseen, left = step.moving, step.filled, self.unseen, self.left
        if store is None:
            return step

        def run(view: View) -> None:
            found = left.pop(0, None)
            if found is None:
                store(view)
                return
            later, indices = found
            if filled is not None and filled(view, indices, later, unseen):
                return
            later.take(indices, 0, later.out, "clip")
            store(view)

        return replace(step, moving=run)


PASSES = (PartitionViewOp, MakeTensorViewOp, AddPtrOp, FlagOp, DrainOp, EventClauseOp)
"""Operations that access neither tiles nor memory."""


def store_after(op: Operation, tile: SSAValue, machine: Machine) -> TStoreOp | None:
    """The store of a tile right after what wrote it, where no other core or rank works meanwhile."""
    launch = machine.launch
    if machine.sharing is not None or machine.program_channels is not None or launch.ranks is not None:
        return None
    if len(launch.cores) > 1:
        return None
    after = op.next_op
    while after is not None and (isinstance(after, PASSES) or _is_arithmetic(after)):
        after = after.next_op
    return after if isinstance(after, TStoreOp) and after.src is tile else None


def _is_arithmetic(op: Operation) -> bool:
    return op.name.startswith(f"{arith.Arith.name}.")


def is_unseen(tile: SSAValue, functions: Iterable[Operation]) -> bool:
    """Return True if only one gather and one store touch the bytes of a tile.

    No other tile or pointer shares them; unknown cases count as shared.
    """
    type = tile.type
    if not isinstance(type, TileType) or len(list(tile.uses)) != 2:
        return False
    constants, places = Constants(), dict[SSAValue, tuple[int, int]]()
    for op in (op for function in functions for op in walk(function)):
        if isinstance(op, AllocTileOp):
            address = None if op.addr is None else constants.constant(op.addr)
            if address is None:
                return False
            if op.tile_type.loc == type.loc:
                places[op.result] = (address, address + op.tile_type.size_bytes)
        elif any(_is_local(value.type) for value in (*op.results, *_arguments(op))):
            return False
    start, end = places.pop(tile)
    return not any(low < end and start < high for low, high in places.values())


def _is_local(type: Attribute) -> bool:
    if isinstance(type, PtrType):
        return type.space is not AddressSpace.GM
    return isinstance(type, TileType | TileValueType | MultiTileType)


def _arguments(op: Operation) -> list[SSAValue]:
    return [argument for region in op.regions for block in region.blocks for argument in block.args]
