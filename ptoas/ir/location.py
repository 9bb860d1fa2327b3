"""Source location of an operation: its statement and the parts of that statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from xdsl.ir import BuiltinAttribute, Operation

from ptoas.diagnostics import Source, Span
from ptoas.diagnostics.origins import OriginLocation

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.printer import Printer


class TextRange(Protocol):
    """A part of a statement: offsets of its first character and of its end."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(eq=False, slots=True)
class PartOffsets:
    """Offsets of the parts of a statement in its shape, which statements of one shape share.

    Operands are kept by slot, which passes leave in place when they add or remove others; those of operations
    outside PTO are all under "".
    """

    op: str
    operands: Mapping[str, Sequence[TextRange]]
    types: Mapping[str, Sequence[TextRange | None]]
    results: Sequence[TextRange] = ()
    fields: Mapping[str, TextRange] = field(default_factory=dict[str, TextRange])


Reason = Callable[[], str]
"""Render the reason why a pass inserted or changed an operation."""


class _Location(BuiltinAttribute):
    """An attribute that is not made of attributes and has no text to be read from."""

    def __post_init__(self) -> None:
        """Skip xDSL's check, which accepts only attributes that can be parsed."""


@dataclass(frozen=True, eq=False)
class SourceLocation(_Location):
    """A statement's place. It is kept on the operation and survives cloning."""

    name = "builtin.source_location"
    source: Source
    start: int
    end: int
    places: PartOffsets | None = None
    arguments: Sequence[Span] = ()
    """The types of a function's arguments."""
    reasons: tuple[Reason, ...] = ()
    """The provenance of an operation that a pass inserted for the statement, or changed."""

    def print_builtin(self, printer: Printer) -> None:
        line, column = self.source.position(self.start)
        printer.print_string(f'loc("{self.source.filename}":{line}:{column})')


@dataclass(frozen=True, eq=False)
class InsertedLocation(_Location):
    """The location of an operation that a pass inserted or changed in a program without source text."""

    name = "builtin.inserted_location"
    origin: LocationAttr
    """The location that the operation has apart from its provenance."""
    reasons: tuple[Reason, ...]

    def print_builtin(self, printer: Printer) -> None:
        printer.print_attribute(self.origin)


@dataclass(frozen=True, eq=False)
class PythonLocation(_Location):
    """The line of a Python program that built an operation."""

    name = "builtin.python_location"
    span: Span

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f'loc("{self.span.file}":{self.span.line}:{self.span.column})')


located = cast("Callable[..., LocationAttr]", SourceLocation)
"""A location for xDSL, whose own location classes can't be subclassed."""


def origin_of(op: Operation) -> OriginLocation | None:
    """Return the place that the statement of an operation was generated from, if its text gives it (D50)."""
    location: object = op.location
    if isinstance(location, InsertedLocation):
        location = location.origin
    if not isinstance(location, SourceLocation):
        return None
    return location.source.origin_of_statement(location.start)
