# ruff: noqa: E501 - programs are text
"""`arith` at fixed widths, and control flow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import builtin, cf, func
from xdsl.parser import Parser

import ptoas
from ptoas.compiler.run import compile as compile_program
from ptoas.compiler.run import run
from ptoas.grammar.layout import MAX_REGION_DEPTH
from tests.machine.support import execute, failing

WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def signed(value: int, width: int) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def unsigned(function):
    return lambda a, b, w: function(a & ((1 << w) - 1), b & ((1 << w) - 1))


OPERATIONS = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "minui": unsigned(min),
    "maxui": unsigned(max),
}
DIVISIONS = {
    "divsi": lambda a, b, w: truncated(a, b),
    "remsi": lambda a, b, w: a - b * truncated(a, b),
    "floordivsi": lambda a, b, w: a // b,
    "ceildivsi": lambda a, b, w: -(-a // b),
    "divui": unsigned(lambda a, b: a // b),
    "remui": unsigned(lambda a, b: a % b),
    "ceildivui": unsigned(lambda a, b: -(-a // b)),
}
SHIFTS = {
    "shli": lambda a, b, w: a << b,
    "shrsi": lambda a, b, w: a >> b,
    "shrui": lambda a, b, w: (a & ((1 << w) - 1)) >> b,
}
ALL = {**OPERATIONS, **DIVISIONS, **SHIFTS}


def call(text: str, *values):
    """The results of a function of scalars."""
    kernel = compile_program(ptoas.parse(text, "test.pto"), "a5", force=True)
    with np.errstate(all="ignore"):
        return kernel.cores[0].function(*values)


def all_operations(type_: str) -> str:
    lines = [f"  %{name} = arith.{name} %a, %b : {type_}" for name in OPERATIONS]
    lines += [f"  %{name} = arith.{name} %a, %d : {type_}" for name in DIVISIONS]
    lines += [f"  %{name} = arith.{name} %a, %s : {type_}" for name in SHIFTS]
    names = ", ".join(f"%{name}" for name in ALL)
    types = ", ".join([type_] * len(ALL))
    return (
        f"func.func @main(%a: {type_}, %b: {type_}, %d: {type_}, %s: {type_}) -> ({types}) {{\n"
        + "\n".join(lines)
        + f"\n  return {names} : {types}\n}}\n"
    )


FUNCTIONS = {
    type_: compile_program(ptoas.parse(all_operations(type_)), "a5", force=True).cores[0].function
    for type_ in WIDTHS
}


@settings(max_examples=300)
@given(st.sampled_from(sorted(WIDTHS)), st.data())
def test_integer_operations(type_: str, data: st.DataObject) -> None:
    width = WIDTHS[type_]
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    edge = st.one_of(st.integers(low, high), st.sampled_from([low, low + 1, -1, 0, 1, high]))
    a, b = data.draw(edge), data.draw(edge)
    divisor = data.draw(edge.filter(bool))
    shift = data.draw(st.integers(0, width - 1))
    results = FUNCTIONS[type_](a, b, divisor, shift)
    for (name, function), result in zip(ALL.items(), results, strict=True):
        other = b if name in OPERATIONS else divisor if name in DIVISIONS else shift
        assert result == signed(function(a, other, width), width), name


def test_comparisons() -> None:
    names = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    text = (
        f"func.func @main(%a: i8, %b: i8) -> ({', '.join(['i1'] * 10)}) {{\n"
        + "\n".join(f"  %{n} = arith.cmpi {n}, %a, %b : i8" for n in names)
        + f"\n  return {', '.join('%' + n for n in names)} : {', '.join(['i1'] * 10)}\n}}\n"
    )
    function = compile_program(ptoas.parse(text), "a5", force=True).cores[0].function
    for a in (-128, -1, 0, 1, 127):
        for b in (-128, -1, 0, 1, 127):
            u, v = a & 255, b & 255
            expected = (a == b, a != b, a < b, a <= b, a > b, a >= b, u < v, u <= v, u > v, u >= v)
            assert tuple(map(bool, function(a, b))) == expected


def test_one_bit_is_a_number_too() -> None:
    """`true` is 1 where it is read without a sign, and -1 with one, as in every `arith` of that width."""
    operations = {
        "slt": lambda a, b: -a < -b,
        "sge": lambda a, b: -a >= -b,
        "ult": lambda a, b: a < b,
        "minsi": lambda a, b: -min(-a, -b),
        "maxsi": lambda a, b: -max(-a, -b),
        "minui": min,
        "maxui": max,
        "addi": lambda a, b: (a + b) % 2,
        "subi": lambda a, b: (a - b) % 2,
        "muli": lambda a, b: a * b,
        "extsi": lambda a, b: -a,
        "extui": lambda a, b: a,
    }
    lines, types = [], []
    for name in operations:
        if name.startswith("ext"):
            lines.append(f"  %{name} = arith.{name} %a : i1 to i8")
        else:
            compare = f"cmpi {name}," if name in ("slt", "sge", "ult") else name
            lines.append(f"  %{name} = arith.{compare} %a, %b : i1")
        types.append("i8" if name.startswith("ext") else "i1")
    results = ", ".join(f"%{name}" for name in operations)
    text = f"func.func @main(%a: i1, %b: i1) -> ({', '.join(types)}) {{\n" + "\n".join(lines)
    text += f"\n  return {results} : {', '.join(types)}\n}}\n"
    function = compile_program(ptoas.parse(text), "a5", force=True).cores[0].function
    for a in (0, 1):
        for b in (0, 1):
            assert tuple(map(int, function(a, b))) == tuple(f(a, b) for f in operations.values()), (a, b)


def test_float_comparisons() -> None:
    names = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno"]
    text = (
        f"func.func @main(%a: f32, %b: f32) -> ({', '.join(['i1'] * 14)}) {{\n"
        + "\n".join(f"  %{n} = arith.cmpf {n}, %a, %b : f32" for n in names)
        + f"\n  return {', '.join('%' + n for n in names)} : {', '.join(['i1'] * 14)}\n}}\n"
    )
    function = compile_program(ptoas.parse(text), "a5", force=True).cores[0].function
    for a in (0.0, 1.0, math.nan, math.inf):
        for b in (0.0, 1.0, math.nan, math.inf):
            order = not (math.isnan(a) or math.isnan(b))
            holds = {"eq": a == b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b, "ne": a != b}
            expected = []
            for name in names:
                if name in ("ord", "uno"):
                    expected.append(order == (name == "ord"))
                else:
                    expected.append(
                        holds[name[1:]] and order if name[0] == "o" else holds[name[1:]] or not order
                    )
            assert list(map(bool, function(a, b))) == expected, (a, b)


@settings(max_examples=150)
@given(st.floats(width=32), st.floats(width=32))
def test_f32_is_rounded_once(a: float, b: float) -> None:
    text = """
