"""The command `fmt` for each of its files."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.grammar.format import format_text
from ptoas.grammar.parse import read_source


@dataclass(frozen=True)
class Formatted:
    """A file before and after; with errors it could not be read, formatted or written."""

    name: str
    before: str = ""
    after: str = ""
    errors: tuple[Diagnostic, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after


def format_file(path: str, write: bool, stdin_filename: str | None) -> Formatted:
    """Format one file, in place if `write`; `-` is standard input, which is only read."""
    try:
        source = read_source(path)
        name = stdin_filename or source.filename if path == STANDARD_OUTPUT else path
        done = Formatted(name, source.text, format_text(source.text, name))
        if write and done.changed and path != STANDARD_OUTPUT:
            write_text(path, done.after)
    except PtoasError as error:
        return Formatted(path, errors=tuple(error.diagnostics))
    return done


def crashed(finding: Diagnostic) -> Formatted:
    """Return the result for a file that kills the process that formats it."""
    return Formatted(finding.span.file, errors=(finding,))
