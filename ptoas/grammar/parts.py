"""Sorting what a statement gives its instruction: operands, groups, attributes, suffixes.

It knows the class's declaration (slots, fields) and the class variables that say how its text looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.plan import Prelude
from ptoas.grammar.problems import StatementProblem, counted
from ptoas.grammar.tree_builder import is_whole, whole_number
from ptoas.spelling import did_you_mean


@dataclass
class Operand:
    """A value, or a literal, in operand position."""

    node: t.Node
    ref: int
    """The number of its name, or of its prelude as -1 - n; unset for a literal until its type is known."""
    type: Attribute | None
    literal: t.Number | None = None
    indices: list[Operand] = field(default_factory=list["Operand"])


@dataclass
class Parts:
    """What a statement gives its instruction, sorted by kind."""

    positional: list[Operand] = field(default_factory=list[Operand])
    outs: list[Operand] | None = None
    named: dict[str, list[Operand]] = field(default_factory=dict[str, list[Operand]])
    fields: dict[str, tuple[Attribute, t.Node]] = field(default_factory=dict[str, tuple[Attribute, t.Node]])
    brackets: list[t.Node] = field(default_factory=list[t.Node])
    declared: list[tuple[Operand, t.TypeText]] = field(default_factory=list[tuple[Operand, t.TypeText]])
    dps: bool = False

    def all_operands(self) -> list[Operand]:
        """Every operand, and the indices of each after it."""
        given = [*self.positional, *(self.outs or []), *(o for group in self.named.values() for o in group)]
        return [o for operand in given for o in (operand, *operand.indices)]


def _in_order(cls: type[PtoOp], suffixes: list[str]) -> str | None:
    """The opcode with its suffixes in their order, if each says something else."""
    enums = [cls.signature().fields[name].enum for name in cls.SUFFIXES]
    found = {at: word for word in suffixes for at, enum in enumerate(enums) if enum and enum.member(word)}
    if len(found) != len(suffixes):
        return None
    return f"write `{'.'.join([cls.mnemonic(), *(found[at] for at in sorted(found))])}`"


def check_key(cls: type[PtoOp], entry: t.Entry) -> None:
    """Refuse a key that resembles an attribute of the instruction; any other is kept as it is."""
    fields = cls.signature().fields
    if entry.key in fields or "." in entry.key:
        return
    fix = did_you_mean(entry.key, fields, likeness=0.8)
    if fix is not None:
        raise StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no attribute `{entry.key}`", entry, fix)


def whole(node: t.Number) -> int:
    """The value of a literal that has to be a whole number."""
    if not is_whole(node.text):
        raise StatementProblem("PTO-P022", f"a whole number is expected, found `{node.text}`", node)
    return whole_number(node.text)


class StatementReader:
    """Reads one statement; `types` are the types of its names, None for one that nothing defines."""

    def __init__(self, statement: t.Statement, types: list[Attribute | None], resolver: Resolver):
        assert isinstance(statement.body, t.Instruction)
        self.body = statement.body
        self.results = statement.results
        self.types = types
        self.resolver = resolver
        self.prelude: list[Prelude] = []
        self.result_from_sizes = False

    def _operand(self, node: t.Value) -> Operand:
        return Operand(node, node.slot, self.types[node.slot])

    def _parts(self, cls: type[PtoOp]) -> Parts:
        parts = Parts()
        self._sort(cls, self.body.items, parts, parts.positional)
        if self.body.trailing is not None:
            self._take_dict(cls, self.body.trailing, parts)
        return parts

    def _sort(self, cls: type[PtoOp], items: tuple[t.Item, ...], parts: Parts, into: list[Operand]) -> None:
        signature = cls.signature()
        slot_names = {slot.name for slot in signature.slots}
        previous: t.Item | None = None
        for item in items:
            match item:
                case t.Value():
                    into.append(self._operand(item))
                case t.Indexed():
                    operand = Operand(item, item.base.slot, self.types[item.base.slot])
                    self._sort(cls, item.items, parts, operand.indices)
                    into.append(operand)
                case t.Number():
                    into.append(Operand(item, 0, None, literal=item))
                case t.Dict():
                    self._take_dict(cls, item, parts)
                case t.Keyed(key=key, value=value):
                    self._take_key(cls, item, key, value, slot_names, parts)
                case t.Group(name=name):
                    self._take_group(cls, item, name, previous, parts, into)
                case t.Listing(name=""):
                    self._sort_listing(cls, item, parts, into)
                case t.Listing(name=name):
                    self._take_listing(item, name, slot_names, parts)
                case t.Symbol():
                    pass  # `@tile` before its address
                case t.AttrText() | t.Word() | t.String():
                    parts.brackets.append(item)
                case t.RegionMark():
                    raise StatementProblem("PTO-P061", f"`{cls.mnemonic()}` has no body", item)
            previous = item

    def _sort_listing(self, cls: type[PtoOp], item: t.Listing, parts: Parts, into: list[Operand]) -> None:
        self._sort(cls, item.items, parts, into)

    def _take_group(
        self,
        cls: type[PtoOp],
        item: t.Group,
        name: str,
        previous: t.Item | None,
        parts: Parts,
        into: list[Operand],
    ) -> None:
        inside: list[Operand] = []
        if isinstance(previous, t.Symbol) and previous.text == "tile" and "address" in cls.signature().fields:
            number = item.items[0] if len(item.items) == 1 else None
            if not isinstance(number, t.Number):
                raise StatementProblem("PTO-P010", "an address is a number", item, "write `@tile(0x1000)`")
            self._set_field(parts, "address", self.resolver.number(number, i64), item)
            return
        self._sort(cls, item.items, parts, inside)
        if item.types:
            everything = inside if name else self._with_named(inside, parts)
            if len(item.types) != len(everything):
                raise StatementProblem(
                    "PTO-P041",
                    f"{counted(len(everything), 'operand')}, but {counted(len(item.types), 'type')}",
                    t.Node(item.types[0].start, item.types[-1].end),
                )
            parts.declared += zip(everything, item.types, strict=True)
        if name == "ins":
            parts.dps = True
            into += inside
        elif name == "outs":
            parts.dps = True
            parts.outs = inside
        elif name == "":
            into += inside
        elif name in cls.CLAUSES:
            parts.named[cls.CLAUSES[name]] = inside
        else:
            raise StatementProblem("PTO-P010", f"`{cls.mnemonic()}` has no part `{name}(...)`", item)

    def _with_named(self, inside: list[Operand], parts: Parts) -> list[Operand]:
        """The operands of `comm.tgather(%dst, recv(%ping), group(%g0) : ...)`, in the order of the text."""
        operands = [*inside, *(o for group in parts.named.values() for o in group)]
        return sorted(operands, key=lambda o: o.node.start)

    def _take_key(
        self, cls: type[PtoOp], item: t.Keyed, key: str, value: t.Item, slot_names: set[str], parts: Parts
    ) -> None:
        if key in slot_names:
            if key in parts.named:
                raise StatementProblem("PTO-P051", f"`{key}` is given twice", item)
            operands: list[Operand] = []
            values = value.items if isinstance(value, t.Listing) else (value,)
            self._sort(cls, values, parts, operands)
            parts.named[key] = operands
            return
        fields = cls.signature().fields
        name = key if key in fields else next((f for f in fields if f.lower().startswith(key.lower())), None)
        if name is None:
            fix = did_you_mean(key, [*slot_names, *fields])
            raise StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no `{key}`", item, fix)
        self._set_field(parts, name, self._as_attribute(value, fields[name].enum), item)

    def _as_attribute(self, value: t.Item, enum: Any) -> Attribute:
        match value:
            case t.Number():
                return self.resolver.number(value, None)
            case t.String():
                return self.resolver.attribute(t.Typed(value.start, value.end, value, None), enum)
            case t.Word() | t.AttrText() | t.Symbol():
                return self.resolver.attribute(value, enum)
            case _:
                raise StatementProblem("PTO-P022", "an attribute's value is expected here", value)

    def _take_listing(self, item: t.Listing, name: str, slot_names: set[str], parts: Parts) -> None:
        """`sizes [8, 64]` fills an attribute, `valid [%r, %c]` a slot."""
        if name in slot_names:
            values = [self._operand(v) for v in item.items if isinstance(v, t.Value)]
            if len(values) != len(item.items):
                raise StatementProblem("PTO-P010", f"`{name} [...]` takes values", item)
            parts.named[name] = values
            return
        numbers = [whole(n) for n in item.items if isinstance(n, t.Number)]
        if len(numbers) != len(item.items):
            raise StatementProblem("PTO-P010", f"`{name} [...]` takes whole numbers", item)
        for number, node in zip(numbers, item.items, strict=True):
            if not -(2**63) <= number < 2**63:
                raise StatementProblem("PTO-P022", f"{number} does not fit i64", node)
        self._set_field(parts, name, DenseArrayBase.from_list(i64, numbers), item)

    def _take_dict(self, cls: type[PtoOp], node: t.Dict, parts: Parts) -> None:
        fields = cls.signature().fields
        found = self.resolver.dictionary(node, {name: f.enum for name, f in fields.items()})
        for entry in node.entries:
            check_key(cls, entry)
            self._set_field(parts, entry.key, found[entry.key], entry)

    def _set_field(self, parts: Parts, name: str, value: Attribute, node: t.Node) -> None:
        if name in parts.fields:
            raise StatementProblem("PTO-P051", f"`{name}` is given twice", node)
        parts.fields[name] = (value, node)

    def _take_suffixes(self, cls: type[PtoOp], suffixes: list[str], parts: Parts) -> None:
        fields = cls.signature().fields
        waiting = list(cls.SUFFIXES)
        at = self.body.opcode.end - sum(len(s) + 1 for s in suffixes)
        for word in suffixes:
            node = t.Node(at + 1, at + 1 + len(word))
            at = node.end
            for name in waiting:
                enum = fields[name].enum
                assert enum is not None
                member = enum.member(word)
                if member is not None:
                    break
            else:
                words = [w for name in cls.SUFFIXES for w in cast(Any, fields[name].enum).spellings()]
                if word in words:
                    raise StatementProblem(
                        "PTO-P052",
                        f"`.{word}` can't stand here: the suffixes of `{cls.mnemonic()}` come in the order "
                        + ", ".join(cls.SUFFIXES),
                        node,
                        _in_order(cls, suffixes),
                    )
                message = f"`{cls.mnemonic()}` has no suffix `.{word}`"
                if words:
                    message += f"; it has {', '.join('.' + w for w in dict.fromkeys(words))}"
                raise StatementProblem("PTO-P052", message, node, did_you_mean(word, words, before="."))
            waiting = waiting[waiting.index(name) + 1 :]
            value = enum(member)
            if name in parts.fields and parts.fields[name][0] != value:
                problem = StatementProblem(
                    "PTO-P050",
                    f"the suffix says {name} = {member.value}, the attribute says {parts.fields[name][0]}",
                    parts.fields[name][1],
                    "keep one of the two",
                )
                raise problem
            parts.fields[name] = (value, node)

    def _take_brackets(self, cls: type[PtoOp], parts: Parts) -> None:
        fields = cls.signature().fields
        if len(parts.brackets) > len(cls.BRACKETS):
            extra = parts.brackets[len(cls.BRACKETS)]
            raise StatementProblem("PTO-P010", f"`{cls.mnemonic()}` takes no such operand here", extra)
        for name, node in zip(cls.BRACKETS, parts.brackets, strict=False):
            self._set_field(parts, name, self._as_attribute(cast(t.Item, node), fields[name].enum), node)
