"""Ranks in several processes (`--ranks N --jobs K`), where none waits for another.

Memory that ranks share, and what each of them writes of its own, lies where all processes have it; the rest
of what a rank leaves behind is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from ptoas.diagnostics import PtoasError, UsageError
from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.runner.arguments import BoundArgument
from ptoas.runner.certificate import merged
from ptoas.runner.jobs import (
    ProcessOutputs,
    Shared,
    check_jobs,
    collect_output,
    in_common,
    in_processes,
    meet,
    place_of,
    print_all,
    processes,
    records_of,
)
from ptoas.runner.outcomes import ActorOutcome
from ptoas.runner.parameters import Parameter
from ptoas.runner.ranks.arguments import RankArguments
from ptoas.runner.ranks.in_process import RankResult, Ranks, RanksResult, combine
from ptoas.runner.ranks.members import RankWindow
from ptoas.runner.values import GrowingArray


@dataclass
class SomeRanks(ProcessOutputs):
    """Results of the ranks of one process."""

    outcomes: list[ActorOutcome]
    results: list[RankResult]
    used: int
    """Bytes that generated arguments took while they ran."""


def ranks_in_jobs(
    rank_arguments: RankArguments, launch: Launch, waiting: Operation | None, max_memory: int, jobs: int | str
) -> RanksResult | None:
    """The result of ranks that ran in several processes; `None`: one process has to run them all."""
    kernel, options, size = rank_arguments.kernel, rank_arguments.kernel.options, rank_arguments.size
    check_jobs(options, jobs, "ranks")
    count = processes(jobs, size)
    if count == 1:
        return None
    if waiting is not None:
        raise UsageError(
            f"--jobs: ranks wait for each other ({place_of(waiting)}): "
            f"mpiexec -n {size} ptoas run FILE --ranks mpi runs each in a process"
        )
    members = rank_arguments.members()
    shared = [member for family in members.values() for member in family]
    try:
        for member in shared:
            member.bind_memory(in_common)
        tables = [Shared(kernel.parameters, rank_arguments.of(rank, members)) for rank in range(size)]
    except PtoasError:  # one process reports it for all ranks
        return None
    if not _can_be_brought_back(kernel.parameters, shared, tables):
        return None
    printed_lines: list[str] = []
    before = rank_arguments.allowance.used
    ranks = Ranks(
        kernel,
        launch,
        members,
        lambda rank: tables[rank].arguments,
        rank_arguments.seed,
        max_memory,
        False,
        logs=True,
    )

    def work(numbers: range) -> SomeRanks:
        ran = ranks.run(numbers)
        # Operations stay in their process, and what was touched is compared once.
        outcomes = [replace(outcome, op=None, records=[]) for outcome in ran.outcomes]
        return SomeRanks(
            records_of(ran.cores),
            ran.certificate,
            printed_lines,
            outcomes,
            ran.results,
            rank_arguments.allowance.used - before,
        )

    values = (value for table in tables for value in table.arguments.values())
    known: list[Array] = [value for value in values if isinstance(value, np.ndarray)]
    with collect_output(options, (), printed_lines):
        parts = in_processes(size, count, work, known)
    if parts is None or before + sum(part.used for part in parts) > rank_arguments.allowance.limit:
        return None
    outcomes = [outcome for part in parts for outcome in part.outcomes]
    results = [result for part in parts for result in part.results]
    if len(outcomes) > size and any(part.printed_lines for part in parts):
        return None  # cores of a rank that wait for each other let the next rank speak
    unforeseen = {number for number, member in enumerate(shared) if not member.parameter.written}
    if any(result.written & unforeseen for result in results):
        return None
    for table, result in zip(tables, results, strict=True):
        table.copy_back(result.result)
    for member in shared:
        member.finish()
        if member.usable:
            member.bind_memory()
    print_all(options, parts)
    result = combine(kernel, outcomes, results, members, launch)
    result.certificate = merged([part.certificate for part in parts])
    return result


def _can_be_brought_back(
    parameters: Sequence[Parameter], shared: Sequence[RankWindow], tables: Sequence[Shared]
) -> bool:
    """Return True if all memory that ranks write is shared or sent, and not used by anything else."""
    own = [t.arguments[p.name] for t in tables for p in parameters if p.written and p.kind != "tile"]
    if not all(isinstance(value, np.ndarray | GrowingArray | BoundArgument) for value in own):
        return False
    arrays = [(each.initial, each.may_be_written) for each in shared if each.initial is not None]
    return not meet([*arrays, *(each for table in tables for each in table.arrays)])
