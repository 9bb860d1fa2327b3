"""One rank among others: the memory it shares with them, its turns, and what happens before what.

Ranks work at the same time, and no instruction orders one after another. The one thing that does is a scalar
in shared memory: what a rank did before it stored the scalar has happened for a rank that loads it
afterwards. Two accesses of different ranks to a common byte, one of them a write and not both of them
scalars, must be ordered so; `conflicts` finds those that are not. That is the same in every interleaving, so
it does not depend on a seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.diagnostics import Diagnostic, Note, PtoasError, Span
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TStoreOp
from ptoas.dialects.pto.scalar import LoadScalarOp, StoreScalarOp
from ptoas.location import span_of
from ptoas.machine.arrays import Array, np, share_bytes
from ptoas.machine.errors import failure, finding
from ptoas.machine.machine import label
from ptoas.machine.memory import Pointer
from ptoas.machine.race import Touched, element_touched, touched_by

SLOTS = 4096
"""Up to this many elements every scalar has a clock of its own, in larger memory they have one together."""

PATIENCE = 1000
"""Loads of scalars that bring nothing new before a rank counts as waiting."""

QUANTUM = 64
"""Instructions on its own memory that a rank executes in one turn."""


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
    """Whether this rank wrote to it."""

    @property
    def low(self) -> int:
        return self.data.ctypes.data

    def slot(self, offset: int, size: int) -> int:
        """The clock of the element at a byte offset."""
        return offset // size if self.data.nbytes // size <= SLOTS else 0


class Use(NamedTuple):
    """Bytes of shared memory that an operand stands for."""

    memory: SharedMemory
    array: Array
    write: bool


@dataclass(frozen=True)
class Record:
    """An access to shared memory, in words that mean the same on every rank."""

    rank: int
    memory: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    write: bool
    scalar: bool
    clock: tuple[int, ...]
    """What the rank knew of the others, and how far it was itself."""
    name: str
    what: str
    """`tstore at line 9`."""
    span: Span = field(compare=False)

    def before(self, other: Record) -> bool:
        return self.clock[self.rank] <= other.clock[self.rank]

    def place(self, base: Array) -> Array:
        return np.ndarray(self.shape, np.uint8, base, self.offset, self.strides)


class Stopped(Exception):
    """Another rank has failed."""


class Waiting(PtoasError):
    """The rank waits for a scalar that nobody is going to store."""

    def __init__(self, op: Operation, reason: str):
        self.reason = reason
        super().__init__(failure("PTO-R803", reason, op).diagnostics)


class World:
    """A rank's side of the world; all ranks are in one process, and `Turns` is what they have in common."""

    def __init__(self, rank: int, size: int, turns: Turns | None = None):
        self.rank = rank
        self.size = size
        self.turns = turns
        self.memories: list[SharedMemory] = []
        self.clock = [int(n == rank) for n in range(size)]
        self.records: dict[Record, None] = {}
        self.wrote: set[str] = set()
        """Names of this rank's own arguments and tiles that it wrote."""
        self._left = QUANTUM
        self._polled: dict[object, int] = {}
        self._last_writes = -1

    # --- memory ---

    def share(self, memories: Iterable[SharedMemory]) -> None:
        self.memories += memories

    def find(self, touched: Touched) -> SharedMemory | None:
        """The shared memory that bytes lie in, if any."""
        for memory in self.memories:
            if memory.low <= touched.low and touched.high <= memory.low + memory.data.nbytes:
                return memory
        return None

    def fetch(self, use: Use) -> None:
        """Bring remote bytes here; in one process they are here."""

    def push(self, use: Use) -> None:
        """Bring bytes to where they belong."""

    # --- instructions ---

    def watching(
        self, op: PtoOp, effects: Effects, values: Sequence[object], run: Callable[..., None]
    ) -> Callable[..., None]:
        """The step as one of several ranks takes it: in turn, with remote memory brought here and back."""
        uses: list[Use] = []
        own: set[str] = set()
        for access in effects.accesses:
            for touched in touched_by(values[access.operand]):
                memory = self.find(touched) if touched.array.size else None
                if memory is not None:
                    uses.append(Use(memory, touched.array, access.write))
                elif access.write:
                    own.add(touched.name.removeprefix("%"))
        if isinstance(op, CollectiveOp) and self._takes_part_only(op):
            uses, own = [], set()
        # What is not written as a whole keeps its other bytes.
        whole = isinstance(op, CollectiveOp | TStoreOp)

        def step(*scalars: float) -> None:
            self.awake()
            self.turn(bool(uses))
            for use in uses:
                if not (use.write and whole):
                    self.fetch(use)
            run(*scalars)
            self.wrote |= own
            for use in uses:
                if use.write:
                    self.push(use)
                    self.progress()
                self.note(op, use)

        return step

    def _takes_part_only(self, op: CollectiveOp) -> bool:
        return self.rank != (0 if op.root is None else op.root.value.data)

    def watching_scalar(
        self, op: LoadScalarOp | StoreScalarOp, function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """A scalar in shared memory is how one rank tells another that something has happened."""
        operands = list(op.operands)
        pointer_at, offset_at = operands.index(op.ptr), operands.index(op.offset)
        stores = isinstance(op, StoreScalarOp)

        def step(*values: Any) -> Any:
            pointer: Pointer = values[pointer_at]
            touched = element_touched(pointer, values[offset_at])
            memory = self.find(touched) if touched.array.size else None
            if memory is None:
                if stores:
                    self.wrote.add(pointer.buffer.name)
                return function(*values)
            if stores:
                self.awake()
            self.turn(True)
            use = Use(memory, touched.array, stores)
            slot = memory.slot(touched.low - memory.low, touched.array.itemsize)
            if stores:
                # First what has happened, then the scalar: who sees the scalar sees the rest.
                self.note(op, use, scalar=True)
                self.release(use, slot)
                result = function(*values)
                self.push(use)
                self.progress()
                return result
            self.fetch(use)
            result = function(*values)
            self.acquire(use, slot)
            self.note(op, use, scalar=True)
            self.poll(op, memory, slot, result)
            return result

        return step

    # --- order ---

    def release(self, use: Use, slot: int) -> None:
        """Tell whoever loads this scalar what has happened so far."""
        assert self.turns is not None
        known = self.turns.clocks.setdefault((use.memory.number, slot), [0] * self.size)
        known[:] = map(max, known, self.clock)
        self.clock[self.rank] += 1

    def acquire(self, use: Use, slot: int) -> None:
        """Learn what had happened when this scalar was stored."""
        assert self.turns is not None
        known = self.turns.clocks.get((use.memory.number, slot))
        if known is not None:
            self.clock[:] = map(max, known, self.clock)

    def note(self, op: PtoOp, use: Use, scalar: bool = False) -> None:
        memory, array = use.memory, use.array
        memory.written |= use.write
        record = Record(
            self.rank,
            memory.number,
            array.ctypes.data - memory.low,
            (*array.shape, array.itemsize),
            (*array.strides, 1),
            use.write,
            scalar,
            tuple(self.clock),
            memory.name,
            label(op),
            span_of(op),
        )
        self.records[record] = None

    # --- turns ---

    def turn(self, shared: bool) -> None:
        """Let the others go on: before every access to shared memory, and now and then in between."""
        self._left -= 1
        if not shared and self._left > 0:
            return
        self._left = QUANTUM
        self.give_way()

    def give_way(self) -> None:
        if self.turns is not None:
            self.turns.take(self.rank)

    def progress(self) -> None:
        """Something shared was written: those who wait may look again."""
        if self.turns is not None:
            self.turns.writes += 1

    def writes(self) -> int:
        """How often anyone wrote to shared memory."""
        assert self.turns is not None
        return self.turns.writes

    def poll(self, op: PtoOp, memory: SharedMemory, slot: int, value: object) -> None:
        """A rank that loads the same scalars again and again, while nobody writes, is waiting."""
        if self.writes() != self._last_writes:
            self._last_writes = self.writes()
            self._polled.clear()
        key = (op, slot)
        self._polled[key] = self._polled.get(key, 0) + 1
        waiting = self._polled[key] > PATIENCE
        if waiting and self.all_wait():
            raise Waiting(op, f"waits for %{memory.name}[{slot}], which stays {value}")

    def all_wait(self) -> bool:
        assert self.turns is not None
        return self.turns.all_wait(self.rank)

    def awake(self) -> None:
        """The rank does something else than looking at scalars."""
        if self.turns is not None:
            self.turns.waiting.pop(self.rank, None)


class Turns:
    """Who goes on, where all ranks are threads of one process: one at a time, in rounds, each round in an
    order of its own that follows from the seed."""

    GRACE = 10_000
    """Turns that the others have to come to their own end when one rank has failed."""

    def __init__(self, size: int, seed: int):
        from threading import Event, Semaphore

        self.live = set(range(size))
        self.done = Event()
        self.clocks: dict[tuple[int, int], list[int]] = {}
        self.writes = 0
        self._random = np.random.default_rng([seed, size])
        self._round: list[int] = []
        self._go = [Semaphore(0) for _ in range(size)]
        self.waiting: dict[int, int] = {}
        self._grace: int | None = None

    def start(self) -> None:
        self._go[self._next()].release()

    def enter(self, rank: int) -> None:
        """The first turn of a thread."""
        self._go[rank].acquire()

    def _next(self) -> int:
        while True:
            if not self._round:
                self._round = [int(n) for n in self._random.permutation(sorted(self.live))]
            rank = self._round.pop()
            if rank in self.live:
                return rank

    def take(self, rank: int) -> None:
        if self._grace is not None:
            self._grace -= 1
            if self._grace < 0:
                raise Stopped
        following = self._next()
        if following != rank:
            self._go[following].release()
            self._go[rank].acquire()

    def leave(self, rank: int, failed: bool) -> None:
        """The rank has come to its end; its memory stays."""
        self.live.discard(rank)
        if failed and self._grace is None:
            self._grace = self.GRACE
        if self.live:
            self._go[self._next()].release()
        else:
            self.done.set()

    def all_wait(self, rank: int) -> bool:
        """Whether every rank that has not come to its end is waiting, and nothing was written since."""
        self.waiting[rank] = self.writes
        return all(self.waiting.get(other) == self.writes for other in self.live)


def conflicts(records: Iterable[Record], memories: Sequence[SharedMemory], target: str) -> list[Diagnostic]:
    """What ranks do to common bytes in no order; each pair of statements once, with all ranks concerned."""
    by_memory: defaultdict[int, list[Record]] = defaultdict(list)
    for record in records:
        by_memory[record.memory].append(record)
    found: dict[tuple[int, int, str, str], tuple[Record, Record, set[int]]] = {}
    for number, touched in by_memory.items():
        base = memories[number].data.view(np.uint8).reshape(-1)
        writes = [record for record in touched if record.write]
        for writer in writes:
            for other in touched:
                if not _unordered(writer, other, base) or (other.write and other.rank < writer.rank):
                    continue
                key = (writer.span.offset, other.span.offset, writer.what, other.what)
                found.setdefault(key, (writer, other, set()))[2].add(writer.rank)
    return [_conflict(*entry, target) for entry in found.values()]


def _unordered(writer: Record, other: Record, base: Array) -> bool:
    if writer.rank == other.rank or (writer.scalar and other.scalar):
        return False
    if writer.before(other) or other.before(writer):
        return False
    return share_bytes(writer.place(base), other.place(base))


def _conflict(writer: Record, other: Record, ranks: set[int], target: str) -> Diagnostic:
    who = ranks_text(ranks)
    verb = "write" if len(ranks) > 1 else "writes"
    does = "writes" if other.write else "reads"
    return finding(
        "PTO-R802",
        f"{who} {verb} %{writer.name} ({writer.what}), and nothing orders that before or after rank "
        f"{other.rank}, which {does} it ({other.what})",
        span=writer.span,
        notes=(Note(f"rank {other.rank} {does} it here", other.span),),
        target=target,
    )


def ranks_text(ranks: Iterable[int]) -> str:
    """`rank 2`, `ranks 0, 1 and 3`."""
    numbers = [str(rank) for rank in sorted(ranks)]
    if len(numbers) == 1:
        return f"rank {numbers[0]}"
    return f"ranks {', '.join(numbers[:-1])} and {numbers[-1]}"
