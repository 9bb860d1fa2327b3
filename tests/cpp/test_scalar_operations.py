"""Every operation of `arith` as C++, on the values at the edges of its types, against the machine.

The machine's own results are tested against plain formulas in `tests/machine/test_scalars.py`.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from .harness import Case, run_cases

BITWISE = ("andi", "ori", "xori")
INTEGER = (*BITWISE, "addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui")
DIVISIONS = ("divsi", "remsi", "floordivsi", "ceildivsi", "divui", "remui", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
ORDERS = ("eq", "gt", "ge", "lt", "le", "ne")
FLOAT_PREDICATES = ("false", *(f"{kind}{order}" for kind in "ou" for order in ORDERS), "ord", "uno", "true")
NUMPY = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f32": np.float32,
    "f16": np.float16,
}


def loop(name: str, pointers: dict[str, str], body: str) -> str:
    """A function that does the same for each of `%n` places."""
    arguments = ", ".join(f"%{name}: !pto.ptr<{type}>" for name, type in pointers.items())
    return f"""
func.func @{name}({arguments}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {{
{body}
  }}
  return
}}
"""


def load(name: str, pointer: str, type: str) -> str:
    return f"    %{name} = pto.load_scalar %{pointer}[%k] : !pto.ptr<{type}> -> {type}\n"


def store(value: str, pointer: str, type: str, number: int) -> str:
    return (
        f"    %s{number} = arith.constant {number} : index\n"
        f"    %m{number} = arith.muli %n, %s{number} : index\n"
        f"    %at{number} = arith.addi %m{number}, %k : index\n"
        f"    pto.store_scalar %{value}, %{pointer}[%at{number}] : !pto.ptr<{type}>, {type}\n"
    )


def integers(type: str) -> Case:
    width = int(type[1:])
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    edges = (low, low + 1, -7, -1, 0, 1, 2, 7, high - 1, high)
    # Sums and products wrap around in `arith`; a quotient that is out of range has no value, nor x / 0.
    pairs = list(product(edges, edges))
    divisible = [(a, b) for a, b in pairs if b != 0 and not (a == low and b == -1)]
    shifts = [(a, b) for a in edges for b in (0, 1, width // 2, width - 1)]
    rows = {
        **dict.fromkeys(INTEGER, pairs),
        **dict.fromkeys(DIVISIONS, divisible),
        **dict.fromkeys(SHIFTS, shifts),
    }
    n = max(map(len, rows.values()))
    body, a, b = "", [], []
    for number, (name, values) in enumerate(rows.items()):
        values = [values[k % len(values)] for k in range(n)]
        a += [x for x, _ in values]
        b += [y for _, y in values]
        body += f"    %s{number} = arith.constant {number} : index\n"
        body += f"    %m{number} = arith.muli %n, %s{number} : index\n"
        body += f"    %i{number} = arith.addi %m{number}, %k : index\n"
        for side in "ab":
            body += (
                f"    %{side}{number} = pto.load_scalar %{side}[%i{number}] : !pto.ptr<{type}> -> {type}\n"
            )
        body += f"    %r{number} = arith.{name} %a{number}, %b{number} : {type}\n"
        body += f"    pto.store_scalar %r{number}, %out[%i{number}] : !pto.ptr<{type}>, {type}\n"
    kind = NUMPY[type]
    return Case(
        f"integers_{type}",
        loop(f"integers_{type}", {"a": type, "b": type, "out": type}, body),
        "cpu",
        scalars={"n": n},
        arguments={"a": np.array(a, kind), "b": np.array(b, kind), "out": np.zeros(n * len(rows), kind)},
    )


def comparisons(type: str) -> Case:
    width = int(type[1:])
    edges = (-(1 << (width - 1)), -1, 0, 1, (1 << (width - 1)) - 1)
    pairs = list(product(edges, edges))
    body = load("x", "a", type) + load("y", "b", type)
    for number, predicate in enumerate(PREDICATES):
        body += f"    %p{number} = arith.cmpi {predicate}, %x, %y : {type}\n"
        body += f"    %r{number} = arith.select %p{number}, %x, %y : {type}\n"
        body += store(f"r{number}", "out", type, number)
    kind = NUMPY[type]
    return Case(
        f"comparisons_{type}",
        loop(f"comparisons_{type}", {"a": type, "b": type, "out": type}, body),
        "cpu",
        scalars={"n": len(pairs)},
        arguments={
            "a": np.array([a for a, _ in pairs], kind),
            "b": np.array([b for _, b in pairs], kind),
            "out": np.zeros(len(pairs) * len(PREDICATES), kind),
        },
    )


def truths() -> Case:
    """`i1` is one bit: `true` is -1 where it is read as signed, and a sum of two is its exclusive or."""
    names = (*INTEGER, *(f"cmpi {p}," for p in PREDICATES))
    casts = ("extsi {} : i1 to i32", "extui {} : i1 to i32", "index_cast {} : i1 to index")
    body = load("x", "a", "i32") + load("y", "b", "i32")
    body += "    %p = arith.trunci %x : i32 to i1\n    %q = arith.trunci %y : i32 to i1\n"
    number = 0
    for name in names:
        body += f"    %t{number} = arith.{name} %p, %q : i1\n"
        body += f"    %r{number} = arith.extui %t{number} : i1 to i32\n"
        body += store(f"r{number}", "out", "i32", number)
        number += 1
    for cast in casts:
        body += f"    %t{number} = arith.{cast.format('%p')}\n"
        value = f"t{number}"
        if "index" in cast:
            value = f"r{number}"
            body += f"    %{value} = arith.index_cast %t{number} : index to i32\n"
        body += store(value, "out", "i32", number)
        number += 1
    for name in ("sitofp", "uitofp"):
        body += f"    %f{number} = arith.{name} %p : i1 to f32\n"
        body += f"    %r{number} = arith.fptosi %f{number} : f32 to i32\n"
        body += store(f"r{number}", "out", "i32", number)
        number += 1
    pairs = list(product((0, 1, 2, -1), repeat=2))
    return Case(
        "truths",
        loop("truths", {"a": "i32", "b": "i32", "out": "i32"}, body),
        "cpu",
        scalars={"n": len(pairs)},
        arguments={
            "a": np.array([a for a, _ in pairs], np.int32),
            "b": np.array([b for _, b in pairs], np.int32),
            "out": np.zeros(len(pairs) * number, np.int32),
        },
    )


def floats(type: str) -> Case:
    values = [-np.inf, -2.5, -0.0, 0.0, 1.5, np.inf, np.nan]
    pairs = list(product(values, values))
    body = load("x", "a", type) + load("y", "b", type)
    body += f"    %zero = arith.constant 0.0 : {type}\n    %one = arith.constant 1.0 : {type}\n"
    number = 0

    def keep(name: str) -> str:
        """Store a number; a NaN has many bit patterns, and 1.0 / number tells the two zeros apart."""
        nonlocal number
        text = ""
        text += f"    %o{number} = arith.cmpf ord, %{name}, %{name} : {type}\n"
        text += f"    %k{number} = arith.select %o{number}, %{name}, %one : {type}\n"
        text += store(f"k{number}", "out", type, number)
        number += 1
        return text

    for name in FLOAT:
        body += f"    %{name} = arith.{name} %x, %y : {type}\n" + keep(name)
    body += f"    %neg = arith.negf %x : {type}\n" + keep("neg")
    for predicate in FLOAT_PREDICATES:
        body += f"    %p_{predicate} = arith.cmpf {predicate}, %x, %y : {type}\n"
        body += f"    %c_{predicate} = arith.select %p_{predicate}, %one, %zero : {type}\n" + keep(
            f"c_{predicate}"
        )
    kind = NUMPY[type]
    return Case(
        f"floats_{type}",
        loop(f"floats_{type}", {"a": type, "b": type, "out": type}, body),
        "cpu",
        scalars={"n": len(pairs)},
        arguments={
            "a": np.array([a for a, _ in pairs], kind),
            "b": np.array([b for _, b in pairs], kind),
            "out": np.zeros(len(pairs) * number, kind),
        },
    )


def casts() -> Case:
    body = load("x", "a", "i32") + load("f", "reals", "f32") + load("u", "naturals", "ui32")
    steps = (
        ("b", "arith.trunci %x : i32 to i8", "i8"),
        ("w", "arith.extsi %b : i8 to i32", "i32"),
        ("v", "arith.extui %b : i8 to i32", "i32"),
        ("long", "arith.extui %x : i32 to i64", "i64"),
        ("short", "arith.trunci %long : i64 to i16", "i16"),
        ("e", "arith.extsi %short : i16 to i32", "i32"),
        ("index", "arith.index_cast %x : i32 to index", "index"),
        ("same", "arith.index_cast %index : index to i64", "i64"),
        ("g", "arith.trunci %same : i64 to i32", "i32"),
        ("whole", "arith.fptosi %f : f32 to i32", "i32"),
        ("half", "arith.truncf %f : f32 to f16", "f16"),
        ("single", "arith.extf %half : f16 to f32", "f32"),
        ("thousand", "arith.constant 1000.0 : f32", "f32"),
        ("scaled", "arith.mulf %single, %thousand : f32", "f32"),
        ("digits", "arith.fptosi %scaled : f32 to i32", "i32"),
        ("up", "arith.mulf %f, %f : f32", "f32"),
        ("natural", "arith.fptoui %up : f32 to i32", "i32"),
        ("signed", "arith.sitofp %x : i32 to f32", "f32"),
        ("unsigned", "arith.uitofp %x : i32 to f32", "f32"),
        ("less", "arith.cmpf olt, %signed, %unsigned : f32", "i1"),
        ("l", "arith.extui %less : i1 to i32", "i32"),
        ("bits", "builtin.unrealized_conversion_cast %u : ui32 to i32", "i32"),
    )
    number = 0
    for name, operation, type in steps:
        body += f"    %{name} = {operation}\n"
        if type == "i32":
            body += store(name, "out", "i32", number)
            number += 1
    xs = [-(2**31), -300, -129, -1, 0, 1, 127, 128, 65535, 2**31 - 1]
    fs = [-40000.5, -2.7, -0.5, 0.0, 0.1, 2.7, 1e3, 333.3, 40000.0, 6e4]
    return Case(
        "casts",
        loop("casts", {"a": "i32", "reals": "f32", "naturals": "ui32", "out": "i32"}, body),
        "cpu",
        scalars={"n": len(xs)},
        arguments={
            "a": np.array(xs, np.int32),
            "reals": np.array(fs, np.float32),
            "naturals": np.array(xs, np.int32).view(np.uint32),
            "out": np.zeros(len(xs) * number, np.int32),
        },
    )


def test_every_operation_has_one_value_in_both(tmp_path: Path) -> None:
    cases = [
        *(integers(type) for type in ("i8", "i32", "i64")),
        *(comparisons(type) for type in ("i16", "i64")),
        truths(),
        *(floats(type) for type in ("f32", "f16")),
        casts(),
    ]
    assert run_cases(cases, tmp_path, sanitize=True) == []
