"""Build operations with bodies: modules, functions, loops, branches; and the generic form."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from ptoas.diagnostics import Span
from ptoas.dialects.pto.enums import KernelKindAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.type_text import unregistered_op, xdsl_context
from ptoas.dialects.sync_tail import TAIL_HINT
from ptoas.dialects.visibility import ENTRIES, VISIBILITIES, VISIBILITY, visibility
from ptoas.grammar import control
from ptoas.grammar import tree as t
from ptoas.grammar.bodies import TARGET
from ptoas.grammar.checks import TERMINATORS, check_ends, verify
from ptoas.grammar.instructions import unknown_opcode
from ptoas.grammar.module import PtoModule
from ptoas.grammar.parts import check_key
from ptoas.grammar.problems import StatementProblem, TypeConflict, counted
from ptoas.grammar.unregistered import EXTRA_OPERANDS, OPERAND_KEYS
from ptoas.ir.location import PartOffsets, located

if TYPE_CHECKING:
    from ptoas.grammar.build import Builder, ParsedStatement
    from ptoas.grammar.layout import RawStatement

OWN_ATTRIBUTES = frozenset({TARGET, KernelKindAttr.name, VISIBILITY, TAIL_HINT, *ENTRIES})
"""Attributes of modules and functions that mean something."""


def build(builder: Builder, statement: ParsedStatement, ops: list[Operation]) -> None:
    """Build a statement that is not an instruction."""
    raw, tree, resolver = statement.raw, statement.tree, statement.resolver
    problems = len(builder.diagnostics)
    match tree.body:
        case t.ModuleNode() as node:
            op = _module(builder, statement, node)
        case t.FunctionNode() as node:
            op = _function(builder, statement, node)
        case t.Generic() as node:
            op = _generic(builder, statement, node)
        case t.TargetName() as node:
            if TARGET in builder.module_attributes:
                raise StatementProblem("PTO-P051", "the target is given twice", node.name)
            builder.module_attributes[TARGET] = StringAttr(node.name.text)
            return
        case t.Const() as node:
            op = _const(builder, statement, node)
        case t.AttrAlias() as node:
            builder.aliases.attributes[node.name.text] = resolver.attribute(node.value)
            builder.alias_defined()
            return
        case t.TypeAlias_() as node:
            resolver.define_type(node)
            builder.alias_defined()
            return
        case t.Arg() as node:
            message = "`.arg` is only allowed at the top level of a bare program"
            raise StatementProblem("PTO-P061", message, node)
        case node:
            make = control.BUILDERS.get(type(node))
            if make is None:
                raise StatementProblem("PTO-P061", "this is not allowed here")
            op = make(builder, statement, node)
            op.attributes.update(statement.attributes(cast(Any, node).attributes))
    op.location = located(
        builder.source, raw.start, raw.end, _places(tree.body, op), _arguments(builder, statement)
    )
    if op.name in TERMINATORS or op.successors:
        builder.deferred.append((raw, op))
    elif isinstance(tree.body, t.Generic) or not isinstance(op, ModuleOp | FuncOp):
        verify(op)
    if len(builder.diagnostics) == problems:
        check_ends(op)  # what a body ends in may be what is wrong with it
    if isinstance(op, FuncOp):
        _check_visibility(op, tree.body)
    ops.append(op)
    if tree.results:
        builder.define_results(statement, op)
    elif op.results and not isinstance(tree.body, t.Generic | t.Const):
        message = f"`{op.name}` has {counted(len(op.results), 'result')}, which must be named"
        fix = f"begin the statement with `%r{f':{len(op.results)}' * (len(op.results) > 1)} =`"
        raise StatementProblem("PTO-P041", message, fix=fix)


def _check_visibility(op: FuncOp, node: t.Body) -> None:
    attribute = op.attributes.get(VISIBILITY)
    if attribute is None or visibility(op) is not None:
        return
    words = " or ".join(f'"{word}"' for word in VISIBILITIES)
    entries = getattr(getattr(node, "attributes", None), "entries", ())
    at = next((entry for entry in entries if entry.key == VISIBILITY), None)
    raise StatementProblem("PTO-P022", f"`{VISIBILITY}` is {words}, found {attribute}", at)


def _places(node: t.Body, op: Operation) -> PartOffsets | None:
    """The parts of a generic operation; those of one with bodies are not kept."""
    if not isinstance(node, t.Generic) or op.regions:
        return None
    entries = (
        e for dictionary in (node.properties, node.attributes) if dictionary for e in dictionary.entries
    )
    return PartOffsets(
        op.name,
        {"": node.operands},
        {"": node.type.inputs},
        node.type.outputs,
        {entry.key: entry for entry in entries},
    )


def _arguments(builder: Builder, statement: ParsedStatement) -> tuple[Span, ...]:
    node = statement.tree.body
    if not isinstance(node, t.FunctionNode):
        return ()
    raw, place = statement.raw, statement.place
    extents = [(place(param.type.start), place(param.type.end)) for param in node.params]
    return tuple(Span(builder.source, raw.source_offset(start), end - start) for start, end in extents)


def _refuse_inside(builder: Builder, what: str) -> None:
    """Check that modules and functions are inside modules."""
    if builder.container is not None:
        raise StatementProblem("PTO-P061", f"a {what} is not allowed inside {builder.container}")


def _own_attributes(statement: ParsedStatement, node: t.Dict | None, what: str) -> dict[str, Attribute]:
    """Attributes of a module or function; refuse a name of `OWN_ATTRIBUTES` without its prefix."""
    for entry in node.entries if node is not None else ():
        if f"pto.{entry.key}" in OWN_ATTRIBUTES:
            fix = f"write `pto.{entry.key}`"
            raise StatementProblem("PTO-P053", f"a {what} has no attribute `{entry.key}`", entry, fix)
    return statement.attributes(node)


def _module(builder: Builder, statement: ParsedStatement, node: t.ModuleNode) -> ModuleOp:
    _refuse_inside(builder, "module")
    attributes = _own_attributes(statement, node.attributes, "module")
    block = Block()
    outer, builder.outer_target = builder.outer_target, attributes.get(TARGET, builder.outer_target)
    blocks = builder.region(statement.raw.regions[0], block)
    builder.outer_target = outer
    if len(blocks) > 1:
        raise StatementProblem("PTO-P061", "a module has no blocks; put them into a function")
    name = StringAttr(node.name.text) if node.name else None
    return PtoModule(Region(block), attributes, sym_name=name)


def _function(builder: Builder, statement: ParsedStatement, node: t.FunctionNode) -> FuncOp:
    _refuse_inside(builder, "function")
    if node.body is not None and any(p.value is None for p in node.params):
        raise StatementProblem("PTO-P010", "a function with a body must name its parameters", node.name)
    raw, resolver = statement.raw, statement.resolver
    types = resolver.types(tuple(p.type for p in node.params))
    outputs = resolver.types(node.outputs)
    attributes = _own_attributes(statement, node.attributes, "function")
    outer_values, outer_places = builder.values, builder.places
    builder.values, builder.places = {}, {}
    body: Region
    if node.body is not None:
        block = Block(arg_types=types)
        args = tuple(
            (statement.name(cast(t.ValueNode, p.value)), arg, statement.offset(p))
            for p, arg in zip(node.params, block.args, strict=True)
        )
        with builder.inside("a function"):
            body = Region(builder.region(raw.regions[0], block, args))
        _close(body, outputs, raw)
    else:
        body = Region()
    builder.settle_names()
    builder.values, builder.places = outer_values, outer_places
    argument_attributes = [
        DictionaryAttr(resolver.dictionary(p.attributes)) if p.attributes else None for p in node.params
    ]
    attribute_dictionaries = [a if a is not None else DictionaryAttr({}) for a in argument_attributes]
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(node.name.text),
        "function_type": FunctionType.from_lists(types, outputs),
    }
    if node.visibility:
        properties["sym_visibility"] = StringAttr(node.visibility.text)
    if any(argument_attributes):
        properties["arg_attrs"] = ArrayAttr(attribute_dictionaries)
    return FuncOp.create(properties=properties, attributes=attributes, regions=[body])


def _close(body: Region, outputs: list[Attribute], raw: RawStatement) -> None:
    """Add the `return` that a function without results may omit."""
    last = body.blocks.last
    if last is None or (
        last.last_op is not None and (last.last_op.name == "func.return" or last.last_op.successors)
    ):
        return
    if outputs:
        expected = ", ".join(map(str, outputs))
        raise StatementProblem("PTO-P060", f"the function ends without `return`; it must return {expected}")
    last.add_op(ReturnOp())


def _generic(builder: Builder, statement: ParsedStatement, node: t.Generic) -> Operation:
    raw, resolver = statement.raw, statement.resolver
    name = node.name.text
    known = None if _was_unregistered(builder, node) else xdsl_context(False).get_optional_op(name)
    if known is None and not builder.allow_unregistered:
        raise unknown_opcode(t.WordNode(node.name.start, node.name.end, name), [])
    cls = known or unregistered_op(name)
    if known is not None and not builder.allow_unregistered:
        _check_keys(known, node)
    operands = [builder.value(statement, v) for v in node.operands]
    inputs = resolver.types(node.type.inputs)
    if len(inputs) != len(operands):
        message = f"{counted(len(operands), 'operand')}, but {counted(len(inputs), 'type')}"
        raise StatementProblem("PTO-P041", message, node.type)
    for value, type, operand in zip(node.operands, inputs, operands, strict=True):
        if operand.type != type:
            raise TypeConflict(operand.type, type, value)
    properties = statement.attributes(node.properties)
    attributes = statement.attributes(node.attributes)
    written = dict(attributes)
    if known is not None and issubclass(known, IRDLOperation):
        _take_properties(known, node, properties, attributes)
        operands = _own_order(known, operands, properties)
    isolated = name in ("func.func", "builtin.module")
    outer = builder.values
    if isolated:
        _refuse_inside(builder, name.split(".")[1].replace("func", "function"))
        builder.values = {}
    container = "a function" if name == "func.func" else f"`{name}`"
    with nullcontext() if name == "builtin.module" else builder.inside(container):
        regions = [Region(builder.region(region)) for region in raw.regions]
    for region, statements in zip(regions, raw.regions, strict=True):
        if not statements:
            # `({})` is a region without blocks; `({^bb0:})` has one.
            region.detach_block(region.block)
    if isolated:
        builder.settle_names()
        builder.values = outer
    successors = [builder.block(label) for label in node.successors]
    outputs = resolver.types(node.type.outputs)

    op = cls.create(
        operands=operands,
        result_types=outputs,
        properties=properties,
        attributes=attributes,
        successors=successors,
        regions=regions,
    )
    if known is None or not builder.allow_unregistered or name in TERMINATORS:
        return op
    try:
        _check_keys(known, node)
        verify(op)
    except StatementProblem:
        # A form of a known operation that the dialect does not have yet.
        regions = [op.detach_region(region) for region in tuple(op.regions)]
        op.drop_all_references()
        parsed_properties = statement.attributes(node.properties)
        return unregistered_op(name).create(
            operands=operands,
            result_types=outputs,
            properties=parsed_properties,
            attributes=written,
            successors=successors,
            regions=regions,
        )
    return op


def _was_unregistered(builder: Builder, node: t.Generic) -> bool:
    """Return True for an unknown form of an instruction, as printed under `--allow-unregistered`."""
    entries = node.attributes.entries if node.attributes else ()
    return builder.allow_unregistered and any(e.key in (OPERAND_KEYS, EXTRA_OPERANDS) for e in entries)


def _check_keys(cls: type[Operation], node: t.Generic) -> None:
    if issubclass(cls, PtoOp):
        for entry in (
            e for dictionary in (node.properties, node.attributes) if dictionary for e in dictionary.entries
        ):
            if entry.key not in _SEGMENT_SIZES:
                check_key(cls, entry)


_SEGMENT_SIZES = ("operandSegmentSizes", "resultSegmentSizes")


def _take_properties(
    cls: type[IRDLOperation],
    node: t.Generic,
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
) -> None:
    """Move what the dictionary `{...}` of a generic operation gives, but the operation declares, to the
    properties."""
    other_names: Mapping[str, str] = cls.KEYS if issubclass(cls, PtoOp) else {}
    declared = cls.get_irdl_definition().properties
    for key in list(attributes):
        name = other_names.get(key, key)
        if name not in declared:
            continue
        if name in properties:
            entry = next(e for e in (node.attributes.entries if node.attributes else ()) if e.key == key)
            raise StatementProblem("PTO-P051", f"`{name}` is given twice", entry)
        properties[name] = attributes.pop(key)


def _own_order(
    cls: type[IRDLOperation], operands: list[SSAValue], properties: dict[str, Attribute]
) -> list[SSAValue]:
    """Return operands in the order of the dialect if the sizes of their segments are of the C++ assembler."""
    order = cls.ASSEMBLER_ORDER if issubclass(cls, PtoOp) else ()
    own = [name for name, _ in cls.get_irdl_definition().operands]
    segment_sizes = properties.get(_SEGMENT_SIZES[0])
    # With one optional operand, the last, the assembler writes no sizes.
    sizes = segment_sizes.get_values() if isinstance(segment_sizes, DenseArrayBase) else [1] * len(operands)
    if not order or (segment_sizes is not None and len(sizes) == len(own)) or sum(sizes) != len(operands):
        return operands
    rest = iter(operands)
    slots = {name: [*islice(rest, size)] for name, size in zip(order, sizes, strict=False)}
    counts = [len(slots.get(name, ())) for name in own]
    properties[_SEGMENT_SIZES[0]] = DenseArrayBase.from_list(i32, counts)
    return [value for name in own for value in slots.get(name, ())]


def _const(builder: Builder, statement: ParsedStatement, node: t.Const) -> Operation:
    value = statement.resolver.attribute(node.literal)
    typed = node.literal
    if isinstance(typed, t.Typed) and typed.type is None and isinstance(value, IntegerAttr):
        value = IntegerAttr(cast("IntegerAttr[IntegerType]", value).value.data, IndexType())
    if not isinstance(value, IntegerAttr | FloatAttr):
        raise StatementProblem("PTO-P022", "`.const` takes a number", node.literal)
    op = ConstantOp(cast(IntegerAttr, value))
    builder.define(statement.name(node.value), op.result, statement.offset(node.value))
    return op
