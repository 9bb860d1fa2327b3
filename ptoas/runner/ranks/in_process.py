"""Several ranks in one process: isolated machines that share what the program makes them share.

Every rank runs the program on a core of its own, with its own global memory, in a thread of its own; one
thread at a time goes on (`world.Turns`), so a run is the same every time. `run_ranks` is the command's
`--ranks`; `mpi.py` does the same with one process a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Thread
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics import Diagnostic, Note, PtoasError, UsageError
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import failure, finding
from ptoas.machine.values import DEFAULT_MAX_MEMORY, Allowance
from ptoas.runner.kernel import Kernel, Result
from ptoas.runner.ranks.arguments import Member, RankArguments
from ptoas.runner.ranks.world import (
    Record,
    SharedMemory,
    Stopped,
    Turns,
    Waiting,
    World,
    conflicts,
    ranks_text,
)
from ptoas.targets import Target


@dataclass
class Outcome:
    """What became of one rank."""

    rank: int
    result: Result | None = None
    errors: tuple[Diagnostic, ...] = ()
    waits: str | None = None
    """What the rank waits for, if it does."""
    records: list[Record] = field(default_factory=list[Record])
    wrote: set[str] = field(default_factory=set[str])
    written: set[int] = field(default_factory=set[int])
    """Numbers of the shared memories that it wrote."""
    printed: list[str] = field(default_factory=list[str])


@dataclass
class RanksResult(Result):
    """All ranks together: an output that one rank wrote has its name, of several each has `name@rank`."""

    ranks: list[Result] = field(default_factory=list[Result])


FLAG_THAT_NOBODY_RAISES = "PTO-R302"


def play(kernel: Kernel, world: World, arguments: Mapping[str, Any]) -> Outcome:
    """Run one rank to its end, whatever that is."""
    outcome = Outcome(world.rank)
    try:
        outcome.result = kernel.execute(arguments)
    except Stopped:
        outcome.waits = "was stopped because another rank failed"
    except Waiting as error:
        outcome.errors, outcome.waits = error.diagnostics, error.reason
    except PtoasError as error:
        outcome.errors = error.diagnostics
        if all(d.code == FLAG_THAT_NOBODY_RAISES for d in error.diagnostics):
            outcome.waits = error.diagnostics[0].message
    outcome.records = list(world.records)
    outcome.wrote = world.wrote
    outcome.written = {memory.number for memory in world.memories if memory.written}
    outcome.printed = list(kernel.machine.printed)
    return outcome


def kernel_of_rank(kernel: Kernel, world: World) -> Kernel:
    """The program for one rank; what it prints is said to be its."""
    say = kernel.options.on_output
    own = kernel.for_rank(world)
    if say is not None:
        own.machine.on_print = lambda text: say(f"rank {world.rank}: {text}")
    return own


def run_in_process(
    kernel: Kernel,
    size: int,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
) -> RanksResult:
    """Run `size` ranks of a program, one turn after the other."""
    given = RankArguments(kernel, arguments, size, seed, Allowance(max_memory))
    members: dict[str, list[Member]] = {}
    for parameter, owners in given.families():
        members[parameter.name] = [given.member(parameter, owner) for owner in owners]
    everything = [member for family in members.values() for member in family]
    for member in everything:
        member.lie()
    turns = Turns(size, seed)
    worlds = [World(rank, size, turns) for rank in range(size)]
    for world in worlds:
        world.share(shared_memories(members, [member.flat for member in everything]))
    outcomes: list[Outcome] = []
    kernels = [kernel_of_rank(kernel, world) for world in worlds]
    for own in kernels:
        own.machine.limit_memory(max_memory // size)
    calls = [given.of(rank, members) for rank in range(size)]
    crashes: list[BaseException] = []

    def live(rank: int) -> None:
        turns.enter(rank)
        failed = True
        try:
            outcomes.append(play(kernels[rank], worlds[rank], calls[rank]))
            failed = outcomes[-1].result is None
        except BaseException as error:
            crashes.append(error)
        finally:
            turns.leave(rank, failed)

    threads = [Thread(target=live, args=(rank,), daemon=True) for rank in range(size)]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError as error:
        raise failure("PTO-R606", f"{size} ranks can't be started here: {error}", kernel.entry) from None
    turns.start()
    for thread in threads:
        thread.join()
    if crashes:
        raise crashes[0]
    for member in everything:
        member.finish()
    outcomes.sort(key=lambda outcome: outcome.rank)
    return combine(kernel, outcomes, members, worlds[0].memories)


def shared_memories(members: Mapping[str, list[Member]], flats: Sequence[Array]) -> list[SharedMemory]:
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
    outcomes: list[Outcome],
    members: Mapping[str, list[Member]],
    memories: Sequence[SharedMemory],
) -> RanksResult:
    """One result of all ranks, or one error with everything that went wrong."""
    errors = [d for outcome in outcomes if outcome.waits is None for d in by_rank(outcome, outcomes)]
    records = [record for outcome in outcomes for record in outcome.records]
    if kernel.options.checks.race:
        errors += conflicts(records, memories, kernel.target.name)
    if not errors and any(outcome.waits is not None for outcome in outcomes):
        errors = [stall(kernel, outcomes)]
    if errors:
        raise PtoasError(list(dict.fromkeys(errors)))
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    outputs, bits, arguments = _outputs(outcomes, results, members)
    return RanksResult(
        kernel.target.name,
        kernel.entry.sym_name.data,
        outputs,
        arguments,
        [
            *kernel.options.warnings,
            *dict.fromkeys(d for each in outcomes for d in warnings_of(each, outcomes)),
        ],
        [f"rank {each.rank}: {text}" for each in outcomes for text in each.printed],
        [f"rank {n}: {line}" for n, result in enumerate(results) for line in result.trace],
        results[0].stats,
        sum(result.steps for result in results),
        bits,
        results,
    )


def _key(diagnostic: Diagnostic) -> tuple[str, str, int]:
    return diagnostic.code, diagnostic.message, diagnostic.span.offset


def by_rank(outcome: Outcome, outcomes: list[Outcome]) -> list[Diagnostic]:
    """The errors of a rank; one that several ranks have names them all, and is the same for each."""
    found: list[Diagnostic] = []
    for diagnostic in outcome.errors:
        same = [o.rank for o in outcomes if any(_key(d) == _key(diagnostic) for d in o.errors)]
        found.append(replace(diagnostic, message=f"{ranks_text(same)}: {diagnostic.message}"))
    return found


def warnings_of(outcome: Outcome, outcomes: list[Outcome]) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for diagnostic in outcome.result.warnings if outcome.result else ():
        same = [
            o.rank
            for o in outcomes
            if o.result and any(_key(d) == _key(diagnostic) for d in o.result.warnings)
        ]
        found.append(replace(diagnostic, message=f"{ranks_text(same)}: {diagnostic.message}"))
    return found


def stall(kernel: Kernel, outcomes: list[Outcome]) -> Diagnostic:
    """Who waits for what, and where: one line for each rank."""
    waiting = [outcome for outcome in outcomes if outcome.waits is not None and outcome.errors]
    rest = len(outcomes) - len(waiting)
    notes: list[Note] = []
    for outcome in outcomes:
        if outcome.waits is not None and outcome.errors:
            span = outcome.errors[0].span
            place = f"{span.file}:{span.line}"
            notes.append(Note(f"rank {outcome.rank} | line {span.line} | {outcome.waits} ({place})"))
        else:
            notes.append(Note(f"rank {outcome.rank} | - | {outcome.waits or 'has finished'}"))
    who = ranks_text(outcome.rank for outcome in waiting)
    verb = "waits" if len(waiting) == 1 else "wait"
    others = f"; {rest} of {len(outcomes)} have finished" if rest else ""
    return finding(
        "PTO-R803",
        f"{who} {verb} for what never comes{others}",
        span=waiting[0].errors[0].span,
        notes=tuple(notes),
        target=kernel.target.name,
    )


def _outputs(
    outcomes: list[Outcome], results: list[Result], members: Mapping[str, list[Member]]
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Any]]:
    outputs: dict[str, Array] = {}
    bits: dict[str, Array] = {}
    arguments: dict[str, Any] = {}
    names = list(dict.fromkeys(name for result in results for name in result.outputs))
    for name in names:
        writers = [n for n, o in enumerate(outcomes) if name in o.wrote and name in results[n].outputs]
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
        whole = together(arrays) if family[0].parameter.kind == "group" or len(family) > 1 else arrays[0]
        arguments[name] = whole
        if any(number + n in o.written for o in outcomes for n in range(len(family))):
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


# --- the command ---------------------------------------------------------------------------------


def run_ranks(
    module: ModuleOp | Callable[[], ModuleOp],
    arguments: Mapping[str, Any] | Sequence[str] = (),
    target: str | Target | None = None,
    *,
    ranks: int | str,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    **options: Any,
) -> RanksResult | None:
    """Run a program on several ranks: `ranks` is how many, or `"mpi"` for one process a rank.

    `module` may be a function that reads it, so that under MPI its errors are said once. `arguments` are
    arrays by name (`dst`, `src@2`), or `NAME=VALUE` and `NAME@RANK=VALUE` texts; options are those of
    `ptoas.compile`. Under MPI only rank 0 gets the result, and the diagnostics; on the others the result is
    `None`, and a failure an error without diagnostics.
    """
    from ptoas.runner.run import compile

    def make() -> Kernel:
        return compile(module if isinstance(module, ModuleOp) else module(), target, **options)

    return run_compiled(make, arguments, ranks=ranks, seed=seed, max_memory=max_memory)


def run_compiled(
    make: Callable[[], Kernel],
    arguments: Mapping[str, Any] | Sequence[str],
    *,
    ranks: int | str,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
) -> RanksResult | None:
    if ranks == "mpi":
        from ptoas.runner.ranks.mpi import run_with_mpi

        return run_with_mpi(make, arguments, seed=seed, max_memory=max_memory)
    size = parse_ranks(ranks)
    assert isinstance(size, int)
    return run_in_process(make(), size, arguments, seed=seed, max_memory=max_memory)


MOST_RANKS = 1024


def parse_ranks(text: int | str) -> int | str:
    """`--ranks`: a number from 1, or `mpi`."""
    if text == "mpi":
        return "mpi"
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= MOST_RANKS:
        raise UsageError(f"--ranks takes a number from 1 to {MOST_RANKS}, or mpi; {text!r} is neither")
    return number
