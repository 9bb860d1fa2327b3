"""Codes of `compare`: reasons why it cannot answer, and differing results."""

from __future__ import annotations

from collections.abc import Sequence

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Span
from ptoas.diagnostics.codes import register

COMPARING: dict[str, tuple[str, str]] = {
    "PTO-R710": (
        "the compiled program gives what `run` gives",
        "An output of the program that the C++ compiler made differs from that of `run --target cpu`. Where "
        "an instruction of the program is known to be simulated otherwise than documented, a note names it.",
    ),
    "PTO-R711": (
        "there is a C++ compiler",
        "`--cxx` names a command that makes a program of C++20; without it `$CXX`, `clang++` and `g++` are "
        "tried.",
    ),
    "PTO-R712": (
        "the instruction library is where `--include` says",
        "The directory holds `pto/pto-inst.hpp`: in a copy of the library it is the one called `include`.",
    ),
    "PTO-R713": (
        "the C++ compiles",
        "The library or the compiler refuses what `lower` writes; the first lines say why. `--keep DIR` "
        "keeps all of it.",
    ),
    "PTO-R714": (
        "the compiled program runs to its end",
        "It stopped itself, crashed, or wrote less than its outputs; its first lines say why.",
    ),
    "PTO-R715": (
        "the compiled program ends in time",
        "It was stopped after `--timeout` seconds. Instructions that wait for another core or rank wait for "
        "ever in a program that runs on one.",
    ),
    "PTO-R716": (
        "what is passed can be passed",
        "Tables of ranks and tiles that another function places mean nothing to a program that calls the "
        "entry alone.",
    ),
}

register(COMPARING)


def problem(
    code: str, message: str, span: Span, notes: Sequence[Note] = (), fix: str | None = None
) -> PtoasError:
    """A finding with one of these codes, to raise."""
    assert code in COMPARING, code
    return PtoasError([Diagnostic(code, message, span, notes=tuple(notes), fix=fix, targets=("cpu",))])
