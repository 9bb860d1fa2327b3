"""Assignment of comments to statements, so that a program in another form keeps its comments.

A comment on a line of its own belongs to the statement that follows, one at the end of a line to that of the
line. The operations of a module say which statements they come from.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.diagnostics import Source
from ptoas.grammar.layout import RawStatement, comments_of, ignore_diagnostics, split_statements
from ptoas.grammar.syntax import begins_container
from ptoas.ir.location import SourceLocation


@dataclass
class StatementComments:
    """The comments of one statement."""

    before: list[str] = field(default_factory=list[str])
    trailing: list[str] = field(default_factory=list[str])
    after: list[str] = field(default_factory=list[str])
    """Between the last statement of a region and its end."""


class Comments:
    """The comments of a module's text, by the statement that each belongs to."""

    def __init__(self, module: ModuleOp, slashes: bool, bare: FuncOp | None = None):
        """`slashes`: as `//`, which every reader of MLIR knows. `bare`: what is printed without its head."""
        self.head: list[str] = []
        self.tail: list[str] = []
        self._slashes = slashes
        self._by_start: dict[int, StatementComments] = {}
        self._left: Counter[int] = Counter()
        self._arguments: list[int] = []
        located = [op for op in module.walk() if isinstance(op.location, SourceLocation)]
        if not located:
            return
        self._source = _source(located[0])
        self._found = comments_of(self._source.text)
        if not self._found:
            return
        statements = split_statements(self._source.text, ignore_diagnostics)
        starts = sorted(raw.start for raw in statements)
        if bare is not None:
            self._arguments = [starts[bisect_right(starts, at) - 1] for at in _argument_offsets(bare)]
        heads = {raw.start for raw in _every(statements) if not begins_container(raw.text.removeprefix('"'))}
        for op in located:
            # What a bare program is wrapped in comes from no statement of its own.
            wrapped = isinstance(op, ModuleOp | FuncOp) and (bare is not None or _start(op) in heads)
            if _source(op) is self._source and not wrapped:
                self._left[_start(op)] += 1
        self._left.update(self._arguments)
        self._region(statements, 0, len(self._source.text), None)
        self._move(sorted(self._left))

    def of(self, op: Operation) -> StatementComments | None:
        """Return the comments of an operation to be printed."""
        location = op.location
        if (
            not self._by_start
            or not isinstance(location, SourceLocation)
            or location.source is not self._source
        ):
            return None
        return self._take(location.start)

    def of_argument(self, number: int) -> StatementComments | None:
        return self._take(self._arguments[number]) if number < len(self._arguments) else None

    def _take(self, start: int) -> StatementComments | None:
        """Take the comments before a statement for its first operation, and those after it for its last."""
        comments = self._by_start.get(start)
        if comments is None or not self._left[start]:
            return None
        self._left[start] -= 1
        now = StatementComments(comments.before)
        comments.before = []
        if not self._left[start]:
            now.trailing, now.after = comments.trailing, comments.after
        return now

    # --- where each belongs

    def _comments(self, start: int, end: int) -> list[tuple[int, int]]:
        return self._found[bisect_left(self._found, (start, 0)) : bisect_left(self._found, (end, 0))]

    def _text(self, comment: tuple[int, int]) -> str:
        words = self._source.text[slice(*comment)]
        return re.sub(r"^#+", "//", words) if self._slashes else words

    def _at(self, raw: RawStatement) -> StatementComments:
        return self._by_start.setdefault(raw.start, StatementComments())

    def _region(
        self, statements: Sequence[RawStatement], start: int, end: int, parent: RawStatement | None
    ) -> None:
        at, last = start, None
        for raw in statements:
            for comment in self._comments(at, raw.start):
                self._place(comment, at, last, raw, parent)
            self._inside(raw)
            at, last = raw.end, raw
        for comment in self._comments(at, end):
            self._place(comment, at, last, None, parent)

    def _place(
        self,
        comment: tuple[int, int],
        at: int,
        last: RawStatement | None,
        following: RawStatement | None,
        parent: RawStatement | None,
    ) -> None:
        text = self._text(comment)
        same_line = "\n" not in self._source.text[at : comment[0]]
        if same_line and last is not None:
            self._at(last).trailing.append(text)
        elif same_line and parent is not None:
            self._at(parent).before.append(text)
        elif parent is None and last is None:
            self.head.append(text)
        elif following is not None:
            self._at(following).before.append(text)
        elif parent is None:
            self.tail.append(text)
        elif last is not None:
            self._at(last).after.append(text)
        else:
            self._at(parent).before.append(text)

    def _inside(self, raw: RawStatement) -> None:
        """Assign the comments inside a statement and those of its regions."""
        starts = [raw.start, *(source for _, source in raw.pieces)]
        pieces = raw.text.split("\x00")
        for number, (start, piece) in enumerate(zip(starts, pieces, strict=True)):
            brace = start + len(piece)
            for comment in self._comments(start, brace):
                self._at(raw).before.append(self._text(comment))
            if number < len(raw.regions):
                self._region(raw.regions[number], brace + 1, starts[number + 1] - 1, raw)

    def _move(self, printed: list[int]) -> None:
        """Move comments of statements without an operation to the next statement with one."""
        for start in sorted(self._by_start.keys() - self._left.keys(), reverse=True):
            comments = self._by_start.pop(start)
            texts = [*comments.before, *comments.trailing, *comments.after]
            at = bisect_left(printed, start)
            if at == len(printed):
                self.tail[:0] = texts
            else:
                before = self._by_start.setdefault(printed[at], StatementComments()).before
                before[:0] = texts


def _every(statements: Iterable[RawStatement]) -> Iterable[RawStatement]:
    for raw in statements:
        yield raw
        for region in raw.regions:
            yield from _every(region)


def _argument_offsets(function: FuncOp) -> list[int]:
    location = function.location
    return [span.offset for span in location.arguments] if isinstance(location, SourceLocation) else []


def _source(op: Operation) -> Source:
    assert isinstance(op.location, SourceLocation)
    return op.location.source


def _start(op: Operation) -> int:
    assert isinstance(op.location, SourceLocation)
    return op.location.start
