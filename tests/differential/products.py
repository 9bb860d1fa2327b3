"""Random programs of the cube core: a product in some way from memory to memory, and its value."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

from .builder import Program

NUMPY: dict[str, Any] = {"i8": np.int8, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
NZ, ZN = "blayout=col_major, slayout=row_major", "blayout=row_major, slayout=col_major"
HALF = 0x3F000000
"""One half as the bits of a float: the scale of a quantised store."""


@dataclass
class Product:
    """A program and what it must leave in `out`."""

    program: Program
    expected: np.ndarray


def up(extent: int, step: int = 32) -> int:
    return -(-extent // step) * step


def tile(loc: str, shape: tuple[int, int], valid: tuple[int, int], element: str, rest: str) -> str:
    cut = "" if shape == valid else f", valid={valid[0]}x{valid[1]}"
    return f"!pto.tile_buf<{loc}, {shape[0]}x{shape[1]}x{element}{cut}, {rest}>"


def product_program(seed: int) -> Product:
    r = Random(seed)
    element = r.choice(sorted(NUMPY))
    total = "i32" if element == "i8" else "f32"
    m, n = r.randint(1, 48), r.randint(1, 48)
    steps = [r.choice((16, 32, 48, 64)) for _ in range(r.randint(0, 2))]
    if element == "i8":
        steps = [up(step) for step in steps]
    steps.append(r.randint(1, 40))
    k = sum(steps)
    whole = r.random() < 0.5
    turned = r.random() < 0.5
    biased = r.random() < 0.3
    store = r.choice(("plain", "relu", "half") if total == "f32" else ("plain", "scaled"))
    out = {"plain": total, "relu": total, "half": "f16", "scaled": "f16"}[store]

    lines: list[str] = []
    constants: dict[int, str] = {}

    def constant(value: int) -> str:
        return constants.setdefault(value, f"%c{value}")

    def view(name: str, rows: int, cols: int, type: str, by_column: bool) -> str:
        strides = (constant(1), constant(rows)) if by_column else (constant(cols), constant(1))
        layout = " {layout = #pto.layout<dn>}" if by_column else ""
        made = f"!pto.tensor_view<{rows}x{cols}x{type}>"
        lines.append(
            f"%v{name} = pto.make_tensor_view %{name}, shape = [{constant(rows)}, {constant(cols)}], "
            f"strides = [{', '.join(strides)}]{layout} : {made}"
        )
        return made

    def load(of: str, type: str, at: tuple[int, int], size: tuple[int, int], name: str, into: str) -> None:
        part = f"!pto.partition_tensor_view<{size[0]}x{size[1]}x{element}>"
        offsets, sizes = (", ".join(map(constant, pair)) for pair in (at, size))
        lines.extend(
            [
                f"%p{name} = pto.partition_view %v{of}, offsets = [{offsets}], sizes = [{sizes}] : "
                f"{type} -> {part}",
                f"%{name} = pto.alloc_tile : {into}",
                f"pto.tload ins(%p{name} : {part}) outs(%{name} : {into})",
            ]
        )

    va, vb = view("a", m, k, element, False), view("b", k, n, element, turned)
    mb_layout = ZN if turned else NZ
    rows, cols = up(m), up(n)
    acc = tile("acc", (rows, cols), (m, n), total, f"{NZ}, fractal=1024, compact=normal")
    if whole:
        a1 = tile("mat", (rows, up(k, 64)), (m, k), element, NZ)
        b1 = tile("mat", (up(k, 64), cols), (k, n), element, mb_layout)
        load("a", va, (0, 0), (m, k), "ma", a1)
        load("b", vb, (0, 0), (k, n), "mb", b1)
    if biased:
        one = f"!pto.memref<1x{cols}x{total}>"
        lines += [
            f"%mbias = pto.alloc_tile : !pto.tile_buf<mat, 1x{cols}x{total}>",
            f"%tbias = pto.alloc_tile : !pto.tile_buf<bias, 1x{cols}x{total}>",
            f"pto.tload ins(%bias : {one}) outs(%mbias : !pto.tile_buf<mat, 1x{cols}x{total}>)",
            f"pto.tmov ins(%mbias : !pto.tile_buf<mat, 1x{cols}x{total}>) "
            f"outs(%tbias : !pto.tile_buf<bias, 1x{cols}x{total}>)",
        ]
    lines.append(f"%acc = pto.alloc_tile : {acc}")
    at = 0
    for number, step in enumerate(steps):
        deep = up(step)
        l0 = tile("left", (rows, deep), (m, step), element, f"{NZ}, compact=normal")
        r0 = tile("right", (deep, cols), (step, n), element, f"{ZN}, compact=normal")
        lines += [f"%l{number} = pto.alloc_tile : {l0}", f"%r{number} = pto.alloc_tile : {r0}"]
        if whole:
            lines += [
                f"pto.textract ins(%ma, {constant(0)}, {constant(at)} : {a1}, index, index) "
                f"outs(%l{number} : {l0})",
                f"pto.textract ins(%mb, {constant(at)}, {constant(0)} : {b1}, index, index) "
                f"outs(%r{number} : {r0})",
            ]
        else:
            a2 = tile("mat", (rows, deep), (m, step), element, NZ)
            b2 = tile("mat", (deep, cols), (step, n), element, mb_layout)
            load("a", va, (0, at), (m, step), f"ma{number}", a2)
            load("b", vb, (at, 0), (step, n), f"mb{number}", b2)
            lines += [
                f"pto.tmov ins(%ma{number} : {a2}) outs(%l{number} : {l0})",
                f"pto.tmov ins(%mb{number} : {b2}) outs(%r{number} : {r0})",
            ]
        if number:
            lines.append(
                f"pto.tmatmul.acc ins(%acc, %l{number}, %r{number} : {acc}, {l0}, {r0}) outs(%acc : {acc})"
            )
        elif biased:
            table = f"!pto.tile_buf<bias, 1x{cols}x{total}>"
            lines.append(f"pto.tmatmul.bias ins(%l0, %r0, %tbias : {l0}, {r0}, {table}) outs(%acc : {acc})")
        else:
            lines.append(f"pto.tmatmul ins(%l0, %r0 : {l0}, {r0}) outs(%acc : {acc})")
        at += step
    scale = ", %half : i64" if store == "scaled" else ""
    relu = " {reluPreMode = #pto<relu_pre_mode normal_relu>}" if store == "relu" else ""
    lines.append(f"pto.tstore ins(%acc : {acc}{scale}) outs(%out : !pto.memref<{m}x{n}x{out}>){relu}")

    heads = [f"{name} = arith.constant {value} : index" for value, name in sorted(constants.items())]
    if scale:
        heads.append(f"%half = arith.constant {HALF} : i64")
    args = [f"%a: !pto.ptr<{element}>", f"%b: !pto.ptr<{element}>"]
    args += [f"%bias: !pto.memref<1x{cols}x{total}>"] * biased
    args.append(f"%out: !pto.memref<{m}x{n}x{out}>")
    body = "\n".join(f"  {line}" for line in (*heads, *lines))
    kind = " attributes {pto.kernel_kind = #pto.kernel_kind<cube>}" if r.random() < 0.5 else ""
    text = f"func.func @product{seed}({', '.join(args)}){kind} {{\n{body}\n  return\n}}\n"

    rng = np.random.default_rng(seed)
    a, b = (rng.integers(-4, 5, shape).astype(NUMPY[element]) for shape in ((m, k), (k, n)))
    bias = rng.integers(-9, 10, (1, cols)).astype(np.int32 if total == "i32" else np.float32)
    exact = a.astype(np.int64) @ b.astype(np.int64) + (bias[:, :n].astype(np.int64) if biased else 0)
    expected: Any = np.maximum(exact, 0) if store == "relu" else exact / 2 if store == "scaled" else exact
    number = {"f16": np.float16, "i32": np.int32, "f32": np.float32}[out]
    arguments: dict[str, Any] = {
        "a": a.reshape(-1),
        "b": np.ascontiguousarray(b.T if turned else b).reshape(-1),
        **({"bias": bias} if biased else {}),
        "out": np.zeros((m, n), number),
    }
    target = ("a2a3", "a5", "cpu")[seed % 3]
    program = Program(seed, f"product{seed}", text, target, arguments, has_cpp=False)
    return Product(program, expected.astype(number))
