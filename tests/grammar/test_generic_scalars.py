"""Scalar operations under the names that the C++ assembler has from version 0.64 on."""

from __future__ import annotations

import re

import pytest

import ptoas
from ptoas.diagnostics.data import load_data
from ptoas.grammar.generic_scalars import OPCODES

FUNCTION = "func.func @f(%a: i32, %b: i32, %x: f32, %y: f32, %c: i1, %n: index) {\n  STATEMENT\n  return\n}"
FORMS = [
    ("%r = pto.constant 1 : i32", "%r = arith.constant 1 : i32"),
    ("%r = pto.addi %a, %b overflow<nsw, nuw> : i32", "%r = arith.addi %a, %b overflow<nsw, nuw> : i32"),
    ("%r = pto.mulf %x, %y fastmath<fast> : f32", "%r = arith.mulf %x, %y fastmath<fast> : f32"),
    ("%r = pto.floordiv %a, %b signed : i32", "%r = arith.floordivsi %a, %b : i32"),
    ("%r = pto.floordiv %a, %b unsigned : i32", "%r = arith.divui %a, %b : i32"),
    ("%r = pto.shr %a, %b unsigned : i32", "%r = arith.shrui %a, %b : i32"),
    ("%r = pto.cmpi lt %a, %b unsigned : i32", "%r = arith.cmpi ult, %a, %b : i32"),
    ("%r = pto.cmpi ne %a, %b signed : i32", "%r = arith.cmpi ne, %a, %b : i32"),
    ("%r = pto.cmpf ne %x, %y : f32", "%r = arith.cmpf one, %x, %y : f32"),
    ("%r = pto.cmpf uge %x, %y : f32", "%r = arith.cmpf uge, %x, %y : f32"),
    ("%r = pto.select %c, %x, %y : f32", "%r = arith.select %c, %x, %y : f32"),
    ("%r = pto.mini %n, %n signed : index", "%r = arith.minsi %n, %n : index"),
    ("%r = pto.minf %x, %y : f32", "%r = arith.minnumf %x, %y : f32"),
    ("%r = pto.minimum %x, %y : f32", "%r = arith.minimumf %x, %y : f32"),
    ("%r = pto.exti %a signed : i32 -> i64", "%r = arith.extsi %a : i32 to i64"),
    ("%r = pto.ftoi %x unsigned : f32 -> i32", "%r = arith.fptoui %x : f32 to i32"),
    ("%r = pto.index_cast %n signed : index -> i32", "%r = arith.index_cast %n : index to i32"),
    ("%r = pto.ftof %x : f32 -> f16", "%r = arith.truncf %x : f32 to f16"),
    ("%r = pto.ftof %x : f32 -> f64", "%r = arith.extf %x : f32 to f64"),
]


@pytest.mark.parametrize(("generic", "arith"), FORMS)
def test_a_generic_scalar_is_read_as_the_operation_of_arith(generic: str, arith: str) -> None:
    read, expected = (ptoas.parse(FUNCTION.replace("STATEMENT", text)) for text in (generic, arith))
    assert read.is_structurally_equivalent(expected)


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("%r = pto.divi %a, %b : i32", "PTO-P010", "needs `signed` or `unsigned` after its operands"),
        ("%r = pto.cmpi gt %a, %b : i32", "PTO-P010", "needs `signed` or `unsigned`"),
        ("%r = pto.cmpi under %a, %b signed : i32", "PTO-P022", "needs one of the predicates"),
        ("%r = pto.addi %a, %x : i32", "PTO-P042", "the operand's type is f32"),
        ("%r = pto.ftof %a : i32 -> f16", "PTO-P043", "needs both types"),
        ("%r = pto.absi %a signed : i32", "PTO-P020", "not supported"),
        ("pto.get_l2_cache_offset", "PTO-P020", "only the driver knows the distance"),
        (
            "pto.section.simt <<<32, 1, 1>>> {\n    pto.syncthreads\n  }",
            "PTO-P020",
            "it is below the tile level",
        ),
    ],
)
def test_generic_scalar_that_is_not_supported_is_rejected_with_a_reason(
    statement: str, code: str, message: str
) -> None:
    with pytest.raises(ptoas.PtoasError) as error:
        ptoas.parse(FUNCTION.replace("STATEMENT", statement))
    first = error.value.diagnostics[0]
    assert first.code == code and message in f"{first.message} {first.fix}"


def test_versions_before_do_not_know_them() -> None:
    row = next(row for row in load_data("upstream")["change"] if "addi" in row.get("adds", ()))
    assert {f"pto.{name}" for name in row["adds"]} == {*OPCODES}
    covered = {match[0] for form, _ in FORMS for match in [re.search(r"pto\.\w+", form)] if match}
    assert covered <= {*OPCODES}
