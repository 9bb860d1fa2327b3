"""The annotated programs: what a `run` line says holds after a run.

Arguments are those of `# args:`, the others come from a fixed seed; a line is one of the language of
`ptoas run --check-file`.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ptoas.compiler.run import check_file, compile, read_arguments
from ptoas.diagnostics import PtoasError, Source
from ptoas.grammar.parse import parse
from ptoas.runner.kernel import Result
from ptoas.runner.ranks.in_process import run_in_process

from .annotations import Program, all_programs

CASES = [(program, target) for program in all_programs() for target in program.run]


def run(program: Program, target: str) -> Result:
    options = program.options
    kernel = compile(
        parse(program.text, "program.pto"),
        target,
        aicore="aicore" in options,
        sync=options.get("sync"),
        isa=options.get("isa"),
        legalize="legalize" in options,
        blocks=int(options.get("blocks", 1)),
    )
    if "ranks" in options:
        return run_in_process(kernel, int(options["ranks"]), program.args)
    return kernel.execute(read_arguments(kernel, program.args))


@pytest.mark.parametrize(("program", "target"), CASES, ids=lambda x: getattr(x, "name", x))
def test_run_checks_hold(program: Program, target: str) -> None:
    refusal = program.refusal(program.run, target)
    if refusal:
        with pytest.raises(PtoasError) as error:
            run(program, target)
        assert Counter((d.span.line + program.line - 1, d.code) for d in error.value.diagnostics) == refusal
        return
    checks = [f"# RUN-CHECK: {text}" for _, text in program.run[target]]
    assert check_file(Source("\n".join(checks), program.name), run(program, target)) == len(checks)
