"""The language of RUN-CHECK: expressions over the arrays of a run.

The expression is Python's grammar for numbers, nothing more: names of arguments and outputs (`out`,
`%out`, `out@2` of rank 2), lists, `name[0, :4]`, `+ - * / // % **`, comparisons (chained too), `and`, `or`,
`not`, and the functions of `FUNCTIONS`. A comparison of arrays holds when it holds for every element; `==`
compares
shapes as well, apart from a single number or a row that is repeated. What is compared with an `f32` is
rounded to one first: `out == 0.1` asks for the nearest to 0.1 that an `f32` can be. `close(a, b)` compares
within a tolerance. Nothing is evaluated that is not listed here.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from ptoas.machine.arrays import Array, np

LARGEST = 1 << 26
"""Elements of an array that an expression makes."""

LONGEST_NUMBER = 4096
"""Bits of a whole number that a power makes."""

LONGEST = 10_000
"""Characters of an expression; a longer one is refused."""


class UnreadableError(ValueError):
    """The expression is not in the language."""


def _close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    return np.shape(a) == np.shape(b) and bool(near(_wide(a), _wide(b), rtol, atol).all())


def near(a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    with np.errstate(all="ignore"):
        return np.isclose(a, b, rtol, atol, equal_nan=True)


def _sum(a: Any) -> Any:
    return _wide(a).sum().item()


def _least(a: Any) -> Any:
    return _wide(a).min().item()


def _greatest(a: Any) -> Any:
    return _wide(a).max().item()


def _mean(a: Any) -> Any:
    return _wide(a).mean().item()


def _absolute(a: Any) -> Any:
    return abs(_wide(a))


def _any(a: Any) -> bool:
    return bool(np.any(a))


def _count(a: Any) -> int:
    return int(np.count_nonzero(a))


def _shape(a: Any) -> list[int]:
    return list(np.shape(a))


def _is_nan(a: Any) -> Any:
    return np.isnan(_wide(a))


def holds(value: Any) -> bool:
    return bool(np.all(value))


def _take(a: Any, positions: Any) -> Any:
    """The elements of `a`, laid out flat, at some positions."""
    return _at(np.reshape(a, -1), positions)


def _rows(a: Any, numbers: Any) -> Any:
    """The rows of `a` with some numbers, one after the other."""
    return _at(np.asarray(a), np.reshape(numbers, -1))


def _at(a: Array, positions: Any) -> Any:
    chosen = np.asarray(positions)
    if chosen.dtype.kind not in "iu":
        raise UnreadableError("a position is a whole number")
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(a)):
        raise UnreadableError(f"a position is outside 0 to {len(a) - 1}")
    _check_size(chosen.size * prod(a.shape[1:]))
    return a[chosen]


def _quotient(a: Any, b: Any) -> Any:
    return a / b


def _whole_quotient(a: Any, b: Any) -> Any:
    return a // b


def _negation(a: Any) -> bool:
    return not holds(a)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": _sum,
    "min": _least,
    "max": _greatest,
    "mean": _mean,
    "abs": _absolute,
    "len": len,
    "all": holds,
    "any": _any,
    "count": _count,
    "shape": _shape,
    "take": _take,
    "rows": _rows,
    "isnan": _is_nan,
    "close": _close,
}

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _quotient,
    ast.FloorDiv: _whole_quotient,
    ast.Mod: operator.mod,
}

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: _negation,
}

ORDER: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _wide(value: Any) -> Array:
    """Numbers that can be added up: 64 bits of their kind."""
    array = np.asarray(value)
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    return array.astype(np.float64)


def sides(a: Any, b: Any) -> tuple[Array, Array]:
    """Both sides of a comparison; a float of 64 bits is rounded to the narrower one that it meets."""
    left, right = np.asarray(a), np.asarray(b)
    with np.errstate(all="ignore"):
        if _is_narrow(left) and right.dtype == np.float64:
            right = right.astype(left.dtype)
        elif _is_narrow(right) and left.dtype == np.float64:
            left = left.astype(right.dtype)
    return _wide(left), _wide(right)


def _is_narrow(array: Array) -> bool:
    return array.dtype.kind not in "iub" and array.dtype.itemsize < 8


def same(left: Array, right: Array) -> Any:
    return (left == right) | (np.isnan(left.astype(float)) & np.isnan(right.astype(float)))


def repeats(left: Array, right: Array) -> bool:
    """Return True if two arrays can be compared: equal shapes, or one is broadcast."""
    if left.shape == right.shape or 1 in (left.size, right.size):
        return True
    return left.shape[-right.ndim :] == right.shape or right.shape[-left.ndim :] == left.shape


def _equal(a: Any, b: Any) -> bool:
    left, right = sides(a, b)
    return repeats(left, right) and bool(np.all(same(left, right)))


class Reader:
    """Walks an expression; a node that is not listed is refused."""

    def __init__(self, names: Mapping[str, Any]):
        self.names = names

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=int() | float()):
                return node.value
            case ast.Name():
                return self._name(node.id)
            case ast.List() | ast.Tuple():
                return [self.value(each) for each in node.elts]
            case ast.BinOp(op=ast.MatMult(), left=ast.Name(id=name), right=ast.Constant(value=int() as rank)):
                return self._name(f"{name}@{rank}")
            case ast.BinOp() if type(node.op) in _BINARY:
                left, right = _number(self.value(node.left)), _number(self.value(node.right))
                _check_size(prod(np.broadcast_shapes(np.shape(left), np.shape(right))))
                return _BINARY[type(node.op)](left, right)
            case ast.BinOp(op=ast.Pow()):
                return self._power(node)
            case ast.UnaryOp() if type(node.op) in _UNARY:
                operand = self.value(node.operand)
                return _UNARY[type(node.op)](operand if isinstance(node.op, ast.Not) else _number(operand))
            case ast.BoolOp():
                parts = (holds(self.value(each)) for each in node.values)
                return all(parts) if isinstance(node.op, ast.And) else any(parts)
            case ast.Compare():
                return self._compare(node)
            case ast.Call(func=ast.Name(), keywords=keywords):
                return self._call(node, keywords)
            case ast.Subscript():
                return np.asarray(self.value(node.value))[self._subscript(node.slice)]
            case _:
                raise UnreadableError(f"{ast.unparse(node)!r} is not part of the language")

    def _name(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        constants = {"nan": np.nan, "inf": np.inf, "true": True, "false": False, "True": True, "False": False}
        if name in constants:
            return constants[name]
        raise UnreadableError(
            f"there is no {name!r}; there are {', '.join(sorted(self.names)) or 'no names'}"
        )

    def _power(self, node: ast.BinOp) -> Any:
        base, exponent = self.value(node.left), self.value(node.right)
        if not isinstance(exponent, int | float) or abs(exponent) > 64:
            raise UnreadableError("an exponent is a number up to 64")
        if isinstance(base, int) and base.bit_length() * abs(exponent) > LONGEST_NUMBER:
            raise UnreadableError(f"a number has at most {LONGEST_NUMBER} bits")
        return _number(base) ** exponent

    def _compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            match op:
                case ast.Eq():
                    held = _equal(left, right)
                case ast.NotEq():
                    held = not _equal(left, right)
                case _ if type(op) in ORDER:
                    _check_size(prod(np.broadcast_shapes(np.shape(left), np.shape(right))))
                    held = holds(ORDER[type(op)](*sides(left, right)))
                case _:
                    raise UnreadableError("a comparison is one of == != < <= > >=")
            if not held:
                return False
            left = right
        return True

    def _call(self, node: ast.Call, keywords: list[ast.keyword]) -> Any:
        assert isinstance(node.func, ast.Name)
        function = FUNCTIONS.get(node.func.id)
        if function is None:
            raise UnreadableError(f"there is no function {node.func.id!r}; there are {', '.join(FUNCTIONS)}")
        named = {k.arg: self.value(k.value) for k in keywords if k.arg in ("rtol", "atol")}
        if len(named) != len(keywords) or (named and node.func.id != "close"):
            raise UnreadableError(f"{node.func.id} does not take these names")
        return function(*(self.value(each) for each in node.args), **named)

    def _subscript(self, node: ast.expr) -> Any:
        match node:
            case ast.Tuple():
                return tuple(self._subscript(each) for each in node.elts)
            case ast.Slice():
                parts = (node.lower, node.upper, node.step)
                return slice(*(None if part is None else int(self.value(part)) for part in parts))
            case _:
                return int(self.value(node))


def _check_size(elements: int) -> None:
    if elements > LARGEST:
        raise UnreadableError(f"an array of {elements} elements; the largest has {LARGEST}")


def _number(value: Any) -> Any:
    return _wide(value) if isinstance(value, list | np.ndarray) else value


def parse_expression(text: str) -> ast.expr:
    """The expression as a tree, `%name` being `name`."""
    if len(text) > LONGEST:
        raise UnreadableError(f"the expression is longer than {LONGEST} characters")
    try:
        tree = ast.parse(re.sub(r"%(?=[A-Za-z_])", "", text).strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UnreadableError(f"this is not an expression: {reason}") from None
    return tree.body
