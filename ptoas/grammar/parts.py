"""Sorting of an instruction's arguments: operands, groups, attributes, suffixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.isa_names import page_suffixes
from ptoas.dialects.pto.type_parameters import whole_number
from ptoas.grammar import tree as t
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.op_template import Prelude
from ptoas.grammar.problems import StatementProblem, counted
from ptoas.grammar.tree_builder import is_whole


@dataclass(eq=False)
class ParsedOperand:
    """A value, or a literal, in operand position."""

    node: t.Node
    ref: int
    """The number of its name, or of its prelude as -1 - n; unset for a literal until its type is known."""
    type: Attribute | None
    literal: t.Number | None = None
    indices: list[ParsedOperand] = field(default_factory=list["ParsedOperand"])
    written_type: t.TypeText | None = None


ANNOTATIONS = frozenset({"candidates"})
"""Attributes without a prefix that generators attach to any instruction; they are kept."""

_ONE = IntegerAttr(1, i64)

_AFTER_WORD = (t.ValueNode, t.Indexed, t.Number, t.AttrText, t.WordNode, t.String)
"""Items that are one part with the word before them: `fp %scale`."""


def check_key(cls: type[PtoOp], entry: t.Entry) -> None:
    """Refuse an attribute that the instruction does not declare; prefixed ones are kept (D43)."""
    fields = cls.signature().fields
    if entry.key in fields or entry.key in cls.KEYS or "." in entry.key or entry.key in ANNOTATIONS:
        return
    fix = cls.REFUSED.get(entry.key) or _similar_field(entry.key, fields) or f"remove `{entry.key}`"
    raise StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no attribute `{entry.key}`", entry, fix)


def _similar_field(key: str, fields: Iterable[str]) -> str | None:
    """Suggest an attribute by its name in other case, by one end of it (`oob`), or by similarity."""
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
    """Reader of a statement; `types` are the types of its names, None for one that nothing defines."""

    def __init__(self, statement: t.Statement, types: Sequence[Attribute | None], resolver: Resolver):
        assert isinstance(statement.body, t.InstructionNode)
        self.body = statement.body
        self.results = statement.results
        self.types = types
        self.resolver = resolver

    def operand(self, node: t.ValueNode | t.Indexed) -> ParsedOperand:
        value = node.base if isinstance(node, t.Indexed) else node
        return ParsedOperand(node, value.slot, self.types[value.slot])


class InstructionParts(StatementReader):
    """The arguments of an instruction, sorted by kind as its class declares them."""

    def __init__(
        self,
        statement: t.Statement,
        types: Sequence[Attribute | None],
        resolver: Resolver,
        cls: type[PtoOp],
        suffixes: list[str],
    ):
        super().__init__(statement, types, resolver)
        self.cls = cls
        self.layout = assembly_format_of(cls)
        self.signature = cls.signature()
        self.positional: list[ParsedOperand] = []
        self.outs: list[ParsedOperand] | None = None
        self.named: dict[str, list[ParsedOperand]] = {}
        self.fields: dict[str, tuple[Attribute, t.Node]] = {}
        self.by_position: list[t.Item] = []
        """Attributes without a word that names them."""
        self.bodies: list[t.Node] = []
        self.declared: dict[ParsedOperand, t.TypeText] = {}
        """Types that are written inside groups."""
        self.dps = False
        self.prelude: list[Prelude] = []
        self.result_nodes: tuple[t.TypeText, ...] = ()
        self._sort(self.body.items, self.positional)
        if self.body.trailing is not None:
            self._take_dict(self.body.trailing)
        self._take_suffixes(suffixes)
        if self.by_position:
            self._take_positions()

    def all_operands(self) -> list[ParsedOperand]:
        """Every operand, and the indices of each after it."""
        named = (o for group in self.named.values() for o in group)
        operands = [*self.positional, *(self.outs or []), *named]
        return [o for operand in operands for o in (operand, *operand.indices)]

    def _sort(self, items: tuple[t.Item, ...], into: list[ParsedOperand]) -> None:
        layout = self.layout
        rest = list(reversed(items))
        while rest:
            item = rest.pop()
            match item:
                case t.WordNode(text=word) if (
                    word in layout.words and rest and isinstance(rest[-1], _AFTER_WORD)
                ):
                    self._take_key(item, word, rest.pop())
                case t.WordNode(text=word) if word in layout.flags:
                    self._set_field(word, UnitAttr(), item)
                case t.WordNode(text=word) if word in layout.bare:
                    pass
                case t.Symbol(text=word) if (
                    word in layout.symbols and rest and isinstance(rest[-1], t.GroupNode)
                ):
                    self._take_symbol(item, layout.symbols[word], cast(t.GroupNode, rest.pop()))
                case t.Number() if self._is_attribute():
                    self.by_position.append(item)
                case t.ValueNode():
                    into.append(self.operand(item))
                case t.Indexed():
                    operand = self.operand(item)
                    if layout.indices in self.signature.fields:
                        self._set_numbers(item, cast(str, layout.indices))
                    else:
                        self._sort(item.items, operand.indices)
                    into.append(operand)
                case t.Number():
                    into.append(ParsedOperand(item, 0, None, literal=item))
                case t.Dict():
                    self._take_dict(item)
                case t.Keyed(key=key, value=value):
                    self._take_key(item, key, value)
                case t.GroupNode():
                    self._take_group(item, into)
                case t.Listing(name=""):
                    self._sort(item.items, into)
                case t.Listing(name=name):
                    self._take_listing(item, name)
                case t.AttrText() | t.WordNode() | t.String() | t.Symbol():
                    self.by_position.append(item)
                case t.RegionMark():
                    self.bodies.append(item)

    def _is_attribute(self) -> bool:
        """Return True if the next number is the next positional attribute, not an operand."""
        fields = [self.signature.fields[name] for name in self.layout.positional[len(self.by_position) :]]
        return any(field.enum is None and field.constraint.verifies(_ONE) for field in fields)

    def _take_symbol(self, symbol: t.Symbol, field: str, item: t.GroupNode) -> None:
        """Set an attribute from `@tile(0x1000)`."""
        number = item.items[0] if len(item.items) == 1 else None
        if not isinstance(number, t.Number):
            fix = f"write `@{symbol.text}(0x1000)`"
            raise StatementProblem("PTO-P010", f"an {field} is a number", item, fix)
        self._set_field(field, self.resolver.number(number, i64), item)

    def _take_group(self, item: t.GroupNode, into: list[ParsedOperand]) -> None:
        name = item.name
        inside: list[ParsedOperand] = []
        self._sort(item.items, inside)
        if item.types:
            # The operands of `(%dst, recv(%ping) : ...)` that have no type yet, in the order of the text.
            named = (o for operands in self.named.values() for o in operands)
            operands = [*inside, *(o for o in named if item.start <= o.node.start < item.end)]
            untyped = sorted((o for o in operands if o not in self.declared), key=lambda o: o.node.start)
            if len(item.types) != len(untyped):
                message = f"{counted(len(untyped), 'operand')}, but {counted(len(item.types), 'type')}"
                node = t.Node(item.types[0].start, item.types[-1].end)
                raise StatementProblem("PTO-P041", message, node)
            self.declared.update(zip(untyped, item.types, strict=True))
        self.dps = self.dps or name in ("ins", "outs")
        if name in ("ins", ""):
            into += inside
        elif name == "outs":
            self.outs = inside
        elif name in self.layout.words:
            self._give(self.layout.words[name], inside, item)
        else:
            raise StatementProblem("PTO-P010", f"`{self.cls.mnemonic()}` has no part `{name}(...)`", item)

    def _give(self, slot: str, operands: list[ParsedOperand], node: t.Node) -> None:
        if slot in self.named:
            raise StatementProblem("PTO-P051", f"`{slot}` is given twice", node)
        self.named[slot] = operands

    def _take_key(self, item: t.Item, key: str, value: t.Item) -> None:
        fields = self.signature.fields
        names = [*(slot.name for slot in self.signature.slots), *fields]
        name = self.layout.words.get(key, key)
        if name not in names:
            name = next((f for f in fields if f.lower().startswith(key.lower())), None)
        if name is None:
            fix = self.cls.REFUSED.get(key) or _similar_field(key, names)
            raise StatementProblem("PTO-P053", f"`{self.cls.mnemonic()}` has no `{key}`", item, fix)
        if name in fields:
            self._set_field(name, self._as_attribute(value, fields[name].enum), item)
            return
        operands: list[ParsedOperand] = []
        self._sort(value.items if isinstance(value, t.Listing) else (value,), operands)
        self._give(name, operands, item)

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

    def _take_listing(self, item: t.Listing, word: str) -> None:
        """Set an attribute from `sizes [8, 64]`, or a slot from `valid [%r, %c]`."""
        name = self.layout.words.get(word, word)
        if all(slot.name != name for slot in self.signature.slots):
            self._set_numbers(item, name)
            return
        values = [self.operand(v) for v in item.items if isinstance(v, t.ValueNode)]
        if len(values) != len(item.items):
            raise StatementProblem("PTO-P010", f"`{word} [...]` takes values", item)
        self._give(name, values, item)

    def _set_numbers(self, item: t.Listing | t.Indexed, name: str) -> None:
        numbers = [whole(n) for n in item.items if isinstance(n, t.Number)]
        if len(numbers) != len(item.items):
            raise StatementProblem("PTO-P010", f"`{name} [...]` takes whole numbers only", item)
        for number, node in zip(numbers, item.items, strict=True):
            if not -(2**63) <= number < 2**63:
                raise StatementProblem("PTO-P022", f"{number} does not fit i64", node)
        self._set_field(name, DenseArrayBase.from_list(i64, numbers), item)

    def _take_dict(self, node: t.Dict) -> None:
        cls, fields = self.cls, self.signature.fields
        for entry in node.entries:
            check_key(cls, entry)
        enums = {name: field.enum for name, field in fields.items()}
        enums |= {key: fields[name].enum for key, name in cls.KEYS.items()}
        found = self.resolver.dictionary(node, enums)
        for entry in node.entries:
            self._set_field(cls.KEYS.get(entry.key, entry.key), found[entry.key], entry)

    def _set_field(self, name: str, value: Attribute, node: t.Node) -> None:
        if name in self.fields:
            raise StatementProblem("PTO-P051", f"`{name}` is given twice", node)
        self.fields[name] = (value, node)

    def _take_suffixes(self, suffixes: list[str]) -> None:
        for name, value, node in suffix_values(self.cls, self.body.opcode, suffixes):
            given, place = self.fields.get(name, (value, node))
            if given != value:
                message = f"the suffix sets {name} = {value.data.value}, the attribute sets {given}"
                raise StatementProblem("PTO-P050", message, place, "keep one of the two")
            self.fields[name] = (value, node)

    def _take_positions(self) -> None:
        """Set attributes without a word, in the order of the template."""
        names = self.layout.positional
        if len(self.by_position) > len(names):
            extra = self.by_position[len(names)]
            message, fix = f"`{self.cls.mnemonic()}` takes no such operand here", None
            if isinstance(extra, t.WordNode):
                message, fix = f"`{extra.text}` is no value", f"did you mean `%{extra.text}`?"
            raise StatementProblem("PTO-P010", message, extra, fix)
        for name, node in zip(names, self.by_position, strict=False):
            self._set_field(name, self._as_attribute(node, self.signature.fields[name].enum), node)


def suffix_values(
    cls: type[PtoOp], opcode: t.WordNode, suffixes: list[str]
) -> Iterator[tuple[str, PtoEnumAttr[Any], t.Node]]:
    """Attribute, value and place of each suffix of an opcode; raises `StatementProblem`."""
    fields = cls.signature().fields
    waiting = list(cls.SUFFIXES)
    end = opcode.end - sum(len(word) + 1 for word in suffixes)
    for word in suffixes:
        node = t.Node(end + 1, end + 1 + len(word))
        end = node.end
        enums = [(name, cast(Any, fields[name].enum)) for name in waiting]
        members = ((name, enum, enum.member(word)) for name, enum in enums)
        found = next((each for each in members if each[2] is not None), None)
        if found is None:
            raise _wrong_suffix(cls, word, suffixes, node)
        name, enum, member = found
        waiting = waiting[waiting.index(name) + 1 :]
        yield name, enum(member), node


def _wrong_suffix(cls: type[PtoOp], word: str, suffixes: list[str], node: t.Node) -> StatementProblem:
    enums = [cast(Any, cls.signature().fields[name].enum) for name in cls.SUFFIXES]
    words = [spelling for enum in enums for spelling in enum.spellings()]
    if word not in words:
        message = f"`{cls.mnemonic()}` has no suffix `.{word}`"
        if words:
            message += f"; it has {', '.join('.' + w for w in dict.fromkeys(words))}"
        fix = page_suffixes().get(f"{cls.mnemonic()}.{word}") or did_you_mean(word, words, before=".")
        return StatementProblem("PTO-P052", message, node, fix)
    order = ", ".join(cls.SUFFIXES)
    message = f"`.{word}` is out of place: the suffixes of `{cls.mnemonic()}` come in the order {order}"
    by_place = {at: each for each in suffixes for at, enum in enumerate(enums) if enum.member(each)}
    in_order = ".".join([cls.mnemonic(), *(by_place[at] for at in sorted(by_place))])
    # Without a fix if two of them say the same.
    fix = f"write `{in_order}`" if len(by_place) == len(suffixes) else None
    return StatementProblem("PTO-P052", message, node, fix)
