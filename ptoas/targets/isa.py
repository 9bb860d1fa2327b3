"""Revisions of the instruction library: what differs in its calls, and which of them decides (D28).

A program is judged by the documents, with a warning where the headers of August 2026 ask for more; one that
is checked for `2026.08` or later is judged by those headers, one for `doc` by the documents alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics import UsageError


@dataclass(frozen=True)
class Isa:
    """One revision: `doc` is the revision of the documents, `2026.08` that of the headers of August 2026.

    `2026.09` is that of the assembler of September 2026, with the headers of August.
    """

    name: str
    without_scratch: tuple[str, ...] = ()
    """Instructions whose calls take no scratch tile: `TGATHER(dst, src, indices)`."""
    saturates_by_default: bool = False
    """True if `tcvt` without a saturation mode saturates (D55)."""


ISAS: dict[str, Isa] = {
    isa.name: isa
    for isa in (
        Isa("doc", without_scratch=("tgather",)),
        Isa("2026.08"),
        Isa("2026.09", saturates_by_default=True),
    )
}

HEADERS = "2026.08"
"""The first revision whose headers are public; a later one is judged by headers, too."""

DEFAULT_ISA = HEADERS
"""The revision that calls are written for by default."""


def get_isa(name: str | None) -> Isa:
    """A revision; without a name the one that calls are written for."""
    name = DEFAULT_ISA if name is None else name
    if name not in ISAS:
        raise UsageError(f"there is no ISA revision {name!r}; the revisions are {', '.join(ISAS)}")
    return ISAS[name]


def is_judged_by_headers(name: str | None) -> bool:
    """Return True if a revision is that of public headers; `None` and `doc` are those of the documents."""
    return name is not None and name != "doc"
