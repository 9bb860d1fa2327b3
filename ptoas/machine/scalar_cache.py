"""The scalar data cache of one core, and stores that the core loads again (D42, D53, D54).

What is stored reaches memory at once: the cache keeps which lines a device would hold, and whether they are
dirty or stale. An access that would see, or leave behind, other bytes than in memory stops the run. Lines
are counted from the beginning of each argument.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.analysis.sweeps import Sweeps
from ptoas.analysis.visibility import LINE, gm_accesses
from ptoas.diagnostics import Note
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import Array, np, share_bytes
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import GlobalBuffer, LocalPointer, Pointer, View
from ptoas.machine.touched import TouchedBytes, view_touched

CLEAN = "`pto.cmo.cacheinvalid all #pto.address_space<gm>`"
BETWEEN = f"add {CLEAN} between the two"

MOST_WRITES = 512
"""Windows of one argument that are remembered as written by DMA."""

ElementAccess: TypeAlias = LoadScalarOp | StoreScalarOp


@dataclass(slots=True)
class CachedLine:
    """A line that the cache holds."""

    memory: Array | None
    """Its bytes in memory; `None` if no other core runs."""
    contents: Array | None
    """Its bytes in the cache."""
    dirty: Operation | None = None
    """The first store since it was cleaned."""
    stale: Operation | None = None
    """DMA of this core that has written to it since it was fetched."""

    def store(self, op: Operation) -> None:
        """An element is in the line, and not in memory."""
        self.dirty = self.dirty or op
        if self.contents is not None:
            self.contents[:] = self.memory


@dataclass(slots=True)
class DmaWrite:
    """Bytes that DMA of this core has written since the last fence."""

    op: Operation
    touched: TouchedBytes
    needs_fence: bool
    """True if loads by DMA do not see them yet."""
    time: int


@dataclass
class CachedArgument:
    """The lines of one argument that the cache holds, and what DMA of this core has written to it."""

    buffer: GlobalBuffer
    lines: dict[int, CachedLine] = field(default_factory=dict[int, CachedLine])
    writes: dict[Hashable, DmaWrite] = field(default_factory=dict[Hashable, DmaWrite])
    """The latest last."""
    low: int = 0
    high: int = 0
    """Their bounds."""
    time: int = 0
    """The number of writes so far."""
    all_cleaned: int = 0
    """The time when all lines were cleaned."""
    cleaned: dict[int, int] = field(default_factory=dict[int, int])
    """The times when lines were cleaned one by one since."""

    def touched(self, line: int) -> TouchedBytes:
        """The bytes of a line."""
        array = self.buffer.raw.view(np.uint8)[line * LINE : (line + 1) * LINE]
        low = self.buffer.address + line * LINE
        return TouchedBytes(array, None, low, low + array.size, self.text(line))

    def text(self, line: int) -> str:
        """`bytes 0 to 63 of %p`."""
        return f"bytes {line * LINE} to {(line + 1) * LINE - 1} of %{self.buffer.name}"

    def held(self, touched: TouchedBytes) -> list[int]:
        """The lines in the cache that have a byte in common with others."""
        if not self.lines:
            return []
        start = self.buffer.address
        span = range((touched.low - start) // LINE, (touched.high - 1 - start) // LINE + 1)
        few, many = (span, self.lines) if len(span) < len(self.lines) else (self.lines, span)
        return [n for n in few if n in many and share_bytes(self.touched(n).array, touched.array)]

    def add(self, op: Operation, touched: TouchedBytes, needs_fence: bool) -> None:
        """Note a write."""
        writes, key = self.writes, (touched.form, touched.low)
        self.low = min(self.low, touched.low) if writes else touched.low
        self.high = max(self.high, touched.high) if writes else touched.high
        self.time += 1
        writes.pop(key, None)
        writes[key] = DmaWrite(op, touched, needs_fence, self.time)
        if len(writes) > MOST_WRITES:
            del writes[next(iter(writes))]

    def written(self, touched: TouchedBytes) -> Iterator[DmaWrite]:
        """The writes that have a byte in common with others."""
        if touched.high <= self.low or self.high <= touched.low:
            return
        for write in self.writes.values():
            other = write.touched
            if (
                other.low < touched.high
                and touched.low < other.high
                and share_bytes(other.array, touched.array)
            ):
                yield write

    def written_since_clean(self, line: int) -> DmaWrite | None:
        since = max(self.all_cleaned, self.cleaned.get(line, 0))
        return next((write for write in self.written(self.touched(line)) if write.time > since), None)

    def clean(self) -> None:
        """Write back and drop all lines."""
        self.lines.clear()
        self.cleaned.clear()
        self.all_cleaned = self.time

    def clean_line(self, line: int) -> None:
        """Write back and drop one line."""
        self.lines.pop(line, None)
        self.cleaned[line] = self.time

    def fence(self) -> None:
        """Write back all lines, and make all writes visible; lines that are stale stay so."""
        for line in self.lines.values():
            line.dirty = None
        self.writes.clear()


class ScalarCache:
    """The lines that the cache holds, by argument."""

    def __init__(self, machine: Machine):
        self.machine = machine
        self.arguments: dict[int, CachedArgument] = {}
        """By address."""

    def reset(self) -> None:
        """Another block starts."""
        self.arguments.clear()

    def argument(self, buffer: GlobalBuffer) -> CachedArgument:
        whole = buffer.whole
        found = self.arguments.get(whole.address)
        if found is None:
            found = self.arguments[whole.address] = CachedArgument(whole)
        return found

    def fence(self) -> None:
        for argument in self.arguments.values():
            argument.fence()

    def clean(self, place: Pointer | View | LocalPointer | None = None) -> None:
        """Write back and drop the line at an address, or all."""
        if place is None:
            for argument in self.arguments.values():
                argument.clean()
        elif not isinstance(place, LocalPointer):
            self.argument(place.buffer).clean_line(place.offset * place.buffer.dtype.size // LINE)

    def flush(self, op: Operation, what: str) -> None:
        """Stop if a line is dirty where others rely on memory."""
        for argument in self.arguments.values():
            for n, line in argument.lines.items():
                if line.dirty is not None:
                    message = f"{what} while {argument.text(n)} are in the data cache only"
                    raise self._fail("PTO-R311", message, op, line.dirty, f"add {CLEAN} before it")

    def _fail(self, code: str, message: str, op: Operation, cause: Operation | None, fix: str) -> Exception:
        notes = () if cause is None else (Note("the earlier access", span_of(cause)),)
        return self.machine.fail(code, message, op, notes=notes, fix=fix)

    # --- accesses ---

    def fetch(self, op: ElementAccess, pointer: Pointer, offset: int) -> CachedLine:
        """The line of an element, loaded unless the cache holds it."""
        argument, size = self.argument(pointer.buffer), pointer.buffer.dtype.size
        n = (pointer.offset + offset) * size // LINE
        line = argument.lines.get(n)
        if line is None:
            memory = None if self.machine.actor.scheduler is None else argument.touched(n).array
            line = argument.lines[n] = CachedLine(memory, None if memory is None else memory.copy())
        elif line.stale is not None or line.memory is not None:
            at = (pointer.offset + offset) * size % LINE
            self._check_current(op, argument, n, slice(at, at + size))
        if line.dirty is None and op.__class__ is StoreScalarOp:
            write = argument.written_since_clean(n)
            if write is not None:
                message = f"store_scalar writes back {argument.text(n)}, which {label(write.op)} has written"
                raise self._fail("PTO-R313", message, op, write.op, BETWEEN)
        return line

    def _check_current(self, op: ElementAccess, argument: CachedArgument, n: int, element: slice) -> None:
        """Stop where memory has other bytes than the cache: in the element that is loaded, or in any if a
        store will write back the line."""
        line, stores = argument.lines[n], isinstance(op, StoreScalarOp)
        by_others = line.memory != line.contents
        if line.stale is None and not np.any(by_others if stores else by_others[element]):
            return
        writer = "another core" if line.stale is None else label(line.stale)
        code, verb = ("PTO-R313", "stores to") if stores else ("PTO-R312", "loads")
        what = f"{argument.text(n)}, which {writer} has written since they were fetched"
        raise self._fail(code, f"{op.mnemonic()} {verb} {what}", op, line.stale, BETWEEN)

    def dma(self, op: Operation, pipe: Pipe, write: bool, view: View) -> None:
        """An access that passes the cache by."""
        argument, form = self.argument(view.form.buffer), view.form
        if not (write or argument.lines):
            low = form.first_byte + view.offset * form.dtype.size
            if not argument.writes or argument.high <= low or low + form.length <= argument.low:
                return
        touched = view_touched(view)
        if touched.is_empty:
            return
        for n in argument.held(touched):
            line = argument.lines[n]
            if line.dirty is not None:
                what = f"{'writes' if write else 'reads'} {argument.text(n)}"
                message = f"{op.name.removeprefix('pto.')} {what}, of which the data cache has newer ones"
                raise self._fail("PTO-R311", message, op, line.dirty, BETWEEN)
            if write:
                line.stale = op
        if write:
            argument.add(op, touched, pipe is not Pipe.PIPE_MTE2)
        elif pipe is Pipe.PIPE_MTE2 and self.machine.checks.race:
            store = next((each for each in argument.written(touched) if each.needs_fence), None)
            if store is not None:
                by = label(store.op)
                what = f"bytes of {touched.name} that {by} has stored, and no fence makes visible"
                message = f"{op.name.removeprefix('pto.')} loads {what}"
                fix = "add `pto.fence.barrier_all #pto.fence_scope<gm>` between the two"
                raise self._fail("PTO-R314", message, op, store.op, fix)


# --- compilation ---


def cached_ops(ops: Sequence[Operation], machine: Machine) -> set[Operation]:
    """The operations of a module whose accesses concern the cache, or fences: those to memory that scalars
    access, and to memory that DMA stores and loads. With calls, or pointers that the program calculates, any
    may."""
    if machine.cache is None:
        return set()
    effects, sweeps = machine.target.effects, Sweeps(machine.knowledge)
    found = {op: gm_accesses(op, effects(op), machine.knowledge, sweeps) for op in ops}
    accesses = [each for some in found.values() for each in some]
    stored = {each.window.root for each in accesses if not each.scalar and each.write}
    loaded = {each.window.root for each in accesses if each.pipe is Pipe.PIPE_MTE2}
    roots = {each.window.root for each in accesses if each.scalar} | (stored & loaded)
    anywhere = any(isinstance(op, func.CallOp) for op in ops)
    anywhere |= bool(roots) and not all(each.window.is_argument for each in accesses)
    return {op for op, some in found.items() if any(anywhere or each.window.root in roots for each in some)}


def cached_scalar(op: ElementAccess, cache: ScalarCache, function: Callable[..., Any]) -> Callable[..., Any]:
    """A scalar access through the cache."""
    at, offset = (slot_places(op)[slot].start for slot in ("ptr", "offset"))
    stores = isinstance(op, StoreScalarOp)

    def run(*values: Any) -> Any:
        pointer: Pointer | LocalPointer = values[at]
        if isinstance(pointer, LocalPointer):
            return function(*values)
        line = cache.fetch(op, pointer, values[offset])
        result = function(*values)
        if stores:
            line.store(op)
        return result

    return run


def _dma_of(effects: Effects, values: Sequence[object]) -> Iterator[tuple[int, Pipe, bool, View]]:
    """The accesses to views that pass the cache by: operand, pipe, whether it is a write, view."""
    for each in effects.accesses:
        value = values[each.operand]
        if each.pipe is not Pipe.PIPE_S and isinstance(value, View):
            yield each.operand, each.pipe, each.write, value


def past_cache(
    op: Operation,
    machine: Machine,
    effects: Effects,
    values: Sequence[object],
    run: Callable[..., None],
    moving: int | None,
) -> Callable[..., None]:
    """The step of an instruction that passes the cache by; with `moving` it gets that operand each time."""
    cache = machine.cache
    assert cache is not None
    accesses = [
        (pipe, write, None if at == moving else view) for at, pipe, write, view in _dma_of(effects, values)
    ]

    def checked(*given: Any) -> None:
        for pipe, write, view in accesses:
            cache.dma(op, pipe, write, view or given[0])
        run(*given)

    return checked


def cached_transfer(
    op: Operation, cache: ScalarCache, effects: Effects, function: Callable[..., Any]
) -> Callable[..., Any]:
    """An operation that starts a transfer past the cache."""

    def run(*values: Any) -> Any:
        for _, pipe, write, view in _dma_of(effects, values):
            cache.dma(op, pipe, write, view)
        return function(*values)

    return run
