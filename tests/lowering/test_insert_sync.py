"""Flags between pipes: enough of them, and none too many."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ptoas
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import functions, walk
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.lowering import prepare
from ptoas.lowering.insert_sync import synchronise
from ptoas.lowering.provenance import reason_of
from ptoas.targets import Target, get_target

from . import way
from .programs import ALL_FORMS, program

DEVICES = ("a2a3", "a5")
RANDOM = st.randoms(use_true_random=False)


def findings(module: ModuleOp, target: Target) -> tuple[int, list[str]]:
    """The number of hazards that the verifier's own analysis sees, and the misused flags."""
    hazards, misuses = 0, []
    for function in functions(module):
        flow = SyncFlow(FunctionFacts(function, Knowledge()), target)
        flow.run()
        hazards += len(flow.hazards)
        misuses += [misuse.kind for misuse in flow.misuses.values()]
    return hazards, misuses


def flags(module: ModuleOp) -> list[str]:
    found = []
    for op in module.walk():
        if isinstance(op, SetFlagOp | WaitFlagOp):
            verb = "set" if isinstance(op, SetFlagOp) else "wait"
            pipes = (op.src_pipe.data.value[5:], op.dst_pipe.data.value[5:], op.event_id.data.value[-1])
            found.append(f"{verb} {pipes[0]}>{pipes[1]} {pipes[2]}")
    return found


def pairs(module: ModuleOp) -> list[tuple[SetFlagOp, WaitFlagOp]]:
    """Each wait with the set that it answers: the last one of that flag in the same block."""
    found: list[tuple[SetFlagOp, WaitFlagOp]] = []
    for op in module.walk():
        if not isinstance(op, WaitFlagOp):
            continue
        at = op.prev_op
        while not (isinstance(at, SetFlagOp) and at.properties == op.properties):
            assert at is not None, "a wait without a set in its block"
            at = at.prev_op
        found.append((at, op))
    return found


def orders(module: ModuleOp) -> list[tuple[Operation, ...]]:
    """The synchronisation operations: pairs of flags, and barriers of one pipe."""
    return [*pairs(module), *((op,) for op in module.walk() if isinstance(op, BarrierOp))]


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=60)
def test_no_hazard_and_no_misused_flag_remains(target: str, random: Random) -> None:
    module = prepare(ptoas.parse(program(random)), target)
    assert findings(module, get_target(target)) == (0, [])


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=40)
def test_every_pair_and_barrier_is_needed(target: str, random: Random) -> None:
    module = prepare(ptoas.parse(program(random)), target)
    for number in range(len(orders(module))):
        less = module.clone()
        for op in orders(less)[number]:
            op.detach()
            op.erase()
        assert findings(less, get_target(target))[0] > 0, f"number {number} is not needed:\n{module}"


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=40)
def test_no_way_through_a_program_has_a_race(target: str, random: Random) -> None:
    """Ways are followed one by one here, every loop as often as it turns, and each pipe's clock is kept."""
    module = prepare(ptoas.parse(program(random, forms=ALL_FORMS)), target)
    assert findings(module, get_target(target)) == (0, [])
    (function,) = functions(module)
    for _ in range(6):
        assert way.races(way.choose(function.body.block, random), get_target(target)) == []


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=40)
def test_verifier_finds_a_race_on_any_path(target: str, random: Random) -> None:
    module = prepare(ptoas.parse(program(random, forms=ALL_FORMS)), target, skip=("insert-fences",))
    known = orders(module)
    if not known:
        return
    for op in random.choice(known):
        op.detach()
        op.erase()
    (function,) = functions(module)
    if any(way.races(way.choose(function.body.block, random), get_target(target)) for _ in range(6)):
        assert findings(module, get_target(target))[0] > 0, str(module)


@given(random=RANDOM)
@settings(max_examples=10)
def test_the_cpu_has_no_pipes(random: Random) -> None:
    assert flags(prepare(ptoas.parse(program(random)), "cpu")) == []


