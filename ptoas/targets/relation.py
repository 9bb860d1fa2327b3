"""Relations of operands and attributes as data: what a rule says that only compares them.

A relation is a text like `dst.rows >= lhs.valid_rows, as $lhs`. Its sides are extents and other measures of
operands, attributes, operands whose constants are known, and numbers; what follows a comma, colon or
semicolon ends the message.

>>> import ptoas
>>> check = ptoas.RULES["PTO-K107"].check
>>> assert isinstance(check, Relations)
>>> [relation.text for relation in check.stated]
['dst.rows >= lhs.valid_rows', 'dst.cols >= rhs.valid_cols']
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from typing import Any, NamedTuple, cast

from ptoas.analysis.knowledge import TileFacts, ViewFacts, element_count, shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.enums import SLayout
from ptoas.dialects.pto.geometry import BURST, LAYOUTS
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.declaration import declare, set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.rule import Part, Rule, Violation, Violations, mismatch, rule


class Shown(NamedTuple):
    """A value that messages show in other words."""

    value: Any
    text: str


Size = int | str | TileType | tuple[int, ...] | Shown
"""An extent or a word, or the extents of several dimensions, which are compared one by one."""
Term = Callable[[Any, Facts], Size]
"""One side of a relation, evaluated for an instruction."""


def _layout(operand: TileFacts | ViewFacts) -> str:
    if isinstance(operand, ViewFacts):
        return operand.layout.value
    order = (operand.type.blayout, operand.type.slayout)
    return next((name.lower() for name, each in LAYOUTS.items() if each == order), "")


def in_bytes(size: int) -> Shown:
    """A size that messages show with its unit."""
    return Shown(size, f"{size} bytes")


MEASURES: dict[str, tuple[str, Callable[[Any], Size]]] = {
    "rows": ("rows", lambda tile: tile.rows),
    "cols": ("columns", lambda tile: tile.cols),
    "shape": ("physical shape", lambda tile: tile.type.shape),
    "elements": ("elements", lambda tile: tile.rows * tile.cols),
    "physical": ("physical shape", lambda tile: tile.physical),
    "physical_rows": ("physical rows", lambda tile: tile.physical[0]),
    "physical_cols": ("physical columns", lambda tile: tile.physical[1]),
    "valid_rows": ("valid rows", lambda tile: tile.valid_rows),
    "valid_cols": ("valid columns", lambda tile: tile.valid_cols),
    "valid": ("valid shape", lambda tile: tile.valid),
    "type.valid": ("valid shape in the type", lambda tile: tile.type.valid),
    "type.valid_rows": ("valid rows", lambda tile: tile.type.valid_rows),
    "type.valid_cols": ("valid columns", lambda tile: tile.type.valid_cols),
    "is_line": ("one row or column", lambda tile: int(1 in tile.type.shape)),
    "order": ("layout", lambda tile: tile.layout_text),
    "boxed": ("slayout", lambda tile: Shown(tile.type.slayout is SLayout.NoneBox, tile.type.slayout.value)),
    "bytes": ("size", lambda tile: in_bytes(tile.type.size_bytes)),
    "dims": ("shape", lambda view: Shown(view.shape5, shape_str(view.shape))),
    "count": ("size", lambda view: Shown(n := element_count(view.shape), f"{n} elements")),
    "Stride[3]": ("stride of DIM_3", lambda view: view.strides5[3]),
    "Stride[4]": ("stride of DIM_4", lambda view: view.strides5[4]),
    "Shape[3]": ("Shape[3]", lambda view: view.shape5[3]),
    "Shape[4]": ("Shape[4]", lambda view: view.shape5[4]),
    "rank": ("rank", lambda view: len(view.type.shape)),
    "layout": ("layout", _layout),
    "slayout": ("slayout", lambda tile: tile.type.slayout.value),
    "memory": ("memory", lambda tile: tile.loc.value),
    "pad": ("pad", lambda tile: tile.type.pad.value),
    "is_window": ("window", lambda tile: int(tile.is_window)),
    "type": ("type", lambda tile: tile.type),
    "body": ("type", lambda tile: tile.type.body()),
    "element": ("element type", lambda operand: operand.element_name),
    "kind": ("kind of element", lambda operand: operand.element.kind),
    "width": ("element type", lambda operand: Shown(operand.size, operand.element.text)),
    "element_bytes": ("element size", lambda operand: in_bytes(operand.size)),
    "sized": ("element size", lambda tile: Shown(tile.size, f"{tile.element_name}, {tile.size} bytes")),
    "size": ("bytes of an element", lambda operand: operand.size),
    "burst": ("elements of 32 bytes", lambda operand: BURST // operand.size),
}
"""Measures of a tile or a view, with their names in messages."""


def _if_known(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda found, required: DYNAMIC in (found, required) or holds(found, required)


COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "==": ("", _if_known(operator.eq)),
    ">=": ("at least ", _if_known(operator.ge)),
    "<=": ("at most ", _if_known(operator.le)),
    "<": ("0 to ", lambda found, count: 0 <= found < count),
    "%": ("a multiple of ", _if_known(lambda found, step: found % step == 0)),
    "%+": ("a positive multiple of ", lambda found, step: found > 0 and found % step == 0),
    "is": ("", operator.eq),
    "opens as": ("", lambda found, required: (found == DYNAMIC) == (required == DYNAMIC)),
}
"""Comparisons, and the words before the required value. An unknown extent satisfies all but the last two:
`is` refuses it, and `opens as` compares just that. `<` is for numbers that count from 0.
"""

CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
}
"""Comparisons in conditions; an unknown extent, `?`, is an extent of its own."""

_ARITHMETIC: dict[str, Callable[[Any, Any], int]] = {
    " + ": operator.add,
    " * ": operator.mul,
    " // ": lambda one, other: one // other,
}
_TEXT = re.compile(r"(\S+) (==|>=|<=|<|%\+|%|is|opens as)(?: ([^,;:]+))?(.*)")


def _slot(name: str, op: Any) -> str:
    return getattr(op, name) if name.isupper() else name


def _operand(slot: str, know: Facts) -> Any:
    return know.tile(slot) if know.is_tile(slot) else know.view(slot)


def _dims(size: Size) -> tuple[Any, ...]:
    value: Any = size.value if isinstance(size, Shown) else size
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)


def _text(size: Size) -> str:
    return size.text if isinstance(size, Shown) else shape_str(_dims(size))


def _term(text: str) -> Term:
    """Make a side of a relation: `64`, `src.cols`, `src0.cols + src1.cols`, a text in quotes, or a word."""
    if text.startswith("'"):
        return lambda _op, _know: text.strip("'")
    for sign, apply in _ARITHMETIC.items():
        left, _, right = text.rpartition(sign)
        if left:
            return _arithmetic(apply, _term(left), _term(right))
    name, _, measure = text.partition(".")
    if measure:
        return lambda op, know: MEASURES[measure][1](_operand(_slot(name, op), know))
    value = DYNAMIC if text == "?" else int(text) if text.isdigit() else text
    return lambda _op, _know: value


def _arithmetic(apply: Callable[[Any, Any], int], one: Term, other: Term) -> Term:
    def calculate(op: Any, know: Facts) -> int:
        sides = (one(op, know), other(op, know))
        return DYNAMIC if DYNAMIC in sides else apply(*sides)

    return calculate


def _attribute(op: Any, name: str, know: Facts) -> Size:
    """An attribute as it is written, or its default; `none` where there is neither. `opcode` is one, too."""
    value = op.mnemonic() if name == "opcode" else know.target.value(op, name)
    return "none" if value is None else getattr(value, "value", value)


def _condition(text: str) -> Callable[[Any, Facts], bool]:
    """Make a condition: `src.memory == mat and src.rows > 1`; a name without a measure is an attribute."""
    first, _, others = text.partition(" and ")
    if others:
        one, other = _condition(first), _condition(others)
        return lambda op, know: one(op, know) and other(op, know)
    found, sign, required = text.split(" ")
    left: Term = _term(found) if "." in found else lambda op, know: _attribute(op, found, know)
    holds, right = CONDITIONS[sign], _term(required)
    return lambda op, know: holds(left(op, know), right(op, know))


@dataclass(frozen=True)
class Relation:
    """A comparison that must hold for an instruction, with the words of its message.

    An extent is a slot and one of `MEASURES`: `dst.valid_cols`. Where instructions call the slot differently,
    it is the constant of their classes that names it: `DATA.valid_cols`. A name alone is an attribute, or an
    operand whose constant is known.
    """

    text: str
    """`dst.cols >= 64`, `dst.element == src.element or f32`, `cmpMode == eq or ne`. In the end of the message
    `${slot}` is the operand on the right."""
    required: Callable[[Any, Facts], Size | list[Any]] | None = None
    """The right side where it is calculated, of the operation, its facts and the parameters that a row gives;
    a list has alternatives."""
    note: str = ""
    """The end of the message, if it is not in `text`."""
    what: str | None = None
    """Name of the found value in the message; `None`: `{words} of ${slot}`, or the attribute."""
    fix: str | None = None
    """`None`: the declaration with which the relation holds, if there is one; empty: no fix."""
    when: str | Callable[[Any, Facts], bool] | None = None
    """Condition under which the relation must hold; `None`: for all instructions with the operand."""
    severity: Severity | None = None
    fixit: Fixit | None = None
    part: Part | None = None
    """The part of the instruction to blame, if it is not the operand."""
    follows: bool = False
    """True if it is compared only where the relations before it hold."""

    @cached_property
    def parts(self) -> tuple[str, str, str, str]:
        """The found side, the comparison, the required side, and the end of the message."""
        match = _TEXT.fullmatch(self.text)
        assert match is not None, self.text
        return match[1], match[2], match[3] or "", self.note or match[4]

    @cached_property
    def _alternatives(self) -> list[Term]:
        return [_term(text) for text in self.parts[2].split(" or ")]

    @cached_property
    def _applies(self) -> Callable[[Any, Facts], bool]:
        if isinstance(self.when, str):
            return _condition(self.when)
        return self.when or (lambda _op, _know: True)

    def violations(self, op: Any, know: Facts, **given: Any) -> Violations:
        """Return the violation of this relation by an instruction, if there is one."""
        found, sign, required, note = self.parts
        name, _, measure = found.partition(".")
        if not self._applies(op, know):
            return
        slot, words, operand, what = _slot(name, op), name, None, self.what or "{words}"
        if measure:
            if not know.values(slot):
                return
            operand, (words, of) = _operand(slot, know), MEASURES[measure]
            value, place, what = of(operand), {"slot": slot}, self.what or "{words} of ${slot}"
            place = {"part": self.part} if self.part is not None else place
        elif slot in op.signature().fields:
            value, place = _attribute(op, slot, know), {"field": slot}
        else:
            unknown = DYNAMIC if sign == "is" else None
            value = next((number for number in know.constants(slot) if number is not None), unknown)
            place = {"slot": slot, "part": "value"}
        if value is None or (value == "none" and not measure):
            return
        legal = self._required(op, know, given)
        phrase, holds = COMPARISONS[sign]
        if any(all(map(holds, _dims(value), _dims(each))) for each in legal):
            return
        other = _slot(required.partition(".")[0], op)
        expected = _listed([_text(each - 1 if sign == "<" else each) for each in legal])
        fix = self.fix
        if fix is None and isinstance(operand, TileFacts) and len(legal) == 1:
            fix = _declaration(measure, sign, slot, operand, _dims(value), _dims(legal[0]))
        yield mismatch(
            re.sub(r"\{(\w+\.\w+)\}", lambda name: _text(_term(name[1])(op, know)), what).format(
                words=words, slot=slot
            ),
            _text(value) if operand is not None or sign == "is" else str(value),
            f"{phrase}{expected}{note.format(slot=other)}",
            fix=fix or None,
            severity=self.severity,
            fixit=self.fixit,
            **place,
        )

    def _required(self, op: Any, know: Facts, given: dict[str, Any]) -> list[Any]:
        if self.required is None:
            return [term(op, know) for term in self._alternatives]
        calculate: Callable[..., Any] = self.required
        calculated = calculate(op, know, **given)
        return cast("list[Any]", calculated) if isinstance(calculated, list) else [calculated]


def _listed(words: list[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _declaration(
    measure: str, sign: str, slot: str, tile: TileFacts, found: tuple[Any, ...], required: tuple[Any, ...]
) -> str | None:
    """The declaration with which a relation holds, if there is one for its comparison and measure."""
    type = tile.type
    if sign == "%":
        required = tuple(-(-size // step) * step for size, step in zip(found, required, strict=True))
    match measure:
        case _ if sign == "opens as":
            return None
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


@dataclass(eq=False)
class Relations:
    """The check of a rule that states relations; it finds all of them that do not hold, in their order."""

    stated: tuple[Relation, ...]

    def __call__(self, op: Any, know: Facts, **given: Any) -> Iterator[Violation]:
        broken = False
        for relation in self.stated:
            for violation in () if broken and relation.follows else relation.violations(op, know, **given):
                broken = True
                yield violation


def constraint(code: str, *stated: str | Relation, **about: Any) -> Callable[[Callable[[], None]], Rule]:
    """Make a rule of relations; the function is its name and statement, and `about` is what `rule` takes."""
    relations = tuple(Relation(each) if isinstance(each, str) else each for each in stated)
    return lambda named: rule(code, **about)(update_wrapper(Relations(relations), named))
