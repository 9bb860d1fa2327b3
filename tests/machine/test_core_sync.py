"""Lanes, odd halves, counters of groups, barriers in memory: what cores of a block get and wait for."""

from __future__ import annotations

import numpy as np
import pytest

from .support import execute, failing
from .test_channels import ACC, MAT, MEM, PUSH, exchange, lines, pair

ODD = "!pto.tile_buf<vec, 16x16xf32, valid=?x?>"


def odd(split: int) -> tuple[str, np.ndarray]:
    """15 rows, or columns, of an accumulator: 8 for vector core 0 and 7 for vector core 1."""
    valid = "15x16" if split == 3 else "16x15"
    acc = ACC.replace("16x16xf32", f"16x16xf32, valid={valid}")
    extents, place = ("%h, %c16", "[%at, %c0]") if split == 3 else ("%c16, %h", "[%c0, %at]")
    part = "!pto.partition_tensor_view<?x?xf32>"
    text = pair(
        PUSH.replace("split = 0", f"split = {split}"),
        lines(
            "%lane = pto.get_subblock_idx",
            "%n = arith.index_cast %lane : i64 to index",
            "%c0 = arith.constant 0 : index",
            "%c8 = arith.constant 8 : index",
            "%c16 = arith.constant 16 : index",
            "%h = arith.subi %c8, %n : index",
            "%at = arith.muli %n, %c8 : index",
            f"%t = pto.tpop_from_aic ({extents}) {{split = {split}}} -> {ODD}",
            f"%to = pto.partition_view %out, offsets = {place}, sizes = [{extents}] : {MEM} -> {part}",
            f"pto.tstore ins(%t : {ODD}) outs(%to : {part})",
            f"pto.tfree_from_aic {{split = {split}}}",
        ),
    )
    text = text.replace(ACC, acc).replace("(c2v", "(gm_slot_buffer = %gm : !pto.ptr<f32>, c2v")
    shape = (15, 16) if split == 3 else (16, 15)
    return text, np.arange(240, dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("split", [3, 4])
@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_odd_extents_are_split(target: str, split: int) -> None:
    text, acc = odd(split)
    for schedule in (None, 1, 2):
        out = np.full((16, 16), -1, np.float32)
        execute(text, {"acc": acc, "out": out}, target, schedule=schedule)
        rows, cols = acc.shape
        assert np.array_equal(out[:rows, :cols], acc)
        assert (out[rows:] == -1).all() and (out[:, cols:] == -1).all()


def test_a_half_belongs_to_its_core() -> None:
    half = "!pto.tile_buf<vec, 8x16xf32>"
    text = pair(
        PUSH.replace("split = 0", "split = 1"),
        lines(
            "%zero = arith.constant 0 : i64",
            f"%t = pto.tpop_from_aic {{split = 1}} aiv_subblockid(%zero) -> {half}",
            "pto.tfree_from_aic {split = 1}",
        ),
    )
    finding = failing("PTO-R911", text)
    assert "vector 1" in finding.message and "get_subblock_idx" in (finding.fix or "")
    execute(text.replace("%zero = arith.constant 0 : i64", "%zero = pto.get_subblock_idx"))


ROW = "!pto.partition_tensor_view<1x16xf32>"
ROWS = "!pto.memref<2x16xf32>"
LINE = "!pto.tile_buf<vec, 1x16xf32>"


def lanes(between: str) -> str:
    """Each vector core stores a row and then reads that of the other."""
    return f"""
func.func @kernel(%ws: !pto.ptr<i32>, %x: {ROWS}, %mid: {ROWS}, %out: {ROWS}, %done: !pto.ptr<i32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : i32
  %c16 = arith.constant 16 : index
  pto.section.cube {{
    pto.store_scalar %c2, %done[%c0] : !pto.ptr<i32>, i32
    pto.set_intra_block <PIPE_FIX>, 9
  }}
  pto.section.vector {{
    %lane = pto.get_subblock_idx
    %me = arith.index_cast %lane : i64 to index
    %you = arith.subi %c1, %me : index
    %a = pto.partition_view %x, offsets = [%me, %c0], sizes = [%c1, %c16] : {ROWS} -> {ROW}
    %b = pto.partition_view %mid, offsets = [%me, %c0], sizes = [%c1, %c16] : {ROWS} -> {ROW}
    %c = pto.partition_view %mid, offsets = [%you, %c0], sizes = [%c1, %c16] : {ROWS} -> {ROW}
    %d = pto.partition_view %out, offsets = [%me, %c0], sizes = [%c1, %c16] : {ROWS} -> {ROW}
    %t = pto.alloc_tile : {LINE}
    %u = pto.alloc_tile : {LINE}
    pto.tload ins(%a : {ROW}) outs(%t : {LINE})
    pto.tstore ins(%t : {LINE}) outs(%b : {ROW})
    {between}
    pto.tload ins(%c : {ROW}) outs(%u : {LINE})
    pto.tstore ins(%u : {LINE}) outs(%d : {ROW})
  }}
  return
}}
"""


SOFT = (
    "pto.syncall(%ws{} : !pto.ptr<i32>{}) "
    "mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<{}>"
)


@pytest.mark.parametrize(
    "between",
    [
        "pto.sync.set <PIPE_MTE3>, 5 {ffts_mode = 1 : i32}\n"
        "  pto.sync.wait <PIPE_MTE2>, 5 {ffts_mode = 1 : i32}",
        "pto.sync.set <PIPE_MTE3>, %c1 {ffts_mode = 0 : i32}\n"
        "  pto.sync.wait <PIPE_MTE2>, %c1 {ffts_mode = 0 : i32}",
        SOFT.format(", %c2", ", i32", "aiv_only"),
    ],
    ids=["vector cores of a block", "all vector cores", "a count in memory"],
)
@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_vector_cores_wait_for_each_other(target: str, between: str) -> None:
    x = np.arange(32, dtype=np.float32).reshape(2, 16)
    for schedule in (None, 3):
        given = {"x": x, "ws": np.zeros(16, np.int32)}
        out = execute(lanes(between), given, target, schedule=schedule).outputs["out"]
        assert np.array_equal(out, x[::-1])
    assert failing("PTO-R915", lanes(""), {"x": x}, target).fix


def test_workspace_size_and_participants_are_checked() -> None:
    few = {"ws": np.zeros(8, np.int32)}
    text = lanes(SOFT.format("", "", "aiv_only"))
    failing("PTO-R909", text, few)
    none = lanes(SOFT.format(", %no", ", i32", "aiv_only")).replace(
        "%c2 =", "%no = arith.constant -1 : i32\n  %c2 ="
    )
    failing("PTO-R914", none, {"ws": np.zeros(16, np.int32)})


def test_a_counter_has_a_number() -> None:
    between = "%n = arith.constant 16 : index\n pto.sync.set <PIPE_MTE3>, %n {ffts_mode = 1 : i32}"
    assert "no counter 16" in failing("PTO-R912", lanes(between)).message


LEFT = "!pto.tile_buf<left, 16x16xf32, slayout=row_major>"
RIGHT = "!pto.tile_buf<right, 16x16xf32, slayout=col_major>"
MANY = "!pto.memref<32x16xf32>"


def products(barrier: str) -> str:
    """The cube core of each block stores a product, and multiplies that of the other block."""
    tile = "sizes = [%c16, %c16] : !pto.memref<32x16xf32> -> !pto.partition_tensor_view<16x16xf32>"
    part, here, there = (
        "!pto.partition_tensor_view<16x16xf32>",
        "offsets = [%me, %c0]",
        "offsets = [%you, %c0]",
    )
    return f"""
func.func @kernel(%ws: !pto.ptr<i32>, %x: {MANY}, %y: {MAT}, %mid: {MANY}, %out: {MANY})
    attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : i32
  %c16 = arith.constant 16 : index
  %block = pto.get_block_idx
  %b = arith.index_cast %block : i64 to index
  %o = arith.subi %c1, %b : index
  %me = arith.muli %b, %c16 : index
  %you = arith.muli %o, %c16 : index
  %m = pto.alloc_tile : {MAT}
  %l = pto.alloc_tile : {LEFT}
  %r = pto.alloc_tile : {RIGHT}
  %acc = pto.alloc_tile : {ACC}
  pto.tmov ins(%y : {MAT}) outs(%r : {RIGHT})
  %from = pto.partition_view %x, {here}, {tile}
  %to = pto.partition_view %mid, {here}, {tile}
  pto.tload ins(%from : {part}) outs(%m : {MAT})
  pto.tmov ins(%m : {MAT}) outs(%l : {LEFT})
  pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%acc : {ACC})
  pto.tstore ins(%acc : {ACC}) outs(%to : {part})
  {barrier}
  %back = pto.partition_view %mid, {there}, {tile}
  %end = pto.partition_view %out, {here}, {tile}
  pto.tload ins(%back : {part}) outs(%m : {MAT})
  pto.tmov ins(%m : {MAT}) outs(%l : {LEFT})
  pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%acc : {ACC})
  pto.tstore ins(%acc : {ACC}) outs(%end : {part})
  return
}}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_cube_cores_wait_for_each_other(target: str) -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((32, 16), (16, 16)))
    wanted = (x.reshape(2, 16, 16)[::-1] @ y @ y).reshape(32, 16)
    hard = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aic_only>"
    for barrier in (hard, SOFT.format("", "", "aic_only"), SOFT.format(", %n", ", i32", "aic_only")):
        for schedule in (None, 5):
            given = {"x": x, "y": y, "ws": np.zeros(16, np.int32)}
            done = execute(products(barrier), given, target, blocks=2, schedule=schedule)
            assert np.array_equal(done.outputs["out"], wanted)
    failing("PTO-R306", products(""), {"x": x, "y": y}, target, blocks=2)
    # One more than there are never comes.
    more = products(SOFT.format(", %n", ", i32", "aic_only")).replace("constant 2 : i32", "constant 3 : i32")
    found = failing("PTO-R901", more, {"ws": np.zeros(16, np.int32)}, target, blocks=2)
    assert any("waits at syncall 1 for 1 of 3 cores" in note.message for note in found.notes)


@pytest.mark.parametrize("schedule", [None, 4])
def test_cube_and_vector_cores_of_all_blocks_count_in_memory(schedule: int | None) -> None:
    acc = np.arange(256, dtype=np.float32).reshape(16, 16)
    soft = SOFT.format("", "", "mix")
    text = exchange(soft, soft).replace("(%acc:", "(%ws: !pto.ptr<i32>, %acc:")
    given = {"acc": acc, "ws": np.zeros(16, np.int32)}
    result = execute(text, given, blocks=2, schedule=schedule)
    assert np.array_equal(result.outputs["out"], np.vstack([acc, acc]))
    assert result.outputs["ws"][0] == 2 * 3