LOOKUP = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.memref<1x8xi32>
.arg %out : !pto.memref<8x8xf32>
%i = tload %idx : (!pto.memref<1x8xi32>) -> !pto.tile<1x8xi32>
%d = mgather.row.clamp %table, %i : (!pto.memref<64x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""


def test_lookup_has_the_flags_of_the_document() -> None:
    """Document 000: MTE2 to V before; on A5 V to MTE3 after, which on A2/A3 the instruction does itself."""
    before = ["set MTE2>V 0", "wait MTE2>V 0"]
    assert flags(prepare(ptoas.parse(LOOKUP), "a2a3")) == before
    assert flags(prepare(ptoas.parse(LOOKUP), "a5")) == [*before, "set V>MTE3 0", "wait V>MTE3 0"]


def loop(body: str) -> str:
    return f"""
func.func @f(%a: !pto.memref<16x16xf32>, %b: !pto.memref<16x16xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  {body}
  return
}}
"""


LOAD = "pto.tload ins(%a : !pto.memref<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)"
ADD = (
    "pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>) "
    "outs(%u : !pto.tile_buf<vec, 16x16xf32>)"
)
STORE = "pto.tstore ins(%u : !pto.tile_buf<vec, 16x16xf32>) outs(%b : !pto.memref<16x16xf32>)"


def test_the_next_iteration_waits_for_the_one_before() -> None:
    module = prepare(
        ptoas.parse(loop(f"scf.for %k = %c0 to %n step %c1 {{\n{LOAD}\n{ADD}\n{STORE}\n}}")), "a5"
    )
    # The tile is loaded again only after it was added, and added into again only after it was stored.
    assert flags(module) == [
        "set V>MTE2 0",
        "set MTE3>V 0",
        "wait V>MTE2 0",
        "set MTE2>V 0",
        "wait MTE2>V 0",
        "wait MTE3>V 0",
        "set V>MTE3 0",
        "wait V>MTE3 0",
    ]


def test_access_before_a_loop_is_awaited_once() -> None:
    module = prepare(ptoas.parse(loop(f"{LOAD}\nscf.for %k = %c0 to %n step %c1 {{\n{ADD}\n}}")), "a5")
    (function,) = functions(module)
    outside = [op for op in function.body.block.ops if isinstance(op, SetFlagOp | WaitFlagOp)]
    assert len(outside) == len(flags(module)) == 2


def test_more_flags_than_ids_are_still_enough() -> None:
    count = 12
    lines = [f"%t{n} = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>" for n in range(count)]
    lines += [
        f"pto.tload ins(%a : !pto.memref<8x8xf32>) outs(%t{n} : !pto.tile_buf<vec, 8x8xf32>)"
        for n in range(count)
    ]
    tile = "!pto.tile_buf<vec, 8x8xf32>"
    lines += [f"pto.tadd ins(%t{n}, %t{n} : {tile}, {tile}) outs(%t{n} : {tile})" for n in range(count)]
    module = prepare(
        ptoas.parse(f"func.func @f(%a: !pto.memref<8x8xf32>) {{\n{chr(10).join(lines)}\nreturn\n}}"), "a5"
    )
    assert findings(module, get_target("a5")) == (0, [])
    # Ids in turn while there are any; the other flags are raised right before they are awaited.
    assert flags(module) == [
        *(f"set MTE2>V {n}" for n in range(8)),
        *(f"wait MTE2>V {n}" for n in range(8)),
        *["set MTE2>V 0", "wait MTE2>V 0"] * 4,
    ]
    reasons = [reason_of(op) or "" for op in module.walk() if isinstance(op, WaitFlagOp)]
    assert [reason.endswith("; set as late as this because no event is left") for reason in reasons] == [
        *[False] * 8,
        *[True] * 4,
    ]


def test_barrier_is_inserted_if_the_program_uses_all_event_ids() -> None:
    tile, memory = "!pto.tile_buf<vec, 8x8xf32>", "!pto.memref<8x8xf32>"
    tiles = "\n".join(f"%t{n} = pto.alloc_tile : {tile}" for n in range(9))
    records = "\n".join(f"%e{n} = pto.tload ins(%a : {memory}) outs(%t{n} : {tile}) record" for n in range(8))
    waits = ", ".join(f"%e{n}" for n in range(8))
    text = f"""func.func @f(%a: {memory}) {{
      {tiles}
      {records}
      pto.tload ins(%a : {memory}) outs(%t8 : {tile})
      pto.tadd ins(%t8, %t8 : {tile}, {tile}) outs(%t8 : {tile})
      pto.tadd ins(%t0, %t1 : {tile}, {tile}) outs(%t2 : {tile}) wait({waits})
      return
    }}"""
    module = prepare(ptoas.parse(text), "a5")
    barriers = [op for op in module.walk() if isinstance(op, BarrierOp)]
    assert [op.drained.value for op in barriers] == ["PIPE_ALL"]
    assert (reason_of(barriers[0]) or "").endswith("; no event is left, so all pipes wait")


HAND_MADE = LOOKUP.replace(
    "tstore",
    'set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID3"]\nwait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID3"]\ntstore',
)


def test_manual_flags_are_kept_by_default() -> None:
    kept = ["set V>MTE3 3", "wait V>MTE3 3"]
    assert flags(prepare(ptoas.parse(HAND_MADE), "a5")) == kept
    assert flags(prepare(ptoas.parse(HAND_MADE), "a5", sync="auto")) == [
        "set MTE2>V 0",
        "wait MTE2>V 0",
        "set V>MTE3 0",
        "wait V>MTE3 0",
    ]
    assert flags(prepare(ptoas.parse(LOOKUP), "a5", sync="manual")) == []


def test_a_call_starts_and_ends_with_all_pipes_at_rest() -> None:
    text = """
func.func private @inner(%t: !pto.tile_buf<vec, 8x8xf32>, %m: !pto.memref<8x8xf32>) {
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%m : !pto.memref<8x8xf32>)
  return
}
func.func @outer(%a: !pto.memref<8x8xf32>) {
  %x = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%a : !pto.memref<8x8xf32>) outs(%x : !pto.tile_buf<vec, 8x8xf32>)
  func.call @inner(%x, %a) : (!pto.tile_buf<vec, 8x8xf32>, !pto.memref<8x8xf32>) -> ()
  pto.tstore ins(%x : !pto.tile_buf<vec, 8x8xf32>) outs(%a : !pto.memref<8x8xf32>)
  return
}
"""
    assert flags(prepare(ptoas.parse(text), "a5")) == []
    outer = functions(prepare(ptoas.parse(text), "a5"))[1]
    names = [op.name for op in outer.body.block.ops if op.name.startswith(("pto.barrier", "func.call"))]
    assert names == ["pto.barrier", "func.call", "pto.barrier"]
    # Where there are no pipes, nothing has to come to rest.
    outer = functions(prepare(ptoas.parse(text), "cpu"))[1]
    assert not [op for op in outer.body.block.ops if op.name == "pto.barrier"]


def nested(depth: int) -> str:
    loops = "".join(f"scf.for %i{k} = %c0 to %c1 step %c1 {{\n" for k in range(depth))
    return f"""func.func @f(%a: !pto.memref<8x8xf32>, %b: !pto.memref<8x8xf32>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      {loops}
      %t = pto.tload %a : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
      %u = pto.tneg %t : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>
      pto.tstore %u, %b : (!pto.tile<8x8xf32>, !pto.memref<8x8xf32>) -> ()
      {"}" * depth}
      return
    }}"""


def test_loops_inside_loops_do_not_multiply_the_work() -> None:
    """A loop is walked twice; if that held for loops inside too, sixty would take longer than we live."""
    module = prepare(ptoas.parse(nested(60)), "a5")
    assert flags(module) == flags(prepare(ptoas.parse(nested(1)), "a5"))
    assert findings(module, get_target("a5")) == (0, [])


def test_a_race_in_the_innermost_loop_is_found() -> None:
    module = prepare(ptoas.parse(nested(60)), "a5")
    for op in list(module.walk()):
        if isinstance(op, SetFlagOp | WaitFlagOp) and op.dst_pipe.data.value == "PIPE_MTE2":
            op.detach()
            op.erase()
    hazards, misuses = findings(module, get_target("a5"))
    assert (hazards, misuses) == (1, [])


@pytest.mark.parametrize(("pipe", "expected"), [("ALL", []), ("V", ["set MTE2>V 0", "wait MTE2>V 0"])])
def test_a_barrier_of_all_pipes_needs_no_flag(pipe: str, expected: list[str]) -> None:
    module = prepare(ptoas.parse(loop(f"{LOAD}\npto.barrier #pto.pipe<PIPE_{pipe}>\n{ADD}")), "a5")
    assert flags(module) == expected


PRINT = "pto.tprint ins(%t : !pto.tile_buf<vec, 16x16xf32>)"


def test_printing_awaits_everything_itself() -> None:
    assert flags(prepare(ptoas.parse(loop(f"{LOAD}\n{PRINT}\n{ADD}")), "a5")) == []


def test_regions_of_other_operations_are_walked_too() -> None:
    body = f'{LOAD}\n"scf.execute_region"() ({{\n{ADD}\n"scf.yield"() : () -> ()\n}}) : () -> ()\n{STORE}'
    module = ptoas.parse(loop(body), allow_unregistered=True)
    for function in functions(module):
        synchronise(function, walk(function)[1:], get_target("a5"))
    assert flags(module) == ["set MTE2>V 0", "wait MTE2>V 0", "set V>MTE3 0", "wait V>MTE3 0"]


def test_the_result_of_an_instruction_is_written() -> None:
    """Also before `ssa-to-dps` gives it a destination."""
    module = ptoas.parse(LOOKUP)
    for function in functions(module):
        synchronise(function, walk(function)[1:], get_target("a5"))
    assert flags(module) == ["set MTE2>V 0", "wait MTE2>V 0", "set V>MTE3 0", "wait V>MTE3 0"]


def fill(tile: str) -> str:
    return f"pto.texpands ins(%s : f32) outs(%{tile} : !pto.tile_buf<vec, 16x16xf32>)"


def load(tile: str) -> str:
    return LOAD.replace("%t", f"%{tile}")


PARALLEL = (
    '"scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({\n^bb0(%k: index):'
)
LOOPS = {
    # A loop, its end, and whether it certainly has a turn.
    "while": ("scf.while : () -> () {", "scf.condition(%go)\n} do {\nscf.yield\n}", True),
    "constant": ("scf.for %k = %c0 to %c1 step %c1 {", "}", True),
    "idle": ("scf.for %k = %c1 to %c1 step %c1 {", "}", False),
    "any end": ("scf.for %k = %c0 to %n step %c1 {", "}", False),
    "any start": ("scf.for %k = %n to %c1 step %c1 {", "}", False),
    "parallel": (PARALLEL, '"scf.reduce"() : () -> ()\n}) : (index, index, index) -> ()', False),
}


@pytest.mark.parametrize("kind", LOOPS)
def test_wait_in_a_loop_does_not_count_after_zero_iterations(kind: str) -> None:
    """V fills `u`; in the loop MTE2 awaits V for another tile's sake, and with it the filling."""
    start, end, turns = LOOPS[kind]
    values = "%go = arith.constant true\n%s = arith.constant 1.0 : f32"
    body = "\n".join([values, fill("u"), start, fill("t"), load("t"), end, load("u")])
    module = ptoas.parse(loop(body), allow_unregistered=True)
    (function,) = functions(module)
    synchronise(function, walk(function)[1:], get_target("a5"))
    outside = [op.name for op in function.body.block.ops if isinstance(op, SetFlagOp | WaitFlagOp)]
    assert len(outside) == (0 if turns else 2)


def test_an_id_that_an_instruction_uses_itself_is_down_around_it() -> None:
    """A collective goes from MTE2 to MTE3 and back by the ids 0 and 1."""
    tile, memory = "!pto.tile_buf<vec, 16x32xf32>", "!pto.memref<64x32xf32>"
    part = "!pto.memref<16x32xf32>"
    loads = "\n".join([f"pto.tload ins(%a : {part}) outs(%t : {tile})"] * 5)
    module = prepare(
        ptoas.parse(
            f"""func.func @f(%a: {part}, %b: {part}, %own: {memory}, %g: {memory}, %s: {tile}, %t: {tile}) {{
  {loads}
  pto.comm.tgather(%own, recv(%s), group(%g) : {memory}, {tile}, {memory}) {{root = 0 : i32}}
  pto.tstore ins(%t : {tile}) outs(%b : {part})
  return
}}"""
        ),
        "a5",
    )
    assert flags(module) == ["set MTE2>MTE3 2", "wait MTE2>MTE3 2"]
    assert findings(module, get_target("a5")) == (0, [])


def test_a_flag_is_left_out_only_for_flags_that_stay() -> None:
    """Behind the loop V knows of the load, and S of what V filled, but S knows nothing of the load."""
    whole, part, row = (f"!pto.tile_buf<vec, {rows}x16xi32>" for rows in (48, 16, 1))
    memory = "!pto.memref<16x16xi32>"
    module = prepare(
        ptoas.parse(
            f"""func.func @f(%m: {memory}, %out: !pto.memref<48x16xi32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %s = arith.constant 1 : i32
  %whole = pto.alloc_tile : {whole}
  %other = pto.alloc_tile : {part}
  %x = pto.alloc_tile : {row}
  %a = pto.subview %whole[%c0, %c0] sizes [16, 16] : {whole} -> {part}
  %b = pto.subview %whole[%c16, %c0] sizes [16, 16] : {whole} -> {part}
  %c = pto.subview %whole[%c32, %c0] sizes [1, 16] : {whole} -> {row}
  pto.tload ins(%m : {memory}) outs(%a : {part})
  pto.barrier #pto.pipe<PIPE_ALL>
  scf.for %k = %c0 to %n step %c1 {{
    pto.texpands ins(%s : i32) outs(%b : {part})
    pto.texpands ins(%s : i32) outs(%x : {row})
    pto.tci ins(%s : i32) outs(%x : {row})
    pto.tci ins(%s : i32) outs(%c : {row})
    pto.tload ins(%m : {memory}) outs(%a : {part})
    pto.tadds ins(%a, %s : {part}, i32) outs(%other : {part})
  }}
  pto.tstore ins(%whole : {whole}) outs(%out : !pto.memref<48x16xi32>)
  return
}}"""
        ),
        "a5",
    )
    assert findings(module, get_target("a5")) == (0, [])
    (function,) = functions(module)
    outside = [op for op in function.body.block.ops if isinstance(op, SetFlagOp)]
    assert len(outside) == 2


def test_the_scalar_pipe_has_awaited_what_came_through_v() -> None:
    """A2/A3: the index comes to V by a flag and to S by the gather itself; S may write it then."""
    sequence = "%c7 = arith.constant 7 : i32\ntci ins(%c7 : i32) outs(%i : !pto.tile<1x8xi32>)"
    text = LOOKUP.replace("tstore %d, %out", f"{sequence}\ntstore %d, %out")
    assert flags(prepare(ptoas.parse(text), "a2a3")) == ["set MTE2>V 0", "wait MTE2>V 0"]


def use(tile: str) -> str:
    return f"pto.tadds ins(%{tile}, %s : {TILE}, f32) outs(%{tile} : {TILE})"


TILE = "!pto.tile_buf<vec, 16x16xf32>"


@pytest.mark.parametrize("order", ["tu", "ut"])
def test_one_wait_in_front_of_a_loop_is_enough(order: str) -> None:
    """The flag is for the later of two loads, whichever the loop needs first."""
    uses = "\n".join(use(tile) for tile in order)
    loads = f"%s = arith.constant 1.0 : f32\n{load('t')}\n{load('u')}"
    body = f"{loads}\nscf.for %k = %c0 to %n step %c1 {{\n{uses}\n}}"
    module = prepare(ptoas.parse(loop(body)), "a5")
    assert flags(module) == ["set MTE2>V 0", "wait MTE2>V 0"]
    ((raised, awaited),) = pairs(module)
    assert raised.prev_op is not None and raised.prev_op.name == "pto.tload"
    assert raised.next_op is awaited and isinstance(awaited.next_op, scf.ForOp)


def test_each_pipe_of_a_collective_waits_for_itself() -> None:
    """MTE3 reads and MTE2 overwrites the part of the staging tile that the scalar pipe wrote."""
    tile, memory = "!pto.tile_buf<vec, 1x32xi32>", "!pto.memref<64x32xi32>"
    module = prepare(
        ptoas.parse(
            f"""func.func @f(%own: {memory}, %g: {memory}, %s: {tile}) {{
  %c7 = arith.constant 7 : i32
  pto.tci ins(%c7 : i32) outs(%s : {tile})
  pto.comm.tgather(%own, recv(%s), group(%g) : {memory}, {tile}, {memory}) {{root = 0 : i32}}
  return
}}"""
        ),
        "a5",
    )
    assert sorted(flags(module)) == ["set S>MTE2 0", "set S>MTE3 0", "wait S>MTE2 0", "wait S>MTE3 0"]


@pytest.mark.parametrize("again", [False, True])
def test_a_window_waits_for_its_tile(again: bool) -> None:
    half = "!pto.tile_buf<vec, 8x16xf32>"
    fills = f"pto.texpands ins(%s : f32) outs(%half : {half})"
    body = f"""%s = arith.constant 1.0 : f32
  %half = pto.subview %t[%c0, %c0] sizes [8, 16] : {TILE} -> {half}
  {fills if again else ""}
  pto.barrier #pto.pipe<PIPE_ALL>
  {LOAD}
  {fills}"""
    assert flags(prepare(ptoas.parse(loop(body)), "a5")) == ["set MTE2>V 0", "wait MTE2>V 0"]


def test_ids_run_out_inside_a_loop_that_another_flag_spans() -> None:
    """The one that is awaited last is raised later: behind the loop."""
    tiles = "\n".join(f"%t{n} = pto.alloc_tile : {TILE}" for n in range(8))
    turn = "\n".join([load(f"t{n}") for n in range(8)] + [use(f"t{n}") for n in range(8)])
    body = f"""%s = arith.constant 1.0 : f32
  {tiles}
  {load("t")}
  scf.for %k = %c0 to %n step %c1 {{
  {turn}
  }}
  {use("t")}"""
    module = prepare(ptoas.parse(loop(body)), "a5")
    assert findings(module, get_target("a5")) == (0, [])
    found = [flag for flag in flags(module) if "MTE2>V" in flag]
    assert sorted(found[:8]) == [f"set MTE2>V {n}" for n in range(8)]
    assert found[-2:] == ["set MTE2>V 0", "wait MTE2>V 0"]


def test_flags_that_are_found_late_but_raised_early() -> None:
    """The next turn's load of `u` is waited for from the start of the body, found when the rest is."""
    body = f"""%s = arith.constant 1.0 : f32
  %v = pto.alloc_tile : {TILE}
  scf.for %k = %c0 to %n step %c1 {{
  {fill("t")}
  {load("u")}
  {load("t")}
  {fill("v")}
  {load("v")}
  {use("u")}
  }}"""
    module = prepare(ptoas.parse(loop(body)), "a5")
    assert findings(module, get_target("a5")) == (0, [])
    assert [flag for flag in flags(module) if "V>MTE2" in flag] == [
        "set V>MTE2 0",
        "set V>MTE2 1",
        "wait V>MTE2 0",
        "wait V>MTE2 1",
        "set V>MTE2 0",
        "wait V>MTE2 0",
    ]


def test_flag_is_omitted_if_others_imply_it() -> None:
    """MTE3 awaits V, which has awaited MTE2."""
    half = "!pto.tile_buf<vec, 8x16xf32>"
    body = f"""%s = arith.constant 1.0 : f32
  %half = pto.subview %t[%c0, %c0] sizes [8, 16] : {TILE} -> {half}
  {LOAD}
  {ADD}
  pto.texpands ins(%s : f32) outs(%half : {half})
  {STORE.replace("%u", "%t")}"""
    assert flags(prepare(ptoas.parse(loop(body)), "a5")) == [
        "set MTE2>V 0",
        "wait MTE2>V 0",
        "set V>MTE3 0",
        "wait V>MTE3 0",
    ]


def test_flag_is_omitted_if_one_of_the_previous_iteration_implies_it() -> None:
    """V to MTE3 for the stores of the next turn: MTE2 has awaited V by then, and MTE3 awaits MTE2."""
    body = f"""%s = arith.constant 1.0 : f32
  scf.for %k = %c0 to %n step %c1 {{
    scf.for %m = %c0 to %c1 step %c1 {{
      {STORE}
      {load("t")}
      {load("t").replace("%a", "%b")}
    }}
    {fill("t")}
    {fill("u")}
  }}"""
    # A fence between the store and the loads of the next turn would order what the flags do.
    module = prepare(ptoas.parse(loop(body)), "a5", skip=("insert-fences",))
    assert findings(module, get_target("a5")) == (0, [])
    found = [flag.removeprefix("set ")[:-2] for flag in flags(module) if flag.startswith("set")]
    assert found == ["V>MTE2", "MTE2>MTE3", "MTE3>MTE2", "MTE2>V"]


def test_flag_before_a_loop_is_dropped_if_one_inside_subsumes_it() -> None:
    """V has filled %u before the loop; each turn awaits V for the sake of %t before it loads either."""
    tile = "!pto.tile_buf<vec, 16x16xf32>"
    body = f"""%s = arith.constant 1.0 : f32
  %v = pto.alloc_tile : {tile}
  {fill("u")}
  scf.for %k = %c0 to %n step %c1 {{
    scf.for %m = %c0 to %n step %c1 {{
      {load("u")}
      {load("t")}
    }}
    pto.tadds ins(%t, %s : {tile}, f32) outs(%v : {tile})
  }}"""
    module = prepare(ptoas.parse(loop(body)), "a5")
    assert findings(module, get_target("a5")) == (0, [])
    assert [flag[4:-2] for flag in flags(module) if flag.startswith("set")] == ["V>MTE2", "MTE2>V"]


def test_barrier_everywhere_puts_one_before_every_access() -> None:
    """Flags of its own go; what does not access anything needs no barrier."""
    prepared = prepare(ptoas.parse(HAND_MADE), "a5", sync="all")
    ops = [op for op in prepared.walk() if isinstance(op, PtoOp)]
    assert not any(isinstance(op, SetFlagOp | WaitFlagOp) for op in ops)
    target = get_target("a5")
    for before, op in pairwise(ops):
        assert isinstance(before, BarrierOp) == bool(target.effects(op).accesses)


COVERED_BY_A_LOOP = """
func.func @kernel(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2.0 : f32
  %va = pto.make_tensor_view %a, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %vb = pto.make_tensor_view %b, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %t0 = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %t1 = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  %t3 = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%vb : !pto.tensor_view<16x16xf32>) outs(%t3 : !pto.tile_buf<vec, 16x16xf32>)
  scf.for %k = %c0 to %c3 step %c1 {
    pto.tadds ins(%t0, %two : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%t0 : !pto.tile_buf<vec, 16x16xf32>)
    pto.tstore ins(%t0 : !pto.tile_buf<vec, 16x16xf32>) outs(%va : !pto.tensor_view<16x16xf32>)
    pto.tadds ins(%t0, %two : !pto.tile_buf<vec, 16x16xf32>, f32) outs(%t3 : !pto.tile_buf<vec, 16x16xf32>)
  }
  pto.tload ins(%va : !pto.tensor_view<16x16xf32>) outs(%t1 : !pto.tile_buf<vec, 16x16xf32>)
  pto.tstore ins(%t0 : !pto.tile_buf<vec, 16x16xf32>) outs(%vb : !pto.tensor_view<16x16xf32>)
  return
}
"""


def test_pair_that_a_loop_with_a_first_iteration_covers_is_not_inserted() -> None:
    """The load is ordered before the last store through the vector pipe of the loop."""
    text = ptoas.lower(ptoas.parse(COVERED_BY_A_LOOP), "a5")
    assert "set_flag(PIPE_MTE2, PIPE_V" in text and "set_flag(PIPE_V, PIPE_MTE3" in text
    assert "set_flag(PIPE_MTE2, PIPE_MTE3" not in text
