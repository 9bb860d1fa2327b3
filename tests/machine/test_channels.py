"""Errors between cores of a block, and between blocks: the code, both lines, a fix.

In the programs `// !` marks the line that a finding is about, `// ?` the other one that it names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.machine.sharing import Sharing
from ptoas.runner.options import Options, Result
from ptoas.runner.schedules import in_every_order

from .support import execute, failing

ACC = "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
VEC = "!pto.tile_buf<vec, 16x16xf32>"
HALF = "!pto.tile_buf<vec, 8x16xf32>"
MAT = "!pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>"
NZ = "!pto.tile_buf<vec, 16x16xf32, blayout=col_major, slayout=row_major>"
MEM = "!pto.memref<16x16xf32>"
TENSOR = "!pto.tensor_view<16x16xf32>"
CHANNEL = "dir_mask = 1, slot_size = 1024"
ARGUMENTS = f"%gm: !pto.ptr<f32>, %acc: {ACC}, %x: {NZ}, %out: {MEM}"

PUSH = f"pto.tpush_to_aiv(%acc : {ACC}) {{split = 0}}"
POP = f"pto.tpop_from_aic {{split = 0}} -> {VEC}"
FREE = "pto.tfree_from_aic {split = 0}"
BACK = f"pto.tpush_to_aic(%x : {NZ}) {{split = 0}}"
TAKE = f"pto.tpop_from_aiv {{split = 0}} -> {MAT}"
LET_GO = "pto.tfree_from_aiv {split = 0}"
STORE = f"pto.tstore ins(%t : {VEC}) outs(%out : {MEM})"


def pair(cube: str, vector: str, *, channel: str = CHANNEL, base: str = "auto = true"):
    """A cube and a vector function with a channel through the consumer's memory, both ways if asked for."""
    both = "dir_mask = 3" in channel
    rings = "c2v_consumer_buf = %there : i32" + (", v2c_consumer_buf = %back : i32" if both else "")
    room = '{name = "%s", size = 8192, location = #pto.address_space<%s>, ' + base + "} -> i32"
    back = f"%back = pto.reserve_buffer {room % ('back', 'mat')}" if both else ""
    imported = '%back = pto.import_reserved_buffer {name = "back", peer_func = @cube} -> i32' if both else ""
    return f"""
func.func @cube({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
  %there = pto.import_reserved_buffer {{name = "there", peer_func = @vector}} -> i32
  {back}
  pto.aic_initialize_pipe {{{channel}}} ({rings})
  {cube}
  return
}}
func.func @vector({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %there = pto.reserve_buffer {room % ("there", "vec")}
  {imported}
  pto.aiv_initialize_pipe {{{channel}}} ({rings})
  {vector}
  return
}}
"""


def views(cube: str, vector: str) -> str:
    """The same through views of slots in global memory."""
    slots = f"""%c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %slots = pto.make_tensor_view %gm, shape = [%c16, %c16], strides = [%c16, %c1] : {TENSOR}"""
    init = f"initialize_pipe {{dir_mask = 1, slot_size = 1024}} (gm_slot_tensor = %slots : {TENSOR})"
    return f"""
func.func @cube({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
  {slots}
  pto.aic_{init}
  {cube}
  return
}}
func.func @vector({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  {slots}
  pto.aiv_{init}
  {vector}
  return
}}
"""


def sections(cube: str, vector: str) -> str:
    """One function with a part for each kind of core."""
    return f"""
func.func @kernel({ARGUMENTS}) {{
  %zero = arith.constant 0 : i64
  pto.section.cube {{
  {cube}
  }}
  pto.section.vector {{
  {vector}
  }}
  return
}}
"""


def lines(*texts: str) -> str:
    return "\n  ".join(texts)


def found(code: str, text: str, arguments: dict[str, Any] | None = None, **options: Any) -> Diagnostic:
    """The finding: it stands on the marked line, names the other marked one, and says what to do."""
    finding = failing(code, text, arguments, options.pop("target", "a5"), **options)
    numbers = {
        mark: [n for n, line in enumerate(text.splitlines(), 1) if mark in line] for mark in ("// !", "// ?")
    }
    assert finding.span.line in numbers["// !"], f"{finding.span.line}: {finding.message}"
    others = {note.span.line for note in finding.notes if note.span is not None}
    assert set(numbers["// ?"]) <= others, f"{sorted(others)}: {finding.message}"
    assert finding.fix, finding.message
    return finding


