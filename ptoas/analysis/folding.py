"""What `arith` makes of constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation

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


def _wrap(value: int, type: Attribute) -> int:
    """The value in the width of its type, signed."""
    width: int = cast(IntegerType, type).width.data if isinstance(type, IntegerType) else 64
    half = 1 << (width - 1)
    return (value + half) % (1 << width) - half


def _is_integer(type: Attribute) -> bool:
    return isinstance(type, IntegerType | IndexType)


def is_foldable(owner: Operation | Block) -> TypeGuard[Operation]:
    """Whether a value's owner is an operation that is followed."""
    return type(owner) in _FOLDS


def fold(op: Operation, values: Sequence[int | None], type: Attribute) -> int | None:
    """The constant result of an operation on these constants; `None` where one is unknown."""
    given = [value for value in values if value is not None]
    if not _is_integer(type) or len(given) != len(values):
        return None
    result = _FOLDS[op.__class__](given)
    return None if result is None else _wrap(result, type)
