"""Splitter of a file into statements and regions; it reports brackets and strings that are not closed.

A statement is usually a line. It goes on over a line's end inside brackets, after a comma, and where the
next line can only continue it (`outs(...)`, `: type`, `{...}`, `shape = ...`). `;` ends one too. A region
is cut out of the statement that it belongs to; a mark stays behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ptoas.grammar.assembly_format import part_words

REGION_MARK = "\x00"
MAX_REGION_DEPTH = 100
MAX_BRACKET_DEPTH = 64
MAX_STATEMENT = 1 << 20

Report = Callable[[str, str, int, int], None]
"""Takes a code, a message, an offset and a length."""


def ignore_diagnostics(code: str, message: str, offset: int, length: int) -> None:
    """Report function for a text whose problems have been reported."""


class RawStatement:
    """A statement's text (comments blanked, regions marked), its place, and its regions' statements."""

    __slots__ = ("broken", "end", "pieces", "regions", "start", "text")

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        regions: Sequence[RawRegion] = (),
        pieces: Sequence[tuple[int, int]] = (),
        broken: bool = False,
    ):
        self.text = text
        self.start = start
        self.end = end
        self.regions = regions
        self.pieces = pieces
        """Offsets of the pieces after cut-out regions: in `text`, and in the source."""
        self.broken = broken
        """True if a bracket is not closed; the statement is not read any further."""

    def source_offset(self, offset: int) -> int:
        at = self.start + offset
        for text_offset, source_offset in self.pieces:
            if offset >= text_offset:
                at = source_offset + offset - text_offset
        return at


class RawRegion(list[RawStatement]):
    """The statements of a file or of a body."""

    read = False
    """True once the builder has read them."""


_SKIP = re.compile(r"[\s;]*")
_BLANK = re.compile(r"\s*")
_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|$)', re.M)
"""A string, perhaps unclosed."""
_HASH_COMMENT = re.compile(r"\#(?=[\s\#]|\Z)")
"""`# words`, `##`."""
_HASH_ALIAS = re.compile(r"\#[A-Za-z_][\w.$-]*\s*=")
_HASH_ATTRIBUTE = re.compile(r"\#[\w.$]+<")
_STRING_REST = re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*)*"')
_DICT = re.compile(r'\{\s*(?:\}|(?:[A-Za-z_][\w.$-]*|"[^"\n]*")\s*(?:=(?!=)|,|\}))')
_HEAD = re.compile(
    r"(?:%[^=\n]*=\s*)?"
    r"(?:(?:builtin\.)?module|func\.func|scf\.\w+|pto\.(?:section\.\w+|fusion_region))(?![\w.])"
)
_PARTS = ("to", "step", "else", "do", "case", "default", "iter_args", "attributes", "ins", "outs", "loc")
"""Starts of parts of a statement, besides the words of instructions' templates."""
_SWITCH_HEAD = re.compile(r"\bscf\.index_switch\s+%[\w$.-]+(?:#\d+)?$")
_OPEN_ENDED = (",", ":", "=", "->", "(", "[", "<")
_NEW_STATEMENT = re.compile(
    r'\s*(?:%[\w$.-]+(?::\d+)?(?:\s*,\s*%[\w$.-]+)*\s*=\s*["A-Za-z_]|(?:pto|arith|scf|func)\.\w(?![\w.$-]*\s*=)|return\b|\.(?:arg|const|target)\b)'
)
_EVENT = re.compile(r'[()\[\]{}<>";\n]')
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_LABEL = re.compile(r"\^[\w$.-]+\s*(?:\([^)]*\))?\s*:")


@cache
def _continues() -> re.Pattern[str]:
    """Pattern of a line that continues the previous statement."""
    parts = "|".join(sorted({*_PARTS, *part_words()}))
    # `a = tload %x` begins a statement, although its `%` is missing.
    instruction = r"\s*(?:[a-z][\w.]*\s+%|(?:pto|arith|scf|func)\.\w)"
    key = rf"[A-Za-z_][\w.$-]*\s*=(?!=)(?!{instruction})"
    return re.compile(rf"[:,=()\[\]>{{]|->|(?:{parts})\b(?!\.)|{key}")


