"""Instruction bodies in NumPy, mirroring the chapters of the dialect."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from ptoas.dialects.plugins import import_all


@cache
def load_bodies() -> None:
    """Register the bodies of all instructions with the machine, those of plug-ins included."""
    for chapter in iter_modules(__path__):
        import_module(f"{__name__}.{chapter.name}")
    import_all("bodies")
