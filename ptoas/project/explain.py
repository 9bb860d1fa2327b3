"""Explanations of all diagnostic codes: importing this module registers those of every package."""

from __future__ import annotations

from importlib import import_module

from ptoas.diagnostics.citations import explain
from ptoas.diagnostics.codes import CODES, UnknownCodeError, other_codes

OWNERS = (
    "ptoas.lowering.codes",
    "ptoas.machine.errors",
    "ptoas.profiling.catalogue",
    "ptoas.project.codes",
)
"""Modules that register codes when they are imported."""

for _owner in OWNERS:
    import_module(_owner)

__all__ = ["CODES", "UnknownCodeError", "explain", "other_codes"]
