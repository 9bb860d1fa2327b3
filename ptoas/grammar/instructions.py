"""Reading an instruction of PTO in any form: which operand goes where, and what the types say.

One mechanism serves all instructions; it knows no instruction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType, f32
from xdsl.ir import Attribute

from ptoas.diagnostics.spelling import nearest
from ptoas.dialects.pto import OPCODES, OVERLOADS
from ptoas.dialects.pto.constraints import Index
from ptoas.dialects.pto.construct import segments
from ptoas.dialects.pto.instruction import Instruction, PtoOp, Slot
from ptoas.dialects.pto.isa_names import refused, without_text
from ptoas.dialects.pto.types import DYNAMIC, PartitionTensorViewType, TileType, ViewType
from ptoas.grammar import tree as t
from ptoas.grammar.op_template import Alloc, Constant, OpTemplate, WindowOperand
from ptoas.grammar.parts import InstructionParts, ParsedOperand
from ptoas.grammar.problems import NotLoaded, StatementProblem, TypeConflict, UndefinedName, counted
from ptoas.grammar.tree_builder import is_whole
from ptoas.ir.location import PartOffsets

_TILE = TileType.of(f32, 16, 16)


class InstructionReader(InstructionParts):
    """Reader of an instruction of the dialect."""

    def template(self) -> OpTemplate:
        cls, signature = self.cls, self.signature
        bodies = len(cls.get_irdl_definition().regions)
        if len(self.bodies) > bodies:
            raise StatementProblem("PTO-P061", f"`{cls.mnemonic()}` has no body", self.bodies[bodies])
        result_types: Sequence[Attribute] | None = self._match_types()
        for operand in self.all_operands():
            if operand.indices:
                self._take_window(operand, result_types or ())
        filled = self._fill()
        if result_types is not None:
            types = {slot: [operand.type for operand in operands] for slot, operands in filled.items()}
            result_types = tuple(cls.convert_result_types(result_types, types))
        tiles = [o.type for group in filled.values() for o in group if isinstance(o.type, TileType)]
        tiles += [type for type in result_types or () if isinstance(type, TileType)]
        element = tiles[0].element_type if tiles else None
        elements = _elements(filled, signature.slots)
        refs: list[int] = []
        for slot in signature.slots:
            operands = filled.setdefault(slot.name, [])
            if len(operands) > 1 and not slot.variadic:
                raise StatementProblem("PTO-P040", f"`{slot.name}` takes exactly one value", operands[1].node)
            letter: str = getattr(slot.constraint, "element", None) or ""
            default = IndexType() if isinstance(slot.constraint, Index) else elements.get(letter, element)
            for o in operands:
                if o.literal is not None:
                    alone = IndexType() if is_whole(o.literal.text) else f32
                    o.ref = self._constant(o.literal, o.type or default or alone)
                refs.append(o.ref)
        sizes = [len(filled[slot.name]) for slot in signature.slots]
        declared = {name: value for name, (value, _) in self.fields.items() if name in signature.fields}
        return OpTemplate(
            cls,
            tuple(refs),
            result_types,
            declared | segments(cls, sizes, len(self.results)),
            {name: value for name, (value, _) in self.fields.items() if name not in signature.fields},
            tuple(self.prelude),
            PartOffsets(
                cls.name,
                {slot: [operand.node for operand in operands] for slot, operands in filled.items()},
                {slot: [operand.written_type for operand in operands] for slot, operands in filled.items()},
                self.result_nodes,
                {name: node for name, (_, node) in self.fields.items()},
            ),
            tuple(zip((slot.name for slot in signature.slots), sizes, strict=True)),
            bodies,
        )

    # --- types

    def _match_types(self) -> list[Attribute] | None:
        """Check the types that the statement gives against the values', and find the results' types.

        None if the statement gives none, and the operation has to infer them.
        """
        for operand, node in self.declared.items():
            self._declare(operand, node)
        typing = self.body.typing
        outputs = typing.outputs if typing else None
        count = len(self.results)
        if issubclass(self.cls, Instruction) and not count and self.outs is None and self.positional:
            # In assembly form without a result, the first operand is the destination (D6).
            first = self.positional.pop(0)
            if first.literal is not None or not (first.type is None or isinstance(first.type, TileType)):
                message = f"`{self.cls.mnemonic()}` needs a destination: a result (`%dst = ...`) or a tile as"
                raise StatementProblem("PTO-P040", f"{message} first operand", first.node)
            self.outs = [first]
        if typing is not None and typing.inputs is not None:
            outputs = self._match_inputs(typing, typing.inputs)
        for operand in self.all_operands():
            if operand.type is not None or operand.literal is not None:
                continue
            if operand in (self.outs or ()) and typing is None and not self.dps:
                message = "the destination is not defined, and its type is not written"
                fix = f"add the types: `{self.body.opcode.text} %dst, ... : (!pto.tile<...>, ...)`"
                raise StatementProblem("PTO-P043", message, operand.node, fix)
            raise UndefinedName(operand.node)
        if outputs is None and count:
            return None
        self.result_nodes = outputs or ()
        types = self.resolver.types(self.result_nodes)
        if len(types) != count:
            message = f"{counted(count, 'result')}, but {counted(len(types), 'result type')}"
            raise StatementProblem("PTO-P041", message, typing)
        return types

    def _match_inputs(
        self, typing: t.Typing, inputs: tuple[t.TypeText, ...]
    ) -> tuple[t.TypeText, ...] | None:
        """Check the operands' types; return the results' types, which may be among them."""
        outputs = typing.outputs
        unnamed = [o for o in (*(self.outs or ()), *self.positional) if o not in self.declared]
        # In the order of the text, indices after the value they belong to.
        flat = [each for operand in unnamed for each in (operand, *operand.indices)]
        # `partition_view %v, ... : T`: where the text has `source -> result`, a lone type is the source's.
        is_result = len(inputs) == 1 and not typing.parenthesised and not self.layout.types_source
        if outputs is None and self.results and len(inputs) == len(flat) + 1:
            inputs, outputs = inputs[:-1], inputs[-1:]  # `texpands %s : f32, !pto.tile<...>`
        elif outputs is None and self.results and is_result:
            outputs = inputs  # `tadd %a, %b : !pto.tile<...>`
            known = flat[0].type if len(flat) == 1 else None
            if len(flat) > 1 or (known is not None and known != self.resolver.type(inputs[0])):
                inputs = ()  # `tci %s : !pto.tile<...>`: the type is the result's
        if not inputs:
            return outputs
        named = [o for operands in self.named.values() for o in operands]
        with_named = sorted((*flat, *named), key=lambda o: o.node.start)
        flat = next((each for each in (flat, unnamed, with_named) if len(each) == len(inputs)), flat)
        if len(inputs) == 1 and len(flat) > 1:
            flat = flat[:1]  # document 004: `tgather %src0, %indices : T -> T`
        if len(inputs) != len(flat):
            message = f"{counted(len(flat), 'operand')}, but {counted(len(inputs), 'type')}"
            raise StatementProblem("PTO-P041", message, t.Node(inputs[0].start, inputs[-1].end))
        for operand, node in zip(flat, self._in_order_of(flat, inputs), strict=True):
            self._declare(operand, node)
        return outputs

    def _in_order_of(
        self, operands: list[ParsedOperand], nodes: tuple[t.TypeText, ...]
    ) -> Sequence[t.TypeText]:
        """The type of each operand; the documents give those of a scatter in another order."""
        rest = [(node, self.resolver.type(node)) for node in nodes]
        if all(o.type is None or o.type == type for o, (_, type) in zip(operands, rest, strict=True)):
            return nodes
        found: list[t.TypeText] = []
        for operand in operands:
            fit = next((pair for pair in rest if pair[1] == operand.type), None)
            if fit is None:
                return nodes
            rest.remove(fit)
            found.append(fit[0])
        return found

    def _declare(self, operand: ParsedOperand, node: t.TypeText) -> None:
        type = self.resolver.type(node)
        operand.written_type = node
        if operand.literal is not None:
            operand.type = type
        elif operand.type is None:
            # Only a destination may be new: it becomes a local tile of this type (D23).
            if not isinstance(type, TileType) or operand not in (self.outs or ()):
                raise UndefinedName(operand.node)
            operand.type = type
            self.prelude.append(Alloc(operand.ref, type))
            operand.ref = -len(self.prelude)
        elif operand.type != type:
            raise TypeConflict(operand.type, type, node)

    # --- operands into slots

    def _take_window(self, operand: ParsedOperand, result_types: Sequence[Attribute]) -> None:
        """Read `%view[%i, %j]` of a class without indices as a partition of the tile's size."""
        if self.layout.indices is not None:
            self.named[self.layout.indices] = operand.indices
            return
        view = operand.type
        if not isinstance(view, ViewType):
            raise StatementProblem("PTO-P040", "only a view of memory takes indices", operand.node)
        types = [*result_types, *(o.type for o in (*(self.outs or ()), *self.positional))]
        tile = next((type for type in types if isinstance(type, TileType)), None)
        if tile is None or DYNAMIC in tile.valid:
            message = "the size of this window is not written"
            raise StatementProblem("PTO-P043", message, operand.node, "use `partition_view`")
        rank, count = len(view.shape), len(operand.indices)
        if count not in (rank, 2) or count > rank:
            message = f"a view of {rank} dimensions takes {rank} indices, found {count}"
            raise StatementProblem("PTO-P040", message, operand.node)
        sizes = ((1,) * rank + tile.valid)[-rank:] if rank > 1 else (tile.valid_cols,)
        zero = t.Number(0, 0, "0")
        offsets = [self._constant(zero, IndexType()) for _ in range(rank - count)]
        for index in operand.indices:
            literal = index.literal
            offsets.append(
                index.ref if literal is None else self._constant(literal, index.type or IndexType())
            )
        part = PartitionTensorViewType.of(sizes, view.element_type, view.layout)
        self.prelude.append(WindowOperand(operand.ref, tuple(offsets), sizes, part))
        operand.ref, operand.type = -len(self.prelude), part

    def _constant(self, number: t.Number, type: Attribute) -> int:
        self.prelude.append(Constant(self.resolver.number(number, type)))
        return -len(self.prelude)

    def _fill(self) -> dict[str, list[ParsedOperand]]:
        """Assign each operand to the first free slot that accepts its type."""
        cls, slots, outs = self.cls, self.signature.slots, self.outs
        filled = {name: list(values) for name, values in self.named.items()}
        written = cls.OUTS if outs is None else self.layout.out_names or cls.OUTS
        if outs is not None:
            names = [name for name in written if name not in filled]
            if len(outs) > len(names):
                message = f"`{cls.mnemonic()}` has {counted(len(names), 'destination')}, found {len(outs)}"
                raise StatementProblem("PTO-P040", message, outs[len(names)].node)
            filled |= {name: [operand] for name, operand in zip(names, outs, strict=False)}
        taken = {*filled, *(written if issubclass(cls, Instruction) or outs is not None else ())}
        if cls.LAST is not None and cls.LAST not in filled and f"no_{cls.LAST}" not in self.fields:
            # The last of several operands of a kind has a slot of its own.
            own = self.signature.slot(cls.LAST)
            alike = [o for o in self.positional if own.accepts(o.type or IndexType())]
            if len(alike) > 1:
                self.positional.remove(alike[-1])
                filled[cls.LAST] = [alike[-1]]
        values = {name: value for name, (value, _) in self.fields.items()}
        taken |= {cls.LAST, *cls.without(values, [operand.type for operand in self.positional])}
        free = [slot for slot in slots if slot.name not in taken]
        last = -1
        for operand in self.positional:
            # Operands come in the order of the slots; only where the kinds leave no doubt, in another.
            # What takes any number takes more only if nothing else wants it (`tgather %group, %dst`).
            ordered = sorted(
                free, key=lambda s, last=last: (s.variadic and s.name in filled, slots.index(s) < last)
            )
            slot = next((s for s in ordered if s.accepts(operand.type or IndexType())), None)
            if slot is None:
                raise self._misfit(operand, free)
            last = slots.index(slot)
            filled.setdefault(slot.name, []).append(operand)
            if not slot.variadic:
                free.remove(slot)
        for slot in slots:
            if not (slot.optional or slot.variadic or filled.get(slot.name)):
                message = f"`{cls.mnemonic()}` needs `{slot.name}`: {slot.kind}"
                raise StatementProblem("PTO-P040", message, self.body.opcode, self._complete_form())
        self._check_order(filled)
        if issubclass(cls, Instruction) and not self.results and not filled.get("dst"):
            message = f"`{cls.mnemonic()}` needs a destination: a result (`%dst = ...`) or an operand"
            raise StatementProblem("PTO-P040", message, self.body.opcode)
        return filled

    def _misfit(self, operand: ParsedOperand, free: list[Slot]) -> StatementProblem:
        name = self.cls.mnemonic()
        if not free:
            known = ", ".join(slot.name for slot in self.signature.slots if slot.name not in self.cls.OUTS)
            message = f"too many operands for `{name}`, which takes {known or 'none'}"
            fix = "remove it"
            if (word := self._attribute_meant(operand)) is not None:
                message, fix = f"an attribute of `{name}` is written as a number", f"write `{word}`"
            return StatementProblem("PTO-P040", message, operand.node, fix)
        found = operand.type if operand.type is not None else "a number"
        required = next((slot for slot in free if not slot.optional and not slot.variadic), None)
        expected = free if required is None else [required]
        message = " or ".join(f"`{slot.name}` of `{name}` must be {slot.kind}" for slot in expected)
        message = f"{message}, found {found}"
        if isinstance(found, ViewType) and required is not None and required.accepts(_TILE):
            return NotLoaded(message, operand.node)
        problem = StatementProblem("PTO-P040", message, operand.node, _instead(self.cls, found))
        opcode = self.body.opcode
        if f"t{opcode.text}" in OPCODES and isinstance(found, ViewType | TileType):
            problem.fix, problem.edit = f"did you mean `t{opcode.text}`?", (opcode, f"t{opcode.text}")
        return problem

    def _complete_form(self) -> str | None:
        """The fix of a statement in assembly form without an operand: the statement with all of them."""
        required = [
            slot.name
            for slot in self.signature.slots
            if slot.name not in self.cls.OUTS and not (slot.optional or slot.variadic)
        ]
        if self.dps or not self.results or self.layout.words:
            return None
        return f"write `{self.body.opcode.text} {', '.join(f'%{name}' for name in required)}`"

    def _attribute_meant(self, operand: ParsedOperand) -> str | None:
        """The value of an attribute that is written as its number: `EVENT_ID0` for 0."""
        if operand.literal is None or self.signature.slots:
            return None
        enums = [self.signature.fields[name].enum for name in self.layout.positional]
        words = [word for enum in enums if enum is not None for word in enum.spellings()]
        number = re.compile(rf"\D+{re.escape(operand.literal.text)}")
        return next((word for word in words if number.fullmatch(word)), None)

    def _check_order(self, filled: dict[str, list[ParsedOperand]]) -> None:
        """Refuse operands in another order than the documents', even if their types tell them apart (D44).

        A destination may come first (D6), or where the documents have it.
        """
        cls = self.cls
        slots = [slot.name for slot in self.signature.slots]
        documented = [*cls.ORDER, *(name for name in slots if name not in cls.ORDER)]
        slot_of = {operand: name for name, operands in filled.items() for operand in operands}
        free = () if cls.ORDER else cls.OUTS
        ordered = [operand for operand in self.positional if slot_of[operand] not in free]
        found = [slot_of[operand] for operand in ordered]
        expected = sorted(found, key=documented.index)
        if found == expected:
            return
        first = next(at for at, name in enumerate(found) if name != expected[at])
        node = next(operand.node for operand in ordered if slot_of[operand] == found[first])
        order = ", ".join(f"%{name}" for name in dict.fromkeys(expected))
        destination = "%dst, " if self.outs else ""
        raise StatementProblem(
            "PTO-P044",
            f"the operands of `{cls.mnemonic()}` come in the order {order}; found "
            f"`{found[first]}` in place of `{expected[first]}`",
            node,
            f"write `ins({order})`" if self.dps else f"write `{self.body.opcode.text} {destination}{order}`",
        )


