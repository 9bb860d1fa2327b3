"""Places and messages of the rules about flags."""

from __future__ import annotations

import pytest

from ptoas.compiler.lower import lower
from ptoas.diagnostics import Diagnostic
from ptoas.grammar.parse import parse
from ptoas.targets.rule import RULES
from ptoas.verifier.verify import verify
from tests.machine.support import execute, failing

MEM = "!pto.memref<16x32xf32>"
TILE = "!pto.tile_buf<vec, 16x32xf32>"
GROUP = f"!pto.group<1 x {MEM}>"
ALLOC = f"%a = pto.alloc_tile : {TILE}"
LOAD = f"pto.tload ins(%x : {MEM}) outs(%a : {TILE})"
STORE = f"pto.tstore ins(%a : {TILE}) outs(%y : {MEM})"
LOOP = ("%z = arith.constant 0 : index", "%o = arith.constant 1 : index", "scf.for %i = %z to %n step %o {")


def flag(word: str, source: str, sink: str) -> str:
    return f"pto.{word}_flag[#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{sink}>, #pto.event<EVENT_ID0>]"


def pair(source: str, sink: str) -> tuple[str, str]:
    return flag("set", source, sink), flag("wait", source, sink)


def only(*lines: str, target: str = "a2a3") -> Diagnostic:
    """The one finding in a function whose body begins in line 2, each line behind two blanks."""
    args = f"%x: {MEM}, %y: {MEM}, %g: {GROUP}, %s: f32, %c: i1, %n: index"
    text = "\n".join([f"func.func @f({args}) {{", *(f"  {line}" for line in lines), "  return", "}"])
    (found,) = verify(parse(text, "example.pto"), target, sync="manual").diagnostics
    return found


def notes(found: Diagnostic) -> list[tuple[str, int]]:
    """Notes about other places, with their lines; the statement, which has no place, is left out."""
    return [(note.message, note.span.line) for note in found.notes if note.span is not None]


def place(found: Diagnostic) -> tuple[int, int, int]:
    return found.span.line, found.span.column, found.span.length


SELECTED = f"""func.func @f(%x: {MEM}, %y: {MEM}, %c: i1) {{
  %a = pto.alloc_tile : {TILE}
  %b = pto.alloc_tile : {TILE}
  pto.tload ins(%x : {MEM}) outs(%a : {TILE})
  pto.tload ins(%x : {MEM}) outs(%b : {TILE})
  FLAG
  %t = arith.select %c, %a, %b : {TILE}
  pto.tneg ins(%t : {TILE}) outs(%t : {TILE})
  {" ".join(pair("V", "MTE3"))}
  pto.tstore ins(%t : {TILE}) outs(%y : {MEM})
  return
}}""".replace("] pto.", "]\n  pto.")


def test_a_selected_tile_is_one_of_two() -> None:
    """`verify` and `run` tell of the same race; with a flag there is none, and the program is lowered."""
    racing = SELECTED.replace("FLAG", "")
    stops = failing("PTO-R301", racing, target="a5", sync="manual")
    (found,) = verify(parse(racing), "a5").diagnostics
    assert (found.code, found.span.line) == ("PTO-F101", stops.span.line)
    ordered = SELECTED.replace("FLAG", "\n  ".join(pair("MTE2", "V")))
    execute(ordered, sync="manual")
    assert verify(parse(ordered), "a5").diagnostics == ()
    assert "TNEG(t, t);" in lower(parse(ordered), "a5")


def test_an_access_that_comes_too_early_is_named_with_the_one_before_it() -> None:
    """The operand is underlined; the fix joins the two pipes."""
    work = f"pto.tadds ins(%a, %s : {TILE}, f32) outs(%a : {TILE})"
    found = only(ALLOC, LOAD, work, *pair("V", "MTE3"), STORE)
    assert found.code == "PTO-F101"
    assert found.message == (
        "`tadds` on PIPE_V may read `%a` before `tload` on PIPE_MTE2 in line 3 has written it: "
        "no flag orders them"
    )
    assert place(found) == (4, 3 + work.index("%a"), len("%a"))
    assert notes(found) == [("`tload` writes it here", 3)]
    raised, awaited = pair("MTE2", "V")
    assert found.fix == f"add `{raised}` after line 3 and `{awaited}` before line 4"


def test_a_result_that_comes_too_early_is_underlined_with_its_statement() -> None:
    """In SSA form the tile is no operand; and the access before it belongs to the turn before."""
    load = f"%a = pto.tload %x : {MEM} -> {TILE}"
    found = only(*LOOP, load, *pair("MTE2", "MTE3"), STORE, "}")
    assert found.message == (
        "`tload` on PIPE_MTE2 may write `%a` before `tstore` on PIPE_MTE3 in line 8 of the previous "
        "iteration has read it: no flag orders them"
    )
    assert place(found) == (5, 3, len(load))
    assert notes(found) == [("`tstore` reads it here", 8)]


def test_an_instruction_may_meet_itself_in_the_turn_before() -> None:
    call = f"pto.comm.tgather(%y, recv(%a), group(%g) : {MEM}, {TILE}, {GROUP}) {{root = 0 : i32}}"
    found = only(ALLOC, *LOOP, call, "pto.barrier #pto.pipe<PIPE_MTE3>", "}")
    assert found.message.startswith(
        "`comm.tgather` on PIPE_MTE3 may write `%a` before `comm.tgather` on PIPE_MTE2 in line 6 "
        "of the previous iteration"
    )


