"""A short run of `python -m tests.differential.schedules`."""

from __future__ import annotations

import pytest

from . import schedules


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_no_interleaving_contradicts_a_claim(first: int) -> None:
    seeds = range(first, first + 10)
    assert {seed: found for seed in seeds if (found := schedules.check(seed)[0]) is not None} == {}


def test_programs_are_claimed_and_not_claimed() -> None:
    """A generator whose programs were all plain, or all wrong, would show nothing."""
    kinds = {schedules.check(seed)[1] for seed in range(40)}
    assert {"claimed", "refused", "not claimed, several outcomes"} <= kinds


def test_no_interleaving_contradicts_the_claims_about_rows() -> None:
    found = {seed: schedules.check_rows(seed) for seed in range(25, 50)}
    assert {seed: wrong for seed, (wrong, _) in found.items() if wrong is not None} == {}
    assert {"rows: proved", "rows: not proved, a race"} <= {kind for _, kind in found.values()}
