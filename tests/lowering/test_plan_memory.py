# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Addresses: alignment, reuse, loops, budgets."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

import ptoas
from ptoas.analysis.storage import places_of, tile_argument_addresses
from ptoas.analysis.structure import functions
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.lowering import prepare

from .programs import program


def placed(module: ModuleOp) -> dict[str, tuple[int, int]]:
    """First byte and byte after the last of every named tile."""
    return {tile.name_hint or "?": place for tile, place in places(module).items()}


def places(module: ModuleOp) -> dict[SSAValue, tuple[int, int]]:
    found: dict[SSAValue, tuple[int, int]] = {}
    for function in functions(module):
        places = places_of(function)
        for op in function.walk():
            if isinstance(op, AllocTileOp):
                address = places.address(op.result)
                assert address is not None
                found[op.result] = (address, address + op.tile_type.size_bytes)
    return found


def overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


CHAIN = """
.arg %a : !pto.memref<16x16xf32>
.arg %out : !pto.memref<16x16xf32>
%x = tload %a : (!pto.memref<16x16xf32>) -> !pto.tile<16x16xf32>
%y = tadd %x, %x : !pto.tile<16x16xf32>
%z = tadd %y, %y : !pto.tile<16x16xf32>
tstore %z, %out
"""


def test_bytes_of_a_dead_tile_are_reused() -> None:
    tiles = placed(prepare(ptoas.parse(CHAIN), "a5"))
    assert tiles["z"] == tiles["x"]
    assert not overlap(tiles["x"], tiles["y"])


def test_destination_never_overlaps_its_index() -> None:
    text = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.memref<8x8xi32>
