"""The C++ of the documents' worked examples, as it is kept in this directory."""

from __future__ import annotations

import pytest

from .cases import GOLDEN, Golden


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: g.path.name)
def test_the_text_is_the_kept_one(golden: Golden) -> None:
    kept = golden.path.read_text() if golden.path.exists() else ""
    assert golden.text() == kept, f"{golden.path.name} differs; if that is meant, run `make update-golden`"


def test_emission_is_deterministic() -> None:
    assert GOLDEN[0].text() == GOLDEN[0].text()
