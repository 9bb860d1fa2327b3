"""The command `test`: every RUN-CHECK of every file, on every target that it names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptoas.compiler import run as machine
from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span, UsageError
from ptoas.diagnostics.render import render, visible
from ptoas.grammar.internal_error import internal_error
from ptoas.grammar.parse import parse, read_source
from ptoas.project.build_output import golden_of, is_unit
from ptoas.runner.assertions import Assertion, check, find_assertions
from ptoas.runner.in_file import find_arguments
from ptoas.runner.reference import ReferenceArrays
from ptoas.targets import TARGETS, get_target
from ptoas.targets.named import module_target
from ptoas.verifier.verify import targets_of

NOTHING = "PTO-E955"


@dataclass(frozen=True)
class CheckOutcome:
    """Result of one check on one target; if a program does not run, all of its checks fail."""

    path: str
    line: int
    target: str
    text: str
    seconds: float = 0.0
    findings: tuple[Diagnostic, ...] = ()
    ran: bool = True

    @property
    def ok(self) -> bool:
        return not self.findings

    @property
    def name(self) -> str:
        target = f" [{self.target}]" if self.target else ""
        return f"{self.path}:{self.line}{target} {self.text}".rstrip()

    def shown(self) -> str:
        return f"{'ok  ' if self.ok else 'fail'}  {visible(self.name)}"


def run_tests(
    path: str, targets: tuple[str, ...] = (), selected: str | None = None, allow_python: bool = False
) -> list[CheckOutcome]:
    """The checks of one file that are for one of these targets (none: for any) and named as wanted."""
    try:
        return list(_tests(path, targets, selected, allow_python))
    except PtoasError as error:
        return [_broken(path, error.diagnostics)]
    except UsageError as error:
        return [_broken(path, (Diagnostic("PTO-T202", str(error), Span(Source("", path), 0)),))]
    except Exception as error:
        return [_broken(path, (internal_error(error, ("test", path), path),))]


def crashed(finding: Diagnostic) -> list[CheckOutcome]:
    """Return the outcome of a file that kills the process that runs its checks."""
    return [_broken(finding.span.file, (finding,))]


def _broken(path: str, findings: Sequence[Diagnostic]) -> CheckOutcome:
    """Return the outcome of a file that can't be read, or whose comments can't."""
    errors = tuple(d for d in findings if d.is_error)
    return CheckOutcome(path, errors[0].span.line if errors else 1, "", "", findings=errors, ran=False)


def _tests(
    path: str, targets: tuple[str, ...], selected: str | None, allow_python: bool
) -> Iterator[CheckOutcome]:
    source = read_source(path)
    found = find_assertions(source)
    if not found:
        yield from _of_unit(source, targets, selected)
        return
    named = _named(source, found)
    for target in named:
        if targets and target not in targets:
            continue
        meant = [a for a in found if not a.targets or target in a.targets]
        tests = {CheckOutcome(path, a.span.line, target, a.text): a for a in meant}
        chosen = {
            one: a for one, a in tests.items() if selected is None or selected.lower() in one.name.lower()
        }
        if chosen:
            yield from _on(source, target, chosen, allow_python)


def _of_unit(source: Source, targets: tuple[str, ...], selected: str | None) -> Iterator[CheckOutcome]:
    """A unit of PyPTO: run on its golden data and compared with it; without data, on generated arguments."""
    path = source.filename
    if not is_unit(path):
        return
    module = parse(source.text, path)
    golden = golden_of(path, module)
    text = "golden data" if golden else "generated arguments"
    for target in targets_of(module):
        outcome = CheckOutcome(path, 1, target.name, text)
        left_out = selected is not None and selected.lower() not in outcome.name.lower()
        if left_out or (targets and target.name not in targets):
            continue
        started, ran = time.perf_counter(), False
        problems: tuple[Diagnostic, ...] = ()
        try:
            inputs = golden.inputs if golden else ()
            result = machine.run_texts(lambda: parse(source.text, path), inputs, target, on_output=None)
            ran = True
            if golden is not None and result is not None:
                for expected in golden.outputs:
                    machine.check_expected(result, expected, golden.rtol, golden.atol)
        except PtoasError as error:
            problems = tuple(d for d in error.diagnostics if d.is_error)
        seconds = time.perf_counter() - started
        yield replace(outcome, findings=problems, seconds=seconds, ran=ran)


def _named(source: Source, found: Sequence[Assertion]) -> list[str]:
    """The targets that the checks name; a check that names none is for the program's own, else for all."""
    named = {target for assertion in found for target in assertion.targets}
    if not all(assertion.targets for assertion in found):
        own = module_target(parse(source.text, source.filename))
        named |= set(TARGETS) if own is None else {get_target(own).name}
    return [target for target in TARGETS if target in named]


