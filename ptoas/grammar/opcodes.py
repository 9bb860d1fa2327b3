"""Which class an opcode names."""

from __future__ import annotations

import re

from xdsl.ir import Attribute

from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.isa_names import ISA_NAMES
from ptoas.grammar import tree as t
from ptoas.grammar.problems import StatementProblem
from ptoas.spelling import nearest

OPCODES: dict[str, type[PtoOp]] = {name: op for op in OPS for name in (op.mnemonic(), *op.ALIASES)}
OVERLOADS: dict[str, type[PtoOp]] = {name: op for op in OPS for name in op.OVERLOADS}

_WORD = re.compile(r"(?<![@$^#&{:\w])[A-Za-z_]\w*")


def part_words() -> frozenset[str]:
    """The words of all templates: `sizes`, `valid`, `recv`; none of them is an opcode."""
    templates = " ".join(op.LAYOUT for op in OPS if op.LAYOUT is not None)
    return frozenset(_WORD.findall(templates)) - OPCODES.keys()


def opcode_class(text: str, types: list[Attribute | None]) -> tuple[type[PtoOp], list[str]] | None:
    """The class that an opcode names, and the suffix words that follow its name."""
    words = text.removeprefix("pto.").split(".")
    for size in range(len(words), 0, -1):
        name = ".".join(words[:size])
        if name in OVERLOADS and OVERLOADS[name].claims(types):
            return OVERLOADS[name], words[size:]
        if name in OPCODES:
            return OPCODES[name], words[size:]
        if name in ISA_NAMES:
            return None  # `tmatmul.mx` is an instruction of its own, not `tmatmul` with a suffix.
    return None


def unknown_opcode(node: t.Word, others: list[str]) -> StatementProblem:
    """What is wrong with an opcode that names no class; `others` are those outside PTO."""
    prefix = "pto." if node.text.startswith("pto.") else ""
    name = node.text.removeprefix("pto.")
    spelled = name.lower()  # the instruction library's calls are in capitals
    if spelled in ISA_NAMES and spelled not in OPCODES:
        message = f"`{spelled}` is an instruction of PTO that ptoas does not have yet"
        return StatementProblem("PTO-P020", message, node, "`--allow-unregistered` keeps it as it is")
    near = OPCODES[spelled].mnemonic() if spelled in OPCODES else nearest(name, [*OPCODES, *others])
    stem, dot, suffix = name.partition(".")
    if dot and (meant := nearest(stem, [n for n in OPCODES if OPCODES[n].SUFFIXES])):
        near = f"{meant}.{suffix}"
    fix = None
    if near is not None:
        fix = f"did you mean `{near if near in others else prefix + near}`?"
    return StatementProblem("PTO-P020", f"unknown instruction `{node.text}`", node, fix)
