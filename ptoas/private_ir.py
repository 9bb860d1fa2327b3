"""Every private name of xDSL that is used, with the reason; a new version of it is tried here.

Each stands for something that has no public name, or costs much where programs are read and copied.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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


def ops_of(block: Block) -> list[Operation]:
    """The operations of a block, without what is in them."""
    found: list[Operation] = []
    op = block._first_op
    while op is not None:
        found.append(op)
        op = op._next_op
    return found


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


def let_go(op: Operation) -> None:
    """Take an operation, with all that is in it, apart: nobody else knows of it.

    All of it names each other, so that Python would keep it until it next looks for garbage, and look at each
    of a hundred thousand objects first.
    """
    found = [op]
    collect(op, found)
    for each in found:
        for region in each.regions:
            block = region._first_block
            while block is not None:
                following = block._next_block
                vars(block).clear()
                block = following
            vars(region).clear()
        for use in each._operand_uses:
            use._prev_use = use._next_use = None
        vars(each).clear()


class BranchedError(Exception):
    """A body of several blocks, which may name each other."""


def copied(op: Op, values: dict[SSAValue, SSAValue]) -> Op:
    """A copy of an operation whose values keep their names, in one pass over it; `values` has the copies of
    what stands before it. xDSL's clone makes each operation without its operands and then walks all of them
    again, twice."""
    regions: list[Region] = []
    for region in op.regions:
        block = region._first_block
        if block is not region._last_block:
            raise BranchedError
        regions.append(Region(() if block is None else _copied_block(block, values)))
    results = op.results
    copy = make_operation(
        op.__class__,
        [values[operand] for operand in op._operands],
        [result._type for result in results],
        op.properties,
        op.attributes,
        op.location,
        regions,
    )
    for value, twin in zip(results, copy.results, strict=True):
        values[value] = twin
        twin._name = value._name
    return copy


def _copied_block(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    copy = Block(arg_types=[argument._type for argument in block.args])
    for argument, twin in zip(block.args, copy.args, strict=True):
        values[argument] = twin
        twin.location = argument.location
        twin._name = argument._name
    append(copy, [copied(op, values) for op in ops_of(block)])
    return copy
