"""Other names for a tile's bytes (public TRESHAPE page; PTOAS bitcast)."""

from __future__ import annotations

from xdsl.ir import Attribute

from ptoas.analysis.storage import underlying_tile
from ptoas.dialects.pto.element_types import BY_TYPE, element_text
from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AliasOp, BitcastOp
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, mismatch, rule

_SIZE = "size of the result"


@constraint(
    "PTO-V122",
    Relation("result.memory == source.memory", what="memory of the result"),
    Relation("result.boxed == source.boxed", what="slayout of the result"),
    Relation("result.bytes <= source.bytes", what=_SIZE, when="opcode == bitcast"),
    Relation("result.bytes == source.bytes", what=_SIZE, when="opcode == treshape"),
    source="public TRESHAPE page, Constraints; PTOAS bitcast",
    reason="No data is moved.",
)
def reshaped_tile_keeps_its_bytes() -> None:
    """A reinterpreted tile must stay in the same memory, boxed or not as before; treshape must keep all of
    its bytes, bitcast may name fewer."""


@rule(
    "PTO-V123",
    source="PTOAS bitcast: verifier",
    reason="Use treshape for another shape.",
)
def bitcast_changes_only_the_element_type(op: BitcastOp, know: Facts) -> Violations:
    """bitcast must change the element type only and keep shape, valid extents and layout."""
    source, result = op.types()
    element = result.element_type
    if element == source.element_type:
        yield mismatch("element type of the result", element_text(element), "another one")
    same = TileType.new([source.loc, element, *source.parameters[2:]])
    if (result.shape, result.valid) != (source.shape, source.valid) or result.body() != same.body():
        yield mismatch("type of the result", result.body(), same.body(), fix="use treshape")


@rule(
    "PTO-V124",
    source="cpu/TReshape.hpp: static assertions",
    reason="The simulator's header compares sizes and kinds of elements at compile time.",
)
def simulator_reshapes_within_a_kind(op: AliasOp, know: Facts) -> Violations:
    """On cpu a reinterpreted tile must have as many bytes, and the same kind of element: integer or C++
    float."""
    source, result = op.types()
    if source.element_type != result.element_type:
        kinds = [_kind(type.element_type) for type in (source, result)]
        if None in kinds or kinds[0] != kinds[1]:
            one, other = element_text(source.element_type), element_text(result.element_type)
            message = f"{one} can't be reinterpreted as {other}: both must be integers, or both C++ floats"
            yield Violation(message)
    if isinstance(op, BitcastOp) and result.size_bytes < source.size_bytes:
        found = f"{result.size_bytes} bytes"
        yield mismatch("size of the result", found, f"{source.size_bytes} bytes")


def _kind(element: Attribute) -> str | None:
    """The C++ kind of a number: integral, floating, or (half and shorter) neither."""
    known = BY_TYPE[element]
    if known.is_integer:
        return "integral"
    return "floating" if known.size >= 4 else None


@rule(
    "PTO-V125",
    source="public TRESHAPE and TSUBVIEW pages",
    reason="The rows of a narrower subview are not contiguous.",
)
def aliased_window_has_no_gaps(op: AliasOp, know: Facts) -> Violations:
    """treshape and bitcast need a whole tile, or a subview across its whole contiguous dimension."""
    window = know.tile("source").type
    root, windows = underlying_tile(op.source)
    if not windows or not isinstance(root.type, TileType) or window.slayout is not SLayout.NoneBox:
        return
    at = 1 if window.blayout is BLayout.RowMajor else 0
    lines, word = window.shape[1 - at], ("rows", "columns")[at]
    if lines > 1 and window.shape[at] != root.type.shape[at]:
        required = f"{root.type.shape[at]}, as the tile"
        yield mismatch(f"{word} of the subview $source", window.shape[at], required, slot="source")
