# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Modules inside a module, functions that are only declared, and who can call a compiled function."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas

TILE = "!pto.tile_buf<vec, 8x8xf32>"
MEM = "!pto.memref<8x8xf32>"
SIBLINGS = f"""module attributes {{pto.target_arch = "a5"}} {{
  module {{
    func.func private @twice({TILE})
    func.func private @own() {{
      return
    }}
    func.func @entry(%a: {MEM}) {{
      %t = pto.tload %a : ({MEM}) -> {TILE}
      func.call @twice(%t) : ({TILE}) -> ()
      func.call @own() : () -> ()
      pto.tstore %t, %a : ({TILE}, {MEM}) -> ()
      return
    }}
  }}
  module @other {{
    func.func private @own() {{
      return
    }}
    func.func public @twice(%t: {TILE}) {{
      func.call @own() : () -> ()
      pto.tadd ins(%t, %t : {TILE}, {TILE}) outs(%t : {TILE})
      return
    }}
  }}
}}"""
DECLARED = f"""module {{
  func.func private @ext(%x: {MEM}, %n: index) -> i32
  func.func private @far(!pto.ptr<f32>, {TILE}, !pto.memref<?x8xf32>) attributes {{pto.visibility = "external"}}
  func.func private @unused(f32)
  func.func @helper() attributes {{pto.visibility = "external"}} {{
    return
  }}
  func.func @hidden() attributes {{pto.visibility = "internal"}} {{
    return
  }}
  func.func @k(%x: {MEM}, %n: index, %p: !pto.ptr<f32>, %y: !pto.memref<?x8xf32>) {{
    %t = pto.tload %x : ({MEM}) -> {TILE}
    %r = func.call @ext(%x, %n) : ({MEM}, index) -> i32
    func.call @far(%p, %t, %y) : (!pto.ptr<f32>, {TILE}, !pto.memref<?x8xf32>) -> ()
    func.call @helper() : () -> ()
    return
  }}
}}"""


def heads(text: str, target: str = "a5", **options: str) -> list[str]:
    """The first lines of functions and declarations."""
    lines = ptoas.lower(ptoas.parse(text), target, **options).splitlines()
    return [line for line in lines if "AICORE" in line]


def test_sibling_modules_have_their_own_symbols() -> None:
    """D38; what one declares, the other may define."""
    module = ptoas.parse(SIBLINGS)
    assert ptoas.verify(module).diagnostics == ()
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    wanted = a * 2
    ptoas.compile(module, "a5")({"a": a})
    assert np.array_equal(a, wanted)
    assert heads(SIBLINGS) == [
        "static AICORE void own()",
        "static AICORE void other_own()",
        "static AICORE void twice(Tile<TileType::Vec, float, 8, 8> &t)",
        "AICORE void entry(__gm__ float *a)",
    ]


def test_a_private_function_of_a_sibling_is_not_what_is_declared() -> None:
    hidden = SIBLINGS.replace("func.func public", "func.func private")
    assert 'extern "C" AICORE void twice(Tile<TileType::Vec, float, 8, 8> &);' in heads(hidden)
    assert "AICORE void other_twice(Tile<TileType::Vec, float, 8, 8> &t)" in heads(hidden)
    with pytest.raises(ptoas.PtoasError, match=r"PTO-R505.*@twice is only declared"):
        ptoas.compile(ptoas.parse(hidden), "a5", entry="entry", generate=True)({})


def test_a_declaration_of_another_type_is_refused() -> None:
    other = SIBLINGS.replace(f"@twice({TILE})", "@twice(i32)").replace(
        f"func.call @twice(%t) : ({TILE}) -> ()", ""
    )
    module = ptoas.parse(other)
    assert [d.code for d in ptoas.verify(module, "a5").errors] == ["PTO-P081"]


def test_two_functions_of_one_module_still_differ() -> None:
    twice = SIBLINGS.replace("@entry", "@own")
    with pytest.raises(ptoas.PtoasError, match=r"PTO-P032"):
        ptoas.parse(twice)


def test_a_declared_function_that_is_called_is_declared_in_c() -> None:
    found = heads(DECLARED)
    assert found[:2] == [
        'extern "C" AICORE int32_t ext(__gm__ float *, int64_t);',
        'extern "C" AICORE void far(__gm__ float *, Tile<TileType::Vec, float, 8, 8> &, __gm__ float *, int64_t);',
    ]
    assert not any("unused" in line for line in found)
    assert "    ext(x, n);" in ptoas.lower(ptoas.parse(DECLARED), "a5")


def test_visibility_decides_the_linkage() -> None:
    assert 'extern "C" AICORE void helper()' in heads(DECLARED)
    assert "static AICORE void hidden()" in heads(DECLARED)
    entries = heads(DECLARED, emit="entry")
    assert "static AICORE void hidden()" in entries
    assert sum("__global__" in line for line in entries) == 1
    with pytest.raises(ptoas.PtoasError, match=r'PTO-P022.*is "external" or "internal", found "hidden"'):
        ptoas.parse(DECLARED.replace('"internal"', '"hidden"'))
