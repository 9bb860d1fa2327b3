"""A row: all requirements of one target on one instruction, and its behaviour there, as data.

A row reads like the document's section: the operands' types, memories and layouts, further rules, the pipe,
the C++ call. Instructions of a family share a row, which each of them completes with its element types:
`BINARY.each({TAddOp: "i16 i32 f16 f32", ...})`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.pipes import PipeModel, Pipes
from ptoas.targets.specs import T, TileSpec, Types, ViewSpec, elements

if TYPE_CHECKING:
    from ptoas.targets.facts import Facts
    from ptoas.targets.rule import Rule


@dataclass(frozen=True)
class Call:
    """The call of the instruction library: `NAME<template>(arguments)`.

    Words of `template` and `arguments`: `dst` is the operand in a slot, `&dst` its address, `type:dst` its
    C++ type, `int64_t:dst` its value converted to one, `#rmode` an attribute as C++ spells it; one that is
    not given is spelled as the row's `defaults` say, and one with a `?` is left out where it and all that
    follow are absent or have their default, one with a `~` where it is absent. `=text` is that text.
    `row@src` and `col@src` are indices as the library counts them in that tile: numbers, not pairs (D56).
    """

    name: str | None = None
    """`None`: the mnemonic in capitals."""
    template: str = ""
    arguments: str | None = None
    """`None`: destinations first, then the other operands in their order."""
    only_with: str = ""
    """Attributes and slots; where none of them is given, or only with its default, there is no template."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Spellings of attributes that are not enumerations: `{"axis": "GatherAxis::GATHER_{}"}`."""
    header: str | None = None
    """A header of its own."""
    by_rows: bool = False
    """True if the library walks rows whatever the layout of the tiles: column-major ones are passed as
    row-major tiles of the same bytes, with rows and columns exchanged.
    """
    then: Call | None = None
    """The call that completes the work, where the library takes two."""
    unsupported: str | None = None
    """Reason why the library has no such call; `lower` then refuses the instruction."""


@dataclass(frozen=True)
class Scratch:
    """A tile that the instruction clobbers: what the compiler allocates when the text leaves it out."""

    needs: Callable[[Facts], TileType | None]
    """The tile to allocate; `None`: none is needed, and none is added."""
    least: Callable[[Facts], int] | None = None
    """Bytes that a given tile must have; `None`: those of the tile that would be allocated."""
    valid_of: str | None = None
    """The slot whose open valid extents the tile shares."""
    instead: str | None = None
    """The slot whose tile is passed where the text names none: the target does not touch it."""
    optional: bool = False
    """True if the library also has a call without the tile."""
    uses_bytes_after: bool = False
    """True if the library uses bytes after the declared tile, which the placement must keep free."""


