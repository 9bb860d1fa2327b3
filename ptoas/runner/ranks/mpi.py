"""One process a rank: `mpiexec -n 4 ptoas run --ranks mpi FILE`.

Memory that ranks share is an MPI window of its owner (`windows.py`). Rank 0 collects what became of every
rank and speaks for all; when ranks wait for what never comes, each of them says itself where it waits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from ptoas.diagnostics import PtoasError, UsageError
from ptoas.diagnostics.render import render
from ptoas.grammar.internal_error import internal_error
from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure
from ptoas.machine.sharing import SharedMemory
from ptoas.runner.call import KernelCall
from ptoas.runner.core import Program
from ptoas.runner.kernel import Kernel
from ptoas.runner.outcomes import STALLED, ActorOutcome, check, collect, live, named_errors, wait_line
from ptoas.runner.ranks.arguments import RankArguments
from ptoas.runner.ranks.in_process import Rank, RankResult, RanksResult, combine, shared_memories
from ptoas.runner.ranks.members import RankWindow
from ptoas.runner.ranks.windows import SharedNumbers, WindowLedger, Windows, window_bytes
from ptoas.runner.values import Allowance

T = TypeVar("T")


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
            fix="run `pip install 'ptoas-xdsl[mpi]'`, which brings an mpiexec too",
        ) from None
    found: Any = MPI
    return found


def _together(comm: Any, launch: Launch, work: Callable[[], T]) -> T:
    """Run a function on every rank; if it fails on any, it fails on all."""
    mine = ActorOutcome(launch.number(comm.Get_rank(), 0))
    result: T | None = None
    usage_error: str | None = None
    try:
        result = work()
    except PtoasError as error:
        mine.errors = error.diagnostics
    except UsageError as error:
        usage_error = str(error)
    outcomes_and_errors: list[tuple[ActorOutcome, str | None]] = comm.allgather((mine, usage_error))
    outcomes = [outcome for outcome, _ in outcomes_and_errors]
    texts = [text for _, text in outcomes_and_errors if text is not None]
    if texts and comm.Get_rank() == 0:
        raise UsageError(texts[0])
    # An error that all ranks have is one of the program; of some ranks, one of theirs.
    alike = all(outcome.errors == mine.errors for outcome in outcomes)
    found = mine.errors if alike else named_errors(outcomes, launch)
    if found or texts:
        raise PtoasError(found if comm.Get_rank() == 0 else [])
    assert result is not None
    return result


def _check_all(comm: Any, outcome: ActorOutcome, program: Program, launch: Launch) -> list[ActorOutcome]:
    """Let rank 0 check the outcomes of all ranks and report errors everywhere."""
    # Operations stay in their process.
    outcomes: list[ActorOutcome] = comm.gather(replace(outcome, op=None), root=0) or []
    error: PtoasError | None = None
    if comm.Get_rank() == 0:
        try:
            check(outcomes, program, launch)
        except PtoasError as found:
            error = found
    codes: set[str] | None = comm.bcast(error and {each.code for each in error.diagnostics}, root=0)
    if codes is None:
        return outcomes
    if STALLED in codes:
        sys.stderr.write(f"{wait_line(outcome, launch)}\n")
    raise error or PtoasError([])


@contextmanager
def _aborting(comm: Any) -> Generator[None, None, None]:
    """Abort all ranks after an error that is not reported on all: none may wait for one that is no more."""
    try:
        yield
    except (PtoasError, UsageError):
        raise
    except BaseException as error:
        if isinstance(error, Exception):
            sys.stderr.write(render(internal_error(error, sys.argv[1:])) + "\n")
        sys.stderr.flush()
        comm.Abort(1)
        raise


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
    with _aborting(comm):
        rank, size = int(comm.Get_rank()), int(comm.Get_size())
        kernel = _together(comm, Launch(size), lambda: _checked(make()))
        launch = Launch(size, kernel.options.blocks)

        def read() -> tuple[RankArguments, dict[str, list[RankWindow]]]:
            allowance = Allowance(max_memory)
            return _own_members(RankArguments(kernel, arguments, size, seed, allowance), rank)

        rank_arguments, members = _together(comm, launch, read)
        for family in members.values():
            for at, member in enumerate(family):
                described = comm.bcast((member.shape, member.strides), root=member.owner)
                family[at].shape, family[at].strides = described
        board = SharedNumbers(mpi, comm)
        memories, windows = _open(mpi, comm, launch, members)
        own = Rank(kernel, launch, rank, lambda machine: Windows(machine, memories, windows, mpi, board))
        own.attach(board, WindowLedger(mpi, launch, memories, windows), rank)
        call = _together(comm, launch, lambda: own.call(rank_arguments.of(rank, members)))
        comm.Barrier()
        outcome = collect(live(ActorOutcome(), own.cores[0], lambda: call.run(0)), own.cores[0])
        if not outcome.good:
            board.failed()
        board.state(rank, SharedNumbers.ENDED)
        result, error = None, None
        try:
            result = _conclude(comm, kernel, own, call, outcome, members)
        except PtoasError as found:
            error = found  # all ranks have this error; after any other one, ranks must not wait for the rest
        comm.Barrier()
        for window in windows:
            window.Unlock_all()
            window.Free()
        board.close()
        if error is not None:
            raise error
        return result


def _checked(kernel: Kernel) -> Kernel:
    if kernel.options.schedule is not None:
        raise UsageError("--schedule orders the blocks of one process; with --ranks mpi there are several")
    return kernel


def _own_members(
    rank_arguments: RankArguments, rank: int
) -> tuple[RankArguments, dict[str, list[RankWindow]]]:
    """The members that this rank owns with their data, the others without."""
    members: dict[str, list[RankWindow]] = {}
    for parameter, owners in rank_arguments.families():
        members[parameter.name] = [
            rank_arguments.member(parameter, owner) if owner == rank else RankWindow(parameter, owner, (), ())
            for owner in owners
        ]
    return rank_arguments, members


def _open(
    mpi: Any, comm: Any, launch: Launch, members: Mapping[str, list[RankWindow]]
) -> tuple[list[SharedMemory], list[Any]]:
    """A window for each shared memory, and a mirror of it on the other ranks."""
    rank = comm.Get_rank()
    flats: list[Array] = []
    windows: list[Any] = []
    for member in (member for family in members.values() for member in family):
        dtype = member.parameter.dtype
        assert dtype is not None
        own = member.elements * dtype.size
        size = window_bytes(member.elements, dtype.size, launch)
        window = mpi.Win.Allocate(size if member.owner == rank else 0, 1, comm=comm)
        if member.owner == rank:
            memory = np.frombuffer(window.tomemory(), np.uint8)
            memory[own:] = 0
            flat = memory[:own]
        else:
            flat = np.empty(own, np.uint8)
        number = dtype.raw if member.initial is None else member.initial.dtype
        member.fill(flat.view(number))
        window.Lock_all()
        windows.append(window)
        flats.append(flat)
    return shared_memories(members, flats), windows


def _slim(own: RankResult, rank: int) -> RankResult:
    """The part of a result that rank 0 needs: untouched memory is left out."""
    result = own.result
    if rank:
        for table in (result.outputs, result.bits):
            for name in [name for name in table if name not in own.wrote]:
                del table[name]
        result.arguments = {
            name: value
            for name, value in result.arguments.items()
            if not isinstance(value, np.ndarray) or name in own.wrote or value.nbytes <= 1 << 20
        }
    return own


def _conclude(
    comm: Any,
    kernel: Kernel,
    own: Rank,
    call: KernelCall,
    outcome: ActorOutcome,
    members: Mapping[str, list[RankWindow]],
) -> RanksResult | None:
    rank, launch = own.number, own.launch
    outcomes = _check_all(comm, outcome, kernel.program, launch)
    result = _together(comm, launch, lambda: _slim(own.result(call), rank))
    results: list[RankResult] = comm.gather(result, root=0) or []
    if rank:
        return None
    sharing = own.cores[0].machine.sharing
    assert isinstance(sharing, Windows)
    for memory in sharing.memories:
        if memory.data.size:
            sharing.bring(memory, memory.data)
    for member in (member for family in members.values() for member in family):
        _as_numbers(member)
    whole = combine(kernel, outcomes, results, members, launch)
    # The windows go away; what goes by several names is kept once.
    kept: dict[int, Any] = {}
    for table in (whole.outputs, whole.bits, whole.arguments):
        for name, value in table.items():
            if isinstance(value, np.ndarray) and id(value) not in kept:
                kept[id(value)] = value if value.flags.owndata else np.array(value)
            table[name] = kept.get(id(value), value)
    return whole


def _as_numbers(member: RankWindow) -> None:
    dtype = member.parameter.dtype
    assert dtype is not None and member.flat is not None
    if not dtype.coded:
        member.flat = member.flat.view(dtype.number)
