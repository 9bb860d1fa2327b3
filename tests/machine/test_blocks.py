# ruff: noqa: E501 - programs are text
"""Blocks that share global memory: one after the other, and taking turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoas.diagnostics import UsageError
from tests.machine.support import execute, failing

ROWS = """
func.func @main(%x: !pto.memref<64x8xf32>, %out: !pto.memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %first = arith.muli %b, %STEP : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %row = arith.addi %first, %i : index
    %a = pto.partition_view %x, offsets = [%row, %c0], sizes = [%c1, %c8] : !pto.memref<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    %o = pto.partition_view %out, offsets = [%row, %c0], sizes = [%c1, %c8] : !pto.memref<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>
    pto.tload ins(%a : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%o : !pto.partition_tensor_view<1x8xf32>) ATOMIC
  }
  return
}
"""

TARGETS = ("cpu", "a2a3", "a5")
SCHEDULES = (None, 0, 1)


def rows(step: int = 4, atomic: str = "") -> str:
    """Each block copies four rows; with a step of less than four it overlaps with the next."""
    kind = f"{{atomicType = #pto<atomic_type {atomic}>}}" if atomic else ""
    return ROWS.replace("%STEP", f"%c{step}").replace("ATOMIC", kind)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_rows_of_its_own(target: str, schedule: int | None) -> None:
    x = np.arange(512, dtype=np.float32).reshape(64, 8)
    result = execute(rows(), {"x": x}, target, blocks=16, schedule=schedule)
    assert np.array_equal(result.outputs["out"], x)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_rows_that_two_blocks_write(target: str, schedule: int | None) -> None:
    found = failing("PTO-R306", rows(step=1), {}, target, blocks=3, schedule=schedule)
    assert found.message == "blocks 0, 1 and 2 write %out (tstore at line 16), and nothing orders these"
    assert found.span.line == found.notes[0].span.line == 16
    execute(rows(step=1), {}, target, blocks=3, schedule=schedule, checks="mem,init")
    execute(rows(step=1), {}, target, blocks=1, schedule=schedule)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_atomic_stores_of_one_kind(schedule: int | None) -> None:
    x = np.ones((64, 8), np.float32)
    out = np.zeros((64, 8), np.float32)
    execute(rows(1, "atomic_add"), {"x": x, "out": out}, blocks=3, schedule=schedule)
    # Rows 0 to 3, 1 to 4 and 2 to 5.
    assert out[:7, 0].tolist() == [1, 2, 3, 3, 2, 1, 0]


def test_an_atomic_store_and_a_plain_one() -> None:
    both = rows(1, "atomic_add").replace(
        "  return",
        "  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%p : !pto.partition_tensor_view<1x8xf32>)\n  return",
    )
    view = "  %p = pto.partition_view %out, offsets = [%c8, %c0], sizes = [%c1, %c8] : !pto.memref<64x8xf32> -> !pto.partition_tensor_view<1x8xf32>\n  %t ="
    only_first = both.replace("  %t =", view)
    # Row 8 is block 5's to block 8's: there are fewer.
    failing("PTO-R306", only_first, {}, blocks=2)
    assert "line 19" in failing("PTO-R306", only_first, {}, blocks=2).message


READS = """
func.func @main(%m: !pto.memref<2x8xf32>, %out: !pto.memref<2x8xf32>, %same: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %from = arith.xori %block, %same : i64
  %f = arith.index_cast %from : i64 to index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %mine = pto.partition_view %m, offsets = [%b, %c0], sizes = [%c1, %c8] : !pto.memref<2x8xf32> -> !pto.partition_tensor_view<1x8xf32>
  %theirs = pto.partition_view %m, offsets = [%f, %c0], sizes = [%c1, %c8] : !pto.memref<2x8xf32> -> !pto.partition_tensor_view<1x8xf32>
  pto.tload ins(%theirs : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%mine : !pto.partition_tensor_view<1x8xf32>)
  return
}
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_row_that_another_block_writes_is_read(schedule: int | None) -> None:
    execute(READS, {"same": 0}, blocks=2, schedule=schedule)
    found = failing("PTO-R306", READS, {"same": 1}, blocks=2, schedule=schedule)
    assert "write %m (tstore at line 14)" in found.message and "reads it (tload at line 13)" in found.message
    assert (found.span.line, found.notes[0].span.line) == (14, 13)


