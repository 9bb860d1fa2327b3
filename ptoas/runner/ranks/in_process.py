"""Several ranks in one process: isolated machines that share what the program makes them share.

Every rank runs the program on a core of its own, with its own global memory; one actor at a time goes on
(`machine/scheduler.py`), so a run is the same every time. `run_ranks` is the command's `--ranks`; `jobs.py`
lets several processes run some ranks each, and `mpi.py` one process run each rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ptoas.analysis.clocks import Ledger
from ptoas.diagnostics import Diagnostic, PtoasError, UsageError
from ptoas.machine.actors import ActorSlot, Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import failure
from ptoas.machine.machine import DEFAULT_MAX_MEMORY, Machine
from ptoas.machine.scheduler import MOST_ACTORS, Scheduler
from ptoas.machine.sharing import SharedMemory, Sharing
from ptoas.runner.arguments import Binder
from ptoas.runner.call import KernelCall
from ptoas.runner.certificate import Certificate, certificate_of
from ptoas.runner.core import Core, Share, cores_of, join_clusters, limit_memory, share_history
from ptoas.runner.jobs import ignored_jobs
from ptoas.runner.kernel import Kernel
from ptoas.runner.options import Result
from ptoas.runner.outcomes import ActorOutcome, check, collect, named_errors, take_turns, warnings_of
from ptoas.runner.ranks.arguments import RankArguments
from ptoas.runner.ranks.members import RankWindow
from ptoas.runner.values import Allowance

T = TypeVar("T")


@dataclass
class RankResult:
    """The result of one rank, and the parts that the rank itself wrote."""

    result: Result
    wrote: set[str]
    """Names of its own arguments and tiles."""
    written: set[int]
    """Numbers of shared memories."""


@dataclass(repr=False)
class RanksResult(Result):
    """All ranks together: an output that one rank wrote has its name, of several each has `name@rank`."""

    ranks: list[Result] = field(default_factory=list[Result])


class Rank:
    """The cores of one rank, and its arguments."""

    def __init__(self, kernel: Kernel, launch: Launch, rank: int, share: Share):
        self.number = rank
        self.launch = launch
        self.cores = cores_of(kernel.program, launch, share)
        # Sizes that another rank's scalars say are not this one's.
        self._binder = Binder([copy(parameter) for parameter in kernel.parameters], kernel.entry)

    def attach(self, scheduler: Scheduler, ledger: Ledger, place: int) -> None:
        """Take one place for each core, from this one on."""
        size = len(self.launch.cores)
        if len(self.cores) > 1:
            join_clusters(self.cores, self.launch, range(self.launch.blocks))
        if size > 1:
            for core in self.cores:
                core.machine.reset()
        for at, core in enumerate(self.cores):
            name = f"rank {self.number}"
            if len(self.cores) > 1:
                name = self.launch.names([self.launch.number(self.number, at // size, core.core)])
            core.attach(ActorSlot(self.number, scheduler, place + at, ledger, core.core), name)

    def call(self, arguments: Mapping[str, Any]) -> KernelCall:
        return KernelCall(self.cores, self._binder, arguments)

    def result(self, call: KernelCall) -> RankResult:
        shared = [core.machine.sharing for core in self.cores if core.machine.sharing is not None]
        return RankResult(
            call.finish(),
            {name for sharing in shared for name in sharing.wrote},
            {memory.number for sharing in shared for memory in sharing.memories if memory.written},
        )


@dataclass
class Ranks:
    """A program of several ranks, and all that they are given."""

    kernel: Kernel
    launch: Launch
    members: Mapping[str, list[RankWindow]]
    arguments: Callable[[int], Mapping[str, Any]]
    """Arguments of one rank."""
    seed: int
    max_memory: int
    randomised: bool
    """True if they are interleaved; otherwise each runs as far as it can before the next."""
    logs: bool = False
    """True if accesses are logged, whatever the checks."""

    def run(self, numbers: Sequence[int]) -> RankRuns:
        """Run these ranks in this process and collect their errors."""
        launch, program = self.launch, self.kernel.program
        flats = [member.flat for family in self.members.values() for member in family]

        def share(machine: Machine) -> Sharing:
            return Sharing(machine, shared_memories(self.members, flats), self.logs)

        ranks = [Rank(self.kernel, launch, number, share) for number in numbers]
        cores = [core for rank in ranks for core in rank.cores]
        size, ledger = len(ranks[0].cores), Ledger()
        count = size * (launch.ranks or 1)
        if count > MOST_ACTORS:
            raise UsageError(
                f"at most {MOST_ACTORS} blocks of all ranks can be interleaved; there are {count}"
            )
        turns = program.options.scheduler(len(cores), self.seed, randomised=self.randomised)
        for at, rank in enumerate(ranks):
            rank.attach(turns, ledger, at * size)
            limit_memory(rank.cores, self.max_memory // (launch.ranks or 1))
        calls = _each(ranks, launch, lambda rank: rank.call(self.arguments(rank.number)))
        outcomes = [ActorOutcome() for _ in cores]
        share_history(cores)
        take_turns(turns, outcomes, cores, lambda place: calls[place // size].run(place % size))
        for outcome, core in zip(outcomes, cores, strict=True):
            collect(outcome, core)
        check(outcomes, program, launch, cores)
        results = _each(ranks, launch, lambda rank: rank.result(calls[rank.number - numbers[0]]))
        records = [record for outcome in outcomes for record in outcome.records]
        certificate = certificate_of(program, cores, records, cores[0].history, warnings_of(outcomes, launch))
        return RankRuns(cores, outcomes, results, certificate)


@dataclass
class RankRuns:
    """Results of some ranks."""

    cores: list[Core]
    outcomes: list[ActorOutcome]
    results: list[RankResult]
    certificate: Certificate


def run_in_process(
    kernel: Kernel,
    size: int,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    jobs: int | str = 1,
) -> RanksResult:
    """Run `size` ranks of a program: one after the other, or in turns where they wait for each other or a
    schedule says so; with `jobs`, in so many processes where they do not wait."""
    launch = replace(kernel.launch, ranks=size)
    rank_arguments = RankArguments(kernel, arguments, size, seed, Allowance(max_memory))
    schedule, waiting = kernel.options.schedule, rank_arguments.waiting()
    notes: list[Diagnostic] = []
    if jobs != 1:
        # What starts processes is not imported by those who need none.
        from ptoas.runner.ranks.jobs import ranks_in_jobs

        notes = ignored_jobs(jobs, size, kernel.entry)

        found = ranks_in_jobs(rank_arguments, launch, waiting, max_memory, jobs)
        if found is not None:
            return found
        rank_arguments = RankArguments(kernel, arguments, size, seed, Allowance(max_memory))
    members = rank_arguments.members()
    everything = [member for family in members.values() for member in family]
    for member in everything:
        member.bind_memory()
    ranks = Ranks(
        kernel,
        launch,
        members,
        lambda rank: rank_arguments.of(rank, members),
        seed if schedule is None else schedule,
        max_memory,
        randomised=schedule is not None or waiting is not None,
    )
    try:
        ran = ranks.run(range(size))
    finally:
        for member in everything:
            member.finish()
    result = combine(kernel, ran.outcomes, ran.results, members, launch)
    result.warnings[:0] = notes
    result.certificate = ran.certificate
    return result


def _each(ranks: Sequence[Rank], launch: Launch, work: Callable[[Rank], T]) -> list[T]:
    """Do something for every rank; errors name the ranks they occur on."""
    found: list[T] = []
    outcomes: list[ActorOutcome] = []
    for rank in ranks:
        outcomes.append(ActorOutcome(launch.number(rank.number, 0)))
        try:
            found.append(work(rank))
        except PtoasError as error:
            outcomes[-1].errors = error.diagnostics
    errors = named_errors(outcomes, launch)
    if errors:
        raise PtoasError(errors)
    return found


def shared_memories(members: Mapping[str, list[RankWindow]], flats: Sequence[Array]) -> list[SharedMemory]:
    """Every rank numbers the shared memories alike."""
    found: list[SharedMemory] = []
    for name, family in members.items():
        for member in family:
            title = f"{name}@{member.owner}" if len(family) > 1 else name
            found.append(SharedMemory(title, member.owner, flats[len(found)], len(found)))
    return found


# --- from many to one ----------------------------------------------------------------------------


def combine(
    kernel: Kernel,
    outcomes: Sequence[ActorOutcome],
    ranks: Sequence[RankResult],
    members: Mapping[str, list[RankWindow]],
    launch: Launch,
) -> RanksResult:
    """One result of all ranks."""
    outputs, bits, arguments = _outputs(ranks, members)
    results = [rank.result for rank in ranks]
    printed = [f"rank {n}: {text}" for n, result in enumerate(results) for text in result.printed]
    return RanksResult(
        kernel.target.name,
        kernel.entry.sym_name.data,
        outputs,
        arguments,
        [*kernel.options.warnings, *warnings_of(outcomes, launch)],
        [*printed, *_print_shared(kernel, results[0], members, arguments)],
        [line for result in results for line in result.trace],
        results[0].stats,
        sum(result.steps for result in results),
        bits,
        ranks=results,
    )


def _print_shared(
    kernel: Kernel, first: Result, members: Mapping[str, list[RankWindow]], arguments: Mapping[str, Any]
) -> list[str]:
    """Print requested memory that ranks share: once, prefixed with the ranks."""
    printed_lines: list[str] = []
    for printing in kernel.options.prints:
        name = printing.name
        if name in members:
            printed_lines.append(printing.text(arguments[name], "at the end"))
        elif name in first.arguments and first.arguments[name] is None:
            raise failure(
                "PTO-R601",
                f"--print {name}: it is not shared memory; ranks share {', '.join(members)}",
                kernel.entry,
            )
    if kernel.options.on_output is not None:
        for text in printed_lines:
            kernel.options.on_output(text)
    return printed_lines


def _outputs(
    ranks: Sequence[RankResult], members: Mapping[str, list[RankWindow]]
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Any]]:
    results = [rank.result for rank in ranks]
    outputs: dict[str, Array] = {}
    bits: dict[str, Array] = {}
    arguments: dict[str, Any] = {}
    names = list(dict.fromkeys(name for result in results for name in result.outputs))
    for name in names:
        writers = [n for n, rank in enumerate(ranks) if name in rank.wrote and name in results[n].outputs]
        for rank in writers:
            title = name if len(writers) == 1 else f"{name}@{rank}"
            outputs[title], bits[title] = results[rank].outputs[name], results[rank].bits[name]
    for rank, result in enumerate(results):
        for name, value in result.arguments.items():
            if value is not None and name not in members:
                arguments[f"{name}@{rank}"] = value
    for name in {name for result in results for name in result.arguments} - set(members):
        # An argument that one rank alone wrote, or that all have alike, goes by its name too.
        if name in outputs:
            arguments[name] = outputs[name]
    number = 0
    for name, family in members.items():
        arrays = [member.logical() for member in family]
        parameter = family[0].parameter
        several = parameter.kind == "group" or parameter.is_window or len(family) > 1
        whole = together(arrays) if several else arrays[0]
        arguments[name] = whole
        if any(number + n in rank.written for rank in ranks for n in range(len(family))):
            outputs[name] = bits[name] = whole
        number += len(family)
    return outputs, bits, arguments


def together(arrays: Sequence[Array]) -> Array:
    """Equal arrays as one with a dimension in front; without a copy where they lie in a row already."""
    first = arrays[0]
    if len(arrays) == 1:
        return first[None]
    step = arrays[1].ctypes.data - first.ctypes.data
    base = first.base
    in_a_row = all(
        array.base is base and array.ctypes.data - first.ctypes.data == n * step
        for n, array in enumerate(arrays)
    )
    if base is None or not in_a_row or step < 0:
        return np.stack(arrays)
    return np.lib.stride_tricks.as_strided(first, (len(arrays), *first.shape), (step, *first.strides))


def parse_ranks(text: int | str) -> int:
    """`--ranks`: a number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= MOST_ACTORS:
        raise UsageError(f"--ranks takes a number from 1 to {MOST_ACTORS}, or mpi; {text!r} is neither")
    return number
