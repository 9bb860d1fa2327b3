"""The command `test`: every RUN-CHECK of every file, on every target that it names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptoas.compiler.run import named_values, run_texts
from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span
from ptoas.diagnostics.render import render, visible
from ptoas.grammar.parse import parse, read_source
from ptoas.project.build_output import golden_of, is_unit
from ptoas.project.pool import collecting
from ptoas.runner.assertions import Assertion, check, find_assertions
from ptoas.runner.in_file import find_arguments
from ptoas.runner.reference import ReferenceArrays
from ptoas.runner.report import check_expected
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
    findings: list[Diagnostic] = []
    with collecting(Source("", path), "test", findings):
        return list(_tests(path, targets, selected, allow_python))
    return [_broken(path, findings)]


def crashed(finding: Diagnostic) -> list[CheckOutcome]:
    """Return the outcome of a file that kills the process that runs its checks."""
    return [_broken(finding.span.file, (finding,))]


def _broken(path: str, findings: Sequence[Diagnostic]) -> CheckOutcome:
    """Return the outcome of a file that can't be read, or whose comments can't."""
    line = findings[0].span.line if findings else 1
    return CheckOutcome(path, line, "", "", findings=tuple(findings), ran=False)


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
            result = run_texts(lambda: parse(source.text, path), inputs, target, on_output=None)
            ran = True
            if golden is not None and result is not None:
                for expected in golden.outputs:
                    check_expected(result, expected, golden.rtol, golden.atol)
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
    problems: list[Diagnostic] = []
    names: dict[str, Any] = {}
    arrays: ReferenceArrays | None = None
    with collecting(source, "test", problems):
        arguments = find_arguments(source, target)
        ranks = arguments.options.pop("ranks", None)
        result = run_texts(
            lambda: parse(source.text, source.filename),
            arguments.values,
            target,
            ranks,
            **arguments.options,
            keep_initial=True,
            on_output=None,
        )
        if result is not None:
            names = named_values(result)
            arrays = ReferenceArrays.of(result, allow_python)
    share = (time.perf_counter() - started) / len(chosen)
    for outcome, assertion in chosen.items():
        if problems:
            yield replace(outcome, findings=tuple(problems), seconds=share, ran=False)
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