def test_a_pipe_that_begins_too_early() -> None:
    """On a2a3 the vector pipe does not wait for itself; a5's does."""
    work = f"pto.tadds ins(%a, %s : {TILE}, f32) outs(%a : {TILE})"
    body = (ALLOC, LOAD, *pair("MTE2", "V"), work, work)
    found = only(*body)
    assert found.code == "PTO-F107"
    assert found.message == (
        "`tadds` on PIPE_V may read `%a` before `tadds` on PIPE_V in line 6 has written it: "
        "no barrier orders them"
    )
    assert place(found) == (7, 3 + work.index("%a"), len("%a"))
    assert found.fix == "add `pto.barrier #pto.pipe<PIPE_V>` before line 7"


def test_wait_for_a_flag_never_set_is_rejected() -> None:
    found = only(flag("wait", "V", "MTE3"))
    assert found.code == "PTO-F102" and notes(found) == []
    assert found.message == (
        "`wait_flag` for EVENT_ID0 (PIPE_V to PIPE_MTE3) has no matching `set_flag` before it, "
        "so it can wait for ever"
    )


def test_a_flag_that_only_some_paths_raise() -> None:
    found = only("scf.if %c {", flag("set", "V", "MTE3"), "}", flag("wait", "V", "MTE3"))
    assert found.code == "PTO-F102" and found.span.line == 5
    assert found.message == (
        "`wait_flag` for EVENT_ID0 (PIPE_V to PIPE_MTE3) has a matching `set_flag` on some paths only, "
        "so it can wait for ever"
    )
    assert notes(found) == [("some paths do not reach this `set_flag`", 3)]


def test_a_flag_that_is_raised_twice() -> None:
    found = only(flag("set", "V", "MTE3"), *pair("V", "MTE3"))
    assert found.code == "PTO-F103" and found.span.line == 3
    assert notes(found) == [("set here", 2)]


def test_a_flag_that_the_instruction_uses_itself() -> None:
    text = RULES["PTO-F106"].failing
    (found,) = verify(parse(text, "example.pto"), "a2a3").diagnostics
    lines = text.splitlines()
    raised = next(n for n, line in enumerate(lines, 1) if "set_flag[#pto.pipe<PIPE_V>" in line)
    assert lines[found.span.line - 1].strip().startswith("pto.mgather")
    assert "`mgather` uses EVENT_ID0 (PIPE_V to PIPE_S) internally" in found.message
    assert notes(found) == [("set here", raised)]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_target_without_pipes_needs_no_flags(target: str) -> None:
    args = f"%x: {MEM}, %y: {MEM}"
    text = "\n".join(
        [f"func.func @f({args}) {{", ALLOC, LOAD, STORE, flag("wait", "V", "MTE3"), "return", "}"]
    )
    codes = [d.code for d in verify(parse(text, "example.pto"), target).diagnostics]
    assert codes == ([] if target == "cpu" else ["PTO-F101", "PTO-F102"])


def found_in(*lines: str) -> list[Diagnostic]:
    text = "\n".join(
        [f"func.func @f(%x: {MEM}, %y: {MEM}) {{", *(f"  {line}" for line in lines), "  return", "}"]
    )
    return list(verify(parse(text), "a5").diagnostics)


def test_a_missing_wait_is_one_finding_with_one_fix() -> None:
    (found,) = found_in(ALLOC, LOAD, flag("set", "MTE2", "MTE3"), STORE)
    assert found.code == "PTO-F101"
    assert "nothing waits for EVENT_ID0 (PIPE_MTE2 to PIPE_MTE3), set in line 4" in found.message
    assert found.fix == f"add `{flag('wait', 'MTE2', 'MTE3')}` before line 5"


def test_a_missing_set_is_one_finding_with_one_fix() -> None:
    (found,) = found_in(ALLOC, LOAD, flag("wait", "MTE2", "MTE3"), STORE)
    assert found.code == "PTO-F102"
    assert found.fix == f"add `{flag('set', 'MTE2', 'MTE3')}` before it, on every path"


def test_manual_sync_note_is_given_once() -> None:
    """Of several findings the first says it; where the flags were asked for by hand, none does."""
    lines = (ALLOC, LOAD, *pair("V", "MTE3"), STORE, f"pto.tneg ins(%a : {TILE}) outs(%a : {TILE})")
    early = [each for each in found_in(*lines) if each.code == "PTO-F101"]
    switches = [
        [line for message, line in notes(each) if "no flags are inserted" in message] for each in early
    ]
    assert len(switches) > 1 and switches == [[4], *([],) * (len(switches) - 1)]


@pytest.mark.parametrize(("gathers", "simt"), [(False, False), (True, True)])
def test_budget_mentions_simt_only_for_kernels_that_use_it(gathers: bool, simt: bool) -> None:
    tile, memory = "!pto.tile_buf<vec, 1024x64xf32>", "!pto.memref<1024x64xf32>"
    gather = (
        "pto.mgather ins(%m, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) "
        "outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}"
    )
    text = f"""func.func @f(%x: {memory}, %m: !pto.memref<64x32xf32>, %i: !pto.tile_buf<vec, 1x16xi32>,
    %d: !pto.tile_buf<vec, 16x32xf32>) {{
  %a = pto.alloc_tile : {tile}
  pto.tload ins(%x : {memory}) outs(%a : {tile})
  {gather if gathers else ""}
  pto.tstore ins(%a : {tile}) outs(%x : {memory})
  return
}}"""
    found = next(each for each in verify(parse(text), "a5").diagnostics if each.code == "PTO-U103")
    assert ("SIMT" in found.message) is simt
