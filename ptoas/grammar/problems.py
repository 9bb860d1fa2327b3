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
    """Stops the reading of one statement; the builder makes it a diagnostic and goes on with the next."""

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
        """The change that does what `fix` says, where that is a guess: its place, and the text."""
        self.notes: list[tuple[str, int, int]] = []
        """Second places: message, source offset, length."""

    def relocate(self, place: Callable[[int], int]) -> None:
        """Convert the offsets, which count in the statement's shape, to offsets in its text."""
        if self.at is not None:
            self.at = Node(place(self.at.start), place(self.at.end))


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
        "The file is missing, is a directory, is not text, or may not be opened.",
    ),
    "PTO-P002": ("a program has statements", "The file holds nothing but space and comments."),
    "PTO-P010": ("a statement follows the grammar", "The text stops making sense at the caret."),
    "PTO-P011": ("a string ends on its line", 'A `"` has no partner.'),
    "PTO-P012": ("a bracket is closed", "An opening bracket has no partner."),
    "PTO-P013": ("a closing bracket closes something", "A closing bracket has no partner."),
    "PTO-P014": ("a text stays within limits", "Regions, brackets or a statement exceed what is read."),
    "PTO-P020": (
        "an instruction is one that exists",
        "The opcode is not known; `--allow-unregistered` keeps it as it is.",
    ),
    "PTO-P021": ("a type is well formed", "The name of a type is not known, or its parameters don't fit."),
    "PTO-P022": ("an attribute is well formed", "The value does not fit the attribute."),
    "PTO-P030": ("a value is defined before it is used", "Nothing defines this name before this statement."),
    "PTO-P031": ("a value is defined once", "The name has a definition already."),
    "PTO-P032": ("a symbol is defined once", "Two functions have one name."),
    "PTO-P040": (
        "an instruction has the operands it needs",
        "Too many, too few, or of a kind that fits no place.",
    ),
    "PTO-P041": (
        "a type list matches its operands",
        "The number of types differs from the number of operands.",
    ),
    "PTO-P042": ("a value keeps its type", "The type given here differs from the value's own."),
    "PTO-P043": (
        "types are given where they can't be inferred",
        "The statement leaves out a type that nothing else tells.",
    ),
    "PTO-P044": (
        "operands come in the document's order",
        "The operands are there, but in another order than the document gives them (D44).",
    ),
    "PTO-P050": (
        "suffix and attribute agree",
        "The opcode's suffix says one thing, the attribute another (D7).",
    ),
    "PTO-P051": ("a key is given once", "The same key stands twice."),
    "PTO-P052": (
        "a suffix is one the instruction has",
        "The opcode ends in a word that means nothing to it (D7).",
    ),
    "PTO-P053": (
        "an attribute is one the instruction has",
        "The instruction declares no attribute of this name. An attribute with a prefix (`foo.bar`) is kept "
        "and printed (D43).",
    ),
    "PTO-P060": ("an operation keeps its declaration", "What holds on every target does not hold here."),
    "PTO-P061": ("a statement stands where it may", "This kind of statement does not belong here."),
    "PTO-P080": (
        "a value is defined on every way to its use",
        "A block can be reached without passing the one that defines the value; a block takes what differs "
        "by the way as its argument.",
    ),
    "PTO-P081": (
        "a declaration has the type of its definition",
        "One module declares a function that a sibling defines, with other types.",
    ),
    "PTO-P090": (
        "a style changes no meaning",
        "`ptoas fmt` writes nothing where the text in its style would be cut into other statements.",
    ),
}

register(CODES)
"""Every code of the front end: the statement, and what breaking it means."""
