"""How the instruction library's calls differ between its revisions, as data.

`doc` is what the documents declare, `2026.08` what the public headers of August 2026 do.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Isa:
    """One revision of the library."""

    name: str
    gather_takes_scratch: bool
    """`TGATHER(dst, src, indices, tmp)`; otherwise `TGATHER(dst, src, indices)`."""
    custom_header: str
    """The header of the earlier A5 instruction (document 002)."""


ISAS: dict[str, Isa] = {
    isa.name: isa
    for isa in (
        Isa("doc", gather_takes_scratch=False, custom_header="pto/npu/a5/custom/MGather.hpp"),
        Isa("2026.08", gather_takes_scratch=True, custom_header="pto/npu/a5/custom/MGather.hpp"),
    )
}

DEFAULT_ISA = "2026.08"


def get_isa(name: str) -> Isa:
    if name not in ISAS:
        raise ValueError(f"there is no ISA revision {name!r}; the revisions are {', '.join(ISAS)}")
    return ISAS[name]
