"""Which bytes a value stands for: tiles by their addresses, views by the memory behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import BLayout, SLayout, TileLoc
from ptoas.dialects.pto.types import PtrType, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, SubviewOp, TAssignOp
from ptoas.targets.facts import Knowledge

ARGUMENT_ADDRESSES = "pto.tile_arg_addresses"
"""Attribute of a function: where its tile arguments lie, in their order; the caller puts them there (D24)."""

EVERYWHERE = 1 << 62

PLACED = "placed"
"""The base of tiles with a known address: one memory, windows of which may overlap (D22)."""

GLOBAL_MEMORY = "gm"


class Region(NamedTuple):
    """Bytes `first` up to `last` behind `base`; a base of `None` may be any place of that memory."""

    space: str
    base: object
    first: int
    last: int

    def overlaps(self, other: Region) -> bool:
        if self.space != other.space:
            return False
        if self.base is None or other.base is None:
            return True
        return self.base is other.base and self.first <= other.last and other.first <= self.last


class TileRoots:
    """The allocations that a tile value may stand for: more than one where branches or loops choose."""

    def __init__(self) -> None:
        self._roots: dict[SSAValue, tuple[SSAValue, ...]] = {}

    def of(self, value: SSAValue) -> tuple[SSAValue, ...]:
        roots = self._roots.get(value)
        if roots is None:
            sources = _sources(value)
            if not sources:
                roots = (value,)
            elif len(sources) == 1 and not isinstance(value, BlockArgument):
                roots = self.of(sources[0])
            else:
                roots = self._collect(value)
            self._roots[value] = roots
        return roots

    def _collect(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """Follow all ways back; loops make circles, so each value is visited once."""
        seen: set[SSAValue] = set()
        roots: dict[SSAValue, None] = {}
        stack = [value]
        while stack:
            at = stack.pop()
            if at in seen:
                continue
            seen.add(at)
            sources = _sources(at)
            if sources:
                stack += reversed(sources)
            else:
                roots[at] = None
        return tuple(roots)


def _sources(value: SSAValue) -> tuple[SSAValue, ...]:
    """The values that `value` is another name for; none when it is a tile of its own."""
    owner = value.owner
    if isinstance(owner, Block):
        return _argument_sources(value, owner)
    match owner:
        case SubviewOp():
            return (owner.source,)
        case TAssignOp():
            return (owner.tile,)
        case arith.SelectOp():
            return (owner.lhs, owner.rhs)
        case scf.ForOp():
            return (owner.iter_args[value.index], _terminator(owner, 0).operands[value.index])  # pyright: ignore
        case scf.IfOp():
            return tuple(_terminator(owner, i).operands[value.index] for i in range(2))  # pyright: ignore
        case scf.WhileOp():
            return (_terminator(owner, 0).operands[value.index + 1],)  # pyright: ignore
        case _:
            return ()


def _argument_sources(value: SSAValue, block: Block) -> tuple[SSAValue, ...]:
    assert isinstance(value, BlockArgument)
    parent = block.parent_op()
    match parent:
        case scf.ForOp() if value.index > 0:
            at = value.index - 1
            return (parent.iter_args[at], _terminator(parent, 0).operands[at])
        case scf.WhileOp() if block is parent.before_region.block:
            return (parent.arguments[value.index], _terminator(parent, 1).operands[value.index])
        case scf.WhileOp():
            return (_terminator(parent, 0).operands[value.index + 1],)
        case _:
            return ()


def _terminator(op: Operation, region: int) -> Operation:
    last = op.regions[region].block.last_op
    assert last is not None
    return last


@dataclass(frozen=True)
class Address:
    """Where a tile starts; `None` when only the running program knows."""

    value: int | None


class MemoryMap:
    """Regions of tiles and views of one function."""

    def __init__(self, function: func.FuncOp, knowledge: Knowledge | None = None):
        self.knowledge = knowledge or Knowledge()
        self.roots = TileRoots()
        self._function = function
        self._entry = function.body.block
        self._regions: dict[SSAValue, tuple[Region, ...]] = {}
        self._assigned: dict[SSAValue, list[TAssignOp]] = {}
        self._arguments = tile_argument_addresses(function)
        for op in function.walk():
            if isinstance(op, TAssignOp):
                for root in self.roots.of(op.tile):
                    self._assigned.setdefault(root, []).append(op)

    def address(self, root: SSAValue) -> Address | None:
        """The address of an allocation; `None` when it has none (yet)."""
        assigned = self._assigned.get(root)
        if assigned:
            found = {self._assign_address(op) for op in assigned}
            return Address(found.pop() if len(found) == 1 else None)
        if isinstance(root.owner, AllocTileOp) and root.owner.addr is not None:
            return Address(self.knowledge.constant(root.owner.addr))
        if root in self._arguments:
            return Address(self._arguments[root])
        return None

    def _assign_address(self, op: TAssignOp) -> int | None:
        if op.address is not None:
            return op.address.value.data
        assert op.addr is not None
        return self.knowledge.constant(op.addr)

    def regions(self, value: SSAValue) -> tuple[Region, ...]:
        """All the bytes that an access through `value` may touch; one region when that is certain."""
        regions = self._regions.get(value)
        if regions is None:
            type = value.type
            regions = self._tile_regions(value, type) if isinstance(type, TileType) else self._global(value)
            self._regions[value] = regions
        return regions

    def _tile_regions(self, value: SSAValue, type: TileType) -> tuple[Region, ...]:
        offset, size = self._window(value, type)
        found: dict[Region, None] = {}
        for root in self.roots.of(value):
            address = self.address(root)
            root_type = root.type
            assert isinstance(root_type, TileType)
            first, last = (0, root_type.size_bytes - 1) if offset is None else (offset, offset + size - 1)
            space = type.loc.data.value
            if address is None:
                found[Region(space, root, first, last)] = None
            elif address.value is None:
                found[Region(space, None, 0, EVERYWHERE)] = None
            else:
                found[Region(space, PLACED, address.value + first, address.value + last)] = None
        return tuple(found)

    def _window(self, value: SSAValue, type: TileType) -> tuple[int | None, int]:
        """First byte and length of a window inside its allocation; unknown: the whole."""
        chain: list[SubviewOp] = []
        at = value
        while isinstance(at.owner, SubviewOp):
            chain.append(at.owner)
            at = at.owner.source
        if not chain:
            return None, 0
        parent = at.type
        assert isinstance(parent, TileType)
        if parent.slayout is not SLayout.NoneBox:
            return None, 0
        row = col = 0
        for op in chain:
            offsets = [self.knowledge.constant(offset) for offset in op.offsets]
            if None in offsets:
                return None, 0
            row += offsets[0] or 0
            col += offsets[1] or 0
        rows, cols = type.shape
        unit = element_size(type.element_type)
        if parent.blayout is BLayout.RowMajor:
            first, count = row * parent.cols + col, (rows - 1) * parent.cols + cols
        else:
            first, count = col * parent.rows + row, (cols - 1) * parent.rows + rows
        return first * unit, count * unit

    def _global(self, value: SSAValue) -> tuple[Region, ...]:
        window = self.knowledge.window(value)
        unit = _element_bytes(value.type)
        known = window.first is not None and window.last is not None and unit is not None
        first = (window.first or 0) * (unit or 1) if known else 0
        last = ((window.last or 0) + 1) * (unit or 1) - 1 if known else EVERYWHERE
        # Two arguments are two memories; a pointer that the program chose may point into any.
        base = window.root if window.root.owner is self._entry else None
        return (Region(GLOBAL_MEMORY, base, first, last),)


def _element_bytes(type: Attribute) -> int | None:
    return element_size(type.element_type) if isinstance(type, ViewType | PtrType) else None


def tile_argument_addresses(function: func.FuncOp) -> dict[SSAValue, int]:
    """Addresses of the function's tile arguments, once `plan-memory` has chosen them."""
    addresses = function.attributes.get(ARGUMENT_ADDRESSES)
    if not isinstance(addresses, DenseArrayBase):
        return {}
    tiles = [arg for arg in function.body.block.args if isinstance(arg.type, TileType)]
    return dict(zip(tiles, (int(a) for a in addresses.get_values()), strict=True))


def set_tile_argument_addresses(function: func.FuncOp, addresses: list[int]) -> None:
    function.attributes[ARGUMENT_ADDRESSES] = DenseArrayBase.from_list(i64, addresses)


def vec_tiles(function: func.FuncOp) -> list[tuple[SSAValue, TileType]]:
    """The tiles of vector memory that a function is given or allocates."""
    allocated = [op.result for op in function.walk() if isinstance(op, AllocTileOp)]
    return [
        (tile, tile.type)
        for tile in (*function.body.block.args, *allocated)
        if isinstance(tile.type, TileType) and tile.type.loc.data is TileLoc.Vec
    ]


def end_of_vec_tiles(function: func.FuncOp) -> int:
    """The first byte of vector memory behind the tiles that have an address."""
    memory = MemoryMap(function)
    end = 0
    for tile, type in vec_tiles(function):
        address = memory.address(tile)
        if address is not None and address.value is not None:
            end = max(end, address.value + type.size_bytes)
    return end
