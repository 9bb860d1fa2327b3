"""Integers that are the same in every run: `arith.constant`, and what `arith` makes of constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

Fold = Callable[[Sequence[int]], int | None]


def _quotient(a: int, b: int) -> int | None:
    """Division that rounds towards zero, as `divsi` does."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _quotient(a, b)
    return None if quotient is None else a - b * quotient


_FOLDS: dict[type[Operation], Fold] = {
    arith.AddiOp: lambda v: v[0] + v[1],
    arith.SubiOp: lambda v: v[0] - v[1],
    arith.MuliOp: lambda v: v[0] * v[1],
    arith.DivSIOp: lambda v: _quotient(v[0], v[1]),
    arith.DivUIOp: lambda v: _quotient(v[0], v[1]) if min(v) >= 0 else None,
    arith.FloorDivSIOp: lambda v: v[0] // v[1] if v[1] else None,
    arith.CeilDivSIOp: lambda v: -(-v[0] // v[1]) if v[1] else None,
    arith.CeilDivUIOp: lambda v: -(-v[0] // v[1]) if v[1] > 0 and v[0] >= 0 else None,
    arith.RemSIOp: lambda v: _remainder(v[0], v[1]),
    arith.RemUIOp: lambda v: _remainder(v[0], v[1]) if min(v) >= 0 else None,
    arith.MinSIOp: lambda v: min(v),
    arith.MaxSIOp: lambda v: max(v),
    arith.MinUIOp: lambda v: min(v) if min(v) >= 0 else None,
    arith.MaxUIOp: lambda v: max(v) if min(v) >= 0 else None,
    arith.AndIOp: lambda v: v[0] & v[1],
    arith.OrIOp: lambda v: v[0] | v[1],
    arith.XOrIOp: lambda v: v[0] ^ v[1],
    arith.ShLIOp: lambda v: v[0] << v[1] if 0 <= v[1] < 64 else None,
    arith.ShRSIOp: lambda v: v[0] >> v[1] if 0 <= v[1] < 64 else None,
    arith.ShRUIOp: lambda v: v[0] >> v[1] if 0 <= v[1] < 64 and v[0] >= 0 else None,
    arith.IndexCastOp: lambda v: v[0],
    arith.ExtSIOp: lambda v: v[0],
    arith.ExtUIOp: lambda v: v[0] if v[0] >= 0 else None,
    arith.TruncIOp: lambda v: v[0],
    arith.SelectOp: lambda v: v[1] if v[0] else v[2],
}


_COMPARISONS: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
"""The signed predicates of `arith.cmpi`; the unsigned ones follow in the order of the last four."""


def _compare(op: arith.CmpiOp, values: Sequence[int]) -> int | None:
    left, right = values
    predicate: int = op.predicate.value.data
    if predicate < len(_COMPARISONS):
        return _COMPARISONS[predicate](left, right)
    return _COMPARISONS[predicate - 4](left, right) if min(left, right) >= 0 else None


def _wrap(value: int, type: Attribute) -> int:
    """The value in the width of its type, signed."""
    width: int = cast(IntegerType, type).width.data if isinstance(type, IntegerType) else 64
    half = 1 << (width - 1)
    return (value + half) % (1 << width) - half


def fold(op: Operation, values: Sequence[int | None], type: Attribute) -> int | None:
    """The constant result of an operation on these constants; `None` where one is unknown."""
    if None in values or type.__class__ not in _INTEGERS:
        return None
    given = cast("Sequence[int]", values)
    result = _compare(op, given) if isinstance(op, arith.CmpiOp) else _FOLDS[op.__class__](given)
    return None if result is None else _wrap(result, type)


_INTEGERS = {IntegerType, IndexType}
_FOLDABLE = {*_FOLDS, arith.CmpiOp}
_NOT_SEEN: Any = object()


def is_foldable(kind: type[Operation]) -> bool:
    """Whether an operation of constants is a constant."""
    return kind in _FOLDABLE


class Constants:
    """The integers that values always have. Each value is looked at once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, int | None] = {}

    def constant(self, value: SSAValue) -> int | None:
        """The integer that a value always has, if that is known."""
        known = self._known
        found = known.get(value, _NOT_SEEN)
        return self._find(value) if found is _NOT_SEEN else found

    def _find(self, value: SSAValue) -> int | None:
        known = self._known
        stack = [value]
        while stack:
            top = stack.pop()
            op = top.owner
            kind = op.__class__
            if kind is arith.ConstantOp:
                given = cast(arith.ConstantOp, op).properties["value"]
                known[top] = given.value.data if isinstance(given, IntegerAttr) else None
            elif kind not in _FOLDABLE:
                known[top] = None
            else:
                operands = cast(Operation, op).operands
                values = [known.get(operand, _NOT_SEEN) for operand in operands]
                if _NOT_SEEN in values:
                    unseen = [
                        operand for operand, each in zip(operands, values, strict=True) if each is _NOT_SEEN
                    ]
                    stack += [top, *unseen]
                else:
                    known[top] = fold(cast(Operation, op), values, top.type)
        return known[value]
