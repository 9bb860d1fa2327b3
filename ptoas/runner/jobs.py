"""Parts of one run in several processes (`--jobs`): its blocks, or its ranks (`ranks/jobs.py`).

Parts that do not wait for each other may run at once. Each process takes some of them, in a row; they share
the memory that the program writes. What they touched there is compared in the end: where parts of two
processes touch a byte and one writes it, or anything else goes wrong, nothing of it counts, and the parts
run one after the other as they do without jobs. So results and findings are those of one job.
"""

from __future__ import annotations

import io
import mmap
import multiprocessing
import pickle
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

from ptoas.analysis.kinds import waits_for_blocks
from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, PtoasError, Severity, UsageError
from ptoas.machine.accesses import AccessRecord
from ptoas.machine.arrays import Array, np
from ptoas.machine.conflicts import share_written_bytes
from ptoas.machine.errors import finding, line_of
from ptoas.machine.memory import GrowingBuffer, Pointer, address_of
from ptoas.runner.call import KernelCall
from ptoas.runner.certificate import Certificate, certificate_of, merged
from ptoas.runner.core import Core, Program, written_memory
from ptoas.runner.foreign import adopted_or_same
from ptoas.runner.options import Options, Result
from ptoas.runner.parameters import Parameter
from ptoas.runner.processors import leave_interrupts_to_parent, processors
from ptoas.runner.stats import Stats

if TYPE_CHECKING:
    from ptoas.runner.kernel import Kernel

AUTO = "auto"
METHOD = "fork"
"""Start method of processes: a program is compiled once, and each process inherits it."""


def check_jobs(options: Options, jobs: int | str, parts: str = "blocks") -> None:
    """Reject options that need all parts in one process."""
    if jobs == AUTO or (isinstance(jobs, int) and jobs > 1):
        for name, is_on in (
            ("--schedule", options.schedule is not None),
            ("--trace", options.trace),
            ("--print", bool(options.prints)),
            ("a profile", options.recorder is not None),
        ):
            if is_on:
                raise UsageError(f"--jobs runs {parts} in several processes; {name} follows them in one")
    elif not isinstance(jobs, int) or jobs < 1:
        raise UsageError(f"--jobs takes a number from 1, or {AUTO}; {jobs!r} is neither")


def check_apart(program: Program) -> None:
    """Refuse blocks that wait for each other."""
    waiting = next((op for op in walk(program.module) if waits_for_blocks(op)), None)
    if waiting is not None and processes(program.options.jobs, program.options.blocks) > 1:
        raise UsageError(f"--jobs: blocks wait for each other ({place_of(waiting)}): they run in one process")


def place_of(op: Operation) -> str:
    """`syncall at line 2`."""
    line = line_of(op)
    return op.name.removeprefix("pto.") + (f" at line {line}" if line else "")


def processes(jobs: int | str, parts: int) -> int:
    """The number of processes for this many parts."""
    if parts == 1 or not _can_fork():
        return 1
    if not isinstance(jobs, int):
        jobs = processors()
    return max(1, min(jobs, parts))


def _can_fork() -> bool:
    return METHOD in multiprocessing.get_all_start_methods()


def ignored_jobs(jobs: int | str, parts: int, entry: Operation) -> list[Diagnostic]:
    """Return a note if several processes were asked for and this system can't fork any."""
    if jobs == 1 or parts == 1 or _can_fork():
        return []
    message = "--jobs is ignored: processes cannot be forked on this system, so one process runs everything"
    return [finding("PTO-R808", message, entry, severity=Severity.NOTE)]


# --- memory that processes have in common ----------------------------------------------------------


def in_common(size: int, dtype: Any) -> Array:
    """Elements in a row, zeros, in memory that processes have in common."""
    return np.ndarray(size, dtype, mmap.mmap(-1, max(1, size * np.dtype(dtype).itemsize)))