def test_two_arguments_on_the_same_bytes() -> None:
    memory = np.arange(16, dtype=np.float32)
    execute(READS, {"m": memory.reshape(2, 8), "same": 0}, blocks=2)
    both = rows().replace("64x8", "8x8")
    array = np.zeros((8, 8), np.float32)
    execute(both, {"x": array, "out": array}, blocks=2)
    overlapping = np.zeros((9, 8), np.float32)
    # Row 4 of %x, which block 1 loads first, is row 3 of %out, which block 0 stores last.
    found = failing("PTO-R306", both, {"x": overlapping[:8], "out": overlapping[1:]}, blocks=2)
    assert "%out (tstore" in found.message and "tload" in found.message


SCATTER = """
func.func @main(%table: !pto.memref<8x8xf32>, %idx: !pto.memref<2x8xi32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32, valid=4x8>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32, valid=1x4>
  %c4 = arith.constant 4 : index
  %p = pto.partition_view %idx, offsets = [%b, %c0], sizes = [%c1, %c4] : !pto.memref<2x8xi32> -> !pto.partition_tensor_view<1x4xi32>
  pto.tload ins(%p : !pto.partition_tensor_view<1x4xi32>) outs(%i : !pto.tile_buf<vec, 1x8xi32, valid=1x4>)
  pto.texpands ins(%s : f32) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=4x8>)
  OPERATION
  return
}
"""
OUT = "pto.mscatter ins(%t, %i : !pto.tile_buf<vec, 8x8xf32, valid=4x8>, !pto.tile_buf<vec, 1x8xi32, valid=1x4>) outs(%table : !pto.memref<8x8xf32>) {coalesce = #pto<coalesce row>OPTIONS}"
BACK = "pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile_buf<vec, 1x8xi32, valid=1x4>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=4x8>) {coalesce = #pto<coalesce row>}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("operation", [OUT, BACK + "\n  " + OUT], ids=["scatter", "gather and scatter"])
def test_indices_say_which_rows_are_touched(operation: str, target: str) -> None:
    text = SCATTER.replace("OPERATION", operation).replace("OPTIONS", "")
    disjoint = np.array([[0, 2, 4, 6, 0, 0, 0, 0], [7, 5, 3, 1, 0, 0, 0, 0]], np.int32)
    execute(text, {"idx": disjoint}, target, blocks=2)
    conflicting = disjoint.copy()
    conflicting[1, 3] = 4
    with pytest.raises(Exception, match=r"R306.*mscatter"):
        execute(text, {"idx": conflicting}, target, blocks=2)


def test_atomic_scatters_may_meet() -> None:
    text = SCATTER.replace("OPERATION", OUT).replace(
        "OPTIONS", ", scatterAtomicOp = #pto<scatter_atomic_op add>"
    )
    idx, table = np.zeros((2, 8), np.int32), np.zeros((8, 8), np.float32)
    execute(text, {"idx": idx, "table": table, "s": 1.0}, blocks=2)
    assert table[0].tolist() == [8.0] * 8


# --- scalars -------------------------------------------------------------------------------------

SIGNAL = """
func.func @main(%data: !pto.memref<1x8xf32>, %flag: !pto.ptr<i32>, %out: !pto.memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  %two = arith.constant 2.0 : f32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  %block = pto.get_block_idx : i64
  %is_first = arith.cmpi eq, %block, %zero : i64
  scf.if %is_first {
    scf.while : () -> () {
      %now = pto.load_scalar %flag[%c0] : !pto.ptr<i32> -> i32
      %waits = arith.cmpi ne, %now, %one : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    pto.tload ins(%data : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
  } else {
    EARLY
    pto.texpands ins(%two : f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%data : !pto.memref<1x8xf32>)
    LATE
  }
  return
}
"""
STORE = "pto.store_scalar %one, %flag[%c0] : !pto.ptr<i32>, i32"


def signal(**places: str) -> str:
    return SIGNAL.replace("EARLY", places.get("early", "")).replace("LATE", places.get("late", ""))


def flags() -> dict[str, Any]:
    return {"flag": np.zeros(1, np.int32), "data": np.zeros((1, 8), np.float32)}


