"""Whether an unknown form of a known instruction, once kept, is still unknown.

Under `--allow-unregistered` a form that the dialect does not have is kept, as one of a later revision. If the
text that it is then printed as is a form that the dialect has, part of what was written is lost: the
statement is wrong, and not new.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from ptoas.diagnostics import PtoasError, Source
from ptoas.grammar.plan import Plan


def reads_as_another(plan: Plan, types: Sequence[Attribute | None]) -> bool:
    """Print the operation of a plan, which is for names of these types, and read it again."""
    from ptoas.grammar.build import Builder
    from ptoas.grammar.parse import read
    from ptoas.grammar.printer import write_module

    block = Block(arg_types=[type for ref in plan.operands if (type := types[ref]) is not None])
    op = plan.cls.create(
        operands=block.args, result_types=plan.result_types or (), attributes=plan.attributes
    )
    block.add_ops([op, ReturnOp()])
    module = ModuleOp([FuncOp("kept", (block.arg_types, ()), Region(block))])
    for form in ("dps", "generic"):
        try:
            again = read(Builder(Source(write_module(module, form), "kept"), True, judge_kept=False))
        except PtoasError:
            return True
        function = again.body.block.first_op
        assert isinstance(function, FuncOp)
        if not isinstance(function.body.block.first_op, UnregisteredOp):
            return True
    return False
