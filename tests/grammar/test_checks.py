"""Operations of xDSL's dialects that are accepted without asking xDSL."""

from __future__ import annotations

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, Operation, Region
from xdsl.utils.exceptions import VerifyException

from ptoas.grammar.checks import is_plain


def constant(value: IntegerAttr, type: IndexType | IntegerType) -> Operation:
    return ConstantOp.create(properties={"value": value}, result_types=[type])


def loop(*types: IndexType | IntegerType, end: Operation | None) -> Operation:
    index = IndexType()
    bounds = [constant(IntegerAttr(1, type), type).results[0] for type in types]
    body = Block(arg_types=[index])
    if end is not None:
        body.add_op(end)
    return ForOp.create(operands=bounds, regions=[Region(body)])


def function(*ops: Operation, outputs: tuple[IndexType, ...] = ()) -> Operation:
    FuncOp("f", ((), outputs), Region(Block(list(ops))))
    return next(op for op in ops if isinstance(op, ReturnOp))


INDEX, UNSIGNED = IndexType(), IntegerType(8, Signedness.UNSIGNED)
PLAIN = {
    "an index": constant(IntegerAttr(4, INDEX), INDEX),
    "an integer": constant(IntegerAttr(4, i32), i32),
    "a loop": loop(INDEX, INDEX, INDEX, end=YieldOp()),
    "a return": function(ReturnOp()),
}
NOT_PLAIN = {
    "another type": constant(IntegerAttr(4, i32), INDEX),
    "a sign": constant(IntegerAttr(4, UNSIGNED), UNSIGNED),
    "no value": ConstantOp.create(result_types=[INDEX]),
    "bounds of two types": loop(INDEX, i32, INDEX, end=YieldOp()),
    "too few bounds": loop(INDEX, INDEX, end=YieldOp()),
    "no return from nowhere": ReturnOp(),
    "not the last": function(ReturnOp(), constant(IntegerAttr(4, i32), i32)),
    "a result is wanted": function(ReturnOp(), outputs=(INDEX,)),
}


@pytest.mark.parametrize("op", PLAIN.values(), ids=PLAIN)
def test_nothing_is_wrong_with_what_is_plain(op: Operation) -> None:
    """As xDSL says, which is not asked then."""
    assert is_plain(op)
    op.verify()


@pytest.mark.parametrize("op", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_xdsl_refuses_is_not_plain(op: Operation) -> None:
    assert not is_plain(op)
    with pytest.raises((VerifyException, AssertionError, IndexError, KeyError)):
        op.verify()
