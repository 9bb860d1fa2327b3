"""Passes that place and synchronise verified operations, and the emitter of C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptoas.lowering.pipeline import PASSES, UnknownPassError, build_pipeline, prepare, run_passes

__all__ = ["PASSES", "UnknownPassError", "build_pipeline", "prepare", "run_passes"]


def __getattr__(name: str) -> Any:
    """Import the pipeline on first use: one pass alone, such as a conversion's, does not need it."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'ptoas.lowering' has no attribute {name!r}")
    return getattr(import_module("ptoas.lowering.pipeline"), name)
