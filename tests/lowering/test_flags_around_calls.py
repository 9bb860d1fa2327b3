# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""A flag that is up while a function runs is none of those which that function uses."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas
from ptoas.analysis.structure import callees_first, calls_of, functions
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.lowering import prepare
from ptoas.lowering.insert_sync import flags_of
from ptoas.targets import get_target

TILE, MEMORY = "!pto.tile_buf<vec, 8x8xi32>", "!pto.memref<8x8xi32>"


def copy(name: str, body: str) -> str:
    """A function that copies `%x` to `%y`, and does something else before."""
    return f"""
func.func @{name}(%x: {MEMORY}, %y: {MEMORY}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : {TILE}
  pto.tload ins(%x : {MEMORY}) outs(%t : {TILE})
  {body}
  pto.tstore ins(%t : {TILE}) outs(%y : {MEMORY})
  return
}}
"""


def call(name: str) -> str:
    return f"func.call @{name}(%x, %y, %n) : ({MEMORY}, {MEMORY}, index) -> ()"


def maybe(name: str) -> str:
    """A call that may not happen, so that it orders nothing: what is loaded before has its flag up meanwhile."""
    return f"scf.for %i = %c0 to %n step %c1 {{\n    {call(name)}\n  }}"


PROGRAMS = {
    "a call": copy("inner", "") + copy("outer", maybe("inner")),
    "a call in what is called": copy("inner", "") + copy("middle", call("inner")) + copy("outer", maybe("middle")),
    "three, each in the other": copy("inner", "") + copy("middle", maybe("inner")) + copy("outer", maybe("middle")),
    "the called one stands last": copy("outer", maybe("inner")) + copy("inner", ""),
}  # fmt: skip


def ids(module, name: str) -> set[int]:
    """The events of the flags from loads to stores in one function."""
    target = get_target("a5")
    function = next(f for f in functions(module) if f.sym_name.data == name)
    own = flags_of(function, target, {})
    return {list(Event).index(e) for a, b, e in own if (a, b) == (Pipe.PIPE_MTE2, Pipe.PIPE_MTE3)}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_flag_stays_up_around_a_call(program: str, times: int) -> None:
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    y = np.zeros((8, 8), np.int32)
    ptoas.run(ptoas.parse(PROGRAMS[program]), {"x": x, "y": y, "n": times}, target="a5", entry="outer")
    assert np.array_equal(x, y)


@pytest.mark.parametrize(
    ("program", "outer"),
    [("a call", {1}), ("a call in what is called", {1}), ("three, each in the other", {2}), ("the called one stands last", {1})],
)  # fmt: skip
def test_it_has_an_event_that_nothing_below_uses(program: str, outer: set[int]) -> None:
    module = prepare(ptoas.parse(PROGRAMS[program]), "a5")
    assert ids(module, "inner") == {0}
    assert ids(module, "outer") == outer


def test_what_instructions_use_themselves_counts() -> None:
    """On a2a3 a gather waits by itself, with EVENT_ID0, for its own loads (000, Row post-amble)."""
    gather = f"""
func.func @gather(%x: {MEMORY}, %y: {MEMORY}, %n: index, %i: !pto.tile_buf<vec, 1x8xi32>, %d: {TILE}) {{
  pto.mgather ins(%x, %i : {MEMORY}, !pto.tile_buf<vec, 1x8xi32>) outs(%d : {TILE}) {{coalesce = #pto<coalesce row>}}
  return
}}
"""
    function = functions(ptoas.parse(gather))[0]
    found = flags_of(function, get_target("a2a3"), {})
    assert (Pipe.PIPE_MTE2, Pipe.PIPE_MTE3, Event.EVENT_ID0) in found
    below = frozenset({(Pipe.PIPE_V, Pipe.PIPE_S, Event.EVENT_ID7)})
    caller = functions(ptoas.parse(PROGRAMS["a call"]))[1]
    assert flags_of(caller, get_target("a2a3"), {"inner": below}) == below
    assert flags_of(caller, get_target("a2a3"), {}) == frozenset()


@pytest.mark.parametrize(
    ("program", "order"),
    [("a call", ["inner", "outer"]), ("three, each in the other", ["inner", "middle", "outer"]), ("the called one stands last", ["inner", "outer"])],
)  # fmt: skip
def test_callees_come_first(program: str, order: list[str]) -> None:
    ordered = callees_first(calls_of(ptoas.parse(PROGRAMS[program])))
    assert [function.sym_name.data for function in ordered] == order


def test_functions_in_a_circle_come_in_some_order() -> None:
    text = "func.func @a() {\n  func.call @b() : () -> ()\n  return\n}\nfunc.func @b() {\n  func.call @a() : () -> ()\n  return\n}\n"
    assert {f.sym_name.data for f in callees_first(calls_of(ptoas.parse(text)))} == {"a", "b"}
