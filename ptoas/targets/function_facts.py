"""What is known of a function as a whole: its tiles, where they lie, how long they live, who writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from ptoas.analysis.forwarding import handed_from, passed_on
from ptoas.analysis.windows import Dims, share_elements
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import BLayout, SLayout, TileLoc
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.slots import int_values, slot_value
from ptoas.dialects.pto.sync import SetFlagOp, WaitFlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, SubviewOp, TAssignOp
from ptoas.location import span_of
from ptoas.targets.facts import Knowledge
from ptoas.targets.pipes import NOTHING, Effects
from ptoas.targets.target import Target

ALIGNMENT = 32


def value_name(value: SSAValue) -> str:
    """A value as the author wrote it, as far as that is known."""
    return f"%{value.name_hint}" if value.name_hint else "a tile"


def is_placed_by_hand(ops: Iterable[Operation]) -> bool:
    """Whether the operations of a function give one of its tiles an address; then all need one (D21)."""
    return any(
        isinstance(op, TAssignOp) or (isinstance(op, AllocTileOp) and op.addr is not None) for op in ops
    )


Span = tuple[int, int]
"""The first row or column, and the one after the last."""


@dataclass(frozen=True)
class Storage:
    """The part of a local memory that a tile value names: a rectangle of its root tile."""

    root: SSAValue
    loc: TileLoc
    rows: Span | None
    """`None`: unknown or all."""
    cols: Span | None
    start: int | None
    """First byte of the root in its memory, when placed at a known address."""
    size: int

    def overlaps(self, other: Storage) -> bool:
        """Whether both may name one byte."""
        if self.root is other.root:
            return _meet(self.rows, other.rows) and _meet(self.cols, other.cols)
        if self.start is None or other.start is None or not self.is_placed_over(other):
            return False
        first, dims = self._bytes()
        other_first, others = other._bytes()
        return share_elements(other.start + other_first - self.start - first, dims, others)

    def is_placed_over(self, other: Storage) -> bool:
        """Whether the two tiles that these are parts of have bytes in common, by their addresses."""
        if self.start is None or other.start is None or self.loc is not other.loc:
            return False
        return self.start < other.start + other.size and other.start < self.start + self.size

    def _bytes(self) -> tuple[int, Dims]:
        """The first byte from the root's on, and the bytes of this part as a window; all if it is unknown."""
        type = self.root.type
        if (self.rows is None and self.cols is None) or not isinstance(type, TileType):
            return 0, ((self.size, 1),)
        unit = element_size(type.element_type)
        by_row, by_column = type.cols * unit, unit
        if type.blayout is BLayout.ColMajor:
            by_row, by_column = unit, type.rows * unit
        (top, bottom), (left, right) = self.rows or (0, type.rows), self.cols or (0, type.cols)
        dims = ((bottom - top, by_row), (right - left, by_column), (unit, 1))
        return top * by_row + left * by_column, dims


def _meet(a: Span | None, b: Span | None) -> bool:
    return a is None or b is None or (a[0] < b[1] and b[0] < a[1])


