"""The scalar data cache of one core, and stores that it loads again (D42, D53, D54).

Stores reach memory at once: what is kept here is which lines a device would have in its cache, and whether
they are dirty or stale. An access that would see other bytes there stops the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Effects
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk
from ptoas.analysis.sweeps import Sweeps
from ptoas.analysis.visibility import LINE, gm_accesses
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import np, share_bytes
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import GlobalBuffer, LocalPointer, Pointer, View
from ptoas.machine.touched import TouchedBytes, view_touched
from ptoas.targets import Target

CLEAN = "add `pto.cmo.cacheinvalid all #pto.address_space<gm>` between the two"
FENCE = "add `pto.fence.barrier_all #pto.fence_scope<gm>` between the two"

MOST_STORES = 512
"""Windows of one argument that are remembered as stored by DMA."""

Stores = dict[object, tuple[TouchedBytes, Operation]]
"""DMA stores to one argument, the latest last."""


@dataclass
class Lines:
    """The lines of one argument that the cache has, by their numbers."""

    buffer: GlobalBuffer
    fetched: set[int] = field(default_factory=set[int])
    dirty: dict[int, Operation] = field(default_factory=dict[int, Operation])
    stale: dict[int, Operation] = field(default_factory=dict[int, Operation])
    """Fetched lines that DMA has written since, and what wrote them."""

    def within(self, touched: TouchedBytes) -> list[int]:
        """The fetched lines that have a byte in common with others."""
        start = self.buffer.address
        span = range((touched.low - start) // LINE, (touched.high - 1 - start) // LINE + 1)
        near = (
            [each for each in span if each in self.fetched]
            if len(span) < len(self.fetched)
            else [each for each in self.fetched if each in span]
        )
        return [each for each in near if share_bytes(self.bytes(each), touched.array)]

    def bytes(self, line: int) -> Any:
        return self.buffer.raw.view(np.uint8)[line * LINE : (line + 1) * LINE]


class ScalarCache:
    """The lines that the cache has, and what DMA has stored since the last clean and the last fence."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.lines: dict[int, Lines] = {}
        self.written: dict[int, Stores] = {}
        """By the address of the argument: since the last clean."""
        self.unfenced: dict[int, Stores] = {}
        """Since the last fence."""

    def reset(self) -> None:
        self.clean()
        self.unfenced.clear()

    def clean(self) -> None:
        """Every line is written back and dropped."""
        self.lines.clear()
        self.written.clear()

    def fence(self) -> None:
        """Make writes visible; stale lines stay stale."""
        for lines in self.lines.values():
            lines.dirty.clear()
        self.written.clear()
        self.unfenced.clear()

    def clean_line(self, place: Pointer | View) -> None:
        """The line at an address is written back and dropped."""
        buffer = place.buffer.whole
        line = place.offset * place.buffer.dtype.size // LINE
        lines = self.lines.get(buffer.address)
        if lines is not None:
            lines.fetched.discard(line)
            lines.dirty.pop(line, None)
            lines.stale.pop(line, None)
        stores = self.written.get(buffer.address, {})
        part = buffer.raw.view(np.uint8)[line * LINE : (line + 1) * LINE]
        for key in [key for key, (touched, _) in stores.items() if share_bytes(part, touched.array)]:
            del stores[key]

    def finish(self) -> None:
        """The kernel ends: nothing may be in the cache only."""
        for lines in self.lines.values():
            for line, op in lines.dirty.items():
                raise self.machine.fail(
                    "PTO-R311",
                    f"the kernel ends while bytes {line * LINE} to {(line + 1) * LINE - 1} of "
                    f"%{lines.buffer.name} are in the data cache only, since {label(op)}",
                    op,
                    fix="add `pto.cmo.cacheinvalid all #pto.address_space<gm>` behind the last store",
                )

    # --- accesses --------------------------------------------------------------------------------

    def scalar(self, op: LoadScalarOp | StoreScalarOp, pointer: Pointer, offset: int) -> None:
        buffer = pointer.buffer.whole
        line = (pointer.offset + offset) * pointer.buffer.dtype.size // LINE
        lines = self.lines.get(buffer.address)
        if lines is None:
            lines = self.lines[buffer.address] = Lines(buffer)
        if line in lines.stale:
            raise self._stale(op, lines, line)
        lines.fetched.add(line)
        if isinstance(op, StoreScalarOp) and line not in lines.dirty:
            self._check_shared(op, lines, line)
            lines.dirty[line] = op

    def _stale(self, op: Operation, lines: Lines, line: int) -> Exception:
        writer = lines.stale[line]
        what = "stores to" if isinstance(op, StoreScalarOp) else "loads"
        return self.machine.fail(
            "PTO-R313" if isinstance(op, StoreScalarOp) else "PTO-R312",
            f"{op.name.removeprefix('pto.')} {what} bytes {line * LINE} to {(line + 1) * LINE - 1} of "
            f"%{lines.buffer.name}, which the data cache has from before {label(writer)}",
            op,
            notes=(Note("written here, past the cache", span_of(writer)),),
            fix=CLEAN,
        )

    def _check_shared(self, op: Operation, lines: Lines, line: int) -> None:
        for touched, writer in self.written.get(lines.buffer.address, {}).values():
            if share_bytes(lines.bytes(line), touched.array):
                raise self.machine.fail(
                    "PTO-R313",
                    f"store_scalar writes back bytes {line * LINE} to {(line + 1) * LINE - 1} of "
                    f"%{lines.buffer.name}, which {label(writer)} has written without a clean in between",
                    op,
                    notes=(Note("written here, past the cache", span_of(writer)),),
                    fix=CLEAN,
                )

    def dma(self, op: Operation, pipe: Pipe, write: bool, view: View) -> None:
        """An access that passes the cache by."""
        touched = view_touched(view)
        if touched.is_empty:
            return
        buffer = view.buffer.whole
        lines = self.lines.get(buffer.address)
        for line in lines.within(touched) if lines is not None else ():
            assert lines is not None
            if line in lines.dirty:
                raise self._dirty(op, write, lines, line)
            if write:
                lines.stale[line] = op
        if write:
            key = (touched.form, touched.low)
            for stores in (self.written, self.unfenced) if pipe is not Pipe.PIPE_MTE2 else (self.written,):
                _remember(stores.setdefault(buffer.address, {}), key, touched, op)
        elif pipe is Pipe.PIPE_MTE2:
            self._check_fenced(op, touched, self.unfenced.get(buffer.address))

    def _dirty(self, op: Operation, write: bool, lines: Lines, line: int) -> Exception:
        store = lines.dirty[line]
        return self.machine.fail(
            "PTO-R311",
            f"{op.name.removeprefix('pto.')} {'writes' if write else 'reads'} bytes {line * LINE} to "
            f"{(line + 1) * LINE - 1} of %{lines.buffer.name}, of which the data cache has newer ones",
            op,
            notes=(Note(f"{label(store)} stores to the cache", span_of(store)),),
            fix=CLEAN,
        )

    def _check_fenced(self, op: Operation, touched: TouchedBytes, stores: Stores | None) -> None:
        for stored, store in stores.values() if stores else ():
            apart = touched.high <= stored.low or stored.high <= touched.low
            if apart or not share_bytes(stored.array, touched.array):
                continue
            raise self.machine.fail(
                "PTO-R314",
                f"{op.name.removeprefix('pto.')} loads bytes of {touched.name} that {label(store)} has "
                "stored, and no fence makes them visible",
                op,
                notes=(Note("stored here", span_of(store)),),
                fix=FENCE,
            )


