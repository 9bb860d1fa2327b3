"""Values of a program under construction, and types from their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.type_text import TypeProblem, type_from_text

if TYPE_CHECKING:
    from ptoas.build.function import Function

Number: TypeAlias = "int | float"

INDEX = IndexType()


def as_type(type: str | Attribute, short: str = "tile") -> Attribute:
    """A type from its text; `16x32xf32` alone is a `short`.

    >>> str(as_type("16x32xf32, valid=9x32")), str(as_type("memref<64x32xf32>")), str(as_type("i32"))
    ('!pto.tile_buf<vec, 16x32xf32, valid=9x32>', '!pto.memref<64x32xf32>', 'i32')
    """
    if isinstance(type, Attribute):
        return type
    name, bracket, _ = type.partition("<")
    text = type
    if bracket and name.isidentifier():
        text = f"!pto.{type}"
    elif not bracket and type[:1] in tuple("0123456789?"):
        text = f"!pto.{short}<{type}>"
    try:
        return type_from_text(text)
    except TypeProblem as problem:
        fix = f"; {problem.fix}" if problem.fix else ""
        raise TypeError(f"`{type}` is not a type: {problem.message}{fix}") from None


def as_number(value: Number, type: Attribute) -> IntegerAttr[Any] | FloatAttr[Any]:
    """A number of a type; raises `TypeError` where it can't be one."""
    why = ""
    try:
        if isinstance(type, AnyFloat):
            return FloatAttr(value, type)
        if isinstance(type, IntegerType | IndexType) and isinstance(value, int):
            return IntegerAttr(value, cast(IndexType, type))
    except (VerifyException, OverflowError) as error:
        why = f": {error}"
    raise TypeError(f"{value} is not a number of type {type}{why}")


class Value:
    """A value of the program: `ssa` is xDSL's. Arithmetic on it builds arithmetic in the program."""

    def __init__(self, function: Function, ssa: SSAValue):
        self.function, self.ssa = function, ssa

    @property
    def type(self) -> Attribute:
        return self.ssa.type

    def __repr__(self) -> str:
        name = f" %{self.ssa.name_hint}" if self.ssa.name_hint else ""
        return f"<value{name} of type {self.type}>"

    def __bool__(self) -> bool:
        raise TypeError("a value is known only when the program runs; use `with f.if_(...)`")

    def to(self, type: str | Attribute) -> Value:
        """The same number as an index, or as an integer."""
        target = as_type(type)
        kinds = {self.type.__class__, target.__class__}
        if kinds != {IndexType, IntegerType}:
            raise TypeError(
                f"{self} can't become {target}: only an index and an integer convert into each other"
            )
        return self.function.add(arith.IndexCastOp(self.ssa, target))

    def __add__(self, other: Value | Number) -> Value:
        return self._with(other, arith.AddiOp, arith.AddfOp)

    def __radd__(self, other: Number) -> Value:
        return self._like(other) + self

    def __sub__(self, other: Value | Number) -> Value:
        return self._with(other, arith.SubiOp, arith.SubfOp)

    def __rsub__(self, other: Number) -> Value:
        return self._like(other) - self

    def __mul__(self, other: Value | Number) -> Value:
        return self._with(other, arith.MuliOp, arith.MulfOp)

    def __rmul__(self, other: Number) -> Value:
        return self._like(other) * self

    def __floordiv__(self, other: Value | Number) -> Value:
        return self._with(other, arith.FloorDivSIOp, None)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._with(other, None, arith.DivfOp)

    def __mod__(self, other: Value | Number) -> Value:
        """The remainder, with the sign of the dividend as in C++."""
        return self._with(other, arith.RemSIOp, None)

    def __lt__(self, other: Value | Number) -> Value:
        return self.compare("lt", other)

    def __le__(self, other: Value | Number) -> Value:
        return self.compare("le", other)

    def __gt__(self, other: Value | Number) -> Value:
        return self.compare("gt", other)

    def __ge__(self, other: Value | Number) -> Value:
        return self.compare("ge", other)

    def compare(self, how: str, other: Value | Number) -> Value:
        """`eq`, `ne`, `lt`, `le`, `gt` or `ge`, of signed numbers."""
        if how not in ("eq", "ne", "lt", "le", "gt", "ge"):
            raise TypeError(f"`{how}` is not a comparison; comparisons are eq, ne, lt, le, gt, ge")
        as_integers = how if how in ("eq", "ne") else f"s{how}"
        return self._with(
            other,
            lambda a, b: arith.CmpiOp(a, b, as_integers),
            lambda a, b: arith.CmpfOp(a, b, f"o{how}"),
        )

    def _like(self, other: Value | Number) -> Value:
        return other if isinstance(other, Value) else self.function.constant(other, self.type)

    def _with(
        self,
        other: Value | Number,
        integers: Callable[[SSAValue, SSAValue], Operation] | None,
        floats: Callable[[SSAValue, SSAValue], Operation] | None,
    ) -> Value:
        second = self._like(other)
        if second.type != self.type:
            raise TypeError(f"{self} and {second} have different types; convert one with `.to(...)`")
        make = floats if isinstance(self.type, AnyFloat) else integers
        if make is None or not isinstance(self.type, AnyFloat | IntegerType | IndexType):
            raise TypeError(f"{self} does not support this operation")
        return self.function.add(make(self.ssa, second.ssa))