def _on(
    source: Source, target: str, chosen: dict[CheckOutcome, Assertion], allow_python: bool
) -> Iterator[CheckOutcome]:
    """Run the program once, and yield the outcome of each check."""

    started = time.perf_counter()
    problems: tuple[Diagnostic, ...] = ()
    names: dict[str, Any] = {}
    arrays: ReferenceArrays | None = None
    try:
        arguments = find_arguments(source, target)
        ranks = arguments.options.pop("ranks", None)
        result = machine.run_texts(
            lambda: parse(source.text, source.filename),
            arguments.values,
            target,
            ranks,
            **arguments.options,
            keep_initial=True,
            on_output=None,
        )
        if result is not None:
            names = {**{k: v for k, v in result.arguments.items() if v is not None}, **result.outputs}
            arrays = ReferenceArrays.of(result, allow_python)
    except PtoasError as error:
        problems = tuple(d for d in error.diagnostics if d.is_error)
    except UsageError as error:
        problems = (Diagnostic("PTO-T202", str(error), Span(source, 0, 1)),)
    except Exception as error:
        problems = (internal_error(error, ("test", source.filename), source.filename),)
    share = (time.perf_counter() - started) / len(chosen)
    for outcome, assertion in chosen.items():
        if problems:
            yield replace(outcome, findings=problems, seconds=share, ran=False)
            continue
        wrong = check(assertion, names, arrays)
        findings = () if wrong is None else (replace(wrong, targets=(target,)),)
        yield replace(outcome, findings=findings, seconds=share)


def nothing(paths: Sequence[str], files: int, chosen: bool) -> Diagnostic:
    """Error for files without tests."""
    where = ", ".join(paths) if files == 1 else f"{', '.join(paths)} ({files} files)"
    what = f"-k and --target leave no RUN-CHECK of {where}" if chosen else f"there is no RUN-CHECK in {where}"
    fix = None if chosen else "write one: `# RUN-CHECK: out == rows(table, indices)`"
    return Diagnostic(NOTHING, what, Span(Source("", " ".join(paths)), 0), fix=fix)


def summary(outcomes: Sequence[CheckOutcome], files: int, seconds: float, chosen: bool = False) -> str:
    failed = sum(not one.ok for one in outcomes)
    idle = 0 if chosen else files - len({one.path for one in outcomes})
    words = f"{len(outcomes)} check{'s' * (len(outcomes) != 1)} in {files} file{'s' * (files != 1)}"
    words += f": {len(outcomes) - failed} ok, {failed} failed"
    words += f"; {idle} file{'s' * (idle != 1)} without a check" if idle else ""
    return f"{words} ({seconds:.1f} s)"


def junit(outcomes: Sequence[CheckOutcome], seconds: float) -> str:
    """The outcomes as JUnit's XML, as CI hosts read it: a suite a file, a case a check and target."""
    from xml.etree import ElementTree as Xml

    root = Xml.Element("testsuites", {"name": "ptoas", **_counts(outcomes), "time": f"{seconds:.3f}"})
    for path in dict.fromkeys(one.path for one in outcomes):
        inside = [one for one in outcomes if one.path == path]
        spent = sum(one.seconds for one in inside)
        about = {"name": visible(path), **_counts(inside), "time": f"{spent:.3f}"}
        suite = Xml.SubElement(root, "testsuite", about)
        for one in inside:
            case = Xml.SubElement(
                suite,
                "testcase",
                classname=visible(path),
                name=visible(one.name.removeprefix(f"{path}:")),
                file=visible(path),
                line=str(one.line),
                time=f"{one.seconds:.3f}",
            )
            if one.findings:
                kind = "failure" if one.ran else "error"
                first = one.findings[0]
                element = Xml.SubElement(case, kind, message=visible(first.message), type=first.code)
                element.text = "\n".join(visible(line) for line in render(one.findings).split("\n"))
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, "unicode") + "\n"


def _counts(outcomes: Sequence[CheckOutcome]) -> dict[str, str]:
    failures = sum(not one.ok and one.ran for one in outcomes)
    errors = sum(not one.ok and not one.ran for one in outcomes)
    return {"tests": str(len(outcomes)), "failures": str(failures), "errors": str(errors)}
