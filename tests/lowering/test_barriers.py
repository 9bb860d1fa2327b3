"""Order within a pipe: a barrier where an instruction depends on an earlier one, and none too many (D26)."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.analysis.structure import functions
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp
from ptoas.lowering import prepare
from ptoas.targets import get_target

from .programs import program
from .test_insert_sync import findings

SKIPPED = {"arith.constant", "pto.alloc_tile", "func.return", "scf.yield", "pto.set_flag", "pto.wait_flag"}
FILL = "pto.texpands ins(%s : f32) outs(%a : T)"
NEGATE = "pto.tneg ins(%a : T) outs(%b : T)"
ADD = "pto.tadd ins(%b, %a : T, T) outs(%c : T)"
TWICE = "pto.tadd ins(%a, %a : T, T) outs(%a : T)"
SHOW = "pto.tprint ins(%c : T)"


def vector(*lines: str, rows: int = 16, target: str = "a2a3") -> list[str]:
    """Mnemonics and barriers of a body that works on tiles of `rows` times 128 bytes."""
    tile, memory = f"!pto.tile_buf<vec, {rows}x32xf32>", f"!pto.memref<{rows}x32xf32>"
    text = "\n".join(
        [
            f"func.func @f(%x: {memory}, %y: {memory}, %s: f32, %n: index) {{",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            *(f"%{name} = pto.alloc_tile : {tile}" for name in "abcd"),
            *(line.replace("T", tile).replace("M", memory) for line in lines),
            "return",
            "}",
        ]
    )
    (function,) = functions(prepare(ptoas.parse(text), target, sync="auto"))
    return [
        f"barrier {op.pipe.data.value[5:]}" if isinstance(op, BarrierOp) else op.name.rpartition(".")[2]
        for op in function.walk()
        if op is not function and op.name not in SKIPPED
    ]


def test_a_dependence_within_a_pipe_needs_a_barrier() -> None:
    assert vector(FILL, NEGATE, ADD, SHOW) == [
        *("texpands", "barrier V", "tneg", "barrier V", "tadd"),
        "tprint",
    ]
    assert vector(FILL, NEGATE, ADD, SHOW, target="a5") == ["texpands", "tneg", "tadd", "tprint"]


def test_sixteen_repeats_that_are_read_as_they_were_written_need_none() -> None:
    """31 rows of 128 bytes are less than 16 times 256, 32 are as much."""
    assert vector(FILL, TWICE, rows=31) == ["texpands", "barrier V", "tadd"]
    assert vector(FILL, TWICE, TWICE, rows=32) == ["texpands", "tadd", "tadd"]


def test_one_barrier_serves_all_before_it() -> None:
    copies = [f"pto.tneg ins(%a : T) outs(%{name} : T)" for name in "bcd"]
    readers = [f"pto.tadds ins(%{name}, %s : T, f32) outs(%{name} : T)" for name in "bcd"]
    assert vector(FILL, *copies, *readers) == [
        *("texpands", "barrier V", "tneg", "tneg", "tneg"),
        *("barrier V", "tadds", "tadds", "tadds"),
    ]


def test_a_flag_that_comes_back_needs_no_barrier() -> None:
    """The store reads what V wrote, and V waits for the store before it writes again."""
    store = "pto.tstore ins(%a : T) outs(%y : M)"
    assert vector(FILL, store, FILL) == ["texpands", "tstore", "texpands"]


def test_the_next_turn_needs_a_barrier_inside_the_loop() -> None:
    loop = ["scf.for %k = %c0 to %n step %c1 {", TWICE, "}"]
    assert vector(FILL, *loop) == ["texpands", "for", "barrier V", "tadd"]


def test_access_before_a_loop_gets_a_barrier_before_the_loop() -> None:
    loop = ["scf.for %k = %c0 to %n step %c1 {", NEGATE.replace("%b", "%c"), "pto.tprint ins(%c : T)", "}"]
    assert vector(FILL, *loop) == ["texpands", "barrier V", "for", "tneg", "tprint"]


def test_two_stores_to_one_place_need_a_barrier_and_two_loads_do_not() -> None:
    load, store = "pto.tload ins(%x : M) outs(%a : T)", "pto.tstore ins(%a : T) outs(%y : M)"
    for target in ("a2a3", "a5"):
        assert vector(load, load, store, store, target=target) == [
            *("tload", "tload", "tstore", "barrier MTE3", "tstore")
        ]


def run_says(module: ModuleOp, target: str, extent: int) -> list[str]:
    """The codes that a run stops with, flags and barriers taken as they are."""
    count = extent * extent
    arrays: dict[str, object] = {name: np.ones(count, np.float32) for name in "abc"}
    arrays["idx"] = np.arange(count, dtype=np.int32)[::-1].copy()
    try:
        ptoas.run(module, {**arrays, "n": 2, "flag": True}, target=target, sync="manual", force=True)
    except PtoasError as error:
        return [each.code for each in error.diagnostics]
    return []


@given(random=st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_run_and_verify_miss_the_same_barriers(random: Random) -> None:
    """The output of insert-sync runs without findings; without any one of its barriers, both run and verify
    report it. Instructions on 16x16 floats may not follow each other closely, on 64x64 they may."""
    target, extent, loops = random.choice(("a2a3", "a5")), random.choice((16, 64)), random.random() < 0.5
    text = program(random, max_ops=10, control=loops, initialised=True, forms=("once",))
    text = text.replace("16x16", f"{extent}x{extent}").replace("constant 16 ", f"constant {extent} ")
    module = prepare(ptoas.parse(text), target)
    assert run_says(module, target, extent) == []
    for number in range(sum(isinstance(op, BarrierOp) for op in module.walk())):
        less = module.clone()
        op = [op for op in less.walk() if isinstance(op, BarrierOp)][number]
        op.detach()
        op.erase()
        assert findings(less, get_target(target))[0] > 0
        # A barrier for the next turn is not missed where a loop has one turn only.
        assert run_says(less, target, extent) in ([["PTO-R124"], []] if loops else [["PTO-R124"]])


LEFT = "!pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>"
RIGHT = "!pto.tile_buf<right, 16x16xf16, slayout=col_major>"
ACC = "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
VEC = "!pto.tile_buf<vec, 16x16xf32>"
ACROSS = f"""
func.func @f(%l: {LEFT}, %r: {RIGHT}, %out: !pto.memref<16x16xf32>) {{
  %a = pto.alloc_tile : {ACC}
  %v = pto.alloc_tile : {VEC}
  %w = pto.alloc_tile : {VEC}
  pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%a : {ACC})
  pto.tmov ins(%a : {ACC}) outs(%v : {VEC})
  pto.tneg ins(%v : {VEC}) outs(%w : {VEC})
  pto.tstore ins(%w : {VEC}) outs(%out : !pto.memref<16x16xf32>)
  return
}}
"""


def test_unconnected_pipes_get_a_barrier_of_all() -> None:
    """The fixpipe of a cube core and the vector pipe of another have no flag between them."""
    module = prepare(ptoas.parse(ACROSS), "a5", sync="auto")
    flags = [op for op in module.walk() if isinstance(op, SetFlagOp)]
    pairs = [(op.src_pipe.data.value[5:], op.dst_pipe.data.value[5:]) for op in flags]
    assert pairs == [("M", "FIX"), ("V", "MTE3")]
    (barrier,) = [op for op in module.walk() if isinstance(op, BarrierOp)]
    assert barrier.pipe.data is Pipe.PIPE_ALL
    assert barrier.prev_op is not None and barrier.next_op is not None
    assert (barrier.prev_op.name, barrier.next_op.name) == ("pto.tmov", "pto.tneg")
    assert findings(module, get_target("a5")) == (0, [])
    given = {"l": np.eye(16, dtype=np.float16), "r": np.full((16, 16), 3, np.float16)}
    assert (ptoas.run(ptoas.parse(ACROSS), given, target="a5").outputs["out"] == -3).all()
