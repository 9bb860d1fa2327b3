"""Documentation, facts and templates that are data: the files of `ptoas/data/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "data"


@cache
def load_data(name: str) -> dict[str, Any]:
    """Read `ptoas/data/NAME.toml`, once: few commands need it."""
    import tomllib

    return tomllib.loads(load_text(f"{name}.toml"))


def load_text(name: str) -> str:
    """Read the file `ptoas/data/NAME`."""
    return (_FOLDER / name).read_text(encoding="utf-8")
