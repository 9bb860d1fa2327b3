"""Read an unknown instruction without interpreting it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    ModuleOp,
    StringAttr,
    UnitAttr,
    UnregisteredOp,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from ptoas.diagnostics import PtoasError, Source
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.type_text import unregistered_op
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.instructions import InstructionReader
from ptoas.grammar.op_template import OpTemplate
from ptoas.grammar.parts import ParsedOperand, StatementReader
from ptoas.grammar.problems import StatementProblem, TypeConflict, TypePlaceProblem, UndefinedName, counted
from ptoas.ir.location import PartOffsets

DIALECTS = frozenset(
    ("pto", "builtin", "func", "arith", "scf", "cf", "math", "memref", "vector", "tensor", "affine")
) | {"index", "llvm", "emitc"}
"""Names that a dialect has; in assembly form a dot may also start a suffix (`tgemv.mx`)."""


OPERAND_KEYS, EXTRA_OPERANDS = "pto.operand_keys", "pto.extra_operands"
"""Attributes that keep what the generic form has no place for; what has one stays unregistered."""


MAX_REGIONS = 1000
"""Maximum number of bodies of an unknown instruction."""


class UnregisteredReader(StatementReader):
    """Reader of an instruction that the dialect does not have."""

    def template(self) -> OpTemplate:
        """Make a template with the operands in order and everything else as attributes."""
        operands: list[ParsedOperand] = []
        outs = 0
        dps = False
        keys: list[str] = []
        extras: list[Attribute] = []
        attributes: dict[str, Attribute] = {}

        def walk(items: tuple[t.Item, ...], key: str) -> None:
            nonlocal outs, dps
            for item in items:
                match item:
                    case t.ValueNode():
                        operands.append(self.operand(item))
                        keys.append(key)
                    case t.Indexed():
                        operands.append(self.operand(item))
                        keys.append(key)
                        walk(item.items, "indices")
                    case t.Dict():
                        attributes.update(self.resolver.dictionary(item))
                    case t.GroupNode(name=name):
                        before, extras_before = len(operands), len(extras)
                        dps = dps or name == "ins"
                        walk(item.items, key if name in ("ins", "outs") else name or key)
                        self._check_declared(operands[before:], len(extras) - extras_before, item.types)
                        if name == "outs":
                            outs, dps = len(operands) - before, True
                    case t.Keyed(key=name, value=value):
                        if isinstance(value, t.ValueNode | t.Listing):
                            walk((value,), name)
                        else:
                            attributes[name] = self._extra(value)
                    case t.Listing(name=name):
                        walk(item.items, name or key)
                    case t.RegionMark():
                        pass
                    case _:
                        extras.append(self._extra(item))

        walk(self.body.items, "")
        typing = self.body.typing
        if typing is not None and typing.inputs and (typing.outputs is not None or not self.results):
            self._check_declared(operands, len(extras), tuple(typing.inputs))
        if self.body.trailing is not None:
            attributes.update(self.resolver.dictionary(self.body.trailing))
        if dps:
            attributes["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(operands) - outs, outs])
        if any(keys):
            attributes[OPERAND_KEYS] = ArrayAttr([StringAttr(key) for key in keys])
        if extras:
            attributes[EXTRA_OPERANDS] = ArrayAttr(extras)
        for operand in operands:
            if operand.type is None:
                raise UndefinedName(operand.node)
        cls = unregistered_op(self._full_name())
        results = self._unregistered_results()
        places = PartOffsets(cls.name, {"": [o.node for o in operands]}, {})
        refs = tuple(o.ref for o in operands)
        return OpTemplate(cls, refs, results, {}, attributes, (), places, bodies=MAX_REGIONS, checked=True)

    def _check_declared(
        self, operands: list[ParsedOperand], others: int, nodes: tuple[t.TypeText, ...]
    ) -> None:
        """Check types that are written beside operands, for any instruction."""
        if len(nodes) > len(operands) + others:
            message = f"{counted(len(operands) + others, 'operand')}, but {counted(len(nodes), 'type')}"
            raise StatementProblem("PTO-P041", message, t.Node(nodes[0].start, nodes[-1].end))
        if len(nodes) != len(operands):
            return  # literals have types too, and one may be that of several operands
        try:
            types = self.resolver.types(nodes)
        except TypePlaceProblem:
            return  # a type of a later revision
        if Counter(types) == Counter(operand.type for operand in operands):
            return  # the documents give some in another order
        for operand, type, node in zip(operands, types, nodes, strict=True):
            if operand.type is not None and operand.type != type:
                raise TypeConflict(operand.type, type, node)

    def _full_name(self) -> str:
        name = self.body.opcode.text
        dialect, dot, _ = name.partition(".")
        return name if dot and dialect in DIALECTS else f"pto.{name}"

    def _extra(self, item: t.Item) -> Attribute:
        match item:
            case t.Number():
                return self.resolver.number(item, None)
            case t.String() | t.WordNode() | t.Symbol():
                return StringAttr(item.text)
            case t.AttrText() if item.text.startswith("<"):
                return StringAttr(item.text)
            case t.AttrText():
                return self.resolver.attribute(item)
            case _:
                return UnitAttr()

    def _unregistered_results(self) -> tuple[Attribute, ...]:
        named = sum(result.count for result in self.results)
        typing = self.body.typing
        if typing is not None and typing.outputs is not None:
            types = self.resolver.types(typing.outputs)
        elif typing is not None and typing.inputs is not None and len(typing.inputs) == 1:
            types = self.resolver.types(typing.inputs) * named
        else:
            types = [i64] * named  # what a query such as `get_subblock_idx` gives
        if named and len(types) != named:
            raise StatementProblem("PTO-P041", f"{named} results, but {len(types)} types", typing)
        return tuple(types) if named else ()


_NEW_PARTS = (
    "PTO-P010",
    "PTO-P021",
    "PTO-P022",
    "PTO-P040",
    "PTO-P043",
    "PTO-P052",
    "PTO-P053",
    "PTO-P061",
)
"""Parts of a form that the dialect does not have yet; anything else is wrong in every form."""


def _contradicts(problem: StatementProblem, tree: t.Statement, types: Sequence[Attribute | None]) -> bool:
    """Return True if an unreadable type belongs to operands with a known type, so that no form allows it."""
    return isinstance(problem, TypePlaceProblem) and not tree.results and None not in types


def of_any_revision(
    tree: t.Statement,
    types: Sequence[Attribute | None],
    resolver: Resolver,
    cls: type[PtoOp],
    suffixes: list[str],
    *,
    judge_kept: bool,
) -> OpTemplate:
    """Analyse an instruction to which a later revision of the language may have given new parts."""
    try:
        return InstructionReader(tree, types, resolver, cls, suffixes).template()
    except StatementProblem as problem:
        if problem.code not in _NEW_PARTS or _contradicts(problem, tree, types):
            raise
        template = UnregisteredReader(tree, types, resolver).template()
        if judge_kept and reads_as_another(template, types):
            raise
        return template


def reads_as_another(template: OpTemplate, types: Sequence[Attribute | None]) -> bool:
    """Return True if the operation of a template, printed and read again, is not the unregistered one it was.

    Under `--allow-unregistered` a form that the dialect does not have is kept, as one of a later revision. If
    the text that it is printed as is a form that the dialect has, part of what was written is lost: the
    statement is wrong, and not new. `types` are those of the template's names.
    """
    from ptoas.grammar.build import Builder
    from ptoas.grammar.parse import read
    from ptoas.grammar.printer import write_module

    block = Block(arg_types=[type for ref in template.operands if (type := types[ref]) is not None])
    op = template.cls.create(
        operands=block.args, result_types=template.result_types or (), attributes=template.attributes
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
