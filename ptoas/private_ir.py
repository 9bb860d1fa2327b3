"""Every private name of xDSL that is used, with the reason; a new version of it is tried here.

Each stands for something that has no public name, or costs much where programs are read and copied.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import BaseAttr, IRDLOperation

from ptoas.ir.parser import symbol_body as symbol_body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.irdl import AttrConstraint, OpDef
    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer

Op = TypeVar("Op", bound=Operation)

for _kind in (SSAValue, Operation, IRDLOperation, Block, Region):
    # Each is equal to itself alone, and says so with a hash in Python that gives its `id`. What every object
    # has does the same without a call: a twentieth of the time that reading and lowering a program takes.
    _kind.__hash__ = object.__hash__


_relaxed = BaseAttr.relax_constraint


def _relaxed_quickly(self: BaseAttr[Any], other: AttrConstraint) -> AttrConstraint | None:
    """xDSL compares all pairs of kinds that an operand may be of: five thousand while its own dialects are
    defined, of which it asks three functions each whether two classes are the same."""
    if other.__class__ is self.__class__ is BaseAttr:
        return self if self.attr is cast("BaseAttr[Any]", other).attr else None
    return _relaxed(self, other)


BaseAttr.relax_constraint = _relaxed_quickly


class _Format:
    """An assembly format that is read when something is first parsed or printed by it."""

    def __init__(self, text: str, definition: OpDef):
        self._text, self._definition = text, definition

    @cached_property
    def _program(self) -> FormatProgram:
        from xdsl.irdl.declarative_assembly_format import FormatProgram

        return FormatProgram.from_str(self._text, self._definition)

    def parse(self, parser: Parser, cls: type[Any]) -> IRDLOperation:
        return self._program.parse(parser, cls)

    def print(self, printer: Printer, op: IRDLOperation) -> None:
        self._program.print(printer, op)


def _import_dialects() -> None:
    """Import those of xDSL's dialects that every program has, their formats put off.

    xDSL reads the format of an operation when it defines it, a fifth of a millisecond each; of these fifty a
    program prints or parses few, and a PTO program none. Whoever has imported them already has them whole.
    """
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    known = vars(FormatProgram)["from_str"]
    FormatProgram.from_str = staticmethod(cast(Any, _Format))
    try:
        for name in ("arith", "func", "scf"):
            import_module(f"xdsl.dialects.{name}")
    finally:
        FormatProgram.from_str = known


_import_dialects()


def declared_operands(cls: type) -> dict[str, object]:
    """The operands that a class itself declares, with their constraints.

    xDSL's definition of an operation is made after its class, so that a class could not refuse it.
    """
    from xdsl.irdl.operations import _OperandFieldDef

    fields = {name: field for name, field in vars(cls).items() if isinstance(field, _OperandFieldDef)}
    return {name: field.param for name, field in fields.items()}


operands_of = cast("Callable[[Operation], tuple[SSAValue, ...]]", attrgetter("_operands"))
"""The operands as they are; xDSL makes a view of them that can be written to, each time."""

item = cast("Callable[[tuple[SSAValue, ...], int], SSAValue]", cast(Any, tuple).__getitem__)
"""An operand or result of a number; xDSL's tuples ask in Python whether the number is a slice."""


def make_operation(
    cls: type[Op],
    operands: Sequence[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
    location: LocationAttr,
    regions: Sequence[Region] = (),
) -> Op:
    """An operation without successors that has all of its properties, of a class of which there are others.

    `create` asks for defaults that are there, and tells operands and successors that they are no longer used
    by an operation that is new. A program is read once and copied once for each target: a tenth of both.
    """
    op = _NEW(cls)
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
    op.properties, op.attributes = {**properties}, {**attributes}
    op.location = location
    for region in regions:
        op.add_region(region)
    return op


_NEW = cast("Callable[[type[Any]], Any]", object.__new__)


def append(block: Block, ops: Iterable[Operation]) -> None:
    """Put operations that stand nowhere yet at the end of a block. xDSL asks of each whether that is so."""
    last = block._last_op
    for op in ops:
        op.parent, op._prev_op = block, last
        if last is None:
            block._first_op = op
        else:
            last._next_op = op
        last = op
    block._last_op = last