@dataclass(frozen=True, eq=False)
class Row:
    """One instruction on one target."""

    tiles: Mapping[str, TileSpec] = field(default_factory=dict[str, TileSpec])
    """Tile operands by slot; a key may name several, separated by blanks."""
    views: Mapping[str, ViewSpec] = field(default_factory=dict[str, ViewSpec])
    valid: Mapping[str, str] = field(default_factory=dict[str, str])
    """Valid extents that must agree, by slot: `{"dst": "R 1", "src": "R C"}`. A letter is one extent wherever
    it stands, a number is that number, `_` is anything."""
    shape: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for physical extents."""
    idle: bool = False
    """True if a destination that is valid for 0x0 makes the instruction a no-op, with sources of any
    extents.
    """
    reads_past_valid: bool = False
    """True if a device iterates over the destination's valid region and compares the sources' extents in
    debug builds only, so that it reads past their valid regions.
    """
    no_alias: tuple[tuple[str, str], ...] = ()
    """Slots whose tiles have no byte in common."""
    elementwise_alias: Callable[[Any], bool] | None = None
    """Predicate: each element of the source is read before the same element of the destination is written, so
    that both may be one tile.
    """
    rules: tuple[Rule, ...] = ()
    """Rules particular to the instruction."""
    pipe: PipeModel | None = None
    """The pipe of the instruction; `None`: no pipe."""
    frees: Callable[[Any], Pipe | None] | None = None
    """The pipe after whose work it gives back what was popped from a channel, for another core to write."""
    ignores: tuple[str, ...] = ()
    """Slots that the target takes and does not touch."""
    clobbers: tuple[str, ...] = ()
    """Slots that it reads and leaves overwritten."""
    scratch: Mapping[str, Scratch] = field(default_factory=dict[str, Scratch])
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The value of an attribute that is not given: an enum member, or a function of the operation."""
    call: Call = field(default_factory=Call)
    simt: bool = False
    """True if it launches SIMT threads, which leave less local memory to tiles."""
    model: Any = None
    """Target-specific behaviour, for the machine."""
    source: str | None = None
    """Document that states the operands' types, memories and layouts."""

    def __post_init__(self) -> None:
        for name in ("tiles", "views", "valid", "shape"):
            constraints: Mapping[str, Any] = getattr(self, name)
            spread = {slot: spec for slots, spec in constraints.items() for slot in slots.split()}
            object.__setattr__(self, name, MappingProxyType(spread))

    def of(self, types: str | Types, **changes: Any) -> Row:
        """A family's row with the element types of one instruction."""
        chosen = elements(types) if isinstance(types, str) else types

        def fill(specs: Mapping[str, Any]) -> dict[str, Any]:
            return {
                slot: replace(spec, types=chosen) if spec.types is T else spec for slot, spec in specs.items()
            }

        return replace(self, **{"tiles": fill(self.tiles), "views": fill(self.views), **changes})

    def each(self, table: Mapping[type[PtoOp], str | Types]) -> dict[type[PtoOp], Entry]:
        """A family's rows: its instructions with their element types."""
        return {op: self.of(types) for op, types in table.items()}

    def check(self, op: type[PtoOp]) -> None:
        """Reject slots and attributes that the instruction does not have; they would be ignored silently."""
        pipes = self.pipe.at if isinstance(self.pipe, Pipes) else ()
        no_alias = (slot for pair in self.no_alias for slot in pair)
        specs = (self.tiles, self.views, self.valid, self.shape, self.scratch, pipes)
        named = {*chain(*specs, no_alias, self.ignores, self.clobbers)}
        signature = op.signature()
        wrong = named - {slot.name for slot in signature.slots} or set(self.defaults) - set(signature.fields)
        if wrong:
            raise TypeError(
                f"the row of {op.name} names {', '.join(sorted(wrong))}, which the instruction does not have"
            )

    def override(self, **changes: Any) -> Row:
        """Return the row with some fields replaced; `rules` are appended to the existing ones."""
        if "rules" in changes:
            changes["rules"] = (*self.rules, *changes["rules"])
        for name in ("tiles", "views", "defaults"):
            if name in changes:
                changes[name] = {**getattr(self, name), **changes[name]}
        return replace(self, **changes)


@dataclass(frozen=True)
class Unsupported:
    """Entry of an instruction that the target does not have, with the reason."""

    reason: str


@dataclass(frozen=True)
class Forms:
    """An instruction whose forms have rows of their own."""

    by: Callable[[Any], object]
    rows: Mapping[Any, Row | Unsupported]

    def row(self, op: PtoOp) -> Row | Unsupported:
        return self.rows[self.by(op)]


Entry: TypeAlias = Row | Forms | Unsupported
Rows: TypeAlias = dict[type[PtoOp], Entry]
"""A chapter of a target: the row of each instruction."""


def with_rules(rows: Mapping[type[PtoOp], Entry], more: Mapping[type[PtoOp], tuple[Rule, ...]]) -> Rows:
    """Rows with further rules for some instructions."""
    found: Rows = dict(rows)
    for op, rules in more.items():
        row = found[op]
        assert isinstance(row, Row)
        found[op] = row.override(rules=rules)
    return found
