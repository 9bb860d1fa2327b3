"""A short run of `python -m tests.differential.visibility`."""

from __future__ import annotations

import pytest

from . import visibility


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_verify_run_and_insert_fences_agree_on_what_is_visible(first: int) -> None:
    assert {seed: found for seed in range(first, first + 20) if (found := visibility.check(seed))} == {}


def test_programs_have_findings_of_all_kinds_and_some_have_none() -> None:
    """A generator whose programs were all right, or all wrong, would show nothing."""
    seen: set[str] = set()
    clean = 0
    for seed in range(160):
        random = visibility.Random(seed)
        found = visibility.findings(visibility.ptoas.parse(visibility.write(random, by_hand=True)), "a5")
        seen |= {each.kind.name for each in found}
        clean += not found
    assert seen >= {"DIRTY_READ", "DIRTY_WRITE", "DIRTY_END", "STALE_LOAD", "SHARED_LINE", "UNFENCED_LOAD"}
    assert clean >= 5
