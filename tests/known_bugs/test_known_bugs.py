"""Broken forms are found at their lines, fixed ones are clean, and inserted flags do not have the bug."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ptoas.compiler.run import check_file, run_texts
from ptoas.diagnostics import Diagnostic, PtoasError, Source
from ptoas.lowering import prepare
from ptoas.runner.options import Result
from ptoas.targets import TARGETS
from ptoas.verifier.verify import verify
from tests.isa.annotations import Program
from tests.isa.test_cpp import cpp
from tests.isa.test_isa import check, found_in, module_of

from .reports import CLASSES, OF_TOOLS, BugReport, all_reports

SCHEDULES = 12

REPORTS = all_reports()
CASES = [(report, target) for report in REPORTS for target in report.targets]
ABOUT_FLAGS = [(report, target) for report, target in CASES if report.about_flags]


def name(value: BugReport | str) -> str:
    return value if isinstance(value, str) else value.path.stem


def run(program: Program, target: str, sync: str | None, force: bool = False) -> Result:
    """The result in several schedules; a finding in any of them is raised."""
    options = program.options
    result = run_texts(
        lambda: module_of(program),
        program.args,
        target,
        int(options["ranks"]) if "ranks" in options else None,
        sync=sync,
        isa=options.get("isa"),
        blocks=int(options.get("blocks", 1)),
        schedules=SCHEDULES,
        force=force,
    )
    assert result is not None
    return result


def run_clean(program: Program, target: str, sync: str | None) -> None:
    """No error, no warning of the run, and the values of the `run` lines, unless these are a refusal."""
    result = run(program, target, sync)
    assert not [warning.code for warning in result.warnings if warning.code.startswith("PTO-R")]
    lines = program.run.get(target, ())
    values = [f"# RUN-CHECK: {text}" for _, text in lines if not text.startswith("PTO-R")]
    if values:
        check_file(Source("\n".join(values), program.name), result)


def said_by_run(program: Program, target: str) -> Sequence[Diagnostic]:
    """The errors of a run, or the warnings of one that came to its end."""
    try:
        result = run(program, target, program.options.get("sync"), force=True)
    except PtoasError as error:
        return error.diagnostics
    return [warning for warning in result.warnings if warning.code.startswith("PTO-R")]


@pytest.mark.parametrize(("report", "target"), CASES, ids=name)
def test_the_broken_form_is_found_at_its_line(report: BugReport, target: str) -> None:
    for program in report.broken:
        if program.front_end:
            with pytest.raises(PtoasError) as error:
                module_of(program)
            found = Counter((d.span.line + program.line - 1, d.code) for d in error.value.diagnostics)
            assert found == program.expected(target)
            continue
        assert check(program, TARGETS[target]) == program.expected(target)
        refusal = program.refusal(program.run, target) if target in program.run else None
        if refusal:
            said = said_by_run(program, target)
            assert Counter((d.span.line + program.line - 1, d.code) for d in said) == refusal
        # On cpu, which has no pipes, nothing about flags is wrong.
        assert refusal or program.expected(target) or target == "cpu"


@pytest.mark.parametrize(("report", "target"), CASES, ids=name)
def test_the_fixed_form_is_clean(report: BugReport, target: str) -> None:
    for program in report.fixed:
        assert check(program, TARGETS[target]) == Counter()
        run_clean(program, target, program.options.get("sync"))


@pytest.mark.parametrize(("report", "target"), ABOUT_FLAGS, ids=name)
def test_automatic_synchronisation_does_not_have_the_bug(report: BugReport, target: str) -> None:
    """The broken program without its flags runs in every schedule, and what is inserted verifies."""
    for program in report.broken:
        run_clean(program, target, "auto")
        automatic = replace(program, options={**program.options, "sync": "auto"})
        assert cpp(automatic, target)
        inserted = prepare(module_of(program), target, sync="auto", isa=program.options.get("isa"))
        flags = {code for _, code in found_in(verify(inserted, target, sync="manual"), program)}
        assert not [code for code in flags if code.startswith("PTO-F")]


def test_every_class_has_a_report() -> None:
    assert {each for report in REPORTS for each in report.classes} == CLASSES


def test_every_report_has_both_forms() -> None:
    """Programs that another tool rejected or computed wrongly are accepted, and have no broken form."""
    for report in REPORTS:
        assert report.fixed
        assert report.broken or set(report.classes) <= OF_TOOLS
