"""The language of RUN-CHECK: expressions over the arrays of a run.

The expression is Python's grammar for numbers, nothing more: names of arguments and outputs (`out`,
`%out`, `out@2` of rank 2), lists, `name[0, :4]`, `+ - * / // % ** @`, comparisons (chained too), `and`, `or`,
`not`, and the functions of `FUNCTIONS`, which are NumPy's where NumPy has them (`np.exp(x)` is `exp(x)`,
`x.max(axis=1)` is `max(x, axis=1)`).

A comparison of arrays holds when it holds for every element; `==` compares shapes as well, apart from a
single number or a row that is repeated. In an argument of `where`, `any`, `count` and other functions of
arrays a comparison is element-wise. What is compared with an `f32` is rounded to one first: `out == 0.1` asks
for the nearest to 0.1 that an `f32` can be. `close(a, b)` compares within a tolerance. Nothing is evaluated
that is not listed here.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from math import prod
from typing import Any, cast

import ml_dtypes

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.machine.arrays import Array, np

LARGEST = 1 << 26
"""Elements of an array that an expression makes."""

LARGEST_PRODUCT = 1 << 32
"""Multiplications of a matrix product."""

LONGEST_NUMBER = 4096
"""Bits of a whole number that a power makes."""

LONGEST = 10_000
"""Characters of an expression; a longer one is refused."""


WORD_FOR_PYTHON = "A comment `# RUN-CHECK: reference.py:{}` compares the outputs with a Python function's."


class UnreadableError(ValueError):
    """The expression is not in the language."""


def _close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, ulp: float | None = None) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.all(near(a, b, rtol, atol, ulp)))


def near(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, ulp: float | None = None) -> Any:
    """Compare elements: within `atol + rtol * abs(b)`, or within `ulp` steps of the narrower type."""
    left, right = _wide(a), _wide(b)
    with np.errstate(all="ignore"):
        if ulp is None:
            return np.isclose(left, right, rtol, atol, equal_nan=True)
        return same(left, right) | (abs(left - right) <= ulp * _spacing(right, _narrower(a, b)))


def _narrower(a: Any, b: Any) -> Any:
    """The narrower of two floating-point types; `float64` if neither is one."""
    types = [array.dtype for array in (np.asarray(a), np.asarray(b)) if _is_narrow(array)]
    return min(types, key=lambda dtype: dtype.itemsize, default=np.dtype(np.float64))


def default_rtol(dtype: Any) -> float:
    """Relative tolerance of numbers of a type: 1e-5 or four rounding errors; 0 for integers."""
    if np.dtype(dtype).kind in "iub":
        return 0.0
    return max(1e-5, 4 * float(cast(Any, ml_dtypes.finfo(dtype)).eps))


def _spacing(a: Array, dtype: Any) -> Array:
    """The distance from each number to the next of a type."""
    info = cast(Any, ml_dtypes.finfo(dtype))
    exponents = np.maximum(np.frexp(a)[1] - 1, int(info.minexp))
    return np.ldexp(1.0, exponents - int(info.nmant))


def _reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction of all elements to a number, or along an axis."""

    def reduce(a: Any, axis: int | list[int] | None = None, keepdims: bool = False) -> Any:
        axes = tuple(axis) if isinstance(axis, list) else axis
        found = function(_wide(a), axis=axes, keepdims=bool(keepdims))
        return found if np.shape(found) else found.item()

    return reduce


