"""Random products leave the plain product behind, in every way."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas

from .products import product_program
from .ways import walk

EACH = 8


@pytest.mark.parametrize("part", range(3))
def test_a_product_is_the_plain_one_in_every_way(part: int) -> None:
    for seed in range(part * EACH, (part + 1) * EACH):
        made = product_program(seed)
        found = walk(made.program, cpp=False)
        assert found.rejected is None, f"seed {seed}: {found.rejected}\n{made.program.text}"
        assert found.differences == [], f"seed {seed}\n{made.program.text}"
        result = ptoas.run(ptoas.parse(made.program.text), made.program.copies(), made.program.target)
        assert np.array_equal(result.outputs["out"], made.expected), f"seed {seed}\n{made.program.text}"
        assert {"machine without checks", "through dps"} <= found.ways
