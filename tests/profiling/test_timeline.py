"""The timeline never violates an order that the machine enforces, and no pipe does two things at once."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.ir import Operation

import ptoas
from ptoas.analysis.clocks import NUMBER, PIPES, Clocks, Known, Ledger
from ptoas.dialects.pto.enums import Event as Flag
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.profiling.record import Trace, TraceEvent, What, signal_of
from ptoas.profiling.timeline import Timeline, simulate
from ptoas.profiling.work import Cost, PipeWork, Work
from ptoas.targets.costs import CostModel, table_of
from tests.differential.generate import generate

A2A3 = ptoas.get_target("a2a3")
COST_MODEL = CostModel("1", "a test", "C")
pipes = st.sampled_from(PIPES)
pairs = st.lists(st.tuples(pipes, pipes), max_size=2).map(tuple)


def signal(op: SetFlagOp | WaitFlagOp) -> Any:
    found = signal_of(op, A2A3)
    assert found is not None
    return found[1]


@st.composite
def works(draw: st.DrawFn) -> Work:
    lanes = draw(st.lists(pipes, min_size=1, max_size=2, unique=True))
    parts = tuple(PipeWork(lane, *[draw(st.integers(0, 50)) * 1.0] * 3) for lane in lanes)
    cost = Cost("t", COST_MODEL, "C", "1", {}, parts, float(draw(st.integers(0, 5))))
    everything = draw(st.integers(0, 9)) == 0
    before = ((Pipe.PIPE_ALL, Pipe.PIPE_ALL),) if everything else draw(pairs)
    return Work(BarrierOp(Pipe.PIPE_S), "work", 1, 0, (), cost, before, draw(pairs))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Works, flags, barriers and what cores tell each other; a flag is awaited only where it is up."""
    trace = Trace(A2A3, table_of(A2A3))
    up: set[tuple[Any, ...]] = set()
    for _ in range(draw(st.integers(1, 40))):
        actor = (0, draw(st.integers(0, 1)), 0)
        kind = draw(st.sampled_from([*[What.WORK] * 4, *What]))
        subject: Any
        if kind is What.WORK:
            subject = draw(works())
        elif kind is What.BARRIER:
            subject = BarrierOp(draw(st.sampled_from([*PIPES, Pipe.PIPE_ALL])))
        elif kind is What.FENCE:
            subject = None
        elif kind in (What.RELEASE, What.ACQUIRE):
            subject = (draw(st.integers(0, 2)), draw(st.sampled_from([None, *PIPES])))
        else:
            flag = (actor, draw(pipes), draw(pipes), draw(st.sampled_from(list(Flag)[:2])))
            if (kind is What.WAIT) != (flag in up):
                continue
            subject = signal((SetFlagOp if kind is What.SET else WaitFlagOp)(*flag[1:]))
            up ^= {flag}
        trace.events.append(TraceEvent(kind, subject, actor))
    return trace


def enforced(trace: Trace) -> list[tuple[int, int, int, list[int], Known]]:
    """The core, pipe and time of each slice, and the clocks of the machine before it."""
    ledger = Ledger()
    clocks = {actor: Clocks(actor[1], ledger) for actor in {event.actor for event in trace.events}}
    flags: dict[Any, Any] = {}
    found: list[tuple[int, int, int, list[int], Known]] = []

    def join(core: Clocks, handshakes: tuple[tuple[Pipe, Pipe], ...]) -> None:
        for source, target in handshakes:
            if source is Pipe.PIPE_ALL:
                core.barrier()
            else:
                core.join(NUMBER[source], NUMBER[target])

    for event in trace.events:
        core, subject = clocks[event.actor], event.subject
        if event.what is What.WORK:
            join(core, subject.before)
            lanes = [NUMBER[part.pipe] for part in subject.cost.parts]
            for lane in lanes:
                known = list(core.own[lane])
                found.append((core.actor, lane, known[lane] + 1, known, core.others[lane]))
            for lane in lanes:
                core.own[lane][lane] += 1
            join(core, subject.after)
        elif event.what is What.SET:
            flags[event.actor, subject.key] = core.snapshot(NUMBER[subject.op.src_pipe.data])
        elif event.what is What.WAIT:
            core.learn(NUMBER[subject.op.dst_pipe.data], *flags.pop((event.actor, subject.key)))
        elif event.what is What.BARRIER and subject.drained is Pipe.PIPE_ALL:
            core.barrier()
        elif event.what is What.FENCE:
            core.fence()
        elif event.what is What.RELEASE:
            core.release(*subject)
        elif event.what is What.ACQUIRE:
            core.acquire(*subject)
    return found


