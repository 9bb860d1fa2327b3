"""Loops that take turns between tiles: an iteration waits for the one that had the same tile."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import FlagOp, SetsFlag, WaitFlagDynOp
from ptoas.lowering import prepare
from ptoas.lowering.provenance import reason_of

TILE = "!pto.tile_buf<vec, 16x64xf32>"
VIEW = "!pto.memref<16x64xf32>"
ONES = np.ones((16, 64), np.float32)


def multi_type(count: int) -> str:
    return f"!pto.multi_tile_buf<vec, 16x64xf32, count={count}>"


def load(tile: str) -> str:
    return f"pto.tload ins(%x : {VIEW}) outs({tile} : {TILE})\n"


def double(source: str, destination: str) -> str:
    return f"pto.tadds ins({source}, %two : {TILE}, f32) outs({destination} : {TILE})\n"


def store(tile: str) -> str:
    return f"pto.tstore ins({tile} : {TILE}) outs(%o : {VIEW})\n"


def get(name: str, multi: str, ahead: int, count: int) -> str:
    """The tile of an iteration some iterations ahead."""
    return f"""{name}_k = arith.constant {ahead} : index
      {name}_i = arith.addi %i, {name}_k : index
      {name}_s = arith.remui {name}_i, %count : index
      {name} = pto.multi_tile_get {multi}[{name}_s] : {multi_type(count)} -> {TILE}
    """


def kernel(body: str, count: int = 2, before: str = "", bounds: str = "%c0 to %n step %c1") -> str:
    multi = multi_type(count)
    return f"""func.func @kernel(%x: {VIEW}, %o: {VIEW}, %n: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %count = arith.constant {count} : index
    %two = arith.constant 2.0 : f32
    %t = pto.alloc_tile : {TILE}
    %u = pto.alloc_tile : {TILE}
    %a = pto.alloc_multi_tile : {multi}
    %b = pto.alloc_multi_tile : {multi}
    {before}
    scf.for %i = {bounds} {{
      {body}
    }}
    return
  }}"""


def order(module: ModuleOp) -> list[str]:
    """The instructions and flags from the first flag on, events that the program chooses as `i`."""
    found: list[str] = []
    for op in module.walk():
        if isinstance(op, FlagOp):
            source, sink, event = op.flag
            pipes = ">".join(pipe.value.removeprefix("PIPE_") for pipe in (source, sink))
            number = str(getattr(event, "data", "i"))[-1]
            found.append(f"{'set' if isinstance(op, SetsFlag) else 'wait'} {pipes} {number}")
        elif isinstance(op, PtoOp) and op.mnemonic() in ("tload", "tadds", "tstore"):
            found.append(op.mnemonic())
    return found


def lowered(text: str, target: str = "a5") -> list[str]:
    return order(prepare(ptoas.parse(text), target))


def test_each_tile_of_a_multi_tile_has_an_event() -> None:
    body = get("%s", "%a", 0, 2) + get("%d", "%b", 0, 2) + load("%s") + double("%s", "%d") + store("%d")
    assert lowered(kernel(body)) == [
        "set V>MTE2 0",
        "set V>MTE2 1",
        "set MTE3>V 0",
        "set MTE3>V 1",
        "wait V>MTE2 i",
        "tload",
        "set MTE2>V 0",
        "wait MTE2>V 0",
        "wait MTE3>V i",
        "tadds",
        "set V>MTE2 i",
        "set V>MTE3 0",
        "wait V>MTE3 0",
        "tstore",
        "set MTE3>V i",
        "wait MTE3>V 0",
        "wait MTE3>V 1",
        "wait V>MTE2 0",
        "wait V>MTE2 1",
    ]


def test_flag_of_a_tile_that_another_one_implies_is_not_inserted() -> None:
    """V works on the tile in place: the load waits for the store, and V for the load."""
    found = lowered(kernel(get("%s", "%a", 0, 2) + load("%s") + double("%s", "%s") + store("%s")))
    assert [each for each in found if each.startswith("set") and each.endswith("i")] == ["set MTE3>MTE2 i"]


def test_prefetch_does_not_hold_up_the_tile_before() -> None:
    """V waits for the loads of earlier iterations, MTE2 for what V did before this one."""
    body = get("%next", "%a", 1, 2) + get("%s", "%a", 0, 2) + load("%next") + double("%s", "%t") + store("%t")
    found = lowered(kernel(body, before=get("%first", "%a", 0, 2).replace("%i,", "%c0,") + load("%first")))
    loop = found[found.index("tload") + 1 :]
    assert (
        loop.index("set MTE2>V 0") < loop.index("tload") < loop.index("wait MTE2>V 0") < loop.index("tadds")
    )
    assert loop.index("set V>MTE2 0") < loop.index("wait V>MTE2 0") < loop.index("tload")


def test_prefetch_two_iterations_ahead_waits_for_the_load_of_that_iteration() -> None:
    body = get("%next", "%a", 2, 3) + get("%s", "%a", 0, 3) + load("%next") + double("%s", "%t") + store("%t")
    found = lowered(kernel(body, count=3))
    assert found.count("set MTE2>V 0") == found.count("wait MTE2>V 1") == found.count("set MTE2>V i") == 1
    assert found.index("tload") < found.index("wait MTE2>V i") < found.index("set MTE2>V i")


@pytest.mark.parametrize("kind", ["branch", "switch"])
def test_branches_on_the_parity_of_the_iteration_have_an_event_each(kind: str) -> None:
    first, second = (load(tile) + double(tile, tile) + store(tile) for tile in ("%t", "%u"))
    start = {
        "branch": "%odd = arith.cmpi ne, %r, %c0 : index\nscf.if %odd {",
        "switch": "scf.index_switch %r case 1 {",
    }[kind]
    ends = {"branch": ("} else {", "}"), "switch": ("scf.yield } default {", "}")}[kind]
    text = kernel(f"%r = arith.remui %i, %c2 : index\n{start}\n{first}{ends[0]}\n{second}{ends[1]}")
    if kind == "switch":
        text = text.replace("default {", "case 0 {").replace(
            f"{second}}}", f"{second}scf.yield }} default {{\n}}"
        )
    assert lowered(text) == [
        "set MTE3>MTE2 0",
        "set MTE3>MTE2 1",
        *(
            step
            for event in (0, 1)
            for step in (
                f"wait MTE3>MTE2 {event}",
                "tload",
                "set MTE2>V 0",
                "wait MTE2>V 0",
                "tadds",
                "set V>MTE3 0",
                "wait V>MTE3 0",
                "tstore",
                f"set MTE3>MTE2 {event}",
            )
        ),
        "wait MTE3>MTE2 1",
        "wait MTE3>MTE2 0",
    ]


@pytest.mark.parametrize(
    ("bounds", "slot"),
    [
        ("%c0 to %n step %c2", "%i"),  # always the same tile
        ("%c0 to %n step %n", "%i"),  # unknown
        ("%c0 to %n step %c1", "%n"),
    ],
)
def test_a_tile_that_does_not_change_in_turn_is_waited_for_as_before(bounds: str, slot: str) -> None:
    body = get("%s", "%a", 0, 2).replace("%i,", f"{slot},") + load("%s") + double("%s", "%s") + store("%s")
    assert not [each for each in lowered(kernel(body, bounds=bounds)) if each.endswith("i")]


@pytest.mark.parametrize("bounds", ["%c1 to %n step %c1", "%n to %c2 step %c1", "%c0 to %n step %count"])
def test_events_follow_the_number_of_the_iteration(bounds: str) -> None:
    """Each iteration takes another event for any first iteration and step."""
    slot = get("%s", "%a", 0, 2)
    if "count" in bounds:
        slot = slot.replace("arith.addi %i, %s_k", "arith.divui %i, %count")
    module = prepare(
        ptoas.parse(kernel(slot + load("%s") + double("%s", "%s") + store("%s"), bounds=bounds)), "a5"
    )
    assert sum(isinstance(op, WaitFlagDynOp) for op in module.walk()) == 1
    run = ptoas.compile(module, "a5", checks="race", sync="manual")
    for n in (0, 1, 2, 5, 8):
        assert not run(n=n, x=ONES).warnings


def in_turn(count: int = 2) -> str:
    tiles = get("%s", "%a", 0, count) + get("%d", "%b", 0, count)
    return tiles + load("%s") + double("%s", "%d") + store("%d")


AHEAD = get("%next", "%a", 1, 2) + get("%s", "%a", 0, 2) + load("%next") + double("%s", "%t") + store("%t")
FIRST = get("%first", "%a", 0, 2).replace("%i,", "%c0,") + load("%first")
FEW = "%few = arith.cmpi slt, %i, %limit : index\nscf.if %few {\n"
ONLY_LOADS = get("%s", "%a", 0, 2) + load("%s") + FEW + double("%s", "%t") + store("%t") + "}"
ELSEWHERE = load("%t") + double("%t", "%u") + store("%u")
BODIES = {
    "two tiles": kernel(in_turn()),
    "three tiles": kernel(in_turn(3), count=3),
    "prefetch": kernel(AHEAD, before=FIRST),
    "the last iterations do nothing": kernel(f"{FEW}{in_turn()}}}"),
    "the last iterations only load": kernel(ONLY_LOADS),
    "the last iterations use other tiles": kernel(f"{FEW}{in_turn()}}} else {{\n{ELSEWHERE}}}"),
}


def run_in_all_ways(text: str, target: str) -> None:
    """No iteration, one, an even or an odd number, and some in which a part is left out."""
    module = ptoas.parse(text.replace("%n: index", "%n: index, %limit: index"))
    (claim,) = ptoas.certify(module, target)
    assert claim.every_schedule, claim.text
    run = ptoas.compile(prepare(module, target), target, sync="manual", force=True)
    for n in range(6):
        for limit in (0, 1, 2, 3, 8):
            found = run(n=n, limit=limit, x=ONES).warnings
            assert not [each for each in found if each.code.startswith("PTO-R3")]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("body", BODIES)
def test_flags_balance_however_often_a_loop_runs_and_wherever_it_stops(body: str, target: str) -> None:
    run_in_all_ways(BODIES[body], target)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_flags_balance_around_a_loop_that_may_end_in_any_iteration(target: str) -> None:
    start = """%last = scf.while (%k = %c0) : (index) -> index {
      %more = arith.cmpi slt, %k, %limit : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
    scf.for %i"""
    end = f"""{ELSEWHERE}%later = arith.addi %k, %c1 : index
      scf.yield %later : index
    }}
    return"""
    run_in_all_ways(kernel(in_turn()).replace("scf.for %i", start).replace("return", end), target)


def test_when_events_run_out_an_iteration_waits_for_a_later_one() -> None:
    """Of eight events between two pipes one is left for other flags."""
    module = prepare(
        ptoas.parse(kernel(get("%s", "%a", 0, 8) + load("%s") + double("%s", "%s") + store("%s"), count=8)),
        "a5",
    )
    (wait,) = (op for op in module.walk() if isinstance(op, WaitFlagDynOp))
    assert order(module).count("set MTE3>MTE2 6") == 1 and "set MTE3>MTE2 7" not in order(module)
    assert (reason_of(wait) or "").endswith("7 iterations before; only 7 of 8 events are left")


def test_without_events_an_iteration_waits_for_the_one_before() -> None:
    """The six tiles of `d` have taken all events but two, of which one is for other flags."""
    body = get("%s", "%a", 0, 7) + load("%s") + double("%s", "%s") + store("%s")
    body += get("%r", "%d", 0, 6).replace("%count", "%c6")
    body += load("%r") + double("%r", "%r") + store("%r")
    before = f"%d = pto.alloc_multi_tile : {multi_type(6)}\n%c6 = arith.constant 6 : index"
    module = prepare(ptoas.parse(kernel(body, count=7, before=before)), "a5")
    assert sum(isinstance(op, WaitFlagDynOp) for op in module.walk()) == 1
    run = ptoas.compile(module, "a5", checks="race", sync="manual")
    assert not [each for each in run(n=9, x=ONES).warnings if each.code.startswith("PTO-R")]
    reasons = [reason_of(op) or "" for op in module.walk() if isinstance(op, FlagOp)]
    assert sum(reason.endswith("; no events are left for its 7 tiles") for reason in reasons) == 4


def test_cpp_chooses_the_event_by_the_slot() -> None:
    text = ptoas.lower(ptoas.parse(kernel(get("%s", "%a", 0, 2) + load("%s") + store("%s"))), "a2a3")
    assert "set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);" in text.partition("for (")[0]
    assert "wait_flag(PIPE_MTE3, PIPE_MTE2, static_cast<event_t>(" in text


@pytest.mark.parametrize(("rows", "barriers"), [("%c16", 0), ("%c2", 1)])
def test_stores_to_rows_of_other_iterations_need_no_barrier(rows: str, barriers: int) -> None:
    view, part = "!pto.tensor_view<256x64xf32>", "!pto.partition_tensor_view<16x64xf32>"
    before = f"""%c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %v = pto.make_tensor_view %p, shape = [%c256, %c64], strides = [%c64, %c1] : {view}"""
    window = f"""%r = arith.muli %i, {rows} : index
      %w = pto.partition_view %v, offsets = [%r, %c0], sizes = [%c16, %c64] : {view} -> {part}
      """
    body = get("%s", "%a", 0, 2) + load("%s") + double("%s", "%s")
    body += store("%s").replace("%o", "%w").replace(VIEW, part)
    text = kernel(window + body, before=before).replace("%n: index", "%n: index, %p: !pto.ptr<f32>")
    module = prepare(ptoas.parse(text), "a5")
    assert len([op for op in module.walk() if op.name == "pto.barrier"]) == barriers
