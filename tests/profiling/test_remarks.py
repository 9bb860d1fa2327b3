"""Remarks: each where it is due, and not on its neighbour; and the reasons of flags behind them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas

GATHER = """
.arg %t : !pto.memref<{table}>
.arg %i : !pto.memref<{index}>
.arg %o : !pto.memref<{data}>
%x = tload %i : (!pto.memref<{index}>) -> !pto.tile<{index}>
%d = mgather.{mode} %t, %x : (!pto.memref<{table}>, !pto.tile<{index}>) -> !pto.tile<{data}>
tstore %d, %o
"""


def gather(mode: str, table: str, index: str, data: str, target: str, values: Any = None) -> list[str]:
    text = GATHER.format(mode=mode, table=table, index=index, data=data)
    arguments = {} if values is None else {"i": np.asarray(values, np.int32)}
    found = ptoas.profile(ptoas.parse(text), arguments, target)
    return [remark.code for remark in found.remarks if remark.span.line == 6]


ELEMS = ("64x32xf32", "16x32xi32", "16x32xf32")
ROWS = np.arange(16)[::-1, None] * 32 + np.arange(32)
RANDOM = np.random.default_rng(1).integers(0, 64 * 32, (16, 32))


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_an_elem_gather_of_whole_rows(target: str) -> None:
    assert "PTO-O101" in gather("elem", *ELEMS, target, ROWS)
    assert "PTO-O101" not in gather("elem", *ELEMS, target, ROWS + 1)
    assert "PTO-O101" not in gather("row", "64x32xf32", "1x16xi32", "16x32xf32", target)


def test_indices_in_an_order_that_defeats_bursts() -> None:
    assert gather("elem", *ELEMS, "a5", RANDOM) == ["PTO-O102"]
    assert gather("elem", *ELEMS, "a5", np.sort(RANDOM, axis=None).reshape(16, 32)) == []


def test_threads_without_work() -> None:
    assert "PTO-O103" in gather("row", "64x8xf32", "1x16xi32", "16x8xf32", "a5")
    assert "PTO-O103" not in gather("row", "64x32xf32", "1x16xi32", "16x32xf32", "a5")
    assert "PTO-O103" not in gather("row", "64x8xf32", "1x16xi32", "16x8xf32", "a2a3"), "it has none"


def test_rows_that_are_narrower_than_a_burst() -> None:
    assert "PTO-O104" in gather("row", "64x16xf32", "1x16xi32", "16x16xf32", "a2a3")
    assert "PTO-O104" not in gather("row", "64x32xf32", "1x16xi32", "16x32xf32", "a2a3")


def test_remark_on_zeros_without_effect() -> None:
    row = ("64x32xf32", "1x16xi32", "16x32xf32")
    inside, outside = np.arange(16)[None], np.arange(60, 76)[None]
    assert "PTO-O105" in gather("row.zero", *row, "a2a3", inside)
    assert "PTO-O105" not in gather("row.zero", *row, "a2a3", outside)
    assert "PTO-O105" not in gather("row.clamp", *row, "a2a3", inside)


def test_scalar_walks_that_dominate() -> None:
    assert "PTO-O106" in gather("elem", *ELEMS, "a2a3", RANDOM)
    assert "PTO-O106" not in gather("row", "64x32xf32", "1x16xi32", "16x32xf32", "a2a3")


# --- loops -----------------------------------------------------------------------------------------------

LOOP = """
func.func @k(%x: !pto.memref<256x64xf32>, %o: !pto.memref<256x64xf32>) {{
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 256 : index
  %step = arith.constant {step} : index
  {tiles}
  scf.for %k = %c0 to %n step %step {{
    {body}
  }}
  return
}}
"""
TILE = "!pto.tile_buf<vec, 16x64xf32>"
PART = "!pto.partition_tensor_view<16x64xf32>"


def loop(buffers: int) -> str:
    lines: list[str] = []
    for n in range(buffers):
        at = f"%k{n}"
        lines += [f"%d{n} = arith.constant {16 * n} : index", f"{at} = arith.addi %k, %d{n} : index"]
        for name, of in (("p", "x"), ("q", "o")):
            lines.append(
                f"%{name}{n} = pto.partition_view %{of}, offsets = [{at}, %c0], sizes = [%c16, %c64] "
                f": !pto.memref<256x64xf32> -> {PART}"
            )
        lines += [
            f"pto.tload ins(%p{n} : {PART}) outs(%a{n} : {TILE})",
            *[f"pto.texp ins(%a{n} : {TILE}) outs(%a{n} : {TILE})"] * 9,
            f"pto.tstore ins(%a{n} : {TILE}) outs(%q{n} : {PART})",
        ]
    tiles = "\n".join(f"%a{n} = pto.alloc_tile : {TILE}" for n in range(buffers))
    return LOOP.format(step=16 * buffers, tiles=tiles, body="\n".join(lines))


def test_a_loop_that_two_buffers_would_overlap() -> None:
    one = ptoas.profile(ptoas.parse(loop(1), "one.pto"), target="a2a3")
    (remark,) = (each for each in one.remarks if each.code == "PTO-O107")
    text = loop(1).splitlines()
    load, store = (n for n, line in enumerate(text, 1) if "pto.tload" in line or "pto.tstore" in line)
    assert f"because line {load} (tload) waits for line {store} (tstore) of the turn before" in remark.message
    assert "both use %a0" in remark.message and remark.span.line == load
    many = ptoas.profile(ptoas.parse(loop(4), "many.pto"), target="a2a3")
    assert not [each for each in many.remarks if each.code == "PTO-O107"]
    assert many.total < 0.8 * one.total
    # With two tiles it is the one flag from turn to turn that keeps the first load waiting.
    two = ptoas.profile(ptoas.parse(loop(2), "two.pto"), target="a2a3")
    (remark,) = (each for each in two.remarks if each.code in ("PTO-O107", "PTO-O109"))
    assert remark.code == "PTO-O109" and "(tload) waits for line 40 (tstore) at a flag" in remark.message


# --- flags -----------------------------------------------------------------------------------------------

FLAGS = """
.target a2a3
.arg %x : !pto.memref<16x64xf32>
.arg %o : !pto.memref<16x64xf32>
%a = alloc_tile addr = %at0 : !pto.tile<16x64xf32>
%b = alloc_tile addr = %at1 : !pto.tile<16x64xf32>
tload %a, %x : (!pto.tile<16x64xf32>, !pto.memref<16x64xf32>)
set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
texp %b, %a : !pto.tile<16x64xf32>
set_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
wait_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
{extra}
tstore %b, %o
""".replace("\n.arg %x", "\n.const %at0 = 0x0 : i64\n.const %at1 = 0x1000 : i64\n.arg %x")


def flags(extra: str) -> tuple[list[str], list[Any]]:
    found = ptoas.profile(ptoas.parse(FLAGS.format(extra=extra)), target="a2a3")
    return [f"{r.code}:{r.span.line}" for r in found.remarks], [
        [reason.text() for reason in sync.best()] for sync in found.syncs
    ]


def test_a_flag_has_the_access_that_it_orders() -> None:
    codes, reasons = flags("")
    assert codes == []
    assert reasons == [
        ["tload (line 9) writes %a before texp (line 12) reads it"],
        ["texp (line 12) writes %b before tstore (line 16) reads it"],
    ]


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        (
            "set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID1>]\n"
            "wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID1>]",
            16,
        ),
        ("set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID2>]\nwait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID2>]", 16),
        ("barrier #pto.pipe<PIPE_V>", 15),
        ("barrier #pto.pipe<PIPE_ALL>", 15),
    ],
)
def test_a_flag_or_barrier_that_orders_nothing(extra: str, line: int) -> None:
    codes, _ = flags(extra)
    assert codes == [f"PTO-O108:{line}"]


def test_a_flag_that_hands_news_on_has_a_reason() -> None:
    """From MTE2 over S to V: both flags are needed."""
    text = FLAGS.format(extra="").replace(
        "wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>",
        "wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_S>, #pto.event<EVENT_ID0>]\n"
        "set_flag[#pto.pipe<PIPE_S>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]\n"
        "wait_flag[#pto.pipe<PIPE_S>, #pto.pipe<PIPE_V>",
    )
    text = text.replace(
        "set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>", "set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_S>"
    )
    found = ptoas.profile(ptoas.parse(text), target="a2a3")
    assert found.remarks == [] and [len(sync.reasons) for sync in found.syncs] == [1, 1, 1]


def test_a_barrier_that_a_pipe_needs_has_a_reason() -> None:
    text = """