def blank_comments(text: str, report: Report) -> str:
    """The text with comments turned into spaces, so that offsets stay; unclosed strings are reported."""
    pieces: list[str] = []
    done = 0
    for start, end in strings_and_comments(text):
        found = text[start:end]
        if found[0] != '"':
            pieces += text[done:start], " " * len(found)
        elif len(found) < 2 or found[-1] != '"' or (found.endswith('\\"') and not found.endswith('\\\\"')):
            report("PTO-P011", "this string is not closed on its line", start, 1)
            pieces += text[done:start], _closed_early(found)
        else:
            continue
        done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def comments_of(text: str) -> list[tuple[int, int]]:
    """The spans of the comments of a text, without surrounding space."""
    return [
        (start, start + len(text[start:end].rstrip()))
        for start, end in strings_and_comments(text)
        if text[start] != '"'
    ]


def strings_and_comments(text: str) -> Iterator[tuple[int, int]]:
    """The spans of strings and comments in order. Only possible starts are examined."""
    done = 0
    for at in sorted([*_all(text, '"'), *_all(text, "#"), *_all(text, "//")]):
        if at < done:
            continue
        if text[at] == '"':
            match = _STRING.match(text, at)
            if match is None:
                continue  # a line that ends in a backslash
            done = match.end()
        elif text[at] == "#" and not _is_comment(text, at):
            continue
        else:
            line = text.find("\n", at)
            done = len(text) if line < 0 else line
        yield at, done


def blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces at these spans, so that offsets stay."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += text[done:start], " " * (end - start)
        done = end
    return "".join([*pieces, text[done:]])


