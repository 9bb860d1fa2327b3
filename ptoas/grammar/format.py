"""One style for programs: indentation, spaces and blank lines, and nothing else.

It works on the words of a text, not on what they mean. So comments stay where they are, a program keeps the
form that it is written in, and one that can't be verified is formatted all the same. Only what `layout` can't
cut into statements is refused. As in gofmt, where a statement goes on over a line's end is for the author.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span
from ptoas.grammar.layout import REGION_MARK, RawStatement, comments_of, ignore_diagnostics, split_statements
from ptoas.grammar.scan import terminals

STEP = "  "
"""Indentation of a region's statements."""

_GOES_ON = "    "
"""Indentation of continuation lines."""

_BEFORE_COMMENT = "  "


@cache
def _token() -> re.Pattern[str]:
    """A word of a statement, mostly a terminal of the grammar; the rest is its own, in any text."""
    known = terminals()
    named = {
        "string": known["STRING"],
        "value": rf"{known['VALUE']}(?::\d{{1,4}}(?=\s*[,=]))?",
        "loc": known["LOC"],
        "opaque": known["BLOB"],
        "ours": rf"[!#]?pto(?:\.[\w$]+)*{known['ANGLE']}",
        "type": rf"[!#]\w[\w.$-]*(?:{known['ANGLE']})?|{known['TYPE']}",
        "angle": known["ANGLE"],
        "symbol": known["SYMBOL"],
        "label": known["LABEL"],
        "number": known["NUMBER"],
        "sign": "->|==",
        "word": r"[A-Za-z_.][\w$.]*(?:-(?!>)[\w$.]+)*",
        "other": r"\S",
    }
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in named.items()))


@dataclass(frozen=True)
class FormatToken:
    """A word of a statement, a comment, or a region, with its place in the source."""

    kind: str
    text: str
    start: int
    end: int
    region: Sequence[RawStatement] = ()


def format_text(text: str, filename: str = "<string>") -> str:
    """The text in the one style of ptoas. Raises `PtoasError` where strings or brackets are not closed.

    Comments are kept, and so is the form: AS, SSA or DPS. Formatting a second time changes nothing.

    >>> import ptoas
    >>> print(ptoas.format_text('''
    ... module{
    ... func.func @f(%a :i32){ // a comment
    ...        %b=arith.addi %a , %a:i32; return }
    ... }'''), end="")
    module {
      func.func @f(%a: i32) {  // a comment
        %b = arith.addi %a, %a : i32
        return
      }
    }
    """
    windows = "\r\n" in text
    text = text.replace("\r\n", "\n")
    source = Source(text, filename)
    problems: list[Diagnostic] = []

    def report(code: str, message: str, offset: int, length: int) -> None:
        problems.append(Diagnostic(code, message, Span(source, offset, length)))

    if REGION_MARK in text:
        report("PTO-P001", "this is not text: it contains a zero byte", text.index(REGION_MARK), 1)
        raise PtoasError(problems)
    statements = split_statements(text, report)
    if problems:
        raise PtoasError(problems)
    done = _Formatter(text).run(statements)
    if shape(done) != shape(text):
        # A `;` that kept two statements apart, for instance: better no new style than another program.
        message = "this can't be formatted without changing its meaning"
        raise PtoasError([Diagnostic("PTO-P090", message, Span(source, 0, 1))])
    return done.replace("\n", "\r\n") if windows else done


def shape(text: str) -> list[str]:
    """Return what formatting preserves: the tokens of each statement, its regions, and the comments."""
    statements = split_statements(text, ignore_diagnostics)
    found = list(_shape_of(statements, text))
    return [*found, *(text[start:end] for start, end in comments_of(text))]


def _shape_of(statements: Sequence[RawStatement], text: str) -> Iterator[str]:
    for raw in statements:
        for token in _tokens(raw, text, []):
            if token.kind == "region":
                yield "{"
                yield from _shape_of(token.region, text)
                yield "}"
            else:
                yield "".join(token.text.split()) if token.kind in ("ours", "loc") else token.text
        yield ";"