@dataclass(frozen=True)
class LiveTile:
    """A local tile, the positions between which it is needed, and its bytes."""

    root: SSAValue
    type: TileType
    first: int
    last: int

    @property
    def bytes(self) -> int:
        return -(-self.type.size_bytes // ALIGNMENT) * ALIGNMENT

    def lives_with(self, other: LiveTile) -> bool:
        return self.first <= other.last and other.first <= self.last


@cache
def _makes_tiles(op_class: type[Operation]) -> bool:
    return issubclass(op_class, AllocTileOp | Instruction)


class FunctionFacts:
    """Facts of one function; whatever depends on a target is asked for with it."""

    def __init__(
        self,
        func: FuncOp,
        knowledge: Knowledge,
        effects: dict[tuple[str, Operation], Effects] | None = None,
    ):
        self.func = func
        self.knowledge = knowledge
        self.ops: list[Operation] = list(func.walk())[1:]
        self.sync_override: bool | None = None
        """Whether flags are the programmer's, when the caller says so rather than the function (D21)."""
        self.effects_of: dict[tuple[str, Operation], Effects] = {} if effects is None else effects
        self._storages: dict[SSAValue, tuple[Storage, ...]] = {}
        self.analyses: dict[tuple[str, str], object] = {}
        """Results that several rules share, by target and name."""

    # --- tiles -----------------------------------------------------------------------------------

    @cached_property
    def arguments(self) -> tuple[SSAValue, ...]:
        """Tiles that the caller supplies (D24)."""
        blocks = self.func.body.blocks
        entry = blocks[0].args if blocks else ()
        return tuple(arg for arg in entry if isinstance(arg.type, TileType))

    @cached_property
    def local_tiles(self) -> tuple[SSAValue, ...]:
        """Tiles with memory of their own: allocated ones, and results of instructions (SSA form)."""
        found: list[SSAValue] = []
        for op in self.ops:
            if _makes_tiles(op.__class__):
                found += op.results
        return tuple(found)

    @cached_property
    def by_class(self) -> dict[type[Operation], list[Operation]]:
        """The function's operations, sorted by what they are."""
        found: dict[type[Operation], list[Operation]] = {}
        for op in self.ops:
            found.setdefault(op.__class__, []).append(op)
        return found

    def root(self, value: SSAValue) -> SSAValue:
        """The tile whose memory a value names, behind windows and bindings."""
        return self._behind(value)[0]

    def _behind(self, value: SSAValue) -> tuple[SSAValue, list[SubviewOp]]:
        """The tile behind windows and bindings, and the windows, the smallest first."""
        windows: list[SubviewOp] = []
        while True:
            match value.owner:
                case SubviewOp() as op:
                    windows.append(op)
                    value = op.source
                case TAssignOp() as op:
                    value = op.tile
                case _:
                    return value, windows

    @cached_property
    def is_placed_by_hand(self) -> bool:
        return is_placed_by_hand(self.ops)

    @cached_property
    def is_synchronised_by_hand(self) -> bool:
        """Whether there is one flag; then all are the programmer's (D21)."""
        if self.sync_override is not None:
            return self.sync_override
        return SetFlagOp in self.by_class or WaitFlagOp in self.by_class

    def has_simt(self, target: Target) -> bool:
        """Whether an instruction of the function launches SIMT threads."""
        return any(target.uses_simt(ops[0]) for ops in self.by_class.values())

    @cached_property
    def addresses(self) -> dict[SSAValue, list[tuple[Operation, int | None]]]:
        """For each root tile, the operations that bind it to an address, and the address if known."""
        found: dict[SSAValue, list[tuple[Operation, int | None]]] = {}
        for op in self.by_class.get(AllocTileOp, ()):
            assert isinstance(op, AllocTileOp)
            address = slot_value(op, "addr")
            if address is not None:
                found.setdefault(op.results[0], []).append((op, self.knowledge.constant(address)))
        for op in self.by_class.get(TAssignOp, ()):
            assert isinstance(op, TAssignOp)
            if op.address is not None:
                at = op.address.value.data
            else:
                assert op.addr is not None
                at = self.knowledge.constant(op.addr)
            found.setdefault(self.root(op.tile), []).append((op, at))
        return found

    def address(self, root: SSAValue) -> int | None:
        """The one known address of a tile."""
        bound = {at for _, at in self.addresses.get(root, ())}
        return next(iter(bound)) if len(bound) == 1 else None

    def storage(self, value: SSAValue) -> Storage:
        """Where a value lies, when it names one tile."""
        root, windows = self._behind(value)
        return self._storage(root, self._rectangle(windows))

    def storages(self, value: SSAValue) -> tuple[Storage, ...]:
        """Every place where a value may lie: a loop hands a tile on, a branch picks one."""
        known = self._storages.get(value)
        if known is None:
            known = self._storages[value] = tuple(self._find_storages(value))
        return known

    def _find_storages(self, value: SSAValue) -> Iterator[Storage]:
        root, windows = self._behind(value)
        rectangle = self._rectangle(windows)
        roots = [root]
        for root in roots:
            for source in handed_from(root):
                handed, parts = self._behind(source)
                if parts:
                    # Of which part this is a part is not followed.
                    rectangle = None, None
                if handed not in roots:
                    roots.append(handed)
        # The last branch first: an access to its tile is the latest, and speaks for the earlier ones.
        for root in reversed(roots):
            if not handed_from(root):
                yield self._storage(root, rectangle)

    def _storage(self, root: SSAValue, rectangle: tuple[Span | None, Span | None]) -> Storage:
        type = root.type
        assert isinstance(type, TileType)
        rows, cols = (None, None) if type.slayout is not SLayout.NoneBox else rectangle
        return Storage(root, type.loc.data, rows, cols, self.address(root), type.size_bytes)

    def _rectangle(self, windows: list[SubviewOp]) -> tuple[Span | None, Span | None]:
        """Rows and columns that the smallest of several windows shows, as far as they are known."""
        found: list[Span | None] = [None, None]
        for at in range(2) if windows else ():
            starts = [self.knowledge.constant(window.offsets[at]) for window in windows]
            known = [start for start in starts if start is not None]
            if len(known) == len(starts):
                found[at] = sum(known), sum(known) + int_values(windows[0].sizes)[at]
        return found[0], found[1]

    # --- time ------------------------------------------------------------------------------------

    @cached_property
    def positions(self) -> dict[Operation, int]:
        return {op: at for at, op in enumerate(self.ops)}

    @cached_property
    def loops(self) -> list[tuple[int, int]]:
        """First and last position of every loop's body."""
        found: list[tuple[int, int]] = []
        for op in (*self.by_class.get(scf.ForOp, ()), *self.by_class.get(scf.WhileOp, ())):
            inside = [self.positions[inner] for region in op.regions for inner in region.walk()]
            found.append((min(inside), max(inside)))
        return found

    def uses(self, root: SSAValue) -> Iterator[Operation]:
        """Operations that work on a tile: directly, through a window, or under the name that a loop or a
        branch gives it."""
        seen = {root}
        work = [root]
        while work:
            for use in work.pop().uses:
                if not isinstance(use.operation, SubviewOp | TAssignOp):
                    yield use.operation
                for value in passed_on(use):
                    if value not in seen:
                        seen.add(value)
                        work.append(value)

    def live(self, root: SSAValue) -> LiveTile | None:
        """When a tile is needed; `None` when nothing uses it."""
        type = root.type
        assert isinstance(type, TileType)
        if not isinstance(root, OpResult):
            return LiveTile(root, type, 0, len(self.ops) - 1)
        used = [self.positions[op] for op in self.uses(root)]
        defined = self.positions[root.owner]
        if isinstance(root.owner, Instruction):
            used.append(defined)
        if not used:
            return None
        first, last = min(used), max(used)
        # What is defined outside a loop and used inside is needed for all of its turns.
        for start, end in self.loops:
            if defined < start and any(start <= at <= end for at in used):
                first, last = min(first, start), max(last, end)
        return LiveTile(root, type, first, last)

    @cached_property
    def live_tiles(self) -> tuple[LiveTile, ...]:
        """Every local tile and tile argument that something uses."""
        tiles = [self.live(root) for root in (*self.arguments, *self.local_tiles)]
        return tuple(tile for tile in tiles if tile is not None)

    def peak(self, loc: TileLoc) -> tuple[int, tuple[LiveTile, ...]]:
        """The most bytes of one memory that are needed at once, and the tiles that need them."""
        tiles = [tile for tile in self.live_tiles if tile.type.loc.data is loc]
        best: tuple[int, tuple[LiveTile, ...]] = (0, ())
        for at in sorted({tile.first for tile in tiles}):
            alive = tuple(tile for tile in tiles if tile.first <= at <= tile.last)
            total = sum(tile.bytes for tile in alive)
            if total > best[0]:
                best = (total, alive)
        return best

    # --- effects ---------------------------------------------------------------------------------

    def effects(self, op: Operation, target: Target) -> Effects:
        key = (target.name, op)
        known = self.effects_of.get(key)
        if known is None:
            if not isinstance(op, PtoOp):
                return NOTHING
            known = self.effects_of[key] = target.effects(op)
        return known

    def line(self, op: Operation) -> int:
        return span_of(op).line


def touched(op: Operation, operand: int) -> SSAValue:
    """The value that an access of an instruction touches."""
    return op.results[-1 - operand] if operand < 0 else op.operands[operand]
