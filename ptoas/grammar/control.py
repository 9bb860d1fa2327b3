"""Building loops and branches: `scf` with its bodies, `cf` with its blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.scf import ExecuteRegionOp, ForOp, IfOp, IndexSwitchOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.traits import IsTerminator

from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.problems import StatementProblem, TypeConflict, counted

if TYPE_CHECKING:
    from ptoas.grammar.build import Builder, ParsedStatement
    from ptoas.grammar.layout import RawStatement


def build_for(builder: Builder, statement: ParsedStatement, node: t.For) -> ForOp:
    lower, upper, step = (builder.value(statement, v) for v in (node.lower, node.upper, node.step))
    initial = [builder.value(statement, value) for _, value in node.carried]
    types = [v.type for v in initial]
    declared = statement.resolver.types(node.outputs)
    if node.outputs and declared != types:
        message = "the loop's result types differ from its initial values'"
        raise StatementProblem("PTO-P042", message, node.outputs[0])
    block = Block(arg_types=[lower.type, *types])
    bound = [node.induction, *(name for name, _ in node.carried)]
    args = tuple(
        (statement.name(v), arg, statement.raw.start) for v, arg in zip(bound, block.args, strict=True)
    )
    with builder.inside("a loop"):
        region = Region(builder.region(statement.raw.regions[0], block, args))
    _yield(block)
    op = ForOp.create(operands=[lower, upper, step, *initial], result_types=types, regions=[region])
    return op


def _yield(block: Block) -> None:
    last = block.last_op
    if last is None or last.name not in ("scf.yield", "scf.condition"):
        block.add_op(YieldOp.create())


def _branches(builder: Builder, raw: RawStatement) -> list[Region]:
    regions: list[Region] = []
    for statements in raw.regions:
        block = Block()
        with builder.inside("a branch"):
            regions.append(Region(builder.region(statements, block)))
        _yield(block)
    return regions


def build_if(builder: Builder, statement: ParsedStatement, node: t.If) -> IfOp:
    condition = builder.value(statement, node.condition)
    if condition.type != i1:
        raise StatementProblem("PTO-P042", f"a condition must be i1, found {condition.type}", node.condition)
    types = statement.resolver.types(node.outputs)
    regions = _branches(builder, statement.raw)
    if len(regions) == 1:
        if types:
            message = "`scf.if` has a result, so it needs an `else`"
            raise StatementProblem("PTO-P060", message, node.outputs[0])
        regions.append(Region())
    return IfOp(condition, types, regions[0], regions[1])


def build_while(builder: Builder, statement: ParsedStatement, node: t.While) -> WhileOp:
    initial = [builder.value(statement, value) for _, value in node.carried]
    inputs = statement.resolver.types(node.type.inputs)
    if [v.type for v in initial] != inputs:
        raise StatementProblem("PTO-P042", "the loop's types differ from its initial values'", node.type)
    before = Block(arg_types=inputs)
    args = tuple(
        (statement.name(name), arg, statement.raw.start)
        for (name, _), arg in zip(node.carried, before.args, strict=True)
    )
    with builder.inside("a loop"):
        first = Region(builder.region(statement.raw.regions[0], before, args))
        # The second region names its own arguments: `^bb0(%a: index):`.
        blocks = builder.region(statement.raw.regions[1])
    _yield(blocks[-1])
    op = WhileOp(initial, statement.resolver.types(node.type.outputs), first, Region(blocks))
    return op


def build_switch(builder: Builder, statement: ParsedStatement, node: t.Switch) -> IndexSwitchOp:
    selector = builder.value(statement, node.selector)
    if selector.type != IndexType():
        message = f"the selector must be an index, found {selector.type}"
        raise StatementProblem("PTO-P042", message, node.selector)
    numbers = [cast("IntegerAttr[IndexType]", statement.resolver.number(n, IndexType())) for n in node.cases]
    regions = _branches(builder, statement.raw)
    cases = DenseArrayBase.from_list(i64, [number.value.data for number in numbers])
    types = statement.resolver.types(node.outputs)
    return IndexSwitchOp(selector, cases, regions[-1], regions[:-1], types)


NO_INLINE = "no_inline"


def build_execute(builder: Builder, statement: ParsedStatement, node: t.Execute) -> ExecuteRegionOp:
    with builder.inside("a body"):
        region = Region(builder.region(statement.raw.regions[0]))
    types = statement.resolver.types(node.outputs)
    last = region.blocks.last
    if last is not None and not types and (last.last_op is None or not _ends_a_block(last.last_op)):
        last.add_op(YieldOp())
    op = ExecuteRegionOp(types, region)
    if node.no_inline:
        op.attributes[NO_INLINE] = UnitAttr()
    return op


def _ends_a_block(op: Operation) -> bool:
    return op.has_trait(IsTerminator, value_if_unregistered=False)


def build_branch(builder: Builder, statement: ParsedStatement, node: t.Branch) -> Operation:
    from xdsl.dialects import cf  # few programs branch

    resolver = statement.resolver
    blocks = [builder.block(way.label) for way in node.ways]
    passed = [[builder.value(statement, value) for value in way.values] for way in node.ways]
    for way, values in zip(node.ways, passed, strict=True):
        _check_handed(way, [v.type for v in values], resolver.types(way.types))
    chooser = None if node.chooser is None else builder.value(statement, node.chooser)
    op: Operation
    if chooser is None or node.chooser is None:
        op = cf.BranchOp(blocks[0], *passed[0])
    elif node.type is None:
        if chooser.type != i1:
            raise StatementProblem("PTO-P042", f"a condition must be i1, found {chooser.type}", node.chooser)
        op = cf.ConditionalBranchOp(chooser, blocks[0], passed[0], blocks[1], passed[1])
    else:
        type = resolver.type(node.type)
        if chooser.type != type or not isinstance(type, IntegerType | IndexType):
            found = f"needs an integer selector, found {chooser.type}, here declared as {type}"
            raise StatementProblem("PTO-P042", f"`cf.switch` {found}", node.type)
        op = cf.SwitchOp(
            chooser, blocks[0], passed[0], _cases(resolver, node, chooser.type), blocks[1:], passed[1:]
        )
    return op


def _cases(resolver: Resolver, node: t.Branch, type: Attribute) -> DenseIntElementsAttr | None:
    numbers = [cast("IntegerAttr[IndexType]", resolver.number(n, type)) for n in node.cases]
    values = [number.value.data for number in numbers]
    return (
        DenseIntElementsAttr.from_list(VectorType(cast(IndexType, type), [len(values)]), values)
        if values
        else None
    )


def _check_handed(way: t.Successor, value_types: list[Attribute], written: list[Attribute]) -> None:
    if len(value_types) != len(written):
        found = f"{counted(len(value_types), 'value')}, but {counted(len(written), 'type')}"
        raise StatementProblem("PTO-P041", found, way)
    for value, type, declared in zip(way.values, value_types, written, strict=True):
        if type != declared:
            raise TypeConflict(type, declared, value)


BUILDERS: dict[type[t.Node], Callable[..., Operation]] = {
    t.For: build_for,
    t.If: build_if,
    t.While: build_while,
    t.Switch: build_switch,
    t.Execute: build_execute,
    t.Branch: build_branch,
}
"""The function that builds the operation of each kind of node."""