def check(trace: Trace, timeline: Timeline) -> None:
    orders = enforced(trace)
    assert len(orders) == len(timeline.slices)
    for n, (actor, _, _, known, others) in enumerate(orders):
        for m in range(n):
            theirs, lane, time, _, _ = orders[m]
            seen = known if theirs == actor else others.get(theirs, (0,) * len(PIPES))
            if time <= seen[lane]:
                assert timeline.slices[m].end <= timeline.slices[n].start + 1e-6
    check_sums(timeline)


def check_sums(timeline: Timeline) -> None:
    busy = timeline.busy()
    assert max(busy.values(), default=0) <= timeline.total + 1e-6
    for lane in timeline.lanes().values():
        assert all(a.end <= b.start + 1e-9 for a, b in pairwise(lane)), "one thing at a time, in order"
    # On the way that decides the total there is nothing else than issue and fences.
    critical = timeline.critical()
    assert sum(each.cycles for each in critical) <= timeline.total + 1e-6
    assert all(a.end <= b.start + 1e-6 for a, b in pairwise(critical))


def check_division(found: ptoas.Profile) -> None:
    """No number contradicts another: whatever is summed gives what stands elsewhere."""
    total, slices = found.total, found.timeline.slices
    for lane in found.stalls.lanes.values():
        parts = (lane.busy, lane.waited, lane.idle)
        assert min(parts) >= -1e-6 and sum(parts) == pytest.approx(total), "the time of a pipe"
    lines = found.lines()
    assert sum(line.cycles for line in lines) == pytest.approx(sum(each.cycles for each in slices))
    assert sum(line.waited for line in lines) == pytest.approx(sum(each.waited for each in slices))
    for line in lines:
        assert sum(line.stalls.values()) == pytest.approx(line.waited)
    waited = sum(lane.waited for lane in found.stalls.lanes.values())
    assert sum(sync.delay for sync in found.syncs) <= waited + 1e-6
    assert 0 <= found.bound <= total
    costs = sum(sync.cost for sync in found.syncs)
    assert costs == pytest.approx(0) or costs == pytest.approx(total - found.bound)
    for loop in found.loops:
        for lane in loop.lanes.values():
            assert lane.busy * loop.iterations <= loop.cycles + 1e-6
    assert sum(found.confidence().values()) == pytest.approx(int(bool(slices)))


@settings(max_examples=150)
@given(traces())
def test_the_timeline_keeps_every_order_of_the_machine(trace: Trace) -> None:
    check(trace, simulate(trace))


def test_a_timeline_that_forgets_a_wait_is_noticed() -> None:
    """The check can fail: without its flag the second instruction starts too early."""
    first, second = (
        Work(
            BarrierOp(pipe),
            "work",
            1,
            0,
            (),
            Cost("t", COST_MODEL, "C", "1", {}, (PipeWork(pipe, 9, 9, 9),), 0),
        )
        for pipe in (Pipe.PIPE_MTE2, Pipe.PIPE_V)
    )
    flag = (Pipe.PIPE_MTE2, Pipe.PIPE_V, Flag.EVENT_ID0)
    kinds = (
        (What.WORK, first),
        (What.SET, signal(SetFlagOp(*flag))),
        (What.WAIT, signal(WaitFlagOp(*flag))),
        (What.WORK, second),
    )
    trace = Trace(A2A3, table_of(A2A3), [TraceEvent(kind, subject, (0, 0, 0)) for kind, subject in kinds])
    timeline = simulate(trace)
    assert [(each.start, each.end) for each in timeline.slices] == [(7, 16), (16, 25)]
    timeline.slices[1].start, timeline.slices[1].end = 12.0, 21.0
    with pytest.raises(AssertionError):
        check(trace, timeline)


