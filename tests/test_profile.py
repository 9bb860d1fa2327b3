"""The profile of hypothesis that all tests run with."""

from __future__ import annotations

from hypothesis import settings


def test_examples_have_no_deadline() -> None:
    assert settings().deadline is None
