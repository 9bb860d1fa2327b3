"""Cores that pass tiles to each other share one timeline."""

from __future__ import annotations

from pathlib import Path

import ptoas

PIPELINE = Path(__file__).parents[2] / "examples" / "cube_to_vector.pto"


def test_a_core_works_on_what_another_has_pushed_when_the_push_is_done() -> None:
    found = ptoas.profile(ptoas.parse_file(PIPELINE), ["tiles=6"]).timeline
    pushes = [each for each in found.slices if each.work.name == "tpush_to_aiv"]
    firsts = [each for each in found.slices if each.work.name == "trelu"]
    assert len(pushes) == 6 and len(firsts) == 12, "every push feeds both vector cores"
    for core in {each.actor for each in firsts}:
        own = [each for each in firsts if each.actor == core]
        for push, first in zip(pushes, own, strict=True):
            assert first.start >= push.end


def test_a_ring_that_is_full_holds_up_the_push() -> None:
    """Four slots: the fifth push waits until the first slot has been given back by both vector cores."""
    found = ptoas.profile(ptoas.parse_file(PIPELINE), ["tiles=6"]).timeline
    pushes = [each for each in found.slices if each.work.name == "tpush_to_aiv"]
    freed = [each for each in found.slices if each.work.name == "trelu" and each.iterations == (0,)]
    assert len(freed) == 2
    assert pushes[4].start >= max(each.end for each in freed)
