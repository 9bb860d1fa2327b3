"""The formats of xDSL's own operations are read when they are first needed, and are the same as ever."""

from __future__ import annotations

import subprocess
import sys

import pytest

READER = "'xdsl.irdl.declarative_assembly_format_parser' in sys.modules"
IMPORTS = {
    "ptoas alone": "import ptoas.private_ir",
    "xDSL first": "import xdsl.dialects.arith, xdsl.dialects.func, xdsl.dialects.scf, ptoas.private_ir",
    "xDSL alone": "import xdsl.dialects.arith, xdsl.dialects.func, xdsl.dialects.scf",
}
USE = """
from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import Builtin
from xdsl.irdl import irdl_op_definition, IRDLOperation, operand_def
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.utils.exceptions import PyRDLOpDefinitionError
context = Context()
for dialect in (Builtin, arith.Arith, func.Func, scf.Scf):
    context.load_dialect(dialect)
text = '''
func.func @f(%a: i32, %p: i1, %x: f32) -> i32 {
  %b = arith.addi %a, %a overflow<nsw> : i32
  %c = arith.select %p, %a, %b : i32
  %d = arith.cmpi slt, %a, %c : i32
  %e = arith.addf %x, %x fastmath<fast> : f32
  %g = func.call @f(%c, %d, %e) : (i32, i1, f32) -> i32
  %h = scf.if %d -> (i32) { scf.yield %g : i32 } else { scf.yield %a : i32 }
  func.return %h : i32
}
'''
module = Parser(context, text).parse_module()
module.verify()
print(module)
print(sorted(arith.AddiOp.get_irdl_definition().accessor_names), FormatProgram.from_str.__qualname__)
try:
    @irdl_op_definition
    class Wrong(IRDLOperation):
        name = "my.wrong"
        operand = operand_def()
        assembly_format = "$operand $other"
except PyRDLOpDefinitionError as error:
    print("refused at once")
"""


def printed(code: str) -> str:
    words = [sys.executable, "-c", f"import sys\n{code}"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def test_no_format_is_read_before_it_is_used() -> None:
    use = "from xdsl.dialects.arith import ConstantOp\nop = ConstantOp.from_int_and_width(1, 32)"
    assert printed(f"{IMPORTS['ptoas alone']}\nprint({READER})") == "False\n"
    assert printed(f"{IMPORTS['xDSL first']}\nprint({READER})") == "True\n"
    assert printed(f"{IMPORTS['ptoas alone']}\n{use}\nop.verify()\nprint({READER})") == "False\n"


@pytest.mark.parametrize("first", ["ptoas alone", "xDSL first"])
def test_xdsl_is_as_it_was(first: str) -> None:
    """Its operations are parsed, verified and printed; a format of one's own that is wrong is refused."""
    plain = printed(IMPORTS["xDSL alone"] + USE)
    assert "arith.addi %a, %a overflow<nsw> : i32" in plain and plain.endswith("refused at once\n")
    assert printed(IMPORTS[first] + USE) == plain
