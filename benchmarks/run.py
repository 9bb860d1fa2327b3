"""Speed of the machine, next to bare NumPy and to xDSL's own interpreter; every result is checked."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, scf
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.compiler.run import compile as compile_program

MiB = 1 << 20


MOST_EXTRA = 64
"""MiB that a run may take beyond its arguments."""


def measure(quick: bool = False) -> list[Row]:
    return [*gathers(quick), *families(quick), *scalars(quick), *embedding(quick)]


# --- gathers -------------------------------------------------------------------------------------

GATHER = """
module attributes {{pto.target_arch = "a5"}} {{
  func.func @gather(%table: !pto.memref<{table}>, %idx: !pto.memref<{idx}>, %out: !pto.memref<{dst}>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {times} : index
    %i = pto.alloc_tile : !pto.tile_buf<vec, {idx}>
    %d = pto.alloc_tile : !pto.tile_buf<vec, {dst}>
    pto.tload ins(%idx : !pto.memref<{idx}>) outs(%i : !pto.tile_buf<vec, {idx}>)
    scf.for %k = %c0 to %n step %c1 {{
      pto.mgather ins(%table, %i : !pto.memref<{table}>, !pto.tile_buf<vec, {idx}>)
        outs(%d : !pto.tile_buf<vec, {dst}>) {{coalesce = #pto<coalesce {mode}>}}
    }}
    pto.tstore ins(%d : !pto.tile_buf<vec, {dst}>) outs(%out : !pto.memref<{dst}>)
    return
  }}
}}
"""


def gathers(quick: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    rows: list[Row] = []
    times = 500 if quick else 4000
    for mode, table_shape, idx_shape, dst_shape in (
        ("row", (1024, 256), (1, 64), (64, 256)),
        ("elem", (1, 65536), (64, 64), (64, 64)),
    ):
        text = GATHER.format(
            table=f"{table_shape[0]}x{table_shape[1]}xf32",
            idx=f"{idx_shape[0]}x{idx_shape[1]}xi32",
            dst=f"{dst_shape[0]}x{dst_shape[1]}xf32",
            times=times,
            mode=mode,
        )
        module = ptoas.parse(text, f"{mode}.pto")
        table = rng.random(table_shape, dtype=np.float32)
        limit = table_shape[0] if mode == "row" else table.size
        idx = rng.integers(0, limit, idx_shape).astype(np.int32)
        out = np.zeros(dst_shape, np.float32)
        source = table if mode == "row" else table.reshape(-1)
        chosen = idx.reshape(-1) if mode == "row" else idx
        plain = np.zeros(dst_shape, np.float32)

        def bare(source=source, chosen=chosen, plain=plain) -> None:
            take = source.take
            for _ in range(times):
                take(chosen, 0, plain, "clip")

        kernels = [compile_program(module, checks=checks) for checks in ("none", "mem,init")]
        arguments = {"table": table, "idx": idx, "out": out}
        theirs, off, on = in_turns(
            bare,
            *(lambda k=kernel, a=arguments: k.execute(a) for kernel in kernels),
            repeats=6,
            before=lambda out=out: out.fill(0),
            per=times,
        )
        assert np.array_equal(out, plain), f"mgather.{mode}"
        name = f"run mgather.{mode} {dst_shape[0]}x{dst_shape[1]} f32"
        rows.append(Row(f"{name}, checks off", "np.take", off, theirs, at_most=1.5))
        rows.append(Row(f"{name}, mem,init", "np.take", on, theirs, at_most=3))
    return rows


# --- families --------------------------------------------------------------------------------------

FAMILY = """
module attributes {{pto.target_arch = "a5"}} {{
  func.func @family({arguments}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {times} : index
    %d = pto.alloc_tile : {dst}
    scf.for %k = %c0 to %n step %c1 {{
      pto.{op} ins({names} : {types}) outs(%d : {dst}) {attributes}
    }}
    pto.tstore ins(%d : {dst}) outs(%out : {memory})
    return
  }}
}}
"""
SIZE = (64, 256)


@dataclass(frozen=True)
class Family:
    """One instruction, and the bare calls of NumPy that do the same."""

    op: str
    sources: tuple[str, ...]
    dst: str
    bare: Callable[..., np.ndarray]
    attributes: str = ""


def _sorted_blocks(a: np.ndarray, i: np.ndarray) -> np.ndarray:
    blocks = a.reshape(-1, 32)
    order = np.argsort(-blocks, axis=1, kind="stable")
    found = np.empty((*blocks.shape, 2), np.float32)
    found[..., 0] = np.take_along_axis(blocks, order, 1)
    found[..., 1] = np.take_along_axis(i.reshape(-1, 32), order, 1).view(np.float32)
    return found.reshape(a.shape[0], -1)


def _quantised(a: np.ndarray, s: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(a * s), -128, 127).astype(np.int8)


FULL, COLUMN, ROW = "64x256xf32", "64x1xf32", "1x256xf32"
FAMILIES = (
    Family("tmul", (FULL, FULL), FULL, np.multiply),
    Family("tmaxs", (FULL, "f32"), FULL, np.maximum),
    Family("tabs", (FULL,), FULL, np.absolute),
    Family("taddsc", (FULL, "f32", FULL), FULL, lambda a, s, b, out: np.add(np.add(a, s, out), b, out)),
    Family("tpartmax", (FULL, FULL), FULL, np.maximum),
    Family("trowsum", (FULL,), "64x8xf32, valid=64x1", lambda a: np.add.reduce(a, 1, keepdims=True)),
    Family("tcolmax", (FULL,), ROW, lambda a: np.maximum.reduce(a, 0, keepdims=True)),
    Family("trowargmax", (FULL,), "64x8xi32, valid=64x1", lambda a: a.argmax(1)[:, None].astype(np.int32)),
    Family("trowexpandmul", (FULL, COLUMN), FULL, np.multiply),
    Family("tcolexpandsub", (FULL, ROW), FULL, np.subtract),
    Family("tcvt", (FULL,), "64x256xf16", lambda a: a.astype(np.float16)),
    Family("tquant", (FULL, COLUMN), "64x256xi8", _quantised, "{quant_type = #pto<quant_type INT8_SYM>}"),
    Family("tsort32", ("32x256xf32", "32x256xui32"), "32x512xf32", _sorted_blocks),
    Family("ttrans", (FULL,), "256x64xf32", lambda a: a.T.copy()),
)


DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8}


def _extents(text: str) -> tuple[tuple[int, int], str]:
    """Valid rows and columns of a tile, and its element type."""
    physical, _, valid = text.partition(", valid=")
    rows, cols, element = physical.split("x")
    found = valid.split("x") if valid else (rows, cols)
    return (int(found[0]), int(found[1])), element


def families(quick: bool) -> list[Row]:
    return [row for family in FAMILIES for row in family_rows(family, 100 if quick else None)]


SAMPLE = 0.02
"""Seconds that a sample of bare NumPy takes, so that what is slow is not done as often as what is fast."""


def _enough(call: Callable[[], object]) -> int:
    """The number of calls of a sample."""
    ((best, *more),) = in_turns(lambda: [call() for _ in range(20)], repeats=3, per=20)
    return max(100, min(4000, int(SAMPLE / max(min(best, *more), 1e-6))))


def family_rows(family: Family, times: int | None) -> list[Row]:
    rng = np.random.default_rng(3)
    types = [t if "x" not in t else f"!pto.tile<{t}>" for t in family.sources]
    given = {}
    for number, text in enumerate(family.sources):
        shape = tuple(int(n) for n in text.split("x")[:-1])
        if not shape:
            given[f"a{number}"] = 0.25
        elif text.endswith("ui32"):
            given[f"a{number}"] = np.arange(np.prod(shape), dtype=np.uint32).reshape(shape)
        else:
            given[f"a{number}"] = rng.standard_normal(shape, dtype=np.float32)
    plain = np.zeros(SIZE, np.float32)
    # What NumPy can write in place, it does.
    in_place = isinstance(family.bare, np.ufunc) or family.op == "taddsc"
    options = {"out": plain} if in_place else {}
    times = times or _enough(lambda: family.bare(*given.values(), **options))
    shape, element = _extents(family.dst)
    memory = f"!pto.memref<{shape[0]}x{shape[1]}x{element}>"
    made = np.zeros(shape, DTYPES[element])
    text = FAMILY.format(
        arguments=", ".join(
            f"%{name}: {type}" for name, type in zip([*given, "out"], [*types, memory], strict=True)
        ),
        memory=memory,
        names=", ".join(f"%{name}" for name in given),
        types=", ".join(types),
        dst=f"!pto.tile<{family.dst}>",
        op=family.op,
        attributes=family.attributes,
        times=times,
    )
    module = ptoas.parse(text, f"{family.op}.pto")
    found = plain

    def bare() -> None:
        nonlocal found
        for _ in range(times):
            found = family.bare(*given.values(), **options)

    kernels = [compile_program(module, checks=checks) for checks in ("none", "mem,init")]
    theirs, off, on = in_turns(
        bare,
        *(lambda k=kernel: k.execute({**given, "out": made}) for kernel in kernels),
        repeats=6,
        before=lambda: made.fill(0),
        per=times,
    )
    assert np.array_equal(made, found), family.op
    name = f"run {family.op}, {family.sources[0].replace('xf32', ' f32')}"
    return [
        Row(f"{name}, checks off", "bare NumPy", off, theirs, at_most=1.5),
        Row(f"{name}, mem,init", "bare NumPy", on, theirs, at_most=3),
    ]


# --- scalars -------------------------------------------------------------------------------------

SCALARS = """
module {{
  func.func @main(%n: index, %seed: i32) -> i32 {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = arith.constant 1664525 : i32
    %m = arith.constant 1013904223 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %seed) -> (i32) {{
      %a = arith.muli %x, %k : i32
      %b = arith.addi %a, %m : i32
      %c = arith.xori %b, %a : i32
      %d = arith.subi %c, %k : i32
      scf.yield %d : i32
    }}
    return %r : i32
  }}
}}
"""
OPERATIONS = 4


def expected_scalar(count: int, seed: int) -> int:
    x = seed
    for _ in range(count):
        a = (x * 1664525) & 0xFFFFFFFF
        b = (a + 1013904223) & 0xFFFFFFFF
        x = ((b ^ a) - 1664525) & 0xFFFFFFFF
    return x - (1 << 32) if x >> 31 else x


def scalars(quick: bool) -> list[Row]:
    count, short = (25_000 if quick else 250_000), 2_000
    module = ptoas.parse(SCALARS.format(), "scalars.pto")
    kernel = compile_program(module, "a5", checks="none")
    function = kernel.cores[0].function
    assert function(short, 7) == (expected_scalar(short, 7),), "scalar loop"
    context = Context()
    for dialect in (builtin.Builtin, func.Func, arith.Arith, scf.Scf):
        context.load_dialect(dialect)
    interpreter = Interpreter(module)
    register_implementations(interpreter, context)
    (ours,) = in_turns(lambda: function(count, 7), repeats=4, per=count * OPERATIONS)
    (theirs,) = in_turns(lambda: interpreter.call_op("main", (short, 7)), repeats=4, per=short * OPERATIONS)
    what = f"run {count * OPERATIONS:,} scalar operations, one of them"
    return [Row(what, "xDSL's Interpreter", ours, theirs, at_least=100, speed=True)]


# --- embedding -----------------------------------------------------------------------------------

EMBEDDING = """
!table = !pto.partition_tensor_view<{rows}x{width}xf32>
!rows = !pto.partition_tensor_view<16x{width}xf32>
!part = !pto.partition_tensor_view<1x16xi32>
!data = !pto.tile_buf<vec, 16x{width}xf32>
!index = !pto.tile_buf<vec, 1x16xi32>
module attributes {{pto.target_arch = "a5"}} {{
  func.func @embed(%table: !pto.ptr<f32>, %idx: !pto.ptr<i32>, %out: !pto.ptr<f32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = arith.constant {rows} : index
    %w = arith.constant {width} : index
    %n = arith.constant {n} : index
    %tv = pto.make_tensor_view %table, shape = [%rows, %w], strides = [%w, %c1] : !pto.tensor_view<?x?xf32>
    %tp = pto.partition_view %tv, offsets = [%c0, %c0], sizes = [%rows, %w]
        : !pto.tensor_view<?x?xf32> -> !table
    %iv = pto.make_tensor_view %idx, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xi32>
    %ov = pto.make_tensor_view %out, shape = [%n, %w], strides = [%w, %c1] : !pto.tensor_view<?x?xf32>
    %i = pto.alloc_tile : !index
    %d = pto.alloc_tile : !data
    scf.for %k = %c0 to %n step %c16 {{
      %ip = pto.partition_view %iv, offsets = [%c0, %k], sizes = [%c1, %c16]
          : !pto.tensor_view<?x?xi32> -> !part
      pto.tload ins(%ip : !part) outs(%i : !index)
      pto.mgather ins(%tp, %i : !table, !index) outs(%d : !data) {{coalesce = #pto<coalesce row>}}
      %op = pto.partition_view %ov, offsets = [%k, %c0], sizes = [%c16, %w]
          : !pto.tensor_view<?x?xf32> -> !rows
      pto.tstore ins(%d : !data) outs(%op : !rows)
    }}
    return
  }}
}}
"""


def embedding(quick: bool) -> list[Row]:
    width = 1024
    rows, count = (16_384, 8_192) if quick else (262_144, 65_536)
    table = np.empty((rows, width), np.float32)
    table[...] = np.arange(width, dtype=np.float32)
    table += np.arange(rows, dtype=np.float32)[:, None]
    idx = np.random.default_rng(2).integers(0, rows, (1, count)).astype(np.int32)
    # Full, not zeros: pages that are touched for the first time would count as the machine's memory.
    out, plain = (np.full((count, width), 1, np.float32) for _ in range(2))
    module = ptoas.parse(EMBEDDING.format(rows=rows, width=width, n=count), "embedding.pto")
    found: list[Row] = []
    name = f"run a lookup of {count:,} x {width} f32 in {table.nbytes // MiB} MiB"
    for checks, most in (("none", 1.6), ("mem,init", 1.8)):
        kernel = compile_program(module, checks=checks)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        theirs, ours = in_turns(
            lambda: np.take(table, idx[0], 0, plain, "clip"),
            lambda k=kernel: k.execute({"table": table, "idx": idx, "out": out}),
            repeats=6,
            before=lambda: out.fill(0),
        )
        extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        # Row by row: comparing all at once would itself take memory.
        assert all(np.array_equal(a, b) for a, b in zip(out, plain, strict=True)), "embedding"
        says = "checks off" if checks == "none" else checks
        found.append(Row(f"{name}, {says}", "np.take of the whole", ours, theirs, at_most=most))
        what = f"memory of that beyond its arguments, {says}"
        found.append(Row(what, "what is allowed", [extra], [MOST_EXTRA], at_most=1, unit="MiB"))
    return found
