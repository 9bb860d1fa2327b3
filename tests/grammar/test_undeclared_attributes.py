"""Attributes that an instruction does not declare (D43); the refusals are in bad_input.py."""

from __future__ import annotations

import pytest

import ptoas

TYPES = "(!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"
ARGUMENTS = ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n"


@pytest.mark.parametrize("form", ["asm", "ssa", "dps", "generic"])
def test_a_prefixed_attribute_is_kept_and_printed(form: str) -> None:
    module = ptoas.parse(f"{ARGUMENTS}%d = mgather.row %t, %i {{foo.bar = 3 : i32}} : {TYPES}")
    text = ptoas.print_module(module, form)
    assert "foo.bar = 3 : i32" in text
    assert ptoas.print_module(ptoas.parse(text), form) == text


def test_a_declared_attribute_of_a_generic_operation_is_a_property_beside_others() -> None:
    oob = "#pto<gather_oob clamp>"
    module = ptoas.parse(
        f'{ARGUMENTS}%d = "pto.mgather"(%t, %i) <{{coalesce = #pto<coalesce row>}}> '
        f"{{gatherOob = {oob}}} : {TYPES}"
    )
    assert "mgather.row.clamp" in ptoas.print_module(module, "asm")


def test_another_name_of_an_attribute_is_understood_in_generic_form() -> None:
    text = (
        ".arg %p : !pto.memref<1xi32>\n.arg %n : i32\n"
        '"pto.comm.tnotify"(%p, %n) {op = #pto<notify_op atomic_add>} : (!pto.memref<1xi32>, i32) -> ()'
    )
    (op,) = [op for op in ptoas.parse(text).walk() if op.name == "pto.comm.tnotify"]
    assert "notifyOp" in op.properties and not op.attributes


def test_a_declared_attribute_of_arithmetic_is_a_property() -> None:
    add = "%b = arith.addi %a, %a {overflowFlags = #arith.overflow<nsw>} : i32"
    text = f"func.func @f(%a: i32) {{\n{add}\nreturn\n}}"
    (op,) = [op for op in ptoas.parse(text).walk() if op.name == "arith.addi"]
    assert "nsw" in str(op.properties["overflowFlags"])
