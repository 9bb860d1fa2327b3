"""The instruction and operand at the cursor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from inspect import cleandoc

from lsprotocol import types as lsp
from xdsl.ir import Attribute

from ptoas.dialects.pto.instruction import Instruction, PtoOp, Slot
from ptoas.grammar.assembly_format import assembly_format_of
from ptoas.grammar.instructions import opcode_class
from ptoas.lsp.document import Document, SourceStatement

_HEAD = re.compile(r'\s*(?P<results>%[^="]*=(?!=))?\s*(?P<opcode>[A-Za-z_][\w$]*(?:\.[\w$]+)*)')
_OPTION = re.compile(r"\(([^()]*)\)\?")
_PIECE = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class CallSite:
    """An instruction under way: its operands in the order in which this form writes them."""

    op: type[PtoOp]
    label: str
    slots: tuple[Slot, ...]
    active: int | None
    """The operand at the cursor; none behind the last."""

    @property
    def slot(self) -> Slot | None:
        if self.active is None:
            return None
        last = len(self.slots) - 1
        if self.active > last >= 0 and self.slots[last].variadic:
            return self.slots[last]
        return self.slots[self.active] if self.active <= last else None


def unfinished_statement(document: Document, offset: int) -> tuple[SourceStatement | None, str]:
    """The statement that is being typed at an offset, and its text up to there."""
    text = document.blanked
    statement = document.statement_at(offset)
    if statement is None or (statement.regions and offset > statement.start):
        # Behind its last character a statement may still go on, on its own line.
        line = text.rfind("\n", 0, offset) + 1
        near = [s for s in document.statements if s.start < offset and s.end >= line]
        near = [s for s in near if not text[s.end : offset].strip() and "\n" not in text[s.end : offset]]
        if near:
            return near[-1], text[near[-1].start : offset]
        if statement is None or text[line:offset].strip() == "" or _in_body(statement, offset):
            return None, text[line:offset].lstrip()
    return statement, text[statement.start : offset]


def _in_body(statement: SourceStatement, offset: int) -> bool:
    """Return True if an offset lies between the statements of a region."""
    marks = [token.start for token in statement.tokens if token.kind == "REGION"]
    return bool(marks) and offset > marks[0]


def call_at(prefix: str, types: list[Attribute | None] | None = None) -> CallSite | None:
    """The instruction whose text so far is `prefix`."""
    head = _HEAD.match(prefix)
    found = opcode_class(head["opcode"], types or []) if head else None
    if head is None or found is None:
        return None
    op = found[0]
    rest = prefix[head.end() :]
    if not rest:
        return None
    layout = assembly_format_of(op)
    by_name = {slot.name: slot for slot in op.signature().slots}
    if layout.every_form:
        names = [name for name in _PIECE.findall(layout.template) if name in by_name]
        text = " ".join(layout.template.replace("{attrs}", "").replace("$", "%").replace("^", "!").split())
        while (shorter := _OPTION.sub(r"[\1]", text)) != text:
            text = shorter
        slots = tuple(by_name[name] for name in dict.fromkeys(names))
        return CallSite(op, f"{op.mnemonic()} {text}", slots, _by_words(rest, layout.template, slots))
    ins = [slot for slot in by_name.values() if slot.name not in layout.out_names]
    outs = [slot for slot in by_name.values() if slot.name in layout.out_names]
    group = re.match(r"\s*(ins|outs)\b", rest)
    if group:
        label = f"{op.mnemonic()} ins({_names(ins)}) outs({_names(outs)})"
        at = rest.rfind("outs")
        inside = rest[at:] if at >= 0 else rest
        active = _commas(inside.partition("(")[2])
        if active is not None and at >= 0:
            active += len(ins)
        return CallSite(op, label, (*ins, *outs), active)
    first, second = (outs, ins) if issubclass(op, Instruction) else (ins, outs)
    flat = ins if head["results"] else [*first, *second]
    # What may be missing comes last: most statements have none of it.
    flat = sorted(flat, key=lambda slot: slot.optional and slot in ins)
    result = "%dst = " if head["results"] else ""
    return CallSite(op, f"{result}{op.mnemonic()} {_names(flat)}", tuple(flat), _commas(rest))


def _names(slots: list[Slot]) -> str:
    return ", ".join(f"%{slot.name}{'...' * slot.variadic}" for slot in slots)


def _commas(text: str) -> int | None:
    """Count the operands before the cursor; None if the operand list has ended."""
    depth = count = 0
    for char in text:
        if depth == 0 and char in ":{":
            return None
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if depth < 0:
            return None
        if depth == 0 and char == ",":
            count += 1
    return count


def _by_words(rest: str, template: str, slots: tuple[Slot, ...]) -> int | None:
    """The operand of a template, found by the preceding word or else by its number."""
    if re.search(r":(?!\s*\[)", rest):
        return None
    for at, slot in enumerate(slots):
        word = re.search(rf"(\w+)\s*(?:=\s*)?[\[(]?\s*\${slot.name}\b", template)
        if word and re.search(rf"\b{word[1]}\b[^,]*$", rest):
            return at
    return min(len(re.findall(r"%[\w$.-]+\s*[,\[\]]", rest)), max(0, len(slots) - 1)) if slots else None


def signature_help(document: Document, offset: int) -> lsp.SignatureHelp | None:
    statement, prefix = unfinished_statement(document, offset)
    op = document.op_at(statement) if statement is not None else None
    call = call_at(prefix, [operand.type for operand in op.operands] if op is not None else None)
    if call is None:
        return None
    parameters = [
        lsp.ParameterInformation(f"%{slot.name}", f"{slot.kind}{', optional' * slot.optional}")
        for slot in call.slots
    ]
    active = call.active
    if active is not None and call.slot is not None:
        active = call.slots.index(call.slot)
    document_text = lsp.MarkupContent(lsp.MarkupKind.Markdown, cleandoc(call.op.__doc__ or ""))
    shown = lsp.SignatureInformation(call.label, document_text, parameters)
    shown.active_parameter = active
    return lsp.SignatureHelp([shown], 0, active)