GOOD = pair(PUSH, lines(f"%t = {POP}", STORE, FREE))


def test_channel_passes_a_tile() -> None:
    acc = np.arange(256, dtype=np.float32).reshape(16, 16)
    for target in ("cpu", "a5"):
        assert np.array_equal(execute(GOOD, {"acc": acc}, target).outputs["out"], acc)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("PTO-R902", pair(lines(PUSH, f"{PUSH} // !"), lines(f"%t = {POP}", FREE))),
        ("PTO-R903", pair(PUSH, lines(f"%t = {POP} // !", STORE))),
        (
            "PTO-R903",
            pair(
                lines(PUSH, f"{PUSH} // !"),
                f"%t = {POP} // ?",
                channel=f"{CHANNEL}, slot_num = 1",
            ),
        ),
        ("PTO-R904", pair(PUSH, lines(f"{FREE} // !", f"%t = {POP}", FREE))),
        ("PTO-R905", pair(PUSH, lines(f"%t = {POP} // ?", f"{FREE} // ?", f"{STORE} // !"))),
        (
            "PTO-R906",
            pair(f"{PUSH} // ?", lines(f"%t = pto.tpop_from_aic {{split = 1}} -> {HALF} // !", FREE)),
        ),
        ("PTO-R907", pair(f"{PUSH} // ?", lines(f"%t = {POP.replace('xf32', 'xi32')} // !", FREE))),
        ("PTO-R907", pair(f"{PUSH} // ?", lines(f"%t = {POP.replace('16x16', '8x32')} // !", FREE))),
        (
            "PTO-R908",
            pair(f"{PUSH} // !", lines(f"%t = {POP}", FREE), channel="dir_mask = 1, slot_size = 512"),
        ),
        ("PTO-R910", pair(PUSH.replace("{split", "{id = 3, split") + " // !", lines(f"%t = {POP}", FREE))),
        (
            "PTO-R911",
            pair(
                PUSH,
                lines(
                    "%lane = pto.get_subblock_idx",
                    'pto.print ins("%d", %lane : i64)',
                    f"%t = {POP} // !",
                    FREE,
                ),
            ),
        ),
        (
            "PTO-R919",
            pair(
                lines(
                    f"pto.aic_initialize_pipe {{{CHANNEL}}} (c2v_consumer_buf = %there : i32) // !",
                    PUSH,
                ),
                lines(f"%t = {POP}", FREE),
            ),
        ),
        (
            "PTO-R921",
            pair(
                lines(PUSH, PUSH, f"{PUSH} // !"),
                lines(f"%t = {POP} // ?", FREE),
                channel=f"{CHANNEL}, slot_num = 1",
            ),
        ),
        ("PTO-R922", pair(f"{PUSH} // ?", lines(f"%t = {POP}", FREE, f"%u = {POP} // !", FREE))),
        (
            "PTO-R925",
            views(f"pto.tpush_to_aiv(%slot : {TENSOR}) {{split = 0}} // !".replace("%slot", "%slots"), ""),
        ),
        (
            "PTO-R925",
            views(
                lines(
                    f"%a = pto.talloc_to_aiv {{split = 0}} -> {TENSOR}",
                    f"%b = pto.talloc_to_aiv {{split = 0}} -> {TENSOR} // !",
                ),
                "",
            ),
        ),
    ],
)
def test_a_channel_is_used_wrongly(code: str, text: str) -> None:
    found(code, text)


def test_cores_that_wait_for_each_other_are_drawn() -> None:
    text = pair(
        lines(f"%t = {TAKE} // !", PUSH, LET_GO),
        lines(f"%t = {POP} // ?", BACK, FREE),
        channel="dir_mask = 3, slot_size = 1024",
    )
    finding = found("PTO-R901", text)
    notes = [note.message for note in finding.notes]
    line = finding.span.line
    assert f"cube     | line {line} | waits for a tile from channel 0 (vector to cube) <- vector 0" in notes
    assert "vector 1 | has finished" in notes
    assert "cube -> vector 0 -> cube" in notes
    assert "channel 0 (cube to vector) [....] 4 slots, 0 pushed, 0 popped, 0 freed" in notes


