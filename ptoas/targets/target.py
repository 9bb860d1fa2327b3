"""A target: memories, interpretation of indices, a row for each instruction, rules for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValue, Use

from ptoas.analysis.channels import overwritten_by, released_by
from ptoas.analysis.effects import NOTHING, Effects
from ptoas.diagnostics import UsageError
from ptoas.dialects.plugins import plugins
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.channel import FreeOp, PopOp
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import BLayout, Event, Pipe, TileLoc
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import TAssignOp
from ptoas.targets.pipes import Pipes, S, effects_of
from ptoas.targets.row import Entry, Forms, Row, Rows, Unsupported
from ptoas.targets.specs import TileLayout

if TYPE_CHECKING:
    from ptoas.analysis.order import Access
    from ptoas.targets.rule import ProgramRules, Rule

KB = 1024


class UnknownTargetError(UsageError):
    """A target that does not exist was requested."""

    def __init__(self, name: str, known: Sequence[str]):
        self.name, self.known = name, known
        super().__init__(name, known)

    def __str__(self) -> str:
        return f"there is no target {self.name!r}; the targets are {', '.join(self.known)}"


@dataclass(frozen=True)
class UbLayout:
    """The division of the unified buffer (document 000, UB Memory Budget)."""

    total: int
    reserved: int = 0
    """Fixed reservation of the compiler."""
    data_cache: int = 0
    """Least size of the data cache, which only SIMT kernels have to leave room for."""
    default_budget: int | None = None
    """Bytes that a SIMT kernel may use without requesting a dynamic region at launch."""

    def limit(self, simt: bool) -> int:
        """Bytes that tiles may use at most."""
        return self.total - self.reserved - (self.data_cache if simt else 0)


def _in_no_order(first: Access, second: Access) -> bool:
    return False


_NOT_LISTED = Unsupported("the target's table does not list it")


@dataclass(frozen=True, eq=False)
class Target:
    """One machine: data, and a row for each instruction.

    The rows stand in the modules of `packages`, one for each chapter of the dialect, and are imported when a
    program has an instruction of that chapter; a later package completes an earlier one.

    >>> import ptoas
    >>> from ptoas import Coalesce, Layout, TileLoc
    >>> a5 = ptoas.get_target("a5")
    >>> a5.memory_size(TileLoc.Vec), a5.alignment(TileLoc.Vec)
    (221184, 32)
    >>> module = ptoas.parse('''
    ... .arg %table : !pto.memref<64x32xf32>
    ... .arg %idx : !pto.tile<1x16xi32>
    ... %dst = mgather %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>
    ... ''')
    >>> gather = next(op for op in module.walk() if op.name == "pto.mgather")
    >>> a5.value(gather, "coalesce").value, a5.takes(gather, "dst", gather.destination.type.element_type)
    ('row', True)
    >>> a5.row(gather).model.capacity((1, 1, 1, 64, 32), Layout.ND, Coalesce.Row)
    64
    >>> [(access.pipe.value, access.write) for access in a5.effects(gather).accesses]
    [('PIPE_V', False), ('PIPE_V', False), ('PIPE_V', True)]
    >>> a5.uses_simt(gather), a5.entry(type(gather)).call.template
    (True, '#coalesce #gatherOob?')
    >>> a5.leaves_alone(gather.result)  # it is written, so it needs memory
    False
    >>> from ptoas import Pipe
    >>> a5.connects(Pipe.PIPE_M, Pipe.PIPE_FIX), a5.connects(Pipe.PIPE_FIX, Pipe.PIPE_V)
    (True, False)
    >>> "PTO-A201" in [rule.code for rule in a5.rules()], len(list(a5.rows())) > 40
    (True, True)
    >>> len(a5.program_rules(frozenset({"memory", "sync"}))) < len(a5.program_rules())
    True
    >>> from ptoas import TileLoc
    >>> ptoas.TARGETS["cpu"].space(TileLoc.Bias).value, a5.space(TileLoc.Bias).value
    ('vec', 'bias')
    """

    name: str
    title: str
    summary: str
    memories: Mapping[TileLoc, int | None]
    """Bytes of each local memory; `None`: as much as the host has; missing: there is none."""
    layouts: Mapping[TileLoc, TileLayout] = field(default_factory=dict[TileLoc, TileLayout])
    """The layouts that tiles of a memory have; where it is missing, any."""
    alignments: Mapping[TileLoc, int] = field(default_factory=dict[TileLoc, int])
    """Bytes of which a tile's address is a multiple, where that is more than a burst."""
    spaces: Mapping[TileLoc, TileLoc] = field(default_factory=dict[TileLoc, TileLoc])
    """Memories that are a part of another one: tiles of both are placed beside each other."""
    left: BLayout = BLayout.ColMajor
    """The order of the blocks of a tile in `left`, whatever the text says (D31)."""
    packages: tuple[str, ...] = ()
    """Packages of the rows, by chapter: `ptoas.targets.a5` has them in `ptoas.targets.a5.gather` and so
    on.
    """
    extra: Rows = field(default_factory=dict[type[PtoOp], Entry])
    """Rows given in place, which come before those of the packages."""
    ub: UbLayout | None = None
    """The layout of the unified buffer; `None` where there is none."""
    sign_extends_index: bool = False
    """True if a signed index is sign-extended to 64 bits; otherwise it is 32 unsigned bits (D12)."""
    program: tuple[ProgramRules, ...] = ()
    """Rules of functions, modules and channels as a whole."""
    aliases: tuple[str, ...] = ()
    has_pipes: bool = True
    overlapping_pipes: frozenset[Pipe] = frozenset()
    """Pipes that begin an instruction before the one before it is done (D26)."""
    idle_events: frozenset[Pipe] = frozenset()
    """Pipes whose events to themselves order nothing; elsewhere they are a barrier of the pipe."""
    cores: tuple[frozenset[Pipe], ...] = ()
    """The pipes of each kind of core; none: one core has them all."""
    keeps_order: Callable[[Access, Access], bool] = field(default_factory=lambda: _in_no_order)
    """Return True if such a pipe executes two accesses in program order nevertheless."""
    launches: bool = True
    """True if kernels are launched on a device; otherwise an entry is a plain function."""
    legalization: str | None = None
    """The pass that rewrites what the target lacks into what it has (`--legalize`)."""
    events: tuple[Event, ...] = tuple(Event)

    def entry(self, op_class: type[PtoOp]) -> Entry:
        """Return the target's entry of an instruction class, all its forms together."""
        return _entry(self, op_class)

    def row(self, op: PtoOp) -> Row | Unsupported:
        """Return the target's row of an instruction in its form."""
        entry = _entry(self, op.__class__)
        return entry.row(op) if isinstance(entry, Forms) else entry

    def model(self, op: PtoOp) -> Any:
        """Return the row's model of an instruction that the target has, for the machine."""
        row = self.row(op)
        assert isinstance(row, Row)
        return row.model

    def value(self, op: PtoOp, attribute: str) -> Any:
        """An attribute of an instruction: as written, else the target's own default."""
        value: Any = op.properties.get(attribute)
        if value is not None:
            return _number(value) if isinstance(value, IntegerAttr) else value.data
        row = self.row(op)
        default = row.defaults.get(attribute) if isinstance(row, Row) else None
        return default(op) if callable(default) else default

    def effects(self, op: Operation) -> Effects:
        """Return the accesses of `op` on the pipes of this target."""
        if not _is_pto(op.__class__):
            return NOTHING
        op = cast(PtoOp, op)
        row = self.row(op)
        return NOTHING if isinstance(row, Unsupported) else effects_in(self, row, op)

    def leaves_alone(self, tile: SSAValue) -> bool:
        """Return True if a tile is only a scratch argument that nothing touches here, so it needs no
        memory.
        """
        if not isinstance(tile, OpResult):
            return False
        uses = [use for use in tile.uses if use.operation.__class__ is not TAssignOp]
        return bool(uses) and all(map(self._ignores, uses))

    def _ignores(self, use: Use) -> bool:
        op = use.operation
        row = self.row(cast(PtoOp, op)) if _is_pto(op.__class__) else None
        if not isinstance(row, Row) or not row.ignores:
            return False
        assert isinstance(op, PtoOp)
        return any(use.index in slot_places(op)[slot] for slot in row.ignores)

    def uses_simt(self, op: Operation) -> bool:
        """Return True if an operation launches SIMT threads here."""
        row = self.row(cast(PtoOp, op)) if _is_pto(op.__class__) else None
        return isinstance(row, Row) and row.simt

    def memory_size(self, loc: TileLoc, simt: bool = True) -> int | None:
        """Bytes that tiles may use in a memory; `None`: no limit. KeyError: the target has no such memory."""
        if loc is TileLoc.Vec and self.ub is not None:
            return self.ub.limit(simt)
        return self.memories[loc]

    def space(self, loc: TileLoc) -> TileLoc:
        """Return the memory whose addresses the tiles in this one have: itself, or the enclosing one."""
        return self.spaces.get(loc, loc)

    def alignment(self, loc: TileLoc) -> int:
        """Return the required alignment in bytes of the address of a tile in this memory."""
        return self.alignments.get(loc, BURST)

    def connects(self, source: Pipe, target: Pipe) -> bool:
        """Return True if some core has both pipes, so that a flag can go from one to the other.

        Pipes that no core has are reported by other rules.
        """
        known: frozenset[Pipe] = frozenset[Pipe]().union(*self.cores)
        if not {source, target} <= known:
            return True
        return any({source, target} <= core for core in self.cores)

    def takes(
        self, op: PtoOp, slot: str, element: Attribute, aicore: bool = False, isa: str | None = None
    ) -> bool:
        """Return True if an operand of an instruction may have this element type here."""
        row = self.row(op)
        if isinstance(row, Unsupported):
            return False
        spec = row.tiles.get(slot)
        if spec is None or spec.types is None:
            return True
        known = BY_TYPE.get(element)
        return known is not None and spec.takes(known, aicore, isa)

    def rows(self) -> Iterator[tuple[type[PtoOp], Row]]:
        """Every row that the target has, those of an instruction's forms one after the other."""

        for op in OPS:
            yield from ((op, row) for row in rows_of(op, self))

    def program_rules(self, chapters: frozenset[str] | None = None) -> tuple[Rule, ...]:
        """Return the rules of whole programs: of those with instructions of these chapters, or of any."""
        return _program_rules(self.program, chapters)

    def rules(self) -> tuple[Rule, ...]:
        """Every rule that the target has, once each, by code."""
        from ptoas.targets.rules.operands import rules_for

        found = {rule.code: rule for rule in self.program_rules()}
        for _, row in self.rows():
            found |= {rule.code: rule for rule in (*rules_for(row), *row.rules)}
        return tuple(found[code] for code in sorted(found))

    def __repr__(self) -> str:
        return f"Target({self.name!r})"


