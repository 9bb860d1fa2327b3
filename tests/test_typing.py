"""Findings of pyright in strict mode for programs that use the library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

import ptoas
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.construct import fields_by_python_name
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.instruction import PtoOp
from tests.isa.annotations import all_programs

BUILDER = """\
from ptoas import build

m = build.module(target="a5")
with m.function("f", table="64x32xf32", ids="1x16xi32", out="16x32xf32") as f:
    rows = f.mgather(f.table, f.tload(f.ids), coalesce="row", gather_oob="clamp", name="rows")
    total = f.texpands(0.0, "16x32xf32")
    f.tstore(f.tgather(rows, mask_pattern="P0101", result_type="16x16xf32"), f.out)
    f.tadd(rows, total, total)
    f.tstore(f.tcvt(total, result_type="16x32xf32"), f.out)
    f.set_flag("MTE2", "PIPE_V", 0)
    f.tlaod(f.ids)  # wrong
    f.mgather(f.table, total, coalesce="rwo")  # wrong
    f.tadd(total)  # wrong
"""

MISTAKES = """\
from xdsl.ir import Attribute, SSAValue

import ptoas
from ptoas import MGatherOp, TAddOp, TLoadOp

def build(view: SSAValue, tile: SSAValue, type: Attribute) -> None:
    loaded = TLoadOp(view, result_type=type)
    print(TLoadOp(mem=view, dst=tile).dst, loaded.result, ptoas.verify)
    TLoadOp(src=view, dst=tile)  # wrong: a keyword
    TAddOp(src0=tile, dst=tile)  # wrong: an operand is missing
    MGatherOp(view, tile, coalesce="rwo")  # wrong: the value of an attribute
    ptoas.TLaodOp(view, tile)  # wrong: a class
    print(loaded.reslt)  # wrong: a result
    TAddOp(tile, tile, result_typ=type)  # wrong: the type of a result
    ptoas.verfy(view)  # wrong: a function
"""

CALLS = """\
from xdsl.ir import Attribute, SSAValue

import ptoas

def every_call(value: SSAValue, attribute: Attribute) -> None:
"""


def python_value(attribute: Attribute) -> str:
    """An attribute as an author writes it in Python."""
    match attribute:
        case PtoEnumAttr(data=member):
            return repr(str(member.value))
        case UnitAttr():
            return "True"
        case StringAttr(data=text):
            return repr(text)
        case DenseArrayBase():
            return repr([int(number) for number in attribute.get_values()])
        case IntegerAttr(value=number):
            return str(number.data)
        case _:
            return "attribute"


def call(op: PtoOp) -> str:
    """A call of an operation's constructor that gives everything by name."""
    words = {s.name: "[value]" if s.variadic else "value" for s, given in op.segments() if given}
    fields = fields_by_python_name(type(op))
    words |= {
        name: python_value(op.properties[field.name])
        for name, field in fields.items()
        if field.name in op.properties
    }
    if len(op.results) == 1:
        words["result_type"] = "attribute"
    elif op.results:
        words["result_types"] = f"[{', '.join(['attribute'] * len(op.results))}]"
    return f"ptoas.{type(op).__name__}({', '.join(f'{name}={word}' for name, word in words.items())})"


def calls() -> Iterator[str]:
    """Calls of the constructors of all instructions, as the programs of `tests/isa` use them."""
    for program in all_programs():
        if not program.front_end:
            yield from (call(op) for op in ptoas.parse(program.text).walk() if isinstance(op, PtoOp))


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """The messages of pyright by line, for each script."""
    folder = tmp_path_factory.mktemp("user")
    scripts = {
        "builder": BUILDER,
        "mistakes": MISTAKES,
        "calls": CALLS + "".join(f"    {line}\n" for line in sorted(set(calls()))),
    }
    for name, text in scripts.items():
        (folder / f"{name}.py").write_text(text)
    settings = {
        "typeCheckingMode": "strict",
        "venvPath": str(Path(sys.prefix).parent),
        "venv": Path(sys.prefix).name,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "-p", str(folder), "--outputjson"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, dict[int, str]] = {name: {} for name in scripts}
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        found[Path(each["file"]).stem][each["range"]["start"]["line"] + 1] = each["message"]
    return found


@pytest.mark.parametrize(("name", "text"), [("builder", BUILDER), ("mistakes", MISTAKES)])
def test_type_checkers_find_every_mistake(findings: dict[str, dict[int, str]], name: str, text: str) -> None:
    wrong = {number for number, line in enumerate(text.splitlines(), 1) if "# wrong" in line}
    assert set(findings[name]) == wrong, findings[name]


def test_type_checkers_accept_all_keywords_of_all_operations(findings: dict[str, dict[int, str]]) -> None:
    assert findings["calls"] == {}
    constructed = {line.partition("(")[0].removeprefix("ptoas.") for line in calls()}
    assert constructed >= {cls.__name__ for cls in OPS if cls.__module__.startswith("ptoas.")}
