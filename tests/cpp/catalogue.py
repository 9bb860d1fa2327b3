# ruff: noqa: E501 - the programs are text, and lines of text are as long as they are
"""Programs for every instruction, mode, element type and layout of a target, each with its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import ml_dtypes
import numpy as np

from tests.cpp.harness import Case
from tests.lowering.programs import program

PLAIN = ("i8", "u8", "i16", "u16", "i32", "u32", "f16", "bf16", "f32")
EIGHT_BIT_FLOATS = ("f8E4M3FN", "f8E5M2")
SIZE = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "f8E4M3FN": 1, "f8E5M2": 1, "!pto.hif8": 1}
OOB = ("undefined", "clamp", "wrap", "zero")


def width(element: str) -> int:
    """Columns of one 32-byte block."""
    return 32 // SIZE.get(element, 4)


def slug(text: str) -> str:
    return text.replace("!pto.", "").lower()


def indices(shape: tuple[int, ...], capacity: int, oob: str, seed: int, dtype: str = "i32") -> np.ndarray:
    """Indices below the capacity; with an out-of-bounds mode some far outside, negative ones too."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, capacity, shape, dtype=np.int64)
    if oob != "undefined":
        wild = np.array([capacity, capacity + 3, -1, -(2**31), 2**31 - 1, -capacity - 2, 0])
        values = np.where(rng.random(shape) < 0.4, rng.choice(wild, shape), values)
    return values.astype(np.int32) if dtype == "i32" else (values % 2**32).astype(np.uint32)


def gather_row(
    target: str, element: str, oob: str, index: str = "1x16", index_type: str = "i32", stride: int = 0
) -> Case:
    cols = width(element) * 2
    name = f"row_{slug(element)}_{oob}_{index}_{index_type}_{stride}"
    strides = f", nd, strides=[{stride}, 1]" if stride else ""
    suffix = f"mgather.row.{oob}" if oob != "undefined" else "mgather.row"
    layout = ", dn" if index.endswith("x1") else ""
    text = f"""
.arg %table : !pto.memref<24x{cols}x{element}{strides}>
.arg %idx : !pto.memref<{index}x{index_type}{layout}>
.arg %out : !pto.memref<16x{cols}x{element}>
%i = tload %idx : (!pto.memref<{index}x{index_type}{layout}>) -> !pto.tile<{index}x{index_type}>
%d = {suffix} %table, %i : (!pto.memref<24x{cols}x{element}{strides}>, !pto.tile<{index}x{index_type}>) -> !pto.tile<16x{cols}x{element}>
tstore %d, %out
"""
    shape = tuple(int(n) for n in index.split("x"))
    values = indices(shape, 24, oob, len(name), index_type)
    return Case(name, text, target, arguments={"idx": values}, legalize=target == "cpu")


def gather_elem(
    target: str, element: str, oob: str, valid: tuple[int, int] = (8, 0), blayout: str = ""
) -> Case:
    cols = width(element)
    rows, valid_cols = valid[0], valid[1] or cols
    name = f"elem_{slug(element)}_{oob}_{rows}x{valid_cols}{blayout}"
    tile = f"!pto.tile_buf<vec, 32x{max(cols, 8)}x{element}, valid={rows}x{valid_cols}{blayout and ', blayout=' + blayout}>"
    index = f"!pto.tile_buf<vec, 32x{max(cols, 8)}xi32, valid={rows}x{valid_cols}>"
    memory = f"!pto.memref<{rows}x{valid_cols}x{{}}{', dn' if blayout else ''}>"
    suffix = f"mgather.elem.{oob}" if oob != "undefined" else "mgather.elem"
    text = f"""
.arg %table : !pto.memref<20x13x{element}>
.arg %idx : !pto.memref<{rows}x{valid_cols}xi32>
.arg %out : {memory.format(element)}
%i = tload %idx : (!pto.memref<{rows}x{valid_cols}xi32>) -> {index}
%d = {suffix} %table, %i : (!pto.memref<20x13x{element}>, {index}) -> {tile}
tstore %d, %out
"""
    values = indices((rows, valid_cols), 260, oob, len(name))
    legalize = target == "cpu" and oob != "undefined"
    return Case(name, text, target, arguments={"idx": values}, legalize=legalize)


