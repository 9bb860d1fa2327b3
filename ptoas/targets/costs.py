"""Cost models of instructions as data: a formula, its constants, its source and the confidence in it.

A formula counts cycles of a core's clock. Its names are the model's constants and quantities of the
instruction (`QUANTITIES`); it may add, multiply, divide, compare, choose (`a if x else b`), and use `ceil`,
`min`, `max` and `odd`, the largest odd divisor. The table of a target is in `targets/<target>/costs.py`; a
TOML file may override it. A source such as `M4` is a row of docs/calibration.md.

>>> model = CostModel("slope * repeats", "a measurement", "A", {"slope": 2.0}, first="lat + 1")
>>> cycles("slope * repeats", {"slope": 2.0, "repeats": 64})
128.0
>>> cycles("a * x if x > 3 else ceil(x / 2)", {"a": 10, "x": 3})
2.0
"""

from __future__ import annotations

import ast
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ptoas.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoas.targets.target import Target

Confidence = Literal["A", "B", "C", "borrowed"]
CONFIDENCE: dict[Confidence, str] = {
    "A": "measured or fitted on a device, with the conditions stated",
    "B": "a published formula or simulator, or a figure whose conditions are not all stated",
    "C": "one number, a claim or a placeholder",
    "borrowed": "no public number: that of the nearest instruction or path",
}
SPREAD: dict[Confidence, float] = {"A": 1.1, "B": 1.35, "C": 2.0, "borrowed": 2.0}
"""Ends of a range that a model does not state: the middle divided and multiplied by this.

The public cost model is within 10 % of its own profiling values for 50 of 124, within 36 % for the half of
them, and off by more than 2 for 17.
"""
ESTIMATES = ("C", "borrowed")
"""Confidences that a report calls an estimate."""

QUANTITIES: dict[str, str] = {
    "rows": "valid rows of the largest tile, or rows that are moved",
    "cols": "its valid columns",
    "size": "bytes of an element of it",
    "elements": "rows * cols",
    "bytes": "elements * size",
    "repeats": "pieces of 256 bytes that the vector unit works through",
    "masked": "1 where the last piece is not whole, else 0",
    "lines": "elements in pieces of 256 bytes",
    "per_row": "pieces of 256 bytes in a row",
    "whole": "1 where rows follow each other without gaps, else 0",
    "calls": "transfers that the copy engine is given",
    "m": "rows of a product",
    "k": "what a product sums over",
    "n": "columns of a product",
    "pairs": "1 where an element of a product's operands is a pair of numbers, else 0",
    "passes": "how often the threads of a launch start over",
    "bursts": "pieces of 128 bytes of global memory that a launch touches",
}

Form = Literal["line", "binary", "scalar"]
"""Division of an instruction into repeats: rows without gaps are one line; instructions with two tiles
process narrow tiles row by row, those with a scalar all tiles whose rows are not whole repeats.
"""

Case: TypeAlias = tuple[int, int | None, Mapping[str, float]]
"""Bytes of an element, columns up to which it holds (`None`: any), and the constants then."""


@dataclass(frozen=True, eq=False)
class CostModel:
    """Cycles that an instruction keeps its pipe busy, with the source of the number."""

    formula: str
    source: str
    confidence: Confidence
    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    first: str = "0"
    """Additional cycles of the first instruction of a pipe."""
    ragged: str | None = None
    """The formula where rows do not follow each other without gaps."""
    low: str | None = None
    high: str | None = None
    """The ends of a range, where `SPREAD` is not what is known of it."""
    other_pipes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Cycles of other pipes, by pipe."""
    form: Form = "line"
    cases: tuple[Case, ...] = ()
    """Constants that differ by the size of an element and the columns."""

    def constants_for(self, size: float, cols: float) -> tuple[Mapping[str, float], Confidence]:
        """Return the constants and the confidence; past the last column the model is extrapolated."""
        if not self.cases:
            return self.constants, self.confidence
        sizes = {case[0] for case in self.cases}
        nearest = min(sizes, key=lambda each: (abs(each - size), each))
        rows = [case for case in self.cases if case[0] == nearest]
        for _, most, constants in rows:
            if most is None or cols <= most:
                return {**self.constants, **constants}, self.confidence
        _, most, constants = rows[-1]
        grown = {name: value * cols / (most or 1) for name, value in constants.items() if name == "row"}
        return {**self.constants, **constants, **grown}, "borrowed"


@dataclass(frozen=True)
class Chip:
    """Costs of a core and of the chip that are no instruction's."""

    mhz: float
    issue: float
    """Cycles of the scalar unit for an instruction that it hands to a pipe."""
    flag: float
    """Cycles of it for a flag or a barrier."""
    fence: float
    """Cycles of a fence, which cleans a cache line and waits."""
    memory: float
    """Bytes a cycle that all cores together read from and write to memory."""
    cache: float
    """The same for bytes that the second-level cache holds."""
    sources: Mapping[str, tuple[str, Confidence]]
    """Source and confidence of each number above."""


