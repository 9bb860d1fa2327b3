"""The flag analysis against a model that orders every pair of events by reachability."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.grammar.parse import parse
from ptoas.targets import get_target
from ptoas.targets.facts import Knowledge
from ptoas.targets.function_facts import FunctionFacts
from ptoas.targets.sync_flow import SyncFlow

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
            case (word, p, q, n):
                pipes = f"#pto.pipe<PIPE_{p}>, #pto.pipe<PIPE_{q}>, #pto.event<EVENT_ID{n}>"
                lines.append(f"pto.{word}_flag[{pipes}]")
            case _:
                raise AssertionError(step)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @f(%x: {MEM}, %y: {MEM}, %s: f32) {{\n{body}\n  return\n}}"


def model(program: list[Step]) -> tuple[bool, set[str]]:
    """Whether two conflicting accesses are unordered, and which kinds of flag misuse occur.

    Events are nodes; an edge goes from each event of a pipe to the next one of that pipe, and from a flag's
    raising (on its source pipe) to its awaiting (on its destination pipe).
    """
    events: list[tuple[str, list[tuple[str, bool]]]] = []  # pipe, accesses
    edges: set[tuple[int, int]] = set()
    last: dict[str, int] = {}
    raised: dict[tuple[str, str, str], int] = {}
    misuse: set[str] = set()

    def event(pipe: str, touched: list[tuple[str, bool]]) -> int:
        number = len(events)
        events.append((pipe, touched))
        if pipe in last:
            edges.add((last[pipe], number))
        last[pipe] = number
        return number

    for step in program:
        match step:
            case ("load", a):
                event("MTE2", [(a, True), ("x", False)])
            case ("work", a, b):
                event("V", [(a, False), (b, True)])
            case ("store", a):
                event("MTE3", [(a, False), ("y", True)])
            case ("set", p, q, n):
                number = event(p, [])
                if (p, q, n) in raised:
                    misuse.add("set twice")
                raised[p, q, n] = number
            case ("wait", p, q, n):
                number = event(q, [])
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
    for j, (pipe, touched) in enumerate(events):
        for i in range(j):
            other = events[i]
            conflict = any(x == y and (w or v) for x, w in touched for y, v in other[1])
            if conflict and other[0] != pipe and i not in before[j]:
                return True, misuse
    return False, misuse


@settings(max_examples=300, deadline=None)
@given(steps)
def test_straight_programs_agree_with_the_model(program: list[Step]) -> None:
    func = next(iter(parse(text(program)).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    hazard, misuse = model(program)
    assert bool(flow.hazards) == hazard
    assert {m.kind for m in flow.misuses.values()} == misuse


@settings(max_examples=200, deadline=None)
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


@settings(max_examples=60, deadline=None)
@given(paired_steps, paired_steps)
def test_blocks_are_what_one_and_two_turns_show(turn: list[Step], after: list[Step]) -> None:
    """A branch back makes a loop, a branch forward goes on: every way through is looked at."""
    hazard = model(turn + after)[0] or model(turn + turn + after)[0]
    func = next(iter(parse(blocks(turn, after), allow_unregistered=True).body.ops))
    flow = SyncFlow(FunctionFacts(func, Knowledge()), get_target("a5"))  # type: ignore[arg-type]
    flow.run()
    assert bool(flow.hazards) == hazard
    assert not flow.misuses
