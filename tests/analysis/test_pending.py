"""Accesses in groups are the accesses one by one."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.analysis.order import StaticAccess
from ptoas.analysis.pending import Pending
from ptoas.dialects.pto.enums import Pipe

NONE = cast(Any, None)
PIPES = (Pipe.PIPE_V, Pipe.PIPE_MTE2, Pipe.PIPE_MTE3)
TOUCHES = [StaticAccess(n, NONE, PIPES[n % 3], NONE, False, NONE, n // 2, 0, [], n % 3) for n in range(6)]
DONE = 0b111

touches = st.sampled_from(TOUCHES)
bits = st.sampled_from([1, 2, 4, 8])
steps = st.one_of(
    st.tuples(st.just("put"), touches, bits),
    st.tuples(st.just("begin"), touches, bits),
    st.tuples(st.just("flag"), bits, bits),
    st.tuples(st.sampled_from(["flag", "copy", "clear"]), bits, bits),
)


def masked(pipe: Pipe, mask: int, has: int, gets: int) -> int:
    """The effect of a flag: a bit for those that have one, and another for those of one pipe."""
    if not mask & has:
        return mask & ~gets
    return mask | gets | (4 if pipe is Pipe.PIPE_V else 0)


def apply(pending: Pending, model: dict[StaticAccess, int], step: tuple[str, Any, Any]) -> Pending:
    match step:
        case "put", touch, mask:
            pending.put(touch, mask)
            model[touch] = mask
        case "begin", touch, mask:  # the others of its place are forgotten
            for other in [each for each in model if each.at == touch.at and each is not touch]:
                del model[other]
                del pending.by_place[touch.at][other]
            pending.put(touch, mask)
            model[touch] = mask
        case "flag", has, gets:
            pending.change(lambda pipe, mask: masked(pipe, mask, has, gets), DONE)
            for touch, mask in list(model.items()):
                model[touch] = masked(touch.pipe, mask, has, gets)
                if model[touch] & DONE == DONE:
                    del model[touch]
        case "copy", _, _:
            pending = pending.copy()
        case _:
            pending.clear()
            model.clear()
    return pending


@given(st.lists(steps, max_size=40), st.lists(steps, max_size=12))
@settings(max_examples=300)
def test_groups_are_their_accesses(first: list[Any], second: list[Any]) -> None:
    pending, model = Pending(), dict[StaticAccess, int]()
    for step in first:
        pending = apply(pending, model, step)
        assert dict(pending.items()) == model
    other, beside = pending.copy(), dict(model)
    for step in second:
        other = apply(other, beside, step)
    assert dict(pending.items()) == model  # a copy is a copy
    both = {t: model.get(t, -1) & beside.get(t, -1) for t in {**model, **beside}}
    assert dict(pending.joined(other).items()) == both
    assert (pending == other) == (model == beside)


def test_equal_groups_are_merged_and_dropped_together() -> None:
    one, other = TOUCHES[0], TOUCHES[3]
    pending = Pending([(one, 1), (other, 2)])
    pending.change(lambda _, mask: 3, DONE)
    assert dict(pending.items()) == {one: 3, other: 3}
    pending.change(lambda _, mask: 7, DONE)
    assert not pending.items() and not pending.by_place


def test_deleted_access_does_not_return_when_its_group_changes() -> None:
    gone, stays, beside = TOUCHES[0], TOUCHES[3], TOUCHES[1]
    pending = Pending([(gone, 1), (stays, 2), (beside, 1)])
    del pending.by_place[gone.at][gone]
    pending.change(lambda _, mask: 3, DONE)
    assert dict(pending.items()) == {stays: 3, beside: 3}


def test_thousands_of_equal_entries_are_changed_at_once() -> None:
    asked: list[int] = []
    pending = Pending()
    for n in range(2000):
        pending.put(StaticAccess(n, NONE, Pipe.PIPE_MTE2, NONE, True, NONE, n, 0, [], 0), 8)
        pending.change(lambda _, mask: asked.append(mask) or mask | 16, DONE)
    assert len(list(pending.items())) == 2000 and len(asked) < 3 * 2000