func.func @main(%a: f32, %b: f32) -> (f32, f32, f32, f32) {
  %s = arith.addf %a, %b : f32
  %d = arith.subf %a, %b : f32
  %m = arith.mulf %a, %b : f32
  %q = arith.divf %a, %b : f32
  return %s, %d, %m, %q : f32, f32, f32, f32
}
"""
    function = FLOATS.setdefault("f", compile_program(ptoas.parse(text), "a5", force=True).cores[0].function)
    x, y = np.float32(a), np.float32(b)
    with np.errstate(all="ignore"):
        expected = (x + y, x - y, x * y, x / y)
        for found, want in zip(function(a, b), expected, strict=True):
            assert found == want or (math.isnan(found) and np.isnan(want))


FLOATS: dict = {}

CASTS = """
func.func @main(%i: i32, %f: f32, %b: i1) -> (i8, i64, i64, index, f16, f32, i32, f32, i32, i32, bf16) {
  %0 = arith.trunci %i : i32 to i8
  %1 = arith.extsi %i : i32 to i64
  %2 = arith.extui %i : i32 to i64
  %3 = arith.index_cast %i : i32 to index
  %4 = arith.truncf %f : f32 to f16
  %5 = arith.sitofp %i : i32 to f32
  %6 = arith.fptosi %f : f32 to i32
  %7 = arith.uitofp %i : i32 to f32
  %8 = arith.extsi %b : i1 to i32
  %9 = arith.bitcast %f : f32 to i32
  %10 = arith.truncf %f : f32 to bf16
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i8, i64, i64, index, f16, f32, i32, f32, i32, i32, bf16
}
"""


def test_casts() -> None:
    found = call(CASTS, -300, -2.7, 1)
    assert found[:4] == (signed(-300, 8), -300, 2**32 - 300, -300)
    assert found[4] == float(np.float16(-2.7)) and found[5:7] == (-300.0, -2)
    assert found[7] == float(np.float32(2**32 - 300)) and found[8] == -1
    assert found[9] == int(np.float32(-2.7).view(np.int32)) and found[10] == -2.703125


def test_double_precision_and_bits_under_another_name() -> None:
    text = """