def gather_nz(element: str, mode: str, oob: str) -> Case:
    """A2/A3 only: fractal table and fractal tile."""
    c0 = width(element)
    name = f"nz_{slug(element)}_{mode}_{oob}"
    table = f"!pto.memref<1x2x3x16x{c0}x{element}, nz>"
    out = f"!pto.memref<1x2x2x16x{c0}x{element}, nz>"
    tile = f"!pto.tile_buf<vec, 32x{2 * c0}x{element}, blayout=col_major, slayout=row_major>"
    index = "1x32" if mode == "row" else f"32x{2 * c0}"
    suffix = f"mgather.{mode}.{oob}" if oob != "undefined" else f"mgather.{mode}"
    text = f"""
.arg %table : {table}
.arg %idx : !pto.memref<{index}xi32>
.arg %out : {out}
%i = tload %idx : (!pto.memref<{index}xi32>) -> !pto.tile<{index}xi32>
%d = {suffix} %table, %i : ({table}, !pto.tile<{index}xi32>) -> {tile}
tstore %d, %out
"""
    shape = tuple(int(n) for n in index.split("x"))
    capacity = 48 if mode == "row" else 48 * 2 * c0
    return Case(name, text, "a2a3", arguments={"idx": indices(shape, capacity, oob, len(name))})


def gather_custom(element: str, mode: str, oob: str) -> Case:
    """The earlier A5 instruction: the index tile's columns choose the mode."""
    cols = width(element)
    name = f"custom_{slug(element)}_{mode}_{oob}"
    index = "8x1" if mode == "row" else f"8x{cols}"
    memory = "8x1xi32, dn" if mode == "row" else f"8x{cols}xi32"
    suffix = f"mgather.{mode}.{oob}" if oob != "undefined" else f"mgather.{mode}"
    # Rows may be wider than the destination.
    table = f"24x{2 * cols if mode == 'row' else cols}x{element}"
    text = f"""
.arg %table : !pto.memref<{table}>
.arg %idx : !pto.memref<{memory}>
.arg %out : !pto.memref<8x{cols}x{element}>
%i = tload %idx : (!pto.memref<{memory}>) -> !pto.tile<{index}xi32>
%d = {suffix} %table, %i : (!pto.memref<{table}>, !pto.tile<{index}xi32>) -> !pto.tile<8x{cols}x{element}>
tstore %d, %out
"""
    shape = tuple(int(n) for n in index.split("x"))
    capacity = 24 if mode == "row" else 24 * cols
    return Case(name, text, "a5-custom", arguments={"idx": indices(shape, capacity, oob, len(name))})


def scatter(target: str, element: str, mode: str, atomic: str, oob: str) -> Case:
    cols = width(element)
    name = f"scatter_{slug(element)}_{mode}_{atomic}_{oob}"
    index = "1x16" if mode == "row" else f"16x{cols}"
    suffix = f"mscatter.{mode}" + (f".{oob}" if oob != "undefined" else "")
    attributes = f" {{scatterAtomicOp = #pto<scatter_atomic_op {atomic}>}}" if atomic != "none" else ""
    text = f"""
.arg %src : !pto.memref<16x{cols}x{element}>
.arg %idx : !pto.memref<{index}xi32>
.arg %table : !pto.memref<24x{cols}x{element}>
%s = tload %src : (!pto.memref<16x{cols}x{element}>) -> !pto.tile<16x{cols}x{element}>
%i = tload %idx : (!pto.memref<{index}xi32>) -> !pto.tile<{index}xi32>
{suffix} %table, %s, %i{attributes} : (!pto.memref<24x{cols}x{element}>, !pto.tile<16x{cols}x{element}>, !pto.tile<{index}xi32>)
"""
    shape = tuple(int(n) for n in index.split("x"))
    capacity = 24 if mode == "row" else 24 * cols
    return Case(name, text, target, arguments={"idx": indices(shape, capacity, oob, len(name))})


