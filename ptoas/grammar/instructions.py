"""Reading an instruction of PTO in any form: which operand goes where, and what the types say.

One mechanism serves all instructions; it knows no instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import Attribute

from ptoas.dialects.pto.constraints import Index
from ptoas.dialects.pto.construct import segments
from ptoas.dialects.pto.instruction import Instruction, PtoOp, Slot
from ptoas.dialects.pto.types import DYNAMIC, PartitionTensorViewType, TileType, ViewType
from ptoas.grammar import tree as t
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.grammar.op_template import Alloc, Constant, OpTemplate, WindowOperand
from ptoas.grammar.parts import ParsedOperand, StatementParts, StatementReader
from ptoas.grammar.problems import NotLoaded, StatementProblem, TypeConflict, counted
from ptoas.ir.location import PartOffsets

_TILE = TileType.of(f32, 16, 16)


class InstructionReader(StatementReader):
    """Makes the template of an instruction that the dialect has."""

    def template(self, cls: type[PtoOp], suffixes: list[str]) -> OpTemplate:
        parts = self._parts(cls)
        self._take_suffixes(cls, suffixes, parts)
        self._take_positions(cls, parts)
        self._check_bodies(cls, parts)
        result_types: Sequence[Attribute] | None = self._match_types(cls, parts)
        self._windows(cls, parts, result_types or [])
        filled = self._fill(cls, parts)
        if result_types is not None:
            types = {slot: [operand.type for operand in operands] for slot, operands in filled.items()}
            result_types = cls.convert_result_types(result_types, types)
        return self._finish(cls, parts, filled, result_types)

    def _check_bodies(self, cls: type[PtoOp], parts: StatementParts) -> None:
        allowed = len(cls.get_irdl_definition().regions)
        if len(parts.bodies) > allowed:
            raise StatementProblem("PTO-P061", f"`{cls.mnemonic()}` has no body", parts.bodies[allowed])

    # --- types

    def _match_types(self, cls: type[PtoOp], parts: StatementParts) -> list[Attribute] | None:
        """Check the types that the statement gives against the values', and find the results' types.

        None if the statement gives none, and the operation has to infer them.
        """
        for operand, node in parts.declared:
            self._declare(operand, node, parts)
        typing = self.body.typing
        inputs = list(typing.inputs) if typing and typing.inputs is not None else None
        outputs = list(typing.outputs) if typing and typing.outputs is not None else None
        result_count = len(self.results)
        makes_tile = issubclass(cls, Instruction)
        if makes_tile and not result_count and parts.outs is None:
            self._destination_first(cls, parts)
        if inputs is not None:
            outputs = self._match_inputs(cls, parts, inputs, outputs, result_count)
        for operand in parts.all_operands():
            if operand.type is None and operand.literal is None:
                self._refuse_undefined(operand, parts, typing)
        if outputs is None and result_count:
            return None
        self.result_nodes = tuple(outputs or ())
        result_types = self.resolver.types(self.result_nodes)
        if len(result_types) != result_count:
            raise StatementProblem(
                "PTO-P041",
                f"{counted(result_count, 'result')}, but {counted(len(result_types), 'result type')}",
                typing,
            )
        return result_types

    def _destination_first(self, cls: type[PtoOp], parts: StatementParts) -> None:
        """Move the first operand to the destination, in assembly form without a result (D6)."""
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
        parts: StatementParts,
        inputs: list[t.TypeText],
        outputs: list[t.TypeText] | None,
        result_count: int,
    ) -> list[t.TypeText] | None:
        flat = self._flat_operands(parts)
        typing = self.body.typing
        assert typing is not None
        # `partition_view %v, ... : T`: where the text has `source -> result`, a lone type is the source's.
        is_result = len(inputs) == 1 and not typing.parenthesised and not assembly_format_of(cls).types_source
        if outputs is None and result_count and len(inputs) == len(flat) + 1:
            inputs, outputs = inputs[:-1], inputs[-1:]  # `texpands %s : f32, !pto.tile<...>`
        elif outputs is None and result_count and is_result:
            outputs = inputs  # `tadd %a, %b : !pto.tile<...>`
            if len(flat) == 1 and flat[0].type is not None and flat[0].type != self.resolver.type(inputs[0]):
                inputs = []  # `tci %s : !pto.tile<...>`: the type is the result's
            elif len(flat) > 1:
                inputs = []
        indices = {id(index) for operand in flat for index in operand.indices}
        without_indices = [operand for operand in flat if id(operand) not in indices]
        named = [o for operands in parts.named.values() for o in operands]
        with_named = sorted((*flat, *named), key=lambda o: o.node.start)
        flat = next((each for each in (flat, without_indices, with_named) if len(each) == len(inputs)), flat)
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
        self, operands: list[ParsedOperand], nodes: list[t.TypeText]
    ) -> list[tuple[ParsedOperand, t.TypeText]]:
        """Operand and type pairs; the documents give a scatter's types in another order than its operands."""
        types = [self.resolver.type(node) for node in nodes]
        in_order = list(zip(operands, nodes, strict=True))
        if all(o.type is None or o.type == type for o, type in zip(operands, types, strict=True)):
            return in_order
        rest = list(zip(nodes, types, strict=True))
        pairs: list[tuple[ParsedOperand, t.TypeText]] = []
        for operand in operands:
            fit = next((pair for pair in rest if pair[1] == operand.type), None)
            if fit is None:
                return in_order
            rest.remove(fit)
            pairs.append((operand, fit[0]))
        return pairs

    def _flat_operands(self, parts: StatementParts) -> list[ParsedOperand]:
        """All operands in the order of the text, indices after the value they belong to."""
        flat: list[ParsedOperand] = []
        declared = {id(o) for o, _ in parts.declared}
        for operand in [*(parts.outs or []), *parts.positional]:
            if id(operand) not in declared:
                flat.append(operand)
                flat += operand.indices
        return flat

    def _declare(self, operand: ParsedOperand, node: t.TypeText, parts: StatementParts) -> None:
        type = self.resolver.type(node)
        operand.written_type = node
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
            raise TypeConflict(operand.type, type, node)

    def _refuse_undefined(
        self, operand: ParsedOperand, parts: StatementParts, typing: t.Typing | None
    ) -> None:
        is_destination = parts.outs is not None and operand in parts.outs
        if is_destination and typing is None and not parts.dps:
            raise StatementProblem(
                "PTO-P043",
                "the destination is not defined, and its type is not written",
                operand.node,
                f"add the types: `{self.body.opcode.text} %dst, ... : (!pto.tile<...>, ...)`",
            )
        raise StatementProblem("PTO-P030", "this value is not defined", operand.node)

    # --- operands into slots

    def _windows(self, cls: type[PtoOp], parts: StatementParts, result_types: Sequence[Attribute]) -> None:
        """`%view[%i, %j]` where the class has no place for indices: a part as large as the tile."""
        for operand in parts.all_operands():
            if not operand.indices:
                continue
            if (slot := assembly_format_of(cls).indices) is not None:
                parts.named[slot] = operand.indices
                continue
            view = operand.type
            if not isinstance(view, ViewType):
                raise StatementProblem("PTO-P040", "only a view of memory takes indices", operand.node)
            tiles = [o.type for o in [*(parts.outs or []), *parts.positional] if isinstance(o.type, TileType)]
            tile = next((x for x in [*result_types, *tiles] if isinstance(x, TileType)), None)
            if tile is None or DYNAMIC in tile.valid:
                raise StatementProblem(
                    "PTO-P043", "the size of this window is not written", operand.node, "use `partition_view`"
                )
            rank, count = len(view.shape), len(operand.indices)
            if count not in (rank, 2) or count > rank:
                raise StatementProblem(
                    "PTO-P040",
                    f"a view of {rank} dimensions takes {rank} indices, found {count}",
                    operand.node,
                )
            sizes = ((1,) * rank + tile.valid)[-rank:] if rank > 1 else (tile.valid_cols,)
            offsets = [self._literal(t.Number(0, 0, "0"), IndexType()) for _ in range(rank - count)]
            offsets += [self._reference(index, IndexType()) for index in operand.indices]
            part = PartitionTensorViewType.of(sizes, view.element_type, view.layout)
            self.prelude.append(WindowOperand(operand.ref, tuple(offsets), sizes, part))
            operand.ref, operand.type = -len(self.prelude), part

    def _literal(self, number: t.Number, type: Attribute) -> int:
        self.prelude.append(Constant(self.resolver.number(number, type)))
        return -len(self.prelude)

    def _reference(self, operand: ParsedOperand, default: Attribute) -> int:
        if operand.literal is None:
            return operand.ref
        return self._literal(operand.literal, operand.type or default)

    def _fill(self, cls: type[PtoOp], parts: StatementParts) -> dict[str, list[ParsedOperand]]:
        """Each operand into the first free slot that takes its kind."""
        slots = cls.signature().slots
        filled: dict[str, list[ParsedOperand]] = {name: list(values) for name, values in parts.named.items()}
        outs = parts.outs
        if outs is not None:
            names = [name for name in assembly_format_of(cls).out_names or cls.OUTS if name not in filled]
            if len(outs) > len(names):
                raise StatementProblem(
                    "PTO-P040",
                    f"`{cls.mnemonic()}` has {counted(len(names), 'destination')}, found {len(outs)}",
                    outs[len(names)].node,
                )
            for name, operand in zip(names, outs, strict=False):
                filled[name] = [operand]
        keep_outs = issubclass(cls, Instruction) or outs is not None
        written = cls.OUTS if outs is None else assembly_format_of(cls).out_names or cls.OUTS
        free = [s for s in slots if s.name not in filled and not (keep_outs and s.name in written)]
        self._take_last(cls, parts, filled)
        values = {name: value for name, (value, _) in parts.fields.items()}
        absent = {cls.LAST, *cls.without(values, [operand.type for operand in parts.positional])}
        free = [slot for slot in free if slot.name not in absent]
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
        self._check_order(cls, parts, filled)
        if issubclass(cls, Instruction) and not self.results and not filled.get("dst"):
            raise StatementProblem(
                "PTO-P040",
                f"`{cls.mnemonic()}` needs a destination: a result (`%dst = ...`) or an operand",
                self.body.opcode,
            )
        return filled

    def _take_last(
        self, cls: type[PtoOp], parts: StatementParts, filled: dict[str, list[ParsedOperand]]
    ) -> None:
        """The last of several operands of a kind, where that has a slot of its own."""
        name = cls.LAST
        if name is None or name in filled or f"no_{name}" in parts.fields:
            return
        alike = [o for o in parts.positional if self._fits(cls.signature().slot(name), o)]
        if len(alike) > 1:
            parts.positional = [o for o in parts.positional if o is not alike[-1]]
            filled[name] = [alike[-1]]

    def _fits(self, slot: Slot, operand: ParsedOperand) -> bool:
        if operand.literal is not None and operand.type is None:
            return slot.accepts(IndexType())
        return operand.type is not None and slot.accepts(operand.type)

    def _misfit(self, cls: type[PtoOp], operand: ParsedOperand, free: list[Slot]) -> StatementProblem:
        found = operand.type if operand.type is not None else "a number"
        if not free:
            known = ", ".join(slot.name for slot in cls.signature().slots if slot.name not in cls.OUTS)
            message = f"too many operands for `{cls.mnemonic()}`, which takes {known or 'none'}"
            return StatementProblem("PTO-P040", message, operand.node)
        expected = [next((s for s in free if not s.optional and not s.variadic), None)]
        kinds = {s.name: cast(Any, s.constraint).kind() for s in expected if s is not None}
        kinds = kinds or {s.name: cast(Any, s.constraint).kind() for s in free}
        requirement = " or ".join(
            f"`{name}` of `{cls.mnemonic()}` must be {kind}" for name, kind in kinds.items()
        )
        message = f"{requirement}, found {found}"
        if isinstance(found, ViewType) and any(slot is not None and slot.accepts(_TILE) for slot in expected):
            return NotLoaded(message, operand.node)
        return StatementProblem("PTO-P040", message, operand.node)

    def _check_order(
        self, cls: type[PtoOp], parts: StatementParts, filled: dict[str, list[ParsedOperand]]
    ) -> None:
        """Refuse operands in another order than the documents', even if their types tell them apart (D44).

        A destination may come first (D6), or where the documents have it.
        """
        slots = [slot.name for slot in cls.signature().slots]
        documented = [*cls.ORDER, *(name for name in slots if name not in cls.ORDER)]
        slot_of = {id(operand): name for name, operands in filled.items() for operand in operands}
        free = () if cls.ORDER else cls.OUTS
        found_order = [name for operand in parts.positional if (name := slot_of[id(operand)]) not in free]
        expected = sorted(found_order, key=documented.index)
        if found_order == expected:
            return
        first = next(at for at, name in enumerate(found_order) if name != expected[at])
        node = next(o.node for o in parts.positional if slot_of[id(o)] == found_order[first])
        order = ", ".join(f"%{name}" for name in dict.fromkeys(expected))
        whole = f"%dst, {order}" if parts.outs else order
        raise StatementProblem(
            "PTO-P044",
            f"the operands of `{cls.mnemonic()}` come in the order {order}; found "
            f"`{found_order[first]}` in place of `{expected[first]}`",
            node,
            f"write `ins({order})`" if parts.dps else f"write `{self.body.opcode.text} {whole}`",
        )

    def _finish(
        self,
        cls: type[PtoOp],
        parts: StatementParts,
        filled: dict[str, list[ParsedOperand]],
        result_types: Sequence[Attribute] | None,
    ) -> OpTemplate:
        signature = cls.signature()
        element = next(
            (o.type.element_type for group in filled.values() for o in group if isinstance(o.type, TileType)),
            next((x.element_type for x in result_types or () if isinstance(x, TileType)), IndexType()),
        )
        refs: list[int] = []
        sizes: list[int] = []
        for slot in signature.slots:
            operands = filled.get(slot.name, [])
            if len(operands) > 1 and not slot.variadic:
                raise StatementProblem("PTO-P040", f"`{slot.name}` takes exactly one value", operands[1].node)
            sizes.append(len(operands))
            default = IndexType() if isinstance(slot.constraint, Index) else element
            refs += [self._reference(operand, default) for operand in operands]
        properties = {name: v for name, (v, _) in parts.fields.items() if name in signature.fields}
        attributes = {name: v for name, (v, _) in parts.fields.items() if name not in signature.fields}
        properties |= segments(cls, sizes, len(self.results))
        return OpTemplate(
            cls,
            tuple(refs),
            None if result_types is None else tuple(result_types),
            properties,
            attributes,
            tuple(self.prelude),
            self._places(cls, parts, filled),
            tuple((slot.name, size) for slot, size in zip(signature.slots, sizes, strict=True)),
            len(cls.get_irdl_definition().regions),
        )

    def _places(
        self, cls: type[PtoOp], parts: StatementParts, filled: dict[str, list[ParsedOperand]]
    ) -> PartOffsets:
        return PartOffsets(
            cls.name,
            {slot: [operand.node for operand in operands] for slot, operands in filled.items()},
            {slot: [operand.written_type for operand in operands] for slot, operands in filled.items()},
            self.result_nodes,
            {name: node for name, (_, node) in parts.fields.items()},
        )
