"""Documentation and facts that are data: the TOML files of `ptoas/data/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "data"


@cache
def load_data(name: str) -> dict[str, Any]:
    """Read `ptoas/data/NAME.toml`, once: few commands need it."""
    import tomllib

    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
