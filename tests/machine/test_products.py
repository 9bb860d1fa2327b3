"""Products of matrices, whole programs from global memory to global memory, against NumPy's."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.ops import factors

NUMPY: dict[str, Any] = {
    "i8": np.int8,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}
WIDTH = {"i8": 32, "f16": 16, "bf16": 16, "f32": 16, "f8E4M3FN": 32}
"""Rows and columns of the smallest square that is loaded transposed."""


def tile(loc: str, shape: tuple[int, int], element: str) -> str:
    """A tile that is open in both extents, in the layout of its memory; `matt` is transposed in L1."""
    rest = {
        "mat": "blayout=col_major, slayout=row_major",
        "matt": "blayout=row_major, slayout=col_major",
        "left": "blayout=col_major, slayout=row_major, compact=normal",
        "right": "blayout=row_major, slayout=col_major, compact=normal",
        "acc": "blayout=col_major, slayout=row_major, fractal=1024, compact=normal",
    }[loc]
    where, extents = "mat" if loc == "matt" else loc, f"{shape[0]}x{shape[1]}"
    return f"!pto.tile_buf<{where}, {extents}x{element}, valid=?x?, {rest}>"


def tiled(element: str, shape: tuple[int, int, int], step: tuple[int, int, int], transposed: bool) -> str:
    """`c = a @ b` in blocks of `step`, the last ones of which are cut; `b` may lie transposed in memory."""
    result = "i32" if element == "i8" else "f32"
    rows, terms, cols = (-(-extent // 32) * 32 for extent in step)
    a1, b1 = (
        tile("mat", (rows, terms), element),
        tile("matt" if transposed else "mat", (terms, cols), element),
    )
    a0, b0 = tile("left", (rows, terms), element), tile("right", (terms, cols), element)
    c0 = tile("acc", (rows, cols), result)
    layout = " {layout = #pto.layout<dn>}" if transposed else ""
    view, out = f"!pto.tensor_view<?x?x{element}>", f"!pto.tensor_view<?x?x{result}>"
    ptr = f"!pto.ptr<{element}>"
    strides = "[%c1, %k]" if transposed else "[%n, %c1]"

    def alloc(name: str, type: str, rows: str, cols: str) -> str:
        return f"      {name} = pto.alloc_tile valid_row = {rows} valid_col = {cols} : {type}"

    def part(name: str, of: str, offsets: str, rows: str, cols: str, element: str) -> str:
        return (
            f"      {name} = pto.partition_view {of}, offsets = [{offsets}], sizes = [{rows}, {cols}] : "
            f"!pto.tensor_view<?x?x{element}> -> !pto.partition_tensor_view<?x?x{element}>"
        )

    p, q = f"!pto.partition_tensor_view<?x?x{element}>", f"!pto.partition_tensor_view<?x?x{result}>"
    return "\n".join(
        [
            f"func.func @kernel(%pa: {ptr}, %pb: {ptr}, %pc: !pto.ptr<{result}>) {{",
            *(f"  %c{i} = arith.constant {i} : index" for i in (0, 1)),
            *(
                f"  %{name} = arith.constant {value} : index"
                for name, value in zip("mkn", shape, strict=True)
            ),
            *(
                f"  %b{name} = arith.constant {value} : index"
                for name, value in zip("mkn", step, strict=True)
            ),
            f"  %va = pto.make_tensor_view %pa, shape = [%m, %k], strides = [%k, %c1] : {view}",
            f"  %vb = pto.make_tensor_view %pb, shape = [%k, %n], strides = {strides}{layout} : {view}",
            f"  %vc = pto.make_tensor_view %pc, shape = [%m, %n], strides = [%n, %c1] : {out}",
            "  scf.for %i = %c0 to %m step %bm {",
            "    scf.for %j = %c0 to %n step %bn {",
            "      %ri = arith.subi %m, %i : index",
            "      %h = arith.minsi %ri, %bm : index",
            "      %rj = arith.subi %n, %j : index",
            "      %w = arith.minsi %rj, %bn : index",
            alloc("%c", c0, "%h", "%w"),
            "      scf.for %l = %c0 to %k step %bk {",
            "      %rl = arith.subi %k, %l : index",
            "      %d = arith.minsi %rl, %bk : index",
            alloc("%ma", a1, "%h", "%d"),
            alloc("%mb", b1, "%d", "%w"),
            alloc("%a", a0, "%h", "%d"),
            alloc("%b", b0, "%d", "%w"),
            part("%qa", "%va", "%i, %l", "%h", "%d", element),
            part("%qb", "%vb", "%l, %j", "%d", "%w", element),
            f"      pto.tload ins(%qa : {p}) outs(%ma : {a1})",
            f"      pto.tload ins(%qb : {p}) outs(%mb : {b1})",
            f"      pto.tmov ins(%ma : {a1}) outs(%a : {a0})",
            f"      pto.textract ins(%mb, %c0, %c0 : {b1}, index, index) outs(%b : {b0})",
            "      %first = arith.cmpi eq, %l, %c0 : index",
            "      scf.if %first {",
            f"        pto.tmatmul ins(%a, %b : {a0}, {b0}) outs(%c : {c0})",
            "      } else {",
            f"        pto.tmatmul.acc ins(%c, %a, %b : {c0}, {a0}, {b0}) outs(%c : {c0})",
            "      }",
            "      }",
            part("%qc", "%vc", "%i, %j", "%h", "%w", result),
            f"      pto.tstore ins(%c : {c0}) outs(%qc : {q})",
            "    }",
            "  }",
            "  return",
            "}",
        ]
    )


def numbers(rng: np.random.Generator, element: str, shape: tuple[int, int]) -> Any:
    if element == "i8":
        return rng.integers(-128, 128, shape).astype(np.int8)
    return (rng.integers(-8, 9, shape) / 4).astype(NUMPY[element])


extents = st.integers(1, 80)
steps = st.sampled_from([16, 32, 48])


@settings(max_examples=40, derandomize=True)
@given(
    shape=st.tuples(extents, extents, extents),
    step=st.tuples(steps, steps, steps),
    element=st.sampled_from(sorted(NUMPY)),
    target=st.sampled_from(["a2a3", "a5", "cpu"]),
    transposed=st.booleans(),
    seed=st.integers(0, 2**16),
    at_once=st.sampled_from([1 << 18, 1 << 12, 1]),
)
def test_any_tiling_equals_the_plain_product(
    shape: tuple[int, int, int],
    step: tuple[int, int, int],
    element: str,
    target: str,
    transposed: bool,
    seed: int,
    at_once: int,
) -> None:
    """Also where a product is formed in several calls of NumPy, `at_once` numbers each."""
    if element == "f8E4M3FN":
        target = "a5"
    if WIDTH[element] == 32:
        step = (step[0], 32, 32)
    m, k, n = shape
    rng = np.random.default_rng(seed)
    a, b = numbers(rng, element, (m, k)), numbers(rng, element, (k, n))
    exact = np.int64 if element == "i8" else np.float64
    expected = a.astype(exact) @ b.astype(exact)
    out = np.zeros((m, n), np.int32 if element == "i8" else np.float32)
    given = np.ascontiguousarray(b.T) if transposed else b
    module = ptoas.parse(tiled(element, shape, step, transposed))
    with patch.object(factors, "ONE_THREAD", at_once):
        ptoas.run(module, {"pa": a, "pb": given, "pc": out}, target)
    # Quarters of small numbers: every sum is exact in f32.
    assert np.array_equal(out, expected)


def scales(powers: Any) -> Any:
    return (2.0**powers).astype(ml_dtypes.float8_e8m0fnu)


@settings(max_examples=12, derandomize=True)
@given(
    m=st.integers(1, 48), k=st.integers(1, 128), n=st.integers(1, 32), seed=st.integers(0, 99),
    target=st.sampled_from(["cpu", "a5"]),
)  # fmt: skip
def test_groups_of_numbers_share_a_scale(m: int, k: int, n: int, seed: int, target: str) -> None:
    """From memory, where scales lie in boxes, through L1 and L0 to the sum by the formula."""
    groups, rows = -(-k // 32), -(-m // 16) * 16
    nz, zn, zz, nn = (
        f"blayout={blocks}_major, slayout={inside}_major"
        for blocks, inside in (("col", "row"), ("row", "col"), ("row", "row"), ("col", "col"))
    )
    scale = "!pto.f8E8M0"
    types = {
        "ma": f"mat, {rows}x128xf8E4M3FN, valid={m}x{k}, {nz}",
        "mb": f"mat, 128x32xf8E5M2, valid={k}x{n}, {nz}",
        "ms": f"mat, {rows}x4x{scale}, valid={m}x{groups}, {zz}, fractal=32",
        "mt": f"mat, 4x32x{scale}, valid={groups}x{n}, {nn}, fractal=32",
        "a": f"left, {rows}x128xf8E4M3FN, valid={m}x{k}, {nz}, compact=normal",
        "b": f"right, 128x32xf8E5M2, valid={k}x{n}, {zn}, compact=normal",
        "s": f"scaling, {rows}x4x{scale}, valid={m}x{groups}, {zz}, fractal=32",
        "t": f"scaling, 4x32x{scale}, valid={groups}x{n}, {nn}, fractal=32",
        "c": f"acc, {rows}x32xf32, valid={m}x{n}, {nz}, fractal=1024, compact=normal",
    }
    t = {name: f"!pto.tile_buf<{text}>" for name, text in types.items()}
    views = {
        "pa": ((m, k), "f8E4M3FN", "ma"),
        "pb": ((k, n), "f8E5M2", "mb"),
        "ps": ((m, groups), scale, "ms"),
        "pt": ((groups, n), scale, "mt"),
    }
    lines = [f"  %c{i} = arith.constant {i} : index" for i in sorted({1, m, k, n, groups})]
    for name, (shape, element, tile_name) in views.items():
        view = f"!pto.tensor_view<{shape[0]}x{shape[1]}x{element}>"
        lines += [
            f"  %v{name} = pto.make_tensor_view %{name}, shape = [%c{shape[0]}, %c{shape[1]}], "
            f"strides = [%c{shape[1]}, %c1] : {view}",
            f"  %{tile_name} = pto.alloc_tile : {t[tile_name]}",
            f"  pto.tload ins(%v{name} : {view}) outs(%{tile_name} : {t[tile_name]})",
        ]
    lines += [f"  %{name} = pto.alloc_tile : {t[name]}" for name in "abstc"]
    lines += [f"  pto.tmov ins(%m{name} : {t['m' + name]}) outs(%{name} : {t[name]})" for name in "abst"]
    if target == "a5":
        lines += [
            f"  pto.tget_scale_addr ins(%{x} : {t[x]}) outs(%{y} : {t[y]})"
            for x, y in (("a", "s"), ("b", "t"))
        ]
    lines += [
        f"  pto.tmatmul.mx ins(%a, %s, %b, %t : {t['a']}, {t['s']}, {t['b']}, {t['t']}) outs(%c : {t['c']})",
        f"  pto.tstore ins(%c : {t['c']}) outs(%out : !pto.memref<{m}x{n}xf32>)",
    ]
    args = ", ".join(f"%{name}: !pto.ptr<{element}>" for name, (_, element, _) in views.items())
    text = (
        f"func.func @kernel({args}, %out: !pto.memref<{m}x{n}xf32>) {{\n" + "\n".join(lines) + "\n  return\n}"
    )
    rng = np.random.default_rng(seed)
    a = (rng.integers(-8, 9, (m, k)) / 4).astype(ml_dtypes.float8_e4m3fn)
    b = (rng.integers(-8, 9, (k, n)) / 4).astype(ml_dtypes.float8_e5m2)
    s, t_ = rng.integers(-2, 3, (rows, 4)), rng.integers(-2, 3, (4, 32))
    # Memory holds whole boxes: 16 rows of 2 scales for a, 16 columns of 2 for b.
    even = -(-groups // 2) * 2
    in_boxes = s[:, :even].reshape(rows // 16, 16, even // 2, 2).transpose(0, 2, 1, 3)
    columns = -(-n // 16) * 16
    of_columns = t_[:even, :columns].reshape(even // 2, 2, columns // 16, 16).transpose(2, 0, 3, 1)
    out = np.zeros((m, n), np.float32)
    memory = {"ps": scales(in_boxes.reshape(-1)), "pt": scales(of_columns.reshape(-1))}
    ptoas.run(ptoas.parse(text), {"pa": a, "pb": b, "out": out, **memory}, target)
    left = a.astype(np.float64) * 2.0 ** np.repeat(s[:m], 32, axis=1)[:, :k]
    right = b.astype(np.float64) * 2.0 ** np.repeat(t_[:, :n], 32, axis=0)[:k]
    assert np.array_equal(out, left @ right)


def test_one_row_leaves_the_rest_of_its_block_undefined() -> None:
    """Rows 1 to 15 held a product, and hold nothing that means anything after the product of one row."""
    left = "!pto.tile_buf<left, 16x16xf16, valid={}x16, slayout=row_major>"
    right = "!pto.tile_buf<right, 16x16xf16, slayout=col_major>"
    acc = "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    whole, one = left.format(16), left.format(1)
    text = f"""
    func.func @kernel(%a: {whole}, %r: {one}, %b: {right}, %out: !pto.memref<16x16xf32>) {{
      %c = pto.alloc_tile : {acc}
      pto.tmatmul ins(%a, %b : {whole}, {right}) outs(%c : {acc})
      pto.tmatmul ins(%r, %b : {one}, {right}) outs(%c : {acc})
      pto.tstore ins(%c : {acc}) outs(%out : !pto.memref<16x16xf32>)
      return
    }}"""
    ones = {"a": 1, "r": 2, "b": 1}
    given = {name: np.full((1 if name == "r" else 16, 16), value, np.float16) for name, value in ones.items()}
    results = {target: ptoas.run(ptoas.parse(text), given, target) for target in ("cpu", "a2a3", "a5")}
    for result in results.values():
        assert (result.outputs["out"][0] == 32).all()
    assert (results["cpu"].outputs["out"][1:] == 16).all()
    for target in ("a2a3", "a5"):
        assert not (results[target].outputs["out"][1:] == 16).any()
        assert [d.code for d in results[target].warnings] == ["PTO-R158"]


def test_scales_of_one_row_follow_each_other() -> None:
    """A vector has no boxes of scales: the library's own tests load them as they lie in memory (K = 256)."""
    zz, nn = "slayout=row_major, fractal=32", "blayout=col_major, slayout=col_major, fractal=32"
    t = {
        "a": "!pto.tile_buf<left, 1x512xf8E4M3FN, valid=1x256, blayout=col_major, slayout=row_major>",
        "b": "!pto.tile_buf<right, 256x32xf8E5M2, slayout=col_major>",
        "ms": f"!pto.tile_buf<mat, 1x8x!pto.f8E8M0, {zz}>",
        "mt": f"!pto.tile_buf<mat, 8x32x!pto.f8E8M0, {nn}>",
        "s": f"!pto.tile_buf<scaling, 1x8x!pto.f8E8M0, {zz}>",
        "t": f"!pto.tile_buf<scaling, 8x32x!pto.f8E8M0, {nn}>",
        "c": "!pto.tile_buf<acc, 1x32xf32, blayout=col_major, slayout=row_major, fractal=1024>",
    }
    text = f"""
    func.func @kernel(%a: {t["a"]}, %b: {t["b"]}, %ps: !pto.memref<1x8x!pto.f8E8M0>, %mt: {t["mt"]},
                      %out: !pto.memref<1x32xf32>) {{
      %ms = pto.alloc_tile : {t["ms"]}
      %s = pto.alloc_tile : {t["s"]}
      %t = pto.alloc_tile : {t["t"]}
      %c = pto.alloc_tile : {t["c"]}
      pto.tload ins(%ps : !pto.memref<1x8x!pto.f8E8M0>) outs(%ms : {t["ms"]})
      pto.tget_scale_addr ins(%a : {t["a"]}) outs(%s : {t["s"]})
      pto.tget_scale_addr ins(%b : {t["b"]}) outs(%t : {t["t"]})
      pto.tmov ins(%ms : {t["ms"]}) outs(%s : {t["s"]})
      pto.tmov ins(%mt : {t["mt"]}) outs(%t : {t["t"]})
      pto.tgemv.mx ins(%a, %s, %b, %t : {t["a"]}, {t["s"]}, {t["b"]}, {t["t"]}) outs(%c : {t["c"]})
      pto.tstore ins(%c : {t["c"]}) outs(%out : !pto.memref<1x32xf32>)
      return
    }}
    """
    a = np.repeat(np.arange(1, 9), 32)[None].astype(ml_dtypes.float8_e4m3fn)
    given = {
        "a": a,
        "b": np.ones((256, 32), ml_dtypes.float8_e5m2),
        "ps": scales(np.arange(8.0))[None],
        "mt": scales(np.zeros((8, 32))),
    }
    out = ptoas.run(ptoas.parse(text), given, target="a5").outputs["out"]
    assert (out == sum(32 * (n + 1) * 2**n for n in range(8))).all()