@cache
def _is_pto(kind: type[Operation]) -> bool:
    return issubclass(kind, PtoOp)


def rows_of(kind: type[Operation], target: Target) -> tuple[Row, ...]:
    """Return a target's rows of an instruction, one for each form; none for any other operation."""
    if not _is_pto(kind):
        return ()
    entry = _entry(target, cast("type[PtoOp]", kind))
    rows = entry.rows.values() if isinstance(entry, Forms) else (entry,)
    return tuple(row for row in rows if isinstance(row, Row))


@cache
def needs_scratch(kind: type[Operation], target: Target) -> bool:
    """Return True if some form of an instruction needs a scratch tile that the program may omit."""
    return any(row.scratch for row in rows_of(kind, target))


def _number(attribute: Any) -> int | bool:
    value: int = attribute.value.data
    return bool(value) if attribute.type == i1 else value


@lru_cache(maxsize=256)
def _program_rules(program: tuple[ProgramRules, ...], chapters: frozenset[str] | None) -> tuple[Rule, ...]:
    parts = (part for part in program if chapters is None or not part.chapters or part.chapters & chapters)
    return tuple(rule for part in parts for rule in part.rules)


def effects_in(target: Target, row: Row, op: PtoOp) -> Effects:
    """Return the accesses of `op` on the pipes of a target with this entry for it."""
    if row.frees is not None and isinstance(op, FreeOp) and target.has_pipes:
        pipe = row.frees(op)
        tiles = [value for value in released_by(op) if isinstance(value.type, TileType)]
        if pipe is None or not tiles:
            return NOTHING
        # Whoever still reads it must be done: the other core will write there.
        return Effects(implicit=tuple((pipe, tile, True) for tile in tiles))
    if row.pipe is None:
        return NOTHING
    # One thread does everything in order; only what is read and written remains.
    model = row.pipe if target.has_pipes else Pipes(S, events=())
    found = effects_of(op, model, row.ignores, row.clobbers)
    if isinstance(op, PopOp) and (before := overwritten_by(op)) is not None:
        found = replace(found, implicit=tuple((a.pipe, before, True) for a in found.accesses[:1]))
    return found


@lru_cache(maxsize=8192)
def _entry(target: Target, op_class: type[PtoOp]) -> Entry:
    entry = _find_entry(target, op_class)
    for row in entry.rows.values() if isinstance(entry, Forms) else (entry,):
        if isinstance(row, Row):
            row.check(op_class)
    return entry


def _find_entry(target: Target, op_class: type[PtoOp]) -> Entry:
    if op_class in target.extra:
        return target.extra[op_class]
    for plugin in plugins():
        theirs: Rows = import_module(plugin.rows[target.name]).ROWS if target.name in plugin.rows else {}
        if op_class in theirs:
            return theirs[op_class]
    chapter = op_class.__module__.rpartition(".")[2]
    for package in reversed(target.packages):
        rows = _chapter(package, chapter)
        if op_class in rows:
            return rows[op_class]
    return _NOT_LISTED


@lru_cache(maxsize=256)
def _chapter(package: str, chapter: str) -> Rows:
    """The rows of one chapter; none where the package has no module for it."""
    name = f"{package}.{chapter}"
    return getattr(import_module(name), "ROWS", {}) if find_spec(name) is not None else {}
