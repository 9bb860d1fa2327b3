"""Sorting what a statement gives its instruction: operands, groups, attributes, suffixes.

It knows the class's declaration: its slots, its attributes, and the words of its template.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.isa_names import page_suffixes
from ptoas.dialects.pto.type_parameters import whole_number
from ptoas.grammar import tree as t
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.op_template import Prelude
from ptoas.grammar.problems import StatementProblem, counted
from ptoas.grammar.tree_builder import is_whole


@dataclass
class ParsedOperand:
    """A value, or a literal, in operand position."""

    node: t.Node
    ref: int
    """The number of its name, or of its prelude as -1 - n; unset for a literal until its type is known."""
    type: Attribute | None
    literal: t.Number | None = None
    indices: list[ParsedOperand] = field(default_factory=list["ParsedOperand"])
    written_type: t.TypeText | None = None


@dataclass
class StatementParts:
    """Arguments of a statement for its instruction, sorted by kind."""

    positional: list[ParsedOperand] = field(default_factory=list[ParsedOperand])
    outs: list[ParsedOperand] | None = None
    named: dict[str, list[ParsedOperand]] = field(default_factory=dict[str, list[ParsedOperand]])
    fields: dict[str, tuple[Attribute, t.Node]] = field(default_factory=dict[str, tuple[Attribute, t.Node]])
    by_position: list[t.Item] = field(default_factory=list["t.Item"])
    """Attributes without a word that names them."""
    bodies: list[t.Node] = field(default_factory=list[t.Node])
    declared: list[tuple[ParsedOperand, t.TypeText]] = field(
        default_factory=list[tuple[ParsedOperand, t.TypeText]]
    )
    dps: bool = False

    def all_operands(self) -> list[ParsedOperand]:
        """Every operand, and the indices of each after it."""
        operands = [
            *self.positional,
            *(self.outs or []),
            *(o for group in self.named.values() for o in group),
        ]
        return [o for operand in operands for o in (operand, *operand.indices)]


def _in_order(cls: type[PtoOp], suffixes: list[str]) -> str | None:
    """The opcode with its suffixes in their order, if each says something else."""
    enums = [cls.signature().fields[name].enum for name in cls.SUFFIXES]
    found = {at: word for word in suffixes for at, enum in enumerate(enums) if enum and enum.member(word)}
    if len(found) != len(suffixes):
        return None
    return f"write `{'.'.join([cls.mnemonic(), *(found[at] for at in sorted(found))])}`"


ANNOTATIONS = frozenset({"candidates"})
"""Attributes without a prefix that generators attach to any instruction; they are kept."""


def check_key(cls: type[PtoOp], entry: t.Entry) -> None:
    """Refuse an attribute that the instruction does not declare; prefixed ones are kept (D43)."""
    fields = cls.signature().fields
    if entry.key in fields or entry.key in cls.KEYS or "." in entry.key or entry.key in ANNOTATIONS:
        return
    fix = cls.REFUSED.get(entry.key) or _similar_field(entry.key, fields) or f"remove `{entry.key}`"
    raise StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no attribute `{entry.key}`", entry, fix)


def _similar_field(key: str, fields: Iterable[str]) -> str | None:
    """The fix for a key that is an attribute's name in other case, one end of it (`oob`), or close to it."""
    lower = key.lower()
    exact = [name for name in fields if name.lower() == lower.replace("_", "")]
    partial = [name for name in fields if len(key) > 2 and name.lower().startswith(lower)]
    partial += [name for name in fields if len(key) > 2 and name.lower().endswith(lower)]
    for names in (exact, partial):
        if len(names) == 1:
            return f"did you mean `{names[0]}`?"
    return did_you_mean(key, fields)


def whole(node: t.Number) -> int:
    """The value of a literal that has to be a whole number."""
    if not is_whole(node.text):
        raise StatementProblem("PTO-P022", f"expected a whole number, found `{node.text}`", node)
    return whole_number(node.text)


