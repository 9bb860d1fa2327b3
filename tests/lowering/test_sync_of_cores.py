"""Flags in functions of several cores: each part has those of its own pipes, and popped tiles are ordered."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

import ptoas
from ptoas.analysis.structure import kind_of
from ptoas.dialects.pto.enums import KernelKind, Pipe
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.lowering import prepare
from ptoas.targets import get_target
from tests.machine.test_pipelines import Pipeline

from .test_insert_sync import findings, flags, orders

PIPES = {
    KernelKind.Cube: {"S", "MTE1", "MTE2", "M", "FIX"},
    KernelKind.Vector: {"S", "V", "MTE2", "MTE3"},
}
TYPES = """
!mat = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
!left = !pto.tile_buf<left, 16x16xf32, slayout=row_major>
!right = !pto.tile_buf<right, 16x16xf32, slayout=col_major>
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!half = !pto.tile_buf<vec, 8x16xf32>
!x = !pto.memref<16x16xf32>
!o = !pto.memref<16x16xf32>
!p = !pto.partition_tensor_view<8x16xf32>
"""
ARGUMENTS = "%gm: !pto.ptr<f32>, %x: !x, %o: !o"
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index"""
MEMORY = "gm_slot_buffer = %gm : !pto.ptr<f32>, "


def channel(side: str, memory: str, slots: int) -> str:
    return (
        f"pto.{side}_initialize_pipe {{dir_mask = 1, slot_size = 1024, slot_num = {slots}}} "
        f"({memory}c2v_consumer_buf = %r{side} : i32)"
    )


def cube(memory: str, slots: int) -> str:
    return f"""
  %raic = pto.import_reserved_buffer {{name = "ring", peer_func = @PEER}} -> i32
  {channel("aic", memory, slots)}
  %m = pto.alloc_tile : !mat
  %l = pto.alloc_tile : !left
  %r = pto.alloc_tile : !right
  %acc = pto.alloc_tile : !acc
  scf.for %i = %c0 to %c6 step %c1 {{
    pto.tload ins(%x : !x) outs(%m : !mat)
    pto.tmov ins(%m : !mat) outs(%l : !left)
    pto.tmov ins(%m : !mat) outs(%r : !right)
    pto.tmatmul ins(%l, %r : !left, !right) outs(%acc : !acc)
    pto.tpush_to_aiv(%acc : !acc) {{split = 1}}
  }}"""


def vector(memory: str, slots: int, body: str) -> str:
    room = f'name = "ring", size = {1024 * slots}, location = #pto.address_space<vec>, auto = true'
    return f"""
  %raiv = pto.reserve_buffer {{{room}}} -> i32
  {channel("aiv", memory, slots)}
  %u = pto.alloc_tile : !half
  %lane = pto.get_subblock_idx
  %n = arith.index_cast %lane : i64 to index
  %at = arith.muli %n, %c8 : index
  %p = pto.partition_view %o, offsets = [%at, %c0], sizes = [%c8, %c16] : !o -> !p
  scf.for %j = %c0 to %c6 step %c1 {{
    %t = pto.tpop_from_aic {{split = 1}} -> !half
    {body}
  }}"""


STORED = "pto.tstore ins(%t : !half) outs(%p : !p)\n    pto.tfree_from_aic {split = 1}"
CHOSEN = """pto.tstore ins(%t : !half) outs(%p : !p)
    %odd = arith.cmpi eq, %j, %c1 : index
    scf.if %odd {
      pto.tfree_from_aic {split = 1}
    } else {
      pto.tfree_from_aic {split = 1}
    }"""
ADDED = (
    "pto.tadd ins(%t, %t : !half, !half) outs(%u : !half)\n    pto.tfree_from_aic {split = 1}\n"
    "    pto.tstore ins(%u : !half) outs(%p : !p)"
)


def pair(target: str, body: str, slots: int = 4) -> str:
    memory = MEMORY if target == "a2a3" else ""
    kind = "attributes {{pto.kernel_kind = #pto.kernel_kind<{}>}}"
    first, second = cube(memory, slots).replace("PEER", "v"), vector(memory, slots, body)
    return (
        f"{TYPES}func.func @c({ARGUMENTS}) {kind.format('cube')} {{{CONSTANTS}{first}\n  return\n}}\n"
        f"func.func @v({ARGUMENTS}) {kind.format('vector')} {{{CONSTANTS}{second}\n  return\n}}\n"
    )


def sections(target: str, body: str, slots: int = 4) -> str:
    memory = MEMORY if target == "a2a3" else ""
    first, second = cube(memory, slots).replace("PEER", "f"), vector(memory, slots, body)
    return (
        f"{TYPES}func.func @f({ARGUMENTS}) {{{CONSTANTS}\n  pto.section.cube {{{first}\n  }}\n"
        f"  pto.section.vector {{{second}\n  }}\n  return\n}}\n"
    )


def parts(text: str, target: str) -> dict[KernelKind, FuncOp]:
    module = prepare(ptoas.parse(text), target)
    found = [op for op in module.walk() if isinstance(op, FuncOp)]
    return {kind: op for op in found if (kind := kind_of(op)) is not None}