def _elements(filled: Mapping[str, Sequence[ParsedOperand]], slots: Sequence[Slot]) -> dict[str, Attribute]:
    """The element types of the tiles, by the letters that their slots share with the slots of numbers."""
    found: dict[str, Attribute] = {}
    for slot in slots:
        letter: str | None = getattr(slot.constraint, "element", None)
        operands = filled.get(slot.name)
        type = operands[0].type if operands else None
        if letter is not None and isinstance(type, TileType):
            found.setdefault(letter, type.element_type)
    return found


def _instead(cls: type[PtoOp], found: Attribute | str) -> str | None:
    """The type or the instruction that was meant where an operand of this type is refused."""
    if isinstance(found, MemRefType):
        return f"declare it as `!pto.{found}`"
    scalar = f"{cls.mnemonic()}s"
    is_number = isinstance(found, IntegerType | AnyFloat | str)
    return f"`{scalar}` takes a number" if is_number and scalar in OPCODES else None


# --- opcodes ----------------------------------------------------------------------------------------


_MEANT = {
    "func": "func.func",
    "for": "scf.for",
    "affine.for": "scf.for",
    "if": "scf.if",
    "while": "scf.while",
    "call": "func.call",
    "memref.load": "load_scalar",
    "memref.store": "store_scalar",
    "memref.alloc": "alloc_tile",
    "vector.load": "tload",
    "linalg.matmul": "tmatmul",
}
"""Words of MLIR without their dialect, and of dialects that are not read."""


