"""Values keep the whole of their names, also a number at the end, and their provenance through all passes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptoas
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.ir.clone import clone
from ptoas.ir.names import defined
from ptoas.lowering import PASSES, prepare
from ptoas.lowering.provenance import location_of, reason_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pto"))

VEC = "!pto.tile_buf<vec, 16x16xf32>"
MEMORY = "!pto.memref<16x16xf32>"
LEFT = "!pto.tile_buf<left, 16x32xf16, slayout=row_major>"
RIGHT = "!pto.tile_buf<right, 32x16xf16, slayout=col_major>"
MAT = "!pto.tile_buf<mat, 16x32xf16, blayout=col_major, slayout=row_major>"
ACC = "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
MULTI = "!pto.multi_tile_buf<vec, 16x16xf32, count=2>"

TILES = f"""
func.func @f(%x: {MEMORY}, %n: index, %out: {MEMORY}) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.addi %one, %one : index
  %tile = pto.alloc_tile : {VEC}
  pto.tload ins(%x : {MEMORY}) outs(%tile : {VEC})
  %many = pto.alloc_multi_tile : {MULTI}
  %second = pto.multi_tile_get %many[%one] : {MULTI} -> {VEC}
  pto.tload ins(%x : {MEMORY}) outs(%second : {VEC})
  %sum = pto.tadd ins(%tile, %second : {VEC}, {VEC}) -> {VEC}
  %last = scf.for %i = %zero to %n step %two iter_args(%carried = %sum) -> ({VEC}) {{
    %product = pto.tmul ins(%carried, %tile : {VEC}, {VEC}) -> {VEC}
    scf.yield %product : {VEC}
  }}
  pto.tstore ins(%last : {VEC}) outs(%out : {MEMORY})
  return
}}
"""
CORES = f"""
func.func @f(%acc: {ACC}, %x: {MEMORY}, %out: {MEMORY}, %other: {MEMORY}) {{
  %tile = pto.alloc_tile : {VEC}
  pto.section.cube {{
    pto.tstore ins(%acc : {ACC}) outs(%out : {MEMORY})
  }}
  pto.section.vector {{
    pto.tload ins(%x : {MEMORY}) outs(%tile : {VEC})
    pto.tstore ins(%tile : {VEC}) outs(%other : {MEMORY})
  }}
  return
}}
"""
PRODUCT = f"""
func.func @f(%a: {MAT}, %b: {RIGHT}, %c: {ACC}) {{
  %tile = pto.alloc_tile : {LEFT}
  pto.tmov ins(%a : {MAT}) outs(%tile : {LEFT})
  pto.tmatmul ins(%tile, %b : {LEFT}, {RIGHT}) outs(%c : {ACC})
  return
}}
"""


def numbered(text: str) -> str:
    """The program with a number at the end of each name: `%tile` is `%v_tile_12`."""
    return re.sub(r"%([A-Za-z]\w*)", r"%v_\1_12", text)


def shortened(module: ModuleOp) -> set[str]:
    """Names of an author that are no longer whole."""
    names = {value.name_hint or "" for op in module.walk() for value in defined(op)}
    return {name for name in names if name.startswith("v_") and "_12" not in name}


@pytest.mark.parametrize("target", ptoas.TARGETS)
@pytest.mark.parametrize("text", [TILES, CORES, PRODUCT, *(path.read_text("utf-8") for path in EXAMPLES)])
def test_names_stay_whole_through_every_pass(text: str, target: str) -> None:
    module = ptoas.parse(numbered(text), "names.pto")
    passed: list[str] = []

    def check(name: str, current: ModuleOp) -> None:
        passed.append(name)
        assert shortened(current) == set(), name

    legalize = target == "cpu"
    try:
        cpp = ptoas.lower(module, target, verified=False, legalize=legalize, after=check)
    except ptoas.PtoasError:
        pytest.skip("the target has no such instruction")
    assert passed == [name for name in PASSES if legalize or name != "legalize-cpu"]
    assert [name for name in re.findall(r"\bv_\w+", cpp) if "_12" not in name] == []
    assert "_12" in cpp


def test_a_clone_keeps_names_and_maps_values() -> None:
    module = ptoas.parse(numbered(TILES))
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    values = {}
    copy = clone(function, values)
    for value in (value for op in function.walk() for value in defined(op)):
        assert values[value] is not value
        assert values[value].name_hint == value.name_hint
    assert copy.is_structurally_equivalent(function)


def test_a_clone_leaves_the_names_of_what_it_is_given() -> None:
    module = ptoas.parse(numbered(TILES))
    adds = [op for op in module.walk() if op.name == "arith.addi"]
    one = adds[0].operands[0]
    other = next(op for op in module.walk() if op.name == "arith.constant").results[0]
    copy = clone(adds[0], {one: other})
    assert [*copy.operands] == [other, other]
    assert other.name_hint == "v_zero_12"


def allocations(module: ModuleOp) -> list[AllocTileOp]:
    return [op for op in module.walk() if isinstance(op, AllocTileOp)]


def test_provenance_survives_cloning() -> None:
    """A function with parts for cube and vector cores is cloned after its tiles have got their addresses."""
    (tile,) = allocations(prepare(ptoas.parse(CORES, "cores.pto"), "a5"))
    assert tile.parent_op().sym_name.data == "f_vector"  # pyright: ignore
    assert reason_of(tile) == "1024 bytes at the lowest free address"
    assert tile.addr is not None
    assert reason_of(tile.addr.owner) is None, "only the tile is explained"  # pyright: ignore


def test_provenance_of_a_program_without_text_survives_cloning() -> None:
    module = ptoas.parse(CORES)
    for op in module.walk():
        op.location = AllocTileOp.create(result_types=[allocations(module)[0].result.type]).location
    (tile,) = allocations(clone(prepare(module, "a5")))
    assert reason_of(tile) == "1024 bytes at the lowest free address"
    assert location_of(tile) == module.location
    assert str(tile.location) == str(module.location)
