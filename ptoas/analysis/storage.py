"""Storage of tiles and views: root tiles of windows, addresses, overlaps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.forwarding import handed_from, underlying_values
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import is_of, of_kinds, walk
from ptoas.analysis.windows import Dims, Window, share_elements
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.dialects.pto.pointers import TileBufAddrOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AliasOp, AllocTileOp, SubviewOp, TAssignOp

SCALE_SHIFT = 4
"""Shift from the address of an mx operand to that of its scales."""

ARGUMENT_ADDRESSES = "pto.tile_arg_addresses"
"""Attribute of a function: where its tile arguments lie, in their order; the caller puts them there (D24)."""

Span = tuple[int, int]
"""The first row or column, and the one after the last."""


def manual_placement(ops: Iterable[Operation]) -> bool:
    """Return True if a function gives one of its tiles an address; then all need one (D21)."""
    binding = [op for op in ops if is_of(op.__class__, (TAssignOp, AllocTileOp))]
    return any(not isinstance(op, AllocTileOp) or op.addr is not None for op in binding)


def has_address(tile: SSAValue) -> bool:
    """Return True if the program gives a tile its address."""
    if isinstance(tile.owner, AllocTileOp) and tile.owner.addr is not None:
        return True
    return any(isinstance(use.operation, TAssignOp) and use.index == 0 for use in tile.uses)


@dataclass(unsafe_hash=True, slots=True)
class Storage:
    """The part of a local memory that a tile value names: a rectangle of its root tile. It is never changed;
    a frozen one would take three times as long to make, and every access has one."""

    root: SSAValue
    loc: TileLoc
    rows: Span | None
    """`None`: unknown or all."""
    cols: Span | None
    start: int | None
    """First byte of the root in its memory, when placed at a known address."""
    size: int
    dynamic_address: bool = False
    """True if its address is known only at run time."""

    @property
    def identity(self) -> Hashable:
        """The key of a place: equal for the same bytes, whichever tiles they are parts of."""
        return (self.loc, self.start, self.size) if self.is_all and self.start is not None else self

    @property
    def is_all(self) -> bool:
        """True if it is all of its root, as far as known."""
        return self.rows is None and self.cols is None

    def overlaps(self, other: Place, unsure: bool = False) -> bool:
        """Return True if both contain a common byte, `unsure` if unknown."""
        if not isinstance(other, Storage) or self.loc is not other.loc:
            return False
        if unsure and (self.dynamic_address or other.dynamic_address):
            return True
        if self.root is other.root:
            return _meet(self.rows, other.rows) and _meet(self.cols, other.cols)
        if self.start is None or other.start is None or not self.is_placed_over(other):
            return False
        if self.is_all and other.is_all:
            return True
        first, dims = self._bytes()
        other_first, others = other._bytes()
        return share_elements(other.start + other_first - self.start - first, dims, others, unsure)

    def is_placed_over(self, other: Storage) -> bool:
        """Return True if the addresses of the two root tiles overlap."""
        if self.start is None or other.start is None or self.loc is not other.loc:
            return False
        return self.start < other.start + other.size and other.start < self.start + self.size

    def _bytes(self) -> tuple[int, Dims]:
        """The first byte from the root's on, and the bytes of this part as a window; all if it is unknown."""
        type = self.root.type
        if self.is_all or not isinstance(type, TileType):
            return 0, ((self.size, 1),)
        unit = element_size(type.element_type)
        by_row, by_column = type.geometry.rows.inner * unit, type.geometry.cols.inner * unit
        (top, bottom), (left, right) = self.rows or (0, type.rows), self.cols or (0, type.cols)
        dims = ((bottom - top, by_row), (right - left, by_column), (unit, 1))
        return top * by_row + left * by_column, dims


Place = Storage | Window
"""The place of an access: a tile of a local memory, or global memory."""


def _meet(a: Span | None, b: Span | None) -> bool:
    return a is None or b is None or (a[0] < b[1] and b[0] < a[1])


