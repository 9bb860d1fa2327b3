"""Cost of race detection beside the other checks, in a typical kernel.

It has tiles of 16x128 f32 at addresses, two loads, eleven vector instructions and a store in a loop. Its
flags are inserted once, and given once; every result is checked.
"""

from __future__ import annotations

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.compiler.run import compile as compile_program

TILE = "!pto.tile_buf<vec, 16x128xf32>"
COLUMN = "!pto.tile_buf<vec, 16x1xf32, blayout=col_major>"
PART = "!pto.partition_tensor_view<16x128xf32>"
WIDTH = 128

KERNEL = """
module attributes {{pto.target_arch = "a5"}} {{
  func.func @gate(%x: !pto.memref<16x{all}xf32>, %y: !pto.memref<16x{all}xf32>, %out: !pto.memref<16x{all}xf32>) {{
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %n = arith.constant {all} : index
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %at0 = arith.constant 0 : i64
    %at1 = arith.constant 8192 : i64
    %at2 = arith.constant 16384 : i64
    %at3 = arith.constant 24576 : i64
    %at4 = arith.constant 32768 : i64
    %a = pto.alloc_tile addr = %at0 : {tile}
    %b = pto.alloc_tile addr = %at1 : {tile}
    %t = pto.alloc_tile addr = %at2 : {tile}
    %tmp = pto.alloc_tile addr = %at3 : {tile}
    %c = pto.alloc_tile addr = %at4 : {column}
    {before}
    scf.for %k = %c0 to %n step %c128 {{
      %px = pto.partition_view %x, offsets = [%c0, %k], sizes = [%c16, %c128] : !pto.memref<16x{all}xf32> -> {part}
      %py = pto.partition_view %y, offsets = [%c0, %k], sizes = [%c16, %c128] : !pto.memref<16x{all}xf32> -> {part}
      {may_load}
      pto.tload ins(%px : {part}) outs(%a : {tile})
      pto.tload ins(%py : {part}) outs(%b : {tile})
      {loaded}
      pto.tmul ins(%a, %a : {tile}, {tile}) outs(%t : {tile})
      pto.trowsum ins(%t, %tmp : {tile}, {tile}) outs(%c : {column})
      pto.tadds ins(%a, %one : {tile}, f32) outs(%a : {tile})
      pto.tabs ins(%a : {tile}) outs(%t : {tile})
      pto.tadds ins(%t, %one : {tile}, f32) outs(%t : {tile})
      pto.tmul ins(%t, %b : {tile}, {tile}) outs(%b : {tile})
      pto.tmuls ins(%b, %half : {tile}, f32) outs(%b : {tile})
      pto.tadd ins(%a, %b : {tile}, {tile}) outs(%t : {tile})
      pto.trowexpandmul ins(%t, %c : {tile}, {column}) outs(%t : {tile})
      pto.tmaxs ins(%t, %half : {tile}, f32) outs(%t : {tile})
      pto.tsub ins(%t, %a : {tile}, {tile}) outs(%t : {tile})
      {calculated}
      %po = pto.partition_view %out, offsets = [%c0, %k], sizes = [%c16, %c128] : !pto.memref<16x{all}xf32> -> {part}
      pto.tstore ins(%t : {tile}) outs(%po : {part})
      {stored}
    }}
    {after}
    return
  }}
}}
"""  # noqa: E501


def flag(verb: str, source: str, sink: str) -> str:
    return f"pto.{verb}_flag[<PIPE_{source}>, <PIPE_{sink}>, <EVENT_ID0>]"


FLAGS = {
    "before": "\n".join((flag("set", "V", "MTE2"), flag("set", "MTE3", "V"))),
    "may_load": flag("wait", "V", "MTE2"),
    "loaded": "\n".join((flag("set", "MTE2", "V"), flag("wait", "MTE2", "V"), flag("wait", "MTE3", "V"))),
    "calculated": "\n".join((flag("set", "V", "MTE2"), flag("set", "V", "MTE3"), flag("wait", "V", "MTE3"))),
    "stored": flag("set", "MTE3", "V"),
    "after": "\n".join((flag("wait", "V", "MTE2"), flag("wait", "MTE3", "V"))),
}

LIMIT = 2.0


def measure(quick: bool = False) -> list[Row]:
    iterations = 50 if quick else 1000
    return [
        races("flags put in", dict.fromkeys(FLAGS, ""), iterations),
        races("flags by hand", FLAGS, iterations),
    ]


def races(how: str, flags: dict[str, str], iterations: int) -> Row:
    width = iterations * WIDTH
    text = KERNEL.format(all=width, tile=TILE, column=COLUMN, part=PART, **flags)
    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal((16, width), dtype=np.float32) for _ in range(2))
    out = np.zeros_like(x)
    module = ptoas.parse(text, "gate.pto")
    kernels = [compile_program(module, checks=checks) for checks in ("mem,init", "mem,init,race")]
    others, all_checks = in_turns(
        *(lambda k=kernel: k.execute({"x": x, "y": y, "out": out}) for kernel in kernels),
        repeats=6,
        before=lambda: out.fill(0),
        per=iterations,
    )
    assert np.allclose(out, _expected(x, y), rtol=1e-4, atol=1e-4), "gate"
    what = f"run a kernel of 11 vector instructions in a loop, races too, {how}"
    return Row(what, "mem,init", all_checks, others, at_most=LIMIT)


def _expected(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    sums = (x * x).reshape(16, -1, WIDTH).sum(2)
    a = x + 1
    made = (a + (np.abs(a) + 1) * y * np.float32(0.5)) * np.repeat(sums, WIDTH, axis=1)
    return np.maximum(made, np.float32(0.5)) - a