func.func @main(%i: i64, %f: f64, %u: i32) -> (f64, f64, i32, i64) {
  %0 = arith.sitofp %i : i64 to f64
  %1 = arith.addf %0, %f : f64
  %2 = arith.bitcast %u : i32 to i32
  %3 = arith.bitcast %f : f64 to i64
  return %0, %1, %2, %3 : f64, f64, i32, i64
}
"""
    bits = int(np.float64(0.1).view(np.int64))
    assert call(text, 2**53 + 1, 0.1, -5) == (float(2**53), float(2**53) + 0.1, -5, bits)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("arith.constant dense<[1, 2]> : vector<2xi32>", "a constant of several elements can't be run"),
        ("builtin.unrealized_conversion_cast %x : i32 to f32", "only be run between integers of one width"),
    ],
)
def test_scalars_that_can_not_be_run(operation: str, words: str) -> None:
    type_ = operation.split()[-1]
    text = f"func.func @main(%x: i32) -> {type_} {{\n  %y = {operation}\n  return %y : {type_}\n}}\n"
    found = failing("PTO-R505", text, {"x": 1})
    assert words in found.message and found.span.line == 2


def test_a_large_integer_is_rounded_once_to_f32() -> None:
    text = "func.func @main(%i: i64) -> f32 {\n  %f = arith.sitofp %i : i64 to f32\n  return %f : f32\n}\n"
    # Halfway to the next f32 but for the last bit, which a double can't hold.
    assert call(text, 2**62 + 2**38 + 1) == (float(2**62 + 2**39),)
    assert call(text, 2**62 + 2**38) == (float(2**62),)


@pytest.mark.parametrize(
    ("code", "operation", "bad", "good"),
    [
        ("PTO-R502", "arith.divsi %one, %x : i32", 0, 1),
        ("PTO-R502", "arith.remui %one, %x : i32", 0, 1),
        ("PTO-R503", "arith.shli %one, %x : i32", 32, 31),
        ("PTO-R503", "arith.shrui %one, %x : i32", -1, 0),
    ],
)
def test_operations_without_a_value(code: str, operation: str, bad: int, good: int) -> None:
    text = (
        f"func.func @main(%x: i32) -> i32 {{\n  %one = arith.constant 1 : i32\n  %r = {operation}\n"
        "  return %r : i32\n}\n"
    )
    execute(text, {"x": good}, checks="all")
    assert failing(code, text, {"x": bad}).span.line == 3


def test_a_float_that_no_integer_holds() -> None:
    text = "func.func @main(%x: f32) -> i8 {\n  %r = arith.fptosi %x : f32 to i8\n  return %r : i8\n}\n"
    execute(text, {"x": 127.9})
    failing("PTO-R504", text, {"x": 128.0})
    failing("PTO-R504", text, {"x": math.nan})


# --- control flow --------------------------------------------------------------------------------


def test_loops_and_branches() -> None:
    text = """