def vector(target: str, name: str, element: str, body: str, extra: str = "", cols: int = 0) -> Case:
    """Two input tiles `%x`, `%y` of 16 rows, one result `%d`."""
    cols = cols or width(element)
    tile = f"!pto.tile<16x{cols}x{element}>"
    text = f"""
.arg %a : !pto.memref<16x{cols}x{element}>
.arg %b : !pto.memref<16x{cols}x{element}>
.arg %out : !pto.memref<16x{cols}x{element}>
{extra}
%x = tload %a : (!pto.memref<16x{cols}x{element}>) -> {tile}
%y = tload %b : (!pto.memref<16x{cols}x{element}>) -> {tile}
{body.format(tile=tile, element=element, cols=cols)}
tstore %d, %out
"""
    rng = np.random.default_rng(len(name))
    shape = (16, cols)
    arguments = {key: _numbers(rng, shape, element) for key in ("a", "b")}
    return Case(f"{name}_{slug(element)}", text, target, arguments=arguments)


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    """Small whole numbers, none of them zero: sums are exact in every type, and quotients exist."""
    values = rng.integers(1, 8, shape)
    signs = rng.choice([-1, 1], shape) if not element.startswith("u") else 1
    names = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f32": np.float32,
        "i16": np.int16,
        "i32": np.int32,
    }
    return (values * signs).astype(names[element])


def vectors(target: str) -> Iterator[Case]:
    for op in ("tadd", "tsub", "tmul", "tmax", "tmin"):
        for element in ("i16", "i32", "f16", "f32"):
            yield vector(target, op, element, f"%d = {op} %x, %y : {{tile}}")
    for element in ("f16", "f32"):
        yield vector(target, "tdiv", element, "%d = tdiv %x, %y : {tile}")
        yield vector(target, "tabs", element, "%d = tabs %x : {tile} -> {tile}")
    for op in ("tadds", "tsubs", "tmuls"):
        for element, literal in (("i32", "3"), ("f32", "2.5"), ("f16", "0.5")):
            constant = f".const %k = {literal} : {element}"
            yield vector(target, op, element, f"%d = {op} %x, %k : {{tile}}, {{element}}", constant)
    yield vector(target, "texpands", "f32", "%d = texpands %k : f32, {tile}", ".const %k = 1.25 : f32")
    for element in ("i32", "f32"):
        yield vector(target, "tneg", element, "%d = tneg %x : {tile}")
        yield vector(target, "tmov", element, "%d = tmov %x : {tile} -> {tile}")
        yield vector(target, "tcolexpand", element, "%d = tcolexpand %x : {tile} -> {tile}")
        column = "!pto.tile<16x1x{element}>"
        for op in ("trowsum", "trowmax"):
            reduce = f"%s = {op} %x : {{tile}} -> {column}\n%d = trowexpand %s : {column} -> {{tile}}"
            yield vector(target, op, element, reduce)


def moves(target: str) -> Iterator[Case]:
    """Tile gathers and scatters, conversions, sequences."""
    for pattern, keep in (
        ("P0101", 2),
        ("P1010", 2),
        ("P0001", 4),
        ("P0010", 4),
        ("P0100", 4),
        ("P1000", 4),
        ("P1111", 1),
    ):
        rows = 16 // keep
        text = f"""
.arg %a : !pto.memref<16x16xf32>
.arg %out : !pto.memref<{rows}x16xf32>
%x = tload %a : (!pto.memref<16x16xf32>) -> !pto.tile<16x16xf32>
%d = tgather %x {{maskPattern = #pto.mask_pattern<{pattern}>}} : !pto.tile<16x16xf32> -> !pto.tile<{rows}x16xf32>
tstore %d, %out
"""
        yield Case(f"mask_{pattern}", text, target)
    for element in ("i16", "i32", "f16", "f32"):
        cols = 16
        text = f"""
.arg %a : !pto.memref<16x{cols}x{element}>
.arg %idx : !pto.memref<8x{cols}xi32>
.arg %out : !pto.memref<8x{cols}x{element}>
%x = tload %a : (!pto.memref<16x{cols}x{element}>) -> !pto.tile<16x{cols}x{element}>
%i = tload %idx : (!pto.memref<8x{cols}xi32>) -> !pto.tile<8x{cols}xi32>
%d = tgather %x, %i : (!pto.tile<16x{cols}x{element}>, !pto.tile<8x{cols}xi32>) -> !pto.tile<8x{cols}x{element}>
tstore %d, %out
"""
        yield Case(
            f"tgather_{element}",
            text,
            target,
            arguments={"idx": indices((8, cols), 16 * cols, "undefined", 7)},
        )
    for source, result, mode in (
        ("f32", "i32", "RINT"),
        ("f32", "i32", "FLOOR"),
        ("f32", "i32", "CEIL"),
        ("f32", "i32", "TRUNC"),
        ("f32", "f16", "RINT"),
        ("f16", "f32", "RINT"),
        ("i32", "f32", "RINT"),
    ):
        text = f"""
.arg %a : !pto.memref<4x16x{source}>
.arg %out : !pto.memref<4x16x{result}>
%x = tload %a : (!pto.memref<4x16x{source}>) -> !pto.tile<4x16x{source}>
%d = tcvt %x {{rmode = #pto<round_mode {mode}>}} : !pto.tile<4x16x{source}> -> !pto.tile<4x16x{result}>
tstore %d, %out
"""
        kind = {"f32": np.float32, "f16": np.float16, "i32": np.int32}[source]
        values = (np.arange(64).reshape(4, 16) - 32) / (4 if source != "i32" else 1)
        yield Case(f"tcvt_{source}_{result}_{mode}", text, target, arguments={"a": values.astype(kind)})
    for descending in ("false", "true"):
        text = f"""
.arg %out : !pto.memref<1x16xi32>
.const %s = 5 : i32
%d = tci %s {{descending = {descending}}} : !pto.tile<1x16xi32>
tstore %d, %out
"""
        yield Case(f"tci_{descending}", text, target)