def opcode_class(text: str, types: Sequence[Attribute | None]) -> tuple[type[PtoOp], list[str]] | None:
    """The class that an opcode names, and the suffix words that follow its name."""
    words = text.removeprefix("pto.").split(".")
    for size in range(len(words), 0, -1):
        name = ".".join(words[:size])
        if name in OVERLOADS and OVERLOADS[name].claims(types):
            return OVERLOADS[name], words[size:]
        if name in OPCODES:
            return OPCODES[name], words[size:]
    return None


def refused_clause(text: str) -> StatementProblem | None:
    """Return the problem of a clause that the instruction refuses, which may have caused a syntax error."""
    opcode = re.match(r"\s*(?:%[^=]*=\s*)?([\w.]+)", text)
    found = None if opcode is None else opcode_class(opcode[1], [])
    if found is None:
        return None
    cls = found[0]
    for key in re.finditer(r"\b[A-Za-z_]\w*(?=\s*=)", text):
        if (fix := cls.REFUSED.get(key.group())) is not None:
            node = t.WordNode(key.start(), key.end(), key.group())
            return StatementProblem("PTO-P053", f"`{cls.mnemonic()}` has no `{key.group()}`", node, fix)
    return None


def unknown_opcode(node: t.WordNode, others: list[str]) -> StatementProblem:
    """The problem with an opcode that names no class; `others` are those outside PTO."""
    prefix = "pto." if node.text.startswith("pto.") else ""
    name = node.text.removeprefix("pto.")
    spelled = name.lower()  # the instruction library's calls are in capitals
    if spelled in without_text():
        message = f"`{spelled}` is a call of the C++ instruction library, not an instruction"
        return StatementProblem("PTO-P020", message, node, without_text()[spelled])
    if prefix and name in refused():
        message = f"`{node.text}` is an instruction of the C++ assembler that is not supported"
        return StatementProblem("PTO-P020", message, node, refused()[name])
    near = OPCODES[spelled].mnemonic() if spelled in OPCODES else nearest(name, [*OPCODES, *others])
    if name in _MEANT:
        near, others = _MEANT[name], [_MEANT[name]]
    stem, dot, suffix = name.partition(".")
    if dot and (similar := nearest(stem, sorted(name for name, op in OPCODES.items() if op.SUFFIXES))):
        near = f"{similar}.{suffix}"
    fix = None
    if near is not None:
        fix = f"did you mean `{near if near in others else prefix + near}`?"
    return StatementProblem("PTO-P020", f"unknown instruction `{node.text}`", node, fix)