def _elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, of each element; what has no value is NaN."""

    def apply(*arrays: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*map(_wide, arrays))

    return apply


def _where(condition: Any, a: Any, b: Any) -> Any:
    return np.where(np.asarray(condition, bool), _number(a), _number(b))


def _transpose(a: Any) -> Any:
    return np.transpose(_wide(a))


def _reshape(a: Any, *shape: Any) -> Any:
    return np.reshape(_wide(a), shape[0] if len(shape) == 1 else shape)


def _concatenate(arrays: Any, axis: int = 0) -> Any:
    return np.concatenate([_wide(each) for each in arrays], axis=axis)


def _sort(a: Any, axis: int = -1) -> Any:
    return np.sort(_wide(a), axis=axis)


def _argsort(a: Any, axis: int = -1) -> Any:
    return np.argsort(_wide(a), axis=axis, kind="stable")


def _full(shape: Any, value: Any) -> Any:
    _check_size(prod(np.atleast_1d(shape).tolist()))
    return np.full(shape, value)


def _zeros(shape: Any) -> Any:
    return _full(shape, 0)


def _ones(shape: Any) -> Any:
    return _full(shape, 1)


def _arange(*limits: int) -> Any:
    _check_size(len(range(*limits)))
    return np.arange(*limits)


def _matrix_product(a: Any, b: Any) -> Any:
    left, right = _wide(a), _wide(b)
    if not left.ndim or not right.ndim:
        raise UnreadableError("the operands of @ must be arrays; for rank 1 write `(x@1)`")
    _check_size(left.size * right.shape[-1], LARGEST_PRODUCT)
    return left @ right


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
        raise UnreadableError("a position must be a whole number")
    outside = chosen[(chosen < 0) | (chosen >= len(a))]
    if outside.size:
        raise UnreadableError(f"position {outside[0]} is outside 0 to {len(a) - 1}")
    _check_size(chosen.size * prod(a.shape[1:]))
    return a[chosen]


def _quotient(a: Any, b: Any) -> Any:
    return a / b


def _whole_quotient(a: Any, b: Any) -> Any:
    return a // b


def _negation(a: Any) -> bool:
    return not holds(a)


_REDUCTIONS = ("sum", "min", "max", "prod", "mean", "var", "std", "argmax", "argmin")

_ELEMENTWISE = (
    *("abs", "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "tanh", "sin", "cos"),
    *("floor", "ceil", "rint", "sign", "maximum", "minimum", "clip"),
)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(getattr(np, name)) for name in _REDUCTIONS},
    **{name: _elementwise(getattr(np, name)) for name in _ELEMENTWISE},
    "where": _where,
    "transpose": _transpose,
    "reshape": _reshape,
    "concatenate": _concatenate,
    "sort": _sort,
    "argsort": _argsort,
    "full": _full,
    "zeros": _zeros,
    "ones": _ones,
    "arange": _arange,
    "len": len,
    "all": holds,
    "any": _any,
    "count": _count,
    "shape": _shape,
    "take": _take,
    "rows": _rows,
    "isnan": _is_nan,
    "close": _close,
    "allclose": _close,
}


def _options(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments that may be left out; they may be given by name."""
    return [each.name for each in signature(function).parameters.values() if each.default is not each.empty]


_MASKS = ("where", "any", "all", "count", "sum", "mean", "prod", "std", "var", "argmax", "argmin")
"""Functions of arrays in whose arguments a comparison is element-wise."""

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
    """Both sides of a comparison; a float of 64 bits is rounded to the narrower type of the other side."""
    left, right = np.asarray(a), np.asarray(b)
    with np.errstate(all="ignore"):
        if _is_narrow(left) and right.dtype == np.float64:
            right = right.astype(left.dtype)
        elif _is_narrow(right) and left.dtype == np.float64:
            left = left.astype(right.dtype)
    return _wide(left), _wide(right)


def _is_narrow(array: Array) -> bool:
    return array.dtype.kind not in "iub" and array.dtype.itemsize < 8


MOST_DIFFERENCES = 8


def difference_rows(left: Array, right: Array, places: Array) -> list[str]:
    """The first of the places where two arrays differ: position and both elements."""
    indices = [tuple(place) for place in places[:MOST_DIFFERENCES].tolist()]
    return [f"{list(at)}  {left[at]}  {right[at]}" for at in indices]


