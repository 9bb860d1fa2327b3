"""Invariants of every text: permitted exceptions, and required parts of a diagnostic."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import NoTerminator

from ptoas.diagnostics import Diagnostic, PtoasError, Span
from ptoas.diagnostics.render import render, render_concise, render_github, render_json

T = TypeVar("T")


class Broken(AssertionError):
    """An invariant does not hold; `kind` says which, for telling failures apart."""

    def __init__(self, kind: str, detail: str):
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


@cache
def known_codes() -> frozenset[str]:
    from ptoas.project.explain import CODES

    return frozenset(CODES)


def check_span(span: Span, code: str, texts: Iterable[str]) -> None:
    """A span lies in its text, and that text is the file's, a command line's, or that of no file."""
    text = span.source.text
    if span.offset < 0 or span.offset > len(text) or span.length < 1:
        raise Broken(f"span of {code}", f"{span.offset}+{span.length} of {len(text)}")
    if span.length > 1 and span.offset + span.length > len(text):
        raise Broken(f"span of {code}", f"{span.offset}+{span.length} ends after {len(text)}")
    if text and not span.file.startswith("<") and text not in texts:
        raise Broken(f"source of {code}", f"{span.file}: {text[:80]!r}")


def check_diagnostics(diagnostics: Iterable[Diagnostic], *texts: str) -> frozenset[str]:
    """Check each one and its renderings; gives the codes."""
    found = tuple(diagnostics)
    for diagnostic in found:
        code = diagnostic.code
        if code not in known_codes():
            raise Broken(f"code {code}", diagnostic.message)
        if not diagnostic.message.strip():
            raise Broken(f"message of {code}", "empty")
        check_span(diagnostic.span, code, texts)
        for note in diagnostic.notes:
            if note.span is not None:
                check_span(note.span, f"{code}, a note", texts)
        if "\n" in render_concise(diagnostic) or "\n" in render_github(diagnostic):
            raise Broken(f"line of {code}", "a rendering of one line has two")
    for diagnostic in found[:5]:
        render(diagnostic, colour=True)
    render_json(found[:5])
    return frozenset(d.code for d in found)


def check_module(module: ModuleOp) -> None:
    """The module holds together, in xDSL's own words; but a scalar may have an unsigned type (D10)."""
    for op in module.walk():
        signed = not isinstance(op, ConstantOp) or "ui" not in str(op.result.type)
        if signed:
            op.verify(verify_nested_ops=False)
        for region in op.regions:
            for block in region.blocks:
                if block.last_op is None and not op.has_trait(NoTerminator):
                    raise Broken("module", f"an empty block in {op.name}")


def refused(action: Callable[[], T], *texts: str) -> tuple[T | None, frozenset[str]]:
    """The result of an action, or None and the codes of the one exception that it may raise."""
    try:
        return action(), frozenset()
    except PtoasError as error:
        if not error.diagnostics:
            raise Broken("no diagnostic", "a PtoasError says nothing") from error
        return None, check_diagnostics(error.diagnostics, *texts)
