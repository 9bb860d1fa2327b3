"""Reading an instruction of PTO in any form: which class it is, which operand goes where.

One mechanism serves all instructions. It knows the class's declaration (slots, fields) and the class
variables that say how its text looks; it knows no instruction.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments

from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.constraints import Index
from ptoas.dialects.pto.instruction import Instruction, PtoOp, Slot
from ptoas.dialects.pto.types import (
    DYNAMIC,
    GroupType,
    PartitionTensorViewType,
    TileType,
    ViewType,
)
from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.plan import Alloc, Constant, Plan, Prelude, Window
from ptoas.grammar.problems import StatementProblem, TypePlaceProblem, counted
from ptoas.grammar.syntax import whole_number
from ptoas.grammar.types import unregistered_op

OPCODES: dict[str, type[PtoOp]] = {name: op for op in OPS for name in (op.mnemonic(), *op.ALIASES)}


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


def opcode_class(text: str, types: list[Attribute | None]) -> tuple[type[PtoOp], list[str]] | None:
    """The class that an opcode names, and the suffix words that follow its name."""
    words = text.removeprefix("pto.").split(".")
    for size in range(len(words), 0, -1):
        name = ".".join(words[:size])
        # A group among the operands makes it the collective (D20).
        if any(isinstance(type, GroupType) for type in types) and f"comm.{name}" in OPCODES:
            name = f"comm.{name}"
        if name in OPCODES:
            return OPCODES[name], words[size:]
    return None


def unknown_opcode(node: t.Word, others: list[str]) -> StatementProblem:
    prefix = "pto." if node.text.startswith("pto.") else ""
    name = node.text.removeprefix("pto.")
    near = difflib.get_close_matches(name, [*OPCODES, *others], 1)
    stem, dot, suffix = name.partition(".")
    if dot and (stems := difflib.get_close_matches(stem, [n for n in OPCODES if OPCODES[n].SUFFIXES], 1)):
        near = [f"{stems[0]}.{suffix}"]
    fix = None
    if near:
        fix = f"did you mean `{near[0] if near[0] in others else prefix + near[0]}`?"
    return StatementProblem("PTO-P020", f"unknown instruction `{node.text}`", node, fix)


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
    near = difflib.get_close_matches(entry.key, fields, 1, 0.8)
    if near:
        message = f"`{cls.mnemonic()}` has no attribute `{entry.key}`"
        raise StatementProblem("PTO-P053", message, entry, f"did you mean `{near[0]}`?")


class InstructionReader:
    """Reads one statement; `types` are the types of its names, None for one that nothing defines."""

    def __init__(self, statement: t.Statement, types: list[Attribute | None], resolver: Resolver):
        assert isinstance(statement.body, t.Instruction)
        self.body = statement.body
        self.results = statement.results
        self.types = types
        self.resolver = resolver
        self.prelude: list[Prelude] = []
        self.result_from_sizes = False

    # --- registered instructions

    def plan(self, cls: type[PtoOp], suffixes: list[str]) -> Plan:
        parts = self._parts(cls)
        self._take_suffixes(cls, suffixes, parts)
        self._take_brackets(cls, parts)
        result_types = self._match_types(cls, parts)
        self._windows(cls, parts, result_types)
        filled = self._fill(cls, parts)
        return self._finish(cls, parts, filled, result_types)

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
            known = [*slot_names, *fields]
            near = difflib.get_close_matches(key, known, 1)
            raise StatementProblem(
                "PTO-P053",
                f"`{cls.mnemonic()}` has no `{key}`",
                item,
                f"did you mean `{near[0]}`?" if near else None,
            )
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
        numbers = [whole_number(n.text) for n in item.items if isinstance(n, t.Number)]
        if len(numbers) != len(item.items):
            raise StatementProblem("PTO-P010", f"`{name} [...]` takes whole numbers", item)
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
                near = difflib.get_close_matches(word, words, 1)
                message = f"`{cls.mnemonic()}` has no suffix `.{word}`"
                if words:
                    message += f"; it has {', '.join('.' + w for w in dict.fromkeys(words))}"
                raise StatementProblem(
                    "PTO-P052", message, node, f"did you mean `.{near[0]}`?" if near else None
                )
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

    # --- types

    def _match_types(self, cls: type[PtoOp], parts: Parts) -> list[Attribute]:
        """Check the types that the statement gives against the values', and find the results' types."""
        for operand, node in parts.declared:
            self._declare(operand, node, parts)
        typing = self.body.typing
        inputs = list(typing.inputs) if typing and typing.inputs is not None else None
        outputs = list(typing.outputs) if typing and typing.outputs is not None else None
        wanted = len(self.results)
        makes_tile = issubclass(cls, Instruction)
        if makes_tile and not wanted and parts.outs is None:
            self._destination_first(cls, parts)
        if inputs is not None:
            outputs = self._match_inputs(cls, parts, inputs, outputs, wanted)
        for operand in parts.all_operands():
            if operand.type is None and operand.literal is None:
                self._refuse_undefined(cls, operand, parts, typing)
        if outputs is None and wanted:
            outputs = self._infer_outputs(cls, parts)
            return outputs
        result_types = self.resolver.types(tuple(outputs or ()))
        if len(result_types) != wanted:
            raise StatementProblem(
                "PTO-P041",
                f"{counted(wanted, 'result')}, but {counted(len(result_types), 'result type')}",
                typing,
            )
        return result_types

    def _destination_first(self, cls: type[PtoOp], parts: Parts) -> None:
        """In assembly form without a result, the first operand is the destination (D6)."""
        if not parts.positional:
            return
        first = parts.positional[0]
        if first.literal is not None or not (first.type is None or isinstance(first.type, TileType)):
            raise StatementProblem(
                "PTO-P040",
                f"`{cls.mnemonic()}` needs a destination: a result (`%dst = ...`) or a tile as first operand",
                first.node,
            )
        parts.outs = [parts.positional.pop(0)]

    def _match_inputs(
        self,
        cls: type[PtoOp],
        parts: Parts,
        inputs: list[t.TypeText],
        outputs: list[t.TypeText] | None,
        wanted: int,
    ) -> list[t.TypeText] | None:
        # `partition_view %v, ... : T`: where the text has `source -> result`, a lone type is the source's.
        names_source = cls.LAYOUT is not None and "-> ^result" in cls.LAYOUT
        flat = self._flat_operands(parts)
        typing = self.body.typing
        assert typing is not None
        if outputs is None and wanted and len(inputs) == len(flat) + 1:
            inputs, outputs = inputs[:-1], inputs[-1:]  # `texpands %s : f32, !pto.tile<...>`
        elif (
            outputs is None and wanted and len(inputs) == 1 and not typing.parenthesised and not names_source
        ):
            outputs = inputs  # `tadd %a, %b : !pto.tile<...>`
            if len(flat) == 1 and flat[0].type is not None and flat[0].type != self.resolver.type(inputs[0]):
                inputs = []  # `tci %s : !pto.tile<...>`: the type is the result's
            elif len(flat) > 1:
                inputs = []
        indices = {id(index) for operand in flat for index in operand.indices}
        without_indices = [operand for operand in flat if id(operand) not in indices]
        if len(inputs) == len(without_indices) and len(inputs) != len(flat):
            flat = without_indices
        if len(inputs) == 1 and len(flat) > 1:
            flat = flat[:1]  # document 004: `tgather %src0, %indices : T -> T`
        if not inputs:
            return outputs
        if len(inputs) != len(flat):
            raise StatementProblem(
                "PTO-P041",
                f"{counted(len(flat), 'operand')}, but {counted(len(inputs), 'type')}",
                t.Node(inputs[0].start, inputs[-1].end),
            )
        for operand, node in self._in_any_order(flat, inputs):
            self._declare(operand, node, parts)
        return outputs

    def _in_any_order(
        self, operands: list[Operand], nodes: list[t.TypeText]
    ) -> list[tuple[Operand, t.TypeText]]:
        """Operand and type pairs; the documents give a scatter's types in another order than its operands."""
        types = [self.resolver.type(node) for node in nodes]
        in_order = list(zip(operands, nodes, strict=True))
        if all(o.type is None or o.type == type for o, type in zip(operands, types, strict=True)):
            return in_order
        rest = list(zip(nodes, types, strict=True))
        pairs: list[tuple[Operand, t.TypeText]] = []
        for operand in operands:
            fit = next((pair for pair in rest if pair[1] == operand.type), None)
            if fit is None:
                return in_order
            rest.remove(fit)
            pairs.append((operand, fit[0]))
        return pairs

    def _flat_operands(self, parts: Parts) -> list[Operand]:
        """All operands in the order of the text, indices after the value they belong to."""
        flat: list[Operand] = []
        declared = {id(o) for o, _ in parts.declared}
        for operand in [*(parts.outs or []), *parts.positional]:
            if id(operand) not in declared:
                flat.append(operand)
                flat += operand.indices
        return flat

    def _declare(self, operand: Operand, node: t.TypeText, parts: Parts) -> None:
        type = self.resolver.type(node)
        if operand.literal is not None:
            operand.type = type
        elif operand.type is None:
            # Only a destination may be new: it becomes a local tile of this type (D23).
            is_new_tile = isinstance(type, TileType) and any(operand is out for out in parts.outs or ())
            if not is_new_tile:
                raise StatementProblem("PTO-P030", "this value is not defined", operand.node)
            operand.type = type
            self.prelude.append(Alloc(operand.ref, type))
            operand.ref = -len(self.prelude)
        elif operand.type != type:
            raise StatementProblem(
                "PTO-P042", f"the operand's type is {operand.type}, here it is called {type}", node
            )

    def _refuse_undefined(
        self, cls: type[PtoOp], operand: Operand, parts: Parts, typing: t.Typing | None
    ) -> None:
        is_destination = parts.outs is not None and operand in parts.outs
        if is_destination and typing is None and not parts.dps:
            raise StatementProblem(
                "PTO-P043",
                "this destination is not defined before, and no type says what it is",
                operand.node,
                f"add the types: `{self.body.opcode.text} %dst, ... : (!pto.tile<...>, ...)`",
            )
        raise StatementProblem("PTO-P030", "this value is not defined", operand.node)

    def _infer_outputs(self, cls: type[PtoOp], parts: Parts) -> Any:
        """The result types of a statement that gives none."""
        operands = parts.positional
        tiles = [o.type for o in operands if isinstance(o.type, TileType)]
        views = [o.type for o in operands if isinstance(o.type, ViewType)]
        inferable = issubclass(cls, Instruction) and tiles and not views
        if inferable and len(self.results) == 1:
            return [tiles[0]]
        if cls.OUTS == () and not cls.signature().slots:
            return [i64] * len(self.results)  # `get_block_idx`
        if view := self._partition_type(parts):
            return [view]
        if subview := self._subview_type(parts):
            return [subview]
        raise StatementProblem(
            "PTO-P043",
            "nothing tells the type of the result",
            self.body.opcode,
            "add it after the operands: `: (types) -> type`",
        )

    def _partition_type(self, parts: Parts) -> Attribute | None:
        source = parts.positional[0].type if parts.positional else None
        if not isinstance(source, ViewType) or "sizes" not in parts.named:
            return None
        sizes = [whole_number(o.literal.text) if o.literal else DYNAMIC for o in parts.named["sizes"]]
        self.result_from_sizes = DYNAMIC in sizes
        return PartitionTensorViewType.of(sizes, source.element_type, source.layout)

    def _subview_type(self, parts: Parts) -> Attribute | None:
        source = parts.positional[0].type if parts.positional else None
        sizes = parts.fields.get("sizes")
        if not isinstance(source, TileType) or sizes is None or not isinstance(sizes[0], DenseArrayBase):
            return None
        rows, cols = (int(size) for size in sizes[0].get_values())
        valid = (DYNAMIC, DYNAMIC) if parts.named.get("valid") else None
        return TileType.of(
            source.element_type, rows, cols, loc=source.loc.data, valid=valid, blayout=source.blayout,
            slayout=source.slayout, fractal=source.fractal, pad=source.pad,
        )  # fmt: skip

    # --- operands into slots

    def _windows(self, cls: type[PtoOp], parts: Parts, result_types: list[Attribute]) -> None:
        """`%view[%i, %j]` where the class has no place for indices: a part as large as the tile."""
        for operand in parts.all_operands():
            if not operand.indices:
                continue
            if cls.INDICES is not None:
                parts.named[cls.INDICES] = operand.indices
                continue
            view = operand.type
            if not isinstance(view, ViewType):
                raise StatementProblem("PTO-P040", "only a view of memory takes indices", operand.node)
            tiles = [o.type for o in [*(parts.outs or []), *parts.positional] if isinstance(o.type, TileType)]
            tile = next((x for x in [*result_types, *tiles] if isinstance(x, TileType)), None)
            if tile is None or DYNAMIC in tile.valid:
                raise StatementProblem(
                    "PTO-P043", "nothing tells how large this window is", operand.node, "use `partition_view`"
                )
            rank, given = len(view.shape), len(operand.indices)
            if given not in (rank, 2) or given > rank:
                raise StatementProblem(
                    "PTO-P040",
                    f"a view of {rank} dimensions takes {rank} indices, found {given}",
                    operand.node,
                )
            sizes = ((1,) * rank + tile.valid)[-rank:] if rank > 1 else (tile.valid_cols,)
            offsets = [self._literal(t.Number(0, 0, "0"), IndexType()) for _ in range(rank - given)]
            offsets += [self._reference(index, IndexType()) for index in operand.indices]
            part = PartitionTensorViewType.of(sizes, view.element_type, view.layout)
            self.prelude.append(Window(operand.ref, tuple(offsets), sizes, part))
            operand.ref, operand.type = -len(self.prelude), part

    def _literal(self, number: t.Number, type: Attribute) -> int:
        self.prelude.append(Constant(self.resolver.number(number, type)))
        return -len(self.prelude)

    def _reference(self, operand: Operand, default: Attribute) -> int:
        if operand.literal is None:
            return operand.ref
        return self._literal(operand.literal, operand.type or default)

    def _fill(self, cls: type[PtoOp], parts: Parts) -> dict[str, list[Operand]]:
        """Each operand into the first free slot that takes its kind."""
        slots = cls.signature().slots
        filled: dict[str, list[Operand]] = {name: list(given) for name, given in parts.named.items()}
        outs = parts.outs
        if outs is not None:
            names = [name for name in cls.OUTS if name not in filled]
            if len(outs) > len(names):
                raise StatementProblem(
                    "PTO-P040",
                    f"`{cls.mnemonic()}` writes {len(names)} operand(s), found {len(outs)}",
                    outs[len(names)].node,
                )
            for name, operand in zip(names, outs, strict=False):
                filled[name] = [operand]
        keep_outs = issubclass(cls, Instruction) or outs is not None
        free = [s for s in slots if s.name not in filled and not (keep_outs and s.name in cls.OUTS)]
        last = -1
        for operand in parts.positional:
            # Operands come in the order of the slots; only where the kinds leave no doubt, in another.
            # What takes any number takes more only if nothing else wants it (`tgather %group, %dst`).
            ordered = sorted(
                free, key=lambda s, last=last: (s.variadic and s.name in filled, slots.index(s) < last)
            )
            slot = next((s for s in ordered if self._fits(s, operand)), None)
            if slot is None:
                raise self._misfit(cls, operand, free)
            last = slots.index(slot)
            filled.setdefault(slot.name, []).append(operand)
            if not slot.variadic:
                free.remove(slot)
        for slot in slots:
            required = not slot.optional and not slot.variadic
            if required and not filled.get(slot.name):
                kind = getattr(slot.constraint, "kind", lambda: "an operand")()
                raise StatementProblem(
                    "PTO-P040", f"`{cls.mnemonic()}` needs `{slot.name}`: {kind}", self.body.opcode
                )
        if issubclass(cls, Instruction) and not self.results and not filled.get("dst"):
            raise StatementProblem(
                "PTO-P040",
                f"`{cls.mnemonic()}` needs a destination: a result (`%dst = ...`) or an operand",
                self.body.opcode,
            )
        return filled

    def _fits(self, slot: Slot, operand: Operand) -> bool:
        if operand.literal is not None and operand.type is None:
            return slot.accepts(IndexType())
        return operand.type is not None and slot.accepts(operand.type)

    def _misfit(self, cls: type[PtoOp], operand: Operand, free: list[Slot]) -> StatementProblem:
        found = operand.type if operand.type is not None else "a number"
        if not free:
            return StatementProblem("PTO-P040", f"`{cls.mnemonic()}` takes no further operand", operand.node)
        wanted = " or ".join(dict.fromkeys(f"`{s.name}` ({cast(Any, s.constraint).kind()})" for s in free))
        return StatementProblem("PTO-P040", f"found {found}; what is missing here is {wanted}", operand.node)

    def _finish(
        self, cls: type[PtoOp], parts: Parts, filled: dict[str, list[Operand]], result_types: list[Attribute]
    ) -> Plan:
        signature = cls.signature()
        element = next(
            (o.type.element_type for group in filled.values() for o in group if isinstance(o.type, TileType)),
            next((x.element_type for x in result_types if isinstance(x, TileType)), IndexType()),
        )
        refs: list[int] = []
        nodes: list[t.Node] = []
        sizes: list[int] = []
        for slot in signature.slots:
            operands = filled.get(slot.name, [])
            if len(operands) > 1 and not slot.variadic:
                raise StatementProblem("PTO-P040", f"`{slot.name}` takes one value", operands[1].node)
            sizes.append(len(operands))
            default = IndexType() if isinstance(slot.constraint, Index) else element
            refs += [self._reference(operand, default) for operand in operands]
            nodes += [operand.node for operand in operands]
        properties = {name: v for name, (v, _) in parts.fields.items() if name in signature.fields}
        attributes = {name: v for name, (v, _) in parts.fields.items() if name not in signature.fields}
        if signature.segmented:
            properties[AttrSizedOperandSegments.attribute_name] = DenseArrayBase.from_list(i32, sizes)
        if len(signature.results) > 1:
            counts = [int(i < len(result_types)) for i in range(len(signature.results))]
            properties[AttrSizedResultSegments.attribute_name] = DenseArrayBase.from_list(i32, counts)
        return Plan(
            cls,
            tuple(refs),
            tuple(result_types),
            properties,
            attributes,
            tuple(self.prelude),
            tuple(nodes),
            result_from_sizes=self.result_from_sizes,
        )

    # --- instructions that the dialect does not have

    def unregistered(self) -> Plan:
        """Keep what is written: operands in their order, how many are written to, the rest as attributes."""
        operands: list[Operand] = []
        outs = 0
        dps = False
        keys: list[str] = []
        extras: list[Attribute] = []
        attributes: dict[str, Attribute] = {}

        def walk(items: tuple[t.Item, ...], key: str) -> None:
            nonlocal outs, dps
            for item in items:
                match item:
                    case t.Value():
                        operands.append(self._operand(item))
                        keys.append(key)
                    case t.Indexed():
                        operands.append(Operand(item, item.base.slot, self.types[item.base.slot]))
                        keys.append(key)
                        walk(item.items, "indices")
                    case t.Dict():
                        attributes.update(self.resolver.dictionary(item))
                    case t.Group(name=name):
                        before = len(operands)
                        dps = dps or name == "ins"
                        walk(item.items, key if name in ("ins", "outs") else name or key)
                        self._check_declared(operands[before:], item.types)
                        if name == "outs":
                            outs, dps = len(operands) - before, True
                    case t.Keyed(key=name, value=value):
                        if isinstance(value, t.Value | t.Listing):
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
        if self.body.trailing is not None:
            attributes.update(self.resolver.dictionary(self.body.trailing))
        if dps:
            attributes["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(operands) - outs, outs])
        if any(keys):
            attributes["pto.operand_keys"] = ArrayAttr([StringAttr(key) for key in keys])
        if extras:
            attributes["pto.extra_operands"] = ArrayAttr(extras)
        for operand in operands:
            if operand.type is None:
                raise StatementProblem("PTO-P030", "this value is not defined", operand.node)
        cls = unregistered_op(self._full_name())
        results = self._unregistered_results(operands)
        nodes = tuple(o.node for o in operands)
        return Plan(cls, tuple(o.ref for o in operands), results, {}, attributes, (), nodes, True)

    def _check_declared(self, operands: list[Operand], nodes: tuple[t.TypeText, ...]) -> None:
        """Types beside operands are the operands', whatever the instruction is."""
        if len(nodes) != len(operands):
            return
        try:
            types = self.resolver.types(nodes)
        except TypePlaceProblem:
            return  # a type of a later revision
        for operand, type, node in zip(operands, types, nodes, strict=True):
            if operand.type is not None and operand.type != type:
                raise StatementProblem(
                    "PTO-P042", f"the operand's type is {operand.type}, here it is called {type}", node
                )

    def _full_name(self) -> str:
        name = self.body.opcode.text
        return name if "." in name and not name.split(".")[0].startswith("t") else f"pto.{name}"

    def _extra(self, item: t.Item) -> Attribute:
        match item:
            case t.Number():
                return self.resolver.number(item, None)
            case t.String() | t.Word() | t.Symbol():
                return StringAttr(item.text)
            case t.AttrText() if item.text.startswith("<"):
                return StringAttr(item.text)
            case t.AttrText():
                return self.resolver.attribute(item)
            case _:
                return UnitAttr()

    def _unregistered_results(self, operands: list[Operand]) -> tuple[Attribute, ...]:
        wanted = sum(result.count for result in self.results)
        typing = self.body.typing
        if typing is not None and typing.outputs is not None:
            types = self.resolver.types(typing.outputs)
        elif typing is not None and typing.inputs is not None and len(typing.inputs) == 1:
            types = self.resolver.types(typing.inputs) * wanted
        else:
            types = [i64] * wanted  # what a query such as `get_subblock_idx` gives
        if wanted and len(types) != wanted:
            raise StatementProblem("PTO-P041", f"{wanted} results, but {len(types)} types", typing)
        return tuple(types) if wanted else ()