SET, WAIT = "pto.set_intra_block <PIPE_FIX>, {}", "pto.wait_intra_block <PIPE_MTE2>, {}"
FIRST = """%lane = pto.get_subblock_idx
  %first = arith.cmpi eq, %lane, %zero : i64
  scf.if %first {{
    {}
  }}"""


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("PTO-R912", sections(lines(*[SET.format(3)] * 15, f"{SET.format(3)} // !"), "")),
        ("PTO-R920", sections(f"{SET.format(4)} // ?", FIRST.format(f"{WAIT.format(3)} // !"))),
        ("PTO-R920", sections("", FIRST.format(f"{WAIT.format(3)} // !"))),
        (
            "PTO-R915",
            sections(
                f"pto.tstore ins(%acc : {ACC}) outs(%out : {MEM}) // !",
                FIRST.format(
                    f"%t = pto.alloc_tile : {VEC}\n  pto.tload ins(%out : {MEM}) outs(%t : {VEC}) // ?"
                ),
            ),
        ),
    ],
)
def test_counters_are_used_wrongly(code: str, text: str) -> None:
    found(code, text)


def test_counter_never_awaited_is_reported() -> None:
    result = execute(sections(SET.format(3), ""))
    assert [warning.code for warning in result.warnings] == ["PTO-R913"]


BARRIER = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>"


def barriers(inside: str, after: str = "") -> str:
    return f"""
func.func @kernel() attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %zero = arith.constant 0 : i64
  %block = pto.get_block_idx
  %first = arith.cmpi eq, %block, %zero : i64
  {BARRIER} // ?
  scf.if %first {{
    {inside}
  }}
  {after}
  return
}}
"""


def test_blocks_that_disagree_on_the_number_of_barriers() -> None:
    text = barriers(f"{BARRIER} // !")
    finding = found("PTO-R914", text, blocks=3)
    assert "block 0" in finding.message and "block 1 came 1 times" in finding.message
    execute(barriers("", BARRIER), blocks=3)


RACE = sections(
    f"pto.tstore ins(%acc : {ACC}) outs(%out : {MEM})",
    FIRST.format(f"%t = pto.alloc_tile : {VEC}\n  pto.texpands ins(%one : f32) outs(%t : {VEC})\n  {STORE}"),
).replace("%zero =", "%one = arith.constant 1.0 : f32\n  %zero =")


def test_an_order_that_makes_a_difference_is_named() -> None:
    finding = failing("PTO-R918", RACE, {}, schedules=50, checks="mem,init")
    assert "--schedule 0 and --schedule" in finding.message
    # With the check of races one order is enough.
    failing("PTO-R915", RACE, {})


def test_finding_names_its_schedule() -> None:
    finding = failing(
        "PTO-R922", pair(PUSH, lines(f"%t = {POP}", FREE, f"%u = {POP}", FREE)), schedules=3, schedule=7
    )
    assert "in the order of --schedule 7" in [note.message for note in finding.notes]


def in_global_memory(text: str) -> str:
    return text.replace("(c2v", "(gm_slot_buffer = %gm : !pto.ptr<f32>, c2v")


def test_slots_of_global_memory_are_there() -> None:
    text = in_global_memory(pair(f"{PUSH} // !", lines(f"%t = {POP}", FREE)))
    finding = failing("PTO-R909", text, {"gm": np.zeros(100, np.float32)}, "a2a3")
    assert "slot 0" in finding.message and "bytes 0 to 1024" in finding.message
    assert "give it 8192 bytes" in (finding.fix or "")


def test_only_slots_that_are_reached_take_global_memory() -> None:
    turns = [lines(f"%t{n} = {POP}", FREE) for n in range(3)]
    two = {"gm": np.zeros(512, np.float32)}
    execute(in_global_memory(pair(lines(PUSH, PUSH), lines(*turns[:2]))), two, "a2a3")
    third = in_global_memory(pair(lines(PUSH, PUSH, f"{PUSH} // !"), lines(*turns)))
    assert "slot 2" in failing("PTO-R909", third, two, "a2a3").message


def test_credits_in_portions_stop_a_program_that_needs_every_slot() -> None:
    """With eight slots that are acknowledged in fours, the ninth push waits for four free slots."""
    turns = [lines(f"%t{n} = {POP}", FREE) for n in range(9)]
    text = pair(
        lines(*[PUSH] * 8, f"{PUSH} // !", SET.format(8)),
        lines(turns[0], f"{WAIT.format(8)} // ?", *turns[1:]),
    )
    execute(text)
    found("PTO-R901", text, sparse_credits=True)


def test_a_pair_takes_the_same_arguments() -> None:
    text = GOOD.replace("@vector(%gm: !pto.ptr<f32>", "@vector(%gm: !pto.ptr<i32>")
    finding = failing("PTO-H304", text)
    assert "arguments 0" in finding.message and "pto.entry" in (finding.fix or "")


