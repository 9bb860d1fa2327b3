"""Test-case reduction: make a program as small as possible while it keeps an interesting property.

Candidates are made from the IR and judged as text, in worker processes if there are several. Results are
taken in the order in which the candidates were made, so that the reduced program does not depend on the
number of workers.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import IsTerminator

from ptoas.compiler.diff import Variant, diff
from ptoas.compiler.forms import print_module
from ptoas.compiler.lower import lower
from ptoas.compiler.run import run_texts
from ptoas.diagnostics import PtoasError, UsageError
from ptoas.grammar.parse import parse
from ptoas.ir.clone import clone
from ptoas.project.pool import call_worker, start_executor
from ptoas.project.simplify import changes, delete
from ptoas.verifier.verify import Report, verify

Interesting = Callable[[str], bool]
"""Returns True if the text of a program still has the property; picklable, to be called in workers."""

MAX_RUN_STEPS = 1_000_000
"""Steps after which a candidate that is run is given up."""


_EXTENT = r"(?:(?<![\w.])|(?<=\dx)){}(?=x)"
"""An extent in the text of a type."""


@dataclass(frozen=True)
class StillSucceeds:
    """A command succeeds on the program: exit code 0. `{}` in the command is replaced by the file."""

    command: str
    filename: str = "reduced.pto"
    seconds: float = 30.0

    def __str__(self) -> str:
        return "the command succeeds"

    def __call__(self, text: str) -> bool:
        with tempfile.TemporaryDirectory(prefix="ptoas-") as directory:
            path = Path(directory) / self.filename
            path.write_text(text, encoding="utf-8")
            quoted = shlex.quote(str(path))
            command = (
                self.command.replace("{}", quoted) if "{}" in self.command else f"{self.command} {quoted}"
            )
            try:
                # The command is typed by the user, who may want a pipeline.
                done = subprocess.run(
                    command, shell=True, capture_output=True, timeout=self.seconds, check=False
                )
            except subprocess.TimeoutExpired:
                return False
            return done.returncode == 0


@dataclass(frozen=True)
class StillReports:
    """`verify` or `run` reports a code, and `verify` no errors but those of the original program."""

    code: str
    target: str | None = None
    arguments: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """Options of `ptoas.compile`, for codes of a run."""
    errors: frozenset[str] = frozenset()
    """Codes of the errors of the original program."""

    def __str__(self) -> str:
        return f"verify or run reports {self.code}"

    @staticmethod
    def like(
        module: ModuleOp,
        code: str,
        target: str | None = None,
        arguments: Sequence[str] = (),
        options: Mapping[str, Any] | None = None,
    ) -> StillReports:
        """Return the property of a program to report a code, without errors that it does not have now."""
        condition = StillReports(code, target, tuple(arguments), dict(options or {}))
        return replace(condition, errors=frozenset(each.code for each in condition.verified(module).errors))

    def verified(self, module: ModuleOp) -> Report:
        common = {name: self.options[name] for name in ("sync", "isa") if name in self.options}
        return verify(module, self.target, **common)

    def __call__(self, text: str) -> bool:
        try:
            module = parse(text)
            report = self.verified(module)
            if not {each.code for each in report.errors} <= self.errors:
                return False
            if any(each.code == self.code for each in report.diagnostics):
                return True
            if not self.code.startswith("PTO-R"):
                return False
            options: dict[str, Any] = {"max_steps": MAX_RUN_STEPS, **self.options}
            run_texts(lambda: module, self.arguments, self.target, **options)
        except PtoasError as error:
            return any(each.code == self.code for each in error.diagnostics)
        except UsageError:
            return False
        return False


@dataclass(frozen=True)
class StillDiffers:
    """The program gives different results on two targets, or with two sets of options."""

    targets: tuple[str | None, str | None]
    options: tuple[dict[str, Any], dict[str, Any]]
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "results differ"

    def __call__(self, text: str) -> bool:
        try:
            first, second = (
                Variant(parse(text), target, {"max_steps": MAX_RUN_STEPS, **options})
                for target, options in zip(self.targets, self.options, strict=True)
            )
            return diff(first, second, self.arguments).divergence is not None
        except (PtoasError, UsageError):
            return False


@dataclass(frozen=True)
class StillCrashes:
    """ptoas itself fails on the program, with an exception that is no finding."""

    target: str | None = None

    def __str__(self) -> str:
        return "ptoas fails"

    def __call__(self, text: str) -> bool:
        try:
            module = parse(text)
            verify(module, self.target)
            lower(module, self.target, verified=False)
            run_texts(lambda: module, (), self.target, max_steps=MAX_RUN_STEPS)
        except (PtoasError, UsageError):
            return False
        except Exception:
            return True
        return False


@dataclass
class Reduction:
    """Result of `ptoas.reduce`.

    >>> import ptoas
    >>> ptoas.Reduction("tbarrier", tried=7).finished
    True
    """

    text: str
    tried: int = 0
    """Number of candidates that were judged."""
    finished: bool = True
    """False if the time was over, or the user interrupted, before nothing could be removed any more."""


def reduce(
    module: ModuleOp, interesting: Callable[[str], bool], *, jobs: int = 1, seconds: float = 300.0
) -> Reduction:
    """Make a program smaller while `interesting` returns True for its text.

    Functions, statements, loops, branches, operands, attributes and arguments are removed, constants and
    extents are made smaller, until nothing helps any more or `seconds` have passed. Ctrl-C ends the search;
    the best program so far is returned.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .target a5
    ... .arg %x : !pto.memref<8x8xf32>
    ... %a = tload %x
    ... %b = texp %a
    ... %c = tneg %b
    ... tstore %c, %x
    ... ''')
    >>> found = ptoas.reduce(module, lambda text: "texp" in text)
    >>> found.finished, "texp" in found.text, "tneg" in found.text
    (True, True, False)
    """
    reducer = Reducer(interesting, print_module(module), time.monotonic() + seconds)
    if not interesting(reducer.best):
        raise UsageError(f"nothing to reduce: the program does not have the property `{interesting}`")
    with ExitStack() as stack:
        if jobs > 1:
            reducer.pool = stack.enter_context(start_executor(interesting, jobs))
            reducer.window = jobs
        try:
            reducer.run()
        except (KeyboardInterrupt, BrokenProcessPool):  # the latter: memory ran out in a worker
            reducer.finished = False
    return Reduction(reducer.best, reducer.tried, reducer.finished)


class Reducer:
    """The best program so far, and the search for a smaller one."""

    def __init__(self, interesting: Interesting, text: str, deadline: float):
        self.interesting = interesting
        self.best = text
        self.deadline = deadline
        self.tried = 0
        self.finished = True
        self.pool: ProcessPoolExecutor | None = None
        self.window = 1
        self.seen: set[str] = {text}

    def run(self) -> None:
        before = ""
        while before != self.best and self.finished:
            before = self.best
            self._delete()
            while self._accept(self._changed()):
                pass
            while self._accept(self._smaller_extents()):
                pass

    def _delete(self) -> None:
        """Delete ever smaller groups of consecutive operations, the last ones first: they have few users."""
        size = max(1, self._count() // 2)
        while size and self.finished:
            end = self._count()
            while end > 0:
                groups = [range(max(0, low), low + size) for low in range(end - size, -size, -size)]
                taken = self._accept(self._deleted(groups))
                end = 0 if taken is None else groups[taken].start
            size //= 2

    def _count(self) -> int:
        return sum(1 for op in parse(self.best).walk() if not op.has_trait(IsTerminator))

    def _deleted(self, groups: Sequence[range]) -> Iterator[str | None]:
        module = parse(self.best)
        numbers = [n for n, op in enumerate(module.walk()) if n and not op.has_trait(IsTerminator)]
        for group in groups:
            chosen = [numbers[n] for n in group if n < len(numbers)]
            yield _candidate(module, delete(chosen))

    def _changed(self) -> Iterator[str | None]:
        module = parse(self.best)
        for change in changes(module):
            yield _candidate(module, change)

    def _smaller_extents(self) -> Iterator[str]:
        """Make an extent smaller in all types and constants: extents agree across a program."""
        extents = {int(number) for number in re.findall(_EXTENT.format(r"(\d+)"), self.best)}
        for extent in sorted(extents, reverse=True):
            for smaller in dict.fromkeys((1, 8, extent // 2)):
                if 0 < smaller < extent:
                    text = re.sub(_EXTENT.format(extent), str(smaller), self.best)
                    yield re.sub(rf"(arith\.constant ){extent}(?= :)", rf"\g<1>{smaller}", text)

    def _accept(self, candidates: Iterator[str | None]) -> int | None:
        """Judge candidates and keep the first interesting one; return its number."""
        waiting: list[tuple[int, str, Future[bool] | None]] = []
        numbered = enumerate(candidates)
        while True:
            for number, text in numbered:
                if text is None or text in self.seen:
                    continue
                self.seen.add(text)
                waiting.append((number, text, self.pool.submit(call_worker, text) if self.pool else None))
                if len(waiting) >= self.window:
                    break
            if not waiting:
                return None
            if time.monotonic() > self.deadline:
                self.finished = False
                return None
            number, text, future = waiting.pop(0)
            self.tried += 1
            if self.interesting(text) if future is None else future.result():
                self.seen -= {other for _, other, _ in waiting}
                self.best = text
                return number


def _candidate(module: ModuleOp, change: Callable[[ModuleOp], bool]) -> str | None:
    """Return the text of a changed copy; `None` if the change does not apply or leaves no program."""
    copy = clone(module)
    try:
        return print_module(copy) if change(copy) else None
    except Exception:
        # An operation that lacks what its class requires can't be printed, and is no program.
        return None
