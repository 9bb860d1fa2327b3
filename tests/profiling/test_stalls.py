"""Reasons why pipes stand still, the bound of data alone, and the share of each flag in what lies above."""

from __future__ import annotations

import pytest

import ptoas
from benchmarks.kernels import prefetch, stream
from ptoas.dialects.pto.enums import Pipe
from ptoas.profiling.stalls import Stall
from tests.profiling.test_timeline import check_division


def profiled(text: str, **options: object) -> ptoas.Profile:
    found = ptoas.profile(ptoas.parse(text), target="a2a3", static=True, force=True, **options)
    check_division(found)
    return found


def test_the_variants_of_a_double_buffer_come_out_in_the_published_order() -> None:
    none = profiled(stream(2, 1, 16, "64x64xf32"))
    across = profiled(prefetch(8))
    each = profiled(stream(2, 2, 16, "64x64xf32"))
    assert none.total > 1.1 * across.total > 1.2 * each.total
    # With one buffer the tile is what is missing, and no flag too many; with two it is the common flag.
    assert none.total == pytest.approx(none.bound) and each.total == pytest.approx(each.bound, rel=0.02)
    cost = {sync.lines[-1]: sync.cost for sync in across.syncs}
    assert sum(cost.values()) == pytest.approx(across.total - across.bound)
    assert across.total - across.bound > 0.15 * across.bound


def test_idle_pipe_names_the_cause_of_its_stall() -> None:
    none = profiled(stream(2, 1, 16, "64x64xf32")).stalls.lanes
    across = profiled(prefetch(8)).stalls.lanes  # both waits of the loop take the one event
    core = (0, 0, 0)
    assert none[core, Pipe.PIPE_V].stalls[Stall.DATA] > 0
    loads = none[core, Pipe.PIPE_MTE2]
    assert (
        loads.stalls[Stall.SLOT] == pytest.approx(loads.waited - 13, abs=13) and loads.stalls[Stall.FLAG] == 0
    )
    assert across[core, Pipe.PIPE_V].stalls[Stall.EVENT] > 0


def test_scalar_work_takes_time() -> None:
    """Instructions so short that the scalar unit can't issue them fast enough."""
    text = ".arg %a : !pto.tile<1x8xf32>\n" + "%b = tabs %a : !pto.tile<1x8xf32>\n" * 9
    found = profiled(text.replace("%b", "%b{}").format(*range(9)))
    assert found.stalls.lanes[(0, 0, 0), Pipe.PIPE_S].busy >= 9 * 7
    assert found.stalls.lanes[(0, 0, 0), Pipe.PIPE_V].stalls[Stall.STRUCTURAL] >= 7


def test_cores_share_the_bandwidth_of_the_chip() -> None:
    one, many = (profiled(stream(2, 2, 8), blocks=blocks) for blocks in (1, 48))
    assert one.slowdown == 1.0 < many.slowdown
    assert sum(many.moved) / many.total == pytest.approx(many.table.chip.memory, rel=0.01)
    assert many.total > 3 * one.total


def test_a_loop_is_folded_into_a_mean_iteration() -> None:
    found = profiled(stream(2, 1, 16, "64x64xf32"))
    (loop,) = found.loops
    assert loop.iterations == 16 and loop.cycles == pytest.approx(found.total, abs=10)
    adds = loop.lanes[Pipe.PIPE_V]
    assert adds.busy + adds.waited == pytest.approx(loop.each, rel=0.15)
    assert [step.work.name for step in loop.steps] == ["tload", "tload", "tadd", "tstore"]
    assert [step.count for step in loop.steps] == [1, 1, 1, 1]


def test_a_fence_takes_time_in_a_run_and_in_a_walk() -> None:
    text = """
func.func @k(%x: !pto.memref<16x64xf32>, %o: !pto.memref<16x64xf32>) {
%t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
pto.tload ins(%x : !pto.memref<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
pto.fence.barrier_all #pto.fence_scope<gm>
pto.tstore ins(%t : !pto.tile_buf<vec, 16x64xf32>) outs(%o : !pto.memref<16x64xf32>)
return
}
"""
    walked, run = profiled(text), ptoas.profile(ptoas.parse(text), target="a2a3", force=True)
    check_division(run)
    for found in (walked, run):
        load, store = found.timeline.slices
        assert store.start == pytest.approx(load.end + found.table.chip.fence + found.table.chip.issue)
