"""One meaning of integer operations: numbers, intervals, the machine and the folded constants agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    UnrealizedConversionCastOp,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

import ptoas
from ptoas.analysis.constants import Constants
from ptoas.analysis.integers import (
    COMPARISONS,
    INTEGER_OPS,
    Interval,
    constant_of,
    evaluate,
    evaluate_interval,
    limits,
)
from ptoas.compiler.run import compile as compile_program
from ptoas.lowering.fold_constants import FoldConstantsPass

INDEX = IndexType()
UI32 = IntegerType(32, Signedness.UNSIGNED)
TYPES: dict[str, Attribute] = {
    **{f"i{width}": IntegerType(width) for width in (1, 8, 16, 32, 64)},
    "ui8": IntegerType(8, Signedness.UNSIGNED),
    "ui32": UI32,
    "index": INDEX,
}
WIDER: dict[str, str] = {"i1": "i8", "i8": "i32", "i16": "index", "i32": "i64", "ui8": "i32", "ui32": "index"}
NARROWER: dict[str, str] = {"i64": "i32", "i32": "i8", "i8": "i1", "ui32": "i16", "i16": "ui8"}
OTHER_SIGN: dict[str, str] = {"i8": "ui8", "ui8": "i8", "i32": "ui32", "ui32": "i32", "i64": "index"}
EXTENDED = (arith.AddUIExtendedOp, arith.MulUIExtendedOp, arith.MulSIExtendedOp)
CONVERSIONS: dict[type[Operation], dict[str, str]] = {
    arith.IndexCastOp: {"i32": "index", "index": "i32", "ui32": "index", "i1": "index", "i64": "index"},
    arith.ExtSIOp: WIDER,
    arith.ExtUIOp: WIDER,
    arith.TruncIOp: NARROWER,
    UnrealizedConversionCastOp: OTHER_SIGN,
}

Case = tuple[type[Operation], str, int]
"""A class, the type of its operands, and the predicate of a comparison."""

CASES: list[Case] = [
    *((kind, type, 0) for kind in INTEGER_OPS for type in CONVERSIONS.get(kind, TYPES)),
    *((arith.CmpiOp, type, predicate) for predicate in range(len(COMPARISONS)) for type in TYPES),
]


def operand_types(case: Case) -> list[Attribute]:
    kind, name, _ = case
    if kind in CONVERSIONS:
        return [TYPES[name]]
    return [*([i1] if kind is arith.SelectOp else []), TYPES[name], TYPES[name]]


def build(case: Case, operands: Sequence[SSAValue]) -> Operation:
    kind, name, predicate = case
    type = TYPES[name]
    results = [TYPES[CONVERSIONS[kind][name]] if kind in CONVERSIONS else type]
    if kind is arith.CmpiOp:
        return kind.create(
            operands=operands, result_types=[i1], properties={"predicate": IntegerAttr(predicate, i64)}
        )
    if kind in EXTENDED:
        results.append(i1 if kind is arith.AddUIExtendedOp else type)
    return kind.create(operands=operands, result_types=results)


@cache
def compiled(case: Case) -> tuple[Operation, Callable[..., Sequence[int]]]:
    """The operation on arguments of a function, and the function as the machine compiles it."""
    function = func.FuncOp("main", (operand_types(case), []))
    block = function.body.block
    op = build(case, block.args)
    function.function_type = FunctionType.from_lists(operand_types(case), op.result_types)
    block.add_ops([op, func.ReturnOp(*op.results)])
    kernel = compile_program(ModuleOp([function]), "a5", force=True)
    return op, kernel.cores[0].function


def folded(case: Case, values: Sequence[int]) -> list[int | None]:
    """The results of an operation on constants, as they are left by the pass."""
    types = operand_types(case)
    function = func.FuncOp("main", ([], []))
    constants = [
        arith.ConstantOp.create(
            result_types=[type], properties={"value": IntegerAttr(-value if type == i1 else value, type)}
        )
        for value, type in zip(values, types, strict=True)
    ]
    op = build(case, [each.result for each in constants])
    function.function_type = FunctionType.from_lists([], op.result_types)
    last = func.ReturnOp(*op.results)
    function.body.block.add_ops([*constants, op, last])
    analysed = [Constants().constant(result) for result in op.results]
    FoldConstantsPass().apply(Context(), ModuleOp([function]))
    if len(last.operands) == 1 and analysed[0] is not None:
        assert isinstance(last.operands[0].owner, arith.ConstantOp)
        assert constant_of(last.operands[0].owner) == analysed[0]
    return analysed


def number(type: Attribute) -> st.SearchStrategy[int]:
    low, high = limits(type)
    near = [each for each in (low, low + 1, -2, -1, 0, 1, 2, 7, 31, high - 1, high) if low <= each <= high]
    return st.one_of(st.integers(low, high), st.sampled_from(near), st.integers(max(low, -40), min(high, 40)))


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(CASES), st.data())
def test_numbers_intervals_machine_and_constants_agree(case: Case, data: st.DataObject) -> None:
    op, function = compiled(case)
    drawn = [sorted(data.draw(number(type)) for _ in range(3)) for type in operand_types(case)]
    values = [value for _, value, _ in drawn]
    found = [evaluate(op, values, at) for at in range(len(op.results))]
    assert folded(case, values) == found
    if None in found:
        with pytest.raises(ptoas.PtoasError):
            function(*values)
        return
    assert [int(each) for each in function(*values)] == found
    intervals: list[Interval] = [(low, high) for low, _, high in drawn]
    for at, result in enumerate(op.results):
        interval = evaluate_interval(op, intervals, at)
        exact = found[at]
        assert interval is not None and exact is not None
        low, high = limits(result.type)
        assert low <= interval[0] <= exact <= interval[1] <= high
        assert evaluate_interval(op, [(value, value) for value in values], at) == (exact, exact)


def test_constants_of_unsigned_types_stay_in_their_range() -> None:
    text = (
        "func.func @k(%p: !pto.ptr<ui32>) {\n  %c0 = arith.constant 0 : index\n"
        "  %a = arith.constant 4000000000 : ui32\n  %b = arith.addi %a, %a : ui32\n"
        "  %c = arith.minsi %a, %b : ui32\n"
        "  pto.store_scalar %c, %p[%c0] : !pto.ptr<ui32>, ui32\n  return\n}"
    )
    module = ptoas.parse(text)
    assert "p[0] = 3705032704U;" in str(ptoas.lower(module, target="a5"))
    assert ptoas.run(module, {}, target="a5", generate=True).outputs["p"].ravel()[0] == 3705032704


@pytest.mark.parametrize(
    "case", [case for case in CASES if case[1] == "i8" and len(operand_types(case)) == 2]
)
def test_intervals_contain_every_number(case: Case) -> None:
    op, _ = compiled(case)
    ends = (-128, -3, 0, 2, 127)
    spans = list(combinations_with_replacement(ends, 2))
    for a, b in product(spans, spans):
        found = [evaluate_interval(op, (a, b), at) for at in range(len(op.results))]
        for values in product(*([end for end in ends if low <= end <= high] for low, high in (a, b))):
            for at, interval in enumerate(found):
                exact = evaluate(op, values, at)
                assert exact is None or (interval and interval[0] <= exact <= interval[1]), (a, b, values)
