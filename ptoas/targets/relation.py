"""Relations of operands and attributes as data: what a rule says that only compares them.

A relation is a text: a value, a comparison, the required value, and the end of its message, which begins with
a comma, colon or semicolon and may be missing. A wrong text is an error at import.

    dst.rows >= lhs.valid_rows, as $lhs

**Values.** `dst.valid_cols` is a measure (`measures.py`) of the operand in the slot `dst`, `staging[1].type`
of one of several operands; where instructions call the slot differently, `DATA.valid_cols` names the constant
of their classes that says how. A name alone is an attribute, `opcode`, or a parameter of the rule in the row;
on the left of a relation it may also be a slot, whose operands are compared as far as their constants are
known. On the right, `64`, `?` (an extent that is not known), `row_major` and `'words in quotes'` are
themselves, and `src.cols * 2 - 1` is calculated.

**Comparisons.**

    dst.valid == src.valid              equal, dimension by dimension
    dst.element == f16 or src.element   equal to one of several
    dst.cols >= 64                      at least; `<=` is at most
    dst.cols % 16                       a multiple; `%+` is a positive multiple
    row in 0 to tile.rows               in a range with both ends; a name alone is a parameter
    dst.element in pairs[src.element]   a word of a table, which the row gives: `{"f32": "f16 bf16"}`;
                                        without a key one of the element types that it gives
    mem.Shape[3] is 16                  equal, and known
    idx.valid opens as dst.valid        known if and only if the other is

An unknown extent satisfies all but the last two. A relation holds if the operand or attribute on its left is
not given.

**Conditions.** A relation with `when="src.memory == mat and src.rows > 1"` must hold only then. Conditions
compare with `==`, `!=`, `>` and `<`; an attribute or operand that is not given is `none`, and `?` is an
extent of its own.

**Words.** In a message or fix `{src.element}` is replaced by that value, `{words}` and `{slot}` by the name
of the measure and by the slot, `{found}` and `{expected}` by the compared values, `{required}` by the bare
number, and `{multiple}` by the next multiple of that.

>>> import ptoas
>>> check = ptoas.RULES["PTO-K107"].check
>>> assert isinstance(check, Relations)
>>> [relation.text for relation in check.stated]
['dst.rows >= lhs.valid_rows', 'dst.cols >= rhs.valid_cols']
>>> Relation("dst.colums >= 64")
Traceback (most recent call last):
ValueError: dst.colums >= 64: there is no measure 'colums'
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, cast

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.geometry import LAYOUTS
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets import drawing
from ptoas.targets.declaration import declare, declare_layout, set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.measures import MEASURES, Shown, Size
from ptoas.targets.rule import Related, Rule, Violation, Violations, rule

Given = Mapping[str, Any]
"""The parameters of a rule in a row."""
Term = Callable[[Any, Facts, Given], Any]
"""A value or a condition, evaluated for an instruction."""


def _order(text: str) -> tuple[BLayout, SLayout]:
    """The order of blocks and of what is in them, of a layout in words."""
    return next(
        order for order in LAYOUTS.values() if text.startswith(f"{order[0].value} + {order[1].value}")
    )


COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "==": ("", operator.eq),
    ">=": ("at least ", operator.ge),
    "<=": ("at most ", operator.le),
    "%": ("a multiple of ", lambda found, step: found % step == 0),
    "%+": ("a positive multiple of ", lambda found, step: found > 0 and found % step == 0),
    "in": ("", lambda found, legal: found in legal if isinstance(legal, range) else _plain(found) == legal),
    "is": ("", operator.eq),
    "opens as": ("", lambda found, required: (found == DYNAMIC) == (required == DYNAMIC)),
}
"""Comparisons, and the words before the required value."""

CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
"""Comparisons in conditions."""

_ARITHMETIC: dict[str, Callable[[Any, Any], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda one, other: one // other,
}
_TEXT = re.compile(r"(\S+) (==|>=|<=|%\+|%|in|is|opens as)(?: ([^,;:]+))?([,;:].*)?")
_OPERAND = re.compile(r"([A-Za-z]\w*)(?:\[(\d)\])?\.([A-Za-z].*)")
_CALCULATIONS = (re.compile(r"(.+) ([+-]) (.+)"), re.compile(r"(.+) (\*|//) (.+)"))


def _slot(name: str, op: Any) -> str:
    return getattr(op, name) if name.isupper() else name


def _bare(size: Size) -> Any:
    return size.value if isinstance(size, Shown) else size


def _dims(size: Size) -> tuple[Any, ...]:
    value = _bare(size)
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)


def _text(size: Size) -> str:
    match size:
        case Shown():
            return size.text
        case range():
            return f"{size.start} to {size.stop - 1}"
        case _:
            return shape_str(_dims(size))


def _measure(operand: re.Match[str]) -> Term:
    name, at, measure = operand[1], int(operand[2] or 0), operand[3]
    if measure not in MEASURES:
        raise ValueError(f"there is no measure {measure!r}")
    return lambda op, know, _given: MEASURES[measure][1](know.operand(_slot(name, op), at))


def _constant(value: int | str) -> Term:
    return lambda _op, _know, _given: value


def _parameter(name: str) -> Term:
    return lambda _op, _know, given: given[name]


def _attribute(name: str) -> Term:
    """Make an attribute as it is written, or its default, or a parameter; `none` where there is none."""

    def evaluate(op: Any, know: Facts, given: Given) -> Any:
        if name in given:
            return str(given[name])
        value = op.mnemonic() if name == "opcode" else know.target.value(op, name)
        if value is None:
            return "given" if know.values(name) else "none"
        return getattr(value, "value", value)

    return evaluate


def _term(text: str) -> Term:
    """Make a value: `64`, `src.cols`, `src0.cols + src1.cols`, a text in quotes, or a word."""
    if text.startswith("'"):
        return _constant(text.strip("'"))
    for calculation in _CALCULATIONS:
        if (sides := calculation.fullmatch(text)) is not None:
            return _calculated(_ARITHMETIC[sides[2]], _term(sides[1]), _term(sides[3]))
    if (operand := _OPERAND.fullmatch(text)) is not None:
        return _measure(operand)
    return _constant(DYNAMIC if text == "?" else int(text) if text.isdigit() else text)


def _calculated(apply: Callable[[Any, Any], int], one: Term, other: Term) -> Term:
    def calculate(op: Any, know: Facts, given: Given) -> int:
        sides = (one(op, know, given), other(op, know, given))
        return DYNAMIC if DYNAMIC in sides else apply(*sides)

    return calculate


def _left(text: str) -> Term:
    """Make the value of a condition or a key, where a name without a measure is an attribute."""
    return _term(text) if "." in text else _attribute(text)


def _condition(text: str) -> Term:
    """Make a condition: `src.memory == mat and src.rows > 1`."""
    if not text:
        return _constant(True)
    first, _, others = text.partition(" and ")
    if others:
        one, other = _condition(first), _condition(others)
        return lambda op, know, given: one(op, know, given) and other(op, know, given)
    parts = text.split(" ")
    if len(parts) != 3 or parts[1] not in CONDITIONS:
        raise ValueError(f"{text!r} is no condition")
    left, holds, right = _left(parts[0]), CONDITIONS[parts[1]], _term(parts[2])
    return lambda op, know, given: holds(_bare(left(op, know, given)), _bare(right(op, know, given)))


def _legal(sign: str, text: str) -> Term:
    """Make the list of legal values: those between `or`, a range, or the words of a table."""
    if sign != "in":
        terms = [_term(each) for each in text.split(" or ")]
        return lambda op, know, given: [term(op, know, given) for term in terms]
    if " to " in text:
        least, most = (_parameter(end) if end.isalpha() else _term(end) for end in text.split(" to "))
        return lambda op, know, given: [range(least(op, know, given), most(op, know, given) + 1)]
    table, _, key = text.removesuffix("]").partition("[")
    row = _left(key) if key else None

    def words(op: Any, know: Facts, given: Given) -> list[Size]:
        found = given[table] if row is None else given[table].get(_plain(row(op, know, given)), "")
        names = found.split() if isinstance(found, str) else [type.text for type in found]
        return [_plain(name) for name in names]

    return words


def _plain(word: str) -> str:
    """An element type as tables name it."""
    return word.removeprefix("!pto.")


_OWN_WORDS = ("words", "slot", "found", "expected", "what", "required", "multiple")
"""Words in braces that belong to the comparison."""


def _filled(text: str) -> Callable[..., str]:
    """Make a text with values in it: `index of {src.element}`."""
    names = re.split(r"\{([\w.]+)\}", text)
    terms = {name: _left(name) for name in names[1::2] if name not in _OWN_WORDS}

    def fill(op: Any, know: Facts, given: Given, **own: str) -> str:
        values = {name: _text(term(op, know, given)) for name, term in terms.items()} | own
        return "".join(values[each] if at % 2 else each for at, each in enumerate(names))

    return fill


@dataclass(eq=False)
class Relation:
    """A comparison that must hold for an instruction, with the words of its message."""

    text: str
    required: Callable[[Any, Facts], Size | list[Any]] | Shown | None = None
    """The right side where it has other words, or where it is calculated, of the operation, its facts and the
    parameters in the row; a list has alternatives."""
    note: str = ""
    """The end of the message, if it is not in `text`. There `${slot}` is the operand on the right."""
    what: str = ""
    """Name of the found value in the message; empty: `{words} of ${slot}`, or the attribute."""
    message: str = ""
    """The message, if `found X, expected Y` is not the plainest."""
    fix: str | None = None
    """`None`: the declaration or value with which the relation holds, if there is one; empty: no fix."""
    when: str | Callable[[Any, Facts], bool] = ""
    """Condition under which the relation must hold; empty: for all instructions with the operand."""
    severity: Severity | None = None
    fixit: Fixit | None = None
    follows: bool = False
    """True if it is compared only where the relations before it hold."""

    def __post_init__(self) -> None:
        match = _TEXT.fullmatch(self.text)
        if match is None:
            raise ValueError(f"{self.text}: a relation compares with one of {', '.join(COMPARISONS)}")
        self.found, self.comparison, self.right = match[1], match[2], match[3] or ""
        try:
            operand = _OPERAND.fullmatch(self.found)
            self._slot, self._at, self._measure = operand.groups() if operand else (self.found, None, "")
            self._value = _term(self.found) if operand else _attribute(self.found)
            self._legal = _legal(self.comparison, self.right) if self.required is None else self._calculated
            self._applies = _condition(self.when) if isinstance(self.when, str) else self._holds_when
            self._what = _filled(self.what or ("{words} of ${slot}" if operand else "{words}"))
            self._note = _filled(self.note or match[4] or "")
            self._message = _filled(self.message or "{what}: found {found}, expected {expected}")
            self._fix = _filled(self.fix or "")
        except ValueError as error:
            raise ValueError(f"{self.text}: {error}") from None

    def _calculated(self, op: Any, know: Facts, given: Given) -> list[Any]:
        required: Any = self.required
        legal = required if isinstance(required, Shown) else required(op, know, **given)
        return cast("list[Any]", legal) if isinstance(legal, list) else [legal]

    def _holds_when(self, op: Any, know: Facts, _given: Given) -> bool:
        assert not isinstance(self.when, str)
        return self.when(op, know)

    def violations(self, op: Any, know: Facts, **given: Any) -> Violations:
        """Return the violations of this relation by an instruction: one at most, or one of each operand whose
        constant is compared."""
        if not self._applies(op, know, given):
            return
        slot = _slot(self._slot, op)
        for value, words, place in self._found(op, know, given, slot):
            legal = self._legal(op, know, given)
            if any(all(map(self._holds, _dims(value), _dims(each))) for each in legal):
                continue
            found = _text(value) if self._measure or self.comparison == "is" else str(value)
            other = _slot(self.right.partition(".")[0], op)
            expected = COMPARISONS[self.comparison][0] + _listed([_text(each) for each in legal])
            own = {
                "what": self._what(op, know, given, words=words, slot=slot),
                "found": found,
                "expected": expected + self._note(op, know, given, slot=other),
                "slot": slot,
            }
            fix, related = self._help(know, slot, value, legal)
            if self.fix is not None:
                fix = self._fix(op, know, given, **own, **_numbers(value, legal)) or None
            yield Violation(
                self._message(op, know, given, **own),
                fix=fix,
                severity=self.severity,
                fixit=self.fixit,
                related=related,
                **place,
            )

    def _found(
        self, op: Any, know: Facts, given: Given, slot: str
    ) -> Iterator[tuple[Size, str, dict[str, Any]]]:
        """The found values, with their names and places: none for what is not given; for a result the
        statement."""
        if self._measure:
            at = int(self._at or 0)
            place = {} if slot == "result" else {"slot": (slot, at)}
            if at < len(know.values(slot)):
                yield self._value(op, know, given), MEASURES[self._measure][0], place
        elif slot in op.signature().fields:
            value = self._value(op, know, given)
            if value != "none":
                yield value, slot, {"field": slot}
        else:
            numbers = know.constants(slot)
            for at, number in enumerate(numbers):
                words = f"{slot}[{at}]" if len(numbers) > 1 else slot
                if number is not None or self.comparison == "is":
                    value = DYNAMIC if number is None else number
                    yield value, words, {"slot": (slot, at), "part": "value"}

    def _holds(self, found: Any, required: Any) -> bool:
        """Compare one dimension; an unknown one is equal to any."""
        unknown = required == DYNAMIC or (found == DYNAMIC and bool(self._measure))
        if unknown and self.comparison not in ("is", "opens as"):
            return True
        return COMPARISONS[self.comparison][1](found, required)

    def _help(
        self, know: Facts, slot: str, value: Any, legal: list[Any]
    ) -> tuple[str | None, tuple[Related, ...]]:
        """A fix and a picture, where there are some for the comparison and measure."""
        if self._measure == "block":
            return None, () if DYNAMIC in value else (Related(drawing.boxes(value, legal[0])),)
        if len(legal) != 1:
            return None, ()
        if not self._measure:
            return near(value, legal[0]) if self.comparison == "%" else (None, ())
        operand = know.operand(slot, int(self._at or 0))
        if not isinstance(operand, TileFacts):
            return None, ()
        required = _dims(legal[0])
        picture = orders_note(_order(value), _order(required[0])) if self._measure == "order" else ()
        return _declaration(self._measure, self.comparison, slot, operand, _dims(value), required), picture


def _numbers(found: Any, legal: list[Any]) -> dict[str, str]:
    """The required number, if it is one, and the first multiple of it that is not less than the found one."""
    value, required = _bare(found), _bare(legal[0]) if legal else None
    if not isinstance(value, int) or not isinstance(required, int):
        return {}
    multiple = -(-value // required) * required if required else 0
    return {"required": str(required), "multiple": str(multiple)}


def _listed(words: list[str]) -> str:
    """`a`, `a or b`, `a, b or c`, or `none`."""
    *others, last = words or ["none"]
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
        case "order":
            return declare_layout(slot, tile, _order(required[0]))
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


def near(value: int, step: int) -> tuple[str, tuple[Related, ...]]:
    """The fix of a value that is not a multiple of a step, and a picture of it between its neighbours."""
    below = value // step * step
    picture = (Related(drawing.ruler(value, step)),) if value > 0 else ()
    return f"use {below} or {below + step}", picture


def orders_note(found: drawing.Order, required: drawing.Order | None) -> tuple[Related, ...]:
    """Both orders of elements side by side, where they differ."""
    if required is None or found == required:
        return ()
    return (Related(drawing.orders(found, required)),)


def constraint(code: str, *stated: str | Relation, **about: Any) -> Callable[[Callable[[], None]], Rule]:
    """Make a rule of relations; the function is its name and statement, and `about` is what `rule` takes."""
    relations = tuple(Relation(each) if isinstance(each, str) else each for each in stated)
    return lambda named: rule(code, **about)(update_wrapper(Relations(relations), named))