def _all(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _is_comment(text: str, at: int) -> bool:
    """Return True if a `#` begins a comment: before a space, or first on its line.

    An alias and an attribute of a longer list are not comments.
    """
    if _HASH_COMMENT.match(text, at):
        return True
    is_first = not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")
    if not is_first or _HASH_ALIAS.match(text, at):
        return False
    return not (_HASH_ATTRIBUTE.match(text, at) and _is_open_ended(text, at))


def _closed_early(text: str) -> str:
    """An unclosed string, closed where it probably ended, so that nothing else seems wrong; same length."""
    inside = re.match(r'"[^,)}\]>\n]+', text)
    if inside is None or inside.end() < 2:
        return " " * len(text)
    return '"' + "_" * (inside.end() - 2) + '"' + text[inside.end() :].replace('"', " ")


def _is_open_ended(text: str, at: int) -> bool:
    before = text[max(0, at - 200) : at].rstrip()
    return before.endswith(_OPEN_ENDED)


@dataclass
class _Open:
    """Statement being split, of which a region may be open."""

    start: int
    piece_start: int
    parts: list[str]
    regions: list[RawRegion]
    pieces: list[tuple[int, int]]
    brackets: list[tuple[str, int]]
    brace: int
    """Offset of the region's `{`."""
    siblings: RawRegion
    head: bool
    broken: bool = False
    """True if its brackets don't match."""


class StatementSplitter:
    """Single pass over the text; `statements` is the file's top level afterwards."""

    def __init__(self, text: str, report: Report):
        self.report = report
        self.continues = _continues()
        self.text = blank_comments(text, report)
        self.statements = RawRegion()
        self.current: RawRegion = self.statements
        self.open: list[_Open] = []
        self.too_deep = False
        self.outdented: list[int] = []
        """Regions whose `}` stands further left than the line that opens them."""

    def run(self) -> RawRegion:
        text, at, size = self.text, 0, len(self.text)
        while True:
            skip = _SKIP.match(text, at)
            at = skip.end() if skip else at
            if at >= size or self.too_deep:
                break
            if text[at] == "}":
                at = self._close_region(at)
            else:
                is_head = _HEAD.match(text, at) is not None
                at = self._scan(_Open(at, at, [], [], [], [], 0, self.current, is_head), at)
        if self.open and not self.too_deep:
            # Braces are counted, so that it is the outermost that is left; the layout shows which was meant.
            braces = [unclosed.brace for unclosed in self.open]
            for brace in [*self.outdented[: len(braces)], *braces][: len(braces)]:
                self.report("PTO-P012", "this `{` is never closed", brace, 1)
        return self.statements

    def _scan(self, statement: _Open, at: int) -> int:
        """Scan `statement` from `at` until it ends or a region opens; return the offset reached."""
        text = self.text
        brackets = statement.brackets
        if text[at : at + 1] == "^" and at == statement.start and (label := _LABEL.match(text, at)):
            return self._finish(statement, label.end())
        while True:
            event = _EVENT.search(text, at)
            if event is None or event.start() - statement.start > MAX_STATEMENT:
                return self._run_out(statement, len(text) if event is None else event.start())
            at, char = event.end(), event.group()
            if char == '"':
                # Comments and unclosed strings are gone, so the string ends on this line.
                close = _STRING_REST.match(text, at)
                at = close.end() if close else at
            elif char == "\n":
                if not brackets and self._ends_before(statement, at):
                    return self._finish(statement, event.start())
                if brackets and _NEW_STATEMENT.match(text, at):
                    self._report_open(brackets)
                    return self._finish(statement, event.start(), broken=True)
            elif char == ";":
                if not brackets:
                    return self._finish(statement, event.start())
            elif char == "{" and self._opens_region(statement, event.start()):
                return self._enter_region(statement, event.start())
            elif char in "([{<":
                if char == "<" and text[at : at + 1] == "=":
                    continue
                brackets.append((char, event.start()))
                if len(brackets) > MAX_BRACKET_DEPTH:
                    self.report(
                        "PTO-P014",
                        f"brackets are nested more than {MAX_BRACKET_DEPTH} deep",
                        event.start(),
                        1,
                    )
                    return self._skip_statement(at)
            elif char == "}" and not any(b == "{" for b, _ in brackets):
                if brackets:
                    self._report_open(brackets)
                return self._finish(statement, event.start(), broken=bool(brackets))
            elif char == ">" and (text[event.start() - 1] == "-" or not brackets or brackets[-1][0] != "<"):
                continue
            elif not self._close_bracket(brackets, char, event.start()):
                statement.broken = True

    def _ends_before(self, statement: _Open, at: int) -> bool:
        blank = _BLANK.match(self.text, at)
        assert blank is not None
        if blank.end() >= len(self.text):
            return True
        if self.continues.match(self.text, blank.end()):
            return False
        return not self.text[statement.piece_start : at].rstrip().endswith(_OPEN_ENDED)

    def _close_bracket(self, brackets: list[tuple[str, int]], char: str, at: int) -> bool:
        """Pop the bracket closed by `char`; return False after reporting a mismatch."""
        if brackets and brackets[-1][0] == _CLOSERS[char]:
            brackets.pop()
            return True
        if any(b == _CLOSERS[char] for b, _ in brackets):
            while brackets[-1][0] != _CLOSERS[char]:
                self._report_open([brackets.pop()])
            brackets.pop()
        elif brackets:
            opened, _ = brackets.pop()
            self.report("PTO-P013", f"this `{char}` does not close the `{opened}` before it", at, 1)
        else:
            self.report("PTO-P013", f"this `{char}` has no opening bracket", at, 1)
        return False

    def _report_open(self, brackets: list[tuple[str, int]]) -> None:
        char, at = brackets[-1]
        self.report("PTO-P012", f"this `{char}` is never closed", at, 1)

    def _run_out(self, statement: _Open, at: int) -> int:
        if at - statement.start > MAX_STATEMENT:
            self.report(
                "PTO-P014",
                f"a statement has at most {MAX_STATEMENT:,} characters",
                statement.start,
                1,
            )
            return self._skip_statement(at)
        if statement.brackets:
            self._report_open(statement.brackets)
        return self._finish(statement, at, broken=bool(statement.brackets))

    def _skip_statement(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _finish(self, statement: _Open, end: int, broken: bool = False) -> int:
        tail = self.text[statement.piece_start : end].rstrip()
        text = "".join([*statement.parts, tail])
        if text.strip():
            last = statement.piece_start + len(tail)
            broken = broken or statement.broken
            self.current.append(
                RawStatement(text, statement.start, last, statement.regions, statement.pieces, broken)
            )
        return end

    def _opens_region(self, statement: _Open, at: int) -> bool:
        """Return True if a `{` starts a region; otherwise it starts a dictionary."""
        before = self.text[statement.piece_start : at].rstrip()
        if statement.brackets:
            # Only the generic form keeps regions inside brackets: `"op"(%a) ({...}, {...})`.
            in_list = len(statement.brackets) == 1 and statement.brackets[0][0] == "("
            return (
                in_list
                and before.endswith(("(", ","))
                and not before.endswith(("<(",))
                and self._is_generic(statement)
            )
        if before.endswith(("attributes", "<")):
            return False
        if _SWITCH_HEAD.search(before):
            return False  # its bodies follow `case` and `default`
        looks_like_dict = _DICT.match(self.text, at) is not None
        if statement.head:
            just_closed = bool(statement.regions) and not before
            return not (just_closed and looks_like_dict)
        return not looks_like_dict

    def _is_generic(self, statement: _Open) -> bool:
        first = (
            statement.parts[0] if statement.parts else self.text[statement.start : statement.start + 400]
        ).lstrip()
        return re.match(r'(?:%[^="]*=\s*)?"', first) is not None

    def _enter_region(self, statement: _Open, brace: int) -> int:
        if len(self.open) >= MAX_REGION_DEPTH:
            self.report("PTO-P014", f"regions are nested more than {MAX_REGION_DEPTH} deep", brace, 1)
            self.too_deep = True
            return len(self.text)
        statement.parts += [self.text[statement.piece_start : brace], REGION_MARK]
        statement.brace = brace
        region = RawRegion()
        statement.regions.append(region)
        self.open.append(statement)
        self.current = region
        return brace + 1

    def _close_region(self, at: int) -> int:
        if not self.open:
            self.report("PTO-P013", "this `}` has no opening `{`", at, 1)
            return at + 1
        statement = self.open.pop()
        indent = self._indent(at)
        if indent is not None and indent < (self._indent(statement.start) or 0):
            self.outdented.append(statement.brace)
        self.current = statement.siblings
        statement.piece_start = at + 1
        statement.pieces.append((sum(map(len, statement.parts)), at + 1))
        if not statement.brackets and self._region_ends_statement(at + 1):
            return self._finish(statement, at + 1)
        return self._scan(statement, at + 1)

    def _indent(self, at: int) -> int | None:
        """The indentation of a line if `at` is the first position on it."""
        start = self.text.rfind("\n", 0, at) + 1
        return at - start if not self.text[start:at].strip() else None

    def _region_ends_statement(self, at: int) -> bool:
        """Return True unless `else`, `do`, a type or the like continues the statement after a region."""
        blank = _BLANK.match(self.text, at)
        assert blank is not None
        return self.continues.match(self.text, blank.end()) is None


def split_statements(text: str, report: Report) -> RawRegion:
    """The statements of a file, regions inside their statements; problems go to `report`."""
    if (start := _overlong_line(text)) is not None:
        report(
            "PTO-P014",
            f"a line has at most {MAX_STATEMENT:,} characters",
            start,
            1,
        )
        return RawRegion()
    return StatementSplitter(text, report).run()


def _overlong_line(text: str) -> int | None:
    """The start of the first line that is too long for any statement; such a file is not read."""
    start = 0
    while len(text) - start > MAX_STATEMENT:
        end = text.rfind("\n", start, start + MAX_STATEMENT + 1)
        if end < 0:
            return start
        start = end + 1
    return None
