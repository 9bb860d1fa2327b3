"""Under which names a tile goes: through loops, branches and windows."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

import ptoas
from ptoas.analysis.forwarding import handed_from, passed_on

T = "!pto.tile_buf<vec, 8x8xf32>"
PROGRAM = f"""
func.func @f(%argument: {T}, %n: index, %flag: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pto.alloc_tile : {T}
  %u = pto.alloc_tile : {T}
  %p, %q = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> ({T}, {T}) {{
    scf.yield %b, %a : {T}, {T}
  }}
  %j, %w = scf.while (%i = %c0, %x = %p) : (index, {T}) -> (index, {T}) {{
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %x : index, {T}
  }} do {{
  ^bb0(%i2: index, %y: {T}):
    %next = arith.addi %i2, %c1 : index
    scf.yield %next, %y : index, {T}
  }}
  %z = scf.if %flag -> ({T}) {{
    scf.yield %w : {T}
  }} else {{
    scf.yield %q : {T}
  }}
  %window = pto.subview %z[%c0, %c0] sizes [4, 8] : {T} -> !pto.tile_buf<vec, 4x8xf32>
  return
}}
"""


def named() -> dict[str, SSAValue]:
    module = ptoas.parse(PROGRAM)
    values: dict[str, SSAValue] = {}
    for op in module.walk():
        found = [
            *op.results,
            *(arg for region in op.regions for block in region.blocks for arg in block.args),
        ]
        values.update({value.name_hint: value for value in found if value.name_hint})
    return values


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("t", []),
        ("argument", []),
        ("k", []),
        ("a", ["t", "b"]),
        ("b", ["u", "a"]),
        ("p", ["b", "t"]),
        ("q", ["a", "u"]),
        ("x", ["p", "y"]),
        ("y", ["x"]),
        ("w", ["x"]),
        ("j", ["i"]),
        ("z", ["w", "q"]),
        ("window", []),
    ],
)
def test_where_a_value_comes_from(name: str, sources: list[str]) -> None:
    assert [value.name_hint for value in handed_from(named()[name])] == sources


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("t", {"a", "p"}),
        ("a", {"b", "q"}),
        ("b", {"a", "p"}),
        ("p", {"x"}),
        ("x", {"y", "w"}),
        ("y", {"x"}),
        ("w", {"z"}),
        ("q", {"z"}),
        ("z", {"window"}),
        ("n", set()),
        ("go", set()),
    ],
)
def test_where_a_value_goes_to(name: str, names: set[str]) -> None:
    found = {value.name_hint for use in named()[name].uses for value in passed_on(use)}
    assert found == names
