"""Quotients, remainders and powers: what they are of integers, and how targets calculate them."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.ops.family import Function, Make, into, wider
from ptoas.targets.rules.elementwise import WIDE_LANES
from ptoas.targets.shared.elementwise import WIDE_QUOTIENT


def nonzero(op: PtoOp, m: Machine, b: Array) -> None:
    """Stop at a divisor of integers that is zero."""
    if not (b == 0).any():
        return
    row, col = (int(n) for n in np.argwhere(np.atleast_2d(b == 0))[0])
    place = f" at [{row}, {col}]" if np.ndim(b) else ""
    raise m.refuse("PTO-R502", f"the divisor{place} is zero", op)


def divide(op: PtoOp, m: Machine) -> Function:
    """Floats divide as IEEE 754 says; integers towards zero, and by zero not at all, but for those of 64 bits
    on A5, where that is zero."""
    wide = m.target.model(op) == WIDE_QUOTIENT

    def quotient(a: Array, b: Array, out: Array | None = None) -> Array:
        if a.dtype.kind not in "iu":
            return np.divide(a, b, out=out)
        if wide:
            _one_vector(op, m, a)
            return into(out, _unless_zero(_towards_zero, a, b))
        nonzero(op, m, b)
        return np.positive(_towards_zero(a, b), out=out)

    return quotient


def _towards_zero(a: Array, b: Array) -> Array:
    """`floor_divide` rounds down: where the signs differ and something is left, one more is towards zero."""
    found = np.floor_divide(a, b)
    return found + (((a < 0) != (b < 0)) & (found * b != a)).astype(found.dtype)


def _unless_zero(function: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
    """The function where the divisor is not zero, and zero where it is."""
    zero = b == 0
    found = function(a, np.where(zero, 1, b).astype(a.dtype))
    return np.where(zero, a.dtype.type(0), found)


def _one_vector(op: PtoOp, m: Machine, a: Array) -> None:
    """Stop where a row has more columns than A5 divides; `verify` says so where it knows them."""
    if m.checks.mem and a.shape[1] > WIDE_LANES:
        message = f"only the first {WIDE_LANES} of {a.shape[1]} columns of 64 bits are divided"
        raise m.refuse("PTO-R947", message, op)


def remainder(exact: Function, rounded: Callable[[Array], Array]) -> Make:
    """`a - rounded(a / b) * b`: exact of integers and where the target is exact, else step by step in f32."""

    def make(op: PtoOp, m: Machine) -> Function:
        model = m.target.model(op)
        if model == "through f32":
            return _through_f32(op, m)
        if model == WIDE_QUOTIENT:
            return _of_wide_quotients(op, m)
        by_steps = model is not None and m.target.value(op, "precisionType") in (*model, None)

        def calculate(a: Array, b: Array, out: Array | None = None) -> Array:
            if a.dtype.kind in "iu":
                nonzero(op, m, b)
            elif by_steps:
                return into(out, _by_steps(a, b, rounded))
            return exact(a, b, out=out)

        return calculate

    return make


def _of_wide_quotients(op: PtoOp, m: Machine) -> Function:
    """Return the remainder of truncated division; zero where the divisor is zero."""

    def calculate(a: Array, b: Array, out: Array | None = None) -> Array:
        _one_vector(op, m, a)
        return into(out, _unless_zero(np.fmod, a, b))

    return calculate


def _by_steps(a: Array, b: Array, rounded: Callable[[Array], Array]) -> Array:
    x, y = np.asarray(a, np.float32), np.asarray(b, np.float32)
    left = x - rounded(x / y) * y
    return np.where(left * y < 0, left + y, left) if rounded is np.floor else left


def _through_f32(op: PtoOp, m: Machine) -> Function:
    """Integers of A2/A3: operands and quotient in f32, so that it is exact up to 24 bits."""

    def calculate(a: Array, b: Array, out: Array | None = None) -> Array:
        nonzero(op, m, b)
        x, y = np.asarray(a, np.float32), np.asarray(b, np.float32)
        divisor = _saturated(y) if np.ndim(b) else b
        left = (_saturated(x) - _saturated(np.floor(x / y)) * divisor).astype(np.float32)
        return into(out, _saturated(np.where(left * y < 0, left + y, left)))

    return calculate


def _saturated(x: Array) -> Array:
    limits = np.iinfo(np.int32)
    return np.clip(x.astype(np.float64), limits.min, limits.max).astype(np.int32)


def power(a: Array, b: Array, out: Array | None = None) -> Array:
    """Integers wrap; to a negative power they are 0, but for 1 and -1. Floats are rounded once."""
    if a.dtype.kind not in "iu":
        return wider(np.power)(a, b, out=out)
    found = np.power(a, np.maximum(b, 0))
    negative = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0)).astype(a.dtype)
    return into(out, np.where(b < 0, negative, found))
