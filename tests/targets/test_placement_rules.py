"""Messages of the rules about local memory, and their related places."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.diagnostics import Diagnostic
from ptoas.grammar.parse import parse
from ptoas.targets.rules.examples import kernel
from ptoas.verifier.verify import verify

TILE, MEMORY = "!pto.tile_buf<vec, 16x32xf32>", "!pto.memref<16x32xf32>"
VEC_OF_A5 = "256 KB less 8 KB reserved"


def load(tile: str) -> str:
    return f"pto.tload ins(%x : {MEMORY}) outs({tile} : {TILE})"


def store(tile: str) -> str:
    return f"pto.tstore ins({tile} : {TILE}) outs(%x : {MEMORY})"


def finding(code: str, *lines: str, target: str = "a2a3") -> Diagnostic:
    """The one finding of a kernel whose first statement stands on line 2."""
    (found,) = verify(parse(kernel(*lines, args=f"%x: {MEMORY}")), target).diagnostics
    assert found.code == code
    return found


def related(found: Diagnostic) -> list[tuple[str, int]]:
    return [(note.message, note.span.line) for note in found.notes if note.span is not None]


@pytest.mark.parametrize(
    ("target", "loc", "limit", "why"),
    [
        ("a2a3", "vec", 192, "all of vec"),
        ("a2a3", "mat", 512, "all of mat"),
        ("a5", "mat", 512, "all of mat"),
        ("a5", "vec", 248, VEC_OF_A5),
    ],
)
def test_a_limit_is_explained(target: str, loc: str, limit: int, why: str) -> None:
    """000, UB Memory Budget."""
    tile = f"!pto.tile_buf<{loc}, 16x32xf32>"
    address = limit * 1024 - 1024
    placed = finding(
        "PTO-U102",
        f"%p = arith.constant {address} : i64",
        f"%a = pto.alloc_tile addr = %p : {tile}",
        target=target,
    )
    end = f"{address} + 2048 = {address + 2048}"
    assert placed.message == f"end of `%a`: found {end}, expected at most {limit * 1024} ({why})"
    rows = 2 * limit + 2
    big, memory = f"!pto.tile_buf<{loc}, {rows}x128xf32>", f"!pto.memref<{rows}x128xf32>"
    text = kernel(
        f"%a = pto.alloc_tile : {big}",
        f"pto.tload ins(%y : {memory}) outs(%a : {big})",
        args=f"%y: {memory}",
    )
    (alive,) = verify(parse(text), target).diagnostics
    expected = f"live tiles need {rows * 512} bytes of {loc}; {limit * 1024} are available ({why})"
    assert (alive.code, alive.message) == ("PTO-U103", expected)


def test_the_first_address_shows_that_tiles_are_placed_by_hand() -> None:
    found = finding(
        "PTO-U101",
        "%p = arith.constant 0 : i64",
        f"%a = pto.alloc_tile addr = %p : {TILE}",
        f"%b = pto.alloc_tile addr = %p : {TILE}",
        f"%c = pto.alloc_tile : {TILE}",
    )
    assert related(found) == [("this address switches the function to manual placement", 3)]
    assert found.span.line == 5


def test_an_overlap_is_shown_with_its_bytes() -> None:
    found = finding(
        "PTO-U105",
        "%p = arith.constant 1024 : i64",
        "%q = arith.constant 2048 : i64",
        f"%a = pto.alloc_tile addr = %p : {TILE}",
        f"%b = pto.alloc_tile addr = %q : {TILE}",
        *map(load, ("%a", "%b", "%a")),
    )
    assert found.message == "`%b` (bytes 2048 to 4095) partly overlaps `%a` (bytes 1024 to 3071)"
    assert found.fix == "use an address from 3072 on, or the same address as `%a`"
    assert related(found) == [("`%a` is placed here", 4)]


def test_an_overlap_of_tiles_without_addresses_has_their_names() -> None:
    table, tile = "!pto.memref<64x16xi32>", "!pto.tile_buf<vec, 16x16xi32>"
    gather = f"pto.mgather ins(%t, %i : {table}, {tile}) outs(%i : {tile}) {{coalesce = #pto<coalesce elem>}}"
    text = kernel(gather, args=f"%t: {table}, %i: {tile}")
    (found,) = verify(parse(text), "a5").diagnostics
    message = "`%i` is both dst and idx"
    assert (found.code, found.message) == ("PTO-U104", message)


def test_an_address_that_comes_too_late_names_the_first_use() -> None:
    found = finding(
        "PTO-U107",
        f"%a = pto.alloc_tile : {TILE}",
        *map(load, ("%a", "%a")),
        f"pto.tassign %a, @tile(0x1000) : {TILE}",
    )
    assert (found.span.line, found.fix) == (5, "move `tassign` before line 3")
    assert related(found) == [("used here", 3)]


def test_a_result_that_is_used_before_its_address_names_the_use() -> None:
    """Its address is known too late for the instruction that makes it as well."""
    found = finding(
        "PTO-U107",
        f"%a = pto.tload %x : {MEMORY} -> !pto.tile<16x32xf32>",
        f"pto.tstore %a, %x : (!pto.tile<16x32xf32>, {MEMORY}) -> ()",
        "%p = arith.constant 0 : i64",
        "%b = pto.tassign %a, %p : !pto.tile<16x32xf32> -> !pto.tile<16x32xf32>",
    )
    assert related(found) == [("used here", 3)]


@pytest.mark.parametrize(
    ("other", "fix"),
    [
        ((load("%rows"),), "`%rows` is written and never read: did you mean `%row` there?"),
        ((load("%rows"), f"pto.tprint ins(%rows : {TILE})"), None),
    ],
)
def test_misspelled_destination_is_an_unused_tile(other: tuple[str, ...], fix: str | None) -> None:
    tiles = [f"%{name} = pto.alloc_tile : {TILE}" for name in ("row", "rows")]
    assert finding("PTO-U106", *tiles, *other, store("%row")).fix == fix


def test_a_slip_is_no_scalar() -> None:
    text = kernel("func.call @other(%rows) : (index) -> ()", f"%row = pto.alloc_tile : {TILE}", store("%row"))
    text = text.replace("@kernel()", f"@kernel(%x: {MEMORY}, %rows: index)")
    (found,) = verify(parse(f"func.func private @other(index)\n{text}"), "a5").diagnostics
    assert (found.code, found.fix) == ("PTO-U106", None)


READ = "pto.tstore ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%o : !pto.memref<8x8xf32>)"


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("", ["PTO-U106"]),
        ("pto.tmystery ins(%o : MEM) outs(%a : TILE)", []),
        ("pto.tmystery ins(%a : TILE) outs(%o : MEM)", ["PTO-U106"]),
        ('"other.mystery"(%a) : (TILE) -> ()', []),
    ],
)
def test_what_an_unknown_instruction_writes_is_written(before: str, found: list[str]) -> None:
    """Its `outs(...)` if it has them, else whatever it is given (D29); a warning: other tools compile it."""
    tile, memory = "!pto.tile_buf<vec, 8x8xf32>", "!pto.memref<8x8xf32>"
    body = f"%a = pto.alloc_tile : {tile}\n{before}\n{READ}".replace("TILE", tile).replace("MEM", memory)
    text = f"func.func @k(%o: {memory}) {{\n{body}\nreturn\n}}"
    report = ptoas.verify(ptoas.parse(text, allow_unregistered=True), "a5")
    assert [(d.code, d.severity.value) for d in report.diagnostics] == [(code, "warning") for code in found]
    if not before:
        with pytest.raises(ptoas.PtoasError, match="PTO-R201"):
            ptoas.run(ptoas.parse(text), target="a5")
