"""Long runs: their progress, and the line, iterations and actor that Ctrl-C interrupts."""

from __future__ import annotations

import io
import sys

import click
import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.cli.terminal import progress

LOOPS = """.target a5
.arg %x : !pto.memref<1x8xf32>
.const %c0 = 0 : index
.const %c1 = 1 : index
.const %c3 = 3 : index
%a = tload %x
scf.for %i = %c0 to %c3 step %c1 {
  %b = tadd %a, %a
  scf.for %j = %c0 to %c3 step %c1 {
    tprint %b
  }
  tstore %b, %x
}
"""
CALL = """func.func @inner(%t: !pto.tile_buf<vec, 1x8xf32>) {
  pto.tprint ins(%t : !pto.tile_buf<vec, 1x8xf32>)
  return
}
func.func @outer(%x: !pto.memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  scf.for %n = %c0 to %c9 step %c1 {
    func.call @inner(%t) : (!pto.tile_buf<vec, 1x8xf32>) -> ()
  }
  return
}
"""


def interrupted(text: str, after: int, **options: object) -> str:
    """The note of a run that is interrupted when it has printed so often."""
    lines: list[str] = []

    def interrupt(line: str) -> None:
        lines.append(line)
        if len(lines) == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        ptoas.run(ptoas.parse(text), target="a5", generate=True, on_output=interrupt, **options)
    (note,) = caught.value.__notes__
    return note


def test_an_interrupt_names_the_line_and_the_iterations_of_its_loops() -> None:
    assert interrupted(LOOPS, 1) == "in line 10, `tprint %b` (%i=0, %j=0)"
    assert interrupted(LOOPS, 6) == "in line 10, `tprint %b` (%i=1, %j=2)"


def test_an_interrupt_names_the_block() -> None:
    note = "in line 10, `tprint %b` (block 1, %i=0, %j=1)"
    assert interrupted(LOOPS, 11, blocks=2) == note, "nine lines of block 0"


def test_an_interrupt_of_one_actor_ends_the_others() -> None:
    """Those that take turns would have ten thousand more of them."""
    assert "%i=" in interrupted(LOOPS, 2, blocks=3, schedule=1)


def test_an_interrupt_in_a_function_has_the_iterations_of_its_caller() -> None:
    note = "in line 2, `pto.tprint ins(%t : !pto.tile_buf<vec, 1x8xf32>)` (%n=4)"
    assert interrupted(CALL, 5, entry="@outer") == note


def test_an_interrupt_in_deep_loops_names_all_of_them() -> None:
    depth = 18
    head, body = LOOPS.split("%a = ")[0], "tprint %x\n"
    for level in range(depth):
        body = f"scf.for %i{level} = %c0 to %c1 step %c1 {{\n{body}}}\n"
    note = interrupted(head + body, 1)
    assert all(f"%i{level}=0" in note for level in range(depth)), note


def test_interrupted_run_names_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = click.echo

    def interrupt(message: object = None, **rest: object) -> None:
        if "TPRINT" in str(message):
            raise KeyboardInterrupt
        echo(message, **rest)

    monkeypatch.setattr("click.echo", interrupt)
    done = CliRunner().invoke(main, ["run", "-"], input=LOOPS)
    assert done.exit_code == 130
    assert done.stderr == "interrupted in line 10, `tprint %b` (%i=0, %j=0)\n"


# --- progress ----------------------------------------------------------------------------------------


def reported(**options: object) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    ptoas.run(
        ptoas.parse(LOOPS),
        target="a5",
        generate=True,
        on_progress=lambda *each: found.append(each),
        **options,
    )
    return found


def test_progress_counts_iterations_of_outermost_loops_and_blocks() -> None:
    loop = [("%i", 0, 3), ("%i", 1, 3), ("%i", 2, 3)]
    assert reported() == loop
    assert reported(blocks=2, checks="mem") == [("blocks", 0, 2), *loop, ("blocks", 1, 2), *loop]
    assert reported(blocks=2, jobs=2, checks="mem") == [], "processes would report at once"


def test_progress_counts_iterations_of_any_bounds_and_step() -> None:
    found: list[tuple[str, int, int]] = []
    text = LOOPS.replace("%i = %c0 to %c3 step %c1", "%i = %c1 to %c6 step %c2")
    text = ".const %c2 = 2 : index\n.const %c6 = 6 : index\n" + text
    ptoas.run(ptoas.parse(text), target="a5", generate=True, on_progress=lambda *each: found.append(each))
    assert found == [("%i", 0, 3), ("%i", 1, 3), ("%i", 2, 3)], "1, 3 and 5"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_bars_are_drawn_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress(0) as advance:
        assert advance is None
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr("sys.stdout", io.StringIO())
    with progress(0) as advance:
        assert advance is not None
        advance("%i", 3, 8)
        print("of the program")
    assert sys.stdout.getvalue() == "of the program\n", "what is piped stays out of the terminal"
    assert "%i" in sys.stderr.getvalue() and "3/8" in sys.stderr.getvalue()


def test_short_work_draws_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Terminal())
    with progress() as advance:
        assert advance is not None
        advance("%i", 3, 8)
    assert sys.stderr.getvalue() == ""
