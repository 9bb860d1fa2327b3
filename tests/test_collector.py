"""While a module is read nobody looks for cycles; before and after, whoever wants to does."""

from __future__ import annotations

import gc

import pytest

import ptoas
from ptoas.collector import MANY, without_collecting


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("text", [".arg %a : !pto.tile<8x8xf32>", "no program"])
def test_the_collector_is_as_it_was(before: bool, text: str) -> None:
    (gc.enable if before else gc.disable)()
    try:
        try:
            ptoas.parse(text)
        except ptoas.PtoasError:
            assert text == "no program"
        assert gc.isenabled() is before
    finally:
        gc.enable()


def test_much_that_is_made_is_looked_at_once() -> None:
    runs = [0, 0]

    @without_collecting
    def make(count: int) -> list[list[int]]:
        made = [list[int]() for _ in range(count)]
        runs[0] = sum(each["collections"] for each in gc.get_stats())
        return made

    for count, more in ((MANY // 2, 0), (2 * MANY, 1)):
        gc.collect()
        before = sum(each["collections"] for each in gc.get_stats())
        kept = make(count)
        assert runs[0] == before, "none while it is made"
        assert sum(each["collections"] for each in gc.get_stats()) >= before + more
        del kept
