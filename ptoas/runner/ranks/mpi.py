"""One process a rank: `mpiexec -n 4 ptoas run --ranks mpi FILE`.

Memory that ranks share is an MPI window of its owner. Whoever else touches it has a mirror of it, brought up
to date by one-sided reads before an instruction and carried back by one-sided writes after it, so the owner
runs nothing for it (document 003). Rank 0 collects what became of every rank, and is the only one to speak.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ptoas.diagnostics import PtoasError, UsageError
from ptoas.diagnostics.internal import internal_error
from ptoas.diagnostics.render import render
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure
from ptoas.machine.values import Allowance
from ptoas.runner.kernel import Kernel
from ptoas.runner.ranks.arguments import Member, RankArguments
from ptoas.runner.ranks.in_process import (
    Outcome,
    RanksResult,
    by_rank,
    combine,
    kernel_of_rank,
    play,
    shared_memories,
)
from ptoas.runner.ranks.world import SLOTS, SharedMemory, Stopped, Turns, Use, World

T = TypeVar("T")

CLOCK = 8
"""Bytes of one number of a clock."""


def load_mpi() -> Any:
    """The module `mpi4py.MPI`; importing it starts MPI."""
    try:
        from mpi4py import MPI  # pyright: ignore
    except (ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise failure(
            "PTO-R805",
            f"MPI can't be used: {reason}",
            span=command_line_span("--ranks mpi"),
            fix="pip install 'ptoas-xdsl[mpi]', which brings an mpiexec too",
        ) from None
    found: Any = MPI
    return found


class Board:
    """A few numbers of rank 0 for everyone: who waits, how much was written, whether one failed."""

    RUNNING, ENDED = -1, -2

    def __init__(self, mpi: Any, comm: Any):
        self.mpi = mpi
        self.size: int = comm.Get_size()
        numbers = self.size + 2
        local = numbers * CLOCK if comm.Get_rank() == 0 else 0
        self.window: Any = mpi.Win.Allocate(local, 1, comm=comm)
        if local:
            np.frombuffer(self.window.tomemory(), np.int64)[:] = [0, 0, *[self.RUNNING] * self.size]
        comm.Barrier()
        self.window.Lock_all()

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
        self.window.Accumulate([value, self.mpi.INT64_T], 0, [at * CLOCK, 1, self.mpi.INT64_T], how)
        self.window.Flush(0)

    def wrote(self) -> None:
        self._change(0, 1, self.mpi.SUM)

    def failed(self) -> None:
        self._change(1, 1, self.mpi.SUM)

    def state(self, rank: int, number: int) -> None:
        self._change(2 + rank, number, self.mpi.REPLACE)

    def close(self) -> None:
        self.window.Unlock_all()
        self.window.Free()


class MpiWorld(World):
    """A rank whose neighbours are other processes."""

    def __init__(self, mpi: Any, comm: Any, board: Board):
        super().__init__(comm.Get_rank(), comm.Get_size())
        self.mpi = mpi
        self.board = board
        self.windows: list[Any] = []
        self._types: dict[tuple[Any, ...], Any] = {}
        self._published = False
        self._grace = Turns.GRACE

    # --- memory ---

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

    def _transfer(self, call: Callable[..., None], use: Use) -> None:
        memory, array = use.memory, use.array
        offset = array.ctypes.data - memory.low
        if array.flags.c_contiguous:
            kind, count = self.mpi.BYTE, array.nbytes
            origin = memory.data[offset : offset + array.nbytes]
        else:
            kind, count = self._type(array), 1
            origin = memory.data[offset:]
        call([origin, count, kind], memory.owner, [offset, count, kind])
        self.windows[memory.number].Flush(memory.owner)

    def fetch(self, use: Use) -> None:
        if use.memory.owner == self.rank:
            self.windows[use.memory.number].Sync()
        else:
            self._transfer(self.windows[use.memory.number].Get, use)

    def push(self, use: Use) -> None:
        if use.memory.owner == self.rank:
            self.windows[use.memory.number].Sync()
        else:
            self._transfer(self.windows[use.memory.number].Put, use)

    # --- order ---

    def _clock_place(self, memory: SharedMemory, slot: int) -> list[Any]:
        start = -(-memory.data.nbytes // CLOCK) * CLOCK
        return [start + slot * self.size * CLOCK, self.size, self.mpi.INT64_T]

    def release(self, use: Use, slot: int) -> None:
        window, memory = self.windows[use.memory.number], use.memory
        clock = np.array(self.clock, np.int64)
        place = self._clock_place(memory, slot)
        window.Accumulate([clock, self.mpi.INT64_T], memory.owner, place, self.mpi.MAX)
        window.Flush(memory.owner)
        self.clock[self.rank] += 1

    def acquire(self, use: Use, slot: int) -> None:
        window, memory = self.windows[use.memory.number], use.memory
        clock = np.zeros(self.size, np.int64)
        place = self._clock_place(memory, slot)
        window.Get_accumulate(
            [clock, self.mpi.INT64_T], [clock, self.mpi.INT64_T], memory.owner, place, self.mpi.NO_OP
        )
        window.Flush(memory.owner)
        self.clock[:] = map(max, clock.tolist(), self.clock)

    # --- turns ---

    def give_way(self) -> None:
        if self.board.read()[1]:
            self._grace -= 1
            if self._grace < 0:
                raise Stopped

    def awake(self) -> None:
        if self._published:
            self._published = False
            self.board.state(self.rank, Board.RUNNING)

    def progress(self) -> None:
        self.board.wrote()

    def writes(self) -> int:
        return self.board.read()[0]

    def all_wait(self) -> bool:
        total = self.writes()
        if self._last_writes != total:
            return False
        self.board.state(self.rank, total)
        self._published = True
        now = self.board.read()
        return now[0] == total and all(state in (Board.ENDED, total) for state in now[2:])


def _together(comm: Any, work: Callable[[], T]) -> T:
    """Do something on every rank; what fails on any fails on all, before anyone waits for it."""
    mine = Outcome(comm.Get_rank())
    result: T | None = None
    usage: str | None = None
    try:
        result = work()
    except PtoasError as error:
        mine.errors = error.diagnostics
    except UsageError as error:
        usage = str(error)
    everyone: list[tuple[Outcome, str | None]] = comm.allgather((mine, usage))
    outcomes = [outcome for outcome, _ in everyone]
    texts = [text for _, text in everyone if text is not None]
    if texts and comm.Get_rank() == 0:
        raise UsageError(texts[0])
    found = [d for outcome in outcomes for d in _named(outcome, outcomes)]
    if found or texts:
        raise PtoasError(list(dict.fromkeys(found)) if comm.Get_rank() == 0 else [])
    assert result is not None
    return result


def _named(outcome: Outcome, outcomes: list[Outcome]) -> list[Any]:
    """An error that all ranks have is one of the program; of some ranks, one of theirs."""
    if all(other.errors == outcome.errors for other in outcomes):
        return list(outcome.errors)
    return by_rank(outcome, outcomes)


def run_with_mpi(
    make: Callable[[], Kernel],
    arguments: Mapping[str, Any] | Sequence[str],
    *,
    seed: int,
    max_memory: int,
) -> RanksResult | None:
    """Run this process's rank; rank 0 gets the result, or the error, of all."""
    mpi = load_mpi()
    comm = mpi.COMM_WORLD
    try:
        return _run(mpi, comm, make, arguments, seed, max_memory)
    except (PtoasError, UsageError):
        raise
    except BaseException as error:
        # Nobody may wait for a rank that is no more.
        if isinstance(error, Exception):
            sys.stderr.write(render(internal_error(error, sys.argv[1:])) + "\n")
        sys.stderr.flush()
        comm.Abort(1)
        raise