class Shared:
    """Copies of written arrays in memory shared by processes."""

    def __init__(self, parameters: Sequence[Parameter], values: Mapping[str, Any]):
        self.arguments = {name: adopted_or_same(value) for name, value in values.items()}
        self.originals: dict[str, Array] = {}
        self._places: list[tuple[int, int]] = []
        copies: dict[int, Array] = {}
        written = {parameter.name for parameter in parameters if parameter.written}
        arrays = {name: value for name, value in self.arguments.items() if isinstance(value, np.ndarray)}
        for name in arrays.keys() & written:
            value = arrays[name]
            # Read-only arrays are copied when bound, and not copied back.
            if id(value) not in copies and value.size and value.flags.writeable:
                copies[id(value)] = self._copy(value)
        for name, value in arrays.items():
            if id(value) in copies:  # by another name it may be read only
                self.originals[name], self.arguments[name] = value, copies[id(value)]
        self.arrays = [(value, id(value) in copies) for value in {id(v): v for v in arrays.values()}.values()]
        """All that was given, each once, and whether the program writes it."""

    def _copy(self, original: Array) -> Array:
        copy = in_common(original.size, original.dtype).reshape(original.shape)
        copy[...] = original
        start = address_of(copy)
        self._places.append((start, start + original.nbytes))
        return copy

    def holds(self, written: Sequence[tuple[int, int]]) -> bool:
        """Return True if all written memory is here; an argument may have been copied once more."""
        return all(any(low <= first and end <= high for low, high in self._places) for first, end in written)

    def copy_back(self, result: Result) -> None:
        """Copy written data back to the caller's arrays."""
        for name, original in self.originals.items():
            copy = self.arguments[name]
            original[...] = copy
            for found in (result.outputs, result.arguments, result.bits):
                if found.get(name) is copy:
                    found[name] = original


def meet(arrays: Iterable[tuple[Array, bool]]) -> bool:
    """Return True if two arrays, one of which is written, may have a common byte."""
    all_end, written_end = 0, 0
    for low, high, written in sorted((*_bounds(array), written) for array, written in arrays if array.size):
        if low < (all_end if written else written_end):
            return True
        all_end = max(all_end, high)
        written_end = max(written_end, high) if written else written_end
    return False


def _bounds(array: Array) -> tuple[int, int]:
    """The first byte and the end of an array."""
    steps = [(n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)]
    first = address_of(array)
    return first + sum(s for s in steps if s < 0), first + sum(s for s in steps if s > 0) + array.itemsize


# --- processes -------------------------------------------------------------------------------------


@dataclass
class ProcessOutputs:
    """Results of one process, besides memory."""

    records: list[AccessRecord]
    certificate: Certificate
    printed_lines: list[str]


AnyPart = TypeVar("AnyPart", bound=ProcessOutputs)


def records_of(cores: Iterable[Core]) -> list[AccessRecord]:
    """The accesses of cores to shared memory."""
    logs = [core.machine.sharing.log for core in cores if core.machine.sharing is not None]
    return [record for log in logs if log is not None for record in log.records()]


def in_processes(
    count: int, jobs: int, work: Callable[[range], AnyPart], known: Sequence[Array] = ()
) -> list[AnyPart] | None:
    """Do the work for so many parts; `None`: something went wrong, or depends on their order. `known` are
    arrays that all processes have, so that none sends them."""
    bounds = [count * n // jobs for n in range(jobs + 1)]
    *others, own = [range(low, high) for low, high in pairwise(bounds)]
    with _Workers(known) as workers:
        for parts in others:
            workers.start(work, parts)
        # This process takes the last: of blocks, their tiles are those that are shown.
        mine = _done(work, own)
        done = [None] if mine is None else [*workers.finish(), mine]
    found = [part for part in done if part is not None]
    if len(found) < jobs or share_written_bytes([part.records for part in found]):
        return None
    return found


def _done(work: Callable[[range], AnyPart], parts: range) -> AnyPart | None:
    try:
        return work(parts)
    except Exception:  # one job reports the same error again
        return None


@contextmanager
def collect_output(
    options: Options, cores: Sequence[Core], printed_lines: list[str]
) -> Generator[None, None, None]:
    """Collect printed output, and print it when all parts are done, in their order."""
    before = options.on_output
    collecting = None if before is None else printed_lines.append
    options.on_output = collecting
    for core in cores:
        core.machine.on_print = collecting
    try:
        yield
    finally:
        options.on_output = before
        for core in cores:
            core.machine.on_print = before


def print_all(options: Options, parts: Sequence[ProcessOutputs]) -> None:
    if options.on_output is not None:
        for text in (text for part in parts for text in part.printed_lines):
            options.on_output(text)


class _Workers:
    """Processes that do the work for some parts each."""

    def __init__(self, known: Sequence[Array]) -> None:
        self._known = known
        self._context = multiprocessing.get_context(METHOD)
        self._started: list[tuple[Any, Connection]] = []

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process, pipe in self._started:
            process.terminate()
            process.join()
            pipe.close()

    def start(self, work: Callable[[range], ProcessOutputs], parts: range) -> None:
        here, there = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_report, args=(there, self._known, work, parts), daemon=True)
        process.start()
        there.close()
        self._started.append((process, here))

    def finish(self) -> list[Any]:
        """The results of each worker, in the order of the parts."""
        found: list[Any] = []
        for _, pipe in self._started:
            try:
                found.append(_Reader(io.BytesIO(pipe.recv_bytes()), self._known).load())
            except EOFError:  # it has died
                found.append(None)
        return found