def control(target: str) -> Iterator[Case]:
    """Loops, branches, scalars, views, windows, calls."""
    head = """
  func.func @NAME(%a: !pto.ptr<f32>, %out: !pto.ptr<f32>, %n: index, %m: i32, %flag: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %va = pto.make_tensor_view %a, shape = [%c32, %c8], strides = [%c8, %c1] : !pto.tensor_view<32x8xf32>
    %vo = pto.make_tensor_view %out, shape = [%c32, %c8], strides = [%c8, %c1] : !pto.tensor_view<32x8xf32>
"""
    bodies = {
        "blocks": """
    %c4 = arith.constant 4 : index
    scf.for %k = %c0 to %n step %c1 {
      %row = arith.muli %k, %c4 : index
      %p = pto.partition_view %va, offsets = [%row, %c0], sizes = [%c4, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<4x8xf32>
      %q = pto.partition_view %vo, offsets = [%row, %c0], sizes = [%c4, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<4x8xf32>
      %t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
      pto.tload ins(%p : !pto.partition_tensor_view<4x8xf32>) outs(%t : !pto.tile_buf<vec, 4x8xf32>)
      pto.tadd ins(%t, %t : !pto.tile_buf<vec, 4x8xf32>, !pto.tile_buf<vec, 4x8xf32>) outs(%t : !pto.tile_buf<vec, 4x8xf32>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 4x8xf32>) outs(%q : !pto.partition_tensor_view<4x8xf32>)
    }
""",
        "carried": """
    %zero = arith.constant 0.0 : f32
    %s, %i = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %count = %m) -> (f32, i32) {
      %v = pto.load_scalar %a[%k] : !pto.ptr<f32> -> f32
      %next = arith.addf %acc, %v : f32
      %one = arith.constant 1 : i32
      %more = arith.addi %count, %one : i32
      scf.yield %next, %more : f32, i32
    }
    %f = arith.sitofp %i : i32 to f32
    pto.store_scalar %s, %out[%c0] : !pto.ptr<f32>, f32
    pto.store_scalar %f, %out[%c1] : !pto.ptr<f32>, f32
""",
        "choose": """
    %lim = arith.constant 3 : i32
    %big = arith.cmpi sgt, %m, %lim : i32
    %x = scf.if %big -> (i32) {
      %two = arith.constant 2 : i32
      %d = arith.muli %m, %two : i32
      scf.yield %d : i32
    } else {
      %e = arith.subi %m, %lim : i32
      scf.yield %e : i32
    }
    %y = arith.select %flag, %x, %lim : i32
    %q = arith.divsi %x, %lim : i32
    %r = arith.remsi %x, %lim : i32
    %u = arith.maxsi %q, %r : i32
    %z = arith.addi %u, %y : i32
    %f = arith.sitofp %z : i32 to f32
    pto.store_scalar %f, %out[%c0] : !pto.ptr<f32>, f32
""",
        "until": """
    %one = arith.constant 1 : i32
    %r = scf.while (%i = %m) : (i32) -> i32 {
      %lim = arith.constant 20 : i32
      %go = arith.cmpi slt, %i, %lim : i32
      scf.condition(%go) %i : i32
    } do {
    ^bb0(%j: i32):
      %twice = arith.addi %j, %j : i32
      %k = arith.addi %twice, %one : i32
      scf.yield %k : i32
    }
    %f = arith.sitofp %r : i32 to f32
    pto.store_scalar %f, %out[%c0] : !pto.ptr<f32>, f32
""",
        "window": """
    %c2 = arith.constant 2 : index
    %t = pto.alloc_tile : !pto.tile_buf<vec, 32x8xf32>
    %k = arith.constant 7.0 : f32
    pto.tload ins(%va : !pto.tensor_view<32x8xf32>) outs(%t : !pto.tile_buf<vec, 32x8xf32>)
    %w = pto.subview %t[%c2, %c0] sizes [4, 8] : !pto.tile_buf<vec, 32x8xf32> -> !pto.tile_buf<vec, 4x8xf32>
    pto.texpands ins(%k : f32) outs(%w : !pto.tile_buf<vec, 4x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 32x8xf32>) outs(%vo : !pto.tensor_view<32x8xf32>)
""",
        "counted": """
    %c16 = arith.constant 16 : index
    %first = arith.constant 4 : i32
    %vs = pto.make_tensor_view %a, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
    %vd = pto.make_tensor_view %out, shape = [%c1, %c16], strides = [%c16, %c1] : !pto.tensor_view<1x16xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
    %d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xf32>
    pto.tload ins(%vs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
    pto.tci ins(%first : i32) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
    %w = pto.subview %t[%c1, %c8] sizes [2, 8] : !pto.tile_buf<vec, 16x16xf32> -> !pto.tile_buf<vec, 2x8xf32>
    pto.tgather ins(%w, %i : !pto.tile_buf<vec, 2x8xf32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 1x16xf32>)
    pto.tstore ins(%d : !pto.tile_buf<vec, 1x16xf32>) outs(%vd : !pto.tensor_view<1x16xf32>)
""",
        "select": """
    %p = pto.partition_view %va, offsets = [%c0, %c0], sizes = [%c8, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %q = pto.partition_view %va, offsets = [%c8, %c0], sizes = [%c8, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %r = pto.partition_view %vo, offsets = [%c0, %c0], sizes = [%c8, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<8x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    %u = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
    pto.tload ins(%q : !pto.partition_tensor_view<8x8xf32>) outs(%u : !pto.tile_buf<vec, 8x8xf32>)
    %w = arith.select %flag, %t, %u : !pto.tile_buf<vec, 8x8xf32>
    pto.tneg ins(%w : !pto.tile_buf<vec, 8x8xf32>) outs(%w : !pto.tile_buf<vec, 8x8xf32>)
    pto.tadd ins(%t, %u : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%r : !pto.partition_tensor_view<8x8xf32>)
    %o = arith.select %flag, %out, %a : !pto.ptr<f32>
    %z = pto.load_scalar %a[%c32] : !pto.ptr<f32> -> f32
    %end = arith.constant 100 : index
    pto.store_scalar %z, %o[%end] : !pto.ptr<f32>, f32
""",
        "unused": """
    %more = arith.addi %n, %c1 : index
    %vb = pto.make_tensor_view %a, shape = [%more, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
    %p = pto.partition_view %vb, offsets = [%c1, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    %q = pto.partition_view %vo, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<32x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%q : !pto.partition_tensor_view<1x8xf32>)
    %x = scf.if %flag -> (i32) {
      scf.yield %m : i32
    } else {
      %one = arith.constant 1 : i32
      scf.yield %one : i32
    }
    %y = scf.for %k = %c0 to %n step %c1 iter_args(%z = %m) -> (i32) {
      %two = arith.constant 2 : i32
      scf.yield %two : i32
    }
""",
        "offset": """
    %q = pto.addptr %a, %c8 : !pto.ptr<f32> -> !pto.ptr<f32>
    %vq = pto.make_tensor_view %q, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
    %vp = pto.make_tensor_view %out, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
    %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 32x8xf32, valid=?x8>
    pto.tload ins(%vq : !pto.tensor_view<?x8xf32>) outs(%t : !pto.tile_buf<vec, 32x8xf32, valid=?x8>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 32x8xf32, valid=?x8>) outs(%vp : !pto.tensor_view<?x8xf32>)
""",
    }
    for name, body in bodies.items():
        text = f"module {{{head.replace('NAME', name)}{body}    return\n  }}\n}}"
        scalars = {"n": 5, "m": 6, "flag": True}
        data = {"a": np.arange(256, dtype=np.float32), "out": np.zeros(256, np.float32)}
        yield Case(name, text, target, scalars=scalars, arguments=data)


