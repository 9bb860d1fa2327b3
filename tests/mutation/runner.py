"""Running tests against mutants.

The tests are collected once. Each mutant gets a fork of that process, in which the code of the changed
function is exchanged, and which runs only the tests that execute the changed line: those that noticed
another mutant before, then the fast ones. What takes effect while modules are imported is tried in a new
interpreter instead, whose import of that one module is changed. No file is ever written.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from .mutants import Mutant, mutants

KILLED, SURVIVED, TIMED_OUT, NOT_RUN = "killed", "survived", "timed out", "not run"

ROOT = Path(__file__).parents[2]
QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov", "-p", "no:randomly", "-s"]
MOST_BYTES = 8 << 30
MOST_CALLS = 60
OTHER_VARIABLES = 77
"""Exit code of a fork that could not be given the changed code."""
SKIPPED = pytest.skip.Exception


@dataclass(frozen=True)
class Module:
    """A module to be changed, wholly or in some of its functions and classes."""

    path: str
    only: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return str(ROOT / self.path)

    @property
    def name(self) -> str:
        return module_name(self.path)

    def mutants(self) -> list[Mutant]:
        source = Path(self.file).read_text()
        found = mutants(source)
        if not self.only:
            return found
        ranges = _ranges(source, self.only)
        return [m for m in found if any(m.line in lines for lines in ranges)]


def module_name(path: str) -> str:
    """By which a file is imported.

    >>> module_name("ptoas/targets/__init__.py")
    'ptoas.targets'
    """
    return ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")


def _ranges(source: str, names: Iterable[str]) -> list[range]:
    wanted = set(names)
    kinds = ast.FunctionDef | ast.ClassDef
    found = {
        node.name: range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and node.name in wanted
    }
    missing = wanted - set(found)
    assert not missing, f"no function or class {', '.join(sorted(missing))}"
    return list(found.values())


@dataclass
class Result:
    module: str
    mutant: Mutant
    outcome: str
    test: str = ""
    """The test that noticed."""


@dataclass
class Trace:
    """Which lines of some files each test runs, and how long it takes."""

    lines: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class Lines:
    """Records the lines of some files that are run."""

    def __init__(self, files: Iterable[str]):
        self.files = set(files)
        self.seen: set[tuple[str, int]] = set()
        self.calls: dict[CodeType, int] = {}

    def start(self) -> None:
        threading.settrace(self._call)
        sys.settrace(self._call)

    @staticmethod
    def stop() -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in self.files:
            return None
        # What the first calls do not run is left out: looking at all of them would take too long.
        self.calls[code] = calls = self.calls.get(code, 0) + 1
        if calls > MOST_CALLS:
            return None
        self.seen.add((code.co_filename, frame.f_lineno))
        return self._line

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


# --- forks ---------------------------------------------------------------------------------------


def _quiet() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)


def _limit(cpu: float) -> None:
    # A core dump of the limit's signal would take longer than the test.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _limit_soon(seconds: float) -> None:
    """A test that never ends is ended long before all of them would have to be."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (min(hard, int(time.process_time() + seconds) + 1), hard))


def _wait(pid: int, wall: float) -> int | None:
    """The exit code of a process group's leader; `None` when it had to be ended."""
    end = time.monotonic() + wall
    pause = 0.002
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return None if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
        if time.monotonic() > end:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return None
        time.sleep(pause)
        pause = min(pause * 1.3, 0.05)