def in_parts(shape: tuple[int, int, int], parts: int) -> str:
    """A product whose k is so many instructions, all of them into one accumulator."""
    m, k, n = shape
    left = f"!pto.tile_buf<left, {m}x{k // parts}xf32, slayout=row_major>"
    right = f"!pto.tile_buf<right, {k // parts}x{n}xf32, slayout=col_major>"
    acc = f"!pto.tile_buf<acc, {m}x{n}xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    arguments = ", ".join(f"%a{i}: {left}, %b{i}: {right}" for i in range(parts))
    lines = [f"pto.tmatmul ins(%a0, %b0 : {left}, {right}) outs(%c : {acc})"]
    lines += [
        f"pto.tmatmul.acc ins(%c, %a{i}, %b{i} : {acc}, {left}, {right}) outs(%c : {acc})"
        for i in range(1, parts)
    ]
    body = "\n  ".join(lines)
    return f"func.func @k({arguments}, %c: {acc}) {{\n  {body}\n  return\n}}"


@pytest.mark.parametrize("shape", [(128, 128, 128), (16, 64, 16), (48, 96, 80), (64, 192, 32)])
def test_one_instruction_is_one_sum_and_parts_are_added_in_their_order(shape: tuple[int, int, int]) -> None:
    """Numbers of which each order of adding makes another sum: one instruction adds all of its k as one
    product of f32 does, and a program that cuts k adds what it cut in its order."""
    m, k, n = shape
    rng = np.random.default_rng(k)
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)

    def found(parts: int) -> Any:
        step = k // parts
        cut = [slice(i * step, (i + 1) * step) for i in range(parts)]
        given = {f"a{i}": a[:, at] for i, at in enumerate(cut)} | {f"b{i}": b[at] for i, at in enumerate(cut)}
        return ptoas.run(ptoas.parse(in_parts(shape, parts)), given, target="a5", generate=True).outputs["c"]

    def product(at: slice) -> Any:
        """As the reference page says: by shapes and layouts alone, here a block of 16 columns at a time."""
        return np.concatenate([a[:, at] @ b[at, j : j + 16] for j in range(0, n, 16)], axis=1)

    whole = product(slice(0, k))
    assert np.array_equal(found(1), whole)
    first, second = product(slice(0, k // 2)), product(slice(k // 2, k))
    assert np.array_equal(found(2), first + second)
    assert not np.array_equal(first + second, whole)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_an_accumulator_that_is_not_the_destination_is_added_and_stays(target: str) -> None:
    acc = "!pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
    left, right = (
        "!pto.tile_buf<left, 16x16xf16, slayout=row_major>",
        "!pto.tile_buf<right, 16x32xf16, slayout=col_major>",
    )
    text = f"""
func.func @kernel(%c: {acc}, %a: {left}, %b: {right}, %d: {acc}) {{
  pto.tmatmul.acc ins(%c, %a, %b : {acc}, {left}, {right}) outs(%d : {acc})
  return
}}
"""
    rng = np.random.default_rng(5)
    c, d = rng.integers(-9, 9, (16, 32)).astype(np.float32), np.full((16, 32), 100, np.float32)
    a, b = rng.integers(-9, 9, (16, 16)).astype(np.float16), rng.integers(-9, 9, (16, 32)).astype(np.float16)
    result = ptoas.run(ptoas.parse(text), {"c": c, "a": a, "b": b, "d": d}, target, force=True)
    assert np.array_equal(result.outputs["d"], c + a.astype(np.float32) @ b.astype(np.float32))
    assert np.array_equal(result.arguments["c"], c)
