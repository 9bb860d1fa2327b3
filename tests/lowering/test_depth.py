"""Cost of following flags in deep or wide programs: counted in visits, not in seconds."""

from __future__ import annotations

from collections import Counter

import pytest

import ptoas
from benchmarks.large import visits
from ptoas.lowering import happens_before, prepare


def test_verifying_flags_visits_an_instruction_equally_often_at_any_depth() -> None:
    assert {visits(depth, by_hand=True) for depth in (1, 2, 8, 64)} == {3}


def test_each_loop_around_adds_the_same_number_of_visits_to_inserting_flags() -> None:
    """Twice as deep, twice as many more; beginning anew in every loop would double them with each."""
    seen = {depth: visits(depth, by_hand=False) for depth in (2, 4, 8, 16, 64)}
    for depth in (4, 8, 16, 64):
        step = (seen[depth] - seen[2]) / (depth - 2)
        assert step == (seen[4] - seen[2]) / 2 <= 3, seen


def test_flag_knowledge_is_independent_of_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flags with the index of unknown accesses equal those of a full scan."""
    tile, view, count = "!pto.tile_buf<vec, 1x8xf32>", "!pto.memref<1x8xf32>", 70
    body = [f"%t{n} = pto.alloc_tile : {tile}" for n in range(count)]
    for turn in range(2):
        order = [(n * 37 + turn * 11) % count for n in range(count)]
        body += [f"pto.tload ins(%x : {view}) outs(%t{n} : {tile})" for n in order[: 66 + 4 * turn]]
        body += [f"scf.for %k{turn} = %c0 to %n step %c1 {{"] if turn else []
        body += [
            f"pto.tadd ins(%t{n}, %t{order[n]} : {tile}, {tile}) outs(%t{n} : {tile})" for n in order[::2]
        ]
        body += [f"pto.tstore ins(%t{n} : {tile}) outs(%y : {view})" for n in order[::3]]
        body += ["}"] if turn else []
    constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    text = (
        f"func.func @f(%x: {view}, %y: {view}, %n: index) {{\n{constants}" + "\n".join(body) + "\nreturn\n}\n"
    )
    for target in ("a5", "a2a3"):
        indexed = ptoas.print_module(prepare(ptoas.parse(text), target))
        monkeypatch.setattr(happens_before, "MANY_PLACES", 1 << 30)
        assert ptoas.print_module(prepare(ptoas.parse(text), target)) == indexed
        monkeypatch.undo()
        assert indexed.count("set_flag") > 20


def test_a_handshake_with_a_pipe_that_accesses_nothing_among_many_tiles() -> None:
    """A shift on a2a3 is a loop of the scalar pipe between handshakes with the vector pipe."""
    tile, view, count = "!pto.tile_buf<vec, 1x8xi32>", "!pto.memref<1x8xi32>", 70
    lines = [f"func.func @f(%x: {view}, %y: {view}) {{"]
    lines += [f"%t{n} = pto.alloc_tile : {tile}" for n in range(count)]
    lines += [f"pto.tload ins(%x : {view}) outs(%t{n} : {tile})" for n in range(count)]
    lines += [f"pto.tshl ins(%t{n}, %t0 : {tile}, {tile}) outs(%t{n} : {tile})" for n in range(1, count)]
    lines += [f"pto.tstore ins(%t{n} : {tile}) outs(%y : {view})" for n in range(1, count)]
    module = prepare(ptoas.parse("\n".join([*lines, "return", "}"])), "a2a3")
    assert not ptoas.verify(module, "a2a3").errors


def looked_at(monkeypatch: pytest.MonkeyPatch, text: str, target: str = "a5") -> int:
    """Count the accesses that the flags of a program look at while they are inserted."""
    looked = Counter[str]()
    plain = happens_before.State._released_by  # pyright: ignore[reportPrivateUsage]

    def counting(self: happens_before.State, *arguments: int):  # pyright: ignore
        found = list(plain(self, *arguments))
        looked["all"] += len(found)
        return found

    monkeypatch.setattr(happens_before.State, "_released_by", counting)
    prepare(ptoas.parse(text), target)
    monkeypatch.undo()
    return looked["all"]


def loads(tiles: int) -> str:
    tile, view = "!pto.tile_buf<vec, 1x8xf32>", "!pto.memref<1x8xf32>"
    return f"func.func @f(%x: {view}, %n: index) {{\n" + "".join(
        f"%t{n} = pto.alloc_tile : {tile}\npto.tload ins(%x : {view}) outs(%t{n} : {tile})\n"
        for n in range(tiles)
    )


def add(n: int) -> str:
    tile = "!pto.tile_buf<vec, 1x8xf32>"
    return f"pto.tadd ins(%t{n}, %t0 : {tile}, {tile}) outs(%t0 : {tile})\n"


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_thousands_of_live_tiles_cost_a_flag_what_few_do(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """The number of visited accesses of a flag, and of a barrier on a2a3, does not grow with loaded, unused
    tiles."""
    few, many = (
        looked_at(monkeypatch, loads(tiles) + "".join(map(add, range(tiles))) + "return\n}\n", target)
        for tiles in (400, 800)
    )
    assert 0 < many < 2.5 * few


def test_a_loop_among_live_tiles_costs_a_flag_what_it_does_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags of a loop look at its own accesses, however many tiles are loaded and not used yet."""
    constants = "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
    few, many = (
        looked_at(
            monkeypatch,
            loads(tiles)
            + constants
            + "".join(f"scf.for %k{n} = %c0 to %n step %c1 {{\n{add(n)}}}\n" for n in range(tiles))
            + "return\n}\n",
        )
        for tiles in (150, 300)
    )
    assert 0 < many < 2.5 * few