CHROME = {
    "type": "object",
    "required": ["displayTimeUnit", "traceEvents"],
    "properties": {
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ph", "name", "pid"],
                "properties": {
                    "ph": {"enum": ["M", "X", "s", "f"]},
                    "pid": {"type": "integer"},
                    "tid": {"type": "integer"},
                    "ts": {"type": "number", "minimum": 0},
                    "dur": {"type": "number", "minimum": 0},
                    "args": {"type": "object"},
                },
                "allOf": [
                    {
                        "if": {"properties": {"ph": {"const": "X"}}},
                        "then": {"required": ["ts", "dur", "tid"]},
                    },
                    {"if": {"properties": {"ph": {"enum": ["s", "f"]}}}, "then": {"required": ["id", "cat"]}},
                ],
            },
        }
    },
}


def check_chrome(data: dict[str, Any]) -> None:
    """Balanced flows inside slices, and slices of a lane that never overlap."""
    jsonschema.validate(data, CHROME)
    lanes: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in data["traceEvents"]:
        if event["ph"] == "X":
            lanes.setdefault((event["pid"], event["tid"]), []).append(
                (event["ts"], event["ts"] + event["dur"])
            )
    for lane in lanes.values():
        assert all(a[1] <= b[0] + 1e-9 for a, b in pairwise(sorted(lane)))
    named = {(e["pid"], e["tid"]) for e in data["traceEvents"] if e["name"] == "thread_name"}
    assert named == set(lanes)
    flows = [e for e in data["traceEvents"] if e["ph"] in "sf"]
    starts, ends = ({e["id"]: e for e in flows if e["ph"] == kind} for kind in "sf")
    assert starts.keys() == ends.keys() and len(flows) == 2 * len(starts)
    for number, start in starts.items():
        assert start["ts"] <= ends[number]["ts"] + 1e-9
        for event in (start, ends[number]):
            inside = lanes[event["pid"], event["tid"]]
            assert any(low - 1e-9 <= event["ts"] <= high + 1e-9 for low, high in inside)


def test_any_program_has_a_profile() -> None:
    """Programs of every kind, run and walked."""
    profiled = 0
    for seed in (*range(19), *range(20, 48)):
        program = generate(seed)
        if program.target == "cpu" or program.ranks > 1:
            continue
        module = ptoas.parse(program.text, f"{program.name}.pto")
        options = {"target": program.target, "blocks": program.blocks, "aicore": program.aicore}
        # What several blocks write alike is a race that a profile reports, and not what this is about.
        checks = "all" if program.blocks == 1 else "mem,init"
        try:
            found = ptoas.profile(module, program.copies(), checks=checks, **options)
        except ptoas.PtoasError:
            continue  # what the target refuses has no profile; the differential test is about that
        check(found.trace, found.timeline)
        assert found.low <= found.total <= found.high
        check_division(found)
        check_chrome(json.loads(json.dumps(found.perfetto())))
        json.dumps(found.as_dict())
        assert found.csv().count("\n") == len(found.lines()) + 1
        assert found.summary()
        check_sums(ptoas.profile(module, static=True, **options).timeline)
        profiled += 1
    assert profiled > 25


def test_times_are_a_number_of_the_operation_that_waits() -> None:
    """A wait names what it waits through."""
    text = """
.arg %x : !pto.memref<64x64xf32>
.arg %o : !pto.memref<64x64xf32>
%a = tload %x : (!pto.memref<64x64xf32>) -> !pto.tile<64x64xf32>
%b = texp %a : !pto.tile<64x64xf32>
tstore %b, %o
"""
    found = ptoas.profile(ptoas.parse(text), target="a2a3")
    load, exp, store = found.timeline.slices
    assert (load.waited, exp.waited) == (7, 399) and isinstance(exp.via, Operation)
    assert found.timeline.slices[exp.cause] is load and found.timeline.slices[store.cause] is exp
    assert [arrow.label for arrow in found.timeline.arrows] == ["MTE2->V EVENT_ID0", "V->MTE3 EVENT_ID0"]
