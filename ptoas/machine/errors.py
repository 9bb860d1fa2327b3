"""Run-time errors: the construction of findings; `data/codes/run.toml` explains their codes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.ir import Operation

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Severity, Source, Span, UsageError
from ptoas.diagnostics.codes import CODES, register_catalogue
from ptoas.grammar.spans import operand_span, span_of

register_catalogue("run")


def finding(
    code: str,
    message: str,
    op: Operation | None = None,
    *,
    operand: int | None = None,
    span: Span | None = None,
    notes: tuple[Note, ...] = (),
    fix: str | None = None,
    target: str | None = None,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A diagnostic of a run; the place is the operand if one is given, else the operation."""
    assert code in CODES, code
    if span is None:
        if op is None:
            span = Span(Source("", "<run>"), 0, 1)
        else:
            span = span_of(op) if operand is None else _operand_place(op, operand)
    return Diagnostic(code, message, span, severity, notes, fix, (target,) if target else (), op)


def failure(code: str, message: str, op: Operation | None = None, **rest: object) -> PtoasError:
    """The same as an exception to raise."""
    return PtoasError([finding(code, message, op, **rest)])  # pyright: ignore[reportArgumentType]


@contextmanager
def forgiving(forced: bool, place: Operation) -> Generator[None, None, None]:
    """The machine relies on the rules. What fails for a broken one is a finding, too."""
    try:
        yield
    except UsageError:
        raise
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if not forced:
            raise
        why = f"{type(error).__name__}: {error}".rstrip(": ")
        raise failure(
            "PTO-R508", f"the program is invalid and can't be run further ({why})", place
        ) from error


def _operand_place(op: Operation, operand: int) -> Span:
    try:
        return operand_span(op, operand)
    except (ImportError, ValueError, IndexError):
        return span_of(op)


def command_line_span(text: str) -> Span:
    """A place in an option as it was given."""
    return Span(Source(text, "<command line>"), 0, max(1, len(text)))


def line_of(op: Operation) -> int:
    """The line of the statement that made `op`; 0 when it came from no text."""
    span = span_of(op)
    return span.line if span.source.text else 0
