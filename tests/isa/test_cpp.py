"""The annotated programs: every `cpp` line is a statement of the C++ that the program becomes."""

from __future__ import annotations

from collections import Counter

import pytest

from ptoas.compiler.lower import lower
from ptoas.diagnostics import PtoasError
from ptoas.grammar.parse import parse

from .annotations import Program, all_programs

CASES = [(program, target) for program in all_programs() for target in program.cpp]


def cpp(program: Program, target: str) -> str:
    options = program.options
    return lower(
        parse(program.text, "program.pto"),
        target,
        aicore="aicore" in options,
        sync=options.get("sync"),
        legalize="legalize" in options,
        isa=options.get("isa"),
    )


@pytest.mark.parametrize(("program", "target"), CASES, ids=lambda x: getattr(x, "name", x))
def test_the_statements_stand_in_the_cpp_in_their_order(program: Program, target: str) -> None:
    refusal = program.refusal(program.cpp, target)
    if refusal:
        with pytest.raises(PtoasError) as error:
            cpp(program, target)
        assert Counter((d.span.line + program.line - 1, d.code) for d in error.value.diagnostics) == refusal
        return
    text = cpp(program, target)
    rest = (line.strip() for line in text.splitlines())
    for _, statement in program.cpp[target]:
        # Asking an iterator leaves what follows for the next one.
        assert statement in rest, f"{statement}\nis not, or not in this place, in\n{text}"
