"""Facts about a whole function: its tiles, their live ranges, and the peak of live bytes."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.effects import NOTHING, touched
from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.liveness import Liveness, LiveTile, peak
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.parse import parse
from ptoas.targets import get_target

from .functions import BOXED, FIRST, Facts, M, T, alloc, load, store, two_tiles, window

# --- tiles ---------------------------------------------------------------------------------------


def test_facts_identify_a_tile_by_its_name() -> None:
    found = Facts(alloc("a"))
    assert value_name(found["a"]) == "%a"
    found["a"].name_hint = None
    assert value_name(found["a"]) == "a tile"


def test_local_tiles_have_memory_of_their_own() -> None:
    found = Facts(
        alloc("a"),
        window("w", "a", "%c0", "%c0", 8, 32),
        f"%b = pto.tload %x : {M} -> {T}",
        "%s = arith.addi %c1, %c2 : index",
    )
    assert found.names(found.facts.local_tiles) == ["a", "b"]
    assert found.names(found.facts.arguments) == ["arg"]


def test_a_declaration_has_no_arguments_and_no_operations() -> None:
    module = parse(f"func.func private @callee({T}) -> ()")
    (func,) = [op for op in module.walk() if isinstance(op, FuncOp)]
    facts = FunctionFacts(func, Knowledge())
    assert facts.arguments == () and facts.ops == [] and facts.live_tiles == ()


def test_root_is_found_through_windows_and_bindings() -> None:
    small = "!pto.tile_buf<vec, 8x32xf32>"
    found = Facts(
        alloc("a"),
        window("w", "a", "%c0", "%c0", 8, 32),
        window("v", "w", "%c0", "%c0", 4, 32, small),
        "%r = pto.tassign %v, @tile(0x40) : !pto.tile_buf<vec, 4x32xf32> -> !pto.tile_buf<vec, 4x32xf32>",
    )
    assert {found.facts.root(found[name]) for name in ("a", "w", "v", "r")} == {found["a"]}
    assert found.facts.root(found["arg"]) is found["arg"]


def test_a_value_that_a_loop_hands_on_may_name_several_tiles() -> None:
    found = Facts(
        alloc("a"),
        alloc("b"),
        f"%p, %q = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> ({T}, {T}) {{",
        f"scf.yield %t, %s : {T}, {T}",
        "}",
    )
    assert {storage.root for storage in found.facts.places(found["p"])} == {found["a"], found["b"]}
    (alone,) = found.facts.places(found["a"])
    assert alone == found.facts.storage(found["a"])
    storages = found.facts.places(found["s"])
    assert {storage.root for storage in storages} == {found["a"], found["b"]}
    assert found.facts.places(found["s"]) is storages, "found once"


# --- who decides ---------------------------------------------------------------------------------

FLAG = "[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]"


@pytest.mark.parametrize(
    ("lines", "placed"),
    [
        ([alloc("a")], False),
        ([alloc("a", addr="%c0")], True),
        ([alloc("a"), f"pto.tassign %a, @tile(0x40) : {T}"], True),
    ],
)
def test_one_address_is_enough_to_place_by_hand(lines: list[str], placed: bool) -> None:
    assert Facts(*lines).facts.manual_placement is placed


@pytest.mark.parametrize(
    ("lines", "by_hand"),
    [
        ([], False),
        ([f"pto.set_flag{FLAG}"], True),
        ([f"pto.wait_flag{FLAG}"], True),
        (["pto.barrier #pto.pipe<PIPE_ALL>"], False),
    ],
)
def test_one_flag_is_enough_to_synchronise_by_hand(lines: list[str], by_hand: bool) -> None:
    assert Facts(*lines).facts.has_manual_sync is by_hand
    for override in (True, False):
        facts = Facts(*lines).facts
        facts.sync_override = override
        assert facts.has_manual_sync is override


INDEX = "!pto.tile_buf<vec, 16x32xi32>"


@pytest.mark.parametrize(
    ("line", "simt"),
    [
        (f"pto.mgather ins(%x, %i : {M}, {INDEX}) outs(%arg : {T})", True),
        (f"pto.mscatter ins(%arg, %i : {T}, {INDEX}) outs(%x : {M})", True),
        (f"pto.tload ins(%x : {M}) outs(%arg : {T})", False),
    ],
)
def test_gathers_and_scatters_of_memory_are_simt(line: str, simt: bool) -> None:
    assert Facts(alloc("i", INDEX), line).facts.has_simt(get_target("a5")) is simt


# --- when ----------------------------------------------------------------------------------------


def live(found: Facts, name: str) -> tuple[int, int] | None:
    tile = Liveness(found.facts.func).live(found[name])
    return None if tile is None else (tile.first - FIRST, tile.last - FIRST)


def test_a_tile_lives_from_its_first_to_its_last_use() -> None:
    found = Facts(alloc("a"), alloc("b"), load("a"), load("b"), store("b"), store("a"), alloc("c"))
    assert live(found, "a") == (2, 5) and live(found, "b") == (3, 4)
    assert live(found, "c") is None, "nobody uses it"
    tiles = found.facts.live_tiles
    assert [tile.root.name_hint for tile in tiles] == ["arg", "a", "b"]


def test_an_argument_lives_all_the_time() -> None:
    found = Facts(alloc("a"), load("a"), store("a"))
    tile = Liveness(found.facts.func).live(found["arg"])
    assert tile is not None and (tile.first, tile.last) == (0, len(found.facts.ops) - 1)


def test_a_result_lives_from_its_instruction_on() -> None:
    found = Facts(
        f"%a = pto.tload %x : {M} -> {T}", alloc("b"), f"%c = pto.tload %x : {M} -> {T}", store("a")
    )
    assert live(found, "a") == (0, 3) and live(found, "c") == (2, 2)


def test_a_window_keeps_its_tile_alive() -> None:
    small = "!pto.tile_buf<vec, 8x32xf32>"
    found = Facts(
        alloc("a"),
        window("w", "a", "%c0", "%c0", 8, 32),
        load("a"),
        f"pto.tneg ins(%w : {small}) outs(%w : {small})",
    )
    assert live(found, "a") == (2, 3), "taking the window is no use"


def loop(*lines: str) -> list[str]:
    return ["scf.for %k = %c0 to %n step %c1 {", *lines, "}"]


def test_tile_used_in_a_loop_is_live_in_all_iterations() -> None:
    # Two tiles; 2: load, 3: loop, 4: store a, 5: tile, 6: load c, 7: store c, 8: load b, 9: yield, 10: store
    inside = [store("a"), alloc("c"), load("c"), store("c"), load("b")]
    found = Facts(alloc("a"), alloc("b"), load("a"), *loop(*inside), store("b"))
    ops = found.facts.ops[FIRST:]
    assert ops[3].name == "scf.for" and ops[9].name == "scf.yield"
    assert found.facts.loops == [(FIRST + 4, FIRST + 9)]
    assert live(found, "a") == (2, 9), "to the end of the loop"
    assert live(found, "b") == (4, 10), "from its beginning"
    assert live(found, "c") == (6, 7), "its own in every turn"


def test_a_loop_that_a_tile_is_not_used_in_does_not_matter() -> None:
    found = Facts(alloc("a"), alloc("b"), load("a"), store("a"), *loop(load("b"), store("b")))
    assert live(found, "a") == (2, 3)


def test_tile_written_first_in_a_loop_is_live_inside_only() -> None:
    found = Facts(alloc("b"), *loop(f"%a = pto.tload %x : {M} -> {T}", store("a"), load("b"), store("b")))
    assert live(found, "a") == (2, 3)


def test_yielded_tile_is_live_through_the_loop() -> None:
    found = Facts(
        alloc("a"),
        alloc("b"),
        f"%p = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> ({T}) {{",
        "%sum = arith.addi %k, %c1 : index",
        f"scf.yield %b : {T}",
        "}",
    )
    assert live(found, "b") == (3, 4)


def test_a_while_loop_is_a_loop() -> None:
    found = Facts(
        alloc("a"),
        "%j = scf.while (%i = %c0) : (index) -> (index) {",
        "%more = arith.cmpi slt, %i, %n : index",
        "scf.condition(%more) %i : index",
        "} do {",
        "^bb0(%i2: index):",
        load("a"),
        store("a"),
        "%next = arith.addi %i2, %c1 : index",
        "scf.yield %next : index",
        "}",
    )
    names = [op.name for op in found.facts.ops[FIRST:]]
    first, last = names.index("arith.cmpi"), names.index("scf.yield")
    assert found.facts.loops == [(FIRST + first, FIRST + last)]
    assert live(found, "a") == (first, last)


def test_branch_result_extends_the_lifetime_of_a_tile() -> None:
    found = Facts(
        alloc("a"),
        alloc("b"),
        f"%z = scf.if %go -> ({T}) {{",
        f"scf.yield %a : {T}",
        "} else {",
        f"scf.yield %b : {T}",
        "}",
        store("z"),
    )
    last = len(found.facts.ops) - FIRST - 2
    assert live(found, "a") == (3, last) and live(found, "b") == (4, last)


# --- how much ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "bytes"), [("1x8xi32", 32), ("1x9xi32", 64), ("1x1xi8", 32), ("1x16xi32", 64)]
)
def test_a_tile_takes_whole_units_of_32_bytes(type: str, bytes: int) -> None:
    found = Facts(alloc("a", f"!pto.tile_buf<vec, {type}>"))
    tile = found["a"].type
    assert isinstance(tile, TileType)
    assert LiveTile(found["a"], tile, 0, 0).bytes == bytes


@given(*[st.integers(0, 6)] * 2, *[st.integers(0, 4)] * 2)
def test_tiles_live_together_when_they_share_a_moment(first: int, begin: int, more: int, longer: int) -> None:
    root, _ = two_tiles()
    assert isinstance(root.type, TileType)
    one = LiveTile(root, root.type, first, first + more)
    other = LiveTile(root, root.type, begin, begin + longer)
    share = set(range(first, first + more + 1)) & set(range(begin, begin + longer + 1))
    assert one.overlaps(other) is bool(share)


def test_the_peak_is_the_most_that_is_needed_at_once() -> None:
    """2 KB each: two at first, then three; the matrix memory counts for itself."""
    found = Facts(
        *(alloc(name) for name in "abc"),
        alloc("m", BOXED),
        load("a"),
        store("a"),
        load("b"),
        load("c"),
        f"pto.tmov ins(%m : {BOXED}) outs(%m : {BOXED})",
        store("c"),
        store("b"),
    )
    total, tiles = found.facts.peak(TileLoc.Vec)
    assert total == 3 * 2048 and [tile.root.name_hint for tile in tiles] == ["arg", "b", "c"]
    assert [(tile.first - FIRST, tile.last - FIRST) for tile in tiles[1:]] == [(6, 10), (7, 9)]
    assert found.facts.peak(TileLoc.Mat)[0] == 64 * 64 * 2
    assert found.facts.peak(TileLoc.Left) == (0, ())


class Counting(LiveTile):
    """Counts how often its beginning is looked at."""

    looks = 0

    def __getattribute__(self, name: str) -> object:
        if name == "first":
            Counting.looks += 1
        return super().__getattribute__(name)


SIZES = ("1x8xf32", "2x8xf32", "3x8xf32")


@cache
def tile_type(shape: str) -> TileType:
    type = Facts(alloc("a", f"!pto.tile_buf<vec, {shape}>"))["a"].type
    assert isinstance(type, TileType)
    return type


@given(st.lists(st.tuples(st.sampled_from(SIZES), st.integers(0, 8), st.integers(0, 8)), max_size=12))
def test_no_position_needs_more_than_the_peak(spans: list[tuple[str, int, int]]) -> None:
    root, _ = two_tiles()
    tiles = [LiveTile(root, tile_type(shape), first, first + more) for shape, first, more in spans]
    alive = [tuple(tile for tile in tiles if tile.first <= at <= tile.last) for at in range(17)]
    needed = [sum(tile.bytes for tile in together) for together in alive]
    assert peak(tiles) == (max(needed), alive[needed.index(max(needed))] if tiles else ())


def test_twice_the_tiles_are_twice_the_work() -> None:
    """A chain of tiles, each with its neighbours: to compare all with all would be four times the work."""
    root, _ = two_tiles()
    assert isinstance(root.type, TileType)
    looks: list[int] = []
    for count in (500, 1000):
        Counting.looks = 0
        peak([Counting(root, root.type, at, at + 2) for at in range(count)])
        looks.append(Counting.looks)
    assert looks[1] <= 2.2 * looks[0]


def test_first_of_equal_peaks_is_reported() -> None:
    found = Facts(alloc("a"), alloc("b"), load("a"), store("a"), load("b"), store("b"))
    _, tiles = found.facts.peak(TileLoc.Vec)
    assert [tile.root.name_hint for tile in tiles] == ["arg", "a"]


# --- effects -------------------------------------------------------------------------------------


def test_only_instructions_have_effects() -> None:
    found = Facts(alloc("a"), load("a"))
    a5 = get_target("a5")
    constant, loading = found.facts.ops[0], found.facts.ops[FIRST + 1]
    assert found.facts.effects(constant, a5) is NOTHING
    effects = found.facts.effects(loading, a5)
    assert effects == a5.effects(loading) and effects.accesses  # type: ignore[arg-type]
    assert found.facts.effects(loading, a5) is effects, "found once"


def test_an_access_touches_an_operand_or_a_result() -> None:
    found = Facts(f"%a = pto.tload %x : {M} -> {T}")
    op = found["a"].owner
    assert isinstance(op, Operation)
    assert touched(op, 0) is found["x"] and touched(op, -1) is found["a"]
