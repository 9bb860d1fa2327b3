"""Facts about a function as a whole: its tiles, their storage, lifetimes and writers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import NOTHING, Effects, touched
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.liveness import Liveness, LiveTile, peak
from ptoas.analysis.order import PipeModel
from ptoas.analysis.storage import Place, Storage, StorageMap, manual_placement, underlying_tile
from ptoas.analysis.structure import is_loop, is_of, walk
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.sync import BufferTokenOp, FlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import span_of

Op = TypeVar("Op", bound=Operation)


def value_name(value: SSAValue) -> str:
    """A value as the author wrote it, as far as that is known."""
    return f"%{value.name_hint}" if value.name_hint else "a tile"


@cache
def _makes_tiles(op_class: type[Operation]) -> bool:
    return issubclass(op_class, AllocTileOp | Instruction)


@cache
def _is_by_hand(op_class: type[Operation]) -> bool:
    return issubclass(op_class, FlagOp | BufferTokenOp)


def has_manual_sync(ops: Iterable[Operation]) -> bool:
    """Return True if a function contains a flag or a buffer token: manual synchronisation (D21)."""
    return any(_is_by_hand(op.__class__) for op in ops)


class ValueAccess(NamedTuple):
    """A value that an operation reads or writes; `operand` counts as that of an access does."""

    value: SSAValue
    write: bool
    operand: int


Touches = Sequence[tuple[Operation, tuple[ValueAccess, ...]]]


class FunctionFacts:
    """Facts of one function; those that depend on a target are cached per target."""

    def __init__(
        self,
        func: FuncOp,
        knowledge: Knowledge,
        effects: dict[tuple[str, Operation], Effects] | None = None,
        ops: Sequence[Operation] | None = None,
    ):
        """`ops` is all that is in the function, in its order, where that is known already."""
        self.func = func
        self.knowledge = knowledge
        self.ops: Sequence[Operation] = walk(func)[1:] if ops is None else ops
        self.sync_override: bool | None = None
        """Manual synchronisation as set by the caller rather than the function (D21)."""
        self.effects_of: dict[tuple[str, Operation], Effects] = {} if effects is None else effects
        self.analyses: dict[tuple[str, str], object] = {}
        """Results that several rules share, by target and name."""
        self.simt: dict[str, bool] = {}
        """Use of SIMT threads in its kernels, by target."""
        self._roots: dict[SSAValue, SSAValue] = {}
        self._touches: dict[str, Touches] = {}
        self.companions: tuple[FunctionFacts, ...] = (self,)
        """The functions of all kernels that this one belongs to: they share one launch."""

    @cached_property
    def branched(self) -> tuple[Operation, ...]:
        """The operations (the function included) with a body of several blocks."""
        return tuple(op for op in (self.func, *self.ops) if any(len(r.blocks) > 1 for r in op.regions))

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
        """The function's operations by class."""
        found: dict[type[Operation], list[Operation]] = {}
        for op in self.ops:
            found.setdefault(op.__class__, []).append(op)
        return found

    def instances(self, *bases: type[Op]) -> Iterator[Op]:
        """The function's operations of some families, class by class."""
        for kind, ops in self.by_class.items():
            if is_of(kind, bases):
                yield from cast("list[Op]", ops)

    def root(self, value: SSAValue) -> SSAValue:
        """The underlying tile of a value, through windows and bindings."""
        found = self._roots.get(value)
        if found is None:
            found = self._roots[value] = underlying_tile(value)[0]
        return found

    @cached_property
    def manual_placement(self) -> bool:
        return manual_placement(self.ops)

    @cached_property
    def has_manual_sync(self) -> bool:
        """True if the function contains a flag: then all synchronisation is manual (D21)."""
        if self.sync_override is not None:
            return self.sync_override
        return any(_is_by_hand(kind) for kind in self.by_class)

    def has_simt(self, target: PipeModel) -> bool:
        """Return True if an instruction of a kernel with this function launches SIMT threads."""
        known = self.simt.get(target.name)
        if known is None:
            known = any(each.first_simt(target) is not None for each in self.companions)
            self.simt[target.name] = known
        return known

    def first_simt(self, target: PipeModel) -> Operation | None:
        """The first instruction of the function that launches SIMT threads."""
        ours = (ops[0] for ops in self.by_class.values() if target.uses_simt(ops[0]))
        return min(ours, key=lambda op: self.positions[op], default=None)

    # --- places ----------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> StorageMap:
        return StorageMap(self.func, self.ops, self.knowledge)

    @property
    def addresses(self) -> dict[SSAValue, list[tuple[Operation, int | None]]]:
        """The operations that bind each root tile to an address, and the address if known."""
        return self._places.addresses

    def storage(self, value: SSAValue) -> Storage:
        """The storage of a value that names one tile."""
        return self._places.storage(value)

    def places(self, value: SSAValue) -> tuple[Place, ...]:
        """Return every place of memory that a value may refer to."""
        return self._places.of(value)

    # --- time ------------------------------------------------------------------------------------

    @cached_property
    def _liveness(self) -> Liveness:
        return Liveness(self.func, self.ops)

    @property
    def positions(self) -> dict[Operation, int]:
        return self._liveness.order.start

    @cached_property
    def loops(self) -> list[tuple[int, int]]:
        """First and last position of every loop's body."""
        end = self._liveness.order.end
        return [(at + 1, end[op]) for at, op in enumerate(self.ops) if is_loop(op.__class__)]

    @cached_property
    def live_tiles(self) -> tuple[LiveTile, ...]:
        """Every local tile and tile argument that something uses."""
        tiles = [self._liveness.live(root) for root in (*self.arguments, *self.local_tiles)]
        return tuple(tile for tile in tiles if tile is not None)

    def live(self, root: SSAValue) -> LiveTile | None:
        """The live range of a tile; `None` if it is unused."""
        return self._liveness.live(root)

    def peak(self, loc: TileLoc, without: Container[SSAValue] = ()) -> tuple[int, tuple[LiveTile, ...]]:
        """The most bytes of one memory that are needed at once, and the tiles that need them."""
        tiles = (tile for tile in self.live_tiles if tile.type.loc.data is loc)
        return peak(tile for tile in tiles if tile.root not in without)

    # --- effects ---------------------------------------------------------------------------------

    def effects(self, op: Operation, target: PipeModel) -> Effects:
        key = (target.name, op)
        known = self.effects_of.get(key)
        if known is None:
            if not isinstance(op, PtoOp):
                return NOTHING
            known = self.effects_of[key] = target.effects(op)
        return known

    def touches(self, target: PipeModel) -> Touches:
        """The operations that touch memory on a target, in order, each with what it touches; targets that
        touch the same have one list."""
        known = self._touches.get(target.name)
        if known is None:
            found = [
                (
                    op,
                    tuple(
                        ValueAccess(touched(op, access.operand), access.write, access.operand)
                        for access in accesses
                    ),
                )
                for op in self.ops
                if (accesses := self.effects(op, target).accesses)
            ]
            known = next((other for other in self._touches.values() if other == found), found)
            self._touches[target.name] = known
        return known

    def line(self, op: Operation) -> int:
        return span_of(op).line