@cache
def names_another(owner: type[object]) -> bool:
    """Return True if the results of such an operation are other names of its tile, or of a part."""
    return issubclass(owner, SubviewOp | AliasOp | TAssignOp)


def underlying_tile(value: SSAValue) -> tuple[SSAValue, list[SubviewOp]]:
    """The underlying tile of windows and bindings, and the windows, the smallest first."""
    windows: list[SubviewOp] = []
    while True:
        if not names_another(value.owner.__class__):
            return value, windows
        match value.owner:
            case SubviewOp() as op:
                windows.append(op)
                value = op.source
            case AliasOp() as op:
                windows.clear()  # rows and columns of another shape
                value = op.source
            case TAssignOp() as op:
                value = op.tile
            case _:
                return value, windows


@cache
def _binds(kind: type[Operation]) -> bool:
    return issubclass(kind, AllocTileOp | TAssignOp | TGetScaleAddrOp)


class StorageMap:
    """Storage of the values of one function."""

    def __init__(self, function: FuncOp, ops: Iterable[Operation], knowledge: Knowledge):
        self.knowledge = knowledge
        self.addresses: dict[SSAValue, list[tuple[Operation, int | None]]] = {}
        """The operations that bind each root tile to an address, and the address if known."""
        self._arguments = tile_argument_addresses(function)
        self._known: dict[SSAValue, tuple[Place, ...]] = {}
        self._storage_of: dict[SSAValue, Storage] = {}
        derived: list[TGetScaleAddrOp] = []
        for op in ops:
            if not _binds(op.__class__):
                continue
            match op:
                case AllocTileOp() if op.addr is not None:
                    self._bind(op.result, op, knowledge.constant(op.addr))
                case TAssignOp():
                    at = self._assigned(op)
                    for root in underlying_values(op.tile):
                        self._bind(root, op, at)
                case TGetScaleAddrOp():
                    derived.append(op)
                case _:
                    pass

        for op in derived:
            at = self.scale_address(op)
            for root in underlying_values(op.dst):
                self._bind(root, op, at)

    def scale_address(self, op: TGetScaleAddrOp) -> int | None:
        """The address at which the matrix unit expects the scales of an operand with one known address."""
        addresses = {self.address(root) for root in underlying_values(op.src)}
        (address,) = addresses if len(addresses) == 1 else (None,)
        return None if address is None else address >> SCALE_SHIFT

    def _bind(self, root: SSAValue, op: Operation, at: int | None) -> None:
        self.addresses.setdefault(root, []).append((op, at))

    def _assigned(self, op: TAssignOp) -> int | None:
        if op.address is not None:
            return op.address.value.data
        assert op.addr is not None
        return self.knowledge.constant(op.addr)

    def is_placed(self, root: SSAValue) -> bool:
        """Return True if a tile has an address, known or not."""
        return root in self.addresses or root in self._arguments

    def address(self, root: SSAValue) -> int | None:
        """The one known address of a tile."""
        found = self.addresses.get(root)
        if found is None:
            return self._arguments.get(root)
        at = found[0][1]
        return at if len(found) == 1 or all(other == at for _, other in found) else None

    def starts(self, root: SSAValue) -> set[int | None]:
        """Return all addresses of a tile; `None` for a dynamic one."""
        bound = {at for _, at in self.addresses.get(root, ())}
        return {self._arguments[root]} if not bound and root in self._arguments else bound

    def storage(self, value: SSAValue) -> Storage:
        """The storage of a value that names one tile."""
        known = self._storage_of.get(value)
        if known is None:
            root, windows = underlying_tile(value)
            known = self._storage_of[value] = self._storage(root, self._rectangle(windows))
        return known

    def of(self, value: SSAValue) -> tuple[Place, ...]:
        """Return every place that a value may refer to through loops and branches."""
        known = self._known.get(value)
        if known is None:
            found = self._storages(value) if value.type.__class__ is TileType else self._behind(value)
            known = self._known[value] = tuple(found)
        return known

    def _behind(self, value: SSAValue) -> Iterable[Place]:
        """The underlying memory of a view or pointer: the whole tile if the pointer is that of a tile."""
        window = self.knowledge.window(value)
        owner = window.root.owner
        return self._storages(owner.src) if isinstance(owner, TileBufAddrOp) else (window,)

    def _storages(self, value: SSAValue) -> Iterable[Storage]:
        root, windows = underlying_tile(value)
        rectangle = self._rectangle(windows) if windows else (None, None)
        if not handed_from(root):
            return (self._storage(root, rectangle),)
        return self._of_handed(root, rectangle)

    def _of_handed(self, root: SSAValue, rectangle: tuple[Span | None, Span | None]) -> Iterator[Storage]:
        """Return the storage of each tile that may be forwarded to this value."""
        roots = [root]
        for root in roots:
            for source in handed_from(root):
                handed, parts = underlying_tile(source)
                if parts:
                    # Of which part this is a part is not followed.
                    rectangle = None, None
                if handed not in roots:
                    roots.append(handed)
        # The last branch first: an access to its tile is the latest and subsumes earlier ones.
        for root in reversed(roots):
            if not handed_from(root):
                yield self._storage(root, rectangle)

    def _storage(self, root: SSAValue, rectangle: tuple[Span | None, Span | None]) -> Storage:
        type = root.type
        assert isinstance(type, TileType)
        rows, cols = (None, None) if type.slayout is not SLayout.NoneBox else rectangle
        start = self.address(root)
        dynamic_address = start is None and self.is_placed(root)
        return Storage(root, type.loc.data, rows, cols, start, type.size_bytes, dynamic_address)

    def _rectangle(self, windows: list[SubviewOp]) -> tuple[Span | None, Span | None]:
        """Rows and columns that the smallest of several windows shows, as far as they are known."""
        found: list[Span | None] = [None, None]
        type = windows[0].result.type if windows else None
        for at, size in enumerate(type.shape) if isinstance(type, TileType) else ():
            starts = [self.knowledge.constant(window.offsets[at]) for window in windows]
            known = [start for start in starts if start is not None]
            if len(known) == len(starts):
                found[at] = sum(known), sum(known) + size
        return found[0], found[1]