def same(left: Array, right: Array) -> Any:
    """Compare elements, NaN being equal to NaN."""
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
            case ast.BinOp(
                op=ast.MatMult(),
                left=ast.Name(id=name),
                right=ast.Subscript(value=ast.Constant(value=int() as rank)) as part,
            ):
                return self._part(np.asarray(self._name(f"{name}@{rank}")), part.slice)
            case ast.BinOp(op=ast.MatMult()):
                return _matrix_product(self.value(node.left), self.value(node.right))
            case ast.BinOp() if type(node.op) in _BINARY:
                left, right = _number(self.value(node.left)), _number(self.value(node.right))
                _check_shapes([node.left, node.right], [left, right])
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
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="np"), attr=name)):
                return self._call(name, node.args, node.keywords)
            case ast.Call(func=ast.Attribute(value=array, attr=name)):
                return self._call(name, [array, *node.args], node.keywords)
            case ast.Attribute(value=array, attr="T"):
                return _transpose(self.value(array))
            case ast.Attribute(value=array, attr="shape"):
                return _shape(self.value(array))
            case ast.Subscript():
                return self._part(np.asarray(self._elements(node.value)), node.slice)
            case _:
                raise UnreadableError(f"{ast.unparse(node)!r} is not supported")

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
        before, left = node.left, self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            match op:
                case ast.Eq():
                    is_true = _equal(left, right)
                case ast.NotEq():
                    is_true = not _equal(left, right)
                case _ if type(op) in ORDER:
                    _check_shapes([before, comparator], [left, right])
                    is_true = holds(ORDER[type(op)](*sides(left, right)))
                case _:
                    raise UnreadableError("comparisons are == != < <= > >=")
            if not is_true:
                return False
            before, left = comparator, right
        return True

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Any:
        function = FUNCTIONS.get(name)
        if function is None:
            suggestion = did_you_mean(name, FUNCTIONS)
            known = f"; {suggestion}" if suggestion else f"; there are {', '.join(FUNCTIONS)}."
            message = f"there is no function {name!r}{known} {WORD_FOR_PYTHON.format(name)}"
            raise UnreadableError(message)
        options = _options(function)
        named = {str(k.arg): self.value(k.value) for k in keywords if k.arg in options}
        if len(named) != len(keywords):
            takes = f"; it takes {', '.join(options)}" if options else ""
            raise UnreadableError(f"{name} does not take these names{takes}")
        read = self._elements if name in _MASKS else self.value
        values = [read(each) for each in arguments]
        if name in (*_ELEMENTWISE, "where"):
            _check_shapes(arguments, values)
        return function(*values, **named)

    def _elements(self, node: ast.expr) -> Any:
        """A value in which comparisons and their combinations are arrays of truth values."""
        match node:
            case ast.Compare(left=left, ops=[operation], comparators=[right]):
                a, b = sides(self.value(left), self.value(right))
                _check_shapes([left, right], [a, b])
                if isinstance(operation, ast.Eq | ast.NotEq):
                    return same(a, b) == isinstance(operation, ast.Eq)
                if type(operation) not in ORDER:
                    raise UnreadableError("comparisons are == != < <= > >=")
                return ORDER[type(operation)](a, b)
            case ast.BoolOp(op=ast.And()):
                return np.logical_and.reduce(np.broadcast_arrays(*map(self._elements, node.values)))
            case ast.BoolOp():
                return np.logical_or.reduce(np.broadcast_arrays(*map(self._elements, node.values)))
            case ast.UnaryOp(op=ast.Not()):
                return np.logical_not(self._elements(node.operand))
            case _:
                return self.value(node)

    def _part(self, array: Array, node: ast.expr) -> Any:
        """An element, a slice, or the rows that an array of whole numbers counts."""
        if not isinstance(node, ast.Tuple | ast.Slice | ast.Constant):
            index = np.asarray(self.value(node))
            return _at(array, index) if index.ndim else array[int(index)]
        return array[self._subscript(node)]

    def _subscript(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=None):
                return np.newaxis
            case ast.Tuple():
                return tuple(self._subscript(each) for each in node.elts)
            case ast.Slice():
                parts = (node.lower, node.upper, node.step)
                return slice(*(None if part is None else int(self.value(part)) for part in parts))
            case _:
                return int(self.value(node))


def _check_size(elements: int, largest: int = LARGEST) -> None:
    if elements > largest:
        raise UnreadableError(f"an array of {elements} elements; the largest has {largest}")


def _check_shapes(nodes: Sequence[ast.expr], values: Sequence[Any]) -> None:
    """Refuse operands whose shapes do not broadcast, or make a large array."""
    shapes = [np.shape(value) for value in values]
    try:
        _check_size(prod(np.broadcast_shapes(*shapes)))
    except UnreadableError:
        raise
    except ValueError:
        words = [
            f"`{ast.unparse(node)}` has {list(shape)}" for node, shape in zip(nodes, shapes, strict=True)
        ]
        lost = [
            n for n, s in zip(nodes, shapes, strict=True) if len(s) < max(map(len, shapes)) and _reduces(n)
        ]
        hint = f"; write `{ast.unparse(lost[0])[:-1]}, keepdims=True)`" if lost else ""
        widest = max(shapes, key=len)
        rows = [n for n, s in zip(nodes, shapes, strict=True) if len(widest) == 2 and s == widest[:1]]
        if rows and not hint:
            text = ast.unparse(rows[0])
            hint = (
                f"; for a value in each row write `{text if text.isidentifier() else f'({text})'}[:, None]`"
            )
        raise UnreadableError(f"the shapes do not fit together: {', '.join(words)}{hint}") from None


def _reduces(node: ast.expr) -> bool:
    """Return True for a reduction along an axis, which has one dimension less than its operand."""
    return isinstance(node, ast.Call) and [each.arg for each in node.keywords] == ["axis"]


def _number(value: Any) -> Any:
    return _wide(value) if isinstance(value, list | np.ndarray) else value


def parse_expression(text: str) -> ast.expr:
    """The expression as a tree, `%name` being `name`."""
    if len(text) > LONGEST:
        raise UnreadableError(f"the expression is longer than {LONGEST} characters")
    try:
        text = re.sub(r"%(?=[A-Za-z_])", "", text).strip()
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error)
        if isinstance(error, SyntaxError):
            reason = error.msg + (f" at `{text[error.offset - 1 :]}`" if error.offset else "")
        raise UnreadableError(f"this is not an expression: {reason}") from None
    return tree.body