func.func @collatz(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x, %steps = scf.while (%a = %n, %k = %c0) : (index, index) -> (index, index) {
    %more = arith.cmpi ne, %a, %c1 : index
    scf.condition(%more) %a, %k : index, index
  } do {
  ^bb0(%a: index, %k: index):
    %r = arith.remui %a, %c2 : index
    %odd = arith.cmpi eq, %r, %c1 : index
    %next = scf.if %odd -> (index) {
      %t = arith.muli %a, %c3 : index
      %u = arith.addi %t, %c1 : index
      scf.yield %u : index
    } else {
      %h = arith.divui %a, %c2 : index
      scf.yield %h : index
    }
    %k1 = arith.addi %k, %c1 : index
    scf.yield %next, %k1 : index, index
  }
  return %x, %steps : index, index
}
"""
    assert call(text, 27) == (1, 111)


def test_a_loop_carries_values_all_at_once() -> None:
    text = """
func.func @fibonacci(%n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c1) -> (index, index) {
    %s = arith.addi %x, %y : index
    scf.yield %y, %s : index, index
  }
  return %a, %b : index, index
}
"""
    assert call(text, 10) == (55, 89)
    assert call(text, 0) == (0, 1)


def test_a_switch_takes_the_case_of_its_number() -> None:
    def switch(*cases: int) -> str:
        regions = "".join(
            f", {{\n    %c{n} = arith.constant {10 * n} : i32\n    scf.yield %c{n} : i32\n  }}" for n in cases
        )
        return (
            'func.func @main(%x: index) -> i32 {\n  %r = "scf.index_switch"(%x) ({\n'
            "    %d = arith.constant -1 : i32\n    scf.yield %d : i32\n  }"
            f"{regions}) {{cases = array<i64{':' if cases else ''} {', '.join(map(str, cases))}>}} : (index) -> i32\n"
            "  return %r : i32\n}\n"
        )

    assert [call(switch(2, 5), x) for x in (0, 2, 3, 5)] == [(-1,), (20,), (-1,), (50,)]
    assert call(switch(), 2) == (-1,)


def test_region_is_executed_in_place() -> None:
    text = """
func.func @main(%x: i32) -> i32 {
  %r = "scf.execute_region"() ({
    %y = arith.addi %x, %x : i32
    scf.yield %y : i32
  }) : () -> i32
  %s = arith.muli %r, %x : i32
  return %s : i32
}
"""
    assert call(text, 7) == (98,)


def test_the_step_of_a_loop_is_positive() -> None:
    text = """
func.func @main(%step: index) -> index {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %k = %c0 to %c9 step %step iter_args(%a = %c0) -> (index) {
    %b = arith.addi %a, %k : index
    scf.yield %b : index
  }
  return %r : index
}
"""
    assert call(text, 4) == (0 + 4 + 8,)
    for step in (0, -1):
        assert failing("PTO-R505", text, {"step": step}).span.line == 5


def test_unsupported_operation_stops_when_reached() -> None:
    """Only if it is reached: another front end may have put it there."""
    text = """
func.func @main(%flag: i1) {
  scf.if %flag {
    "other.thing"() : () -> ()
  }
  return
}
"""
    module = ptoas.parse(text, "test.pto", allow_unregistered=True)
    run(module, {"flag": False}, "a5", force=True)
    with pytest.raises(
        ptoas.PtoasError, match=r"test.pto:4:5: error\[PTO-R505\]: .*other.thing can't be run"
    ):
        run(module, {"flag": True}, "a5", force=True)


def test_a_call_of_a_function_that_is_not_there() -> None:
    """The language refuses it; another front end may not."""
    context = Context()
    for dialect in (builtin.Builtin, func.Func):
        context.load_dialect(dialect)
    text = "func.func @main() {\n  func.call @nobody() : () -> ()\n  func.return\n}\n"
    kernel = compile_program(Parser(context, text).parse_module(), "a5", force=True)
    with pytest.raises(ptoas.PtoasError, match=r"PTO-R505\].*there is no function @nobody"):
        kernel()


def test_calls() -> None:
    text = """