def tile_arguments(target: str) -> Iterator[Case]:
    text = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<8x8xi32>
.arg %out : !pto.memref<8x8xf32>
%d = mgather.elem %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<8x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""
    yield Case("tile_argument", text, target, arguments={"idx": indices((8, 8), 512, "undefined", 3)})


def collectives(target: str) -> Iterator[Case]:
    for op, local in (("tgather", "12x16"), ("tscatter", "12x16"), ("tbroadcast", "4x16")):
        text = f"""
.arg %g : !pto.group<3 x !pto.memref<4x16xf32>>
.arg %own : !pto.memref<{local}xf32>
pto.comm.{op} %g, %own : (!pto.group<3 x !pto.memref<4x16xf32>>, !pto.memref<{local}xf32>)
"""
        yield Case(f"comm_{op}", text, target)


def generated(target: str, count: int) -> Iterator[Case]:
    """Random programs; every tile is loaded before and stored after."""
    for seed in range(count):
        name = f"random_{seed}"
        text = program(Random(f"{target} {seed}"), name, initialised=True)
        rng = np.random.default_rng(seed)
        arguments = {key: rng.integers(-8, 8, 256).astype(np.float32) for key in ("a", "b", "c")}
        arguments["idx"] = indices((16, 16), 256, "undefined", seed).reshape(-1)
        scalars = {"n": seed % 4, "flag": seed % 2 == 0}
        yield Case(name, text, target, scalars=scalars, arguments=arguments, seed=seed)


