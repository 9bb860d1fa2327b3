"""State shared by processes: memory, clocks and a board, each in an MPI window.

Whoever touches memory of another rank has a mirror of it, brought up to date by one-sided reads before an
instruction and carried back by one-sided writes after it, so the owner runs nothing for it (document 003).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any

from xdsl.ir import Operation

from ptoas.analysis.clocks import PIPES, Known, Ledger
from ptoas.analysis.sync_actions import SignalKey
from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.machine.scheduler import Cancelled, Condition, Deadlock, Scheduler, What
from ptoas.machine.sharing import SLOTS, SharedMemory, Sharing, Use

_ADDED_BY_MPI = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
"""Types that MPI itself can add, by kind and size; of the others it only moves the bytes."""

NUMBER = 8
"""Bytes of a time, and of a number on the board."""


def read_numbers(mpi: Any, window: Any, owner: int, start: int, count: int) -> Array:
    """Numbers of 64 bits that lie in a window from a byte on, all as they are at one time."""
    numbers = np.zeros(count, np.int64)
    pair = [numbers, mpi.INT64_T]
    window.Get_accumulate(pair, pair, owner, [start, count, mpi.INT64_T], mpi.NO_OP)
    window.Flush(owner)
    return numbers


def accumulate_numbers(mpi: Any, window: Any, owner: int, start: int, numbers: Array, how: Any) -> None:
    """Combine numbers of 64 bits with those that lie in a window from a byte on."""
    place = [start, numbers.size, mpi.INT64_T]
    window.Accumulate([numbers, mpi.INT64_T], owner, place, how)
    window.Flush(owner)


class SharedNumbers(Scheduler):
    """A few numbers of rank 0 for all ranks: waiting ranks, written bytes, failures.

    Processes run at once, so nobody has to give way; a rank that waits says so, and looks again and again.
    """

    RUNNING, ENDED = -1, -2

    def __init__(self, mpi: Any, comm: Any):
        self.mpi = mpi
        self.size: int = comm.Get_size()
        numbers = self.size + 3
        local = numbers * NUMBER if comm.Get_rank() == 0 else 0
        self.window: Any = mpi.Win.Allocate(local, 1, comm=comm)
        if local:
            np.frombuffer(self.window.tomemory(), np.int64)[:] = [0, 0, *[self.RUNNING] * self.size, 0]
        comm.Barrier()
        self.window.Lock_all()
        self._grace = self.GRACE

    def read(self) -> list[int]:
        """Writes to shared memory, failures, and the state of each rank."""
        return read_numbers(self.mpi, self.window, 0, 0, self.size + 2).tolist()

    def _change(self, at: int, number: int, how: Any) -> None:
        accumulate_numbers(self.mpi, self.window, 0, at * NUMBER, np.array([number], np.int64), how)

    def failed(self) -> None:
        self._change(1, 1, self.mpi.SUM)

    def state(self, rank: int, number: int) -> None:
        self._change(2 + rank, number, self.mpi.REPLACE)

    def lock(self) -> None:
        """Wait until no other rank combines numbers in memory."""
        free, taken, found = (np.array([n], np.int64) for n in (0, 1, 1))
        while found[0]:
            self.window.Compare_and_swap(taken, free, found, 0, (self.size + 2) * NUMBER)
            self.window.Flush(0)

    def unlock(self) -> None:
        self._change(self.size + 2, 0, self.mpi.REPLACE)

    def close(self) -> None:
        self.window.Unlock_all()
        self.window.Free()

    # --- as a scheduler ---

    def yield_(self, actor: int) -> None:  # noqa: ARG002 - one of several schedulers
        if self.read()[1]:
            self._grace -= 1
            if self._grace < 0:
                raise Cancelled

    def wait_until(
        self, actor: int, condition: Condition, what: What, op: Operation, on: Sequence[int] = ()
    ) -> None:
        while True:
            self.yield_(actor)
            # Each waiting rank publishes the count of writes it has seen: if all are equal, it is a deadlock.
            total = self.changes()
            if condition():
                break
            self.state(actor, total)
            now = self.read()
            if now[0] == total and all(state in (self.ENDED, total) for state in now[2:]):
                raise Deadlock(op, what, on)
        self.state(actor, self.RUNNING)

    def changed(self) -> None:
        self._change(0, 1, self.mpi.SUM)

    def changes(self) -> int:
        return self.read()[0]


class Windows(Sharing):
    """Memory of ranks that are other processes."""

    def __init__(
        self,
        machine: Machine,
        memories: Sequence[SharedMemory],
        windows: Sequence[Any],
        mpi: Any,
        board: SharedNumbers,
    ):
        super().__init__(machine, memories)
        self.windows = windows
        self.mpi = mpi
        self.board = board
        self._types: dict[tuple[Any, ...], Any] = {}

    def bring(self, memory: SharedMemory, array: Array) -> None:
        """Some bytes as their owner has them now."""
        window = self.windows[memory.number]
        if memory.owner == self.machine.actor.rank:
            window.Sync()
        else:
            self._move(window.Get, memory, array, array)

    def fetch(self, use: Use) -> None:
        if use.memory is not None:
            self.bring(use.memory, use.array)

    def push(self, use: Use) -> None:
        if use.memory is None:
            return
        window = self.windows[use.memory.number]
        if use.memory.owner == self.machine.actor.rank:
            window.Sync()
        else:
            self._move(window.Put, use.memory, use.array, use.array)

    def combining(self, run: Callable[[], None]) -> None:
        """Let one rank at a time add: an addition is a read and a write."""
        self.board.lock()
        try:
            run()
        finally:
            self.board.unlock()

    def deliver(self, target: Array, source: Array, adds: bool) -> None:
        """Straight from one memory to the other, without a mirror in between."""
        there, here = self._owner(target), self._owner(source)
        if adds and there is not None:
            self.combining(lambda: self._add(there, target, source))
        elif there is not None and self._is_remote(there):
            self._move(self.windows[there.number].Put, there, target, source)
        elif here is not None and self._is_remote(here):
            self._move(self.windows[here.number].Get, here, source, target)
        else:
            super().deliver(target, source, adds)
            for memory in (there, here):
                if memory is not None:
                    self.windows[memory.number].Sync()

    def put_word(self, use: Use, number: int, adds: bool) -> None:
        """An accumulation, so that it is done at once for everyone, of one's own memory too."""
        if use.memory is None:
            super().put_word(use, number, adds)
            return
        word = np.array([(number + (1 << 31)) % (1 << 32) - (1 << 31)], np.int32)
        memory, window = use.memory, self.windows[use.memory.number]
        place = [use.start, 1, self.mpi.INT32_T]
        how = self.mpi.SUM if adds else self.mpi.REPLACE
        window.Accumulate([word, self.mpi.INT32_T], memory.owner, place, how)
        window.Flush(memory.owner)

    def _owner(self, array: Array) -> SharedMemory | None:
        low, high = np.lib.array_utils.byte_bounds(array)
        found = self.find(low, high)
        return None if found is None else found.memory

    def _is_remote(self, memory: SharedMemory) -> bool:
        return memory.owner != self.machine.actor.rank

    def _add(self, memory: SharedMemory, target: Array, source: Array) -> None:
        """Add by MPI if it has the type, otherwise by a read and a write."""
        window = self.windows[memory.number]
        code = f"{target.dtype.kind}{target.dtype.itemsize}"
        if code in _ADDED_BY_MPI:
            number = self.mpi.Datatype.fromcode(code)
            self._move(window.Accumulate, memory, target, source, number, (self.mpi.SUM,))
            return
        self.bring(memory, target)
        np.add(target, source, out=target)
        if self._is_remote(memory):
            self._move(window.Put, memory, target, target)
        else:
            window.Sync()

    def _move(
        self,
        call: Callable[..., None],
        memory: SharedMemory,
        there: Array,
        here: Array,
        number: Any = None,
        more: tuple[Any, ...] = (),
    ) -> None:
        """Between bytes of a memory, named by its mirror here, and an array."""
        if not there.size:
            return
        origin = _flat_bytes(here)
        offset = there.ctypes.data - memory.low
        call(
            [origin, *self._type(here, number)],
            memory.owner,
            [offset, *self._type(there, number)],
            *more,
        )
        self.windows[memory.number].Flush(memory.owner)

    def _type(self, array: Array, number: Any) -> tuple[int, Any]:
        """The count and MPI type of the elements of an array; `number`: of their components."""
        base, count = (self.mpi.BYTE, array.nbytes) if number is None else (number, array.size)
        if array.flags.c_contiguous:
            return count, base
        key = (array.shape, array.strides, array.itemsize, number)
        found = self._types.get(key)
        if found is None:
            found = self.mpi.BYTE.Create_contiguous(array.itemsize) if number is None else number
            for extent, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
                found = found.Create_hvector(extent, 1, stride)
            found.Commit()
            self._types[key] = found
        return 1, found


