"""Debugging aids: prints and traps."""

from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ptoas.dialects.pto.constraints import Scalar
from ptoas.dialects.pto.instruction import PtoOp


@irdl_op_definition
class PrintOp(PtoOp):
    """Print a scalar in a text: `%d`, `%x` and so on in `format` stand for it, as in C."""

    name = "pto.print"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "ins(#format, $scalar : ^scalar) {attrs}"
    format = prop_def(StringAttr)
    scalar = operand_def(Scalar())


@irdl_op_definition
class TrapOp(PtoOp):
    """Stop the program because an assumption is violated."""

    name = "pto.trap"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "{attrs}"
