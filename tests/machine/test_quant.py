# ruff: noqa: E501 - programs are text
"""Quantisation, against formulas written out number by number."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import execute, failing, seeds

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def single(x: float) -> float:
    """Rounded to f32."""
    return float(np.float32(x))


# --- rows ----------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.sampled_from(["cpu", "a2a3", "a5"]), st.booleans(), st.integers(1, 8), st.integers(1, 32), seeds)
def test_bytes_of_rows(target: str, signed: bool, rows: int, cols: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = (rng.normal(0, 40, (rows, cols)) * 2).round() / 2
    a = np.where(rng.random(a.shape) < 0.1, rng.choice([np.nan, np.inf, -np.inf, 1e30], a.shape), a)
    a = a.astype(np.float32)
    scale = rng.choice([0.25, 0.5, 1, 3, -2], (rows, 1)).astype(np.float32)
    offset = rng.choice([0, 0.5, 100, -7.25], (rows, 1)).astype(np.float32)
    kind, name = ("i8", "INT8_SYM") if signed else ("ui8", "INT8_ASYM")
    tile, column = "!pto.tile_buf<vec, 8x32xf32, valid=?x?>", "!pto.tile_buf<vec, 8x1xf32, valid=?x1>"
    dst = f"!pto.tile_buf<vec, 8x32x{kind}, valid=?x?>"
    more, types = ("", "") if signed else (", %o", f", {column}")
    text = f"""
