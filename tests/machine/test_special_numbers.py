"""Any bits through the families that calculate with floats: infinities, zeros of both signs, and what is no
number, against the formula in double, rounded after each step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import bits_array, execute, seeds

ROWS, COLS = 4, 32
Formula = Callable[..., np.ndarray]


def steps(number: type) -> Callable[[np.ndarray], np.ndarray]:
    """Rounding to the element type, and back to double."""
    return lambda x: np.asarray(x).astype(number).astype(np.float64)


def leaky(x: np.ndarray, s: np.ndarray, r: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.where(x > 0, x, r(x * s))


TILES: dict[str, Formula] = {
    "tmax": lambda r, x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x, y)),
    "tmin": lambda r, x, y: np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x < y, x, y)),
    "tprelu": lambda r, x, y: leaky(x, y, r),
    "taddc": lambda r, x, y, z: r(r(x + y) + z),
    "tsubc": lambda r, x, y, z: r(r(x - y) + z),
    "tabs": lambda r, x: np.copysign(x, 1),
    "tneg": lambda r, x: -x,
    "trelu": lambda r, x: np.where(x < 0, 0, x),
}
SCALARS: dict[str, Formula] = {
    "tmaxs": lambda r, x, s: np.where(np.isnan(x) | np.isnan(s), np.nan, np.where(x > s, x, s)),
    "tmins": lambda r, x, s: np.where(np.isnan(x) | np.isnan(s), np.nan, np.where(x < s, x, s)),
    "tdivs": lambda r, x, s: x / s,
    "tlrelu": lambda r, x, s: leaky(x, s, r),
    "tpows": lambda r, x, s: np.power(x, s),
}
NUMBERS = {"f16": np.float16, "f32": np.float32}
odd_scalars = st.sampled_from([0.0, -0.0, 0.5, -3.0, float("inf"), float("-inf"), float("nan")])


def run(
    op: str, element: str, operands: dict[str, np.ndarray], scalar: float | None, first: bool
) -> np.ndarray:
    tile = f"!pto.tile<{ROWS}x{COLS}x{element}>"
    names, types = [f"%{name}" for name in operands], [tile] * len(operands)
    arguments = [f"{name}: {tile}" for name in names]
    if scalar is not None:
        at = 0 if first else len(names)
        names.insert(at, "%s")
        types.insert(at, element)
        arguments.append(f"%s: {element}")
    text = f"""
func.func @main({", ".join(arguments)}) {{
  %d = pto.alloc_tile : {tile}
  pto.{op} ins({", ".join(names)} : {", ".join(types)}) outs(%d : {tile})
  return
}}
"""
    given = {**operands, **({} if scalar is None else {"s": scalar})}
    return execute(text, given, "a5").outputs["d"]


def same(found: np.ndarray, exact: np.ndarray, signs: bool = True) -> bool:
    """Bit for bit but for what is no number; the sign of a zero counts where one formula gives it."""
    expected = exact.astype(found.dtype)
    x, y = found.astype(np.float64), expected.astype(np.float64)
    equal = (x == y) & ((np.signbit(x) == np.signbit(y)) | (not signs))
    return bool((equal | (np.isnan(x) & np.isnan(y))).all())


def patterns(rng: np.random.Generator, element: str) -> np.ndarray:
    found = bits_array(rng, (ROWS, COLS), element)
    found[0, :6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
    return rng.permuted(found.reshape(-1)).reshape(ROWS, COLS)


@settings(max_examples=50)
@given(st.sampled_from(sorted(TILES)), st.sampled_from(sorted(NUMBERS)), seeds)
def test_tiles(op: str, element: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = {"taddc": 3, "tsubc": 3, "tabs": 1, "tneg": 1, "trelu": 1}.get(op, 2)
    operands = {f"a{n}": patterns(rng, element) for n in range(count)}
    with np.errstate(all="ignore"):
        wide = [a.astype(np.float64) for a in operands.values()]
        exact = TILES[op](steps(NUMBERS[element]), *wide)
        # Of two zeros no document says which is the greater.
        assert same(run(op, element, operands, None, False), exact, op not in ("tmax", "tmin", "trelu"))


@settings(max_examples=50)
@given(st.sampled_from(sorted(SCALARS)), st.sampled_from(sorted(NUMBERS)), odd_scalars, st.booleans(), seeds)
def test_with_a_scalar(op: str, element: str, scalar: float, first: bool, seed: int) -> None:
    a = patterns(np.random.default_rng(seed), element)
    first = first and op == "tdivs"
    with np.errstate(all="ignore"):
        x, s = a.astype(np.float64), np.float64(scalar)
        exact = s / x if first else SCALARS[op](steps(NUMBERS[element]), x, s)
        assert same(run(op, element, {"a": a}, scalar, first), exact, op not in ("tmaxs", "tmins"))


@settings(max_examples=40)
@given(st.sampled_from(["f16", "f32", "f16 f32"]), st.sampled_from(["cpu", "a2a3", "a5"]), odd_scalars, seeds)
def test_multiply_add_rounds_as_the_target_does(elements: str, target: str, scalar: float, seed: int) -> None:
    """A5 rounds once, A2/A3 the product to the destination's type, the simulator to the source's."""
    rng = np.random.default_rng(seed)
    element, wide = elements.split()[0], elements.split()[-1]
    a, b = patterns(rng, element), patterns(rng, wide)
    src, dst = (f"!pto.tile<{ROWS}x{COLS}x{e}>" for e in (element, wide))
    text = f"""
