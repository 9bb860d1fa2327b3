"""The process pool of commands that work on many files (`-j`).

Results come in the order of the files, however many workers there are. The function that is applied to the
files is a top-level one, or a partial of one: it is pickled where workers are not forked.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span, UsageError
from ptoas.grammar.internal_error import internal_error
from ptoas.runner.processors import leave_interrupts_to_parent, processors

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.context import BaseContext

# `concurrent.futures.process` and `multiprocessing` are imported where workers are started: a command that
# works on one file needs neither, and they take a fifth of the time of `--help`.

AUTO = "auto"
STANDARD_INPUT = "-"
CRASH_CODE = "PTO-X002"
_FILES_PER_WORKER = 8
"""With `-j auto`, fewer files than this do not pay for the start of a worker."""
_MAX_WORKERS = 61 if sys.platform == "win32" else sys.maxsize
"""`ProcessPoolExecutor` refuses more on Windows."""

Result = TypeVar("Result")


def worker_count(jobs: int | str, files: int) -> int:
    """Return the number of processes for `-j JOBS` and so many files; 1 means that no worker is started."""
    workers = min(jobs, files) if isinstance(jobs, int) else min(processors(), files // _FILES_PER_WORKER)
    return max(1, min(workers, _MAX_WORKERS))


def map_files(
    work: Callable[[str], Result],
    files: Sequence[str],
    jobs: int,
    on_crash: Callable[[Diagnostic], Result],
    context: BaseContext | None = None,
) -> Iterator[Result]:
    """Apply `work` to each file in `jobs` worker processes; yield the results in the order of the files.

    If a worker dies, unfinished files are retried once, one at a time; for a file that kills its worker again
    the result is what `on_crash` makes of the finding. Standard input (`-`) is processed in this process, and
    so are all files if there is one job or workers can't be started. An exception of `work` is raised here.
    """
    if jobs <= 1:
        yield from map(work, files)
        return
    from concurrent.futures.process import BrokenProcessPool

    try:
        pool = start_executor(work, jobs, context)
    except (OSError, NotImplementedError):  # a system without semaphores
        yield from map(work, files)
        return
    retry = _SingleWorker(work, on_crash, context)
    try:
        futures = _submit(pool, [file for file in files if file != STANDARD_INPUT])
        if futures is None:
            yield from map(work, files)
            return
        for file in files:
            if file == STANDARD_INPUT:
                yield work(file)
                continue
            error = futures[file].exception() if file in futures else BrokenProcessPool()
            if error is None:
                yield futures[file].result()
            elif isinstance(error, BrokenProcessPool):
                pool.shutdown()
                yield retry(file)
            else:
                yield work(file)  # raises it here: a traceback with its frames can't be pickled
    finally:
        pool.shutdown(cancel_futures=True)
        retry.shutdown()


@contextmanager
def collecting(source: Source, command: str, findings: list[Diagnostic]) -> Generator[None, None, None]:
    """Collect the errors of a file, whatever goes wrong, so that a command still processes the others."""
    try:
        yield
    except PtoasError as error:
        findings += (each for each in error.diagnostics if each.is_error)
    except UsageError as error:
        findings.append(Diagnostic("PTO-T202", str(error), Span(source, 0, 1)))
    except Exception as error:
        findings.append(internal_error(error, (command, source.filename), source.filename))


def crash_finding(file: str) -> Diagnostic:
    """Return the finding for a file that kills the worker that processes it."""
    return Diagnostic(
        CRASH_CODE,
        "the worker process died twice while it processed this file; memory may have run out",
        Span(Source("", file), 0, 1),
        fix="run the command on this file alone to see the cause",
    )


def _submit(pool: ProcessPoolExecutor, files: Sequence[str]) -> dict[str, Future[Any]] | None:
    """Submit files, all of them unless a worker dies meanwhile; return None if workers can't be started."""
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    futures: dict[str, Future[Any]] = {}
    others = active_children()
    try:
        with suppress(BrokenProcessPool):
            for file in files:
                futures[file] = pool.submit(call_worker, file)
    except OSError:  # a limit on processes
        # Python would wait at its exit for workers that were started before one could not be.
        for worker in active_children():
            if worker not in others:
                worker.terminate()
        return None
    return futures


class _SingleWorker(Generic[Result]):
    """Processes one file at a time in a worker that is replaced when it dies."""

    def __init__(
        self,
        work: Callable[[str], Result],
        on_crash: Callable[[Diagnostic], Result],
        context: BaseContext | None,
    ):
        self._work = work
        self._on_crash = on_crash
        self._context = context
        self._executor: ProcessPoolExecutor | None = None

    def __call__(self, file: str) -> Result:
        from concurrent.futures.process import BrokenProcessPool

        if self._executor is None:
            self._executor = start_executor(self._work, 1, self._context)
        try:
            return self._executor.submit(call_worker, file).result()
        except BrokenProcessPool:
            self.shutdown()
            return self._on_crash(crash_finding(file))

    def shutdown(self) -> None:
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None


def start_executor(
    work: Callable[[str], Any], jobs: int, context: BaseContext | None = None
) -> ProcessPoolExecutor:
    """Return an executor whose workers apply `work` to what is submitted with `call_worker`.

    Workers leave Ctrl-C to the parent, and end with it.
    """
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(jobs, context, _start_worker, (work,))


# --- in a worker -----------------------------------------------------------------------------------

_work: Callable[[str], Any] | None = None
"""Function that this worker applies to files; sent once, because it may be large."""


def _start_worker(work: Callable[[str], Any]) -> None:
    global _work
    _work = work
    leave_interrupts_to_parent()
    threading.Thread(target=_terminate_with_parent, daemon=True).start()


def _terminate_with_parent() -> None:
    """End this worker when the parent has ended, however that happened; it would wait for files forever."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def call_worker(text: str) -> Any:
    """Apply the function of this worker to a file or text."""
    assert _work is not None, "the pool starts its workers with `_start_worker`"
    return _work(text)