def _run(
    mpi: Any,
    comm: Any,
    make: Callable[[], Kernel],
    arguments: Mapping[str, Any] | Sequence[str],
    seed: int,
    max_memory: int,
) -> RanksResult | None:
    rank, size = int(comm.Get_rank()), int(comm.Get_size())
    kernel = _together(comm, make)
    given, members = _together(
        comm, lambda: _own_members(kernel, arguments, rank, size, seed, Allowance(max_memory))
    )
    for family in members.values():
        for at, member in enumerate(family):
            described = comm.bcast((member.shape, member.strides), root=member.owner)
            family[at].shape, family[at].strides = described
    board = Board(mpi, comm)
    world = MpiWorld(mpi, comm, board)
    memories = _open(mpi, comm, world, members)
    call = _together(comm, lambda: given.of(rank, members))
    comm.Barrier()
    outcome = play(kernel_of_rank(kernel, world), world, call)
    if outcome.result is None:
        board.failed()
    board.state(rank, Board.ENDED)
    outcomes: list[Outcome] | None = comm.gather(_slim(outcome), root=0)
    comm.Barrier()
    try:
        return _conclude(comm, kernel, outcomes, members, memories, world)
    finally:
        comm.Barrier()
        for window in world.windows:
            window.Unlock_all()
            window.Free()
        board.close()


