"""Documentation and facts that are data: the TOML files of `ptoas/data/`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def load_data(name: str) -> dict[str, Any]:
    """Read `ptoas/data/NAME.toml`."""
    return tomllib.loads(files("ptoas").joinpath("data", f"{name}.toml").read_text(encoding="utf-8"))