def test_function_of_both_kinds_can_not_return_a_value() -> None:
    text = sections("", SET.format(3).replace("FIX", "MTE3")).replace(
        ") {\n  %zero", ") -> i64 {\n  %zero", 1
    )
    failing("PTO-H303", text.replace("  return\n}", "  return %zero : i64\n}"))


ALL = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<mix>"
ROWS = "!pto.memref<32x16xf32>"
PART = "!pto.partition_tensor_view<16x16xf32>"


def exchange(cube: str, vector: str) -> str:
    """The cube core of each block stores a tile, vector core 0 of the other block reads it."""
    return f"""
func.func @kernel(%acc: {ACC}, %mid: {ROWS}, %out: {ROWS}) {{
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %block = pto.get_block_idx
  %n = arith.index_cast %block : i64 to index
  %me = arith.muli %n, %c16 : index
  %other = arith.subi %c1, %n : index
  %you = arith.muli %other, %c16 : index
  pto.section.cube {{
    %to = pto.partition_view %mid, offsets = [%me, %c0], sizes = [%c16, %c16] : {ROWS} -> {PART}
    pto.tstore ins(%acc : {ACC}) outs(%to : {PART}) // !
    {cube}
  }}
  pto.section.vector {{
    {vector}
    %lane = pto.get_subblock_idx
    %first = arith.cmpi eq, %lane, %zero : i64
    scf.if %first {{
      %from = pto.partition_view %mid, offsets = [%you, %c0], sizes = [%c16, %c16] : {ROWS} -> {PART}
      %to = pto.partition_view %out, offsets = [%me, %c0], sizes = [%c16, %c16] : {ROWS} -> {PART}
      %t = pto.alloc_tile : {VEC}
      pto.tload ins(%from : {PART}) outs(%t : {VEC}) // ?
      pto.tstore ins(%t : {VEC}) outs(%to : {PART})
    }}
  }}
  return
}}
"""


@pytest.mark.parametrize("schedule", [None, 0, 1, 2])
def test_blocks_of_several_cores_wait_for_each_other(schedule: int | None) -> None:
    acc = np.arange(256, dtype=np.float32).reshape(16, 16)
    result = execute(exchange(ALL, ALL), {"acc": acc}, blocks=2, schedule=schedule)
    assert np.array_equal(result.outputs["out"], np.vstack([acc, acc]))
    # Without the barrier nothing orders the cores of different blocks.
    finding = found("PTO-R306", exchange("", ""), blocks=2, schedule=schedule)
    assert "cube" in finding.message
    # Cube cores that never come are waited for.
    assert (
        "block 0 cube came 0 times"
        in failing("PTO-R914", exchange("", ALL), blocks=2, schedule=schedule).message
    )


SIGNAL = "!pto.memref<1xi32>"


def signalled(fence: str) -> str:
    """The cube core stores and notifies, vector core 0 waits for that and reads."""
    load = f"%t = pto.alloc_tile : {VEC}\n    pto.tload ins(%out : {MEM}) outs(%t : {VEC}) // ?"
    wait = f"pto.comm.twait(%sig, %one : {SIGNAL}, i32) {{cmp = #pto<wait_cmp ge>}}"
    text = sections(
        f"pto.tstore ins(%acc : {ACC}) outs(%out : {MEM}) // !\n  {fence}\n"
        f"  pto.comm.tnotify(%sig, %one : {SIGNAL}, i32) {{notifyOp = #pto<notify_op set>}} // ?",
        FIRST.format(f"{wait}\n    {load}"),
    )
    return text.replace("(%gm", f"(%sig: {SIGNAL}, %gm").replace(
        "%zero =", "%one = arith.constant 1 : i32\n  %zero ="
    )


def test_a_fence_comes_before_a_signal() -> None:
    sig = {"sig": np.zeros(1, np.int32)}
    finding = found("PTO-R915", signalled(""), sig)
    assert "fence.barrier_all" in (finding.fix or "")
    sig = {"sig": np.zeros(1, np.int32)}
    execute(signalled("pto.fence.barrier_all #pto.fence_scope<gm>"), sig)


