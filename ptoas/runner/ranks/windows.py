"""What processes have in common: memory, clocks and a board, each in an MPI window.

Whoever touches memory of another rank has a mirror of it, brought up to date by one-sided reads before an
instruction and carried back by one-sided writes after it, so the owner runs nothing for it (document 003).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, cast

from xdsl.ir import Operation

from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.clocks import PIPES, Known, Ledger
from ptoas.machine.machine import Machine
from ptoas.machine.scheduler import Condition, Scheduler, Stopped, Waiting
from ptoas.machine.sharing import SLOTS, SharedMemory, Sharing, Use

NUMBER = 8
"""Bytes of a time, and of a number on the board."""


class Board(Scheduler):
    """A few numbers of rank 0 for everyone: who waits, how much was written, whether one failed.

    Processes run at once, so nobody has to give way; a rank that waits says so, and looks again and again.
    """

    RUNNING, ENDED = -1, -2

    def __init__(self, mpi: Any, comm: Any):
        self.mpi = mpi
        self.size: int = comm.Get_size()
        numbers = self.size + 2
        local = numbers * NUMBER if comm.Get_rank() == 0 else 0
        self.window: Any = mpi.Win.Allocate(local, 1, comm=comm)
        if local:
            np.frombuffer(self.window.tomemory(), np.int64)[:] = [0, 0, *[self.RUNNING] * self.size]
        comm.Barrier()
        self.window.Lock_all()
        self._grace = self.GRACE

    def read(self) -> list[int]:
        """Writes to shared memory, failures, and the state of each rank."""
        numbers = np.empty(self.size + 2, np.int64)
        self.window.Get_accumulate(
            [numbers, self.mpi.INT64_T],
            [numbers, self.mpi.INT64_T],
            0,
            [0, self.size + 2, self.mpi.INT64_T],
            self.mpi.NO_OP,
        )
        self.window.Flush(0)
        return numbers.tolist()

    def _change(self, at: int, number: int, how: Any) -> None:
        value = np.array([number], np.int64)
        self.window.Accumulate([value, self.mpi.INT64_T], 0, [at * NUMBER, 1, self.mpi.INT64_T], how)
        self.window.Flush(0)

    def failed(self) -> None:
        self._change(1, 1, self.mpi.SUM)

    def state(self, rank: int, number: int) -> None:
        self._change(2 + rank, number, self.mpi.REPLACE)

    def close(self) -> None:
        self.window.Unlock_all()
        self.window.Free()

    # --- as a scheduler ---

    def give_way(self, actor: int) -> None:  # noqa: ARG002 - one of several schedulers
        if self.read()[1]:
            self._grace -= 1
            if self._grace < 0:
                raise Stopped

    def wait_until(self, actor: int, condition: Condition, what: str, op: Operation) -> None:
        while True:
            self.give_way(actor)
            # Whoever waits says how much was written before it looked: if all say the same, nothing comes.
            total = self.changes()
            if condition():
                break
            self.state(actor, total)
            now = self.read()
            if now[0] == total and all(state in (self.ENDED, total) for state in now[2:]):
                raise Waiting(op, what)
        self.state(actor, self.RUNNING)

    def changed(self) -> None:
        self._change(0, 1, self.mpi.SUM)

    def changes(self) -> int:
        return self.read()[0]


class Windows(Sharing):
    """Memory of ranks that are other processes."""

    def __init__(self, machine: Machine, memories: Sequence[SharedMemory], windows: Sequence[Any], mpi: Any):
        super().__init__(machine, memories)
        self.windows = windows
        self.mpi = mpi
        self._types: dict[tuple[Any, ...], Any] = {}

    def bring(self, memory: SharedMemory, array: Array) -> None:
        """Some bytes as their owner has them now."""
        window = self.windows[memory.number]
        if memory.owner == self.machine.actor.rank:
            window.Sync()
        else:
            self._transfer(window.Get, memory, array)

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
            self._transfer(window.Put, use.memory, use.array)

    def _transfer(self, call: Callable[..., None], memory: SharedMemory, array: Array) -> None:
        offset = array.ctypes.data - memory.low
        if array.flags.c_contiguous:
            kind, count = self.mpi.BYTE, array.nbytes
            origin = memory.data[offset : offset + array.nbytes]
        else:
            kind, count = self._type(array), 1
            origin = memory.data[offset:]
        call([origin, count, kind], memory.owner, [offset, count, kind])
        self.windows[memory.number].Flush(memory.owner)

    def _type(self, array: Array) -> Any:
        """The bytes of an array with gaps, as an MPI type."""
        key = (array.shape, array.strides, array.itemsize)
        found = self._types.get(key)
        if found is None:
            found = self.mpi.BYTE.Create_contiguous(array.itemsize)
            for extent, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
                found = found.Create_hvector(extent, 1, stride)
            found.Commit()
            self._types[key] = found
        return found


class WindowLedger(Ledger):
    """What is released for a scalar of shared memory stands behind that memory, for all processes."""

    def __init__(self, mpi: Any, launch: Launch, memories: Sequence[SharedMemory], windows: Sequence[Any]):
        super().__init__()
        self.mpi = mpi
        self.shape = (launch.actors, len(PIPES))
        self.memories = memories
        self.windows = windows

    def put(self, key: Hashable, known: Known) -> None:
        number, slot = cast("tuple[int, int]", key)
        if number < 0:
            super().put(key, known)
            return
        times = np.zeros(self.shape, np.int64)
        for actor, row in known.items():
            times[actor] = row
        memory, window = self.memories[number], self.windows[number]
        window.Accumulate([times, self.mpi.INT64_T], memory.owner, self._place(memory, slot), self.mpi.MAX)
        window.Flush(memory.owner)

    def get(self, key: Hashable) -> Known:
        number, slot = cast("tuple[int, int]", key)
        if number < 0:
            return super().get(key)
        times = np.zeros(self.shape, np.int64)
        memory, window = self.memories[number], self.windows[number]
        window.Get_accumulate(
            [times, self.mpi.INT64_T],
            [times, self.mpi.INT64_T],
            memory.owner,
            self._place(memory, slot),
            self.mpi.NO_OP,
        )
        window.Flush(memory.owner)
        return {actor: tuple(row) for actor, row in enumerate(times.tolist()) if any(row)}

    def _place(self, memory: SharedMemory, slot: int) -> list[Any]:
        count = self.shape[0] * self.shape[1]
        return [aligned(memory.data.nbytes) + slot * count * NUMBER, count, self.mpi.INT64_T]


def aligned(size: int) -> int:
    return -(-size // NUMBER) * NUMBER


def window_bytes(elements: int, size: int, launch: Launch) -> int:
    """The memory of a rank, and the clocks of its scalars behind it."""
    slots = elements if elements <= SLOTS else 1
    return aligned(elements * size) + slots * launch.actors * len(PIPES) * NUMBER
