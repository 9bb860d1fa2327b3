"""Under which names a tile goes: through loops, branches and windows."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Block, Region, SSAValue

import ptoas
from ptoas.analysis.forwarding import forwarded_values, handed_from, passed_on, underlying_values

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
  %either = arith.select %flag, %t, %u : {T}
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
        ("window", ["z"]),
        ("either", ["t", "u"]),
    ],
)
def test_forwarded_values_are_followed_to_their_sources(name: str, sources: list[str]) -> None:
    assert [value.name_hint for value in handed_from(named()[name])] == sources


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("t", {"a", "p", "either"}),
        ("a", {"b", "q"}),
        ("b", {"a", "p"}),
        ("p", {"x"}),
        ("x", {"y", "w"}),
        ("y", {"x"}),
        ("w", {"z"}),
        ("q", {"z"}),
        ("z", {"window"}),
        ("u", {"b", "q", "either"}),
        ("c0", {"i"}),
        ("flag", set()),
        ("n", set()),
        ("go", set()),
    ],
)
def test_forwarded_values_of_a_value(name: str, names: set[str]) -> None:
    found = {value.name_hint for use in named()[name].uses for value in passed_on(use)}
    assert found == names


def test_both_directions_are_one_relation() -> None:
    values = named().values()
    forward = {(value, name) for value in values for use in value.uses for name in passed_on(use)}
    assert forward == {(source, value) for value in values for source in handed_from(value)}


def test_select_forwards_both_operands() -> None:
    values = named()
    assert {value.name_hint for value in underlying_values(values["window"])} == {"t", "u"}
    assert underlying_values(values["t"]) == (values["t"],)


def test_every_region_hands_on_its_end() -> None:
    one, other = (arith.ConstantOp.from_int_and_width(n, IndexType()).result for n in (1, 2))

    def region(value: SSAValue) -> Region:
        return Region(Block([scf.YieldOp(value)]))

    executed = scf.ExecuteRegionOp([IndexType()], region(one))
    assert handed_from(executed.results[0]) == [one]
    cases = DenseArrayBase.from_list(i64, [1])
    switch = scf.IndexSwitchOp(other, cases, region(one), [region(other)], [IndexType()])
    assert handed_from(switch.results[0]) == [one, other]
    # What the switch looks at is not handed on.
    assert [passed_on(use) for use in other.uses if use.operation is switch] == [[]]


def test_a_call_hands_on_to_the_functions_that_are_given() -> None:
    module = ptoas.parse(f"""
func.func @g(%p: {T}, %s: index) -> index {{
  return %s : index
}}
func.func @f(%t: {T}, %n: index) {{
  %r = func.call @g(%t, %n) : ({T}, index) -> index
  return
}}
""")
    (call,) = [op for op in module.walk() if isinstance(op, func.CallOp)]
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, func.FuncOp)}
    assert list(forwarded_values(call)) == []
    found = [(each.value.name_hint, each.name.name_hint) for each in forwarded_values(call, functions)]
    assert found == [("t", "p"), ("n", "s"), ("s", "r")]
