"""Deadlock report: the mistake, and a text picture of the waiting actors.

Where one core waits for others that have all come to their end, the mistake is there: a tile that nobody
pushes, a slot that nobody frees, a counter that nobody sets, a barrier that the others came to less often.
Where they wait for each other, it is a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ptoas.analysis.channels import flow_of
from ptoas.diagnostics import Diagnostic, Note
from ptoas.dialects.pto.channel import AllocSlotOp, ChannelOp, PopOp, PushOp
from ptoas.dialects.pto.core_sync import AwaitsCounter, SyncAllOp
from ptoas.grammar.spans import span_of
from ptoas.machine.actors import Launch
from ptoas.machine.channels import Ring
from ptoas.machine.errors import finding
from ptoas.machine.machine import Machine
from ptoas.runner.core import Core
from ptoas.runner.outcomes import ActorOutcome

MOST_LINES = 24
"""Actors that a picture shows; of a larger launch those that wait come first."""


@dataclass
class ActorState:
    """An actor that has not come to its end, or has, and the machine that it worked with."""

    outcome: ActorOutcome
    machine: Machine

    @property
    def waits(self) -> bool:
        return self.outcome.waits is not None and self.outcome.op is not None

    @property
    def op(self) -> Operation:
        """The operation at which it waits."""
        assert self.outcome.op is not None, "it waits"
        return self.outcome.op

    @property
    def ring(self) -> Ring | None:
        """The ring that it waits at."""
        op = self.outcome.op
        if not isinstance(op, ChannelOp):
            return None
        init, flow = self.machine.channels.init_of(op), flow_of(op)
        if init is None or flow is None:
            return None
        return self.machine.cluster_of_block.ring(self.machine.channels.of(init), flow, self.machine)


def deadlock_error(
    outcomes: Sequence[ActorOutcome], cores: Sequence[Core], launch: Launch, target: str
) -> Diagnostic | None:
    """The error if all unfinished actors wait; `None`: it does not involve shared state of cores."""
    every = [ActorState(o, core.machine) for o, core in zip(outcomes, cores, strict=True)]
    waiting = [each for each in every if each.waits]
    ours = [each for each in waiting if isinstance(each.outcome.op, ChannelOp | AwaitsCounter | SyncAllOp)]
    if not ours:
        return None
    busy = {each.outcome.actor for each in waiting}
    # The cause is the first actor that waits only for finished ones.
    alone = next((each for each in ours if not busy & set(each.outcome.on)), None)
    notes = list(picture(every, launch))
    if alone is None:
        names = launch.names(each.outcome.actor for each in waiting)
        code, message = "PTO-R901", f"{names} wait for each other for ever"
        more = (*_places(ours[1:], launch), *_circle(ours, launch))
        kept = any(map(_is_kept, ours))
        fix = _FREE if kept else "one of them must push, set or arrive before it waits"
    else:
        code, what, more, fix = _cause(alone, launch)
        message = f"{launch.names([alone.outcome.actor])}: {what}"
    place = span_of((alone or ours[0]).op)
    return finding(code, message, span=place, notes=(*more, *notes), fix=fix, target=target)


_FREE = "add a tfree after the last use of each popped tile"


def _is_kept(each: ActorState) -> bool:
    """Return True if a producer waits for a slot that was popped and not released."""
    ring = each.ring if isinstance(each.op, PushOp | AllocSlotOp) else None
    return ring is not None and any(ring.held.values())


# --- one that waits for those who have finished --------------------------------------------------------

Cause = tuple[str, str, tuple[Note, ...], str]
"""Code, message, further places, fix."""


def _cause(state: ActorState, launch: Launch) -> Cause:
    op, ring = state.outcome.op, state.ring
    match op:
        case PopOp() if ring is not None:
            return _nothing_pushed(op, ring, state, launch)
        case PushOp() | AllocSlotOp() if ring is not None:
            return _nothing_free(op, ring, state, launch)
        case SyncAllOp():
            return _disagree(state, launch)
        case _:
            return _never_set(state, launch)


def _others(state: ActorState, launch: Launch) -> str:
    on = state.outcome.on
    if not on:
        return "nobody is at the other end"
    return f"{launch.names(on)} {'have' if len(on) > 1 else 'has'} finished"


def _nothing_pushed(op: PopOp, ring: Ring, state: ActorState, launch: Launch) -> Cause:
    last = ring.last_push
    return (
        "PTO-R922",
        f"{op.mnemonic()} waits for a tile from {ring.name} that is never pushed: {ring.state()}; "
        f"{_others(state, launch)}",
        () if last is None else (Note("the last push", span_of(last)),),
        "push as many tiles as are popped, on every path through the program",
    )


def _nothing_free(op: ChannelOp, ring: Ring, state: ActorState, launch: Launch) -> Cause:
    held = [each for tiles in ring.held.values() for each in tiles]
    if held:
        return (
            "PTO-R903",
            f"{op.mnemonic()} waits for an empty slot of {ring.name}, and {len(held)} that were popped are "
            f"never given back: {ring.state()}; {_others(state, launch)}",
            (Note("popped here and not freed", span_of(held[0].op)),),
            _FREE,
        )
    last = ring.last_pop
    return (
        "PTO-R921",
        f"{op.mnemonic()} waits for an empty slot of {ring.name}, which is full: {ring.state()}; "
        f"{_others(state, launch)}",
        () if last is None else (Note("the last pop", span_of(last)),),
        "pop as many tiles as are pushed, or use more slots (slot_num)",
    )


def _disagree(state: ActorState, launch: Launch) -> Cause:
    syncs = state.machine.cluster_of_block.grid.syncs
    mine = syncs.get(state.outcome.actor)
    came = 0 if mine is None else mine[0]
    less = [(actor, syncs.get(actor)) for actor in state.outcome.on]
    notes = [
        Note(f"{launch.names([actor])} reaches syncall {sync[0]} times, the last time here", span_of(sync[1]))
        for actor, sync in less
        if sync is not None
    ]
    counts = [f"{launch.names([actor])} came {0 if sync is None else sync[0]} times" for actor, sync in less]
    return (
        "PTO-R914",
        f"it waits for ever at its syncall {came}: {', '.join(counts) or 'nobody came'}, and finished",
        tuple(notes[:1]),
        "let every core of the kind execute every syncall: put none in a branch that only some cores take",
    )


def _never_set(state: ActorState, launch: Launch) -> Cause:
    cluster = state.machine.cluster_of_block
    notes: list[Note] = []
    for counter in (*cluster.counters.values(), *cluster.grid.counters.values()):
        if counter.last is not None and set(counter.sent) & set(state.outcome.on):
            senders = launch.names(sorted(set(counter.sent) & set(state.outcome.on)))
            notes.append(
                Note(f"{senders} sets another counter, or this one before, here", span_of(counter.last))
            )
    return (
        "PTO-R920",
        f"{state.outcome.waits}; {_others(state, launch)}",
        tuple(notes[:1]),
        "set it as often as it is awaited, under the same number, on a core that it counts for",
    )


# --- the picture -----------------------------------------------------------------------------------------


def picture(every: Sequence[ActorState], launch: Launch) -> Iterator[Note]:
    """A line for each core: its position, the awaited event and its sender; then the rings."""
    shown = sorted(every, key=lambda each: not each.waits)[:MOST_LINES]
    shown.sort(key=lambda each: each.outcome.actor)
    names = {each.outcome.actor: launch.names([each.outcome.actor]) for each in shown}
    width = max(len(name) for name in names.values())
    for each in shown:
        yield Note(f"{names[each.outcome.actor]:<{width}} | {_standing(each, launch)}")
    if len(every) > len(shown):
        yield Note(f"and {len(every) - len(shown)} more")
    for ring in dict.fromkeys(each.ring for each in every if each.waits and each.ring is not None):
        yield Note(f"{ring.name} {ring.picture()} {ring.state()}")


def _standing(each: ActorState, launch: Launch) -> str:
    outcome = each.outcome
    if not each.waits:
        return "has finished" if outcome.good else outcome.waits or "has failed"
    assert outcome.op is not None
    what = (outcome.waits or "").split(":")[0]
    whom = ""
    if isinstance(outcome.op, ChannelOp):  # the description of the others includes it
        whom = f" <- {launch.names(outcome.on) if outcome.on else 'nobody'}"
    return f"line {span_of(outcome.op).line} | {what}{whom}"


def _places(others: Iterable[ActorState], launch: Launch) -> Iterator[Note]:
    for each in list(others)[:2]:
        yield Note(f"{launch.names([each.outcome.actor])} waits here", span_of(each.op))


def _circle(waiting: Sequence[ActorState], launch: Launch) -> Iterator[Note]:
    """Follow the waits until an actor repeats."""
    by_actor = {each.outcome.actor: each for each in waiting}
    at, seen = waiting[0].outcome.actor, list[int]()
    while at not in seen:
        seen.append(at)
        following = next((actor for actor in by_actor[at].outcome.on if actor in by_actor), None)
        if following is None:
            return
        at = following
    circle = [*seen[seen.index(at) :], at]
    yield Note(" -> ".join(launch.names([actor]) for actor in circle))