.arg %o : !pto.memref<1x8xf32>
.const %one = 1.0 : f32
%a = texpands %one : (f32) -> !pto.tile<1x8xf32>
%b = texp %a : !pto.tile<1x8xf32>
tstore %b, %o
"""
    found = ptoas.profile(ptoas.parse(text), target="a2a3")
    barrier, flag = found.syncs
    assert barrier.is_barrier and not flag.is_barrier
    assert [reason.text() for reason in barrier.best()] == [
        "texpands (line 4) writes %a before texp (line 5) reads it"
    ]


def test_flags_that_the_compiler_sets_are_never_blamed() -> None:
    found = ptoas.profile(ptoas.parse(loop(2)), target="a2a3")
    assert all(remark.code != "PTO-O108" for remark in found.remarks)
    assert all(sync.reasons for sync in found.syncs if not sync.is_barrier)


STREAM = """
.target a2a3
.arg %x : !pto.memref<16x64xf32>
.arg %o : !pto.memref<16x64xf32>
.const %at0 = 0x0 : i64
.const %at1 = 0x4000 : i64
%a = alloc_tile addr = %at0 : !pto.tile<{rows}x64xf32>
%b = alloc_tile addr = %at1 : !pto.tile<{rows}x64xf32>
%one = arith.constant 1.0 : f32
texpands %a, %one
barrier #pto.pipe<PIPE_V>
texp %b, %a
"""


@pytest.mark.parametrize(("rows", "needed"), [(4, True), (16, False)])
def test_a_barrier_between_long_streams_orders_nothing(rows: int, needed: bool) -> None:
    """Sixteen repeats of the vector pipe keep their order on a2a3 (D26), as `verify` and `run` know."""
    text = STREAM.format(rows=rows)
    without = ptoas.parse(text.replace("barrier #pto.pipe<PIPE_V>\n", ""))
    assert [each.code for each in ptoas.verify(without, sync="manual").errors] == ["PTO-F107"] * needed
    found = ptoas.profile(ptoas.parse(text))
    assert [remark.code for remark in found.remarks] == ["PTO-O108"] * (not needed)
    (barrier,) = found.syncs
    assert [reason.text() for reason in barrier.best()] == [
        "texpands (line 10) writes %a before texp (line 12) reads it"
    ] * needed
