"""Parameters of a type, the text between its angle brackets, with their diagnostics."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from xdsl.ir import Attribute

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.element_types import BY_TEXT, CPP_NAMES, WITHOUT_A_WORD
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.types import DYNAMIC, LARGEST_EXTENT
from ptoas.dialects.syntax_errors import explain_syntax


@cache
def grammar() -> Lark:
    """The parser of `types.lark`, made when the first type is read."""
    folder = Path(__file__).parent
    text = (folder / "types.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", start="type_body", import_paths=[str(folder)])


def parse_type_body(text: str) -> list[TypeParameter]:
    """Parse the parameters between the angle brackets of a `!pto` type; raises `SyntaxProblem`."""
    try:
        body = cast(Any, grammar()).parse(text)
    except UnexpectedInput as error:
        raise explain_syntax(grammar(), text, error, "type") from None
    found: list[TypeParameter] = []
    for key, value in (parameter.children for parameter in body.children if parameter is not None):
        tokens = [token for token in value.children if token is not None]
        found.append(TypeParameter(key, str(value.data), tokens))
    return found


def whole_number(text: str) -> int:
    """Return the value of a decimal or hexadecimal literal; zeros may lead it."""
    return int(text, 16 if "x" in text.lower() else 10)


class TypeProblem(Exception):
    """Raised for an invalid type; offsets count from the start of its text."""

    def __init__(self, message: str, offset: int = 0, length: int | None = None, fix: str | None = None):
        super().__init__(message)
        self.message, self.offset, self.length, self.fix = message, offset, length, fix
        self.unknown = False


class TypeParameter:
    """`key=value` or a plain value, with its place in the body."""

    def __init__(self, key: str | None, kind: str, tokens: list[Token]):
        self.key, self.kind, self.tokens = key, kind, tokens
        self.name = key
        """The name in messages: its key, or that of its position."""
        self.start = cast(int, tokens[0].start_pos) if tokens else 0
        self.end = tokens[-1].end_pos or self.start if tokens else 0
        self.key_start = cast(int, key.start_pos) if isinstance(key, Token) else self.start

    @property
    def is_element(self) -> bool:
        """True if this is an element type, `f32`."""
        return self.kind == "element"

    @property
    def text(self) -> str:
        return "".join(self.tokens)

    def problem(self, message: str, fix: str | None = None) -> TypeProblem:
        return TypeProblem(message, self.start, self.end - self.start, fix)

    def problem_with_key(self, message: str, fix: str | None = None) -> TypeProblem:
        """Return a problem with the whole parameter, from its key on."""
        return TypeProblem(message, self.key_start, self.end - self.key_start, fix)

    def _extent(self, text: str) -> int:
        try:
            extent = DYNAMIC if text == "?" else whole_number(text)
        except ValueError:
            raise self.problem(f"`{self.name}` needs a whole number, found `{text}`") from None
        if extent > LARGEST_EXTENT:
            raise self.problem(f"{text} is too large; the largest extent is {LARGEST_EXTENT}")
        return extent

    def integer(self) -> int:
        """A whole number, or `?`."""
        return self._extent(self.text)

    def extents(self) -> tuple[int, ...]:
        """`9x?`."""
        return tuple(self._extent(dim) for dim in "".join(self.text.split()).split("x") if dim)

    def numbers(self) -> list[int]:
        """`[40, ?]`."""
        return [self._extent(str(token)) for token in self.tokens]

    def element(self) -> Attribute:
        text = str(self.tokens[-1])
        found = BY_TEXT.get(text.removeprefix("!")) or CPP_NAMES.get(text)
        if found is None:
            fix = WITHOUT_A_WORD.get(text) or did_you_mean(text, BY_TEXT)
            raise self.problem(f"unknown element type `{text}`", fix)
        return found.type

    def member(self, attr: type[PtoEnumAttr[Any]]) -> Any:
        text = self.text
        if text.lstrip("-").isdigit():
            members = list(attr.enum)
            if not 0 <= int(text) < len(members):
                raise self.problem(f"`{self.name}` goes from 0 to {len(members) - 1}, found {text}")
            return members[int(text)]
        # The instruction library calls the first of these enumerations' members `None`.
        found = attr.member(attr.spellings()[0] if text.lower() == "none" else text)
        if found is None:
            words = attr.spellings()
            raise self.problem(
                f"`{self.name}` can't be `{text}`; expected one of {', '.join(words)}",
                did_you_mean(text.lower(), words),
            )
        return found
