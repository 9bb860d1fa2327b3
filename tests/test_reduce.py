"""`ptoas reduce`: the smallest program that keeps a finding, a difference or a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.project.reduce import StillCrashes, StillDiffers, StillReports, StillSucceeds, reduce

TILE = "!pto.tile_buf<vec, 16x64xf32>"
VIEW = "!pto.memref<16x64xf32>"
TWO_TILES = f"%a = pto.alloc_tile : {TILE}\n%b = pto.alloc_tile : {TILE}"
LOAD = f"pto.tload ins(%x : {VIEW}) outs(%a : {TILE})"
EXP = f"pto.texp ins(%a : {TILE}) outs(%b : {TILE})"
STORE = f"pto.tstore ins(%b : {TILE}) outs(%y : {VIEW})"


def flag(verb: str, source: str, destination: str, event: int = 0) -> str:
    pipes = f"#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{destination}>"
    return f"pto.{verb}_flag[{pipes}, #pto.event<EVENT_ID{event}>]"


LOADED = [flag("set", "MTE2", "V"), flag("wait", "MTE2", "V")]
STORED = [flag("set", "V", "MTE3"), flag("wait", "V", "MTE3")]

BUGS: dict[str, tuple[str, list[str]]] = {
    "a flag before the computation is missing": ("PTO-F101", [TWO_TILES, LOAD, EXP, *STORED, STORE]),
    "a flag before the store is missing": ("PTO-F101", [TWO_TILES, LOAD, *LOADED, EXP, STORE]),
    "a flag is never set": ("PTO-F102", [flag("wait", "MTE2", "V", 3)]),
    "a flag is set twice": ("PTO-F103", [flag("set", "MTE2", "V"), *LOADED]),
    "a flag is left set": ("PTO-F104", [flag("set", "V", "MTE3")]),
    "a tile is read before it is written": ("PTO-U106", [TWO_TILES, EXP, *STORED, STORE]),
    "a run reads what nothing has written": ("PTO-R201", [TWO_TILES, EXP, *STORED, STORE]),
    "a tile does not fit": ("PTO-U103", ["%a = pto.alloc_tile : !pto.tile_buf<vec, 512x128xf32>"]),
    "an iteration overwrites what the last one still reads": (
        "PTO-F101",
        [
            TWO_TILES,
            "%low = arith.constant 0 : index\n%high = arith.constant 4 : index",
            "%one = arith.constant 1 : index",
            "scf.for %i = %low to %high step %one {",
            *[LOAD, *LOADED, EXP, *STORED, STORE],
            "}",
        ],
    ),
    "an index is out of bounds": (
        "PTO-R101",
        [
            "%i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>",
            f"%r = pto.alloc_tile : {TILE}",
            "%last = arith.constant 90 : i32",
            "pto.texpands ins(%last : i32) outs(%i : !pto.tile_buf<vec, 1x16xi32>)",
            f"pto.mgather ins(%x, %i : {VIEW}, !pto.tile_buf<vec, 1x16xi32>) outs(%r : {TILE}) "
            "{coalesce = #pto<coalesce row>}",
        ],
    ),
}


def program(lines: list[str], padding: int = 0) -> str:
    """A kernel with these statements, between unrelated ones: four lines for each number of padding."""
    around: list[str] = []
    for n in range(padding):
        tile = "!pto.tile_buf<vec, 8x64xf32>"
        around += [
            f"%p{n} = pto.alloc_tile : {tile}",
            f"%k{n} = arith.constant {n}.5 : f32",
            f"pto.texpands ins(%k{n} : f32) outs(%p{n} : {tile})",
            f"pto.tadds ins(%p{n}, %k{n} : {tile}, f32) outs(%p{n} : {tile})",
        ]
    half = len(around) // 2
    body = "\n".join([*around[:half], *lines, *around[half:], "return"])
    head = f"func.func @kernel(%x: {VIEW}, %y: {VIEW})"
    return f'module attributes {{pto.target_arch = "a5"}} {{\n{head} {{\n{body}\n}}\n}}'


@pytest.mark.parametrize("name", BUGS)
def test_reduce_finds_the_bug_in_a_large_program(name: str) -> None:
    code, lines = BUGS[name]
    smallest = len(ptoas.print_module(ptoas.parse(program(lines))).splitlines())
    module = ptoas.parse(program(lines, padding=20))
    found = reduce(module, StillReports.like(module, code, "a5"))
    assert found.finished and len(found.text.splitlines()) <= 2 * smallest
    assert StillReports.like(module, code, "a5")(found.text)


def test_reduce_does_not_depend_on_the_number_of_workers() -> None:
    module = ptoas.parse(program(BUGS["a flag before the store is missing"][1], padding=20))
    interesting = StillReports.like(module, "PTO-F101", "a5")
    assert reduce(module, interesting).text == reduce(module, interesting, jobs=2).text


def test_reduce_keeps_the_best_program_when_time_is_over() -> None:
    module = ptoas.parse(program([TWO_TILES, LOAD], padding=5))
    found = reduce(module, lambda text: "tload" in text, seconds=0)
    assert not found.finished and found.text == ptoas.print_module(module)


def test_reduce_keeps_the_best_program_when_interrupted() -> None:
    module = ptoas.parse(program([TWO_TILES, LOAD, EXP], padding=5))
    judged: list[str] = []

    def interesting(text: str) -> bool:
        judged.append(text)
        if len(judged) == 4:
            raise KeyboardInterrupt
        return "texp " in text

    found = reduce(module, interesting)
    assert not found.finished and found.text in judged[:3]


def test_reduce_inlines_loops_and_branches_and_shrinks_extents() -> None:
    lines = BUGS["an iteration overwrites what the last one still reads"][1]
    module = ptoas.parse(program(lines))
    found = reduce(module, lambda text: "pto.texp " in text)
    assert "scf.for" not in found.text and "16x64" not in found.text and "tload" not in found.text


def test_reduce_refuses_a_program_without_the_property() -> None:
    module = ptoas.parse(program([TWO_TILES, LOAD]))
    with pytest.raises(ptoas.UsageError, match="does not have the property"):
        reduce(module, StillReports.like(module, "PTO-F101", "a5"))


def test_properties_are_false_for_a_sound_program() -> None:
    text = program([TWO_TILES, LOAD, EXP, STORE])
    assert not StillCrashes("a5")(text)
    assert not StillDiffers(("a2a3", "a5"), ({}, {}))(text)
    assert StillSucceeds("grep -q texp {}")(text) and not StillSucceeds("grep -q tcos {}")(text)


def test_reduce_command_writes_the_program(tmp_path: Path) -> None:
    path, small = tmp_path / "big.pto", tmp_path / "small.pto"
    path.write_text(program(BUGS["a flag is left set"][1], padding=10))
    result = CliRunner().invoke(main, ["reduce", str(path), "--code", "F104", "-o", str(small), "-j", "1"])
    assert result.exit_code == 0, result.output
    assert "lines reduced to 6" in result.output and "set_flag" in small.read_text()
    assert CliRunner().invoke(main, ["reduce", str(path)]).exit_code == 2
    assert CliRunner().invoke(main, ["reduce", str(path), "--code", "F101", "--crashes"]).exit_code == 2
