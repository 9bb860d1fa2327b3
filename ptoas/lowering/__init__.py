"""From verified operations to placed, synchronised ones, and to C++."""

from __future__ import annotations

from ptoas.lowering.pipeline import PASSES, UnknownPassError, build_pipeline, prepare, run_passes

__all__ = ["PASSES", "UnknownPassError", "build_pipeline", "prepare", "run_passes"]
