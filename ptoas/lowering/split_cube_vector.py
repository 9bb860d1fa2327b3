"""Give each kind of core a function of its own.

Before:

    func.func @f(%x: ...) {
      pto.section.cube { A }
      pto.section.vector { B }
      return
    }

After:

    func.func private @f_cube(%x: ...) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} { A  return }
    func.func private @f_vector(%x: ...) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} { B  return }
    func.func @f(%x: ...) {
      func.call @f_cube(%x)
      func.call @f_vector(%x)
      return
    }

A core that comes to a call of the other kind passes over it. What both kinds do, scalars and control flow, is
in both. Instructions outside of sections belong to the core whose memories and pipes they work with. Tiles
have their addresses by now, so a tile of the unified buffer that the cube core writes is one for both.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from ptoas.analysis.kinds import ORIGIN, has_channels, is_mixed, kinds_in, left_out
from ptoas.analysis.structure import functions, kind_of, walk, walk_of
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.core_sync import SectionOp
from ptoas.dialects.pto.enums import KernelKind, KernelKindAttr
from ptoas.grammar.spans import span_of
from ptoas.ir.clone import clone
from ptoas.ir.names import set_name
from ptoas.lowering.options import chosen_target
from ptoas.targets.rules.core_parts import crossing_parts


@dataclass(frozen=True)
class SplitCubeVectorPass(ModulePass):
    """A function for each kind of core that a function has something to do for."""

    name = "split-cube-vector"
    target: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        together = not target.has_pipes and not has_channels(walk(op))
        for function in functions(op):
            if kind_of(function) is None:
                split(function, together)


def split(function: func.FuncOp, together: bool) -> None:
    """`together`: one thread does all, in the order of the text."""
    sections = walk_of(function, SectionOp)
    if not together and is_mixed(function):
        _make_parts(function)
        return
    for section in sections:
        _inline(section)
    kinds = {section.KIND for section in sections}
    if len(kinds) == 1 and not together and kinds_in(function) <= kinds:
        function.attributes[KernelKindAttr.name] = KernelKindAttr(kinds.pop())


def _inline(section: SectionOp) -> None:
    Rewriter.inline_block(section.body.block, InsertPoint.before(section))
    Rewriter.erase_op(section)


def _make_parts(function: func.FuncOp) -> None:
    for violation in crossing_parts(function):
        notes = tuple(Note(each.message, span_of(each.op)) for each in violation.related if each.op)
        op = violation.op or function
        raise PtoasError(
            [Diagnostic("PTO-H303", violation.message, span_of(op), fix=violation.fix, notes=notes, op=op)]
        )
    parts = [_part(function, kind) for kind in KernelKind]
    block = function.body.block
    for part in parts:
        Rewriter.insert_op(part, InsertPoint.before(function))
    body = Block(arg_types=[arg.type for arg in block.args])
    for arg, copy in zip(block.args, body.args, strict=True):
        set_name(copy, arg.name_hint)
    location = function.location
    calls = [func.CallOp(part.sym_name.data, list(body.args), []) for part in parts]
    for call in calls:
        call.location = location
    body.add_ops([*calls, func.ReturnOp()])
    function.body.erase_block(block)
    function.body.add_block(body)


def _part(function: func.FuncOp, kind: KernelKind) -> func.FuncOp:
    """The part of a function that cores of one kind execute."""
    part = clone(function)
    originals, copies = list(function.walk()), list(part.walk())
    name = function.sym_name.data
    part.properties["sym_name"] = StringAttr(f"{name}_{kind.value}")
    part.properties["sym_visibility"] = StringAttr("private")
    part.attributes = {
        KernelKindAttr.name: KernelKindAttr(kind),
        ORIGIN: StringAttr(name),
    }
    gone, _ = left_out(function, kind)
    for op, copy in reversed(list(zip(originals, copies, strict=True))):
        # The end of a branch goes with the branch.
        if op in gone and not op.has_trait(IsTerminator):
            Rewriter.erase_op(copy)
    for op in walk(part):
        if isinstance(op, SectionOp):
            _inline(op)
    return part