func.func @main(%r: index, %c: index, %m: !pto.memref<?x?xf32>, %ms: !pto.memref<?x1xf32, dn>, %mo: !pto.memref<?x1xf32, dn>) {{
  %a = pto.alloc_tile valid_row = %r valid_col = %c : {tile}
  %s = pto.alloc_tile valid_row = %r : {column}
  %o = pto.alloc_tile valid_row = %r : {column}
  %d = pto.alloc_tile valid_row = %r valid_col = %c : {dst}
  pto.tload ins(%m : !pto.memref<?x?xf32>) outs(%a : {tile})
  pto.tload ins(%ms : !pto.memref<?x1xf32, dn>) outs(%s : {column})
  pto.tload ins(%mo : !pto.memref<?x1xf32, dn>) outs(%o : {column})
  pto.tquant ins(%a, %s{more} : {tile}, {column}{types}) outs(%d : {dst}) {{quant_type = #pto<quant_type {name}>}}
  return
}}
"""
    found = execute(text, {"r": rows, "c": cols, "m": a, "ms": scale, "mo": offset}, target).outputs["d"]
    low, high = (-128, 127) if signed else (0, 255)
    for i in range(rows):
        for j in range(cols):
            with np.errstate(all="ignore"):
                x = single(float(a[i, j]) * float(scale[i, 0]))
                x = x if signed else single(x + float(offset[i, 0]))
            whole = 0 if math.isnan(x) else round(min(max(x, -1e9), 1e9))
            assert found[i, j] == min(max(whole, low), high)


@settings(max_examples=20)
@given(st.sampled_from(["cpu", "a2a3", "a5"]), st.sampled_from(["i8", "i16"]), seeds)
def test_rows_of_integers(target: str, kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    limits = np.iinfo({"i8": np.int8, "i16": np.int16}[kind])
    a = rng.integers(limits.min, limits.max, (8, 32), endpoint=True).astype(limits.dtype)
    scale, offset = (rng.normal(0, 10, (8, 1)).astype(np.float32) for _ in range(2))
    text = f"""
.arg %a : !pto.tile<8x32x{kind}>
.arg %s : !pto.tile<8x1xf32>
.arg %o : !pto.tile<8x1xf32>
%d = tdequant %a, %s, %o : (!pto.tile<8x32x{kind}>, !pto.tile<8x1xf32>, !pto.tile<8x1xf32>) -> !pto.tile<8x32xf32>
"""
    found = execute(text, {"a": a, "s": scale, "o": offset}, target).outputs["d"]
    for i in range(8):
        for j in range(32):
            difference = single(int(a[i, j]) - float(offset[i, 0]))
            assert found[i, j] == single(difference * float(scale[i, 0]))


@pytest.mark.parametrize("op", ["tquant", "tdequant"])
def test_a_scale_that_is_missing(op: str) -> None:
    src, dst, attrs = {
        "tquant": ("f32", "i8", " {quant_type = #pto<quant_type INT8_SYM>}"),
        "tdequant": ("i8", "f32", ""),
    }[op]
    column = "!pto.tile_buf<vec, 8x1xf32>"
    more = f", %s : !pto.tile_buf<vec, 16x32x{src}>, {column}"
    more = f", %s, %s : !pto.tile_buf<vec, 16x32x{src}>, {column}, {column}" if op == "tdequant" else more
    text = f"""
func.func @main(%a: !pto.tile_buf<vec, 16x32x{src}>, %s: {column}, %d: !pto.tile_buf<vec, 16x32x{dst}>) {{
  pto.{op} ins(%a{more}) outs(%d : !pto.tile_buf<vec, 16x32x{dst}>){attrs}
  return
}}
"""
    failing("PTO-R142", text)


def test_a2a3_overwrites_what_it_quantises() -> None:
    text = """
func.func @main(%a: !pto.tile_buf<vec, 16x32xf32>, %s: !pto.tile_buf<vec, 16x1xf32>, %d: !pto.tile_buf<vec, 16x32xi8>, %e: !pto.tile_buf<vec, 16x32xf32>) {
  pto.tquant ins(%a, %s : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x1xf32>) outs(%d : !pto.tile_buf<vec, 16x32xi8>) {quant_type = #pto<quant_type INT8_SYM>}
  pto.tmov ins(%a : !pto.tile_buf<vec, 16x32xf32>) outs(%e : !pto.tile_buf<vec, 16x32xf32>)
  return
}
"""
    failing("PTO-R201", text, target="a2a3")
    execute(text, target="a5")


# --- blocks --------------------------------------------------------------------------------------


def e4m3(code: int) -> float:
    exponent, mantissa = (code >> 3) & 15, code & 7
    if code & 0x7F == 0x7F:
        return math.nan
    size = mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
    return -size if code & 0x80 else size


def e2m1(code: int) -> float:
    size = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][code & 7]
    return -size if code & 8 else size


CODES = {
    "MXFP8": ([(e4m3(c), c) for c in range(256) if c & 0x7F != 0x7F], 448.0, 8, 0x7F),
    "MXFP4_E2M1": ([(e2m1(c), c) for c in range(16)], 6.0, 2, 7),
}
"""Numbers with their codes, the largest, its exponent, and the code of NaN."""


def nearest(x: float, form: str) -> int:
    known, largest, _, none = CODES[form]
    if math.isnan(x):
        return none
    x = min(max(x, -largest), largest)
    sign = math.copysign(1, x)
    same = [(value, code) for value, code in known if math.copysign(1, value) == sign]
    return min(same, key=lambda pair: (abs(pair[0] - x), pair[1] & 1))[1]


def biased(x: float) -> tuple[int, int]:
    """The exponent and the mantissa of an f32, as bits."""
    (bits,) = struct.unpack("<I", struct.pack("<f", x))
    return (bits >> 23) & 0xFF, bits & 0x7FFFFF


def exponent_of(largest: float, form: str, algorithm: str) -> int:
    _, greatest, top, _ = CODES[form]
    if math.isnan(largest):
        return 0xFF
    if algorithm == "ocp":
        return max(biased(largest)[0] - top, 0)
    exponent, mantissa = biased(single(largest * single(1 / greatest)))
    if exponent == 0xFF:
        return 0xFE
    up = mantissa > 0 and exponent != 0xFE and not (exponent == 0 and mantissa <= 0x400000)
    return exponent + up


def scale_of(exponent: int) -> float:
    if exponent == 0xFF:
        return math.nan
    return 2.0**-127 if exponent == 0xFE else 2.0 ** (254 - exponent - 127)


def truncated(x: float) -> float:
    """The upper half of the bits of an f32."""
    (bits,) = struct.unpack("<I", struct.pack("<f", x))
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]


@settings(max_examples=32)
@given(
    st.sampled_from(["MXFP8", "MXFP4_E2M1"]),
    st.sampled_from(["f32", "f16", "bf16"]),
    st.sampled_from(["ocp", "nv"]),
    st.sampled_from(["axis0", "axis1", "interleaved", "flat"]),
    seeds,
)
def test_blocks(form: str, element: str, algorithm: str, axis: str, seed: int) -> None:
    if form == "MXFP4_E2M1" and element == "f32":
        element = "bf16"
    rng = np.random.default_rng(seed)
    a = rng.normal(0, 1, (64, 64)) * 2.0 ** rng.integers(-20, 12, (64, 1))
    special = rng.random(a.shape) < 0.002
    a = np.where(special, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], a.shape), a)
    a[:, 32:][rng.random((64, 32)) < 0.3] = 0
    a[:, 0] = np.where(rng.random(64) < 0.3, 0, a[:, 0])
    a = a.astype(NUMPY[element])
    down = axis in ("axis0", "interleaved")
    groups = (2, 64) if down else (64, 2)
    shown = {"interleaved": (1, 128), "flat": (1, 128)}.get(axis, groups)
    tile = f"!pto.tile_buf<vec, 64x64x{element}>"
    fp4 = form == "MXFP4_E2M1"
    dst = "!pto.tile_buf<vec, 64x32x!pto.f4E2M1x2>" if fp4 else "!pto.tile_buf<vec, 64x64xi8>"
    pitch = {"flat": 128, "interleaved": 128}.get(axis, 64 if down else 32)
    exp = f"!pto.tile_buf<vec, {shown[0]}x{pitch}xui8, valid={shown[0]}x{shown[1]}>"
    large = f"!pto.tile_buf<vec, 2x64x{element}>" if down else f"!pto.tile_buf<vec, 1x128x{element}>"
    scales = large if down else f"!pto.tile_buf<vec, 1x256x{element}, valid=1x128>"
    words = [f"quant_type = #pto<quant_type {form}>", f"quantScaleAlg = #pto<quant_scale_alg {algorithm}>"]
    words += [f"grpAxis = #pto<mx_group_axis {'axis0' if down else 'axis1'}>"]
    words += ["interleave = true"] if axis == "interleaved" else []
    text = f"""
func.func @main(%s: {tile}, %d: {dst}, %e: {exp}, %m: {large}, %c: {scales}) {{
  pto.tquant.mx ins(%s : {tile}) outs(%d, %e, %m, %c : {dst}, {exp}, {large}, {scales}) {{{", ".join(words)}}}
  return
}}
"""
    result = execute(text, {"s": a}, "a5").outputs
    codes = result["d"].view(np.uint8)
    if fp4:
        codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(64, 64)
    exponents = result["e"].reshape(2, 64) if axis == "axis0" else result["e"].reshape(64, 2)
    if axis == "interleaved":
        exponents = result["e"].reshape(1, 64, 2).transpose(0, 2, 1).reshape(2, 64)
    largest, scaling = (result[name].astype(float).reshape(groups) for name in ("m", "c"))
    plain = a.astype(float)
    for g in rng.choice(128, 10, replace=False):
        at = (g // 64, g % 64) if down else (g // 2, g % 2)
        rows = slice(32 * at[0], 32 * at[0] + 32) if down else slice(at[0], at[0] + 1)
        cols = slice(at[1], at[1] + 1) if down else slice(32 * at[1], 32 * at[1] + 32)
        numbers = plain[rows, cols].reshape(-1).tolist()
        sizes = [abs(x) for x in numbers]
        if fp4 and algorithm == "ocp":
            sizes = [truncated(x) for x in sizes]
        top = math.nan if any(map(math.isnan, sizes)) else max(sizes)
        exponent = exponent_of(top, form, algorithm)
        scale = scale_of(exponent)
        assert exponents[at] == exponent
        assert np.array_equal(largest[at], float(np.array(top).astype(NUMPY[element])), equal_nan=True)
        with np.errstate(over="ignore"):
            assert np.array_equal(scaling[at], float(np.array(scale).astype(NUMPY[element])), equal_nan=True)
        for x, code in list(zip(numbers, codes[rows, cols].reshape(-1).tolist(), strict=True))[
            :: 1 if fp4 else 4
        ]:
            product = single(x * scale)
            if fp4 and element == "bf16":
                product = float(np.array(product).astype(ml_dtypes.bfloat16))
            assert code == nearest(product, form), (x, scale, code)


def test_blocks_that_do_not_fit_stop() -> None:
    tile = "!pto.tile_buf<vec, 16x48xf32>"
    text = f"""
func.func @main(%s: {tile}, %d: !pto.tile_buf<vec, 16x64xi8, valid=16x48>, %e: !pto.tile_buf<vec, 1x32xui8>, %m: {tile}, %c: {tile}) {{
  pto.tquant.mx ins(%s : {tile}) outs(%d, %e, %m, %c : !pto.tile_buf<vec, 16x64xi8, valid=16x48>, !pto.tile_buf<vec, 1x32xui8>, {tile}, {tile}) {{quant_type = #pto<quant_type MXFP8>}}
  return
}}
"""
    failing("PTO-R142", text)


def test_the_simulator_passes_over_what_is_no_number() -> None:
    """A device takes the whole block for none."""
    a = np.full((16, 64), 3, np.float32)
    a[0, 5] = np.nan
    kinds = ["16x64xi8", "16x32xui8, valid=16x2", "1x32xf32", "1x64xf32, valid=1x32"]
    tiles = [f"!pto.tile_buf<vec, {kind}>" for kind in ("16x64xf32", *kinds)]
    arguments = ", ".join(f"%t{n}: {tile}" for n, tile in enumerate(tiles))
    text = f"""
func.func @main({arguments}) {{
  pto.tquant.mx ins(%t0 : {tiles[0]}) outs(%t1, %t2, %t3, %t4 : {", ".join(tiles[1:])}) {{quant_type = #pto<quant_type MXFP8>}}
  return
}}
"""
    found = {target: execute(text, {"t0": a}, target).outputs for target in ("cpu", "a5")}
    assert found["cpu"]["t2"][0, 0] == found["cpu"]["t2"][1, 0] == 120
    assert found["a5"]["t2"][0, 0] == 255 and found["a5"]["t2"][1, 0] == 120
    assert found["cpu"]["t1"][0, 5] == found["a5"]["t1"][0, 5] == 0x7F
