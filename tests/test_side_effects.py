"""Using ptoas changes nothing of the process that uses it, neither as a library nor as a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = """.arg %x : !pto.memref<8x16xf32>
.arg %out : !pto.memref<8x16xf32>
%a = tload %x : (!pto.memref<8x16xf32>) -> !pto.tile<8x16xf32>
%b = tadd %a, %a : !pto.tile<8x16xf32>
tstore %b, %out
"""
IMPORTS = "import xdsl.dialects.arith, xdsl.dialects.func, xdsl.dialects.scf"


def python(*words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("use", ["library", "command"])
def test_using_ptoas_leaves_the_process_as_it_was(use: str, tmp_path: Path) -> None:
    """Attributes of all other modules and their classes, the collector, the environment, and the exit."""
    for number in range(3):
        (tmp_path / f"{number}.pto").write_text(PROGRAM)

    def state(*modules: str) -> dict[str, Any]:
        return json.loads(python("-m", "tests.process_state", use, str(tmp_path), *modules).splitlines()[-1])

    modules = state()["modules"]
    assert {"xdsl.ir", "xdsl.irdl", "dataclasses", "numpy"} <= set(modules)
    assert state(*modules, "lark", "lark.lexer", "lark.parsers.lalr_parser")["changed"] == []


USE = '''
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import BaseAttr, irdl_op_definition, IRDLOperation, operand_def
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.utils.exceptions import PyRDLOpDefinitionError
context = Context()
for dialect in (Builtin, arith.Arith, func.Func, scf.Scf):
    context.load_dialect(dialect)
text = """
func.func @f(%a: i32, %p: i1, %x: f32) -> i32 {
  %b = arith.addi %a, %a overflow<nsw> : i32
  %c = arith.select %p, %a, %b : i32
  %d = arith.cmpi slt, %a, %c : i32
  %e = arith.addf %x, %x fastmath<fast> : f32
  %g = func.call @f(%c, %d, %e) : (i32, i1, f32) -> i32
  %h = scf.if %d -> (i32) { scf.yield %g : i32 } else { scf.yield %a : i32 }
  func.return %h : i32
}
"""
module = Parser(context, text).parse_module()
module.verify()
print(module)
print(sorted(arith.AddiOp.get_irdl_definition().accessor_names), FormatProgram.from_str.__qualname__)
print(*(each.__hash__.__qualname__ for each in (Block, Operation, Region, SSAValue)))
print(BaseAttr.relax_constraint.__qualname__)
try:
    @irdl_op_definition
    class Wrong(IRDLOperation):
        name = "my.wrong"
        operand = operand_def()
        assembly_format = "$operand $other"
except PyRDLOpDefinitionError as error:
    print("refused at once")
'''


@pytest.mark.parametrize("first", ["import ptoas.dialects.pto", f"{IMPORTS}, ptoas.dialects.pto"])
def test_xdsl_is_as_it_was(first: str) -> None:
    """Its operations are parsed, verified and printed; a format of one's own that is wrong is refused."""
    plain = python("-c", IMPORTS + USE)
    assert "arith.addi %a, %a overflow<nsw> : i32" in plain and plain.endswith("refused at once\n")
    assert python("-c", first + USE) == plain