def _remember(stores: Stores, key: object, touched: TouchedBytes, op: Operation) -> None:
    stores.pop(key, None)
    stores[key] = touched, op
    if len(stores) > MOST_STORES:
        del stores[next(iter(stores))]


class CachedAccesses:
    """The instructions of a function whose accesses to global memory concern the cache, or fences: those to
    memory that scalars are loaded from or stored to, and to memory that DMA stores and loads."""

    def __init__(self, function: func.FuncOp, target: Target | None):
        """`target`: `None` if there is no cache."""
        self.ops: set[Operation] = set()
        if target is None:
            return
        knowledge = Knowledge()
        sweeps = Sweeps(knowledge)
        found = {op: gm_accesses(op, target.effects(op), knowledge, sweeps) for op in walk(function)}
        accesses = [each for some in found.values() for each in some]
        by_scalars = {each.window.root for each in accesses if each.scalar}
        stored = {each.window.root for each in accesses if not each.scalar and each.write}
        loaded = {each.window.root for each in accesses if each.pipe is Pipe.PIPE_MTE2}
        roots: set[SSAValue] = by_scalars | (stored & loaded)
        # A pointer that the program calculated may lead anywhere.
        anywhere = bool(roots) and not all(each.window.is_argument for each in accesses)
        for op, some in found.items():
            if any(anywhere or each.window.root in roots for each in some):
                self.ops.add(op)


def cached_scalar(
    op: LoadScalarOp | StoreScalarOp, cache: ScalarCache, at: int, offset: int, function: Callable[..., Any]
) -> Callable[..., Any]:
    """A scalar access through the cache; `at` and `offset` are the operands of the pointer and the offset."""

    def run(*values: Any) -> Any:
        pointer: Pointer | LocalPointer = values[at]
        result = function(*values)
        if isinstance(pointer, Pointer):
            cache.scalar(op, pointer, values[offset])
        return result

    return run


def past_cache(
    op: Operation, cache: ScalarCache, effects: Effects, values: Sequence[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step of an instruction that passes the cache by."""
    accesses = [
        (each.pipe, each.write, value)
        for each in effects.accesses
        if each.pipe is not Pipe.PIPE_S and isinstance(value := values[each.operand], View)
    ]

    def checked(*scalars: Any) -> None:
        for pipe, write, view in accesses:
            cache.dma(op, pipe, write, view)
        run(*scalars)

    return checked


def past_cache_moving(
    op: Operation, cache: ScalarCache, effects: Effects, at: int, run: Callable[..., None]
) -> Callable[..., None]:
    """The same for a step that gets its view, operand `at`, each time."""
    accesses = [(each.pipe, each.write) for each in effects.accesses if each.operand == at]

    def checked(view: View) -> None:
        for pipe, write in accesses:
            cache.dma(op, pipe, write, view)
        run(view)

    return checked


def invalidation(cache: ScalarCache) -> Callable[..., None]:
    """Clean all lines, or the one at an operand."""

    def run(*values: Any) -> None:
        if not values:
            cache.clean()
        elif isinstance(values[0], Pointer | View):
            cache.clean_line(values[0])

    return run