@dataclass(frozen=True)
class CostTable:
    """The cost models of a target by instruction, by `instruction:route`, by route (`gm-vec`) and by
    pipe.
    """

    chip: Chip
    models: Mapping[str, CostModel]

    @property
    def mhz(self) -> float:
        """The clock of a core."""
        return self.chip.mhz

    @property
    def clock(self) -> str:
        """Source of the clock rate."""
        return self.chip.sources["mhz"][0]

    def model(self, *keys: str) -> tuple[str, CostModel]:
        """Return the first key that has a cost model, with that model."""
        for key in keys:
            if key in self.models:
                return key, self.models[key]
        raise KeyError(keys)


def each(names: str, model: CostModel) -> dict[str, CostModel]:
    """One cost model for several instructions, whose names are separated by blanks."""
    return dict.fromkeys(names.split(), model)


def borrowed(names: str, model: CostModel, source: str) -> dict[str, CostModel]:
    """The model of another instruction, for those of its class of which nothing is published."""
    return each(names, replace(model, source=f"no public number: {source}", confidence="borrowed"))


# --- formulas --------------------------------------------------------------------------------------

_Values: TypeAlias = Mapping[str, float]
_Formula: TypeAlias = Callable[[_Values], float]


def odd(number: float) -> int:
    """Return the largest odd divisor: 12 has 3.

    >>> odd(12), odd(0)
    (3, 1)
    """
    whole = int(number) or 1
    return whole // (whole & -whole)


