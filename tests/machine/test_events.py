"""Events of instructions order pipes as flags do."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.support import execute, failing

COPY = """
func.func @main(%x: !pto.memref<8x8xf32>, %out: !pto.memref<8x8xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %b = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %e = pto.tload %a, %x record
  %f = pto.tneg %b, %a WAIT record
  pto.tstore %b, %out wait(%f)
  return
}
"""

CHAIN = """
func.func @main(%a: !pto.tile_buf<vec, 8x8xf32>, %out: !pto.memref<8x8xf32>) {
  %e = pto.tneg %a, %a record
  %f = pto.tabs %a, %a WAIT record
  pto.tstore %a, %out wait(%f)
  return
}
"""

LOOP = """
func.func @main(%x: !pto.memref<8x8xf32>, %n: index, %out: !pto.memref<8x8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  scf.for %i = %zero to %n step %one {
    %e = pto.tload %a, %x record
    %f = pto.tneg %a, %a wait(%e) record
    pto.tstore %a, %out wait(%f)
  }
  return
}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_an_event_orders_what_it_is_awaited_for(target: str) -> None:
    execute(COPY.replace("WAIT", "wait(%e)"), target=target, sync="manual")


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_without_a_wait_there_is_a_race(target: str) -> None:
    found = failing("PTO-R301", COPY.replace("WAIT", ""), target=target, sync="manual")
    assert "tneg reads %a on PIPE_V" in found.message


def test_from_a_pipe_to_itself_it_is_a_barrier() -> None:
    execute(CHAIN.replace("WAIT", "wait(%e)"), target="a2a3", sync="manual")
    failing("PTO-R124", CHAIN.replace("WAIT", ""), target="a2a3", sync="manual")


@pytest.mark.parametrize("n", [0, 1, 3])
def test_flags_of_the_next_iteration_are_inserted(n: int) -> None:
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    result = execute(LOOP, {"x": x, "n": n, "out": np.zeros((8, 8), np.float32)}, target="a2a3")
    assert np.array_equal(result.outputs["out"], -x if n else 0 * x)


def test_the_next_iteration_does_not_wait_for_the_store() -> None:
    assert "tload writes %a" in failing("PTO-R301", LOOP, {"n": 2}, target="a2a3", sync="manual").message
    execute(LOOP, {"n": 1}, target="a2a3", sync="manual")


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_an_event_that_is_handed_on_is_no_event_of_the_next_iteration(target: str) -> None:
    text = """
func.func @main(%x: !pto.memref<8x8xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  %e = pto.tload %a, %x record
  %last = scf.for %i = %zero to %one step %one iter_args(%p = %e) -> (!pto.event) {
    %f = pto.tstore %a, %x wait(%p) record
    scf.yield %f : !pto.event
  }
  return
}
"""
    if target == "cpu":
        execute(text, target=target)
    else:
        assert "waits for %p, which nothing has recorded" in failing("PTO-R302", text, target=target).message
