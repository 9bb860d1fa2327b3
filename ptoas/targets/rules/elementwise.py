"""Conversions and moves: which pairs of types and of memories there are (public TCVT and TMOV pages)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ptoas.dialects.pto import elementwise as e
from ptoas.dialects.pto import movement
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
def conversion_exists(op: e.TCvtOp, know: Facts, pairs: Table = MappingProxyType({})) -> Violations:
    """The target converts the source's element type to the destination's."""
    src, dst = know.tile("src").element, know.tile("dst").element
    source, wanted = (x.text.removeprefix("!pto.") for x in (src, dst))
    legal = pairs.get(source, "").split()
    if wanted not in legal:
        required = f"{source} to {', '.join(legal)}" if legal else f"no conversion of {source} here"
        yield mismatch("conversion", f"{source} to {wanted}", required, slot="dst")


@rule(
    "PTO-E401",
    source="public TMOV page, Constraints",
    reason="There is no way between the other memories.",
    failing=instruction("tmov", "left, 16x32xf32", "16x32xf32"),
    passing=instruction("tmov", "16x32xf32", "16x32xf32"),
    on="a2a3 a5",
)
def move_has_a_way(op: movement.TMovOp, know: Facts, ways: Table = MappingProxyType({})) -> Violations:
    """The target moves tiles between the source's and the destination's memory."""
    src, dst = know.tile("src"), know.tile("dst")
    legal = ways.get(src.loc.value, "").split()
    if dst.loc.value not in legal:
        required = f"{src.loc.value} to {' or '.join(legal)}" if legal else f"no move out of {src.loc.value}"
        yield mismatch("move", f"{src.loc.value} to {dst.loc.value}", required, slot="dst")
