"""200 random programs leave the same bytes behind in every way."""

from __future__ import annotations

import pytest

from .__main__ import run_seeds
from .generate import generate

PROGRAMS = 200
PARTS = 5


@pytest.mark.parametrize("part", range(PARTS))
def test_every_way_leaves_the_same_bytes(part: int) -> None:
    each = PROGRAMS // PARTS
    outcome = run_seeds(range(part * each, (part + 1) * each))
    assert outcome.differences == []
    assert outcome.rejected == []
    assert {"machine without checks", "after plan-memory", "after insert-sync", "C++"} <= set(outcome.ways)
    assert {f"through {form}" for form in ("asm", "ssa", "dps", "generic")} <= set(outcome.ways)


def test_a_program_is_a_function_of_its_seed() -> None:
    first, second = generate(12), generate(12)
    assert first.text == second.text
    assert {k: repr(v) for k, v in first.arguments.items()} == {
        k: repr(v) for k, v in second.arguments.items()
    }