@pytest.mark.parametrize(
    ("target", "body", "expected"),
    [
        # The pop is work of V, and so is giving the slot back: MTE3 reads in between.
        ("a5", STORED, ["set V>MTE3 0", "wait V>MTE3 0", "set MTE3>V 0", "wait MTE3>V 0"]),
        # Wherever it is given back, that is so.
        ("a5", CHOSEN, ["set V>MTE3 0", "wait V>MTE3 0", "set MTE3>V 0", "wait MTE3>V 0"]),
        ("a5", ADDED, ["set MTE3>V 0", "wait MTE3>V 0", "set V>MTE3 0", "wait V>MTE3 0"]),
        # The pop is a load, which overwrites what was popped four turns before; the slot is free already.
        ("a2a3", STORED, ["set MTE3>MTE2 0", "wait MTE3>MTE2 0", "set MTE2>MTE3 0", "wait MTE2>MTE3 0"]),
    ],
)
def test_a_popped_tile_is_ordered(target: str, body: str, expected: list[str]) -> None:
    made = parts(pair(target, body), target)[KernelKind.Vector]
    assert flags(made) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("body", [STORED, ADDED], ids=["stored", "added"])
@pytest.mark.parametrize("program", [pair, sections])
def test_each_part_has_flags_of_its_own_pipes_and_no_hazard(target: str, body: str, program) -> None:
    module = prepare(ptoas.parse(program(target, body, 2)), target)
    assert findings(module, get_target(target)) == (0, [])
    for kind, part in parts(program(target, body, 2), target).items():
        named = {pipe for text in flags(part) for pipe in text.split()[1].split(">")}  # type: ignore[arg-type]
        assert named and named <= PIPES[kind]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_a_function_with_sections_is_ordered_as_two_functions(target: str) -> None:
    ours, theirs = parts(sections(target, ADDED), target), parts(pair(target, ADDED), target)
    assert {kind: flags(part) for kind, part in ours.items()} == {  # type: ignore[arg-type]
        kind: flags(part)  # type: ignore[arg-type]
        for kind, part in theirs.items()
    }


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("body", [STORED, ADDED], ids=["stored", "added"])
def test_every_flag_is_needed(target: str, body: str) -> None:
    module = prepare(ptoas.parse(pair(target, body, 2)), target)
    count = len(orders(module))
    assert count
    for at in range(count):
        poorer = prepare(ptoas.parse(pair(target, body, 2)), target)
        for op in orders(poorer)[at]:
            op.detach()
            op.erase()
        hazards, _ = findings(poorer, get_target(target))
        assert hazards, f"pair {at} orders nothing"


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_run_without_the_inserted_flags_reports_a_race(target: str) -> None:
    """With the flags of the pass a run is clean; with none it has a race."""
    module = ptoas.parse(pair(target, STORED))
    ptoas.run(module, target=target, generate=True)
    with pytest.raises(ptoas.PtoasError) as error:
        ptoas.run(module, target=target, sync="manual", generate=True)
    assert {d.code for d in error.value.diagnostics} == {"PTO-F101"}


PIPELINES = st.builds(
    Pipeline,
    target=st.sampled_from(["a2a3", "a5"]),
    slots=st.integers(1, 4),
    iterations=st.integers(1, 5),
    split=st.sampled_from([0, 1, 2]),
    direction=st.sampled_from(["there", "back", "both"]),
)


@given(pipeline=PIPELINES)
@settings(max_examples=20)
def test_no_hazard_remains_in_a_random_pipeline(pipeline: Pipeline) -> None:
    module = prepare(ptoas.parse(pipeline.text), pipeline.target)
    assert findings(module, get_target(pipeline.target)) == (0, [])
    assert flags(module)


STEPS = f"""{TYPES}!vec = !pto.tile_buf<vec, 16x16xf32>
func.func @f(%x: !x, %o: !o) {{
  %m = pto.alloc_tile : !mat
  %l = pto.alloc_tile : !left
  %r = pto.alloc_tile : !right
  %acc = pto.alloc_tile : !acc
  %v = pto.alloc_tile : !vec
  pto.tload ins(%x : !x) outs(%m : !mat)
  pto.tmov ins(%m : !mat) outs(%l : !left)
  pto.tmov ins(%m : !mat) outs(%r : !right)
  pto.tmatmul ins(%l, %r : !left, !right) outs(%acc : !acc)
  pto.tmov ins(%acc : !acc) outs(%v : !vec)
  pto.tadd ins(%v, %v : !vec, !vec) outs(%v : !vec)
  pto.tstore ins(%v : !vec) outs(%o : !o)
  return
}}
"""


def test_unconnected_pipes_get_a_barrier_of_all() -> None:
    """On a5 an accumulator goes to the unified buffer through FIX, and no core has both FIX and V."""
    module = prepare(ptoas.parse(STEPS), "a5")
    assert not get_target("a5").connects(Pipe.PIPE_FIX, Pipe.PIPE_V)
    assert flags(module) == [
        *("set MTE2>MTE1 0", "wait MTE2>MTE1 0", "set MTE1>M 0", "wait MTE1>M 0"),
        *("set M>FIX 0", "wait M>FIX 0", "set V>MTE3 0", "wait V>MTE3 0"),
    ]
    (barrier,) = [op for op in module.walk() if isinstance(op, BarrierOp)]
    assert barrier.pipe.data is Pipe.PIPE_ALL
    before, after = barrier.prev_op, barrier.next_op
    assert before is not None and after is not None
    assert (before.name, after.name) == ("pto.tmov", "pto.tadd")
    assert findings(module, get_target("a5")) == (0, [])
    barrier.detach()
    barrier.erase()
    assert findings(module, get_target("a5"))[0]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_barriers_everywhere_are_enough(target: str) -> None:
    module = prepare(ptoas.parse(pair(target, STORED)), target, sync="all")
    assert not [op for op in module.walk() if isinstance(op, SetFlagOp | WaitFlagOp)]
    assert [op for op in module.walk() if isinstance(op, BarrierOp)]
    assert findings(module, get_target(target)) == (0, [])
