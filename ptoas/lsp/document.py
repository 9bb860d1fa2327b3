"""An open document: its statements and tokens, and the operations that they made.

A text with mistakes is read as far as it goes: the statements that are right have made their operations, and
the tokens of the others are there all the same.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.diagnostics import Diagnostic, PtoasError, Source
from ptoas.grammar.build import Builder
from ptoas.grammar.layout import RawStatement, blank_comments, ignore_diagnostics, split_statements
from ptoas.grammar.parse import read
from ptoas.grammar.scan import scan


class SourceToken(NamedTuple):
    """A token with its place in the source."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(eq=False)
class SourceStatement:
    """A statement of the text, with the statement that encloses it."""

    raw: RawStatement
    parent: SourceStatement | None
    depth: int
    regions: list[list[SourceStatement]] = field(default_factory=list["list[SourceStatement]"])

    @property
    def start(self) -> int:
        return self.raw.start

    @property
    def end(self) -> int:
        return self.raw.end

    @cached_property
    def tokens(self) -> tuple[SourceToken, ...]:
        """Its tokens in order; a body is one, `REGION`, of no length."""
        raw, found = self.raw, list[SourceToken]()
        for kind, start, end in scan(raw.text):
            if kind == "REGION":
                found.append(SourceToken(kind, raw.source_offset(start), raw.source_offset(start), ""))
                continue
            at = raw.source_offset(start)
            found.append(SourceToken(kind, at, at + end - start, raw.text[start:end]))
        return tuple(found)

    @cached_property
    def opcode(self) -> SourceToken | None:
        """The opcode: the first word after the results."""
        for token in self.tokens:
            if token.kind in ("RESULTS", "EQUAL"):
                continue
            return token if token.text[:1].isalpha() or token.text[:1] in '_".' else None
        return None

    @property
    def is_function(self) -> bool:
        return bool(self.tokens) and self.tokens[0].kind == "FUNC"

    @property
    def function(self) -> SourceStatement | None:
        """The function itself or the enclosing one."""
        at: SourceStatement | None = self
        while at is not None and not at.is_function:
            at = at.parent
        return at


class RecordingBuilder(Builder):
    """Reads a text and remembers what each statement made and what each name stood for."""

    def __init__(self, source: Source):
        super().__init__(source)
        self.defined: dict[str, list[tuple[int, SSAValue]]] = {}
        """Definitions by name: position and value, in the order of the text."""
        self.made: dict[int, Operation] = {}
        """The last operation of each statement, by the statement's start."""

    def define(self, name: str, value: SSAValue, offset: int) -> None:
        super().define(name, value, offset)
        if self.values.get(name) is value:
            self.defined.setdefault(name, []).append((offset, value))

    def statement(self, raw: RawStatement, ops: list[Operation]) -> None:
        before = len(ops)
        super().statement(raw, ops)
        if len(ops) > before:
            self.made[raw.start] = ops[-1]


class Document:
    """One version of a text; results of queries are cached."""

    def __init__(self, text: str, filename: str, uri: str = "", version: int | None = None):
        # A byte order mark is not part of the program; a blank replaces it, so that offsets stay.
        self.source = Source(" " + text[1:] if text.startswith("\ufeff") else text, filename)
        self.uri, self.version = uri, version

    # --- reading

    @cached_property
    def _read(self) -> tuple[RecordingBuilder, ModuleOp | None, tuple[Diagnostic, ...]]:
        recorder = RecordingBuilder(self.source)
        try:
            module = read(recorder)
        except PtoasError as error:
            return recorder, None, error.diagnostics
        return recorder, module, ()

    @property
    def module(self) -> ModuleOp | None:
        """The program; none where the text has a mistake."""
        return self._read[1]

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Syntax errors of the text."""
        return self._read[2]

    @property
    def made(self) -> dict[int, Operation]:
        return self._read[0].made

    def value(self, name: str, start: int, at: int) -> SSAValue | None:
        """Return the attribute or operand `name` of the statement starting at `start`, as of offset `at`."""
        definitions = self._read[0].defined.get(name, ())
        return next((value for offset, value in reversed(definitions) if start <= offset <= at), None)

    # --- statements

    @cached_property
    def blanked(self) -> str:
        """The text without its comments, places kept."""
        return blank_comments(self.source.text, ignore_diagnostics)

    @cached_property
    def top(self) -> list[SourceStatement]:
        """The statements outside all bodies."""
        read = self._read[0].statements
        return _statements(read or split_statements(self.source.text, ignore_diagnostics), None, 0)

    @cached_property
    def statements(self) -> list[SourceStatement]:
        """All statements, in the order of the text."""
        return list(_flat(self.top))

    @cached_property
    def _starts(self) -> list[int]:
        return [statement.start for statement in self.statements]

    @cached_property
    def functions(self) -> list[SourceStatement]:
        """The statements that are functions; a bare program has none."""
        found: list[SourceStatement] = []
        for statement in self.top:
            inner = statement.regions[0] if statement.regions and not statement.is_function else []
            found += [each for each in (statement, *inner) if each.is_function]
        return found

    def statement_at(self, offset: int) -> SourceStatement | None:
        """The innermost statement at an offset; its end counts, for that is where one types."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return None
        statement: SourceStatement | None = self.statements[at]
        while statement is not None and offset > statement.end:
            statement = statement.parent
        return statement

    def token_at(self, offset: int) -> SourceToken | None:
        """The token at an offset, or that ends there."""
        statement = self.statement_at(offset)
        if statement is None:
            return None
        touching = [token for token in statement.tokens if token.start <= offset <= token.end and token.text]
        inside = [token for token in touching if offset < token.end]
        if (
            inside
            and len(touching) > 1
            and not inside[0].text[0].isalnum()
            and inside[0].text[0] not in "%@#!^"
        ):
            return touching[0]  # behind a word, before a bracket: the word is meant
        return (inside or touching or [None])[0]

    def scope_of(self, statement: SourceStatement) -> list[SourceStatement]:
        """The statements of the function, or of the bare program, around a statement."""
        function = statement.function
        return list(_flat([function])) if function is not None else self.statements

    def op_at(self, statement: SourceStatement) -> Operation | None:
        return self.made.get(statement.start)


def _statements(
    region: Sequence[RawStatement], parent: SourceStatement | None, depth: int
) -> list[SourceStatement]:
    found: list[SourceStatement] = []
    for raw in region:
        statement = SourceStatement(raw, parent, depth)
        statement.regions = [_statements(inner, statement, depth + 1) for inner in raw.regions]
        found.append(statement)
    return found


def _flat(statements: list[SourceStatement]) -> Iterator[SourceStatement]:
    for statement in statements:
        yield statement
        for region in statement.regions:
            yield from _flat(region)
