"""The dialect under xDSL's own parser and printer, in generic form, and the plug-in that brings it there."""

from __future__ import annotations

from importlib.metadata import entry_points
from io import StringIO

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.dialects.pto import OPS, PTO
from tests.grammar.strategies import Drawn, modules
from tests.grammar.test_roundtrip import PROGRAMS


def context() -> Context:
    context = Context()
    for dialect in (Builtin, Func, Arith, Scf, PTO):
        context.load_dialect(dialect)
    return context


def by_xdsl(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


@pytest.mark.parametrize("name", PROGRAMS)
def test_xdsl_reads_our_generic_form(name: str) -> None:
    module = ptoas.parse(PROGRAMS[name], "program.pto")
    module.verify()
    assert by_xdsl(print_module(module, "generic")).is_structurally_equivalent(module)


@pytest.mark.parametrize("name", PROGRAMS)
def test_we_read_xdsl_s_generic_form(name: str) -> None:
    module = ptoas.parse(PROGRAMS[name], "program.pto")
    out = StringIO()
    Printer(out, print_generic_format=True).print_op(module)
    assert ptoas.parse(out.getvalue()).is_structurally_equivalent(module)
    assert by_xdsl(out.getvalue()).is_structurally_equivalent(module)


@settings(
    max_examples=30,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(modules())
def test_generated_modules(drawn: Drawn) -> None:
    drawn.module.verify()
    assert by_xdsl(print_module(drawn.module, "generic")).is_structurally_equivalent(drawn.module)


@pytest.mark.parametrize(
    "text",
    [
        '"pto.tprint"() : () -> ()',
        '%t = "test.op"() : () -> !pto.tile_buf<vec, 8x16xf99>',
        '%t = "pto.alloc_tile"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pto.tile<?x16xf32>',
        '%t = "pto.alloc_tile"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> f32',
    ],
)
def test_xdsl_refuses_what_is_wrong(text: str) -> None:
    with pytest.raises((ParseError, VerifyException)):
        by_xdsl(text)


def test_tile_and_tile_buf_are_one_type() -> None:
    text = '%t = "pto.alloc_tile"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !pto.{}<16x32xf32>'
    one, other = (by_xdsl(text.replace("{}", name)) for name in ("tile", "tile_buf"))
    assert one.is_structurally_equivalent(other)


def test_universe_entry_point() -> None:
    """With the package installed, `xdsl-opt` knows the dialect and the passes."""
    from ptoas.lowering.universe import PTOAS_UNIVERSE

    dialect = PTOAS_UNIVERSE.all_dialects["pto"]()
    assert {op.name for op in dialect.operations} == {op.name for op in OPS}
    assert "allocate-destinations" in PTOAS_UNIVERSE.all_passes
    found = [e for e in entry_points(group="xdsl.universe") if e.name == "ptoas"]
    assert found and found[0].load() is PTOAS_UNIVERSE