.arg %out : !pto.memref<8x8xf32>
%i = tload %idx : (!pto.memref<8x8xi32>) -> !pto.tile<8x8xi32>
%d = mgather.elem %table, %i : (!pto.memref<64x8xf32>, !pto.tile<8x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""
    tiles = placed(prepare(ptoas.parse(text), "a5"))
    assert not overlap(tiles["i"], tiles["d"])


def in_loop(body: str) -> str:
    return f"""
func.func @f(%a: !pto.memref<16x16xf32>, %out: !pto.memref<16x16xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = tload %a : (!pto.memref<16x16xf32>) -> !pto.tile<16x16xf32>
  scf.for %k = %c0 to %n step %c1 {{
    {body}
  }}
  return
}}
"""


def test_a_tile_that_a_loop_reads_is_kept_for_all_of_it() -> None:
    # In a straight line %z could have %x's bytes; the next iteration still reads %x.
    body = """%y = tadd %x, %x : !pto.tile<16x16xf32>
    %z = tadd %y, %y : !pto.tile<16x16xf32>
    tstore %z, %out"""
    tiles = placed(prepare(ptoas.parse(in_loop(body)), "a5"))
    assert not overlap(tiles["x"], tiles["z"])
    assert not overlap(tiles["x"], tiles["y"])


@given(random=st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_tiles_alive_together_lie_apart(random: Random) -> None:
    module = prepare(ptoas.parse(program(random)), "a2a3")
    (function,) = functions(module)
    tiles = places(module)
    assert all(start % 32 == 0 for start, _ in tiles.values())
    for op in function.walk():
        together = {value for value in op.operands if isinstance(value.type, TileType)}
        for a in together:
            for b in together - {a}:
                assert not overlap(tiles[a], tiles[b]), f"{a} and {b} meet in {op}"
    _simulate(function, tiles)


def _simulate(function: func.FuncOp, tiles: dict[SSAValue, tuple[int, int]]) -> None:
    """Run through the function, loops twice and both branches, and see that every read finds its own tile.

    A tile that was written must still be the last one written at its bytes when it is read.
    """
    last: dict[int, SSAValue] = {}
    written: set[SSAValue] = set()

    def visit(op: Operation) -> None:
        outs = set(getattr(op, "OUTS", ()))
        for slot, values in op.segments() if hasattr(op, "segments") else ():
            for value in values:
                if isinstance(value.type, TileType):
                    touch(value, slot.name in outs)
        for region in op.regions:
            for _ in range(2 if isinstance(op, scf.ForOp) else 1):
                for block in region.blocks:
                    for inner in block.ops:
                        visit(inner)

    def touch(value: SSAValue, write: bool) -> None:
        start, end = tiles[value]
        for block in range(start // 32, end // 32):
            if write:
                last[block] = value
            elif value in written:
                assert last[block] is value, f"{value} was overwritten by {last[block]}"
        if write:
            written.add(value)

    for op in function.body.block.ops:
        if not isinstance(op, AllocTileOp | TAssignOp):
            visit(op)


def test_over_budget_names_the_tiles_at_the_peak() -> None:
    text = """
.arg %a : !pto.memref<128x256xf32>
.arg %out : !pto.memref<128x256xf32>
%x = tload %a : (!pto.memref<128x256xf32>) -> !pto.tile<128x256xf32>
%y = tadd %x, %x : !pto.tile<128x256xf32>
tstore %y, %out
"""
    with pytest.raises(PtoasError) as error:
        prepare(ptoas.parse(text), "a2a3")
    (found,) = error.value.diagnostics
    assert found.code == "PTO-L007"
    assert "262144" in found.message and "196608" in found.message
    assert "%x" in found.notes[0].message and "%y" in found.notes[0].message


def test_manual_placement_keeps_addresses_with_scratch_above() -> None:
    text = """
.arg %a : !pto.memref<16x16xf32>
.arg %out : !pto.memref<16x1xf32, dn>
%x = alloc_tile : !pto.tile_buf<vec, 16x16xf32>
%s = alloc_tile : !pto.tile_buf<vec, 16x1xf32>
tassign %x, @tile(0x1000) : !pto.tile_buf<vec, 16x16xf32>
tassign %s, @tile(0x2000) : !pto.tile_buf<vec, 16x1xf32>
tload %x, %a : (!pto.tile_buf<vec, 16x16xf32>, !pto.memref<16x16xf32>)
trowsum %s, %x : (!pto.tile_buf<vec, 16x1xf32>, !pto.tile_buf<vec, 16x16xf32>)
tstore %s, %out
"""
    tiles = placed(prepare(ptoas.parse(text), "a2a3"))
    assert tiles["x"] == (0x1000, 0x1400)
    assert tiles["s"] == (0x2000, 0x2040)
    assert tiles["tmp"][0] >= 0x2040


def test_tile_arguments_keep_their_bytes_for_the_whole_function() -> None:
    text = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<8x8xi32>
.arg %out : !pto.memref<8x8xf32>
%d = mgather.elem %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<8x8xi32>) -> !pto.tile<8x8xf32>
%e = tadd %d, %d : !pto.tile<8x8xf32>
tstore %e, %out
"""
    module = prepare(ptoas.parse(text), "a5")
    (function,) = functions(module)
    ((argument, address),) = tile_argument_addresses(function).items()
    assert isinstance(argument.type, TileType)
    bytes_of_argument = (address, address + argument.type.size_bytes)
    assert all(not overlap(bytes_of_argument, other) for other in placed(module).values())


def test_a_called_function_is_placed_above_its_callers() -> None:
    text = """
func.func private @inner(%t: !pto.tile_buf<vec, 8x8xf32>) {
  %u = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tadd ins(%t, %t : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x8xf32>) outs(%u : !pto.tile_buf<vec, 8x8xf32>)
  pto.tmov ins(%u : !pto.tile_buf<vec, 8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  return
}
func.func @outer(%a: !pto.memref<8x8xf32>) {
  %x = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%a : !pto.memref<8x8xf32>) outs(%x : !pto.tile_buf<vec, 8x8xf32>)
  func.call @inner(%x) : (!pto.tile_buf<vec, 8x8xf32>) -> ()
  pto.tstore ins(%x : !pto.tile_buf<vec, 8x8xf32>) outs(%a : !pto.memref<8x8xf32>)
  return
}
"""
    tiles = placed(prepare(ptoas.parse(text), "a5"))
    assert not overlap(tiles["x"], tiles["u"])


def test_each_memory_has_its_own_addresses() -> None:
    text = """
func.func @f(%a: !pto.memref<16x16xf32>) {
  %m = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf32>
  %v = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
  pto.tload ins(%a : !pto.memref<16x16xf32>) outs(%m : !pto.tile_buf<mat, 16x16xf32>)
  pto.tload ins(%a : !pto.memref<16x16xf32>) outs(%v : !pto.tile_buf<vec, 16x16xf32>)
  pto.tprint ins(%m : !pto.tile_buf<mat, 16x16xf32>)
  pto.tprint ins(%v : !pto.tile_buf<vec, 16x16xf32>)
  return
}
"""
    tiles = placed(prepare(ptoas.parse(text), "a5"))
    assert tiles["m"][0] == tiles["v"][0] == 0
    assert TileLoc.Mat is not TileLoc.Vec


def test_simulator_memories_of_one_array_are_disjoint() -> None:
    """The simulator has no array for bias or scaling: at an address of vec they would share its bytes."""
    tiles = {
        "vec": "!pto.tile_buf<vec, 1x64xf32>",
        "bias": "!pto.tile_buf<bias, 1x64xf32>",
        "scaling": "!pto.tile_buf<scaling, 1x32xui64>",
        "mat": "!pto.tile_buf<mat, 1x64xf32>",
        "words": "!pto.tile_buf<mat, 1x32xui64>",
    }
    lines = [f"%{name} = pto.alloc_tile : {type}" for name, type in tiles.items()]
    lines += [
        f"pto.tload ins(%m : !pto.memref<1x64xf32>) outs(%mat : {tiles['mat']})",
        f"pto.tload ins(%m : !pto.memref<1x64xf32>) outs(%vec : {tiles['vec']})",
        f"pto.tload ins(%w : !pto.memref<1x32xui64>) outs(%words : {tiles['words']})",
        f"pto.tmov ins(%mat : {tiles['mat']}) outs(%bias : {tiles['bias']})",
        f"pto.tmov ins(%words : {tiles['words']}) outs(%scaling : {tiles['scaling']})",
        f"pto.tstore ins(%vec : {tiles['vec']}) outs(%m : !pto.memref<1x64xf32>)",
    ]
    arguments = "%m: !pto.memref<1x64xf32>, %w: !pto.memref<1x32xui64>"
    text = f"func.func @k({arguments}) {{\n  " + "\n  ".join(lines) + "\n  return\n}"

    def addresses(target: str) -> list[int]:
        found = placed(prepare(ptoas.parse(text), target))
        return [found[name][0] for name in ("vec", "bias", "scaling")]

    assert addresses("a5") == [0, 0, 0]
    vec, bias, scaling = addresses("cpu")
    assert vec not in (bias, scaling)


@pytest.mark.parametrize(("sync", "shared"), [(None, False), ("manual", False), ("auto", True)])
def test_tiles_share_no_bytes_where_flags_are_by_hand(sync: str | None, shared: bool) -> None:
    """The flags of the program order its tiles, not the bytes that the compiler would use again."""
    tile, view = "!pto.tile_buf<vec, 16x16xf32>", "!pto.memref<16x16xf32>"
    flags = "".join(f"pto.{word}_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n" for word in ("set", "wait"))
    module = ptoas.parse(
        f"func.func @f(%x: {view}, %y: {view}) {{\n"
        f"%a = pto.alloc_tile : {tile}\n%b = pto.alloc_tile : {tile}\n%c = pto.alloc_tile : {tile}\n"
        f"pto.tload ins(%x : {view}) outs(%a : {tile})\n{flags}"
        f"pto.tabs ins(%a : {tile}) outs(%b : {tile})\n"
        f"pto.tload ins(%y : {view}) outs(%c : {tile})\n{flags}"
        f"pto.tadd ins(%b, %c : {tile}, {tile}) outs(%b : {tile})\nreturn\n}}\n"
    )
    starts = {start for start, _ in placed(prepare(module, "a5", sync=sync)).values()}
    assert (len(starts) < 3) == shared
