"""Errors of a text, as exceptions with a position in the statement."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ptoas.diagnostics.codes import register
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


CODES: dict[str, tuple[str, str]] = {
    "PTO-P001": (
        "a file can be read",
        "The file is missing, is a directory, is not text, or is not readable.",
    ),
    "PTO-P002": ("a program has statements", "The file contains only white space and comments."),
    "PTO-P010": ("a statement follows the grammar", "The text can't be parsed from the caret on."),
    "PTO-P011": ("a string ends on its line", 'A `"` is not closed on its line.'),
    "PTO-P012": ("a bracket is closed", "An opening bracket has no closing one."),
    "PTO-P013": (
        "a closing bracket has an opening one",
        "A closing bracket has no opening one, or one of another kind.",
    ),
    "PTO-P014": (
        "a text stays within limits",
        "Regions, brackets or a statement exceed the limits of the parser.",
    ),
    "PTO-P020": (
        "an instruction exists",
        "The opcode is unknown; `--allow-unregistered` keeps it unchanged.",
    ),
    "PTO-P021": ("a type is well formed", "The name of the type is unknown, or its parameters are invalid."),
    "PTO-P022": ("an attribute is well formed", "The value does not fit the attribute."),
    "PTO-P030": ("a value is defined before it is used", "No statement before this one defines the name."),
    "PTO-P031": ("a value is defined once", "The name is already defined."),
    "PTO-P032": ("a symbol is defined once", "Two functions have the same name."),
    "PTO-P040": (
        "an instruction has the operands it needs",
        "There are too many or too few operands, or one is of the wrong kind.",
    ),
    "PTO-P041": (
        "a type list matches its operands",
        "The number of types differs from the number of operands.",
    ),
    "PTO-P042": ("a value keeps its type", "The type written here differs from the type of the value."),
    "PTO-P043": (
        "types are written if they can't be inferred",
        "The statement omits a type that does not follow from its operands.",
    ),
    "PTO-P044": (
        "operands come in the document's order",
        "The operands are in another order than in the document (D44).",
    ),
    "PTO-P050": (
        "suffix and attribute agree",
        "The suffix of the opcode and an attribute contradict each other (D7).",
    ),
    "PTO-P051": ("a key is given once", "The same key is written twice."),
    "PTO-P052": (
        "the instruction has the suffix",
        "The opcode ends in a suffix that the instruction does not have (D7).",
    ),
    "PTO-P053": (
        "the instruction has the attribute",
        "The instruction declares no attribute of this name. An attribute with a prefix (`foo.bar`) "
        "is kept and printed (D43).",
    ),
    "PTO-P060": (
        "an operation matches its declaration",
        "The operation breaks a requirement that holds on every target.",
    ),
    "PTO-P061": ("a statement is allowed at its position", "Statements of this kind are not allowed here."),
    "PTO-P080": (
        "a value is defined on every path to its use",
        "The block can be reached without passing the definition; pass values that depend on the path "
        "as arguments of the block.",
    ),
    "PTO-P081": (
        "a declaration has the type of its definition",
        "A module declares a function with other types than the sibling module that defines it.",
    ),
    "PTO-P090": (
        "formatting keeps the meaning",
        "`ptoas fmt` writes nothing if the formatted text would be split into other statements.",
    ),
}

register(CODES)
"""Every code of the front end with its title and meaning."""
