"""What is special to conversion and quantisation: pairs of types, and how extents belong together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ptoas.analysis.knowledge import shape_str
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.examples import instruction

Violations = Iterator[Violation]
Table = Mapping[str, str]
"""For a word, the words that go with it: `{"f32": "f16 bf16"}`."""


@rule(
    "PTO-E311",
    source="public TCVT page, Constraints",
    reason="Each conversion is an instruction of its own; the others take two steps.",
    failing=instruction("tcvt", "16x32xi64", "16x32xf16"),
    passing=instruction("tcvt", "16x32xf16", "16x32xf32"),
    on="a2a3 a5",
)
def conversion_exists(op: TCvtOp, know: Facts, pairs: Table = MappingProxyType({})) -> Violations:
    """The target converts the source's element type to the destination's."""
    src, dst = know.tile("src").element, know.tile("dst").element
    source, wanted = (x.text.removeprefix("!pto.") for x in (src, dst))
    legal = pairs.get(source, "").split()
    if wanted not in legal:
        required = f"{source} to {', '.join(legal)}" if legal else f"no conversion of {source} here"
        yield mismatch("conversion", f"{source} to {wanted}", required, slot="dst")


@rule(
    "PTO-Q101",
    source="public TCVT page; PTOAS tcvt: verifier",
    reason="A pair holds two neighbours of a row.",
    failing=instruction("tcvt", "16x32xf4E2M1x2", "16x32xbf16"),
    passing=instruction("tcvt", "16x32xf4E2M1x2", "16x64xbf16"),
    on="cpu a5",
)
def pairs_are_half_as_wide(op: TCvtOp, know: Facts) -> Violations:
    """Where one of the tiles holds pairs, the other has as many valid rows and twice the valid columns."""
    src, dst = know.tile("src"), know.tile("dst")
    sizes = [2 if tile.element.kind == "pairs" else 1 for tile in (src, dst)]
    if sizes[0] == sizes[1]:
        return
    found, other = dst.valid, src.valid
    required = tuple(
        DYNAMIC if extent == DYNAMIC else extent * sizes[0] // sizes[1] if at else extent
        for at, extent in enumerate(other)
    )
    odd = other[1] != DYNAMIC and other[1] * sizes[0] % sizes[1]
    if odd or any(DYNAMIC not in pair and pair[0] != pair[1] for pair in zip(found, required, strict=True)):
        yield mismatch("valid shape of dst", shape_str(found), shape_str(required), slot="dst")
