"""Relations of extents: what a rule says that only compares extents of operands, as data.

>>> import ptoas
>>> check = ptoas.RULES["PTO-E901"].check
>>> assert isinstance(check, Relations)
>>> [(each.found, each.comparison, each.required) for each in check.stated]
[('dst.valid_cols', 'at least', 256)]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.declaration import declare, set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Rule, Violation, mismatch, rule

Size = int | str | TileType | tuple[int, ...]
"""One extent, or those of several dimensions, which are compared one by one; types are compared as well."""

MEASURES: dict[str, tuple[str, Callable[[Any], Size]]] = {
    "rows": ("rows", lambda tile: tile.rows),
    "cols": ("columns", lambda tile: tile.cols),
    "shape": ("physical shape", lambda tile: tile.type.shape),
    "physical_cols": ("physical columns", lambda tile: tile.physical[1]),
    "valid_rows": ("valid rows", lambda tile: tile.valid_rows),
    "valid_cols": ("valid columns", lambda tile: tile.valid_cols),
    "valid": ("valid shape", lambda tile: tile.valid),
    "type.valid": ("valid shape in the type", lambda tile: tile.type.valid),
    "type.valid_cols": ("valid columns", lambda tile: tile.type.valid_cols),
    "Shape[3]": ("Shape[3]", lambda view: view.shape5[3]),
    "Shape[4]": ("Shape[4]", lambda view: view.shape5[4]),
    "layout": ("layout", lambda view: view.layout.value),
    "type": ("type", lambda tile: tile.type),
    "element": ("element type", lambda tile: tile.element_name),
    "burst": ("elements of 32 bytes", lambda operand: BURST // operand.size),
}
"""Extents and types of a tile or a view, and what messages call them."""


def _if_known(holds: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    return lambda found, required: DYNAMIC in (found, required) or holds(found, required)


COMPARISONS: dict[str, tuple[str, Callable[[int, int], bool]]] = {
    "equal to": ("", _if_known(operator.eq)),
    "at least": ("at least ", _if_known(operator.ge)),
    "at most": ("at most ", _if_known(operator.le)),
    "multiple of": ("a multiple of ", _if_known(lambda found, step: found % step == 0)),
    "one or": ("1 or ", _if_known(lambda found, required: found in (1, required))),
    "known as": ("", operator.eq),
    "open as": ("", lambda found, required: (found == DYNAMIC) == (required == DYNAMIC)),
}
"""Comparisons of two extents, and the words before the required one. An unknown extent satisfies any
comparison except the last two: `known as` refuses it, and `open as` compares just that.
"""


@dataclass(frozen=True)
class Relation:
    """One extent compared with another, with a number, or with the result of a function.

    An extent is a slot and one of `MEASURES`: `dst.valid_cols`. Where instructions call the slot differently,
    it is the constant of their classes that names it: `DATA.valid_cols`.
    """

    found: str
    comparison: str
    """One of `COMPARISONS`."""
    required: str | int | Callable[[Any, Facts], Size]
    note: str = ""
    """Text after the required extent in the message; `${slot}` is the name of its operand."""
    what: str = "{words} of ${slot}"
    """Name of the found extent in the message."""
    fix: str | None = None
    when: Callable[[Any, Facts], bool] | None = None
    """Condition under which the relation must hold; `None`: for all instructions with the operand."""

    def violations(self, op: Any, know: Facts) -> Iterator[Violation]:
        if self.when is not None and not self.when(op, know):
            return
        slot, (words, measure) = _extent(self.found, op)
        if not know.values(slot):
            return
        found, note = _dims(measure(_operand(slot, know))), self.note
        if isinstance(self.required, str):
            other, (_, measure) = _extent(self.required, op)
            required, note = _dims(measure(_operand(other, know))), note.format(slot=other)
        else:
            required = _dims(self.required if isinstance(self.required, int) else self.required(op, know))
        phrase, holds = COMPARISONS[self.comparison]
        if not all(map(holds, found, required)):
            what = self.what.format(words=words, slot=slot)
            fix = self.fix or self._declaration(slot, _operand(slot, know), found, required)
            yield mismatch(what, shape_str(found), f"{phrase}{shape_str(required)}{note}", slot=slot, fix=fix)

    def _declaration(self, slot: str, tile: Any, found: Any, required: Any) -> str | None:
        """The declaration with which the relation holds, if there is one for its comparison and measure."""
        if not isinstance(tile, TileFacts) or self.comparison in ("one or", "open as"):
            return None
        if self.comparison == "multiple of":
            required = tuple(-(-size // step) * step for size, step in zip(found, required, strict=True))
        type = tile.type
        match self.found.partition(".")[2]:
            case "rows":
                return declare(slot, tile, rows=required[0])
            case "cols":
                return declare(slot, tile, cols=required[0])
            case "shape":
                return declare(slot, tile, rows=required[0], cols=required[1])
            case "valid_rows":
                return set_valid(slot, tile, (required[0], type.valid_cols))
            case "valid_cols":
                return set_valid(slot, tile, (type.valid_rows, required[0]))
            case "valid":
                pairs = zip(required, type.valid, strict=True)
                return set_valid(slot, tile, [known if new == DYNAMIC else new for new, known in pairs])
            case "type.valid":
                return declare(slot, tile, valid=required)
            case "element":
                return declare(slot, tile, element_type=BY_TEXT[required[0]].type)
            case "type":
                return f"declare ${slot} as `{required[0]}`"
            case _:
                return None


def _extent(text: str, op: Any) -> tuple[str, tuple[str, Callable[[Any], Size]]]:
    """The slot and the measure of `dst.rows`."""
    slot, _, measure = text.partition(".")
    return getattr(op, slot) if slot.isupper() else slot, MEASURES[measure]


def _operand(slot: str, know: Facts) -> Any:
    return know.tile(slot) if know.is_tile(slot) else know.view(slot)


def _dims(size: Size) -> tuple[Any, ...]:
    return size if isinstance(size, tuple) else (size,)


@dataclass(eq=False)
class Relations:
    """The check of a rule that states relations; it finds all of them that do not hold, in their order."""

    stated: tuple[Relation, ...]

    def __call__(self, op: Any, know: Facts) -> Iterator[Violation]:
        for relation in self.stated:
            yield from relation.violations(op, know)


Stated = Iterator[Relation]


def constraint(code: str, **about: Any) -> Callable[[Callable[[], Stated]], Rule]:
    """Make a rule of a function that yields relations, and is called once; `about` is what `rule` takes."""
    return lambda state: rule(code, **about)(update_wrapper(Relations(tuple(state())), state))