_FUNCTIONS: dict[str, Callable[..., float]] = {"ceil": math.ceil, "min": min, "max": max, "odd": odd}
_OPERATORS: dict[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Mod: lambda a, b: a % b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
_LONGEST = 500


@lru_cache(maxsize=1024)
def _parsed(text: str) -> tuple[_Formula, frozenset[str]]:
    """Return a formula as a function, and the names it uses; raise `UsageError` for anything else."""
    try:
        tree = ast.parse(text if len(text) <= _LONGEST else "", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{text[:80]!r} is not a formula") from None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return _formula(tree.body, text), frozenset(names - _FUNCTIONS.keys())


def _formula(node: ast.expr, text: str) -> _Formula:
    """Compile a part of a formula to a function."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return lambda _: number
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            minus = _formula(operand, text)
            return lambda values: -minus(values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            first, second, operator = _formula(left, text), _formula(right, text), _OPERATORS[type(op)]
            return lambda values: operator(first(values), second(values))
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _OPERATORS for op in ops):
            sides = [_formula(side, text) for side in (left, *others)]
            steps = list(zip((_OPERATORS[type(op)] for op in ops), sides, sides[1:], strict=False))
            return lambda values: all(compare(a(values), b(values)) for compare, a, b in steps)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, then, other = (_formula(part, text) for part in (test, body, orelse))
            return lambda values: then(values) if condition(values) else other(values)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            function, parts = _FUNCTIONS[name], [_formula(arg, text) for arg in args]
            return lambda values: function(*(part(values) for part in parts))
        case _:
            raise UsageError(f"{text!r} is not a formula: {ast.unparse(node)!r} is not allowed in one")


def names_in(formula: str) -> frozenset[str]:
    """The constants and quantities that a formula names."""
    return _parsed(formula)[1]


def cycles(formula: str, values: Mapping[str, float]) -> float:
    """Return the value of a formula, at least 0."""
    function, _ = _parsed(formula)
    try:
        found = float(function(values))
    except KeyError as error:
        raise UsageError(f"the formula {formula!r} has no value: name {error} is not defined") from None
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the formula {formula!r} has no value: {error}") from None
    return found if 0.0 < found < math.inf else 0.0


# --- tables ----------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def table_of(target: Target) -> CostTable:
    """Return the cost table of a target; of its packages the last one with a table provides it."""
    for package in reversed(target.packages):
        if target.has_pipes and find_spec(f"{package}.costs") is not None:
            return import_module(f"{package}.costs").TABLE
    raise UsageError(f"{target.name} has no pipes and no clock: there is nothing to profile; use a2a3 or a5")


_WORDS = ("formula", "low", "high", "first", "ragged", "source", "confidence")
_CHIP = ("mhz", "issue", "flag", "fence", "memory", "cache")


def overridden(table: CostTable, text: str, file: str, target: str) -> CostTable:
    """Return a table with the overrides of a TOML file for a target: constants, formulas, the chip.

    >>> chip = Chip(1850, 7, 1, 832, 595, 1960, {"mhz": ("a test", "C")})
    >>> table = CostTable(chip, {"tadd": CostModel("a * repeats", "", "B", {"a": 2.0})})
    >>> mine = overridden(table, '[a2a3.tadd]\\na = 3\\n[a2a3.chip]\\nmhz = 1800', "mine.toml", "a2a3")
    >>> mine.mhz, mine.models["tadd"].constants["a"], mine.models["tadd"].confidence
    (1800.0, 3.0, 'A')
    """
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from None
    models, chip = dict(table.models), table.chip
    section: Any = data.get(target, {})
    if not isinstance(section, dict):
        raise UsageError(f"{file}: [{target}] is a table of instructions")
    for name, values in cast("dict[str, Any]", section).items():
        if not isinstance(values, dict):
            raise UsageError(f"{file}: {target}.{name} is a table: constants, or a formula")
        entries = cast("dict[str, Any]", values)
        if name in ("chip", "clock"):
            chip = _changed_chip(chip, entries, file, f"{target}.{name}")
        else:
            models[name] = _changed(models.get(name), entries, file, f"{target}.{name}")
    return replace(table, models=models, chip=chip)


def _changed_chip(chip: Chip, section: dict[str, Any], file: str, place: str) -> Chip:
    unknown = sorted(section.keys() - set(_CHIP))
    if unknown:
        raise UsageError(f"{file}: {place} has no {unknown[0]!r}; it has {', '.join(_CHIP)}")
    numbers = {name: _number(file, place, name, value) for name, value in section.items()}
    for name in ("mhz", "memory", "cache"):
        if numbers.get(name) == 0:
            raise UsageError(f"{file}: {place}.{name} is a number above 0")
    found = dict.fromkeys(numbers, (file, cast(Confidence, "A")))
    return replace(chip, **numbers, sources={**chip.sources, **found})


def _changed(model: CostModel | None, section: dict[str, Any], file: str, place: str) -> CostModel:
    if model is None and "formula" not in section:
        raise UsageError(f"{file}: there is no cost model {place}, so it needs a formula")
    model = model or CostModel("0", file, "A")
    words = {name: str(section[name]) for name in _WORDS if name in section}
    confidence = words.get("confidence", "A")
    if confidence not in CONFIDENCE:
        raise UsageError(
            f"{file}: {place}.confidence is one of {', '.join(CONFIDENCE)}; {confidence!r} found"
        )
    numbers = {n: _number(file, place, n, v) for n, v in section.items() if n not in _WORDS}
    if "formula" in words:
        # A number of one's own is neither a range nor has it cases, unless the file states them as well.
        model = replace(model, ragged=None, low=None, high=None, first="0", cases=(), other_pipes={})
    changed = replace(
        model,
        **{"source": file, **words, "confidence": confidence},
        constants={**model.constants, **numbers},
        cases=tuple((size, cols, {**c, **numbers}) for size, cols, c in model.cases),
    )
    known = {*changed.constants, *QUANTITIES, *(name for case in changed.cases for name in case[2])}
    for formula in (changed.formula, changed.first, changed.ragged, changed.low, changed.high):
        unknown = sorted(names_in(formula) - known) if formula else []
        if unknown:
            names = ", ".join(QUANTITIES)
            raise UsageError(f"{file}: {place} names {unknown[0]!r}; there are its constants, and {names}")
    return changed


def _number(file: str, place: str, constant: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise UsageError(f"{file}: {place}.{constant} is a number from 0; {value!r} found")
    return float(value)