def _tokens(raw: RawStatement, text: str, comments: Sequence[tuple[int, int]]) -> Iterator[FormatToken]:
    """The words of a statement and the comments between them; each region is one of them."""
    starts = [raw.start, *(source for _, source in raw.pieces)]
    pieces = raw.text.split(REGION_MARK)
    for number, (start, piece) in enumerate(zip(starts, pieces, strict=True)):
        inside = [each for each in comments if start <= each[0] < start + len(piece)]
        for match in _token().finditer(piece):
            at, end = start + match.start(), start + match.end()
            while inside and inside[0][0] < at:
                yield FormatToken("comment", text[slice(*inside[0])], *inside.pop(0))
            within = [each for each in inside if each[0] < end]
            del inside[: len(within)]
            kind = "opaque" if within else match.lastgroup or "other"
            yield FormatToken(kind, text[at:end] if within else match.group(), at, end)
        for each in inside:
            yield FormatToken("comment", text[slice(*each)], *each)
        if number + 1 < len(pieces):
            brace, close = start + len(piece), starts[number + 1]
            yield FormatToken("region", "", brace, close, raw.regions[number])


class _Formatter:
    """Format the lines of a text."""

    def __init__(self, text: str):
        self.text = text
        self.comments = comments_of(text)
        self.lines: list[str] = []

    def run(self, statements: Sequence[RawStatement]) -> str:
        self._region(statements, 0, len(self.text), 0)
        return "".join(f"{line}\n" for line in _aligned(self.lines))

    def _comments(self, start: int, end: int) -> list[tuple[int, int]]:
        return self.comments[bisect_left(self.comments, (start, 0)) : bisect_left(self.comments, (end, 0))]

    def _region(self, statements: Sequence[RawStatement], start: int, end: int, depth: int) -> None:
        """Format the statements and comments of a region, at most one blank line apart."""
        items: list[tuple[int, int, RawStatement | None]] = []
        at = start
        for raw in statements:
            items += [(*comment, None) for comment in self._comments(at, raw.start)]
            items.append((raw.start, raw.end, raw))
            at = raw.end
        items += [(*comment, None) for comment in self._comments(at, end)]
        at, first = start, True
        for begin, stop, raw in items:
            gap = self.text.count("\n", at, begin)
            at = stop
            if raw is None and not gap and self.lines:
                self.lines[-1] += _BEFORE_COMMENT + self.text[begin:stop]
                continue
            if gap > 1 and not first:
                self.lines.append("")
            first = False
            if raw is None:
                self.lines.append(STEP * depth + self.text[begin:stop])
            else:
                self._statement(raw, depth)

    def _statement(self, raw: RawStatement, depth: int) -> None:
        indent = STEP * (depth - 1 if raw.text.startswith("^") and depth else depth)
        tokens = list(_tokens(raw, self.text, self._comments(raw.start, raw.end)))
        spacing = _Spacing()
        line, after_comment = indent, False
        for at, token in enumerate(tokens):
            last = tokens[at - 1] if at else None
            broken = last is not None and "\n" in self.text[last.end : token.start]
            if token.kind == "comment":
                if not after_comment:
                    self.lines.append(line)
                    line = ""
                if broken:
                    self.lines.append(indent + _GOES_ON + token.text)
                else:
                    self.lines[-1] += _BEFORE_COMMENT + token.text
                after_comment = True
                continue
            following = tokens[at + 1] if at + 1 < len(tokens) else None
            space = spacing.before(token, last is not None and last.end < token.start, following)
            if after_comment or spacing.must_break or (broken and spacing.may_break):
                if not after_comment:
                    self.lines.append(line)
                outdented = token.kind == "region" or token.text in _OUTDENTED
                line = indent if outdented else indent + _GOES_ON
            else:
                line += space
            after_comment = False
            if token.kind == "region":
                self.lines.append(f"{line}{{")
                self._region(token.region, token.start + 1, token.end - 1, depth + 1)
                line = f"{indent}}}"
            else:
                line += _styled(token)
        self.lines.append(line)


_ARGUMENT = re.compile(r"(\.arg %[\w$.-]*) (: .*)", re.DOTALL)


def _aligned(lines: Sequence[str]) -> Iterator[str]:
    """Align the types of arguments declared on consecutive lines."""
    for is_argument, group in groupby(lines, lambda line: _ARGUMENT.fullmatch(line) is not None):
        if not is_argument:
            yield from group
            continue
        found = [match.groups() for match in map(_ARGUMENT.fullmatch, group) if match is not None]
        width = max(len(name) for name, _ in found)
        yield from (f"{name:{width}} {rest}" for name, rest in found)


_WORDS = ("word", "string", "symbol", "label", "value", "loc")
_PLAIN = (*_WORDS, "type", "ours", "number")
_OPENING = ("(", "[", "{")
_CLOSING = (")", "]", "}")
_FURTHER_BODY = ("case", "default")
"""Words that start a new line after the preceding body; `else` and `do` don't."""
_OUTDENTED = (*_CLOSING, *_FURTHER_BODY, "else", "do")