func.func private @square(%x: i32) -> i32 {
  %r = arith.muli %x, %x : i32
  return %r : i32
}
func.func @main(%x: i32, %p: !pto.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %r = func.call @square(%x) : (i32) -> i32
  %s = func.call @square(%r) : (i32) -> i32
  pto.store_scalar %s, %p[%c0] : !pto.ptr<i32>, i32
  return
}
"""
    mem = np.zeros(1, np.int32)
    execute(text, {"x": 300, "p": mem})
    assert mem[0] == signed(300**4, 32)


def test_calls_that_nest_too_deeply() -> None:
    def chain(length: int) -> str:
        last = f"func.func @f{length}(%x: i32) -> i32 {{\n  return %x : i32\n}}\n"
        return last + "".join(
            f"func.func @f{n}(%x: i32) -> i32 {{\n  %r = func.call @f{n + 1}(%x) : (i32) -> i32\n  return %r : i32\n}}\n"
            for n in range(length)
        )

    execute(chain(100), {"x": 1}, entry="f0")
    failing("PTO-R506", chain(1200), {"x": 1}, entry="f0")


WHILE = """
func.func @main(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%a = %c0) : (index) -> (index) {
    %more = arith.cmpi ult, %a, %n : index
    scf.condition(%more) %a : index
  } do {
  ^bb0(%a: index):
    %b = arith.addi %a, %c1 : index
    scf.yield %b : index
  }
  return %r : index
}
"""

FOR = """
func.func @main(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
    %b = arith.addi %x, %c1 : index
    scf.yield %b : index
  }
  return %r : index
}
"""


@pytest.mark.parametrize("text", [WHILE, FOR])
def test_a_program_that_runs_too_long(text: str) -> None:
    execute(text, {"n": 100}, max_steps=2000)
    found = failing("PTO-R501", text, {"n": 2**62}, max_steps=2000)
    assert "2000" in found.message and found.span.line == 5


def test_blocks_take_turns() -> None:
    text = """
func.func @main(%p: !pto.ptr<i64>) {
  %b = pto.get_block_idx : i64
  %n = pto.get_block_num : i64
  %i = arith.index_cast %b : i64 to index
  %c8 = arith.constant 8 : index
  %at = arith.muli %i, %c8 : index
  %v = arith.muli %b, %n : i64
  pto.store_scalar %v, %p[%at] : !pto.ptr<i64>, i64
  return
}
"""
    mem = np.full(32, -1, np.int64)
    execute(text, {"p": mem}, blocks=3)
    assert mem[::8].tolist() == [0, 3, 6, -1]


def test_a_function_of_several_blocks() -> None:
    """Such a function is read and printed, but not run."""
    context = Context()
    for dialect in (builtin.Builtin, func.Func, cf.Cf):
        context.load_dialect(dialect)
    text = 'func.func @main() {\n  "cf.br"()[^on] : () -> ()\n^on:\n  "cf.br"()[^on] : () -> ()\n}\n'
    with pytest.raises(ptoas.PtoasError, match="PTO-L020"):
        compile_program(Parser(context, text).parse_module(), "a5", force=True)


LOOP = (
    "%rN = scf.for %iN = %c0 to %c1 step %c1 iter_args(%aN = %rM) -> (i32) {\n",
    "scf.yield %rP : i32\n}\n",
)
WHILE_LOOP = (
    "%rN:2 = scf.while (%bN = %rM, %goN = %yes) : (i32, i1) -> (i32, i1) {\n"
    "scf.condition(%goN) %bN, %goN : i32, i1\n} do {\n^bb0(%aN: i32, %oldN: i1):\n",
    "scf.yield %rP, %no : i32, i1\n}\n",
)
BRANCH = (
    "%rN = scf.if %yes -> (i32) {\n%aN = arith.addi %rM, %zero : i32\n",
    "scf.yield %rP : i32\n} else {\nscf.yield %zero : i32\n}\n",
)


def nested(depth: int, *kinds: tuple[str, str]) -> str:
    """A program that adds 1 inside `depth` regions and hands the sum out again."""
    head, tail = "", ""
    for n in range(depth):
        begin, end = (part.replace("N", str(n)) for part in kinds[n % len(kinds)])
        head += begin.replace("%rM", f"%a{n - 1}" if n else "%x")
        inner = f"%r{n + 1}" if n + 1 < depth else "%sum"
        if n + 1 < depth and kinds[(n + 1) % len(kinds)] is WHILE_LOOP:
            inner += "#0"
        tail = end.replace("%rP", inner) + tail
    add = f"%sum = arith.addi %a{depth - 1}, %one : i32\n"
    result = "%r0#0" if kinds[0] is WHILE_LOOP else "%r0"
    return (
        "func.func @main(%p: !pto.ptr<i32>, %x: i32) {\n  %c0 = arith.constant 0 : index\n"
        "%c1 = arith.constant 1 : index\n%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
        "%yes = arith.constant true\n%no = arith.constant false\n"
        f"{head}{add}{tail}  pto.store_scalar {result}, %p[%c0] : !pto.ptr<i32>, i32\n"
        "  pto.cmo.cacheinvalid all #pto.address_space<gm>\n  return\n}\n"
    )


@pytest.mark.parametrize("kinds", [(LOOP,), (BRANCH,), (LOOP, BRANCH), (WHILE_LOOP, LOOP)])
@pytest.mark.parametrize("depth", [15, 16, 17, 21, 40, MAX_REGION_DEPTH - 1])
def test_deepest_accepted_nesting_runs(depth: int, kinds: tuple[tuple[str, str], ...]) -> None:
    assert execute(nested(depth, *kinds), {"x": 5}, sync="manual").outputs["p"].tolist() == [6]


def test_the_parser_limits_the_depth_of_regions() -> None:
    with pytest.raises(ptoas.PtoasError, match="PTO-P014"):
        ptoas.parse(nested(MAX_REGION_DEPTH, LOOP))


def test_a_switch_of_too_many_cases_is_refused() -> None:
    cases = "".join(f"case {n} {{\nscf.yield\n}}\n" for n in range(6_000))
    text = (
        f"func.func @main(%i: index) {{\nscf.index_switch %i\n{cases}default {{\nscf.yield\n}}\nreturn\n}}\n"
    )
    failing("PTO-R505", text, {"i": 1}, sync="manual")


EXTREMES = """
func.func @main(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32) {
  %0 = arith.minimumf %a, %b : f32
  %1 = arith.maximumf %a, %b : f32
  %2 = arith.minnumf %a, %b : f32
  %3 = arith.maxnumf %a, %b : f32
  %4 = arith.negf %a : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}
