"""Operations of xDSL's dialects against their declarations."""

from __future__ import annotations

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.ir import Block, Operation, Region

from ptoas.grammar.checks import verify
from ptoas.grammar.problems import StatementProblem


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
VALID = {
    "an index": constant(IntegerAttr(4, INDEX), INDEX),
    "an integer": constant(IntegerAttr(4, i32), i32),
    "an unsigned integer": constant(IntegerAttr(4, UNSIGNED), UNSIGNED),
    "a loop": loop(INDEX, INDEX, INDEX, end=YieldOp()),
    "a return": function(ReturnOp()),
}
INVALID = {
    "another type": constant(IntegerAttr(4, i32), INDEX),
    "no value": ConstantOp.create(result_types=[INDEX]),
    "bounds of two types": loop(INDEX, i32, INDEX, end=YieldOp()),
    "too few bounds": loop(INDEX, INDEX, end=YieldOp()),
    "not the last": function(ReturnOp(), constant(IntegerAttr(4, i32), i32)),
    "a result is wanted": function(ReturnOp(), outputs=(INDEX,)),
}


@pytest.mark.parametrize("op", VALID.values(), ids=VALID)
def test_verify_accepts_valid_operations(op: Operation) -> None:
    verify(op)


@pytest.mark.parametrize("op", INVALID.values(), ids=INVALID)
def test_verify_refuses_operations_that_break_their_declaration(op: Operation) -> None:
    with pytest.raises(StatementProblem):
        verify(op)
