"""The quick check of declarations is no weaker than xDSL's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i32, i64
from xdsl.ir import Operation
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.utils.exceptions import VerifyException

import ptoas
from ptoas.dialects.pto.instruction import PtoOp

SIZES = AttrSizedOperandSegments.attribute_name
KERNELS = sorted(Path(__file__).parents[1].joinpath("kernels").rglob("*.pto"))


def instructions() -> list[PtoOp]:
    """One of each class that the kernels have."""
    found: dict[type[Operation], PtoOp] = {}
    for path in KERNELS:
        try:
            module = ptoas.parse_file(path)
        except ptoas.PtoasError:
            continue
        for op in module.walk():
            if isinstance(op, PtoOp):
                found.setdefault(type(op), op)
    return list(found.values())


OPS = instructions()


def is_sound(op: PtoOp) -> bool:
    """The verdict of xDSL, without caches."""
    try:
        op.verify_()
    except (VerifyException, IndexError, KeyError, ValueError):
        return False
    return True


def test_there_are_many_to_try() -> None:
    assert len(OPS) > 30 and all(is_sound(op) for op in OPS)


def with_an_operand_more(op: PtoOp) -> bool:
    if not op.operands:
        return False
    op.operands = [*op.operands, op.operands[0]]
    return True


def with_an_operand_less(op: PtoOp) -> bool:
    op.operands = op.operands[:-1]
    return True


def with_a_property_more(op: PtoOp) -> bool:
    op.properties["nobody_knows_it"] = UnitAttr()
    return True


def sizes(op: PtoOp) -> list[int]:
    given = op.properties.get(SIZES)
    return list(given.get_values()) if isinstance(given, DenseArrayBase) else []


def with_sizes_that_count_one_more(op: PtoOp) -> bool:
    found = sizes(op)
    if found:
        op.properties[SIZES] = DenseArrayBase.from_list(i32, [found[0] + 1, *found[1:]])
    return bool(found)


def with_a_size_less(op: PtoOp) -> bool:
    found = sizes(op)
    if found:
        op.properties[SIZES] = DenseArrayBase.from_list(i32, found[:-1])
    return bool(found)


def with_sizes_that_add_up_otherwise(op: PtoOp) -> bool:
    found = sizes(op)
    if len(found) > 1:
        op.properties[SIZES] = DenseArrayBase.from_list(i32, [found[0] - 1, found[1] + 1, *found[2:]])
    return len(found) > 1


def with_sizes_of_another_width(op: PtoOp) -> bool:
    found = sizes(op)
    if found:
        op.properties[SIZES] = DenseArrayBase.from_list(i64, found)
    return bool(found)


@pytest.mark.parametrize(
    "changed",
    [
        with_an_operand_more,
        with_an_operand_less,
        with_a_property_more,
        with_sizes_that_count_one_more,
        with_a_size_less,
        with_sizes_that_add_up_otherwise,
        with_sizes_of_another_width,
    ],
)
def test_declared_checks_agree_with_xdsl(changed: Callable[[PtoOp], bool]) -> None:
    tried = 0
    for op in OPS:
        copy = op.clone({value: value for value in op.operands})
        if not changed(copy):
            continue
        wanted = is_sound(copy)
        try:
            found = not list(copy.problems())
        except (IndexError, KeyError, ValueError):
            found = False  # operands that are not there
        assert found is wanted, copy.name
        tried += not wanted
    assert tried > 10
