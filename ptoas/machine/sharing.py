"""Memory that several actors access: scheduling points, transport of its bytes, and the log of accesses.

What orders actors is a scalar in that memory: what an actor did before it stored the scalar has happened for
an actor that loads it afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.effects import Effects
from ptoas.analysis.structure import walk
from ptoas.analysis.sync_actions import SignalKey
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.remote import CommTTestOp
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.sync import CmoCacheInvalidOp
from ptoas.machine.accesses import AccessLog, AccessSite, Series, StridedShape, pieces_at
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import LocalPointer, Pointer, View
from ptoas.machine.signal_history import SignalHistory
from ptoas.machine.signals import loop_around, store_word
from ptoas.machine.tiles import Tile
from ptoas.machine.touched import TouchedBytes, element_touched, touched_by, view_touched

SLOTS = 1024
"""Up to this many elements every scalar has a clock of its own, in larger memory they have one together."""

PATIENCE = 1000
"""Loads of a scalar that bring nothing new before an actor counts as waiting."""

QUANTUM = 64
"""Instructions on its own memory that an actor executes in one turn."""

AGAIN = "again"
"""The atomic kind of two cores that write the same: they need no order."""


@dataclass
class SharedMemory:
    """Memory of one rank that others reach."""

    name: str
    owner: int
    data: Array
    """Its bytes, as this rank sees them."""
    number: int = 0
    """The same on every rank."""
    written: bool = False
    """True if this rank wrote to it."""

    @property
    def low(self) -> int:
        return self.data.ctypes.data

    def slot(self, offset: int, size: int) -> int:
        """The clock of the element at a byte offset."""
        return offset // size if self.data.nbytes // size <= SLOTS else 0


class Allocation(NamedTuple):
    """Memory that other actors reach: a window of a rank, an argument, or the unified buffer of a core."""

    number: int
    """The same in all processes; negative if it is no window."""
    low: int
    """Its address."""
    memory: SharedMemory | None = None
    """The window, if it is one."""

    def name_of(self, touched: TouchedBytes) -> str:
        return touched.name if self.memory is None else self.memory.name


class Use:
    """An operand in memory that others reach."""

    __slots__ = ("access", "array", "base", "form", "memory", "number", "series", "start")

    def __init__(self, access: AccessSite, allocation: Allocation, touched: TouchedBytes):
        self.access = access
        self.number, self.base, self.memory = allocation
        self.array = touched.array
        self.form = StridedShape.of(self.array)
        self.start = self.array.ctypes.data - self.base
        """Its first byte, from the beginning of that memory."""
        self.series: Series | None = None


class Sharing:
    """A machine's access to memory shared with other actors."""

    def __init__(self, machine: Machine, memories: Iterable[SharedMemory] = (), logs: bool = False):
        self.machine = machine
        self.memories = list(memories)
        self.log = AccessLog() if logs or machine.checks.race else None
        self.written: list[tuple[int, int]] = []
        """Arguments that the program writes, first and end of each: only what happens there matters to
        blocks. Those that have bytes in common are one."""
        self.wrote: set[str] = set()
        """Names of arguments and tiles of its own that a rank wrote."""
        self.history: SignalHistory | None = None
        """Events of signals, shared by all actors of this process."""
        self._accesses: dict[tuple[Hashable, ...], AccessSite] = {}
        self._left = QUANTUM
        self._polled: dict[Hashable, int] = {}
        self._seen_changes = -1

    def start(self, written: Iterable[tuple[int, int]]) -> None:
        """A new run; `written` is the global memory that several blocks reach."""
        self.written = _merged(written)
        self.wrote.clear()
        self._left = QUANTUM
        self.forget_polls()
        self._seen_changes = -1
        self._accesses.clear()
        if self.log is not None:
            self.log.clear()
        for memory in self.memories:
            memory.written = False

    def find(self, first: int, end: int) -> Allocation | None:
        """The memory that bytes lie in; `None` if no other actor has to do with it."""
        if first == end:
            return None
        for memory in self.memories:
            if memory.low <= first and end <= memory.low + memory.data.nbytes:
                return Allocation(memory.number, memory.low, memory)
        for place, (low, high) in enumerate(self.written):
            if low < end and first < high:
                # Each rank has global memory of its own.
                ranks = self.machine.launch.ranks or 1
                return Allocation(-1 - self.machine.actor.rank - ranks * place, low)
        return None

    def fetch(self, use: Use) -> None:
        """Bring remote bytes here; in one process they are here."""

    def push(self, use: Use) -> None:
        """Bring bytes to where they belong."""

    def deliver(self, target: Array, source: Array, adds: bool) -> None:
        """Copy or add bytes from the memory of one rank to that of another."""
        if adds:
            np.add(target, source, out=target)
        else:
            target[...] = source

    def combining(self, run: Callable[[], None]) -> None:
        """Run an atomic operation on memory."""
        run()

    def put_word(self, use: Use, number: int, adds: bool) -> None:
        """Write a signal of any rank."""
        store_word(use.array.view(np.int32), number, adds)

    # --- instructions ---

    def watching(
        self, op: PtoOp, effects: Effects, values: Sequence[object], step: Step, run: Callable[..., None]
    ) -> Callable[..., None]:
        """The step as one of several actors takes it: in turn, with remote memory brought here and back."""
        uses, own = ([], set[str]()) if step.idle else self._uses(op, effects, values, step)
        if not uses and self.machine.actor.scheduler is None and not own:
            return run
        # What is not written as a whole keeps its other bytes.
        whole = isinstance(op, CollectiveOp | TStoreOp) and step.atomic is None
        fetched = [use for use in uses if not step.delivers and not (use.access.write and whole)]
        places = step.places

        if self.machine.is_replica:
            run = self._repeating(op, uses, run)

        def work(*scalars: float) -> None:
            for use in fetched:
                self.fetch(use)
            run(*scalars)
            for use in uses:
                if use.access.write:
                    self.pushed(use, step.delivers)

        alone = step.atomic is not None and not step.delivers and any(use.memory for use in uses)
        if not uses and not own:

            def local(*scalars: float) -> None:
                self.forget_polls()
                self.turn(False)
                run(*scalars)

            return local

        def shared(*scalars: float) -> None:
            self.forget_polls()
            self.turn(bool(uses))
            if alone:
                self.combining(lambda: work(*scalars))
            else:
                work(*scalars)
            self.wrote |= own
            for use in uses:
                if places is None:
                    self.note(use, use.start)
                elif self.log is not None:
                    self._note_indexed(use, places())

        return shared

    def _repeating(self, op: PtoOp, uses: list[Use], run: Callable[..., None]) -> Callable[..., None]:
        """Both vector cores of a block do the same with whole tiles: two that write the same bytes need no
        order to each other. Whoever comes second compares with what the first has left in the cluster."""
        writes = [use for use in uses if use.access.write and use.access.atomic is None]
        same = [self._access(op, u.access.name, u.access.pipe, True, AGAIN) for u in writes]
        plain = [use.access for use in writes]
        turns = count()

        def again(*scalars: float) -> None:
            run(*scalars)
            turn, repeated = next(turns), self.machine.cluster_of_block.repeated
            for n, use in enumerate(writes):
                key, written = (op, use.start, turn, n), use.array.tobytes()
                other = repeated.pop(key, None)
                if other is None:
                    repeated[key] = written
                use.access = (same if other in (None, written) else plain)[n]
                use.series = None

        return again

    def watching_moving(
        self, op: PtoOp, effects: Effects, values: Sequence[object], step: Step, run: Callable[..., None]
    ) -> Callable[..., None]:
        """The same for a step that gets its view each time: another window of the same buffer."""
        uses, _ = self._uses(op, effects, values, step, moving=True)
        if not uses and self.machine.actor.scheduler is None:
            return run

        def shared(view: View) -> None:
            self.forget_polls()
            self.turn(bool(uses))
            run(view)
            start = view.buffer.address + view.offset * view.dtype.size
            for use in uses:
                if use.access.write:
                    self.pushed(use)
                self.note(use, start - use.base)

        return shared

    def start_transfer(
        self, op: PtoOp, effects: Effects, values: Sequence[object]
    ) -> Callable[[Array, Array], None]:
        """A transfer starts, and touches its memories from now on; the result is to be called when it is
        done, and touches them once more."""
        uses, own = self._uses(op, effects, values, Step(lambda: None))
        self.turn(bool(uses))
        for use in uses:
            self.note(use, use.start)

        def complete(target: Array, source: Array) -> None:
            self.deliver(target, source, False)
            self.wrote |= own
            for use in uses:
                if use.access.write:
                    self.pushed(use, delivered=True)
                self.note(use, use.start)

        return complete

    def _uses(
        self, op: PtoOp, effects: Effects, values: Sequence[object], step: Step, moving: bool = False
    ) -> tuple[list[Use], set[str]]:
        """Operands in memory that others reach, and names of others that the instruction writes."""
        uses: list[Use] = []
        own: set[str] = set()
        for access in effects.accesses:
            value = values[access.operand]
            for touched in touched_by(value):
                found = self._home(value, touched, moving)
                if found is not None:
                    name = found.name_of(touched)
                    what = self._access(op, name, NUMBER[access.pipe], access.write, step.atomic)
                    uses.append(Use(what, found, touched))
                elif access.write and self.machine.launch.ranks is not None:
                    own.add(touched.name.removeprefix("%"))
        return uses, own

    def _home(self, value: object, touched: TouchedBytes, moving: bool) -> Allocation | None:
        match value:
            case Tile():
                number = value.memory.number
                return None if number is None or touched.is_empty else Allocation(number, 0)
            case View() if moving and not touched.is_empty:
                return self.find(value.buffer.address, value.buffer.end)
            case _:
                return self.find(touched.low, touched.high)

    def _access(
        self, op: Operation, name: str, pipe: int, write: bool, atomic: Hashable = None, scalar: bool = False
    ) -> AccessSite:
        key = (op, name, pipe, write, atomic)
        found = self._accesses.get(key)
        if found is None:
            cached = isinstance(op, StoreScalarOp) and self.machine.cache is not None
            found = AccessSite(op, name.removeprefix("%"), pipe, write, scalar, atomic, cached)
            self._accesses[key] = found
        return found

    def pushed(self, use: Use, delivered: bool = False) -> None:
        """Publish what the actor has written, unless it is `delivered` already."""
        if not delivered:
            self.push(use)
        if use.memory is not None:
            use.memory.written = True
        scheduler = self.machine.actor.scheduler
        if scheduler is not None:
            scheduler.changed()

    # --- scalars ---

    def watching_scalar(
        self, op: LoadScalarOp | StoreScalarOp, effects: Effects, function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """A scalar in shared memory by which one actor notifies another."""
        operands = list(op.operands)
        pointer_at, offset_at = operands.index(op.ptr), operands.index(op.offset)
        stores = isinstance(op, StoreScalarOp)
        pipe = NUMBER[effects.accesses[0].pipe]
        loop = loop_around(op)
        polls_only = loop is not None and _only_polls(loop)

        def step(*values: Any) -> Any:
            pointer: Pointer | LocalPointer = values[pointer_at]
            if isinstance(pointer, LocalPointer):
                return function(*values)
            touched = element_touched(pointer, values[offset_at])
            found = self.find(touched.low, touched.high)
            if found is None:
                if stores:
                    self.wrote.add(pointer.buffer.name)
                return function(*values)
            self.turn(True)
            name = found.name_of(touched)
            # Two that store the same need no order.
            kind = ("stores", values[0]) if stores else None
            access = self._access(op, name, pipe, stores, kind, scalar=True)
            use = Use(access, found, touched)
            clocks = self.machine.actor.clocks
            key = _clock_key(use, use.start)
            if stores:
                # First what has happened, then the scalar: who sees the scalar sees the rest.
                self.forget_polls()
                self.note(use, use.start)
                clocks.release(key)
                result = function(*values)
                self.pushed(use)
                return result
            self.fetch(use)
            result = function(*values)
            epoch = clocks.epoch
            clocks.acquire(key)
            if clocks.epoch != epoch:
                self.machine.choices[op] = "loads a scalar that another core stores"
            self.note(use, use.start)
            if polls_only or (loop is not None and self.machine.actor.scheduler is not None):
                element = use.start // use.array.itemsize
                self.poll(op, use, f"waits for %{use.access.name}[{element}], which stays {result}")
            return result

        return step

    def note_bytes(
        self, op: PtoOp, name: str, window: Array, first: int, pipe: Pipe, write: bool, kind: Hashable
    ) -> None:
        """Log an access to bytes of global memory that are not an operand."""
        found = self.find(first, first + window.nbytes)
        if found is None:
            return
        touched = TouchedBytes(window, None, first, first + window.nbytes, f"%{name}")
        use = Use(self._access(op, name, NUMBER[pipe], write, kind), found, touched)
        self.note(use, use.start)

    # --- signals ---

    def signal_use(self, op: PtoOp, view: View, write: bool, kind: Hashable = None) -> Use | None:
        """A signal in memory that others reach."""
        touched = view_touched(view)
        found = self.find(touched.low, touched.high)
        if found is None:
            return None
        name = found.name_of(touched)
        access = self._access(op, name, NUMBER[Pipe.PIPE_S], write, kind, scalar=True)
        return Use(access, found, touched)

    def keys_of(self, use: Use) -> list[SignalKey]:
        """The clocks of all words of a signal."""
        places = use.start + _offsets(use.array)
        return list(dict.fromkeys(_clock_key(use, int(start)) for start in places))

    def words_of(self, use: Use) -> list[tuple[int, int]]:
        """Each word of a signal, the same for all actors."""
        return [(use.number, int(start)) for start in use.start + _offsets(use.array)]

    def mark_unfenced(self, op: PtoOp) -> None:
        """Writes that no fence has made visible before this notification: a race with them has a reason."""
        actor = self.machine.actor
        clocks = actor.clocks
        for series in () if self.log is None else self.log.since(clocks.fence_epoch, actor):
            if series.access.write and series.time > clocks.fenced[series.access.pipe]:
                series.signal_op = series.signal_op or op

    # --- actors that wait ---

    def forget_polls(self) -> None:
        """Forget polls: the actor has done something else."""
        self._polled.clear()

    def poll(self, op: PtoOp, use: Use, what: str) -> None:
        """Note a load that may be a poll; an actor that only polls waits for a write."""
        actor = self.machine.actor
        scheduler = actor.scheduler
        changes = 0 if scheduler is None else scheduler.changes()
        if changes != self._seen_changes:
            self._seen_changes = changes
            self.forget_polls()
        key = (op, use.start)
        self._polled[key] = self._polled.get(key, 0) + 1
        loop = loop_around(op)
        soon = scheduler is not None and scheduler.explores and loop is not None and _only_polls(loop)
        # The first load may bring what ends the loop.
        if self._polled[key] <= (1 if soon else PATIENCE):
            return
        if scheduler is not None:
            actor.wait_until(lambda: scheduler.changes() != changes, what, op)
            return
        raise self.machine.fail(
            "PTO-R803",
            f"block {actor.block} {what}: the blocks run one after the other",
            op,
            fix="add --schedule 0 to interleave them",
        )

    # --- turns, records ---

    def turn(self, shared: bool) -> None:
        """Yield to the others: before each access to shared memory, and after `QUANTUM` other steps."""
        scheduler = self.machine.actor.scheduler
        if scheduler is None or not scheduler.randomised:
            return
        self._left -= 1
        if not shared and self._left > 0:
            return
        self._left = QUANTUM
        self.machine.actor.yield_()

    def note(self, use: Use, start: int) -> None:
        """Log an access to a window of memory."""
        self._tell_scheduler(use, lambda: _window_at(use.array, start))
        series = self._series(use)
        if series is not None:
            series.add(start)

    def _tell_scheduler(self, use: Use, window: Callable[[], tuple[int, int]]) -> None:
        """Pass the bytes that a step accesses to an exploring scheduler, named as in other runs."""
        scheduler = self.machine.actor.scheduler
        if scheduler is None or not scheduler.explores:
            return
        scheduler.touched(use.number, *window(), use.access.write)

    def _note_indexed(self, use: Use, addresses: Array) -> None:
        """Log accesses to the elements at these addresses."""
        places = addresses - use.base
        if places.size:
            end = int(places.max()) + use.array.itemsize
            self._tell_scheduler(use, lambda: (int(places.min()), end))
        series = self._series(use)
        if series is not None:
            series.add_indexed(pieces_at(places, use.array.itemsize))

    def _series(self, use: Use) -> Series | None:
        if self.log is None:
            return None
        actor, access = self.machine.actor, use.access
        series = use.series
        if series is None or series.actor is not actor or series.epoch != actor.clocks.epoch:
            series = use.series = self.log.series(access, use.number, use.form, actor)
        series.time = actor.clocks.own[access.pipe][access.pipe]
        return series


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals of addresses in order, those that overlap as one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(spans):
        if found and low < found[-1][1]:
            low, high = found[-1][0], max(high, found.pop()[1])
        found.append((low, high))
    return found


def _clock_key(use: Use, start: int) -> SignalKey:
    """The clock key of a scalar at this byte."""
    slot = start if use.memory is None else use.memory.slot(start, use.array.itemsize)
    return SignalKey(use.number, slot)


def _window_at(array: Array, start: int) -> tuple[int, int]:
    """The first byte and the end of an array that is moved to a place."""
    low, high = np.lib.array_utils.byte_bounds(array)
    shift = start - array.ctypes.data
    return low + shift, high + shift


def _offsets(array: Array) -> Array:
    """The distance of each element from the first, in bytes."""
    steps = (np.arange(extent) * stride for extent, stride in zip(array.shape, array.strides, strict=True))
    return np.add.reduce(np.meshgrid(*steps, indexing="ij")).reshape(-1)


def _only_polls(loop: scf.WhileOp) -> bool:
    """Return True if a loop changes neither memory nor a value of its own, so that it can only poll."""
    polls = LoadScalarOp | CommTTestOp | CmoCacheInvalidOp
    return not loop.arguments and all(
        isinstance(op, polls) for op in walk(loop) if isinstance(op, PtoOp | func.CallOp)
    )