"""


def test_float_extremes() -> None:
    """`minimumf` gives NaN if one is, `minnumf` the other; minus zero is less than zero."""
    function = compile_program(ptoas.parse(EXTREMES), "a5", force=True).cores[0].function
    assert function(1.0, -2.0) == (-2.0, 1.0, -2.0, 1.0, -1.0)
    assert function(-math.inf, 5.0) == (-math.inf, 5.0, -math.inf, 5.0, math.inf)
    for pair in ((math.nan, 3.0), (3.0, math.nan)):
        least, greatest, low, high, _ = function(*pair)
        assert math.isnan(least) and math.isnan(greatest) and low == high == 3.0
    for pair in ((0.0, -0.0), (-0.0, 0.0)):
        signs = [math.copysign(1, x) for x in function(*pair)[:4]]
        assert signs == [-1, 1, -1, 1]


def test_extended_products_and_sums() -> None:
    text = """
func.func @main(%a: i16, %b: i16) -> (i16, i1, i16, i16, i16, i16) {
  %s, %c = "arith.addui_extended"(%a, %b) : (i16, i16) -> (i16, i1)
  %l, %h = "arith.mulsi_extended"(%a, %b) : (i16, i16) -> (i16, i16)
  %m, %i = "arith.mului_extended"(%a, %b) : (i16, i16) -> (i16, i16)
  return %s, %c, %l, %h, %m, %i : i16, i1, i16, i16, i16, i16
}
"""
    function = compile_program(ptoas.parse(text), "a5", force=True).cores[0].function
    for a in (-32768, -1, 0, 1, 300, 32767):
        for b in (-32768, -1, 0, 7, 32767):
            u, v = a & 0xFFFF, b & 0xFFFF
            assert function(a, b) == (
                signed(u + v, 16),
                (u + v) >> 16,
                signed(a * b, 16),
                signed(a * b >> 16, 16),
                signed(u * v, 16),
                signed(u * v >> 16, 16),
            )
