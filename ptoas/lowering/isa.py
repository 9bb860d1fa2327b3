"""Revisions of the instruction library, and what differs in its calls."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics import UsageError


@dataclass(frozen=True)
class Isa:
    """One revision: `doc` is what the documents declare, `2026.08` what the headers of August 2026 do."""

    name: str
    without_scratch: tuple[str, ...] = ()
    """Instructions whose calls take no scratch tile: `TGATHER(dst, src, indices)`."""


ISAS: dict[str, Isa] = {
    isa.name: isa
    for isa in (
        Isa("doc", without_scratch=("tgather",)),
        Isa("2026.08"),
    )
}

DEFAULT_ISA = "2026.08"


def get_isa(name: str) -> Isa:
    if name not in ISAS:
        raise UsageError(f"there is no ISA revision {name!r}; the revisions are {', '.join(ISAS)}")
    return ISAS[name]