def _own_members(
    kernel: Kernel,
    arguments: Mapping[str, Any] | Sequence[str],
    rank: int,
    size: int,
    seed: int,
    allowance: Allowance,
) -> tuple[RankArguments, dict[str, list[Member]]]:
    """The members that this rank owns with their data, the others without."""
    given = RankArguments(kernel, arguments, size, seed, allowance)
    members: dict[str, list[Member]] = {}
    for parameter, owners in given.families():
        members[parameter.name] = [
            given.member(parameter, owner) if owner == rank else Member(parameter, owner, (), ())
            for owner in owners
        ]
    return given, members


def _open(mpi: Any, comm: Any, world: MpiWorld, members: Mapping[str, list[Member]]) -> list[SharedMemory]:
    """A window for each shared memory, and a mirror of it on the other ranks."""
    rank, size = world.rank, world.size
    flats: list[Array] = []
    for family in members.values():
        for member in family:
            dtype = member.parameter.dtype
            assert dtype is not None
            bytes_ = member.elements * dtype.size
            clocks = (member.elements if member.elements <= SLOTS else 1) * size * CLOCK
            whole = -(-bytes_ // CLOCK) * CLOCK + clocks
            window = mpi.Win.Allocate(whole if member.owner == rank else 0, 1, comm=comm)
            if member.owner == rank:
                memory = np.frombuffer(window.tomemory(), np.uint8)
                memory[bytes_:] = 0
                flat = memory[:bytes_]
            else:
                flat = np.empty(bytes_, np.uint8)
            number = dtype.raw if member.initial is None else member.initial.dtype
            member.fill(flat.view(number))
            window.Lock_all()
            world.windows.append(window)
            flats.append(flat)
    memories = shared_memories(members, flats)
    world.share(memories)
    return memories


def _slim(outcome: Outcome) -> Outcome:
    """What rank 0 needs to know: untouched memory stays where it is."""
    result = outcome.result
    if result is not None and outcome.rank:
        for table in (result.outputs, result.bits):
            for name in [name for name in table if name not in outcome.wrote]:
                del table[name]
        result.arguments = {
            name: value
            for name, value in result.arguments.items()
            if not isinstance(value, np.ndarray) or name in outcome.wrote or value.nbytes <= 1 << 20
        }
    return outcome


def _conclude(
    comm: Any,
    kernel: Kernel,
    outcomes: list[Outcome] | None,
    members: Mapping[str, list[Member]],
    memories: list[SharedMemory],
    world: MpiWorld,
) -> RanksResult | None:
    result: RanksResult | None = None
    error: PtoasError | None = None
    if outcomes is not None:
        for memory in memories:
            if memory.data.size:
                world.fetch(Use(memory, memory.data, False))
        for member in (member for family in members.values() for member in family):
            _as_numbers(member)
        try:
            result = combine(kernel, outcomes, members, memories)
        except PtoasError as found:
            error = found
    failed = comm.bcast(error is not None, root=0)
    if error is not None:
        raise error
    if failed:
        raise PtoasError([])
    if result is not None:
        # The windows go away.
        for table in (result.outputs, result.bits, result.arguments):
            for name, value in table.items():
                table[name] = np.array(value) if isinstance(value, np.ndarray) else value
    return result


def _as_numbers(member: Member) -> None:
    dtype = member.parameter.dtype
    assert dtype is not None and member.flat is not None
    if not dtype.coded:
        member.flat = member.flat.view(dtype.number)


__all__ = ["run_with_mpi"]