def _report(
    pipe: Connection, known: Sequence[Array], work: Callable[[range], ProcessOutputs], parts: range
) -> None:
    leave_interrupts_to_parent()
    text = io.BytesIO()
    _Writer(text, known).dump(_done(work, parts))
    pipe.send_bytes(text.getbuffer())
    pipe.close()


class _Writer(pickle.Pickler):
    """Sends arrays that both sides have as their numbers."""

    def __init__(self, file: io.BytesIO, known: Sequence[Array]):
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._numbers = {id(array): n for n, array in enumerate(known)}

    def persistent_id(self, obj: Any) -> int | None:
        return self._numbers.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, known: Sequence[Array]):
        super().__init__(file)
        self._known = known

    def persistent_load(self, pid: Any) -> Array:
        return self._known[pid]


# --- blocks ----------------------------------------------------------------------------------------


@dataclass
class BlockOutputs(ProcessOutputs):
    """Results of the blocks of one process."""

    warnings: list[list[Diagnostic]]
    printed: list[list[str]]
    stats: list[Stats | None]
    held: list[int]
    steps: int
    reached: list[int]
    """The extent reached in memory that grows on demand."""

    @staticmethod
    def of(cores: Sequence[Core], printed_lines: list[str], growing: Sequence[GrowingBuffer]) -> BlockOutputs:
        machines = [core.machine for core in cores]
        records = records_of(cores)
        warnings = [warning for machine in machines for warning in machine.warnings]
        return BlockOutputs(
            records,
            certificate_of(cores[0].program, cores, records, cores[0].history, warnings),
            printed_lines,
            [machine.warnings for machine in machines],
            [machine.printed for machine in machines],
            [core.observer.stats if core.observer is not None else None for core in cores],
            [machine.held for machine in machines],
            cores[0].compiler.steps.taken,
            [buffer.size for buffer in growing],
        )


Run = Callable[[KernelCall, None, Sequence[int]], object]
"""Runs some blocks here."""


def in_jobs(kernel: Kernel, values: Mapping[str, Any], run: Run) -> Result | None:
    """The result of blocks that ran in several processes; `None`: they have to run one after the other."""
    options, cores = kernel.options, kernel.cores
    jobs = processes(options.jobs, options.blocks)
    shared = Shared(kernel.parameters, values)
    call = KernelCall(cores, kernel.binder, shared.arguments)
    if not shared.holds(written_memory(call.bound)) or meet(shared.arrays):
        return None
    held = [core.machine.held for core in cores]
    buffers = [one.value.buffer for one in call.bound if isinstance(one.value, Pointer)]
    growing = [buffer for buffer in buffers if isinstance(buffer, GrowingBuffer)]
    printed_lines: list[str] = []

    def work(blocks: range) -> BlockOutputs:
        run(call, None, blocks)
        return BlockOutputs.of(cores, printed_lines, growing)

    with collect_output(options, cores, printed_lines):
        found = in_processes(options.blocks, jobs, work)
    if found is None or not _within_limits(found, kernel, held) or not _grown(found, growing):
        return None
    _join(found, cores)
    result = call.finish()
    result.certificate = merged([part.certificate for part in found])
    shared.copy_back(result)
    print_all(options, found)
    return result


def _within_limits(parts: Sequence[BlockOutputs], kernel: Kernel, held: Sequence[int]) -> bool:
    """Return True if all parts together stay within the limits of one job; `held` are earlier bytes."""
    if sum(part.steps for part in parts) > kernel.options.max_steps:
        return False
    for at, core in enumerate(kernel.cores):
        core.machine.held = held[at] + sum(part.held[at] - held[at] for part in parts)
    return all(core.machine.held <= core.machine.max_memory for core in kernel.cores)


def _grown(parts: Sequence[BlockOutputs], growing: Sequence[GrowingBuffer]) -> bool:
    """Make as much of such memory as all parts together reached, if that may be."""
    try:
        return all(
            buffer.holds(0, max(part.reached[at] for part in parts) - 1) for at, buffer in enumerate(growing)
        )
    except PtoasError:
        return False


def _join(parts: Sequence[BlockOutputs], cores: Sequence[Core]) -> None:
    """Let the cores have seen all that the parts saw, in the order of the blocks."""
    for at, core in enumerate(cores):
        core.machine.warnings = list(dict.fromkeys(each for part in parts for each in part.warnings[at]))
        core.machine.printed = [text for part in parts for text in part.printed[at]]
        stats = [each for part in parts if (each := part.stats[at]) is not None]
        if core.observer is not None and stats:
            core.observer.stats = Stats.sum(stats)
            core.observer.stats.local_peak = max(each.local_peak for each in stats)
    cores[0].compiler.steps.taken = sum(part.steps for part in parts)