def gathers(target: str) -> Iterator[Case]:
    if target == "cpu":
        for element in PLAIN:
            yield gather_elem(target, element, "undefined")
        for oob in OOB:
            for element in ("f32", "i8", "bf16"):
                yield gather_row(target, element, oob)
                yield gather_elem(target, element, oob, (5, 7))
            yield gather_row(target, "f32", oob, index_type="u32")
            yield gather_row(target, "f32", oob, stride=40)
        return
    if target == "a5-custom":
        for element in (*PLAIN, *EIGHT_BIT_FLOATS):
            for mode in ("row", "elem"):
                for oob in OOB if element in ("f32", "i8") else ("wrap",):
                    yield gather_custom(element, mode, oob)
        return
    more = (*EIGHT_BIT_FLOATS, "!pto.hif8") if target == "a5" else ()
    for element in (*PLAIN, *more):
        for oob in OOB if element in ("f32", "u16", "i8") else ("clamp", "zero"):
            yield gather_row(target, element, oob)
            yield gather_elem(target, element, oob)
    for oob in OOB:
        yield gather_row(target, "f32", oob, index_type="u32")
        yield gather_elem(target, "f32", oob, (5, 7))
        yield gather_elem(target, "f32", oob, (1, 1))
        if target == "a5":
            yield gather_row(target, "f16", oob, index="16x1")
            yield gather_elem(target, "f32", oob, (16, 8), "col_major")
        else:
            yield gather_row(target, "f32", oob, stride=40)
            for element in ("f32", "f16", "i8"):
                for mode in ("row", "elem"):
                    yield gather_nz(element, mode, oob)


def scatters(target: str) -> Iterator[Case]:
    # On `cpu` a row of the index tile belongs to a row of the source, so there is no [1, R] form.
    for mode in ("row", "elem") if target != "cpu" else ("elem",):
        for oob in ("undefined", "skip", "clamp", "wrap"):
            yield scatter(target, "f32", mode, "none", oob)
        for element in ("i8", "u16", "f16", "bf16"):
            yield scatter(target, element, mode, "none", "undefined")
        yield scatter(target, "i32", mode, "add", "skip")


def catalogue(target: str, random_programs: int) -> list[Case]:
    """Everything for one target."""
    cases = list(gathers(target))
    if target != "a5-custom":
        cases += scatters(target)
    cases += vectors(target)
    cases += moves(target)
    cases += control(target)
    cases += tile_arguments(target)
    cases += collectives(target)
    if target != "a5-custom":
        cases += generated(target, random_programs)
    return cases