def places_of(function: FuncOp, ops: Iterable[Operation] | None = None) -> StorageMap:
    """Return the storage of the values of a function; `ops` are its operations, if already known."""
    return StorageMap(function, walk(function) if ops is None else ops, Knowledge())


def tile_argument_addresses(function: FuncOp) -> dict[SSAValue, int]:
    """Addresses of the function's tile arguments, once `plan-memory` has chosen them."""
    addresses = function.attributes.get(ARGUMENT_ADDRESSES)
    if not isinstance(addresses, DenseArrayBase):
        return {}
    tiles = [arg for arg in function.body.block.args if isinstance(arg.type, TileType)]
    return dict(zip(tiles, (int(a) for a in addresses.get_values()), strict=True))


def set_tile_argument_addresses(function: FuncOp, addresses: list[int]) -> None:
    function.attributes[ARGUMENT_ADDRESSES] = DenseArrayBase.from_list(i64, addresses)


def vec_tiles(function: FuncOp, ops: Sequence[Operation]) -> list[tuple[SSAValue, TileType]]:
    """The tiles of vector memory that a function is given or allocates; `ops` is all that is in it."""
    allocated = [op.result for op in of_kinds(ops, AllocTileOp)]
    return [
        (tile, tile.type)
        for tile in (*function.body.block.args, *allocated)
        if isinstance(tile.type, TileType) and tile.type.loc.data is TileLoc.Vec
    ]


def end_of_tiles(
    places: StorageMap, tiles: Iterable[tuple[SSAValue, TileType]], idle: Callable[[SSAValue], bool]
) -> int:
    """The first byte after the tiles that have a known address, except idle ones."""
    ends = [
        start + type.size_bytes
        for tile, type in tiles
        for start in places.starts(tile)
        if start is not None and not idle(tile)
    ]
    return max(ends, default=0)
