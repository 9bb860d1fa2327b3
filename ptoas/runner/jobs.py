"""Blocks of one run in several processes (`--jobs`).

Blocks that do not wait for each other may run at once. Each process takes some of them, in a row; they share
the memory that the program writes. What they touched there is compared in the end: where blocks of two
processes touch a byte and one writes it, or anything else goes wrong, nothing of it counts, and the blocks
run one after the other as they do without jobs. So results and findings are those of one job.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from ptoas.analysis.kinds import waits_for_blocks
from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, UsageError
from ptoas.machine.accesses import Record
from ptoas.machine.arrays import Array, np
from ptoas.machine.conflicts import share_written_bytes
from ptoas.machine.errors import line_of
from ptoas.machine.memory import address_of
from ptoas.runner.call import Call
from ptoas.runner.core import Core, Program, written_memory
from ptoas.runner.options import Options, Result
from ptoas.runner.parameters import Parameter
from ptoas.runner.stats import Stats

if TYPE_CHECKING:
    from ptoas.runner.kernel import Kernel

AUTO = "auto"
METHOD = "fork"
"""How processes are started: a program is compiled once, and each has it."""


def check_jobs(options: Options) -> None:
    """Refuse what one process has to see all of."""
    jobs = options.jobs
    if jobs == AUTO or (isinstance(jobs, int) and jobs > 1):
        for name, is_on in (
            ("--schedule", options.schedule is not None),
            ("--trace", options.trace),
            ("--print", bool(options.prints)),
            ("a profile", options.recorder is not None),
        ):
            if is_on:
                raise UsageError(f"--jobs runs blocks in several processes; {name} follows them in one")
    elif not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"--jobs takes a number from 1, or {AUTO}; {jobs!r} is neither")


def check_apart(program: Program) -> None:
    """Refuse blocks that wait for each other."""
    waiting = next((op for op in walk(program.module) if waits_for_blocks(op)), None)
    if jobs_of(program.options) > 1 and waiting is not None:
        what, line = waiting.name.removeprefix("pto."), line_of(waiting)
        where = f" at line {line}" if line else ""
        raise UsageError(f"--jobs: blocks wait for each other ({what}{where}): they run in one process")


def jobs_of(options: Options) -> int:
    """How many processes run the blocks."""
    if options.blocks == 1 or METHOD not in multiprocessing.get_all_start_methods():
        return 1
    jobs = options.jobs
    if not isinstance(jobs, int):
        affinity: Any = getattr(os, "sched_getaffinity", None)
        jobs = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(jobs, options.blocks))


class Shared:
    """Copies of what a program writes, in memory that processes have in common."""

    def __init__(self, parameters: Sequence[Parameter], given: Mapping[str, Any]):
        self.given = dict(given)
        self.originals: dict[str, Array] = {}
        self._places: list[tuple[int, int]] = []
        copies: dict[int, Array] = {}
        for parameter in parameters:
            original: Any = given.get(parameter.name)
            if not parameter.written or not isinstance(original, np.ndarray) or not original.size:
                continue
            if id(original) not in copies:
                copies[id(original)] = self._copy(original)
            self.originals[parameter.name] = original
            self.given[parameter.name] = copies[id(original)]
        for name, value in given.items():
            if id(value) in copies:  # it is read by another name, too
                self.originals[name], self.given[name] = value, copies[id(value)]

    def _copy(self, original: Array) -> Array:
        room = mmap.mmap(-1, original.nbytes)
        copy: Array = np.ndarray(original.shape, original.dtype, room)
        copy[...] = original
        start = address_of(copy)
        self._places.append((start, start + original.nbytes))
        return copy

    def is_all(self, written: Sequence[tuple[int, int]]) -> bool:
        """Whether all that is written lies here; an argument may have been copied, or lie in another."""
        arrays = [value for value in self.given.values() if isinstance(value, np.ndarray)]
        originals = {id(value): value for value in self.originals.values()}
        meets = any(
            np.may_share_memory(original, other)
            for key, original in originals.items()
            for other in [*arrays, *(each for k, each in originals.items() if k != key)]
        )
        held = all(any(low <= first and end <= high for low, high in self._places) for first, end in written)
        return held and not meets

    def give_back(self, result: Result) -> None:
        """Put what was written where the caller has it."""
        for name, original in self.originals.items():
            copy = self.given[name]
            original[...] = copy
            for found in (result.outputs, result.arguments, result.bits):
                if found.get(name) is copy:
                    found[name] = original


@dataclass
class Part:
    """What the blocks of one process leave behind, besides memory."""

    records: list[Record]
    warnings: list[list[Diagnostic]]
    printed: list[list[str]]
    said: list[str]
    stats: list[Stats | None]
    held: list[int]
    steps: int

    @staticmethod
    def of(cores: Sequence[Core], said: list[str]) -> Part:
        machines = [core.machine for core in cores]
        logs = [machine.sharing.log for machine in machines if machine.sharing is not None]
        return Part(
            [record for log in logs if log is not None for record in log.records()],
            [machine.warnings for machine in machines],
            [machine.printed for machine in machines],
            said,
            [core.observer.stats if core.observer is not None else None for core in cores],
            [machine.held for machine in machines],
            cores[0].compiler.steps.taken,
        )


Run = Callable[[Call, None, Sequence[int]], None]
"""Runs some blocks here."""


def in_jobs(kernel: Kernel, given: Mapping[str, Any], run: Run) -> Result | None:
    """The result of blocks that ran in several processes; `None`: they have to run one after the other."""
    options, cores = kernel.options, kernel.cores
    jobs = jobs_of(options)
    shared = Shared(kernel.parameters, given)
    call = Call(cores, kernel.binder, shared.given)
    if not shared.is_all(written_memory(call.bound)):
        return None
    bounds = [options.blocks * n // jobs for n in range(jobs + 1)]
    first, *others = [range(low, high) for low, high in pairwise(bounds)][::-1]
    said: list[str] = []
    held = [core.machine.held for core in cores]
    with _saying_to(kernel, said), _Workers() as workers:
        for blocks in reversed(others):
            workers.start(run, cores, call, blocks, said)
        # This process takes the last blocks: their tiles are those that are shown.
        own = _work(run, cores, call, first, said)
        parts = [] if own is None else [*workers.finish(), own]
    found = [part for part in parts if part is not None]
    if len(found) < jobs or not _within_limits(found, kernel, held):
        return None
    if share_written_bytes([part.records for part in found]):
        return None
    _join(found, cores)
    result = call.finish()
    shared.give_back(result)
    if options.on_output is not None:
        for text in (text for part in found for text in part.said):
            options.on_output(text)
    return result


def _within_limits(parts: Sequence[Part], kernel: Kernel, held: Sequence[int]) -> bool:
    """Whether all parts together take no more than one job might; `held` are bytes that were kept before."""
    if sum(part.steps for part in parts) > kernel.options.max_steps:
        return False
    for at, core in enumerate(kernel.cores):
        core.machine.held = held[at] + sum(part.held[at] - held[at] for part in parts)
    return all(core.machine.held <= core.machine.max_memory for core in kernel.cores)


def _work(run: Run, cores: Sequence[Core], call: Call, blocks: range, said: list[str]) -> Part | None:
    try:
        run(call, None, blocks)
    except Exception:  # whatever it is, one job meets it again, and says it
        return None
    return Part.of(cores, said)


def _join(parts: Sequence[Part], cores: Sequence[Core]) -> None:
    """Let the cores have seen all that the parts saw, in the order of the blocks."""
    for at, core in enumerate(cores):
        core.machine.warnings = list(dict.fromkeys(each for part in parts for each in part.warnings[at]))
        core.machine.printed = [text for part in parts for text in part.printed[at]]
        stats = [each for part in parts if (each := part.stats[at]) is not None]
        if core.observer is not None and stats:
            core.observer.stats = Stats.sum(stats)
            core.observer.stats.local_peak = max(each.local_peak for each in stats)
    cores[0].compiler.steps.taken = sum(part.steps for part in parts)


class _saying_to:
    """What a program prints is kept, and said when all blocks are done, in their order."""

    def __init__(self, kernel: Kernel, said: list[str]):
        self.kernel = kernel
        self.said = said

    def _say(self, say: Any) -> None:
        self.kernel.options.on_output = say
        for core in self.kernel.cores:
            core.machine.on_print = say

    def __enter__(self) -> None:
        self.before = self.kernel.options.on_output
        self._say(None if self.before is None else self.said.append)

    def __exit__(self, *_: object) -> None:
        self._say(self.before)


class _Workers:
    """Processes that run some blocks each."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context(METHOD)
        self._started: list[tuple[Any, Connection]] = []

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process, pipe in self._started:
            process.terminate()
            process.join()
            pipe.close()

    def start(self, *work: Any) -> None:
        here, there = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_report, args=(there, *work))
        process.start()
        there.close()
        self._started.append((process, here))

    def finish(self) -> list[Part | None]:
        """What each of them leaves behind, in the order of the blocks."""
        found: list[Part | None] = []
        for _, pipe in self._started:
            try:
                found.append(pipe.recv())
            except EOFError:  # it has died
                found.append(None)
        return found


def _report(pipe: Connection, *work: Any) -> None:
    pipe.send(_work(*work))
    pipe.close()
