"""The table of measurements is what the cost model says now, and every source of a cost is in it."""

from __future__ import annotations

import re

import pytest

import ptoas
from benchmarks.calibration import DATA, PAGE, page, rows
from ptoas.targets.costs import table_of


def test_the_page_of_measurements_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m benchmarks.calibration`"


def test_every_row_has_a_source() -> None:
    assert len(rows()) >= 15
    assert {row.source for row in rows()} <= DATA["sources"].keys()


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_every_measurement_that_a_cost_names_is_listed(target: str) -> None:
    table = table_of(ptoas.get_target(target))
    texts = [model.source for model in table.models.values()]
    texts += [source for source, _ in table.chip.sources.values()]
    named = {name for text in texts for name in re.findall(r"\bM\d+a?\b", text)}
    assert named and named <= DATA["sources"].keys()
