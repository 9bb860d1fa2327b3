"""A short run of `python -m tests.differential.pipe_order`."""

from __future__ import annotations

import pytest

from . import pipe_order


@pytest.mark.parametrize("first", range(0, 60, 12))
def test_verify_run_and_insert_sync_agree_on_the_order_of_pipes(first: int) -> None:
    assert {seed: found for seed in range(first, first + 12) if (found := pipe_order.check(seed))} == {}


def test_programs_have_errors_of_all_kinds_and_some_have_none() -> None:
    """A generator whose programs were all right, or all wrong, would show nothing."""
    seen: set[str] = set()
    clean = 0
    for seed in range(80):
        random = pipe_order.Random(seed)
        module = pipe_order.ptoas.parse(pipe_order.write(random, sync=True))
        found, _ = pipe_order.analysed(module, pipe_order.TARGETS[seed % 3])
        seen |= found
        clean += not found
    assert seen >= {"hazard", "unset", "maybe unset", "set twice", "left up"}
    assert clean >= 5
