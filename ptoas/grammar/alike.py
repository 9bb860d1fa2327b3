"""Statements that differ in the extents of their types alone.

A project has few kinds of statements, and many sizes of tiles. How a statement is read is decided by its
text, by what its types are but for their extents, and by which of them are equal: so the plan of one serves
all that are alike in these, with their types in it. No tree is made of such a statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import TypeAlias

from xdsl.ir import Attribute

from ptoas.caches import MOST_KEPT, Kept, on_clear
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.grammar import tree as t
from ptoas.grammar.plan import Plan
from ptoas.grammar.types import TypeProblem, type_from_text

# --- types -----------------------------------------------------------------------------------------

Likeness: TypeAlias = "tuple[int, tuple[int, ...]]"
"""A number for what a type is but for its extents, and the extents."""

_NUMBERS = count()
_KINDS: dict[tuple[object, ...], int] = {}
"""The number of each kind that was met; none is given twice."""
_LIKENESS: Kept[int, tuple[Likeness, Attribute]] = Kept()
"""By the identity of a type, which stands beside it: as long as it lives, no other has it."""


def _forget() -> None:
    _LIKENESS.clear()
    _KINDS.clear()


on_clear(_forget)


def _likeness(type: Attribute | None) -> Likeness:
    """Equal for equal types; with the same number for types that differ in their extents alone."""
    if type is None:
        return -1, ()
    found = _LIKENESS.get(id(type))
    if found is None:
        kind, extents = _apart(type)
        number = _KINDS.get(kind)
        if number is None:
            number = _KINDS[kind] = next(_NUMBERS)
        found = (number, extents), type
        _LIKENESS.keep(id(type), found)
    return found[0]


def _apart(type: Attribute) -> tuple[tuple[object, ...], tuple[int, ...]]:
    """All of a type but its extents, and these."""
    if isinstance(type, TileType):
        rest = (type.loc, type.element_type, *type.parameters[6:])
        extents = (*type.shape, *type.valid)
    elif isinstance(type, ViewType):
        rest = (type.element_type, type.layout, len(type.shape))
        extents = (*type.shape, *(type.strides or ()))
    else:
        return (type,), ()
    # What nobody knows before the program runs is no extent like others.
    return (type.__class__, *rest, *(extent == DYNAMIC for extent in extents)), extents


# --- texts -----------------------------------------------------------------------------------------

_TYPE = re.compile(r"(!pto\.\w+<[^<>!]*>)")
_ATTRIBUTE = re.compile(r"#pto(?:\.\w+)?<[^<>]*>")
_NOT_OF_A_VALUE = re.compile(r"\{[^}]*!|!\w")


def _is_plain(form: str) -> bool:
    """Whether all types of a statement, of which marks are left, are those of its values; not if one is part
    of an attribute, of another type, or has another spelling."""
    rest = _ATTRIBUTE.sub("", form)
    return '"' not in rest and "<" not in rest and not _NOT_OF_A_VALUE.search(rest)


def moved(offset: int, there: str, here: str) -> int:
    """An offset of a statement, in one that differs from it in the texts of its types alone."""
    shift = 0
    for one, other in zip(_TYPE.finditer(there), _TYPE.finditer(here), strict=True):
        if one.start() >= offset:
            break
        shift = other.end() - one.end()
    return offset + shift


# --- plans -----------------------------------------------------------------------------------------


_MOST_EXAMPLES = 256
"""Of one form; a program has a few."""


class Form:
    """What is known of statements that are one but for names and types."""

    def __init__(self, tree: t.Statement):
        self.tree = tree
        """Of the first one; the results of all are the same."""
        self.examples: Kept[tuple[int, ...], tuple[Plan, tuple[int, ...]]] = Kept(_MOST_EXAMPLES)
        """A plan, and which of the statement's types its results have, by what decides them."""


class Known:
    """A statement, without names, that has a form of which another was read."""

    def __init__(self, form: Form, written: list[Attribute]):
        self.form, self.written = form, written

    def plan(self, types: Sequence[Attribute | None]) -> Plan | None:
        """The plan of the statement for values of these types, if there is one of another that is like it."""
        every = (*types, *self.written)
        example = self.form.examples.get(_key(every))
        if example is None:
            return None
        plan, results = example
        made = Plan(
            plan.cls,
            plan.operands,
            tuple([every[at] for at in results]),  # pyright: ignore[reportArgumentType]
            places=plan.places,
            slots=plan.slots,
        )
        made.whole = plan.whole
        return made


def _key(types: Sequence[Attribute | None]) -> tuple[int, ...]:
    """Of what kind each type is, and with which other it is equal."""
    if len(_KINDS) >= MOST_KEPT:
        _forget()
    found = [_likeness(type) for type in types]
    return (*[number for number, _ in found], *map(found.index, found))


class Forms:
    """The forms of the statements that were read."""

    def __init__(self, allow_unregistered: bool):
        self.allow_unregistered = allow_unregistered
        self._forms: Kept[str, Form | None] = Kept()
        """By the text with marks for its types; none where the types are not those of values alone."""
        self._known: Kept[str, Known] = Kept()

    def clear(self) -> None:
        self._forms.clear()
        self._known.clear()

    def find(self, blank: str) -> Known | None:
        """What is known of a statement without names that was not read before."""
        known = self._known.get(blank)
        if known is not None:
            return known
        pieces = _TYPE.split(blank)
        form = self._forms.get("!".join(pieces[::2]))
        if form is None:
            return None
        try:
            written = [type_from_text(text, None, self.allow_unregistered) for text in pieces[1::2]]
        except TypeProblem:
            return None
        known = Known(form, written)
        self._known.keep(blank, known)
        return known

    def learn(self, blank: str, tree: t.Statement, types: Sequence[Attribute | None], plan: Plan) -> None:
        """Let the plan of a statement, of which all that is left is to make the operation, serve others."""
        if not issubclass(plan.cls, PtoOp) or plan.places is None or plan.result_types is None:
            return
        pieces = _TYPE.split(blank)
        if len(pieces) == 1:
            return
        text = "!".join(pieces[::2])
        if text not in self._forms:
            self._forms.keep(text, Form(tree) if _is_plain(text) else None)
        form = self._forms[text]
        if form is None:
            return
        written = [type_from_text(piece, None, self.allow_unregistered) for piece in pieces[1::2]]
        every = (*types, *written)
        if not all(type in written for type in plan.result_types):
            return
        plan.places.text = blank
        results = tuple(len(types) + written.index(type) for type in plan.result_types)
        form.examples.keep(_key(every), (plan, results))
