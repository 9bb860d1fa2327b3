"""Classes by opcode."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.ir import Attribute

from ptoas.diagnostics.spelling import nearest
from ptoas.dialects.pto import OPCODES, OPS, OVERLOADS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.isa_names import refused, without_text
from ptoas.grammar import tree as t
from ptoas.grammar.problems import StatementProblem

_WORD = re.compile(r"(?<![@$^#&{:\w])[A-Za-z_]\w*")


_SHORTENED = {
    "func": "func.func",
    "for": "scf.for",
    "if": "scf.if",
    "while": "scf.while",
    "call": "func.call",
}
"""Words of MLIR without their dialect."""


def part_words(ops: Iterable[type[PtoOp]] = OPS) -> set[str]:
    """The words of the templates of instructions: `sizes`, `valid`, `recv`; none of them is an opcode."""
    return {word for op in ops for word in _WORD.findall(op.ASSEMBLY_FORMAT or "")} - OPCODES.keys()


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
    if name in _SHORTENED:
        near, others = _SHORTENED[name], [_SHORTENED[name]]
    stem, dot, suffix = name.partition(".")
    if dot and (similar := nearest(stem, sorted(name for name, op in OPCODES.items() if op.SUFFIXES))):
        near = f"{similar}.{suffix}"
    fix = None
    if near is not None:
        fix = f"did you mean `{near if near in others else prefix + near}`?"
    return StatementProblem("PTO-P020", f"unknown instruction `{node.text}`", node, fix)
