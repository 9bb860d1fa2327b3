"""Products of mx operands, of fp8 and of pairs of fp4, in all six forms, against the formula."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas

NZ = "blayout=col_major, slayout=row_major"
FP8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
FP4 = {
    "!pto.f4E2M1x2": [0, 0.5, 1, 1.5, 2, 3, 4, 6],
    "!pto.f4E1M2x2": [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75],
}
"""Values of the 8 codes without a sign."""


def up(extent: int, step: int) -> int:
    return -(-extent // step) * step


def numbers(element: str, rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and what memory holds: of fp4 the lower half of a byte is the left one of two neighbours."""
    if element in FP8:
        held = rng.integers(-6, 7, shape).astype(FP8[element])
        return held.astype(np.float64), held
    codes = rng.integers(0, 16, shape)
    values = np.array(FP4[element])[codes & 7] * np.where(codes > 7, -1, 1)
    return values, (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)


def tile(loc: str, shape: tuple[int, int], valid: tuple[int, int], element: str, rest: str = "") -> str:
    more = "".join(f", {text}" for text in (f"valid={valid[0]}x{valid[1]}", rest) if text)
    return f"!pto.tile_buf<{loc}, {shape[0]}x{shape[1]}x{element}{more}>"


@settings(max_examples=16, derandomize=True)
@given(
    elements=st.sampled_from([(a, b) for some in (FP8, FP4) for a in some for b in some]),
    form=st.sampled_from(["", ".acc", ".bias"]), vector=st.booleans(), seed=st.integers(0, 99),
    m=st.integers(1, 40), groups=st.integers(1, 3), n=st.integers(1, 20),
)  # fmt: skip
def test_every_form_is_the_formula(
    elements: tuple[str, str], form: str, vector: bool, seed: int, m: int, groups: int, n: int
) -> None:
    (ea, eb), rng = elements, np.random.default_rng(seed)
    half = 2 if ea in FP4 else 1
    m, k, n = 1 if vector else m, 64 * groups, 2 * n
    rows, cols = 1 if vector else up(m, 16), up(n, 32 * half)
    a, held_a = numbers(ea, rng, (m, k))
    b, held_b = numbers(eb, rng, (k, n))
    powers = rng.integers(-2, 3, (m, k // 32)), rng.integers(-2, 3, (k // 32, n))
    expected = (a * np.repeat(2.0 ** powers[0], 32, axis=1)) @ (b * np.repeat(2.0 ** powers[1], 32, axis=0))

    wide, scale = (up(k // half, 512) if vector else k // half), "!pto.f8E8M0"
    zz, nn = "slayout=row_major, fractal=32", "blayout=col_major, slayout=col_major, fractal=32"
    t = {
        "ma": tile("mat", (rows, wide), (m, k // half), ea, "" if vector else NZ),
        "mb": tile("mat", (k, cols // half), (k, n // half), eb, NZ),
        "ms": tile("mat", (rows, k // 32), (m, k // 32), scale, zz),
        "mt": tile("mat", (k // 32, cols), (k // 32, n), scale, nn),
        "a": tile("left", (rows, wide), (m, k // half), ea, f"{NZ}, compact=normal"),
        "b": tile("right", (k // half, cols), (k // half, n), eb, "slayout=col_major, compact=normal"),
        "s": tile("scaling", (rows, k // 32), (m, k // 32), scale, zz),
        "t": tile("scaling", (k // 32, cols), (k // 32, n), scale, nn),
        "c": tile("acc", (rows, cols), (m, n), "f32", f"{NZ}, fractal=1024, compact=normal"),
        "i": tile("bias", (1, cols), (1, n), "f32"),
    }
    given = {"ma": held_a, "mb": held_b}
    given |= {f"m{x}": (2.0**p).astype(ml_dtypes.float8_e8m0fnu) for x, p in zip("st", powers, strict=True)}
    lines = [f"%{x} = pto.alloc_tile : {t[x]}" for x in "abstc"]
    lines += [f"pto.tget_scale_addr ins(%{x} : {t[x]}) outs(%{y} : {t[y]})" for x, y in ("as", "bt")]
    lines += [f"pto.tmov ins(%m{x} : {t['m' + x]}) outs(%{x} : {t[x]})" for x in "abst"]
    name, operands = (
        "tgemv.mx" if vector else "tmatmul.mx",
        ("%a, %s, %b, %t", ", ".join(t[x] for x in "asbt")),
    )
    out = f"outs(%c : {t['c']})"
    if form == ".bias":
        given["i"] = rng.integers(1, 9, (1, n)).astype(np.float32)
        expected = expected + given["i"]
        lines.append(f"pto.{name}.bias ins({operands[0]}, %i : {operands[1]}, {t['i']}) {out}")
    else:
        lines.append(f"pto.{name} ins({operands[0]} : {operands[1]}) {out}")
    if form == ".acc":
        expected = 2 * expected
        lines.append(f"pto.{name}.acc ins(%c, {operands[0]} : {t['c']}, {operands[1]}) {out}")
    memory = f"!pto.memref<{m}x{n}xf32>"
    lines.append(f"pto.tstore ins(%c : {t['c']}) outs(%out : {memory})")
    arguments = ", ".join(f"%{x}: {t[x]}" for x in given)
    body = "\n  ".join(lines)
    text = f"func.func @k({arguments}, %out: {memory}) {{\n  {body}\n  return\n}}"
    found = ptoas.run(ptoas.parse(text), given, target="a5").outputs["out"]
    # Small numbers and powers of two: every sum is exact in f32.
    assert np.array_equal(found, expected)


def test_parts_of_pairs_are_turned() -> None:
    """A part of a matrix of fp4 in L1 is transposed on its way to L0B, or L0A: the same numbers, in other
    pairs."""
    rng = np.random.default_rng(5)
    numbers_of = rng.integers(0, 16, (256, 128))
    across = (numbers_of[:, 0::2] | numbers_of[:, 1::2] << 4).astype(np.uint8)
    down = (numbers_of[0::2] | numbers_of[1::2] << 4).astype(np.uint8)
    pairs, zn = "!pto.f4E1M2x2", "slayout=col_major"
    cases = (
        # From where, to where, at which row and column of the source, the part of 128 x 64 numbers.
        ((across, f"mat, 256x64x{pairs}, {NZ}"), (f"right, 64x64x{pairs}, {zn}", down), (128, 32), (64, 64)),
        ((down, f"mat, 128x128x{pairs}, {zn}"), (f"left, 128x32x{pairs}, {NZ}", across), (64, 64), (128, 32)),
    )
    for (held, src), (dst, other), (row, col), place in cases:
        src, dst = f"!pto.tile_buf<{src}>", f"!pto.tile_buf<{dst}>"
        text = f"""
        func.func @k(%s: {src}, %d: {dst}) {{
          %r = arith.constant {row} : index
          %c = arith.constant {col} : index
          pto.textract ins(%s, %r, %c : {src}, index, index) outs(%d : {dst})
          return
        }}"""
        found = ptoas.run(ptoas.parse(text), {"s": held}, target="a5").outputs["d"]
        assert np.array_equal(found.view(np.uint8), other[place[0] :, place[1] :])