@pytest.mark.parametrize("schedule", range(4))
def test_a_scalar_orders_blocks(schedule: int) -> None:
    result = execute(signal(late=STORE), flags(), blocks=2, schedule=schedule)
    assert (result.outputs["out"] == 2).all()
    # The flag before the data orders nothing.
    found = failing("PTO-R306", signal(early=STORE), flags(), blocks=2, schedule=schedule)
    assert "block 1 writes %data" in found.message and "block 0, which reads it" in found.message


def test_a_scalar_orders_blocks_that_run_one_after_the_other() -> None:
    """The same program with the roles exchanged: the block that waits comes second."""
    exchanged = signal(late=STORE).replace("cmpi eq, %block", "cmpi ne, %block")
    assert (execute(exchanged, flags(), blocks=2).outputs["out"] == 2).all()
    early = signal(early=STORE).replace("cmpi eq, %block", "cmpi ne, %block")
    assert "block 0 writes %data" in failing("PTO-R306", early, flags(), blocks=2).message


def test_a_block_that_waits_for_nothing() -> None:
    found = failing(
        "PTO-R803",
        signal(late=STORE.replace("%one,", "%one2,")).replace(
            "%one = arith.constant 1 : i32", "%one = arith.constant 1 : i32\n  %one2 = arith.constant 3 : i32"
        ),
        flags(),
        blocks=2,
        schedule=0,
    )
    assert [note.message for note in found.notes] == [
        "block 0 | line 13 | waits for %flag[0], which stays 3 (test.pto:13)",
        "block 1 | - | has finished",
    ]


def test_sequential_blocks_can_not_wait_for_each_other() -> None:
    found = failing("PTO-R803", signal(late=STORE), flags(), blocks=2)
    assert found.message.startswith("block 0 waits for %flag[0], which stays 0") and found.span.line == 12
    assert found.fix is not None and "--schedule" in found.fix


SCALARS = """
func.func @main(%p: !pto.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %block = pto.get_block_idx : i64
  %count = pto.get_block_num : i64
  pto.store_scalar %WHAT, %p[%c0] : !pto.ptr<i64>, i64
  return
}
"""


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_blocks_that_store_different_scalars(schedule: int | None) -> None:
    arguments = {"p": np.zeros(1, np.int64)}
    failing("PTO-R306", SCALARS.replace("%WHAT", "%block"), arguments, blocks=2, schedule=schedule)
    execute(SCALARS.replace("%WHAT", "%count"), arguments, blocks=2, schedule=schedule)


# --- turns ---------------------------------------------------------------------------------------


def printing() -> str:
    text = (
        "func.func @main(%x: !pto.memref<1x8xf32>) {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
    )
    load = "  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)\n"
    show = "  pto.tprint ins(%t : !pto.tile_buf<vec, 1x8xf32>)\n"
    return text + (load + show) * 100 + "  return\n}\n"


def test_schedule_determines_the_order_of_blocks() -> None:
    def order(schedule: int) -> str:
        said: list[str] = []
        execute(printing(), blocks=3, schedule=schedule, on_output=said.append)
        return "".join(text[6] for text in said)

    assert order(5) == order(5)
    assert len({order(seed) for seed in range(4)}) > 1
    assert sorted(order(0)) == ["0"] * 100 + ["1"] * 100 + ["2"] * 100


def test_an_error_of_one_block_names_it() -> None:
    found = failing("PTO-R103", rows(), blocks=17, schedule=0)
    assert found.message.startswith("block 16: partition_view")


def test_statistics_cover_all_blocks() -> None:
    one_by_one, in_turns = (
        execute(rows(), blocks=4, schedule=schedule, stats=True, trace=True) for schedule in (None, 7)
    )
    assert one_by_one.stats is not None and in_turns.stats is not None
    assert one_by_one.stats.as_dict() == in_turns.stats.as_dict()
    assert in_turns.stats.instructions["tload"] == 16 and len(in_turns.trace) == 32
    assert one_by_one.steps == one_by_one.stats.steps == in_turns.steps > 0


def test_schedules_that_are_refused() -> None:
    with pytest.raises(UsageError, match="at most 1024 blocks"):
        execute(rows(), blocks=1025, schedule=0)
    with pytest.raises(UsageError, match="a seed of at least 0"):
        execute(rows(), blocks=2, schedule=-1)