class Forks:
    """A pytest plugin: in place of running the tests, runs them for every mutant."""

    def __init__(
        self,
        modules: Sequence[Module],
        chosen: Sequence[tuple[Module, Mutant]],
        lines: Lines,
        examples: int | None,
        seconds: float,
        verbose: bool,
        keep: str,
    ):
        self.seconds = seconds
        self.keep = re.compile(keep)
        self.examples = examples
        self.verbose = verbose
        self.modules = modules
        self.chosen = chosen
        self.at_import = lines
        self.trace = Trace()
        self.results: list[Result] = []
        self.functions: dict[str, list[FunctionType]] = {}
        self.killers: dict[str, int] = {}
        """When a test last noticed a mutant; neighbours are often noticed by the same."""
        self.report = -1
        """Where a fork tells which test failed."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self.keep.search(item.nodeid)]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for module in self.modules:
            # Many are imported when they are first needed, which must not be in a fork.
            importlib.import_module(module.name)
        Lines.stop()
        if session.testsfailed:
            raise session.Interrupted("the tests can't be collected")
        for item in session.items:
            _fewer_examples(item, self.examples)
        self._measure(session)
        self._find_functions()
        gc.freeze()
        total = sum(self.trace.seconds.values())
        print(f"  {len(session.items)} tests, {total:.0f} s; {len(self.chosen)} mutants", file=sys.stderr)
        start = time.monotonic()
        for n, (module, mutant) in enumerate(self.chosen, 1):
            result = self._try(session, module, mutant)
            self.results.append(result)
            if self.verbose:
                where = f"{time.monotonic() - start:.0f} s: {module.path}:{mutant.line}"
                words = f"{mutant.change}: {result.outcome} {result.test}: {mutant.text}"
                print(f"  {where}: {words}", file=sys.stderr)
            if result.test in self.trace.seconds:
                self.killers[result.test] = n
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        # A fork ends here: nobody reads how the test failed.
        if self.report >= 0 and call.excinfo is not None and not call.excinfo.errisinstance(SKIPPED):
            os.write(self.report, item.nodeid.encode())
            os._exit(1)

    # --- which test runs which line ---

    def _measure(self, session: pytest.Session) -> None:
        out, inp = os.pipe()
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            _quiet()
            self.report = inp
            found: dict[str, list[tuple[str, int]]] = {}
            seconds: dict[str, float] = {}
            for n, item in enumerate(session.items):
                lines = Lines(self.at_import.files)
                start = time.process_time()
                lines.start()
                following = session.items[n + 1] if n + 1 < len(session.items) else None
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                Lines.stop()
                seconds[item.nodeid] = time.process_time() - start
                found[item.nodeid] = sorted(lines.seen)
            with os.fdopen(inp, "w") as file:
                json.dump([found, seconds], file)
            os._exit(0)
        os.close(inp)
        with os.fdopen(out) as file:
            text = file.read()
        _, status = os.waitpid(pid, 0)
        if os.waitstatus_to_exitcode(status):
            raise session.Interrupted(f"a test fails without any change: {text}")
        found, seconds = json.loads(text)
        self.trace.lines = {test: {(f, n) for f, n in places} for test, places in found.items()}
        self.trace.seconds = seconds

    def _tests_of(self, session: pytest.Session, module: Module, mutant: Mutant) -> list[pytest.Item]:
        places = {(module.file, line) for line in mutant.lines}
        chosen = [item for item in session.items if places & self.trace.lines[item.nodeid]]
        chosen.sort(key=lambda item: (-self.killers.get(item.nodeid, 0), self.trace.seconds[item.nodeid]))
        spent = accumulate(self.trace.seconds[item.nodeid] for item in chosen)
        return [
            item
            for n, (item, sum_) in enumerate(zip(chosen, spent, strict=True))
            if not n or sum_ < self.seconds
        ]

    # --- one mutant ---

    def _find_functions(self) -> None:
        files = {module.file for module in self.modules}
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__code__.co_filename in files:
                self.functions.setdefault(thing.__code__.co_filename, []).append(thing)
        assert set(self.functions) == files, f"not imported from here: {files - set(self.functions)}"

    def _try(self, session: pytest.Session, module: Module, mutant: Mutant) -> Result:
        runs_at_import = any((module.file, line) in self.at_import.seen for line in mutant.lines)
        if not mutant.function:
            return self._afresh(module, mutant)
        tests = self._tests_of(session, module, mutant)
        result = self._in_fork(module, mutant, tests)
        if result.outcome in (SURVIVED, NOT_RUN) and runs_at_import:
            return self._afresh(module, mutant)
        return result

    def _in_fork(self, module: Module, mutant: Mutant, tests: list[pytest.Item]) -> Result:
        if not tests:
            return Result(module.path, mutant, NOT_RUN)
        changed = compile(mutant.tree(), module.file, "exec", dont_inherit=True)
        out, inp = os.pipe()
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            os.close(out)
            _quiet()
            self.report = inp
            _limit(10 + 4 * sum(self.trace.seconds[item.nodeid] for item in tests))
            try:
                if not exchange(self.functions.get(module.file, []), changed):
                    os._exit(OTHER_VARIABLES)
                for item, following in zip(tests, [*tests[1:], None], strict=True):
                    _limit_soon(3 + 4 * self.trace.seconds[item.nodeid])
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException as error:
                os.write(inp, f"{error.__class__.__name__} outside of a test".encode())
                os._exit(1)
            os._exit(0)
        os.close(inp)
        code = _wait(pid, 60 + 8 * sum(self.trace.seconds[item.nodeid] for item in tests))
        with os.fdopen(out) as file:
            test = file.read()
        if code == OTHER_VARIABLES:
            return self._afresh(module, mutant)
        return Result(module.path, mutant, _outcome(code), test)

    def _afresh(self, module: Module, mutant: Mutant) -> Result:
        """In a new interpreter, with all tests that run a line of the module, fast ones first."""
        tests = [
            test for test, places in self.trace.lines.items() if any(f == module.file for f, _ in places)
        ]
        tests.sort(key=lambda test: self.trace.seconds[test])
        seconds = sum(self.trace.seconds[test] for test in tests)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"file": module.file, "source": ast.unparse(mutant.tree()), "tests": tests}, file)
            file.flush()
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.mutation.fresh", file.name],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=lambda: _limit(30 + 4 * seconds),
            )
            try:
                text, _ = process.communicate(timeout=120 + 8 * seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return Result(module.path, mutant, TIMED_OUT)
        return Result(module.path, mutant, _outcome(process.returncode), text.decode().strip())


def _outcome(code: int | None) -> str:
    return TIMED_OUT if code is None else KILLED if code else SURVIVED


def exchange(functions: Iterable[FunctionType], module: CodeType) -> bool:
    """Give functions the code that a changed module has at their place; false where that can't be done, as
    the code uses other variables of what is around it."""
    codes: dict[tuple[str, int], CodeType] = {}

    def collect(code: CodeType) -> None:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                codes[constant.co_name, constant.co_firstlineno] = constant
                collect(constant)

    collect(module)
    for function in functions:
        old = function.__code__
        new = codes.get((old.co_name, old.co_firstlineno))
        if new is not None and new != old:
            if len(new.co_freevars) != len(old.co_freevars):
                return False
            function.__code__ = new
    return True


# --- a room --------------------------------------------------------------------------------------


def run_room(
    modules: Sequence[Module],
    tests: Sequence[str],
    deselect: Sequence[str] = (),
    chosen: Sequence[tuple[Module, Mutant]] | None = None,
    examples: int | None = None,
    seconds: float = 60,
    verbose: bool = False,
    keep: str = "",
) -> list[Result]:
    """Try mutants, all of the modules' without others being named, with the tests of some paths whose names
    match `keep`, and with at most `examples` examples of a property and `seconds` of tests for a mutant."""
    if chosen is None:
        chosen = [(module, mutant) for module in modules for mutant in module.mutants()]
    lines = Lines(module.file for module in modules)
    forks = Forks(modules, chosen, lines, examples, seconds, verbose, keep)
    with tempfile.TemporaryDirectory() as scratch:
        options = [*QUIET, "--no-header", "--no-summary", f"--basetemp={scratch}/t", f"--rootdir={ROOT}"]
        options += ["--hypothesis-profile=mutation"]
        options += [f"--deselect={name}" for name in deselect]
        _steady_hypothesis()
        lines.start()
        code = pytest.main([*options, *(str(ROOT / test) for test in tests)], plugins=[forks])
        Lines.stop()
    if len(forks.results) != len(chosen):
        raise RuntimeError(f"the tests did not run (pytest gave {code})")
    return forks.results


def _fewer_examples(item: pytest.Item, most: int | None) -> None:
    """A mutant that fails a property at all mostly fails one of its first examples."""
    from hypothesis import settings

    function: Any = getattr(item, "obj", None)
    own = getattr(function, "_hypothesis_internal_use_settings", None)
    if most is not None and own is not None and own.max_examples > most:
        function._hypothesis_internal_use_settings = settings(own, max_examples=most)


def _steady_hypothesis() -> None:
    """The same examples for every mutant."""
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutation",
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