def _flat_bytes(array: Array) -> Array:
    """The bytes of an array from its first element on, gaps included."""
    start = array.ctypes.data
    end = np.lib.array_utils.byte_bounds(array)[1]
    return np.ctypeslib.as_array((ctypes.c_uint8 * (end - start)).from_address(start))


class WindowLedger(Ledger):
    """Ledger of the scalars of shared memory, stored after that memory, for all processes."""

    def __init__(self, mpi: Any, launch: Launch, memories: Sequence[SharedMemory], windows: Sequence[Any]):
        super().__init__()
        self.mpi = mpi
        self.shape = (launch.actors, len(PIPES))
        self.memories = memories
        self.windows = windows

    def put(self, key: Hashable, known: Known) -> None:
        if not isinstance(key, SignalKey) or key.memory < 0:
            super().put(key, known)
            return
        times = np.zeros(self.shape, np.int64)
        for actor, row in known.items():
            times[actor] = row
        window, owner = self.windows[key.memory], self.memories[key.memory].owner
        accumulate_numbers(self.mpi, window, owner, self._start(key), times, self.mpi.MAX)

    def get(self, key: Hashable) -> Known:
        if not isinstance(key, SignalKey) or key.memory < 0:
            return super().get(key)
        window, owner = self.windows[key.memory], self.memories[key.memory].owner
        times = read_numbers(self.mpi, window, owner, self._start(key), prod(self.shape))
        rows = times.reshape(self.shape).tolist()
        return {actor: tuple(row) for actor, row in enumerate(rows) if any(row)}

    def _start(self, key: SignalKey) -> int:
        """The first byte of the clocks of a scalar."""
        return aligned(self.memories[key.memory].data.nbytes) + key.slot * prod(self.shape) * NUMBER


def aligned(size: int) -> int:
    return -(-size // NUMBER) * NUMBER


def window_bytes(elements: int, size: int, launch: Launch) -> int:
    """The memory of a rank, followed by the clocks of its scalars."""
    slots = elements if elements <= SLOTS else 1
    return aligned(elements * size) + slots * launch.actors * len(PIPES) * NUMBER
