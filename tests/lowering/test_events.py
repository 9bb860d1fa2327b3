"""Events of instructions beside the flags that are inserted or written."""

from __future__ import annotations

import re

import pytest

import ptoas

MEMORY = "!pto.memref<16x32xf32>"
KERNEL = f"""
func.func @kernel(%x: {MEMORY}, %y: {MEMORY}, %out: {MEMORY}) {{
  %a, %e = pto.tload %x : ({MEMORY}) -> !pto.tile<16x32xf32> record
  %b, %f = pto.tload %y : ({MEMORY}) -> !pto.tile<16x32xf32> record
  BETWEEN
  %c, %g = pto.tadd %a, %b WAIT record
  pto.tstore %c, %out wait(%g)
  return
}}
"""


def lowered(between: str = "", wait: str = "wait(%e, %f)", target: str = "a2a3", **options: str) -> str:
    text = KERNEL.replace("BETWEEN", between).replace("WAIT", wait)
    return ptoas.lower(ptoas.parse(text, "kernel.pto"), target, **options)


def calls(text: str) -> list[str]:
    """The calls and flags of a kernel, without the events' types."""
    lines = (re.sub(r"^Event<.*?> ", "", line.strip()) for line in text.splitlines())
    return [
        line
        for line in lines
        if re.match(r"(\w+ = )?(T(LOAD|ADD|STORE|SYNC)|set_flag|wait_flag|pipe_)", line)
    ]


def test_no_flag_is_inserted_where_events_order_the_pipes() -> None:
    assert calls(lowered()) == [
        "e = TLOAD(a, xGM);",
        "f = TLOAD(b, yGM);",
        "g = TADD(c, a, b, e, f);",
        "TSTORE(outGM, c, g);",
    ]


def test_an_event_covers_what_its_pipe_was_given_before() -> None:
    assert calls(lowered(wait="wait(%f)"))[2] == "g = TADD(c, a, b, f);"
    flags = calls(lowered(wait="wait(%e)"))[2:4]
    assert flags == ["set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);", "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);"]


def test_an_event_that_is_not_awaited_is_not_recorded() -> None:
    assert calls(lowered(wait="wait(%f)"))[0] == "TLOAD(a, xGM);"


@pytest.mark.parametrize("sync", ["all", "manual"])
def test_events_have_ids_however_the_function_is_synchronised(sync: str) -> None:
    text = lowered(sync=sync)
    assert "Event<Op::TLOAD, Op::VECTOR, false, EVENT_ID1> f = TLOAD(b, yGM);" in text


def test_the_ids_of_written_flags_are_left_to_them() -> None:
    flags = "\n".join(f"pto.{op}_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]" for op in ("set", "wait"))
    assert "false, EVENT_ID2> f = TLOAD" in lowered(flags)


def test_the_simulator_has_no_events() -> None:
    assert calls(lowered(target="cpu")) == [
        "TLOAD(a, xGM);",
        "TLOAD(b, yGM);",
        "TADD(c, a, b);",
        "TSTORE(outGM, c);",
    ]


def test_an_instruction_whose_event_is_awaited_is_no_dead_code() -> None:
    text = f"""
func.func @kernel(%x: {MEMORY}, %out: {MEMORY}, %a: !pto.tile<16x32xf32>) {{
  %b, %e = pto.tload %x : ({MEMORY}) -> !pto.tile<16x32xf32> record
  pto.tstore %a, %out wait(%e)
  return
}}
"""
    assert "e = TLOAD(b, xGM);" in ptoas.lower(ptoas.parse(text, "kernel.pto"), "a5")


def test_a_load_of_nothing_has_no_call_to_take_its_event() -> None:
    text = f"""
func.func @kernel(%x: {MEMORY}, %out: {MEMORY}) {{
  %a, %e = pto.tload %x : ({MEMORY}) -> !pto.tile<16x32xf32> record
  pto.tstore %a, %out wait(%e)
  return
}}
""".replace("16x32xf32>", "16x32xf32, valid=0x32>").replace(
        "memref<16x32xf32, valid=0x32>", "memref<16x32xf32>"
    )
    text = ptoas.lower(ptoas.parse(text, "kernel.pto"), "a5")
    assert "e = RecordEvent();" in text
    assert "TSYNC(e);" in text
