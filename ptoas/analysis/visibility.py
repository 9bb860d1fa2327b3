"""Visibility in global memory, on one core: the scalar data cache, and stores that the core loads again.

Scalar loads and stores of global memory go through a write-back cache of the core, in lines of 64 bytes,
and DMA passes it by (D42). A line belongs to scalar stores or to DMA until it is cleaned (D53). What DMA has
stored is visible to the loads of the same core after a fence (D54).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeAlias

from xdsl.dialects import func, scf
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Effects, touched
from ptoas.analysis.flow import ForwardAnalysis
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import ancestors, is_of, walk
from ptoas.analysis.sweeps import Sweep, Sweeps
from ptoas.analysis.sync_actions import CounterKey, SignalKey, SyncAllKey, actor_keys
from ptoas.analysis.windows import Window
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import AddressSpace, Pipe
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.sync import CmoCacheInvalidOp, FenceBarrierAllOp
from ptoas.dialects.pto.types import PtrType, ViewType

LINE = 64
"""Bytes of a line of the scalar data cache."""

_ACTOR_KEYS = (SignalKey, CounterKey, SyncAllKey)
"""Keys whose release tells others of what this core has stored in global memory, and after whose acquire
others have written what this core may have loaded before.
"""


@dataclass(frozen=True, eq=False, slots=True)
class GmAccess:
    """One access of one operation to global memory."""

    op: Operation
    value: SSAValue
    """The pointer or view."""
    pipe: Pipe
    write: bool
    window: Window
    """The bytes; of a scalar access, the line."""

    @property
    def scalar(self) -> bool:
        return self.pipe is Pipe.PIPE_S


@dataclass(unsafe_hash=True, slots=True)
class MovingWindow(Window):
    """A window that moves on with each iteration of a loop, and was accessed in this one or before it."""

    sweep: Sweep | None = None
    age: int = 0

    def is_apart(self, second: Window) -> bool:
        """Return True if a later access to a window certainly touches other bytes."""
        if self.sweep is None or not isinstance(second, MovingWindow):
            return False
        return not self.sweep.may_meet(self.age, second.sweep)


class Missing(Enum):
    """An access that sees, or leaves behind, something else than the program says."""

    DIRTY_READ = "DMA reads a line that was stored to and not cleaned"
    DIRTY_WRITE = "DMA writes a line that was stored to and not cleaned"
    DIRTY_END = "the function ends, and a line that was stored to is not cleaned"
    DIRTY_SIGNAL = "others are told, and a line that was stored to is not cleaned"
    STALE_LOAD = "a scalar is loaded from a line that was fetched before it was written"
    STALE_ACQUIRED = "a scalar is loaded after a wait from a line that may be in the cache since before it"
    STALE_POLL = "a scalar is loaded again and again from a line that stays in the cache"
    SHARED_LINE = "a scalar is stored to a line that DMA has written"
    PARTIAL_CLEAN = "one line is cleaned, and more were stored to"
    UNFENCED_LOAD = "DMA loads what it has stored"

    @property
    def needs_clean(self) -> bool:
        """True if the cache has to be cleaned; otherwise a fence is enough."""
        return self is not Missing.UNFENCED_LOAD


@dataclass(frozen=True, eq=False)
class Finding:
    """A missing clean, invalidation or fence before an operation."""

    kind: Missing
    op: Operation
    causes: tuple[Operation, ...]
    """The earlier accesses that are not visible yet, or the last wait for others."""
    access: GmAccess | None = None
    """The access that comes too early; `None`: it is not an access."""
    certain: bool = True
    """False if it depends on the path or on an address."""


Pending: TypeAlias = "dict[Any, tuple[GmAccess, bool]]"
"""The latest access to each window, and True if it happens on every path."""


@dataclass
class _State:
    dirty: Pending = field(default_factory=dict[Any, Any])
    """Lines that were stored to and not cleaned since."""
    fetched: Pending = field(default_factory=dict[Any, Any])
    """Lines that the cache holds."""
    stale: Pending = field(default_factory=dict[Any, Any])
    """Those of them that DMA has written in memory since, each with the window that was written."""
    written: Pending = field(default_factory=dict[Any, Any])
    """Writes of DMA since the last clean."""
    unfenced: Pending = field(default_factory=dict[Any, Any])
    """Stores of DMA since the last fence."""
    acquired: Operation | None = None
    """The last operation after which others may have written everything that the cache holds."""

    @property
    def tables(self) -> tuple[Pending, ...]:
        return self.dirty, self.fetched, self.stale, self.written, self.unfenced

    def clean(self) -> None:
        """Write back and drop all lines."""
        for lines in (self.dirty, self.fetched, self.stale, self.written):
            lines.clear()
        self.acquired = None

    def fence(self) -> None:
        for lines in (self.dirty, self.written, self.unfenced):
            lines.clear()


def _joined(a: Pending, b: Pending) -> Pending:
    """Join two paths: an access is certain if both have it."""
    either = {**b, **a}
    return {key: (access, a.get(key, _NO)[1] and b.get(key, _NO)[1]) for key, (access, _) in either.items()}


_NO = (None, False)


def _ops(pending: Mapping[Any, tuple[GmAccess, bool]]) -> list[Operation]:
    return [access.op for access, _ in pending.values()]


def is_scalar_access(op: Operation) -> bool:
    """Return True if an operation loads or stores a scalar of global memory."""
    return isinstance(op, LoadScalarOp | StoreScalarOp) and _is_global(op.ptr)


def _is_global(value: SSAValue) -> bool:
    type = value.type
    return isinstance(type, ViewType) or (isinstance(type, PtrType) and type.space is AddressSpace.GM)


def element_bytes(value: SSAValue) -> int:
    """Bytes of an element that a pointer or view refers to."""
    type = value.type
    assert isinstance(type, ViewType | PtrType)
    return element_size(type.element_type)


def line_of(window: Window, size: int) -> Window:
    """The line of an element of `size` bytes; pointers that the host passes begin at a line."""
    count = max(LINE // size, 1)
    if window.first is None:
        return window
    return Window(window.root, window.first - window.first % count, ((count, 1),))


def gm_accesses(op: Operation, effects: Effects, knowledge: Knowledge, sweeps: Sweeps) -> list[GmAccess]:
    """The accesses of an operation to global memory through the scalar cache or by DMA, in their order.

    Other accesses of the scalar pipe, to signals, pass the cache by.
    """
    if isinstance(op, LoadScalarOp | StoreScalarOp):
        if not is_scalar_access(op):
            return []
        window = knowledge.element(op.ptr, op.offset)
        line = line_of(window, element_bytes(op.ptr))
        return [GmAccess(op, op.ptr, Pipe.PIPE_S, isinstance(op, StoreScalarOp), line)]
    return [
        GmAccess(op, value, each.pipe, each.write, _window(value, knowledge, sweeps))
        for each in effects.accesses
        if each.pipe is not Pipe.PIPE_S and _is_global(value := touched(op, each.operand))
    ]


def _window(value: SSAValue, knowledge: Knowledge, sweeps: Sweeps) -> Window:
    window = knowledge.window(value)
    sweep = None if window.first is not None else sweeps.of(value)
    return window if sweep is None else MovingWindow(window.root, sweep=sweep)


_CONCERNED = (CmoCacheInvalidOp, FenceBarrierAllOp, func.CallOp, func.ReturnOp)

Uses: TypeAlias = "tuple[tuple[int, Pipe, bool], ...]"
"""Accesses of a function to its arguments, what it calls included: the argument, the pipe, a write."""

_DMA = {False: Pipe.PIPE_MTE2, True: Pipe.PIPE_MTE3}


class Visibility(ForwardAnalysis[_State]):
    """Collects the missing cleans, invalidations and fences of one function on one target.

    After a finding the state is as if it were repaired, so that one mistake is one finding. `unsure` says
    whether two windows count as overlapping where that is not known: what inserts must assume it.
    """

    def __init__(
        self,
        function: func.FuncOp,
        ops: Iterable[Operation],
        effects: Callable[[Operation], Effects],
        knowledge: Knowledge,
        *,
        unsure: bool,
        callees: Mapping[str, Uses] | None = None,
    ):
        super().__init__(knowledge)
        self.function = function
        self.unsure = unsure
        self.callees = callees or {}
        self.knowledge = knowledge
        self.accesses: dict[Operation, list[GmAccess]] = {}
        sweeps = Sweeps(knowledge)
        for op in ops:
            is_call = op.__class__ is func.CallOp
            found = self._calls(op) if is_call else gm_accesses(op, effects(op), knowledge, sweeps)
            if found:
                self.accesses[op] = found
        self.findings: list[Finding] = []

    def _calls(self, op: Operation) -> list[GmAccess]:
        """Accesses of a callee to its arguments as a whole; parts are not tracked."""
        assert isinstance(op, func.CallOp)
        return [
            GmAccess(op, value, pipe, write, Window(self.knowledge.element(value).root))
            for at, pipe, write in self.callees.get(op.callee.string_value(), ())
            if _is_global(value := op.operands[at])
        ]

    @property
    def uses(self) -> Uses:
        """The accesses to the function's arguments."""
        arguments: list[SSAValue] = list(self.function.body.blocks[0].args)
        found: dict[tuple[int, Pipe, bool], None] = {}
        for each in (access for accesses in self.accesses.values() for access in accesses):
            if each.window.root in arguments:
                pipe = each.pipe if each.scalar else _DMA[each.write]
                found[arguments.index(each.window.root), pipe, each.write] = None
        return tuple(found)

    def run(self) -> list[Finding]:
        self.region(self.function.body, _State())
        return self.findings

    # --- states ----------------------------------------------------------------------------------

    def copy(self, state: _State) -> _State:
        return _State(*map(dict, state.tables), acquired=state.acquired)

    def join(self, a: _State, b: _State) -> _State:
        return _State(*map(_joined, a.tables, b.tables), acquired=a.acquired or b.acquired)

    def start(self, loop: Operation, state: _State, /) -> _State:
        return self._moved(loop, state, lambda window: Window(window.root))

    def repeat(self, loop: Operation, state: _State, /) -> _State:
        return self._moved(loop, state, lambda window: replace(window, age=1))

    def _moved(self, loop: Operation, state: _State, move: Callable[[MovingWindow], Window]) -> _State:
        """The state with the stores to windows that move on with a loop under other keys."""
        moving: dict[Window, Window] = {
            window: move(window)
            for window in state.unfenced
            if isinstance(window, MovingWindow) and window.sweep is not None and window.sweep.loop is loop
        }
        if not moving:
            return state
        moved = self.copy(state)
        moved.unfenced = {moving.get(window, window): each for window, each in state.unfenced.items()}
        return moved

    # --- operations ------------------------------------------------------------------------------

    def concerns(self, op: Operation) -> bool:
        kind = op.__class__
        return op in self.accesses or is_of(kind, _CONCERNED) or any(actor_keys(kind))

    def visit(self, op: Operation, state: _State) -> None:
        match op:
            case FenceBarrierAllOp():
                state.fence()
            case CmoCacheInvalidOp(addr=None):
                state.clean()
            case CmoCacheInvalidOp():
                self._clean_line(op, state)
            case func.ReturnOp():
                self._flush(Missing.DIRTY_END, op, state)
            case _:
                if actor_keys(op.__class__).releases in _ACTOR_KEYS:
                    self._flush(Missing.DIRTY_SIGNAL, op, state)
                elif op.__class__ is func.CallOp and not self.unsure:
                    # A callee may clean and fence; what it needs it is asked for itself.
                    state.clean()
                    state.fence()
                if op.__class__ is func.CallOp:
                    self._call(op, state)
                else:
                    for access in self.accesses.get(op, ()):
                        self._check(access, state)
                        self._note(access, state)
                if actor_keys(op.__class__).acquires in _ACTOR_KEYS:
                    state.acquired = op

    def _call(self, op: Operation, state: _State) -> None:
        """Compare the accesses of a callee with earlier ones; their order is the callee's own concern."""
        accesses = self.accesses.get(op, [])
        for access in accesses:
            self._check(access, state)
        # What DMA writes makes lines stale, those that the callee fetches itself excepted.
        for access in sorted(accesses, key=lambda access: access.scalar):
            self._note(access, state)
        # A function cleans at its end whatever it stores.
        state.dirty = {at: each for at, each in state.dirty.items() if each[0].op is not op}

    def _clean_line(self, op: CmoCacheInvalidOp, state: _State) -> None:
        """The line at an address is written back and dropped. Which line that is may not be known: what
        reports findings takes it for the right one."""
        assert op.addr is not None
        line = line_of(self.knowledge.element(op.addr), element_bytes(op.addr))
        whole = self.knowledge.window(op.addr)
        rest = [
            access.op
            for window, (access, certain) in state.dirty.items()
            if certain and whole.first is not None and window.overlaps(whole) and window != line
        ]
        if rest and not self.unsure:
            self._find(Missing.PARTIAL_CLEAN, op, rest, state)
            return
        for lines in (state.dirty, state.fetched, state.written):
            for window in [each for each in lines if self._is_cleaned(each, line)]:
                del lines[window]
        for pair in [each for each in state.stale if self._is_cleaned(each[0], line)]:
            del state.stale[pair]

    def _is_cleaned(self, window: Window, line: Window) -> bool:
        if window.root is not line.root:
            return False
        if window.first is None or line.first is None:
            return not self.unsure
        return window == line

    def _flush(self, kind: Missing, op: Operation, state: _State) -> None:
        if state.dirty:
            certain = any(each for _, each in state.dirty.values())
            self._find(kind, op, _ops(state.dirty), state, certain=certain)

    def _check(self, access: GmAccess, state: _State) -> None:
        (self._check_scalar if access.scalar else self._check_dma)(access, state)

    def _check_scalar(self, access: GmAccess, state: _State) -> None:
        line, op = access.window, access.op
        if access.write and (met := self._conflicting(line, state.written)):
            self._found(Missing.SHARED_LINE, access, met, state)
        stale = {
            write: found
            for (fetched, write), found in state.stale.items()
            if self._meets(fetched, line) is not None
        }
        if stale and (met := self._conflicting(line, stale)):
            self._found(Missing.STALE_LOAD, access, met, state)
        if state.acquired is not None and not access.write:
            self._find(Missing.STALE_ACQUIRED, op, [state.acquired], state, access, False)
        if is_poll(op):
            self._find(Missing.STALE_POLL, op, [], state, access, False)

    def _check_dma(self, access: GmAccess, state: _State) -> None:
        if met := self._conflicting(access.window, state.dirty):
            self._found(Missing.DIRTY_WRITE if access.write else Missing.DIRTY_READ, access, met, state)
        if access.write or access.pipe is not Pipe.PIPE_MTE2:
            return
        if stores := self._conflicting(access.window, state.unfenced):
            self._found(Missing.UNFENCED_LOAD, access, stores, state)

    def _note(self, access: GmAccess, state: _State) -> None:
        window = access.window
        if access.scalar:
            state.fetched[window] = access, True
            if access.write:
                state.dirty[window] = access, True
            return
        if not access.write:
            return
        for line, (_, certain) in state.fetched.items():
            meets = self._meets(line, window)
            if meets is not None:
                state.stale[line, window] = access, certain and meets
        state.written[window] = access, True
        if access.pipe is not Pipe.PIPE_MTE2:
            state.unfenced[window] = access, True

    # --- findings --------------------------------------------------------------------------------

    def _conflicting(self, window: Window, pending: Pending) -> list[tuple[GmAccess, bool]]:
        """Accesses to windows that overlap one, each with True if it certainly happens and overlaps."""
        found: list[tuple[GmAccess, bool]] = []
        for other, (access, certain) in pending.items():
            meets = self._meets(window, other)
            if meets is not None:
                found.append((access, certain and meets))
        return found

    def _meets(self, a: Window, b: Window) -> bool | None:
        """Return True if a window certainly overlaps an earlier one, False if it may, None if it does not."""
        if isinstance(b, MovingWindow) and b.is_apart(a):
            return None
        if a.overlaps(b):
            return a.is_argument
        if a.root is b.root and (a.first is None or b.first is None):
            return False
        return False if self.unsure and a.overlaps(b, unsure=True) else None

    def _found(
        self, kind: Missing, access: GmAccess, met: list[tuple[GmAccess, bool]], state: _State
    ) -> None:
        certain = any(each for _, each in met)
        if kind is Missing.UNFENCED_LOAD and not certain and not self.unsure:
            return
        self._find(kind, access.op, [each.op for each, _ in met], state, access, certain)

    def _find(
        self,
        kind: Missing,
        op: Operation,
        causes: Iterable[Operation],
        state: _State,
        access: GmAccess | None = None,
        certain: bool = True,
    ) -> None:
        if self.reporting:
            self.findings.append(Finding(kind, op, tuple(causes), access, certain))
        if kind.needs_clean:
            state.clean()
        if self.unsure or not kind.needs_clean:
            state.fence()


def is_poll(op: Operation) -> bool:
    """Return True for a load of one address again and again, until another core stores to it, in a loop that
    does not invalidate the cache."""
    if not isinstance(op, LoadScalarOp):
        return False
    loop = next((around for around in ancestors(op) if isinstance(around, scf.WhileOp)), None)
    if loop is None or any(loop.is_ancestor(value.owner) for value in op.operands):
        return False
    return not any(isinstance(each, CmoCacheInvalidOp) for each in walk(loop))
