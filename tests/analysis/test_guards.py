"""Operations that only one rank reaches: a comparison of an argument with a constant decides, here or at
every call.
"""

from __future__ import annotations

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.func import CallOp, FuncOp

from ptoas.analysis.guards import is_guarded_by
from ptoas.analysis.knowledge import Knowledge
from ptoas.grammar.parse import parse

HEAD = """func.func @kernel(%rank: i32, %wide: i64, %go: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
"""
MARK = "%mark = arith.constant 77 : index"
"""The operation that is asked about."""


def guarded(text: str, number: int = 2) -> bool:
    module = parse(text)
    (mark,) = [op for op in module.walk() if isinstance(op, ConstantOp) and op.result.name_hint == "mark"]
    return is_guarded_by(mark, number, Knowledge().constant)


def kernel(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\nreturn\n}\n"


def under(condition: str, *compare: str) -> str:
    return kernel(*compare, f"scf.if {condition} {{", MARK, "}")


IS_ROOT = "%is = arith.cmpi eq, %rank, %two : i32"
IS_OTHER = "%is = arith.cmpi ne, %rank, %two : i32"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([MARK], False),
        ([IS_ROOT, MARK], False),
        ([IS_ROOT, "scf.if %is {", MARK, "}"], True),
        ([IS_ROOT, "scf.if %is {", "} else {", MARK, "}"], False),
        ([IS_OTHER, "scf.if %is {", MARK, "}"], False),
        ([IS_OTHER, "scf.if %is {", "} else {", MARK, "}"], True),
        (["%is = arith.cmpi eq, %two, %rank : i32", "scf.if %is {", MARK, "}"], True),
        (["%is = arith.cmpi eq, %rank, %three : i32", "scf.if %is {", MARK, "}"], False),
        (["%is = arith.cmpi eq, %two, %two : i32", "scf.if %is {", MARK, "}"], False),
        (["%is = arith.cmpi eq, %rank, %rank : i32", "scf.if %is {", MARK, "}"], False),
        (["%is = arith.cmpi sle, %rank, %two : i32", "scf.if %is {", MARK, "}"], False),
        (["scf.if %go {", MARK, "}"], False),
    ],
    ids=str,
)
def test_the_comparison_and_the_side_decide(lines: list[str], expected: bool) -> None:
    assert guarded(kernel(*lines)) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["scf.if %is {", "scf.if %go {", MARK, "}", "}"], True),
        (["scf.if %go {", "scf.if %is {", MARK, "}", "}"], True),
        (["scf.if %is {", "scf.for %k = %c0 to %n step %c1 {", MARK, "}", "}"], True),
        (["scf.for %k = %c0 to %n step %c1 {", "scf.if %is {", MARK, "}", "}"], True),
        (["scf.if %is {", "}", "scf.if %go {", MARK, "}"], False),
    ],
    ids=str,
)
def test_the_guard_may_stand_around_other_branches_and_loops(lines: list[str], expected: bool) -> None:
    assert guarded(kernel(IS_ROOT, *lines)) is expected


@pytest.mark.parametrize(
    ("lines", "side", "expected"),
    [
        ([IS_ROOT, "%b = arith.andi %go, %is : i1"], "then", True),
        ([IS_ROOT, "%b = arith.andi %is, %go : i1"], "then", True),
        ([IS_ROOT, "%b = arith.ori %is, %go : i1"], "then", False),
        ([IS_OTHER, "%b = arith.andi %is, %go : i1"], "else", False),
        ([IS_OTHER, "%b = arith.andi %is, %go : i1"], "then", False),
    ],
    ids=str,
)
def test_one_of_two_conditions_is_enough_where_both_hold(lines: list[str], side: str, expected: bool) -> None:
    inside = [MARK, "}"] if side == "then" else ["} else {", MARK, "}"]
    assert guarded(kernel(*lines, "scf.if %b {", *inside)) is expected


@pytest.mark.parametrize(
    "cast",
    [
        ["%r = arith.index_cast %rank : i32 to index", "%t = arith.constant 2 : index", "index"],
        ["%r = arith.extsi %rank : i32 to i64", "%t = arith.constant 2 : i64", "i64"],
        ["%r = arith.extui %rank : i32 to i64", "%t = arith.constant 2 : i64", "i64"],
        ["%r = arith.trunci %wide : i64 to i32", "%t = arith.constant 2 : i32", "i32"],
    ],
    ids=str,
)
def test_the_rank_may_have_another_type(cast: list[str]) -> None:
    convert, constant, type = cast
    assert guarded(under("%is", convert, constant, f"%is = arith.cmpi eq, %r, %t : {type}"))


def test_a_calculated_number_is_no_rank() -> None:
    lines = ["%r = arith.addi %rank, %two : i32", "%is = arith.cmpi eq, %r, %two : i32"]
    assert not guarded(under("%is", *lines))


def test_the_turn_of_a_loop_is_no_rank() -> None:
    turn = ["%is = arith.cmpi eq, %k, %c1 : index", "scf.if %is {", MARK, "}"]
    assert not guarded(kernel("scf.for %k = %c0 to %n step %c1 {", *turn, "}"), 1)


# --- calls ---------------------------------------------------------------------------------------

CALL = "func.call @inner() : () -> ()"
OUTER = "func.call @outer() : () -> ()"


def function(name: str, *lines: str) -> str:
    return "\n".join([f"func.func @{name}() {{", *lines, "return", "}", ""])


INNER = function("inner", MARK)
ROOT_CALLS = [IS_ROOT, "scf.if %is {", CALL, "}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (INNER + kernel(*ROOT_CALLS), True),
        (INNER + kernel(CALL), False),
        (INNER + kernel(*ROOT_CALLS, CALL), False),
        (INNER + kernel(*ROOT_CALLS, "scf.if %is {", CALL, "}"), True),
        (INNER + function("outer", CALL) + kernel(IS_ROOT, "scf.if %is {", OUTER, "}"), True),
        (INNER + function("outer", CALL) + kernel(OUTER), False),
        (INNER + function("outer", CALL) + kernel(*ROOT_CALLS), False),
        (INNER + function("outer") + kernel(IS_ROOT, "scf.if %is {", OUTER, "}"), False),
    ],
    ids=[
        "the only call",
        "a call of every rank",
        "one of two calls",
        "both calls",
        "through another function",
        "through another function, of every rank",
        "through another function, which nobody calls",
        "no call",
    ],
)
def test_every_call_of_the_function_may_have_the_guard(text: str, expected: bool) -> None:
    assert guarded(text) is expected


def test_a_function_that_calls_itself_is_looked_at_once() -> None:
    assert not guarded(function("inner", MARK, CALL) + kernel(*ROOT_CALLS))
    rounds = function("inner", MARK, OUTER) + function("outer", CALL)
    assert not guarded(rounds + kernel(*ROOT_CALLS))


def test_operations_of_no_function_have_no_guard() -> None:
    """Programs that no text has made."""
    module = parse(INNER + kernel(*ROOT_CALLS))
    call = next(op for op in module.walk() if isinstance(op, CallOp))
    constant = Knowledge().constant
    assert is_guarded_by(call, 2, constant)
    call.detach()
    assert not is_guarded_by(call, 2, constant)
    alone = next(op for op in module.walk() if isinstance(op, FuncOp))
    alone.detach()
    assert alone.sym_name.data == "inner"
    assert not is_guarded_by(next(iter(alone.body.block.ops)), 2, constant)