class StatementReader:
    """Reads one statement; `types` are the types of its names, None for one that nothing defines."""

    def __init__(self, statement: t.Statement, types: Sequence[Attribute | None], resolver: Resolver):
        assert isinstance(statement.body, t.InstructionNode)
        self.body = statement.body
        self.results = statement.results
        self.types = types
        self.resolver = resolver
        self.prelude: list[Prelude] = []
        self.result_nodes: tuple[t.TypeText, ...] = ()

    def _operand(self, node: t.ValueNode) -> ParsedOperand:
        return ParsedOperand(node, node.slot, self.types[node.slot])

    def _parts(self, cls: type[PtoOp]) -> StatementParts:
        parts = StatementParts()
        self._sort(cls, self.body.items, parts, parts.positional)
        if self.body.trailing is not None:
            self._take_dict(cls, self.body.trailing, parts)
        return parts

    def _sort(
        self, cls: type[PtoOp], items: tuple[t.Item, ...], parts: StatementParts, into: list[ParsedOperand]
    ) -> None:
        layout = assembly_format_of(cls)
        rest = list(reversed(items))
        while rest:
            item = rest.pop()
            match item:
                case t.WordNode(text=word) if word in layout.words and rest and _may_follow(rest[-1]):
                    self._take_key(cls, item, word, rest.pop(), parts)
                case t.WordNode(text=word) if word in layout.flags:
                    self._set_field(parts, word, UnitAttr(), item)
                case t.WordNode(text=word) if word in layout.bare:
                    pass
                case t.Symbol(text=word) if (
                    word in layout.symbols and rest and isinstance(rest[-1], t.GroupNode)
                ):
                    self._take_symbol(parts, item, layout.symbols[word], cast(t.GroupNode, rest.pop()))
                case t.Number() if self._is_attribute(cls, parts):
                    parts.by_position.append(item)
                case t.ValueNode():
                    into.append(self._operand(item))
                case t.Indexed():
                    operand = ParsedOperand(item, item.base.slot, self.types[item.base.slot])
                    if layout.indices in cls.signature().fields:
                        self._set_numbers(item, cast(str, layout.indices), parts)
                    else:
                        self._sort(cls, item.items, parts, operand.indices)
                    into.append(operand)
                case t.Number():
                    into.append(ParsedOperand(item, 0, None, literal=item))
                case t.Dict():
                    self._take_dict(cls, item, parts)
                case t.Keyed(key=key, value=value):
                    self._take_key(cls, item, key, value, parts)
                case t.GroupNode():
                    self._take_group(cls, item, parts, into)
                case t.Listing(name=""):
                    self._sort(cls, item.items, parts, into)
                case t.Listing(name=name):
                    self._take_listing(cls, item, name, parts)
                case t.AttrText() | t.WordNode() | t.String() | t.Symbol():
                    parts.by_position.append(item)
                case t.RegionMark():
                    parts.bodies.append(item)

    def _is_attribute(self, cls: type[PtoOp], parts: StatementParts) -> bool:
        """Return True if the next number is the next positional attribute, not an operand."""
        waiting = assembly_format_of(cls).positional[len(parts.by_position) :]
        fields = cls.signature().fields
        return any(fields[name].enum is None and fields[name].constraint.verifies(_ONE) for name in waiting)

    def _take_symbol(self, parts: StatementParts, symbol: t.Symbol, field: str, item: t.GroupNode) -> None:
        """`@tile(0x1000)`."""
        number = item.items[0] if len(item.items) == 1 else None
        if not isinstance(number, t.Number):
            raise StatementProblem(
                "PTO-P010", f"an {field} is a number", item, f"write `@{symbol.text}(0x1000)`"
            )
        self._set_field(parts, field, self.resolver.number(number, i64), item)

    def _take_group(
        self, cls: type[PtoOp], item: t.GroupNode, parts: StatementParts, into: list[ParsedOperand]
    ) -> None:
        name = item.name
        inside: list[ParsedOperand] = []
        self._sort(cls, item.items, parts, inside)
        if item.types:
            everything = self._without_type(item, inside, parts)
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
        elif name in (words := assembly_format_of(cls).words):
            self._give(parts, words[name], inside, item)
        else:
            raise StatementProblem("PTO-P010", f"`{cls.mnemonic()}` has no part `{name}(...)`", item)

    def _without_type(
        self, group: t.GroupNode, inside: list[ParsedOperand], parts: StatementParts
    ) -> list[ParsedOperand]:
        """The operands of `(%dst, recv(%ping) : ...)` that have no type yet, in the order of the text."""
        named = (o for operands in parts.named.values() for o in operands)
        typed = {id(operand) for operand, _ in parts.declared}
        operands = [*inside, *(o for o in named if group.start <= o.node.start < group.end)]
        return sorted((o for o in operands if id(o) not in typed), key=lambda o: o.node.start)

    def _give(self, parts: StatementParts, slot: str, operands: list[ParsedOperand], node: t.Node) -> None:
        if slot in parts.named:
            raise StatementProblem("PTO-P051", f"`{slot}` is given twice", node)
        parts.named[slot] = operands

    def _take_key(
        self, cls: type[PtoOp], item: t.Item, key: str, value: t.Item, parts: StatementParts
    ) -> None:
        slots, fields = (slot.name for slot in cls.signature().slots), cls.signature().fields
        names = [*slots, *fields]
        name = assembly_format_of(cls).words.get(key, key)
        if name not in names:
            name = next((f for f in fields if f.lower().startswith(key.lower())), None)
        if name is None:
            fix = cls.REFUSED.get(key) or _similar_field(key, names)
            raise StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no `{key}`", item, fix)
        if name in fields:
            self._set_field(parts, name, self._as_attribute(value, fields[name].enum), item)
            return
        operands: list[ParsedOperand] = []
        self._sort(cls, value.items if isinstance(value, t.Listing) else (value,), parts, operands)
        self._give(parts, name, operands, item)

    def _as_attribute(self, value: t.Item, enum: Any) -> Attribute:
        match value:
            case t.Number():
                return self.resolver.number(value, None)
            case t.String():
                return self.resolver.attribute(t.Typed(value.start, value.end, value, None), enum)
            case t.WordNode() | t.AttrText() | t.Symbol():
                return self.resolver.attribute(value, enum)
            case _:
                raise StatementProblem("PTO-P022", "expected an attribute value", value)

    def _take_listing(self, cls: type[PtoOp], item: t.Listing, word: str, parts: StatementParts) -> None:
        """`sizes [8, 64]` fills an attribute, `valid [%r, %c]` a slot."""
        name = assembly_format_of(cls).words.get(word, word)
        if any(slot.name == name for slot in cls.signature().slots):
            values = [self._operand(v) for v in item.items if isinstance(v, t.ValueNode)]
            if len(values) != len(item.items):
                raise StatementProblem("PTO-P010", f"`{word} [...]` takes values", item)
            self._give(parts, name, values, item)
            return
        self._set_numbers(item, name, parts)

    def _set_numbers(self, item: t.Listing | t.Indexed, name: str, parts: StatementParts) -> None:
        numbers = [whole(n) for n in item.items if isinstance(n, t.Number)]
        if len(numbers) != len(item.items):
            raise StatementProblem("PTO-P010", f"`{name} [...]` takes whole numbers only", item)
        for number, node in zip(numbers, item.items, strict=True):
            if not -(2**63) <= number < 2**63:
                raise StatementProblem("PTO-P022", f"{number} does not fit i64", node)
        self._set_field(parts, name, DenseArrayBase.from_list(i64, numbers), item)

    def _take_dict(self, cls: type[PtoOp], node: t.Dict, parts: StatementParts) -> None:
        for entry in node.entries:
            check_key(cls, entry)
        fields = cls.signature().fields
        enums = {name: field.enum for name, field in fields.items()}
        found = self.resolver.dictionary(
            node, enums | {key: fields[name].enum for key, name in cls.KEYS.items()}
        )
        for entry in node.entries:
            self._set_field(parts, cls.KEYS.get(entry.key, entry.key), found[entry.key], entry)

    def _set_field(self, parts: StatementParts, name: str, value: Attribute, node: t.Node) -> None:
        if name in parts.fields:
            raise StatementProblem("PTO-P051", f"`{name}` is given twice", node)
        parts.fields[name] = (value, node)

    def _take_suffixes(self, cls: type[PtoOp], suffixes: list[str], parts: StatementParts) -> None:
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
                        f"`.{word}` is out of place: the suffixes of `{cls.mnemonic()}` come in the order "
                        + ", ".join(cls.SUFFIXES),
                        node,
                        _in_order(cls, suffixes),
                    )
                message = f"`{cls.mnemonic()}` has no suffix `.{word}`"
                if words:
                    message += f"; it has {', '.join('.' + w for w in dict.fromkeys(words))}"
                fix = page_suffixes().get(f"{cls.mnemonic()}.{word}") or did_you_mean(word, words, before=".")
                raise StatementProblem("PTO-P052", message, node, fix)
            waiting = waiting[waiting.index(name) + 1 :]
            value = enum(member)
            if name in parts.fields and parts.fields[name][0] != value:
                problem = StatementProblem(
                    "PTO-P050",
                    f"the suffix sets {name} = {member.value}, the attribute sets {parts.fields[name][0]}",
                    parts.fields[name][1],
                    "keep one of the two",
                )
                raise problem
            parts.fields[name] = (value, node)

    def _take_positions(self, cls: type[PtoOp], parts: StatementParts) -> None:
        """Attributes that no word names, in the order of the template."""
        fields = cls.signature().fields
        names = assembly_format_of(cls).positional
        if len(parts.by_position) > len(names):
            extra = parts.by_position[len(names)]
            message, fix = f"`{cls.mnemonic()}` takes no such operand here", None
            if isinstance(extra, t.WordNode):
                message, fix = f"`{extra.text}` is no value", f"did you mean `%{extra.text}`?"
            raise StatementProblem("PTO-P010", message, extra, fix)
        for name, node in zip(names, parts.by_position, strict=False):
            self._set_field(parts, name, self._as_attribute(node, fields[name].enum), node)


_ONE = IntegerAttr(1, i64)


def _may_follow(item: t.Item) -> bool:
    """Return True if a word and this are one part: `fp %scale`."""
    return isinstance(item, t.ValueNode | t.Indexed | t.Number | t.AttrText | t.WordNode | t.String)