class _Spacing:
    """The space before each word of a statement, and whether a line may end there."""

    def __init__(self) -> None:
        self.first: FormatToken | None = None
        self.last: FormatToken | None = None
        self.before_last: FormatToken | None = None
        self.opcode: str | None = None
        self.brackets: list[str] = []
        self.may_break = self.must_break = False

    def before(self, token: FormatToken, separate: bool, following: FormatToken | None) -> str:
        """Return the white space before a token; `separate` is True if the source has some."""
        last = self.last
        space = "" if last is None else self._between(last, token, separate, following)
        self.may_break = last is not None and self._may_break(last, token)
        self.must_break = last is not None and last.kind == "region" and token.text in _FURTHER_BODY
        self._advance(token)
        return space

    def _may_break(self, last: FormatToken, token: FormatToken) -> bool:
        at_once = last.text in _OPENING and token.text in _CLOSING
        return "region" not in (last.kind, token.kind) and token.text != "," and not at_once

    def _advance(self, token: FormatToken) -> None:
        self.first = self.first or token
        named = self.first.kind != "value" or (self.last is not None and self.last.text == "=")
        if self.opcode is None and named:
            self.opcode = token.text
        if token.text in _OPENING:
            self.brackets.append("params" if self._takes_params() else token.text)
        elif token.text in _CLOSING and self.brackets:
            self.brackets.pop()
        self.before_last, self.last = self.last, token

    def _takes_params(self) -> bool:
        if self.last is None:
            return False
        return self.last.kind == "label" or (self.last.kind == "symbol" and self.opcode == "func.func")

    def _between(
        self, last: FormatToken, token: FormatToken, separate: bool, following: FormatToken | None
    ) -> str:
        kept = " " if separate else ""
        match last.text, token.text:
            case (_, "") if token.kind == "region":
                return "" if last.text == "(" else " "
            case ("(" | "[" | "{", _) | (_, "," | ")" | "]" | "}"):
                return ""
            case (",", _) | ("->", _) | (_, "->"):
                return " "
            case (_, "="):
                return "" if self._is_hash_key(last) else " "
            case ("=", _):
                return "" if self._is_hash_key(self.before_last) else " "
            case (_, ":"):
                return "" if self._is_tight_colon(last, following) else " "
            case (":", _):
                return " "
            case ("<", _) | (_, ">"):
                return ""
            case (_, "{"):
                return " "
            case (_, "("):
                return self._before_parenthesis(last, kept)
            case (_, "["):
                return self._before_bracket(last, kept)
            case (")" | "]" | "}" | "", _):
                return " "
            case _:
                return " " if last.kind in _PLAIN and token.kind in _PLAIN else kept

    def _before_parenthesis(self, last: FormatToken, kept: str) -> str:
        if last.text in (")", "]", "", "scf.while"):
            return " "
        return "" if last.kind in _WORDS else kept

    def _before_bracket(self, last: FormatToken, kept: str) -> str:
        """Return the space before a bracket: `%a[%i]`, `set_flag[...]`, but `sizes [8, 8]`."""
        if last.kind == "value" or last.text == self.opcode:
            return ""
        return " " if last.kind == "word" or last.text in _CLOSING else kept

    def _is_hash_key(self, name: FormatToken | None) -> bool:
        """Return True for the key of `#key=value` after operands; a statement starts with an alias."""
        return name is not None and name is not self.first and name.text.startswith("#")

    def _is_tight_colon(self, last: FormatToken, following: FormatToken | None) -> bool:
        """Return True for a colon without a space before it: in parameters, labels, cases, `key: [...]`."""
        inner = self.brackets[-1] if self.brackets else ""
        if inner == "params" or (not inner and self.first is not None and self.first.kind == "label"):
            return True
        if inner == "[" and self.opcode == "cf.switch":
            return True
        return last.kind == "word" and following is not None and following.text == "["


_SHAPE = re.compile(r"(?<=[\d?])\s*x\s*(?=[\d?A-Za-z])")
_AROUND = re.compile(r"\s*([=<>\[\]])\s*")


def _styled(token: FormatToken) -> str:
    if token.kind == "loc":
        return re.sub(r"^loc\s*\(", "loc(", token.text)
    if token.kind != "ours":
        return token.text
    text = _AROUND.sub(r"\1", " ".join(token.text.split()))
    if text.startswith("#"):
        return re.sub(r"\s*,\s*", ", ", text.replace("=", " = "))
    return re.sub(r"\s*,\s*", ", ", _SHAPE.sub("x", text))
