# ruff: noqa: E501 - programs are text
"""Pipes in no order, flags that hang, flags that stay up."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.support import execute, failing

GATHER = """
func.func @main(%table: !pto.memref<8x8xf32>, %idx: !pto.memref<1x8xi32>, %out: !pto.memref<8x8xf32>) {
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%idx : !pto.memref<1x8xi32>) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
BEFORE
  pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce row>}
AFTER
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
END
  return
}
"""


def flag(op: str, source: str, target: str, event: int = 0) -> str:
    return f"  pto.{op}[#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{target}>, #pto.event<EVENT_ID{event}>]"


def pair(source: str, target: str, event: int = 0) -> str:
    return flag("set_flag", source, target, event) + "\n" + flag("wait_flag", source, target, event)


def gather(before: str = "", after: str = "", end: str = "") -> str:
    return GATHER.replace("BEFORE", before).replace("AFTER", after).replace("END", end)


def test_a5_needs_both_flags() -> None:
    """Document 000: MTE2 to V before, V to MTE3 after."""
    execute(gather(pair("MTE2", "V"), pair("V", "MTE3")), sync="manual")
    found = failing("PTO-R301", gather("", pair("V", "MTE3")), sync="manual")
    assert "mgather reads %i on PIPE_V" in found.message and "tload at line 5" in found.message
    assert found.notes[0].span is not None and found.notes[0].span.line == 5
    assert found.fix is not None and "from PIPE_MTE2 to PIPE_V" in found.fix
    found = failing("PTO-R301", gather(pair("MTE2", "V"), ""), sync="manual")
    assert "tstore reads %d on PIPE_MTE3" in found.message and "wrote it on PIPE_V" in found.message


@pytest.mark.parametrize("before", [pair("MTE2", "V"), pair("MTE2", "S")])
def test_a2a3_hands_the_result_on_itself(before: str) -> None:
    """The index comes through V (the documented way) or straight to S; afterwards no flag is needed."""
    execute(gather(before), target="a2a3", sync="manual")


def test_a2a3_does_not_wait_for_mte2_by_itself() -> None:
    assert "PIPE_S" in failing("PTO-R301", gather(), target="a2a3", sync="manual").message


def test_the_simulator_has_no_pipes() -> None:
    execute(gather().replace("coalesce row", "coalesce row"), target="cpu", sync="manual")


def test_the_compilers_own_flags_hold() -> None:
    for target in ("a2a3", "a5"):
        execute(gather(), target=target)


def test_barriers() -> None:
    everything = "  pto.barrier #pto.pipe<PIPE_ALL>"
    execute(gather(everything, everything), sync="manual")
    failing("PTO-R301", gather("  pto.barrier #pto.pipe<PIPE_V>", everything), sync="manual")


def test_order_is_carried_on() -> None:
    """MTE2 to S, S to V: V has seen what MTE2 did."""
    execute(gather(pair("MTE2", "S") + "\n" + pair("S", "V"), pair("V", "MTE3")), sync="manual")


def test_a_flag_of_another_number_orders_nothing() -> None:
    crossed = flag("set_flag", "MTE2", "V", 0) + "\n" + flag("wait_flag", "MTE2", "V", 1)
    found = failing("PTO-R302", gather(crossed, pair("V", "MTE3")), sync="manual")
    assert "EVENT_ID1" in found.message and "EVENT_ID0" in found.notes[0].message


def test_a_flag_raised_before_orders_only_what_was_before() -> None:
    early = gather(pair("MTE2", "V"), pair("V", "MTE3"))
    moved = early.replace("  pto.tload", flag("set_flag", "MTE2", "V", 3) + "\n  pto.tload", 1)
    moved = moved.replace(pair("MTE2", "V"), flag("wait_flag", "MTE2", "V", 3))
    failing("PTO-R301", moved, sync="manual")


def test_a_flag_raised_twice() -> None:
    twice = (
        flag("set_flag", "MTE2", "V", 1)
        + "\n"
        + flag("set_flag", "MTE2", "V", 1)
        + "\n"
        + flag("wait_flag", "MTE2", "V", 1)
    )
    failing("PTO-R303", gather(twice, pair("V", "MTE3")), sync="manual")


def test_a_flag_that_stays_up_is_a_warning() -> None:
    text = gather(pair("MTE2", "V"), pair("V", "MTE3"), flag("set_flag", "MTE3", "V", 2))
    (warning,) = execute(text, sync="manual").warnings
    assert warning.code == "PTO-R305" and "EVENT_ID2" in warning.message
    assert not execute(gather(pair("MTE2", "V"), pair("V", "MTE3")), sync="manual").warnings


def test_a_flag_that_the_instruction_uses_itself() -> None:
    up = flag("set_flag", "V", "S", 0)
    found = failing("PTO-R304", gather(pair("MTE2", "V") + "\n" + up), target="a2a3", sync="manual")
    assert "[PIPE_V, PIPE_S, EVENT_ID0]" in found.message
    other = flag("set_flag", "V", "S", 1)
    execute(
        gather(pair("MTE2", "V") + "\n" + other, "", flag("wait_flag", "V", "S", 1)),
        target="a2a3",
        sync="manual",
    )


LOOP = """
func.func @main(%m: !pto.memref<4x8xf32>, %out: !pto.memref<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
FIRST
  scf.for %i = %c0 to %c4 step %c1 {
    %a = pto.partition_view %m, offsets = [%i, %c0], sizes = [%c1, %c8] : !pto.memref<4x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    %b = pto.partition_view %out, offsets = [%i, %c0], sizes = [%c1, %c8] : !pto.memref<4x8xf32> -> !pto.partition_tensor_view<1x8xf32>
WAIT
    pto.tload ins(%a : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
PAIR
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%b : !pto.partition_tensor_view<1x8xf32>)
SET
  }
LAST
  return
}
"""


def loop(back: bool) -> str:
    parts = {
        "FIRST": flag("set_flag", "MTE3", "MTE2", 1) if back else "",
        "WAIT": flag("wait_flag", "MTE3", "MTE2", 1) if back else "",
        "PAIR": pair("MTE2", "MTE3"),
        "SET": flag("set_flag", "MTE3", "MTE2", 1) if back else "",
        "LAST": flag("wait_flag", "MTE3", "MTE2", 1) if back else "",
    }
    text = LOOP
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def test_a_loop_must_not_overwrite_what_is_still_read() -> None:
    found = failing("PTO-R301", loop(back=False), sync="manual")
    assert "tload writes %t on PIPE_MTE2" in found.message and "read it on PIPE_MTE3" in found.message
    result = execute(loop(back=True), sync="manual")
    assert not result.warnings and (result.outputs["out"] == result.arguments["m"]).all()
    execute(loop(back=False), sync="manual", checks="mem,init")


def test_bytes_that_do_not_meet_need_no_order() -> None:
    """The two tiles interleave in memory: bounds overlap, bytes do not."""
    text = """