func.func @main(%a: {src}, %s: {element}, %d: {dst}) {{
  pto.taxpy ins(%a, %s : {src}, {element}) outs(%d : {dst})
  return
}}
"""
    found = execute(text, {"a": a, "s": scalar, "d": b.copy()}, target).outputs["d"]
    with np.errstate(all="ignore"):
        product = a.astype(np.float64) * np.float64(NUMBERS[element](scalar))
        if target != "a5":
            product = steps(NUMBERS[element if target == "cpu" else wide])(product)
        assert same(found, b.astype(np.float64) + product)


LINES = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


@settings(max_examples=30)
@given(st.sampled_from(sorted(LINES)), seeds)
def test_columns_of_any_bits(op: str, seed: int) -> None:
    """Down columns each result is rounded before the next is taken; one that is no number stays."""
    a = patterns(np.random.default_rng(seed), "f16")
    tile, row = f"!pto.tile<{ROWS}x{COLS}xf16>", f"!pto.tile<1x{COLS}xf16>"
    text = f"""
func.func @main(%a: {tile}) {{
  %d = pto.alloc_tile : {row}
  pto.tcol{op} ins(%a : {tile}) outs(%d : {row})
  return
}}
"""
    found = execute(text, {"a": a}, "a5").outputs["d"]
    with np.errstate(all="ignore"):
        exact = a[0].astype(np.float64)
        for line in a[1:].astype(np.float64):
            exact = steps(np.float16)(LINES[op](exact, line))
        assert same(found[0], exact, op not in ("max", "min"))


@settings(max_examples=20)
@given(st.sampled_from(["sum", "max", "min"]), seeds)
def test_rows_with_what_is_no_number(op: str, seed: int) -> None:
    """Along rows the order is free: whole numbers are summed exactly, and what is no number stays."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-1000, 1000, (ROWS, COLS)).astype(np.float32)
    a[0, seed % COLS], a[1, seed % COLS], a[2, :2] = np.nan, np.inf, (np.inf, -np.inf)
    tile, column = f"!pto.tile<{ROWS}x{COLS}xf32>", f"!pto.tile<{ROWS}x8xf32, valid={ROWS}x1>"
    text = f"""
func.func @main(%a: {tile}) {{
  %d = pto.alloc_tile : {column}
  pto.trow{op} ins(%a : {tile}) outs(%d : {column})
  return
}}
"""
    found = execute(text, {"a": a}, "a5").outputs["d"].reshape(-1)
    with np.errstate(all="ignore"):
        wide = a.astype(np.float64)
        exact = {"sum": wide.sum(1), "max": wide.max(1), "min": wide.min(1)}[op]
    assert same(found, exact, signs=False)
