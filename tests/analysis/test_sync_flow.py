"""The flag analysis against a model that orders every pair of events by reachability."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir import Operation

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.grammar.parse import parse
from ptoas.targets import get_target
from ptoas.targets.rules.sync_fixes import FreeEvents

TILE = "!pto.tile_buf<vec, 16x32xf32>"
MEM = "!pto.memref<16x32xf32>"
PIPES = ("MTE2", "V", "MTE3")

Step = tuple[str, ...]


def spread(program: list[Step]) -> list[Step]:
    """A pair is a flag that is raised and awaited at once."""
    flat: list[Step] = []
    for step in program:
        flat += [("set", *step[1:]), ("wait", *step[1:])] if step[0] == "pair" else [step]
    return flat


def flag(word: str, pipes: tuple[str, ...] = PIPES):
    return st.tuples(st.just(word), st.sampled_from(pipes), st.sampled_from(pipes), st.sampled_from("01"))


steps = st.lists(
    st.one_of(
        st.tuples(st.just("load"), st.sampled_from("ab")),
        st.tuples(st.just("work"), st.sampled_from("ab"), st.sampled_from("ab")),
        st.tuples(st.just("store"), st.sampled_from("ab")),
        st.tuples(st.just("barrier"), st.sampled_from(("MTE2", "MTE3"))),
        flag("pair"),
        flag("pair"),
        flag("set"),
        flag("wait"),
    ).filter(lambda step: len(step) < 4 or step[1] != step[2]),
    min_size=2,
    max_size=12,
).map(spread)

paired_steps = st.lists(
    st.one_of(
        st.tuples(st.just("load"), st.sampled_from("ab")),
        st.tuples(st.just("work"), st.sampled_from("ab"), st.sampled_from("ab")),
        st.tuples(st.just("store"), st.sampled_from("ab")),
        st.tuples(st.just("barrier"), st.sampled_from(("MTE2", "MTE3"))),
        flag("pair"),
        flag("pair"),
        flag("pair"),
    ).filter(lambda step: len(step) < 4 or step[1] != step[2]),
    min_size=2,
    max_size=14,
).map(spread)


def text(program: list[Step]) -> str:
    lines = [f"%{name} = pto.alloc_tile : {TILE}" for name in "ab"]
    for step in program:
        match step:
            case ("load", a):
                lines.append(f"pto.tload ins(%x : {MEM}) outs(%{a} : {TILE})")
            case ("work", a, b):
                lines.append(f"pto.tadds ins(%{a}, %s : {TILE}, f32) outs(%{b} : {TILE})")
            case ("store", a):
                lines.append(f"pto.tstore ins(%{a} : {TILE}) outs(%y : {MEM})")
            case ("barrier", p):
                lines.append(f"pto.barrier #pto.pipe<PIPE_{p}>")
            case (word, p, q, n):
                pipes = f"#pto.pipe<PIPE_{p}>, #pto.pipe<PIPE_{q}>, #pto.event<EVENT_ID{n}>"
                lines.append(f"pto.{word}_flag[{pipes}]")
            case _:
                raise AssertionError(step)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f(%x: {MEM}, %y: {MEM}, %s: f32) {{\n{body}\n  return\n}}"


def model(program: list[Step]) -> tuple[bool, set[str]]:
    """Return True if two conflicting accesses are unordered, and the kinds of flag misuse that occur.

    Events are nodes; an edge goes from a flag's raising (on its source pipe) to its awaiting (on its
    destination pipe). Within a pipe, what follows a wait or a barrier comes after it; the raising of a flag
    and a barrier come after all before them; accesses come after accesses but for two stores, which have no
    order: loads are a queue, and a5 orders V (D26).
    """
    events: list[tuple[str, str, list[tuple[str, bool]]]] = []  # kind, pipe, accesses
    edges: set[tuple[int, int]] = set()
    raised: dict[tuple[str, str, str], int] = {}
    misuse: set[str] = set()

    def event(kind: str, pipe: str, *touched: tuple[str, bool]) -> int:
        number = len(events)
        for other, (earlier, own, _) in enumerate(events):
            in_order = earlier == kind == "access" and pipe != "MTE3"
            if own == pipe and (in_order or earlier in ("wait", "barrier") or kind in ("set", "barrier")):
                edges.add((other, number))
        events.append((kind, pipe, list(touched)))
        return number

    for step in program:
        match step:
            case ("load", a):
                event("access", "MTE2", (a, True), ("x", False))
            case ("work", a, b):
                event("access", "V", (a, False), (b, True))
            case ("store", a):
                event("access", "MTE3", (a, False), ("y", True))
            case ("barrier", p):
                event("barrier", p)
            case ("set", p, q, n):
                number = event("set", p)
                if (p, q, n) in raised:
                    misuse.add("set twice")
                raised[p, q, n] = number
            case ("wait", p, q, n):
                number = event("wait", q)
                source = raised.pop((p, q, n), None)
                if source is None:
                    misuse.add("unset")
                else:
                    edges.add((source, number))
            case _:
                raise AssertionError(step)
    if raised:
        misuse.add("left up")
    before: list[set[int]] = [set() for _ in events]
    for number in range(len(events)):
        for a, b in edges:
            if b == number:
                before[number] |= {a} | before[a]
    for j, (_, _, touched) in enumerate(events):
        for i, (_, _, others) in enumerate(events[:j]):
            conflict = any(x == y and (w or v) for x, w in touched for y, v in others)
            if conflict and i not in before[j]:
                return True, misuse
    return False, misuse


@settings(max_examples=300)
@given(steps)
def test_straight_programs_agree_with_the_model(program: list[Step]) -> None:
    func = next(iter(parse(text(program)).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    hazard, misuse = model(program)
    assert bool(flow.hazards) == hazard
    assert {m.kind for m in flow.misuses.values()} == misuse


@settings(max_examples=200)
@given(paired_steps)
def test_a_loop_is_what_two_turns_show(program: list[Step]) -> None:
    """A loop has a hazard exactly if its body written twice has one (flags that come out even)."""
    hazard, misuse = model(program + program)
    assert not misuse
    lines = text(program).splitlines()
    head, tail = lines[:3], lines[3:]
    bounds = [f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 4)]
    loop = [*head, *bounds, "  scf.for %i = %c0 to %c4 step %c1 {", *tail[:-2], "  }", *tail[-2:]]
    func = next(iter(parse("\n".join(loop)).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    assert bool(flow.hazards) == hazard
    assert not flow.misuses


def blocks(turn: list[Step], after: list[Step]) -> str:
    """`turn` again and again, then `after`, as the blocks of another front end."""

    def lines(program: list[Step]) -> str:
        return "\n".join(text(program).splitlines()[3:-2])

    head = text([]).splitlines()
    return "\n".join(
        [
            head[0].replace(") {", ", %again: i1) {", 1),
            *head[1:3],
            '  "cf.br"()[^turn] : () -> ()',
            "^turn:",
            lines(turn),
            '  "cf.cond_br"(%again)[^turn, ^end] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()',
            "^end:",
            lines(after),
            *head[-2:],
        ]
    )


@settings(max_examples=60)
@given(paired_steps, paired_steps)
def test_blocks_are_what_one_and_two_turns_show(turn: list[Step], after: list[Step]) -> None:
    """A branch back makes a loop, a branch forward goes on: every way through is looked at."""
    hazard = model(turn + after)[0] or model(turn + turn + after)[0]
    func = next(iter(parse(blocks(turn, after), allow_unregistered=True).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    assert bool(flow.hazards) == hazard
    assert not flow.misuses


def blamed(program: str) -> list[tuple[int, int]]:
    """The lines of both accesses of each hazard."""
    func = next(iter(parse(program).body.ops))
    facts = FunctionFacts(func, Knowledge())  # type: ignore[arg-type]
    flow = SyncFlow(facts, get_target("a5"))
    flow.run()
    return [(facts.line(h.first.op), facts.line(h.second.op)) for h in flow.hazards.values()]


HALF = "!pto.tile_buf<vec, 8x32xf32>"


def test_the_latest_access_of_a_pipe_is_blamed() -> None:
    """Whoever awaits it has awaited the earlier ones too."""
    assert blamed(
        f"""func.func @f(%x: {MEM}, %h: !pto.memref<8x32xf32>, %s: f32) {{
  %c0 = arith.constant 0 : index
  %a = pto.alloc_tile : {TILE}
  %b = pto.alloc_tile : {TILE}
  %u = pto.subview %a[%c0, %c0] sizes [8, 32] : {TILE} -> {HALF}
  pto.tload ins(%x : {MEM}) outs(%a : {TILE})
  pto.tload ins(%h : !pto.memref<8x32xf32>) outs(%u : {HALF})
  pto.tadds ins(%a, %s : {TILE}, f32) outs(%b : {TILE})
  return
}}"""
    ) == [(7, 8)]


def test_the_latest_access_of_a_pipe_is_blamed_among_tiles_that_share_bytes() -> None:
    assert blamed(
        f"""func.func @f(%x: {MEM}, %s: f32) {{
  %c0 = arith.constant 0 : i64
  %c512 = arith.constant 512 : i64
  %a = pto.alloc_tile addr = %c0 : {TILE}
  %b = pto.alloc_tile addr = %c512 : {TILE}
  pto.tload ins(%x : {MEM}) outs(%b : {TILE})
  pto.tload ins(%x : {MEM}) outs(%a : {TILE})
  pto.texpands ins(%s : f32) outs(%a : {TILE})
  return
}}"""
    ) == [(7, 8)]


FLAG = "#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>"
SET, WAIT = f"pto.set_flag[{FLAG}]", f"pto.wait_flag[{FLAG}]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # kind, line, and the line of the set that matters
        ([SET, WAIT, WAIT], {("unset", 5, None)}),
        ([SET, WAIT, SET, SET, WAIT], {("set twice", 6, 5)}),
        ([SET, WAIT, SET], {("left up", 5, None)}),
        (["scf.if %go {", SET, "}", WAIT], {("maybe unset", 6, 4)}),
        (["scf.while : () -> () {", WAIT, "scf.condition(%go)", "} do {", SET, "scf.yield", "}"],
         {("maybe unset", 4, 7)}),
        (["scf.while : () -> () {", SET, WAIT, SET, "scf.condition(%go)", "} do {", "}"],
         {("set twice", 4, 6), ("left up", 6, None)}),
    ],
)  # fmt: skip
def test_misused_flags(body: list[str], expected: set[tuple[str, int, int | None]]) -> None:
    lines = "\n".join(body)
    program = f"func.func @f(%go: i1, %x: {MEM}) {{\n%a = pto.alloc_tile : {TILE}\n{lines}\nreturn\n}}"
    func = next(iter(parse(program).body.ops))
    facts = FunctionFacts(func, Knowledge())  # type: ignore[arg-type]
    flow = SyncFlow(facts, get_target("a5"))
    flow.run()
    found = {
        (misuse.kind, facts.line(misuse.op), None if misuse.other is None else facts.line(misuse.other))
        for misuse in flow.misuses.values()
    }
    assert found == expected


def carried(depth: int) -> str:
    """Nested loops, each with a flag from turn to turn and work on both sides of the next loop."""
    pipes = [(a, b) for a in PIPES for b in PIPES if a != b]
    load, store = text([("load", "a"), ("store", "b")]).splitlines()[3:5]

    def loop(at: int) -> list[str]:
        if at == depth:
            return [load, store]
        source, sink = pipes[at % len(pipes)]
        flag = f"#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{sink}>, #pto.event<EVENT_ID{at // len(pipes)}>"
        up, down = f"pto.set_flag[{flag}]", f"pto.wait_flag[{flag}]"
        body = [down, load, *loop(at + 1), store, up]
        return [up, f"scf.for %k{at} = %c0 to %n step %c1 {{", *body, "}", down]

    head = text([]).splitlines()
    constants = [f"%c{n} = arith.constant {n} : index" for n in (0, 1)]
    return "\n".join([head[0].replace(") {", ", %n: index) {"), *head[1:3], *constants, *loop(0), *head[3:]])


@pytest.mark.parametrize("depth", [1, 6, 30])
def test_visits_of_flags_do_not_grow_with_the_depth_of_loops(depth: int) -> None:
    visits = Counter[Operation]()

    class Counting(SyncFlow):
        def visit(self, op: Operation, state: Any) -> None:
            visits[op] += 1
            super().visit(op, state)

    func = next(iter(parse(carried(depth)).body.ops))
    flow = Counting(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    assert not flow.misuses
    assert len(visits) >= 5 * depth and max(visits.values()) <= 5


def alternating(depth: int) -> str:
    """Nested loops, each with a flag whose event is the parity of its iteration."""
    lines = [
        "func.func @f(%n: index) {",
        *(f"%c{number} = arith.constant {number} : index" for number in (0, 1, 2)),
    ]
    for at in range(depth):
        flag = f"<PIPE_V>, <PIPE_MTE2>, %e{at}"
        lines += [
            f"scf.for %i{at} = %c0 to %n step %c1 {{",
            f"%e{at} = arith.remui %i{at}, %c2 : index",
            f"pto.set_flag_dyn[{flag}]",
            f"pto.wait_flag_dyn[{flag}]",
        ]
    return "\n".join([*lines, *["}"] * depth, "return", "}"])


@pytest.mark.parametrize(("depth", "known"), [(1, True), (6, True), (7, False), (30, False)])
def test_few_iterations_of_nested_loops_are_told_apart(depth: int, known: bool) -> None:
    """Six loops have 64 pairs of parities; in more, the events of the inner loops count as unknown."""
    visits = 0

    class Counting(SyncFlow):
        def visit(self, op: Operation, state: Any) -> None:
            nonlocal visits
            visits += 1
            super().visit(op, state)

    func = next(iter(parse(alternating(depth)).body.ops))
    flow = Counting(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    assert not flow.misuses and (not flow.assumed) == known
    assert visits <= 4 * 3 * 64 * depth


def test_three_tiles_share_bytes_and_others_do_not() -> None:
    """Sorted by address: one alone, three of which each meets the others, and one without an address."""
    places = "\n".join(
        f"%c{at} = arith.constant {at} : i64\n%t{at} = pto.alloc_tile addr = %c{at} : {TILE}"
        for at in (0, 4096, 4608, 5120)
    )
    assert blamed(
        f"""func.func @f(%x: {MEM}, %s: f32) {{
{places}
%free = pto.alloc_tile : {TILE}
pto.texpands ins(%s : f32) outs(%t4608 : {TILE})
pto.barrier #pto.pipe<PIPE_ALL>
pto.tload ins(%x : {MEM}) outs(%t0 : {TILE})
pto.tload ins(%x : {MEM}) outs(%free : {TILE})
pto.tload ins(%x : {MEM}) outs(%t4096 : {TILE})
pto.texpands ins(%s : f32) outs(%t5120 : {TILE})
return
}}"""
    ) == [(15, 16)]


def missing(program: str, target: str) -> list[tuple[str, str]]:
    """Between which pipes each flag is missing."""
    func = next(iter(parse(program).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target(target))  # type: ignore[arg-type]
    flow.run()
    return [(h.pair[0].value[5:], h.pair[1].value[5:]) for h in flow.hazards.values()]


LOOKUP = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.memref<1x8xi32>
.arg %out : !pto.memref<8x8xf32>
%i = tload %idx : (!pto.memref<1x8xi32>) -> !pto.tile<1x8xi32>
%d = mgather.row.clamp %table, %i : (!pto.memref<64x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""


def test_the_flag_that_is_missing() -> None:
    """Document 000: MTE2 to V before a gather, also where the scalar pipe reads the index (A2/A3)."""
    assert missing(LOOKUP, "a2a3") == [("MTE2", "V")]
    assert missing(LOOKUP, "a5") == [("MTE2", "V"), ("V", "MTE3")]


def test_an_event_for_one_more_flag() -> None:
    used = [
        text([("set", "MTE2", "V", str(n)), ("wait", "MTE2", "V", str(n))]).splitlines()[3:5]
        for n in range(8)
    ]

    def free(flags: int, source: Pipe, sink: Pipe) -> Event:
        head, tail = text([]).splitlines()[:3], text([]).splitlines()[3:]
        program = "\n".join([*head, *(line for pair in used[:flags] for line in pair), *tail])
        func = next(iter(parse(program).body.ops))
        facts = FunctionFacts(func, Knowledge())  # type: ignore[arg-type]
        target = get_target("a5")
        return FreeEvents(facts, SyncFlow(facts, target), target.events).take((source, sink))

    assert free(0, Pipe.PIPE_MTE2, Pipe.PIPE_V) is Event.EVENT_ID0
    assert free(2, Pipe.PIPE_MTE2, Pipe.PIPE_V) is Event.EVENT_ID2
    # Ids count for each pair of pipes by itself.
    assert free(2, Pipe.PIPE_V, Pipe.PIPE_MTE2) is Event.EVENT_ID0
    assert free(8, Pipe.PIPE_MTE2, Pipe.PIPE_V) is None


def graph(blocks: dict[str, tuple[list[Step], list[str]]]) -> SyncFlow:
    """The analysis of blocks: the steps of each, and where it goes on; nowhere: it returns."""
    head = text([]).splitlines()
    lines = [
        head[0].replace(") {", ", %again: i1) {", 1),
        *head[1:3],
        f'  "cf.br"()[^{next(iter(blocks))}] : () -> ()',
    ]
    for name, (steps, successors) in blocks.items():
        lines += [f"^{name}:", *text(steps).splitlines()[3:-2]]
        match successors:
            case []:
                lines.append("  return")
            case [one]:
                lines.append(f'  "cf.br"()[^{one}] : () -> ()')
            case [one, other]:
                sizes = "{operandSegmentSizes = array<i32: 1, 0, 0>}"
                lines.append(f'  "cf.cond_br"(%again)[^{one}, ^{other}] {sizes} : (i1) -> ()')
    func = next(iter(parse("\n".join([*lines, "}"]), allow_unregistered=True).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    return flow


LOADS: list[Step] = [("load", "a")]
STORES: list[Step] = [("store", "a")]
RAISES: list[Step] = [("set", "MTE2", "V", "0")]
AWAITS: list[Step] = [("wait", "MTE2", "V", "0")]


@pytest.mark.parametrize("steps", [(LOADS, []), ([], LOADS)])
def test_blocks_that_meet_bring_what_either_did(steps: tuple[list[Step], list[Step]]) -> None:
    flow = graph({"e": ([], ["p", "q"]), "p": (steps[0], ["z"]), "q": (steps[1], ["z"]), "z": (STORES, [])})
    assert len(flow.hazards) == 1


@pytest.mark.parametrize("steps", [(RAISES, []), ([], RAISES)])
def test_every_block_that_returns_ends_the_function(steps: tuple[list[Step], list[Step]]) -> None:
    flow = graph({"e": ([], ["p", "q"]), "p": (steps[0], []), "q": (steps[1], [])})
    assert [misuse.kind for misuse in flow.misuses.values()] == ["left up"]


def test_only_blocks_that_return_end_the_function() -> None:
    assert not graph({"p": (RAISES, ["q"]), "q": (AWAITS, [])}).misuses


def test_infinite_and_unreachable_blocks_are_accepted() -> None:
    assert not graph({"p": ([*RAISES, *AWAITS], ["p"])}).misuses
    assert not graph({"p": ([], ["z"]), "dead": ([*LOADS, *STORES], ["z"]), "z": ([], [])}).hazards


def test_a_block_is_judged_when_all_ways_into_it_are_known() -> None:
    flow = graph({"p": ([*AWAITS, *RAISES], ["p", "z"]), "z": (AWAITS, [])})
    assert [misuse.kind for misuse in flow.misuses.values()] == ["maybe unset"]
