"""Facts about a kernel: a function that is launched, with all functions that it calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.enums import TileLoc


@dataclass(frozen=True)
class KernelFacts:
    """A kernel on one target."""

    functions: tuple[FunctionFacts, ...]
    """The launched one first."""
    ends: Mapping[TileLoc, int]
    """The first byte behind its tiles in each memory, once all are placed; missing: far from any limit."""

    @property
    def name(self) -> str:
        return self.functions[0].func.sym_name.data


def set_companions(kernels: Sequence[Sequence[FunctionFacts]]) -> None:
    """Register the functions that share a launch with each other."""
    found: dict[FunctionFacts, dict[FunctionFacts, None]] = {}
    for kernel in kernels:
        for facts in kernel:
            found.setdefault(facts, {}).update(dict.fromkeys(kernel))
    known: dict[frozenset[FunctionFacts], dict[str, bool]] = {}
    for facts, others in found.items():
        facts.companions = tuple(others)
        facts.simt = known.setdefault(frozenset(others), {})  # one answer for all of them
