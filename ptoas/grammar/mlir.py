"""Templates of operations outside PTO: arithmetic, calls, returns, ends of loops and branches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.arith import CMPF_COMPARISON_OPERATIONS, CMPI_COMPARISON_OPERATIONS, Arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnrealizedConversionCastOp,
    i1,
    i64,
)
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, YieldOp
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects import pto
from ptoas.dialects.pto.types import TileType
from ptoas.grammar import generic_scalars
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.op_template import OpTemplate
from ptoas.grammar.parts import StatementReader
from ptoas.grammar.problems import StatementProblem, TypeConflict, UndefinedName, counted
from ptoas.ir.location import PartOffsets

_ARITH = {op.name: cast("type[IRDLOperation]", op) for op in Arith.operations}
_PREDICATES = {
    "arith.cmpi": CMPI_COMPARISON_OPERATIONS,
    "arith.cmpf": CMPF_COMPARISON_OPERATIONS,
}
_ENDS: dict[str, type[IRDLOperation]] = {
    "return": ReturnOp,
    "func.return": ReturnOp,
    "scf.yield": YieldOp,
    "pto.yield": YieldOp,
    "scf.condition": ConditionOp,
}
_CAST = UnrealizedConversionCastOp.name
OPCODES = (*_ARITH, *_ENDS, "call", "func.call", _CAST, *generic_scalars.OPCODES)


def template_of(statement: t.Statement, types: Sequence[Attribute | None], resolver: Resolver) -> OpTemplate:
    """The template of a statement whose opcode is one of `OPCODES`."""
    body = cast(t.InstructionNode, statement.body)
    if body.opcode.text in generic_scalars.OPCODES:
        body = generic_scalars.as_arith(body, types, resolver)
        statement = t.Statement(statement.results, body)
    reader = _Reader(statement, types, resolver)
    opcode = body.opcode.text
    if opcode == "arith.constant":
        template = reader.constant()
    elif opcode in _ARITH:
        template = reader.arithmetic(_ARITH[opcode])
    elif opcode == _CAST:
        template = reader.cast()
    elif opcode in _ENDS:
        template = reader.end(_ENDS[opcode])
    else:
        template = reader.call()
    reader.take_attributes(template)
    template.places = reader.places(template.cls.name)
    return template


class _Reader(StatementReader):
    def __init__(self, statement: t.Statement, types: Sequence[Attribute | None], resolver: Resolver):
        super().__init__(statement, types, resolver)
        self.values: list[t.ValueNode] = []
        self.others: list[t.Item] = []
        self.attributes: dict[str, Attribute] = {}
        self.entries: list[t.Entry] = []
        self._sort(self.body.items)
        if self.body.trailing is not None:
            self._take_dict(self.body.trailing)

    def _take_dict(self, node: t.Dict) -> None:
        self.attributes.update(self.resolver.dictionary(node))
        self.entries += node.entries

    def take_attributes(self, template: OpTemplate) -> None:
        """Move declared attributes to the properties; refuse undeclared ones without a prefix (D43)."""
        declared = cast("type[IRDLOperation]", template.cls).get_irdl_definition().properties
        for entry in self.entries:
            if entry.key in declared:
                template.properties[entry.key] = template.attributes.pop(entry.key)
            elif "." not in entry.key:
                fix = did_you_mean(entry.key, declared) or f"remove `{entry.key}`"
                message = f"`{template.cls.name}` has no attribute `{entry.key}`"
                raise StatementProblem("PTO-P053", message, entry, fix)

    def _sort(self, items: tuple[t.Item, ...]) -> None:
        for item in items:
            match item:
                case t.ValueNode():
                    self.values.append(item)
                case t.GroupNode(name="", items=inner):
                    self._sort(inner)
                case t.Dict():
                    self._take_dict(item)
                case _:
                    self.others.append(item)

    def places(self, name: str) -> PartOffsets:
        """Return the parts' offsets: a type for each operand or one for all, the last also for the result."""
        typing = self.body.typing
        inputs = (typing.inputs if typing else None) or ()
        types = inputs if len(inputs) == len(self.values) else inputs[:1] * len(self.values)
        results = (typing.outputs if typing else None) or inputs[-1:]
        return PartOffsets(name, {"": self.values}, {"": types}, results)

    def constant(self) -> OpTemplate:
        node = self.others[0] if self.others else None
        typing = self.body.typing
        type = self.resolver.type(typing.inputs[0]) if typing and typing.inputs else None
        match node:
            case t.Number():
                value = self.resolver.number(node, type or i64)
            case t.WordNode(text="true" | "false"):
                value = self.resolver.attribute(node)
            case t.AttrText():
                written = typing.inputs[0] if typing and typing.inputs else None
                value = self.resolver.attribute(t.Typed(node.start, node.end, node, written))
            case _:
                message = "a constant needs its value: `arith.constant 16 : index`"
                raise StatementProblem("PTO-P010", message, node)
        if len(self.others) > 1:
            raise StatementProblem("PTO-P010", "a constant must have one value", self.others[1])
        result_type = type or getattr(value, "type", None)
        if result_type is None:
            message = "a constant must be a number, a truth value or a dense list"
            raise StatementProblem("PTO-P022", message, node)
        return OpTemplate(_ARITH["arith.constant"], (), (result_type,), {"value": value}, self.attributes)

    def arithmetic(self, cls: type[IRDLOperation]) -> OpTemplate:
        definition = cls.get_irdl_definition()
        count = len(definition.operands)
        self._refuse_tiles(cls.name)
        if len(self.values) != count:
            self._refuse_numbers(cls.name)
            message = f"`{cls.name}` takes {counted(count, 'operand')}, found {len(self.values)}"
            raise StatementProblem("PTO-P040", message, self.body.opcode)
        properties = {
            n: p.default_value for n, p in definition.properties.items() if p.default_value is not None
        }
        others = list(self.others)
        if cls.name in _PREDICATES:
            properties["predicate"] = self._predicate(cls.name, others)
        self._flags(others, properties)
        typing = self.body.typing
        if typing is None or not typing.inputs:
            found = {self.types[value.slot] for value in self.values} - {None}
            fix = f"write `: {found.pop()}` at the end" if len(found) == 1 else None
            message = f"`{cls.name}` needs its type after `:`"
            raise StatementProblem("PTO-P043", message, self.body.opcode, fix)
        declared = self.resolver.type(typing.inputs[0])
        first = 1 if cls.name == "arith.select" and len(typing.inputs) == 1 else 0
        declared_types = [self.resolver.type(n) for n in typing.inputs]
        self._declared(self.values, None)
        if cls.name == "arith.select":
            self._check(self.values[0], i1)
        for at, value in enumerate(self.values[first:]):
            expected = declared_types[at] if len(declared_types) == len(self.values) else declared
            self._check(value, expected)
        if typing.outputs is not None:
            results = tuple(self.resolver.types(typing.outputs))
        elif cls.name in _PREDICATES:
            results = (i1,)
        else:
            results = (declared_types[-1],)
        return OpTemplate(cls, tuple(v.slot for v in self.values), results, properties, self.attributes)

    def _refuse_tiles(self, name: str) -> None:
        """Refuse arithmetic of tiles, with the instruction for it: `tadd` for `arith.addf`."""
        tile = next((v for v in self.values if isinstance(self.types[v.slot], TileType)), None)
        instruction = "t" + re.sub(r"(?:imum)?(?:[us]?i|f)$", "", name.removeprefix("arith."))
        if tile is not None and instruction in pto.OPCODES:
            message, fix = f"`{name}` is for numbers, found a tile", f"did you mean `{instruction}`?"
            raise StatementProblem("PTO-P040", message, tile, fix)

    def _refuse_numbers(self, name: str) -> None:
        """Refuse a number in place of a value, with the constant to define."""
        number = next((each for each in self.others if isinstance(each, t.Number)), None)
        if number is None:
            return
        type = next((self.types[v.slot] for v in self.values if self.types[v.slot] is not None), "index")
        constant = f"%c{number.text} = arith.constant {number.text} : {type}"
        fix = f"give the number a name before: `{constant}`"
        raise StatementProblem("PTO-P040", f"`{name}` takes values, found a number", number, fix)

    def _predicate(self, name: str, others: list[t.Item]) -> Attribute:
        words = _PREDICATES[name]
        word = others.pop(0) if others and isinstance(others[0], t.WordNode | t.String) else None
        text = word.text if isinstance(word, t.WordNode | t.String) else None
        if text not in words:
            message = f"`{name}` needs one of the predicates {', '.join(words)}; found `{text}`"
            raise StatementProblem("PTO-P022", message, word or self.body.opcode)
        return IntegerAttr(words.index(text), i64)

    def _flags(self, others: list[t.Item], properties: dict[str, Attribute]) -> None:
        """Set flags that are a word and a value: `fastmath<fast>`, `overflow<nsw>`."""
        while others:
            word = others.pop(0)
            value = others.pop(0) if others else None
            if not isinstance(word, t.WordNode) or not isinstance(value, t.AttrText):
                raise StatementProblem("PTO-P010", "this is not an operand", word)
            node = t.AttrText(word.start, value.end, f"#arith.{word.text}{value.text}")
            key = "overflowFlags" if word.text == "overflow" else word.text
            properties[key] = self.resolver.attribute(node)

    def _check(self, value: t.ValueNode, expected: Attribute) -> None:
        found = self.types[value.slot]
        if found is None:
            raise UndefinedName(value)
        if found == expected:
            return
        problem = TypeConflict(found, expected, value)
        if IndexType() in (found, expected) and isinstance(found, IntegerType | IndexType) and expected != i1:
            problem.fix = f"write the type `{found}`, or convert it first: `arith.index_cast` to `{expected}`"
        raise problem

    def _declared(self, values: list[t.ValueNode], nodes: tuple[t.TypeText, ...] | None) -> None:
        for value in values:
            if self.types[value.slot] is None:
                raise UndefinedName(value)
        if nodes is None:
            return
        if len(nodes) != len(values):
            message = f"{counted(len(values), 'value')}, but {counted(len(nodes), 'type')}"
            raise StatementProblem("PTO-P041", message, self.body.typing)
        for value, node in zip(values, nodes, strict=True):
            self._check(value, self.resolver.type(node))

    def cast(self) -> OpTemplate:
        """`builtin.unrealized_conversion_cast %a : i32 to ui32`: the same bits under another type."""
        typing = self.body.typing
        if typing is None or not typing.cast:
            message = f"`{_CAST}` needs both types: `: i32 to ui32`"
            raise StatementProblem("PTO-P043", message, self.body.opcode)
        self._declared(self.values, typing.inputs)
        results = self.resolver.types(typing.outputs or ())
        refs = tuple(v.slot for v in self.values)
        return OpTemplate(UnrealizedConversionCastOp, refs, tuple(results), {}, self.attributes)

    def end(self, cls: type[IRDLOperation]) -> OpTemplate:
        typing = self.body.typing
        typed = self.values[1:] if cls is ConditionOp else self.values
        self._declared(typed, typing.inputs if typing else None)
        self._declared(self.values, None)
        return OpTemplate(cls, tuple(v.slot for v in self.values), (), {}, self.attributes)

    def call(self) -> OpTemplate:
        callee = next((o for o in self.others if isinstance(o, t.Symbol)), None)
        if callee is None:
            message = "a call needs the name of its function: `func.call @name(...)`"
            raise StatementProblem("PTO-P010", message, self.body.opcode)
        typing = self.body.typing
        self._declared(self.values, typing.inputs if typing else None)
        outputs = self.resolver.types(typing.outputs) if typing and typing.outputs else []
        refs = tuple(v.slot for v in self.values)
        properties: dict[str, Attribute] = {"callee": SymbolRefAttr(StringAttr(callee.text))}
        return OpTemplate(CallOp, refs, tuple(outputs), properties, self.attributes)
