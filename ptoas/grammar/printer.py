"""Printing a module in one of the text forms, so that reading it again gives an equal module."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer

from ptoas.diagnostics import UsageError
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.enums import PtoEnumAttr
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.structure import READ_WITH_BODIES, TARGET
from ptoas.grammar.unregistered import EXTRA_OPERANDS, OPERAND_KEYS
from ptoas.naming import copy_module

FORMS = ("asm", "ssa", "dps", "generic")

_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
_OPCODE = re.compile(r"[A-Za-z_][\w$]*(?:\.[\w$]+)+")
_TEMPLATE = re.compile(
    r"\((?P<group>(?:[^()]|\([^()]*\))*)\)\?|\$(?P<value>\w+)|\^(?P<type>\w+)|#(?P<field>\w+)|(?P<attrs>\s*\{attrs\})"
)


def print_module(module: ModuleOp, form: str = "dps") -> str:
    """The module's text. `form` is `asm`, `ssa`, `dps` or `generic`.

    For `ssa` and `dps` the instructions are converted first, on a copy; `asm` and `generic` print what is
    there.
    Raises `PtoasError` where a conversion is not possible.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %a : !pto.tile<8x8xf32>
    ... %b = tneg %a : !pto.tile<8x8xf32>
    ... ''', filename="negate.pto")
    >>> print(ptoas.print_module(module, form="dps"))
    module {
      func.func @negate(%a: !pto.tile_buf<vec, 8x8xf32>) {
        %b = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
        pto.tneg ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%b : !pto.tile_buf<vec, 8x8xf32>)
        return
      }
    }
    """
    if form not in FORMS:
        raise UsageError(f"unknown form {form!r}; it is one of {', '.join(FORMS)}")
    makes = [op.is_dps for op in module.walk() if isinstance(op, Instruction)]
    if form == "ssa" and any(makes):
        from ptoas.lowering.tiles_to_values import tiles_to_values

        module = copy_module(module)
        tiles_to_values(module)
    if form == "dps" and not all(makes):
        from ptoas.lowering.allocate_destinations import allocate_destinations

        module = copy_module(module)
        allocate_destinations(module)
    out = StringIO()
    printer = FormPrinter(out, form)
    if form == "asm" and (function := bare_function(module)) is not None:
        printer.print_bare(function, module.attributes.get(TARGET))
    else:
        printer.print_op(module)
    return out.getvalue().rstrip("\n")


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
    if function.body.blocks and not function.body.block.args and len(function.body.block.ops) < 2:
        return None  # a program has at least one statement
    plain = not function.function_type.outputs.data and len(function.body.blocks) == 1
    plain = plain and not any(isinstance(op, ModuleOp | FuncOp) for op in function.body.block.ops)
    # One that calls itself needs its name.
    plain = plain and not any(isinstance(op, CallOp) for op in function.walk())
    # Only such a name is a file's, too.
    plain = plain and re.fullmatch(r"[A-Za-z_]\w*", function.sym_name.data, re.ASCII) is not None
    return function if plain else None


class FormPrinter(Printer):
    """xDSL's printer, with our instructions in the chosen form and the author's names kept."""

    def __init__(self, stream: StringIO, form: str):
        super().__init__(stream=stream, print_generic_format=form == "generic")
        self.form = form
        self.used: list[set[str]] = [set()]
        self.number = 0

    # --- names

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._name(value)
        self.print_string(f"%{name}")
        return name

    def _name(self, value: SSAValue) -> str:
        name = self._ssa_values.get(value)
        if name is None:
            name = self._fresh(value.name_hint)
            self._ssa_values[value] = name
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
        if isinstance(attribute, TileType) and self.form in ("asm", "ssa"):
            self.print_string(f"!pto.tile<{attribute.body()}>")
            return
        super().print_attribute(attribute)

    # --- operations

    def print_op(self, op: Operation) -> None:
        if not op.regions:
            self._print_op(op)
            return
        # What a loop's head and body name may be named so again after the loop.
        for result in op.results:
            self._name(result)
        self.used.append(set(self.used[-1]))
        self._print_op(op)
        self.used.pop()

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
        elif isinstance(op, UnregisteredOp) and (split := _ins_and_outs(op)) is not None:
            self._print_unregistered(op, split[0])
        elif op.regions and not isinstance(op, READ_WITH_BODIES):
            outer, self.print_generic_format = self.print_generic_format, True
            super().print_op(op)
            self.print_generic_format = outer
        else:
            super().print_op(op)

    def print_bare(self, function: FuncOp, target: Attribute | None = None) -> None:
        """A function as a program of its own: `.target`, `.arg`, `.const`, instructions."""
        block = function.body.block
        if target is not None:
            self.print_string(".target ")
            self.print_attribute(target)
            self.print_string("\n")
        for arg in block.args:
            self.print_string(".arg ")
            self.print_ssa_value(arg)
            self.print_string(" : ")
            self.print_attribute(arg.type)
            self.print_string("\n")
        for op in block.ops:
            if isinstance(op, ReturnOp):
                continue
            if (
                isinstance(op, ConstantOp)
                and isinstance(op.value, IntegerAttr | FloatAttr)
                and not op.attributes
            ):
                self.print_string(".const ")
                self.print_ssa_value(op.result)
                self.print_string(" = ")
                self.print_attribute(cast(Attribute, op.value))
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

    def _values_and_types(self, values: Sequence[SSAValue]) -> None:
        if values:
            self.print_string(" ")
            self.print_list(values, self.print_ssa_value)
            self.print_string(" : ")
            self.print_list([v.type for v in values], self.print_attribute)

    def _print_results(self, op: Operation) -> None:
        if op.results:
            self.print_list(op.results, self.print_ssa_value)
            self.print_string(" = ")

    def _print_instruction(self, op: PtoOp) -> None:
        prefix = "" if self.form == "asm" else "pto."
        if op.LAYOUT is not None:
            self._print_results(op)
            self.print_string(prefix + op.mnemonic())
            self._print_template(op, op.LAYOUT)
        elif isinstance(op, CollectiveOp):
            self._print_collective(op, prefix)
        elif self.form == "dps" or (len(op.OUTS) > 1 and op.operands_of(op.OUTS[1])):
            self._print_dps(op)
        elif self.form == "ssa":
            self._print_results(op)
            self._print_flat(op, f"pto.{op.mnemonic()}", list(op.operands), ())
        else:
            self._print_asm(op)

    def _print_dps(self, op: PtoOp) -> None:
        outs = [v for name in op.OUTS for v in op.operands_of(name)]
        ins = [v for slot, values in op.segments() if slot.name not in op.OUTS for v in values]
        self.print_string(f"pto.{op.mnemonic()}")
        self._print_groups(ins, outs)
        self._print_fields(op, ())

    def _print_groups(self, ins: Sequence[SSAValue], outs: Sequence[SSAValue]) -> None:
        for word, values in (("ins", ins), ("outs", outs)):
            if values:
                self.print_string(f" {word}(")
                self.print_list(values, self.print_ssa_value)
                self.print_string(" : ")
                self.print_list([v.type for v in values], self.print_attribute)
                self.print_string(")")

    def _print_flat(
        self, op: PtoOp, name: str, operands: Sequence[SSAValue], spelled: tuple[str, ...]
    ) -> None:
        self.print_string(name)
        if operands:
            self.print_string(" ")
            self.print_list(operands, self.print_ssa_value)
        self._print_fields(op, spelled)
        self.print_string(" : (")
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

    def _print_asm(self, op: PtoOp) -> None:
        spelled = tuple(name for name in op.SUFFIXES if name in op.properties)
        suffix = "".join(f".{cast(PtoEnumAttr[Any], op.properties[name]).data.value}" for name in spelled)
        destination = getattr(op, "dst", None)
        operands = list(op.operands)
        if destination is not None and hasattr(op, "destination"):
            # With no result the destination stands first (D6).
            operands = [destination, *operands[:-1]]
        self._print_results(op)
        self._print_flat(op, op.mnemonic() + suffix, operands, spelled)

    def _print_collective(self, op: CollectiveOp, prefix: str) -> None:
        groups = [(clause, op.operands_of(slot)) for clause, slot in op.CLAUSES.items()]
        named = op.CLAUSES.values()
        everything = [v for slot, values in op.segments() if slot.name not in named for v in values]
        self.print_string(f"{prefix}{op.mnemonic()}(")
        self.print_list(everything, self.print_ssa_value)
        for clause, values in groups:
            if values:
                self.print_string(f", {clause}(")
                self.print_list(values, self.print_ssa_value)
                self.print_string(")")
                everything += values
        self.print_string(" : ")
        self.print_list([v.type for v in everything], self.print_attribute)
        self.print_string(")")
        self._print_fields(op, ())

    def _print_fields(self, op: PtoOp, spelled: tuple[str, ...]) -> None:
        hidden = {*_SEGMENTS, *spelled}
        declared = {
            n: op.properties[n] for n in op.signature().fields if n in op.properties and n not in hidden
        }
        self.print_op_attributes({**declared, **op.attributes})

    # --- templates

    def _print_template(self, op: PtoOp, layout: str) -> None:
        shown = re.findall(r"#(\w+)", layout)
        text = self._render(op, layout, tuple(shown))
        if text.strip():
            self.print_string(("" if text.startswith("[") else " ") + text.strip())

    def _render(self, op: PtoOp, layout: str, shown: tuple[str, ...]) -> str:
        def replace(match: re.Match[str]) -> str:
            if (group := match["group"]) is not None:
                return self._render(op, group, shown) if self._is_filled(op, group) else ""
            if name := match["value"]:
                return ", ".join(self._text_of(self.print_ssa_value, v) for v in op.operands_of(name))
            if name := match["type"]:
                (value,) = self._values(op, name)
                return self._text_of(self.print_attribute, value.type)
            if name := match["field"]:
                return self._field_text(op.properties[name], name)
            return self._text_of(lambda _: self._print_fields(op, shown), op)

        return re.sub(r"  +", " ", _TEMPLATE.sub(replace, layout)).replace(" :", " :")

    def _is_filled(self, op: PtoOp, group: str) -> bool:
        names = re.findall(r"([$^#])(\w+)", group)
        return all(n in op.properties if sigil == "#" else bool(self._values(op, n)) for sigil, n in names)

    def _values(self, op: PtoOp, name: str) -> tuple[SSAValue, ...]:
        if name == "result":
            return tuple(op.results)
        return op.operands_of(name)

    def _field_text(self, value: Attribute, name: str) -> str:
        if isinstance(value, DenseArrayBase):
            return ", ".join(str(v) for v in cast("DenseArrayBase[Any]", value).get_values())
        if name == "address":
            return hex(cast("IntegerAttr[Any]", value).value.data)
        return self._text_of(self.print_attribute, value)

    def _text_of(self, write: Callable[[Any], object], item: object) -> str:
        """What a printing method would write."""
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
        attributes = {n: a for n, a in op.attributes.items() if n not in ("op_name__", _SEGMENTS[0])}
        self._print_results(op)
        self.print_string(name)
        self._print_groups(op.operands[:ins], op.operands[ins:])
        self.print_op_attributes(attributes)
        if op.results:
            self.print_string(" -> ")
            self._print_types(op.result_types)


def _ins_and_outs(op: UnregisteredOp) -> tuple[int, int] | None:
    """How many operands an unknown instruction reads and writes, if it was written `ins(...) outs(...)`."""
    sizes = op.attributes.get(_SEGMENTS[0])
    special = any(key in op.attributes for key in (OPERAND_KEYS, EXTRA_OPERANDS))
    if not isinstance(sizes, DenseArrayBase) or special or op.regions or op.properties:
        return None
    if not _OPCODE.fullmatch(op.op_name.data):
        return None
    values = [int(v) for v in sizes.get_values()]
    if len(values) != 2 or sum(values) != len(op.operands):
        return None
    return values[0], values[1]
