"""How many operands, results and properties the operations of a class have, seen at a glance.

xDSL finds that out anew, and in general, for each operation that it verifies; of instructions whose types and
attributes are known to be right, that was most of what it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments, IRDLOperation, OpDef
from xdsl.irdl.operations import OptionalDef, VariadicDef
from xdsl.traits import OpTrait

from ptoas.caches import Kept

ANY = 1 << 30
"""As many as there are."""


class Declared:
    """What is left to verify of an operation whose types and attributes are right."""

    def __init__(self, definition: OpDef, own: Callable[[Any], None] | None):
        self._own = own
        self._properties = definition.properties.keys()
        sizes = [type(option) for option in definition.options if getattr(option, "as_property", False)]
        self._operands = _Count(definition.operands, _name_in(sizes, AttrSizedOperandSegments))
        self._results = _Count(definition.results, _name_in(sizes, AttrSizedResultSegments))
        self._is_plain = (
            len(sizes) == len(definition.options)
            and not (definition.regions or definition.successors or definition.attributes)
            and all(type(trait).verify is OpTrait.verify for trait in definition.traits.traits)
        )

    def verify(self, op: IRDLOperation) -> None:
        if (
            self._is_plain
            and op.properties.keys() <= self._properties
            and self._operands.holds(op, len(op.operands))
            and self._results.holds(op, len(op.results))
        ):
            if self._own is not None:
                self._own(op)
        else:
            op.verify_()  # which says what is wrong, if anything is


def _name_in(
    sizes: list[type], wanted: type[AttrSizedOperandSegments | AttrSizedResultSegments]
) -> str | None:
    return wanted.attribute_name if wanted in sizes else None


class _Count:
    """How many operands, or results, the operations of a class have."""

    def __init__(self, slots: Sequence[tuple[str, object]], sizes: str | None):
        """`sizes` is the property that says how many there are in each slot."""
        self._sizes = sizes
        self._bounds = [_bounds(slot) for _, slot in slots]
        self._sums: Kept[bytes, int] = Kept(256)
        """By the numbers of the slots, their sum; less than any where they are not as declared."""
        uncertain = [most for least, most in self._bounds if least != most]
        # One slot of an unknown number, at most: what several share, xDSL decides.
        self._least = sum(least for least, _ in self._bounds) if len(uncertain) < 2 else ANY
        self._most = sum(most for _, most in self._bounds)

    def holds(self, op: IRDLOperation, number: int) -> bool:
        """Whether it certainly has the right number of them."""
        if self._sizes is None:
            return self._least <= number <= self._most
        given: Any = op.properties.get(self._sizes)
        if given.__class__ is not DenseArrayBase or given.elt_type != i32:
            return False
        key: bytes = given.data.data
        total = self._sums.get(key)
        if total is None:
            total = self._sum(given.get_values())
            self._sums.keep(key, total)
        return total == number

    def _sum(self, sizes: tuple[int, ...]) -> int:
        if len(sizes) != len(self._bounds):
            return -1
        fit = all(least <= size <= most for size, (least, most) in zip(sizes, self._bounds, strict=True))
        return sum(sizes) if fit else -1


def _bounds(slot: object) -> tuple[int, int]:
    """How many a slot holds at least, and at most."""
    if isinstance(slot, OptionalDef):
        return 0, 1
    return (0, ANY) if isinstance(slot, VariadicDef) else (1, 1)
