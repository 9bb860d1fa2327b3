"""Printing a module in one of the text forms, so that reading it again gives an equal module."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from io import StringIO
from typing import Any, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnregisteredOp,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.scf import ExecuteRegionOp, IndexSwitchOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from ptoas.dialects.pto.clauses import Clauses, clauses_of, is_clause
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.assembly_format import (
    AssemblyFormat,
    FormatPiece,
    FormatPieces,
    assembly_format_of,
    operand_names,
)
from ptoas.grammar.bodies import READ_WITH_BODIES, TARGET
from ptoas.grammar.comments import Comments, StatementComments
from ptoas.grammar.control import NO_INLINE
from ptoas.grammar.unregistered import EXTRA_OPERANDS, OPERAND_KEYS
from ptoas.ir.location import origin_of

FORMS = ("asm", "ssa", "dps", "generic")

_SEGMENTS = "operandSegmentSizes"
_OPCODE = re.compile(r"[A-Za-z_][\w$]*(?:\.[\w$]+)+")


def write_module(module: ModuleOp, form: str, comments: bool = False) -> str:
    """Print a module in one of `FORMS`; `ssa` and `dps` require a module of that form.

    `comments`: with those of the text that it was read from.
    """
    out = StringIO()
    function = bare_function(module) if form == "asm" else None
    attached = Comments(module, form != "asm", function) if comments else None
    printer = FormPrinter(out, form, attached)
    if attached is not None and attached.head:
        printer.print_string("\n".join(attached.head) + "\n\n")
    if function is not None:
        printer.print_bare(function, module.attributes.get(TARGET))
    else:
        printer.print_op(module)
    text = out.getvalue().rstrip("\n")
    return "\n".join([text, "", *attached.tail]) if attached is not None and attached.tail else text


def bare_function(module: ModuleOp) -> FuncOp | None:
    """The function of a module that can be written as a bare program (D4)."""
    functions = list(module.body.block.ops)
    if len(functions) != 1 or module.attributes.keys() - {TARGET} or module.sym_name is not None:
        return None
    if not isinstance(module.attributes.get(TARGET, StringAttr("")), StringAttr):
        return None
    function = functions[0]
    if (
        not isinstance(function, FuncOp)
        or function.attributes
        or function.sym_visibility
        or function.arg_attrs
    ):
        return None
    if len(function.body.blocks) != 1 or function.function_type.outputs.data:
        return None
    if not function.body.block.args and len(function.body.block.ops) < 2:
        return None  # a program has at least one statement
    plain = not any(isinstance(op, ModuleOp | FuncOp) for op in function.body.block.ops)
    # One that calls itself needs its name.
    plain = plain and not any(isinstance(op, CallOp) for op in function.walk())
    # Only such a name is a file's, too.
    plain = plain and re.fullmatch(r"[A-Za-z_]\w*", function.sym_name.data, re.ASCII) is not None
    return function if plain else None


class FormPrinter(Printer):
    """xDSL's printer, with our instructions in the chosen form and the author's names kept."""

    def __init__(self, stream: StringIO, form: str, comments: Comments | None = None):
        super().__init__(stream=stream, print_generic_format=form == "generic")
        self.form = form
        self.comments = comments
        self.names: dict[SSAValue, str] = {}
        self.used: list[set[str]] = [set()]
        self.number = 0
        self.bare_numbers = False
        """True while the dictionary of an instruction is printed."""

    # --- names

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._name(value)
        self.print_string(f"%{name}")
        return name

    def _name(self, value: SSAValue) -> str:
        name = self.names.get(value)
        if name is None:
            name = self.names[value] = self._fresh(value.name_hint)
        return name

    def _fresh(self, hint: str | None) -> str:
        used = self.used[-1]
        if hint is None:
            while str(self.number) in used:
                self.number += 1
            name = str(self.number)
        else:
            name, count = hint, 0
            while name in used:
                count += 1
                name = f"{hint}_{count}"
        used.add(name)
        return name

    def enter_scope(self) -> None:
        super().enter_scope()
        self.used.append(set())
        self.number = 0

    def exit_scope(self) -> None:
        super().exit_scope()
        self.used.pop()

    # --- types

    def print_attribute(self, attribute: Attribute) -> None:
        if self.bare_numbers and isinstance(attribute, IntegerAttr):
            # A number without a type is an i64; the C++ tool reads its own instructions' so alone.
            number = cast("IntegerAttr[Any]", attribute)
            if number.type == i64:
                self.print_string(str(number.value.data))
                return
        if isinstance(attribute, TileType) and self.form in ("asm", "ssa"):
            self.print_string(f"!pto.tile<{attribute.body()}>")
            return
        super().print_attribute(cast(Attribute, attribute))

    # --- operations

    def print_op(self, op: Operation) -> None:
        clauses = self._clauses(op)
        group = (*clauses.waits, op, *((clauses.record,) if clauses.record else ()))
        attached = [] if self.comments is None else [c for each in group if (c := self.comments.of(each))]
        for each in attached:
            self._print_before(each)
        self._print_in_scope(op)
        self._print_location(op)
        for each in attached:
            self._print_after(each)

    def _clauses(self, op: Operation) -> Clauses:
        """The clauses that are written after an operation."""
        waits, record = Clauses() if self.form == "generic" else clauses_of(op)
        waits = tuple(wait for wait in waits if self._is_plain(wait))
        return Clauses(waits, record if record is not None and self._is_plain(record) else None)

    def _is_written(self, op: Operation) -> bool:
        """Return True unless an operation is written as a clause of another; one with attributes is not."""
        return self.form == "generic" or not self._is_plain(op) or not is_clause(op)

    @staticmethod
    def _is_plain(op: Operation) -> bool:
        return not op.attributes and not op.properties

    def _print_location(self, op: Operation) -> None:
        origin = origin_of(op)
        if origin is not None:
            self.print_string(f" loc({origin.text})")

    def _print_before(self, attached: StatementComments | None) -> None:
        for comment in () if attached is None else attached.before:
            self.print_string(f"{comment}\n")

    def _print_after(self, attached: StatementComments | None) -> None:
        if attached is not None:
            self.print_string("".join(f"  {comment}" for comment in attached.trailing))
            self.print_string("".join(f"\n{comment}" for comment in attached.after))

    def _print_in_scope(self, op: Operation) -> None:
        if not op.regions:
            self._print_op(op)
            return
        # What a loop's head and body name may be named so again after the loop.
        for result in op.results:
            self._name(result)
        self.used.append(set(self.used[-1]))
        self._print_op(op)
        self.used.pop()

    def print_block(
        self, block: Block, print_block_args: bool = True, print_block_terminator: bool = True
    ) -> None:
        """Print a block without the operations that are written as clauses of others."""
        if print_block_args:
            self.print_string("\n")
            self.print_block_name(block)
            if block.args:
                with self.in_parens():
                    self.print_list(block.args, self.print_block_argument)
            self.print_string(":")
        with self.indented():
            for op in block.ops:
                if self._is_written(op) and (print_block_terminator or not op.has_trait(IsTerminator)):
                    self.print_string("\n")
                    self.print_op(op)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        self.used.append(set(self.used[-1]))
        super().print_region(region, print_entry_block_args, print_empty_block, print_block_terminators)
        self.used.pop()

    def _print_op(self, op: Operation) -> None:
        if self.form == "generic":
            super().print_op(op)
        elif isinstance(op, ModuleOp):
            self._print_module(op)
        elif isinstance(op, ReturnOp):
            self.print_string("return")
            self._values_and_types(op.operands)
        elif isinstance(op, PtoOp):
            self._print_instruction(op)
        elif isinstance(op, IndexSwitchOp):
            self._print_switch(op)
        elif isinstance(op, ExecuteRegionOp):
            self._print_execute(op)
        elif isinstance(op, UnregisteredOp) and (split := _ins_and_outs(op)) is not None:
            self._print_unregistered(op, split[0])
        elif op.regions and not isinstance(op, READ_WITH_BODIES):
            outer, self.print_generic_format = self.print_generic_format, True
            super().print_op(op)
            self.print_generic_format = outer
        else:
            super().print_op(op)

    def print_bare(self, function: FuncOp, target: Attribute | None = None) -> None:
        """Print a function as a bare program: `.target`, `.arg`, `.const`, instructions."""
        block = function.body.block
        if target is not None:
            self.print_string(".target ")
            self.print_attribute(target)
            self.print_string("\n")
        for number, arg in enumerate(block.args):
            attached = None if self.comments is None else self.comments.of_argument(number)
            self._print_before(attached)
            self.print_string(".arg ")
            self.print_ssa_value(arg)
            self.print_string(" : ")
            self.print_attribute(arg.type)
            self._print_after(attached)
            self.print_string("\n")
        for op in block.ops:
            if isinstance(op, ReturnOp) or not self._is_written(op):
                continue
            if (
                isinstance(op, ConstantOp)
                and isinstance(op.value, IntegerAttr | FloatAttr)
                and not op.attributes
            ):
                attached = None if self.comments is None else self.comments.of(op)
                self._print_before(attached)
                self.print_string(".const ")
                self.print_ssa_value(op.result)
                self.print_string(" = ")
                self.print_attribute(cast(Attribute, op.value))
                self._print_location(op)
                self._print_after(attached)
            else:
                self.print_op(op)
            self.print_string("\n")

    def _print_module(self, op: ModuleOp) -> None:
        self.enter_scope()
        self.print_string("module")
        if op.sym_name is not None:
            self.print_string(f" @{op.sym_name.data}")
        self.print_op_attributes(op.attributes, print_keyword=True)
        self.print_string(" ")
        self.print_region(op.body, print_empty_block=False)
        self.exit_scope()

    def _print_switch(self, op: IndexSwitchOp) -> None:
        self._print_result_names(op)
        self.print_string(f"{op.name} ")
        self.print_ssa_value(op.arg)
        self.print_op_attributes(op.attributes)
        self._print_arrow(op)
        bodies = [f"case {number}" for number in op.cases.get_values()]
        for word, region in zip((*bodies, "default"), (*op.case_regions, op.default_region), strict=True):
            self.print_string(f"\n{word} ")
            self.print_region(region)

    def _print_execute(self, op: ExecuteRegionOp) -> None:
        self._print_result_names(op)
        self.print_string(op.name)
        self._print_arrow(op)
        self.print_string(f" {NO_INLINE} " if NO_INLINE in op.attributes else " ")
        self.print_region(op.region)
        self.print_op_attributes({name: a for name, a in op.attributes.items() if name != NO_INLINE})

    def _print_arrow(self, op: Operation) -> None:
        if op.results:
            self.print_string(" -> ")
            self._print_types(op.result_types)

    def _values_and_types(self, values: Sequence[SSAValue]) -> None:
        if values:
            self.print_string(" ")
            self.print_list(values, self.print_ssa_value)
            self.print_string(" : ")
            self.print_list([v.type for v in values], self.print_attribute)

    def _print_result_names(self, op: Operation) -> None:
        if op.results:
            self.print_list(op.results, self.print_ssa_value)
            self.print_string(" = ")

    def _print_instruction(self, op: PtoOp) -> None:
        waits, record = self._clauses(op)
        results = [*op.results, *(record.results if record else ())]
        if results:
            self.print_list(results, self.print_ssa_value)
            self.print_string(" = ")
        self._print_operands_and_types(op)
        if waits:
            self.print_string(" wait(")
            self.print_list([wait.event for wait in waits], self.print_ssa_value)
            self.print_string(")")
        if record:
            self.print_string(" record")

    def _print_operands_and_types(self, op: PtoOp) -> None:
        layout = assembly_format_of(type(op))
        # Only the DPS form can have a second destination.
        grouped = self.form == "dps" or sum(bool(op.operands_of(name)) for name in layout.out_names) > 1
        if not layout.every_form and not grouped:
            self._print_flat(op, layout)
            return
        self.print_string(
            op.mnemonic() if layout.every_form and self.form == "asm" else f"pto.{op.mnemonic()}"
        )
        text = self._render(op, layout.pieces).rstrip()
        # A body has its own lines, which are indented already.
        self.print_string(text if text.startswith(("[", "(")) else f" {text}".rstrip(), indent=0)

    def _print_groups(self, ins: Sequence[SSAValue], outs: Sequence[SSAValue]) -> None:
        for word, values in (("ins", ins), ("outs", outs)):
            if values:
                self.print_string(f" {word}(")
                self.print_list(values, self.print_ssa_value)
                self.print_string(" : ")
                self.print_list([v.type for v in values], self.print_attribute)
                self.print_string(")")

    def _print_flat(self, op: PtoOp, layout: AssemblyFormat) -> None:
        """`name operands {attributes} : (types) -> types`; in assembly form some attributes are suffixes."""
        spelled = [name for name in op.SUFFIXES if name in op.properties and self.form == "asm"]
        suffix = "".join(f".{cast(PtoEnumAttr[Any], op.properties[name]).data.value}" for name in spelled)
        self.print_string(f"{op.mnemonic()}{suffix}" if self.form == "asm" else op.name)
        # Without a result the destination comes first (D6).
        first = isinstance(op, Instruction) and op.is_dps and self.form == "asm"
        destinations, beside = layout.outs
        left, right = (destinations, layout.ins) if first else (layout.ins, destinations)
        comma = (FormatPiece("?", "", (FormatPiece("text", ", "), *right)),) if right else ()
        pieces = (*left, *comma, *beside)
        self.print_string(f" {self._render(op, pieces)}".rstrip())
        self._print_fields(op, {*layout.attributes, *spelled})
        self.print_string(" : (")
        operands = [v for name in operand_names(pieces) for v in op.operands_of(name)]
        self.print_list([v.type for v in operands], self.print_attribute)
        self.print_string(")")
        if op.results:
            self.print_string(" -> ")
            self._print_types(op.result_types)
        elif self.form == "ssa":
            self.print_string(" -> ()")

    def _print_types(self, types: Sequence[Attribute]) -> None:
        if len(types) == 1:
            self.print_attribute(types[0])
        else:
            self.print_string("(")
            self.print_list(types, self.print_attribute)
            self.print_string(")")

    def _print_fields(self, op: PtoOp, elsewhere: Set[str]) -> None:
        """The dictionary of the attributes that are not written elsewhere."""
        declared = [n for n in op.signature().fields if n in op.properties and n not in elsewhere]
        self.bare_numbers = True
        self.print_op_attributes({**{n: op.properties[n] for n in declared}, **op.attributes})
        self.bare_numbers = False

    # --- templates

    def _render(self, op: PtoOp, pieces: FormatPieces, text: str = "") -> str:
        """Append the text of a template's pieces; omitted pieces leave no space and no comma."""
        for piece in pieces:
            match piece.kind, piece.text:
                case "?", _:
                    text = self._render(op, piece.pieces, text) if self._is_filled(op, piece.pieces) else text
                    continue
                case "$", name:
                    added = ", ".join(self._text_of(self.print_ssa_value, v) for v in op.operands_of(name))
                case "^", name:
                    types = [v.type for v in op.operands_of(name)]
                    added = ", ".join(self._text_of(self.print_attribute, type) for type in types)
                case "#" | "x", name:
                    added = self._field_text(op.properties[name], piece.kind == "x")
                case "&", name:
                    added = name if name in op.properties else ""
                case "{", "attrs":
                    elsewhere = assembly_format_of(type(op)).attributes
                    added = self._text_of(lambda _, e=elsewhere: self._print_fields(op, e), op)
                case "{", name:
                    added = self._text_of(self._print_body, getattr(op, name))
                case _, added:
                    pass
            if not text or text[-1] in " ([":
                added = added.lstrip(" ")
            if not text or text[-1] in "([":
                added = added.removeprefix(", ")
            text += added
        return text

    def _print_body(self, region: Region) -> None:
        self.print_region(region, print_empty_block=False)

    def _is_filled(self, op: PtoOp, pieces: FormatPieces) -> bool:
        """Return True if all elements of an optional part are present; of nested parts, one."""
        own = [piece for piece in pieces if piece.kind in ("$", "^", "#", "x", "&")]
        if not own:
            return any(self._is_filled(op, piece.pieces) for piece in pieces if piece.kind == "?")
        return all(
            bool(op.operands_of(piece.text)) if piece.kind in "$^" else piece.text in op.properties
            for piece in own
        )

    def _field_text(self, value: Attribute, hexadecimal: bool) -> str:
        if isinstance(value, DenseArrayBase):
            return ", ".join(str(v) for v in cast("DenseArrayBase[Any]", value).get_values())
        text = self._text_of(self.print_attribute, value)
        number = cast("IntegerAttr[Any]", value)
        if isinstance(value, IntegerAttr) and number.type == i64:
            return hex(number.value.data) if hexadecimal else str(number.value.data)
        return text

    def _text_of(self, write: Callable[[Any], object], item: object) -> str:
        """The output of a printing method."""
        outer = self.stream
        inner = StringIO()
        self.stream = inner
        try:
            write(item)
        finally:
            self.stream = outer
        return inner.getvalue()

    # --- operations that the dialect does not have

    def _print_unregistered(self, op: UnregisteredOp, ins: int) -> None:
        name = op.op_name.data
        attributes = {n: a for n, a in op.attributes.items() if n not in ("op_name__", _SEGMENTS)}
        self._print_result_names(op)
        self.print_string(name)
        self._print_groups(op.operands[:ins], op.operands[ins:])
        self.print_op_attributes(attributes)
        if op.results:
            self.print_string(" -> ")
            self._print_types(op.result_types)


def _ins_and_outs(op: UnregisteredOp) -> tuple[int, int] | None:
    """The numbers of operands that an unknown instruction reads and writes, if written `ins(...)
    outs(...)`.
    """
    sizes = op.attributes.get(_SEGMENTS)
    special = any(key in op.attributes for key in (OPERAND_KEYS, EXTRA_OPERANDS))
    if not isinstance(sizes, DenseArrayBase) or special or op.regions or op.properties:
        return None
    if not _OPCODE.fullmatch(op.op_name.data):
        return None
    values = [int(v) for v in sizes.get_values()]
    if len(values) != 2 or sum(values) != len(op.operands):
        return None
    return values[0], values[1]
