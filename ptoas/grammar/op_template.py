"""Templates of operations: everything of a statement except its values.

Statements that differ only in their values' names, and whose values have the same types, share a template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ptoas.dialects.pto.views import new_tile, part_of
from ptoas.grammar import tree as t
from ptoas.ir.location import PartOffsets


class Constant(t.Record):
    """A literal among the operands: an `arith.constant` before the operation."""

    value: Attribute


class Alloc(t.Record):
    """Undefined destination: an `alloc_tile` before the operation (D23)."""

    slot: int
    type: Attribute


class WindowOperand(t.Record):
    """`%view[%i, %j]`: a `partition_view` before the operation."""

    base: int
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    type: Attribute


Prelude = Constant | Alloc | WindowOperand


@dataclass(eq=False, slots=True)
class OpTemplate:
    """Operation without its values; an operand is the number of a name, or of a prelude as -1 - n."""

    cls: type[Operation]
    operands: tuple[int, ...]
    result_types: tuple[Attribute, ...] | None = ()
    """None where the operation infers them from its operands."""
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    prelude: tuple[Prelude, ...] = ()
    places: PartOffsets | None = None
    """Spans of the parts of the statement."""
    slots: tuple[tuple[str, int], ...] = ()
    """The slots of an instruction, and how many operands each has."""
    bodies: int = 0
    """Maximum number of regions."""
    checked: bool = False
    """True if an operation made from this template has passed its checks."""

    def make(
        self,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        location: LocationAttr,
        regions: Sequence[Region] = (),
    ) -> Operation:
        return self.cls.create(
            operands=operands,
            result_types=result_types,
            properties=self.properties,
            attributes=self.attributes,
            location=location,
            regions=regions,
        )

    def by_slot(self, operands: Sequence[SSAValue]) -> dict[str, Sequence[SSAValue]]:
        """The operands of each slot."""
        rest = iter(operands)
        return {name: list(islice(rest, count)) for name, count in self.slots}


def make_prelude(
    step: Prelude,
    operands: list[SSAValue | None],
    made: list[SSAValue],
    location: LocationAttr,
    ops: list[Operation],
) -> SSAValue:
    """Add the operations of a step to `ops`; `made` are the values of the steps before it."""

    def add(op: Operation) -> SSAValue:
        op.location = location
        ops.append(op)
        return op.results[0]

    def value(ref: int) -> SSAValue:
        return cast(SSAValue, operands[ref]) if ref >= 0 else made[-1 - ref]

    match step:
        case Constant(value=number):
            return add(ConstantOp(cast(IntegerAttr, number)))
        case Alloc(type=type):
            return add(new_tile(type))
        case WindowOperand(base=base, offsets=offsets, sizes=sizes, type=type):
            extents = [add(ConstantOp(IntegerAttr(size, IndexType()))) for size in sizes]
            return add(part_of(value(base), [value(ref) for ref in offsets], extents, type))
