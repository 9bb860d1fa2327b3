"""Relations of extents: the check of a rule that only compares extents of operands, as data.

>>> import ptoas
>>> check = ptoas.RULES["PTO-E901"].check
>>> assert isinstance(check, Relations)
>>> [(each.found, each.comparison, each.required) for each in check.stated]
[(Extent(slot='dst', measure='valid columns'), 'at least', 256)]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any

from ptoas.analysis.knowledge import shape_str
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Check, Violation, mismatch

Size = int | tuple[int, ...]
"""One extent, or those of several dimensions, which are compared one by one."""

MEASURES: dict[str, Callable[[Any], Size]] = {
    "rows": lambda tile: tile.rows,
    "columns": lambda tile: tile.cols,
    "physical shape": lambda tile: tile.type.shape,
    "valid rows": lambda tile: tile.valid_rows,
    "valid columns": lambda tile: tile.valid_cols,
    "valid shape": lambda tile: tile.valid,
    "valid type": lambda tile: tile.type.valid,
    "valid columns of the type": lambda tile: tile.type.valid_cols,
    "Shape[3]": lambda view: view.shape5[3],
    "Shape[4]": lambda view: view.shape5[4],
    "elements of 32 bytes": lambda operand: BURST // operand.size,
}
"""Extents of a tile or a view, by their words in messages; the `valid type` is what the type says, known or not."""


def _if_known(holds: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    return lambda found, required: DYNAMIC in (found, required) or holds(found, required)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "equal to": _if_known(operator.eq),
    "at least": _if_known(operator.ge),
    "at most": _if_known(operator.le),
    "a multiple of": _if_known(lambda found, step: found % step == 0),
    "known as": operator.eq,
    "open as": lambda found, required: (found == DYNAMIC) == (required == DYNAMIC),
}
"""How two extents are compared. One that is not known satisfies any but the last two: `known as` refuses it,
and `open as` compares just that."""
_SAID = ("at least", "at most", "a multiple of")


@dataclass(frozen=True)
class Extent:
    """An extent of the operand in a slot: `Extent("dst", "valid columns")`."""

    slot: str | Callable[[Any], str]
    """A function of the operation where instructions call it differently."""
    measure: str
    """One of `MEASURES`."""

    def slot_of(self, op: Any) -> str:
        return self.slot if isinstance(self.slot, str) else self.slot(op)

    def read(self, op: Any, know: Facts) -> Size:
        slot = self.slot_of(op)
        return MEASURES[self.measure](know.tile(slot) if know.is_tile(slot) else know.view(slot))


@dataclass(frozen=True)
class Relation:
    """One extent compared with another, with a number, or with what a function calculates."""

    found: Extent
    comparison: str
    """One of `COMPARISONS`."""
    required: Extent | int | Callable[[Any, Facts], Size]
    note: str = ""
    """What the message says after the required extent; `{slot}` is the slot of that."""
    what: str = "{measure} of {slot}"
    """What the message calls the found extent."""
    fix: str | None = None
    when: Callable[[Any, Facts], bool] | None = None
    """Whether the relation must hold of an instruction; `None`: of all that have the operand."""

    def violations(self, op: Any, know: Facts) -> Iterator[Violation]:
        if self.when is not None and not self.when(op, know):
            return
        slot, required, note = self.found.slot_of(op), self.required, self.note
        if not know.values(slot):
            return
        if isinstance(required, Extent):
            note = note.format(slot=required.slot_of(op))
            wanted = _dims(required.read(op, know))
        else:
            wanted = _dims(required if isinstance(required, int) else required(op, know))
        found, holds = _dims(self.found.read(op, know)), COMPARISONS[self.comparison]
        if not all(map(holds, found, wanted)):
            what = self.what.format(measure=self.found.measure, slot=slot)
            words = f"{self.comparison} " if self.comparison in _SAID else ""
            text = f"{words}{shape_str(wanted)}{note}"
            yield mismatch(what, shape_str(found), text, slot=slot, fix=self.fix)


Stated = Iterator[Relation]


def _dims(size: Size) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else size


@dataclass(eq=False)
class Relations:
    """The check of a rule that states relations; it finds all of them that do not hold, in their order."""

    stated: tuple[Relation, ...]

    def __call__(self, op: Any, know: Facts) -> Iterator[Violation]:
        for relation in self.stated:
            yield from relation.violations(op, know)


def relations(state: Callable[[], Stated]) -> Check:
    """Make a check of a function that yields relations; it is called once."""
    return update_wrapper(Relations(tuple(state())), state)
