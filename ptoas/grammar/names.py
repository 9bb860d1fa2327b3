"""Names of a file and errors about them."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import Any

from xdsl.ir import SSAValue

from ptoas.diagnostics import Diagnostic, Edit, Note, Source, Span
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.grammar import tree as t
from ptoas.grammar.layout import RawStatement
from ptoas.grammar.problems import Consequence, NotLoaded, StatementProblem
from ptoas.grammar.spans import span_of
from ptoas.grammar.suggestions import edits_of
from ptoas.ir.location import SourceLocation
from ptoas.ir.names import set_name


class _Poison:
    """Class of `POISON`, which is its own type and so can be found among types."""

    type: _Poison


POISON: Any = _Poison()
"""Placeholder of a value whose definition is invalid; its uses are not reported."""
POISON.type = POISON


MOST_PROBLEMS = 200
"""Maximum number of problems of a file, which is then probably not a program."""


class TooManyProblems(Exception):
    """Raised when `MOST_PROBLEMS` is exceeded."""


class ValueScope:
    """Collector of problems, and symbol table of values."""

    def __init__(self, source: Source):
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.values: dict[str, object] = {}
        self.places: dict[str, int] = {}
        self.hints: list[tuple[SSAValue, str]] = []

    # --- reporting

    def report(
        self,
        code: str,
        message: str,
        offset: int,
        length: int,
        fix: str | None = None,
        notes: tuple[Note, ...] = (),
        edits: tuple[Edit, ...] = (),
    ) -> None:
        span = Span(self.source, offset, max(1, length))
        if len(self.diagnostics) == MOST_PROBLEMS:
            message = f"more than {MOST_PROBLEMS} problems; the rest of the file is not checked"
            self.diagnostics.append(Diagnostic("PTO-P014", message, span))
            raise TooManyProblems

        edits = edits or edits_of(code, message, fix, self.source, offset, length)
        self.diagnostics.append(Diagnostic(code, message, span, notes=notes, fix=fix, edits=edits))

    def report_problem(self, raw: RawStatement, problem: StatementProblem) -> None:
        if isinstance(problem, Consequence):
            return
        node = problem.at
        if problem.culprit is not None and isinstance(problem.culprit.location, SourceLocation):
            span = span_of(problem.culprit)
            self.report(problem.code, problem.message, span.offset, span.length, problem.fix)
            return
        if node is None:
            # Bodies are cut out of a statement's text; the caret goes along the line as it is written.
            line = self.source.text[raw.start : raw.end].split("\n", 1)[0].rstrip()
            first = raw.text.split("\n", 1)[0]
            self.report(problem.code, problem.message, raw.start, min(len(first), len(line)), problem.fix)
            return
        if isinstance(problem, NotLoaded):
            problem.fix = f"load it first: `%t = tload {raw.text[node.start : node.end]}`"
        start = raw.source_offset(node.start)
        end = raw.source_offset(node.end - 1) + 1 if node.end > node.start else start
        notes = tuple(Note(m, Span(self.source, at, length)) for m, at, length in problem.notes)
        edits = (self._edit(raw, *problem.edit),) if problem.edit is not None else ()
        self.report(problem.code, problem.message, start, end - start, problem.fix, notes, edits)

    def _edit(self, raw: RawStatement, node: t.Node, text: str) -> Edit:
        """An unsafe edit of a statement."""
        start = raw.source_offset(node.start)
        return Edit(Span(self.source, start, raw.source_offset(node.end) - start), text, safe=False)

    # --- names

    def define(self, name: str, value: SSAValue, offset: int) -> None:
        """Define a name, and give it to its value; `%x#0` and names that are numbers are not kept."""
        if not name[0].isdigit() and "#" not in name:
            set_name(value, name)
            self.hints.append((value, name))
        if not name.isascii():
            # As in MLIR; letters that look alike would make two names of what reads as one.
            message = f"`%{name}`: names consist of a to z, A to Z, digits, `_`, `$`, `.` and `-`"
            self.report("PTO-P010", message, offset, len(name) + 1)
            self.values[name] = POISON
            return
        if self.values.get(name, POISON) is not POISON:
            earlier = self.places.get(name)
            notes = (
                (Note("defined here", Span(self.source, earlier, len(name) + 1)),)
                if earlier is not None
                else ()
            )
            self.report(
                "PTO-P031",
                f"`%{name}` is already defined",
                offset,
                len(name) + 1,
                self._another_name(name, offset),
                notes,
            )
            return
        self.values[name] = value
        self.places[name] = offset

    def _another_name(self, name: str, offset: int) -> str:
        """The fix of a name that is defined twice; a tile can also be overwritten."""
        text = self.source.text[offset:]
        statement = re.match(rf"%{re.escape(name)}\s*=\s*((?:pto\.)?t\w+)\s", text)
        if statement is None:
            return "give it another name"
        return f"give it another name, or overwrite the tile: `{statement[1]} %{name}, ...`"

    def settle_names(self) -> None:
        """Number values that share a name where xDSL's numbering would collide with another name.

        It numbers the second `x` `x_1`, which collides if the author has an `x_1` as well.
        """
        counts = Counter(name for _, name in self.hints)
        shared = {
            name for name, count in counts.items() if any(f"{name}_{k}" in counts for k in range(1, count))
        }
        met: set[str] = set()
        for value, name in self.hints:
            if name in shared and name in met:
                number = next(k for k in itertools.count(1) if f"{name}_{k}" not in counts)
                name = f"{name}_{number}"
                counts[name] += 1
                set_name(value, name)
            met.add(name)
        self.hints = []

    def report_undefined(self, raw: RawStatement, name: str, offset: int) -> None:
        """Report an undefined name of a statement, with its definition elsewhere or a similar name."""
        text = self.source.text
        definition = re.compile(rf"%{re.escape(name)}(?![\w$.-])(?::\d+)?(?:\s*,\s*%[\w$.:-]+)*\s*=(?!=)")
        # Only the enclosing function is searched.
        first, last = max(text.rfind("func.func", 0, raw.start), 0), text.find("func.func", raw.end)
        later = definition.search(text, raw.end, last if last >= 0 else len(text))
        if later is not None:
            note = Note("defined here", Span(self.source, later.start(), len(name) + 1))
            self.report(
                "PTO-P030", f"`%{name}` is used before it is defined", offset, len(name) + 1, None, (note,)
            )
            return
        earlier = definition.search(text, first, raw.start)
        if earlier is not None:
            note = Note("defined here, inside a body", Span(self.source, earlier.start(), len(name) + 1))
            message = f"`%{name}` is not visible outside the body that defines it"
            self.report("PTO-P030", message, offset, len(name) + 1, None, (note,))
            return
        fix = did_you_mean(name, (n for n, v in self.values.items() if v is not POISON), before="%")
        if fix is None and "func.func" not in text:
            fix = f"an argument is declared before: `.arg %{name} : !pto.memref<16x32xf32>`"
        self.report("PTO-P030", f"`%{name}` is not defined", offset, len(name) + 1, fix)
