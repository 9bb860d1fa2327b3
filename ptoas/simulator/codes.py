"""Codes of `compare`: reasons why it cannot answer, and differing results."""

from __future__ import annotations

from collections.abc import Sequence

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Span
from ptoas.diagnostics.codes import register

COMPARING: dict[str, tuple[str, str]] = {
    "PTO-R710": (
        "the compiled program and `run` differ",
        "An output of the program that the C++ compiler built differs from that of `run --target "
        "cpu`. If the simulator is known to execute an instruction of the program in another way than "
        "documented, a note names it.",
    ),
    "PTO-R711": (
        "there is no C++ compiler",
        "`--cxx` names a compiler of C++20; without it `$CXX`, `clang++` and `g++` are tried.",
    ),
    "PTO-R712": (
        "the instruction library was not found",
        "`--include` must name the directory that contains `pto/pto-inst.hpp`: `include` of the library.",
    ),
    "PTO-R713": (
        "the C++ does not compile",
        "The library or the compiler rejects the output of `lower`; the first lines tell why. `--keep "
        "DIR` keeps all of it.",
    ),
    "PTO-R714": (
        "the compiled program failed",
        "It aborted, crashed, or wrote less than its outputs; its first lines tell why.",
    ),
    "PTO-R715": (
        "the compiled program did not end in time",
        "It was stopped after `--timeout` seconds. Instructions that wait for another core or rank "
        "wait for ever in a program that runs on one core.",
    ),
    "PTO-R716": (
        "an argument can't be passed to the compiled program",
        "Tables of ranks, and tiles that another function places, can't be passed to a program that "
        "calls only the entry.",
    ),
}

register(COMPARING)


def problem(
    code: str, message: str, span: Span, notes: Sequence[Note] = (), fix: str | None = None
) -> PtoasError:
    """A finding with one of these codes, to raise."""
    assert code in COMPARING, code
    return PtoasError([Diagnostic(code, message, span, notes=tuple(notes), fix=fix, targets=("cpu",))])
