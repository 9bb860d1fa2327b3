"""How calls of the instruction library are spelled: by target, and by revision of the library, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Isa:
    """One revision: `doc` is what the documents declare, `2026.08` what the headers of August 2026 do."""

    name: str
    gather_takes_scratch: bool
    """`TGATHER(dst, src, indices, tmp)`; otherwise `TGATHER(dst, src, indices)`."""


ISAS: dict[str, Isa] = {
    isa.name: isa
    for isa in (
        Isa("doc", gather_takes_scratch=False),
        Isa("2026.08", gather_takes_scratch=True),
    )
}

DEFAULT_ISA = "2026.08"


def get_isa(name: str) -> Isa:
    if name not in ISAS:
        raise ValueError(f"there is no ISA revision {name!r}; the revisions are {', '.join(ISAS)}")
    return ISAS[name]


@dataclass(frozen=True)
class Spelling:
    """What a target's gathers and scatters take as template arguments, and which header declares them."""

    gather_coalesce: bool
    gather_oob: bool
    scatter: bool
    """Whether `MSCATTER` exists and takes `Coalesce`, `ScatterAtomicOp` and `ScatterOOB`."""
    scatter_conflict: bool
    gather_header: str | None = None
    """A header of its own for `MGATHER` (document 002)."""
    launches: bool = True
    """Whether kernels are launched on a device."""


SPELLINGS: dict[str, Spelling] = {
    "cpu": Spelling(False, False, True, True, launches=False),
    "a2a3": Spelling(True, True, True, False),
    "a5": Spelling(True, True, True, True),
    "a5-custom": Spelling(False, True, False, False, gather_header="pto/npu/a5/custom/MGather.hpp"),
}
