"""Errors of a text, as exceptions with a position in the statement."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ptoas.diagnostics.codes import register_catalogue
from ptoas.grammar.tree import Node


def counted(number: int, word: str) -> str:
    """`1 type`, `2 types`."""
    return f"{number} {word}{'s' * (number != 1)}"


class StatementProblem(Exception):
    """Abort one statement; the builder reports it and continues with the next."""

    def __init__(
        self,
        code: str,
        message: str,
        at: Node | None = None,
        fix: str | None = None,
        culprit: Operation | None = None,
    ):
        super().__init__(message)
        self.code, self.message, self.at, self.fix = code, message, at, fix
        self.culprit = culprit
        """The nested statement at fault, if any."""
        self.edit: tuple[Node, str] | None = None
        """The unsafe edit that applies `fix`: its span and text."""
        self.notes: list[tuple[str, int, int]] = []
        """Second places: message, source offset, length."""

    def relocate(self, place: Callable[[int], int]) -> None:
        """Convert the offsets, which count in the statement's shape, to offsets in its text."""
        if self.at is not None:
            self.at = Node(place(self.at.start), place(self.at.end))


class TypeConflict(StatementProblem):
    """A statement that declares another type of an operand than its definition."""

    def __init__(self, defined: object, declared: object, at: Node):
        message = f"the operand's type is {defined}, but this statement declares {declared}"
        super().__init__("PTO-P042", message, at, f"write the type `{defined}`")


class NotLoaded(StatementProblem):
    """Global memory as an operand where a tile is needed."""

    def __init__(self, message: str, at: Node):
        super().__init__("PTO-P040", message, at)


class UndefinedName(StatementProblem):
    """A value that nothing defines."""

    def __init__(self, value: Node):
        super().__init__("PTO-P030", "this value is not defined", value)
        self.value = value


class Poisoned(Exception):
    """An operand whose definition is invalid; its uses are not reported."""


class Consequence(StatementProblem):
    """Skip a statement silently, because the cause is already reported elsewhere."""


class TypePlaceProblem(StatementProblem):
    """A problem inside a type's text, `offset` characters into it."""

    def __init__(self, message: str, at: Node, offset: int, length: int | None, fix: str | None):
        super().__init__("PTO-P021", message, at, fix)
        self.offset, self.length = offset, length
        self._narrow(at)

    def _narrow(self, type: Node) -> None:
        """Set the place to the problem's part of the type."""
        self.type = type
        length = self.length if self.length is not None else type.end - type.start
        self.at = Node(type.start + self.offset, type.start + self.offset + max(1, length))

    def relocate(self, place: Callable[[int], int]) -> None:
        self._narrow(Node(place(self.type.start), place(self.type.end)))


CODES = register_catalogue("syntax")
"""Every code of the front end."""
