"""The worked examples of the documents, and which C++ is kept for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ptoas
from ptoas.compiler.lower import lower

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Golden:
    """One program on one target, and what is asked of `lower`."""

    program: str
    target: str
    emit: str = "kernel"
    isa: str = "2026.08"
    legalize: bool = False
    annotate: bool = False

    @property
    def path(self) -> Path:
        marks = [self.program, self.target]
        marks += [self.emit] if self.emit != "kernel" else []
        marks += [self.isa] if self.isa != "2026.08" else []
        marks += ["legalized"] if self.legalize else []
        marks += ["annotated"] if self.annotate else []
        return HERE / f"{'.'.join(marks)}.cpp"

    def text(self) -> str:
        source = HERE / f"{self.program}.pto"
        module = ptoas.parse(source.read_text(), source.name)
        return lower(
            module,
            self.target,
            emit=self.emit,
            isa=self.isa,
            legalize=self.legalize,
            annotate=self.annotate,
        )


GOLDEN = (
    Golden("embedding_lookup", "a2a3"),
    Golden("embedding_lookup", "a5"),
    Golden("embedding_lookup", "a5", emit="launcher", annotate=True),
    Golden("embedding_lookup", "cpu", legalize=True),
    Golden("elem_2d", "a2a3"),
    Golden("elem_2d", "a5"),
    Golden("row_colidx", "a5"),
    Golden("scalar", "a2a3"),
    Golden("scalar", "a5"),
    Golden("scalar", "cpu"),
    Golden("example_manual", "cpu", emit="entry"),
    Golden("example_manual", "a2a3"),
    Golden("custom_embedding_lookup", "a5-custom"),
    Golden("custom_sparse_gather", "a5-custom"),
    Golden("collective_gather", "a5"),
    Golden("collective_gather_pingpong", "a2a3"),
    Golden("tile_gather", "a5"),
    Golden("tile_gather", "a5", isa="doc"),
    Golden("tile_gather", "a2a3"),
    Golden("tile_gather_mask", "a2a3"),
    Golden("extended_ub", "a5", emit="launcher"),
    Golden("dynamic_shapes", "a2a3"),
    Golden("dynamic_shapes", "a5"),
)