def test_orders_agree_on_numbers_and_not_on_the_bits_of_a_nan() -> None:
    def result(bits: int) -> Result:
        raw = np.array([[1, bits]], np.uint32)
        return Result("a5", "kernel", {"out": raw.view(np.float32)}, {}, bits={"out": raw})

    options, place = Options(schedules=2), ptoas.parse("func.func @kernel() {\n  return\n}")
    results = {0: result(0x7FC00000), 1: result(0xFFC00001)}
    assert in_every_order(options, place, results.__getitem__) is results[0]
    results[1] = result(0x3F800000)
    with pytest.raises(PtoasError, match=r"PTO-R918.*1 of 2 elements"):
        in_every_order(options, place, results.__getitem__)


def in_memory(text: str) -> str:
    return text.replace("(c2v", "(gm_slot_buffer = %gm : !pto.ptr<f32>, c2v")


def test_both_vector_cores_of_a2a3_do_the_same_with_whole_tiles() -> None:
    """They write the same bytes in the same order: which one is ahead makes no difference."""
    turns = [lines(f"%t{n} = {POP}", STORE.replace("%t", f"%t{n}"), FREE) for n in range(3)]
    acc = np.arange(256, dtype=np.float32).reshape(16, 16)
    text = in_memory(pair(lines(*[PUSH] * 3), lines(*turns)))
    for schedule in (None, 0, 1, 2):
        assert np.array_equal(execute(text, {"acc": acc}, "a2a3", schedule=schedule).outputs["out"], acc)
    # What one of them reads there may be what the other has written since.
    again = lines(turns[0], f"%r = pto.alloc_tile : {VEC}", f"pto.tload ins(%out : {MEM}) outs(%r : {VEC})")
    with pytest.raises(PtoasError) as caught:
        execute(in_memory(pair(lines(*[PUSH] * 2), lines(again, turns[1]))), {}, "a2a3")
    assert {finding.code for finding in caught.value.diagnostics} == {"PTO-R915"}


def test_a_pop_reads_a_ring_in_global_memory_and_a_push_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[tuple[str, bool]] = set()
    note_bytes = Sharing.note_bytes

    def watched(self: Sharing, op: Any, *rest: Any) -> None:
        seen.add((op.mnemonic(), rest[4]))
        note_bytes(self, op, *rest)

    monkeypatch.setattr(Sharing, "note_bytes", watched)
    execute(in_memory(GOOD), {}, "a2a3")
    assert seen == {("tpush_to_aiv", True), ("tpop_from_aic", False)}


def test_both_vector_cores_of_a2a3_push_one_tile() -> None:
    """A vector core that adds its number to the tile that both of them push."""
    lane = (
        "%l = pto.get_subblock_idx\n  %i = arith.trunci %l : i64 to i32\n  %f = arith.sitofp %i : i32 to f32"
    )
    text = in_memory(
        pair(
            lines(PUSH, f"%b = {TAKE}", LET_GO),
            lines(
                f"%t = {POP}",
                f"%y = pto.alloc_tile : {VEC}",
                lane,
                f"pto.tadds ins(%t, %f : {VEC}, f32) outs(%y : {VEC})",
                FREE,
                f"pto.tpush_to_aic(%y : {VEC}) {{split = 0}} // ! ?",
            ),
            channel="dir_mask = 3, slot_size = 1024",
        )
    ).replace("// ! ?", "// ! // ?")
    found("PTO-R930", text, target="a2a3")
    execute(text.replace("%f = arith.sitofp %i : i32 to f32", "%f = arith.constant 1.0 : f32"), {}, "a2a3")


def test_the_slots_of_each_block_fit_into_a_generated_buffer() -> None:
    text = (Path(__file__).parents[2] / "examples/cube_to_vector.pto").read_text()
    text = text.replace('"a5"', '"a2a3"').replace("%tiles: index)", "%tiles: index, %gm: !pto.ptr<f32>)")
    own = """    %block64 = pto.get_block_idx
    %blockn = arith.index_cast %block64 : i64 to index
    %ringsize = arith.constant 2048 : index
    %start = arith.muli %blockn, %ringsize : index
    %slots = pto.addptr %gm, %start : !pto.ptr<f32> -> !pto.ptr<f32>
"""
    text = re.sub(
        r"    (pto.ai._initialize_pipe .*) \((.*)\)",
        own + r"    \1 (gm_slot_buffer = %slots : !pto.ptr<f32>, \2)",
        text,
    )
    kernel = ptoas.compile(ptoas.parse(text), "a2a3", blocks=4, force=True)
    (ring,) = [parameter for parameter in kernel.parameters if parameter.name == "gm"]
    assert ring.elements is not None and ring.elements == 4 * 2048
