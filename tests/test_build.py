"""`ptoas.build`: a module made in Python is the module that its text would give."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas import build
from ptoas.build.instructions import instructions
from ptoas.dialects.pto import OPS

ROOT = Path(__file__).parents[1]


def test_building_page_runs() -> None:
    text = (ROOT / "docs" / "building.md").read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, "building.md", "building.md", 0)
    result = doctest.DocTestRunner(verbose=False).run(test)
    assert result.attempted > 10 and result.failed == 0


def same(m: build.Module, text: str, name: str) -> None:
    parsed = ptoas.parse(text, f"{name}.pto")
    assert m.module.is_structurally_equivalent(parsed), ptoas.print_module(m.module, "asm")
    again = ptoas.parse(ptoas.print_module(m.module, "generic"))
    assert again.is_structurally_equivalent(m.module)


def test_a_lookup_is_its_text() -> None:
    m = build.module("a5")
    with m.function("lookup", table="64x32xf32", ids="1x16xi32", out="16x32xf32") as f:
        f.set_flag("MTE2", "V", 0)
        rows = f.mgather(f.table, f.tload(f.ids), coalesce="row")
        f.tstore(f.tadds(rows, 2), f.out, atomic_type="atomic_add")
    same(
        m,
        """
        .target "a5"
        .arg %table : !pto.memref<64x32xf32>
        .arg %ids : !pto.memref<1x16xi32>
        .arg %out : !pto.memref<16x32xf32>
        .const %two = 2.0 : f32
        set_flag [#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
        %i = tload %ids : (!pto.memref<1x16xi32>) -> !pto.tile<1x16xi32>
        %r = mgather.row %table, %i : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>
        %s = tadds %r, %two : (!pto.tile<16x32xf32>, f32) -> !pto.tile<16x32xf32>
        tstore %s, %out {atomicType = #pto.atomic_type<atomic_add>}
        """,
        "lookup",
    )


def test_loops_branches_and_arithmetic_are_their_text() -> None:
    m = build.module()
    with m.function("f", x="ptr<f32>", n="index", t="tile<16x32xf32>") as f:
        view = f.make_tensor_view(f.x, [f.n, 32])
        loop = f.loop(0, f.n, 16, carry=[f.t])
        with loop as (i, tile):
            part = f.partition_view(view, [i + 1, 0], [16, 32])
            with f.if_(i < 3):
                f.tstore(tile, part)
            with f.else_():
                f.tprint(tile)
            f.yield_(f.tneg(tile))
        f.tprint(*loop.results)
    same(
        m,
        """
        func.func @f(%x: !pto.ptr<f32>, %n: index, %t: !pto.tile<16x32xf32>) {
          %c32 = arith.constant 32 : index
          %c1 = arith.constant 1 : index
          %c0 = arith.constant 0 : index
          %c16 = arith.constant 16 : index
          %c3 = arith.constant 3 : index
          %v = pto.make_tensor_view %x, shape = [%n, %c32], strides = [%c32, %c1] : !pto.tensor_view<?x32xf32>
          %end = scf.for %i = %c0 to %n step %c16 iter_args(%tile = %t) -> (!pto.tile<16x32xf32>) {
            %o = arith.addi %i, %c1 : index
            %p = pto.partition_view %v, offsets = [%o, %c0], sizes = [%c16, %c32]
               : !pto.tensor_view<?x32xf32> -> !pto.partition_tensor_view<16x32xf32>
            %small = arith.cmpi slt, %i, %c3 : index
            scf.if %small {
              pto.tstore ins(%tile : !pto.tile<16x32xf32>) outs(%p : !pto.partition_tensor_view<16x32xf32>)
            } else {
              pto.tprint ins(%tile : !pto.tile<16x32xf32>)
            }
            %m = pto.tneg %tile : (!pto.tile<16x32xf32>) -> !pto.tile<16x32xf32>
            scf.yield %m : !pto.tile<16x32xf32>
          }
          pto.tprint ins(%end : !pto.tile<16x32xf32>)
          return
        }
        """,
        "f",
    )


def test_numbers_have_the_type_that_fits() -> None:
    m = build.module()
    with m.function("f", p="ptr<i16>", tile="tile<8x8xf16>") as f:
        f.tadds(f.tile, 3)  # the tile's element type
        f.store_scalar(1, f.p, 2)  # the pointer's; an offset is an index
        f.tci(5, "1x8xi32")  # the result's
        f.alloc_tile("8x8xf32, valid=?x8", valid_row=4)
    constants = [op for op in m.module.walk() if op.name == "arith.constant"]
    found = [str(op.properties["value"]) for op in constants]
    assert found == [
        "3.000000e+00 : f16", "1 : i16", "2 : index", "5 : i32", "4 : index",
    ]  # fmt: skip


def test_equal_numbers_are_one_constant_before_all_else() -> None:
    m = build.module()
    with m.function("f", n="index") as f:
        with f.loop(0, f.n) as i:
            _ = i + 7
        _ = f.n * 7
    ops = [op.name for op in f.op.body.block.ops]
    assert ops == ["arith.constant"] * 3 + ["scf.for", "arith.muli", "func.return"]


def test_functions_call_each_other_and_return() -> None:
    m = build.module()
    with m.function("next", n="i32") as f:
        f.return_(f.n + 1)
    with m.function("main", x="memref<1x8xi32>") as f:
        start = f.call("next", 4)
        f.tstore(f.tci(start, "1x8xi32"), f.x)
    m.module.verify()
    result = ptoas.run(m.module, target="cpu", entry="main")
    assert result.outputs["x"].tolist() == [[5, 6, 7, 8, 9, 10, 11, 12]]


def test_numbers_are_carried_and_handed_on() -> None:
    m = build.module()
    with m.function("f", x="1x8xi32") as f:
        loop = f.loop(0, 5, carry=[1])
        with loop as (_, product):
            f.yield_(product * 2)
        f.tstore(f.tci(loop.results[0].to("i32"), "1x8xi32"), f.x)
    assert ptoas.run(m.module, target="cpu").outputs["x"][0, 0] == 2**5


def test_a_branch_has_results() -> None:
    m = build.module()
    with m.function("f", x="1x8xi32", n="index") as f:
        branch = f.if_(f.n.compare("ne", 0), "i32")
        with branch:
            f.yield_(10)
        with f.else_():
            f.yield_(f.n.to("i32") - 1)
        f.tstore(f.tci(*branch.results, "1x8xi32"), f.x)
    for n, first in ((0, -1), (1, 10)):
        assert ptoas.run(m.module, {"n": n}, target="cpu").outputs["x"][0, 0] == first


# --- names -----------------------------------------------------------------------------------------


def test_every_instruction_is_an_attribute() -> None:
    m = build.module()
    with m.function("f", x="8x8xf32") as f:
        shown = dir(f)
        assert {"x", "loop", "comm_tgather", "mgather"} <= set(shown)
        assert len(instructions()) == len(OPS)
        for name in instructions():
            assert callable(getattr(f, name)) and name in shown


def test_arguments_and_results_keep_their_names() -> None:
    m = build.module()
    with m.function("f", loop="8x8xf32", tadd="8x8xf32") as f:
        tile = f.tload(f.args["loop"], name="idx_12")
        f.tstore(tile, f.tadd)  # an argument goes before an instruction
    text = ptoas.print_module(m.module, "asm")
    assert "%idx_12 = tload %loop" in text and "tstore %idx_12, %tadd" in text


def test_the_package_shows_its_names() -> None:
    assert {"build", "parse", "run", "verify"} <= set(dir(ptoas))
    assert "importlib" not in dir(ptoas) and ptoas.build is build


# --- mistakes --------------------------------------------------------------------------------------


def _loop_without_yield(f: Any) -> None:
    with f.loop(0, 4, carry=[f.t]):
        pass


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda f: f.tload(f.t), "as `mem`, found <value %t of type !pto.tile_buf<vec, 8x8xf32>>"),
        (lambda f: f.tadd(f.t, f.h), "pto.tadd: operand `src1`: found element type f16, expected f32"),
        (lambda f: f.tadds(f.i, 0.5), "0.5 is not a number of type i32"),
        (lambda f: f.tadds(f.i, 1 << 32), "4294967296 is not a number of type i32: "),
        (lambda f: f.tcvt(f.t, "8x8xf61"), "`8x8xf61` is not a type: unknown element type"),
        (lambda f: f.tcvt(f.t), "needs `dst`, or the result's type as `result_type=`"),
        (lambda f: f.n + f.s, "have different types; convert one with `.to(...)`"),
        (lambda f: f.t + 1, "is not a number of type !pto.tile_buf<vec, 8x8xf32>"),
        (lambda f: f.t + f.t, "does not support this operation"),
        (lambda f: f.n / 2, "does not support this operation"),
        (lambda f: f.n.compare("lower", 2), "`lower` is not a comparison"),
        (lambda f: bool(f.n < 2), "a value is known only when the program runs"),
        (lambda f: f.loop(0, f.n, f.s), "expected index, found <value %s of type i32>"),
        (_loop_without_yield, "this scf.for yields 1 value(s): end it with `yield_`"),
        (lambda f: f.t.to("index"), "only an index and an integer convert into each other"),
        (lambda f: f.yield_(1), "0 value(s) must be yielded here, found 1"),
        (lambda f: f.return_(1), "expected a value of the program, found 1"),
        (lambda f: f.else_(), "`else_` must directly follow its `if_`"),
        (lambda f: f.call("g"), "there is no function `g` yet; build it first"),
        (lambda f: f.call("f"), "`f` takes 5 argument(s), found 0"),
        (lambda f: f.partition_view(f.t, [0], [1]), "a partition needs a view of memory"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_where_it_is_made(mistake: Any, message: str) -> None:
    m = build.module()
    with (
        m.function("f", t="tile<8x8xf32>", h="tile<8x8xf16>", i="tile<8x8xi32>", n="index", s="i32") as f,
        pytest.raises(TypeError) as raised,
    ):
        mistake(f)
    assert message in str(raised.value)


def test_a_function_that_failed_can_be_made_again() -> None:
    m = build.module()
    for instruction in ("tlaod", "tload"):
        try:
            with m.function("f", x="8x8xf32") as f:
                getattr(f, instruction)(f.x)
        except AttributeError:
            assert not m.functions
    assert [op.name for op in m.module.walk()] == ["builtin.module", "func.func", "pto.tload", "func.return"]


def test_rejected_instruction_leaves_the_function_unchanged() -> None:
    m = build.module()
    with m.function("f", a="tile<8x8xf32>", b="tile<8x8xf16>") as f:
        with pytest.raises(TypeError):
            f.tadd(f.a, f.b)
        assert not list(f.a.ssa.uses)


def test_unknown_name_error_suggests_a_similar_one() -> None:
    m = build.module()
    with m.function("f", table="8x8xf32") as f:
        with pytest.raises(AttributeError, match="no instruction `mgahter`; did you mean `mgather`"):
            f.mgahter(f.table)
        with pytest.raises(AttributeError, match="did you mean `table`"):
            f.tload(f.tabel)
    with pytest.raises(TypeError, match="`f` is already defined"):
        m.function("f")


def test_a_finding_points_to_the_python_line_that_built_the_operation() -> None:
    m = build.module("a2a3")
    with m.function("f", table="64x32xf32", ids="16x1xi32", out="16x32xf32") as f:
        rows = f.mgather(f.table, f.tload(f.ids), result_type="16x32xf32", coalesce="row")  # refused
        f.tstore(rows, f.out)
    own = Path(__file__).read_text(encoding="utf-8").splitlines()
    findings = ptoas.verify(m.module).diagnostics
    assert findings
    for finding in findings:
        assert finding.span.file == __file__ and own[finding.span.line - 1].endswith("# refused")
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.lower(m.module)
    assert "test_build.py" in str(caught.value)


def test_run_time_error_names_the_python_line_that_built_the_operation() -> None:
    m = build.module("a5")
    with m.function("f", table="64x32xf32", ids="1x16xi32", out="16x32xf32") as f:
        rows = f.mgather(f.table, f.tload(f.ids), result_type="16x32xf32", coalesce="row")  # out of range
        f.tstore(rows, f.out)
    given = {"table": np.zeros((64, 32), np.float32), "ids": np.full((1, 16), 64, np.int32)}
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.run(m.module, given)
    span = caught.value.diagnostics[0].span
    assert span.source.line_text(span.line).endswith("# out of range")