func.func @main(%m: !pto.memref<2x8xf32>, %s: f32) {
  %z = arith.constant 0 : i64
  %b = arith.constant ADDRESS : i64
  %t = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x16xf32, valid=2x8>
  %u = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 2x16xf32, valid=2x8>
  pto.tload ins(%m : !pto.memref<2x8xf32>) outs(%t : !pto.tile_buf<vec, 2x16xf32, valid=2x8>)
  pto.texpands ins(%s : f32) outs(%u : !pto.tile_buf<vec, 2x16xf32, valid=2x8>)
  return
}
"""
    execute(text.replace("ADDRESS", "32"), sync="manual")
    found = failing("PTO-R301", text.replace("ADDRESS", "28"), sync="manual")
    assert "(as %t)" in found.message


def test_global_memory_counts_too() -> None:
    text = """
func.func @main(%m: !pto.memref<1x8xf32>, %n: !pto.memref<1x8xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
BETWEEN
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%n : !pto.memref<1x8xf32>)
BACK
  pto.tload ins(%n : !pto.memref<1x8xf32>) outs(%u : !pto.tile_buf<vec, 1x8xf32>)
  return
}
""".replace("BETWEEN", pair("MTE2", "MTE3"))
    assert "%n" in failing("PTO-R301", text.replace("BACK", ""), sync="manual").message
    failing("PTO-R314", text.replace("BACK", pair("MTE3", "MTE2")), sync="manual")
    execute(text.replace("BACK", pair("MTE3", "MTE2")), sync="manual", checks="mem,init,race,budget")
    execute(text.replace("BACK", "  pto.fence.barrier_all #pto.fence_scope<gm>"), sync="manual")


LONG = """
func.func @main(%m: !pto.memref<64x8xf32>, %late: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %u = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %one = arith.constant 1.0 : f32
  pto.texpands ins(%one : f32) outs(%u : !pto.tile_buf<vec, 1x8xf32>)
  SET_V
  scf.for %k = %c0 to %c64 step %c1 {
    %p = pto.partition_view %m, offsets = [%k, %c0], sizes = [%c1, %c8] : !pto.memref<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    pto.tload ins(%p : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  }
  ORDER
  %q = pto.partition_view %m, offsets = [%late, %c0], sizes = [%c1, %c8] : !pto.memref<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>
  pto.tstore ins(%u : !pto.tile_buf<vec, 1x8xf32>) outs(%q : !pto.partition_tensor_view<1x8xf32>)
  return
}
""".replace("SET_V", pair("V", "MTE3").strip())


def test_only_so_many_accesses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop over many rows: the latest of them are still known, and none is reported that is in order."""
    monkeypatch.setattr("ptoas.machine.pipe_log.MOST_RECORDS", 8)
    found = failing("PTO-R301", LONG.replace("ORDER", ""), {"late": 63}, sync="manual")
    assert "tstore writes %m on PIPE_MTE3" in found.message and "read it on PIPE_MTE2" in found.message
    execute(LONG.replace("ORDER", pair("MTE2", "MTE3").strip()), {"late": 63}, sync="manual")


def test_records_that_every_pipe_has_acquired_are_dropped_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """With flags in every turn nothing is left open, and nothing is reported."""
    monkeypatch.setattr("ptoas.machine.pipe_log.MOST_RECORDS", 8)
    turn = pair("MTE2", "MTE3").strip() + "\n  " + pair("MTE3", "V").strip()
    ordered = LONG.replace(
        "outs(%t : !pto.tile_buf<vec, 1x8xf32>)\n", f"outs(%t : !pto.tile_buf<vec, 1x8xf32>)\n  {turn}\n"
    )
    execute(ordered.replace("ORDER", ""), {"late": 0}, sync="manual")


def test_an_empty_region_touches_nothing() -> None:
    text = """
func.func @main(%m: !pto.ptr<f32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %m, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x8xf32, valid=?x8>
  pto.tload ins(%v : !pto.tensor_view<?x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>) outs(%v : !pto.tensor_view<?x8xf32>)
  return
}
"""
    execute(text, {"m": np.zeros(64, np.float32), "n": 0}, sync="manual")
    failing("PTO-R301", text, {"m": np.zeros(64, np.float32), "n": 1}, sync="manual")


CHAIN = """
func.func @main(%x: !pto.memref<ROWSx32xf32>, %y: !pto.memref<ROWSx32xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, ROWSx32xf32>
  %b = pto.alloc_tile : !pto.tile_buf<vec, ROWSx32xf32>
  pto.tload ins(%x : !pto.memref<ROWSx32xf32>) outs(%a : !pto.tile_buf<vec, ROWSx32xf32>)
  pto.tload ins(%x : !pto.memref<ROWSx32xf32>) outs(%a : !pto.tile_buf<vec, ROWSx32xf32>)
FLAGS
  pto.tneg ins(%a : !pto.tile_buf<vec, ROWSx32xf32>) outs(%b : !pto.tile_buf<vec, ROWSx32xf32>)
BETWEEN
  pto.tneg ins(%b : !pto.tile_buf<vec, ROWSx32xf32>) outs(%b : !pto.tile_buf<vec, ROWSx32xf32>)
AFTER
  pto.tstore ins(%b : !pto.tile_buf<vec, ROWSx32xf32>) outs(%y : !pto.memref<ROWSx32xf32>)
  return
}
"""


def chain(between: str = "", rows: int = 16) -> str:
    text = CHAIN.replace("FLAGS", pair("MTE2", "V")).replace("AFTER", pair("V", "MTE3"))
    return text.replace("BETWEEN", between).replace("ROWS", str(rows))


def test_a_pipe_that_begins_too_early_is_found() -> None:
    """D26: on a2a3 the second needs a barrier; two loads of one tile, and PIPE_V on a5, do not."""
    found = failing("PTO-R124", chain(), target="a2a3")
    assert "tneg reads %b on PIPE_V, and nothing orders that after tneg at line 9" in found.message
    assert found.span is not None and found.span.line == 11
    assert found.notes[0].span is not None and found.notes[0].span.line == 9
    assert found.fix == "put pto.barrier #pto.pipe<PIPE_V> before line 11"
    execute(chain("  pto.barrier #pto.pipe<PIPE_V>"), target="a2a3")
    execute(chain(pair("V", "S") + "\n" + pair("S", "V")), target="a2a3")
    execute(chain(), target="a5")
    execute(chain(), target="a2a3", checks="mem,init")
    failing("PTO-R124", chain(), target="a2a3", checks="race")


@pytest.mark.parametrize(("rows", "legal"), [(31, False), (32, True)])
def test_sixteen_repeats_may_be_followed_closely(rows: int, legal: bool) -> None:
    if legal:
        execute(chain(rows=rows), target="a2a3")
    else:
        failing("PTO-R124", chain(rows=rows), target="a2a3")


def test_partial_overlap_fix_suggests_other_addresses() -> None:
    """A barrier or a flag would only hide that one overwrites the other."""
    fill = "pto.texpands ins(%s : f32) outs(%b : !pto.tile_buf<vec, 16x32xf32>)"
    load = "pto.tload ins(%x : !pto.memref<16x32xf32>) outs(%b : !pto.tile_buf<vec, 16x32xf32>)"
    for code, second in (("PTO-R124", fill), ("PTO-R301", load)):
        text = f"""
func.func @main(%x: !pto.memref<16x32xf32>, %s: f32) {{
  %c0 = arith.constant 0 : i64
  %c1024 = arith.constant 1024 : i64
  %a = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 16x32xf32>
  %b = pto.alloc_tile addr = %c1024 : !pto.tile_buf<vec, 16x32xf32>
  pto.texpands ins(%s : f32) outs(%a : !pto.tile_buf<vec, 16x32xf32>)
  {second}
  return
}}"""
        found = failing(code, text, {"s": 1.0}, target="a2a3", sync="manual")
        assert found.fix is not None and "place %a and %b apart" in found.fix, found
