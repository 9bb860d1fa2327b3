"""Every private name of xDSL that is used, with the reason; a new version of it is tried here.

Each stands for something that has no public name, or costs much where programs are read and copied.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue, SSAValues, Use

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

Op = TypeVar("Op", bound=Operation)


def set_name(value: SSAValue, name: str | None) -> None:
    """Name a value, the whole of the name.

    xDSL's `name_hint` cuts off a `_12` at its end, to number names itself; in PTO that is part of the name.
    """
    value._name = name


def names_of(printer: Printer) -> dict[SSAValue, str]:
    """The names that a printer has given so far; its own way to give them numbers what the author named."""
    return printer._ssa_values


def symbol_body(parser: AttrParser) -> str:
    """The text up to the `>` that closes a dialect's type; xDSL's scan minds strings and `->`."""
    return parser._parse_dialect_symbol_body()


def declared_operands(cls: type) -> dict[str, object]:
    """The operands that a class itself declares, with their constraints.

    xDSL's definition of an operation is made after its class, so that a class could not refuse it.
    """
    from xdsl.irdl.operations import _OperandFieldDef

    fields = {name: field for name, field in vars(cls).items() if isinstance(field, _OperandFieldDef)}
    return {name: field.param for name, field in fields.items()}


def collect(op: Operation, found: list[Operation]) -> None:
    """Add all that is in an operation to a list, in the order of the text.

    xDSL's own walk goes through a generator and several calls for each operation; passes walk thirty times.
    """
    for region in op.regions:
        block = region._first_block
        while block is not None:
            inner = block._first_op
            while inner is not None:
                found.append(inner)
                if inner.regions:
                    collect(inner, found)
                inner = inner._next_op
            block = block._next_block


def operand(op: Operation, at: int) -> SSAValue:
    """The operand of a number. xDSL makes a view of all operands, and asks whether the number is a slice."""
    return _ITEM(op._operands, at)


_ITEM = cast(Any, tuple).__getitem__


def make_operation(
    cls: type[Op],
    operands: Sequence[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
    location: LocationAttr,
    regions: Sequence[Region] = (),
) -> Op:
    """An operation without successors that has all of its properties.

    `create` asks for defaults that are there, and tells operands and successors that they are no longer used
    by an operation that is new. A program is read once and copied once for each target: a tenth of both.
    """
    op = cls.__new__(cls)
    uses: list[Use] = []
    for index, operand in enumerate(operands):
        use = Use(op, index)
        first = operand.first_use
        if first is not None:
            use._next_use, first._prev_use = first, use
        operand.first_use = use
        uses.append(use)
    op._operands, op._operand_uses = SSAValues(operands), tuple(uses)
    op.results = SSAValues([OpResult(type, op, index) for index, type in enumerate(result_types)])
    op.properties, op.attributes = dict(properties), dict(attributes)
    op.location = location
    for region in regions:
        op.add_region(region)
    return op
