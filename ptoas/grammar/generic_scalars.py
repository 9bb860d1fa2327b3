"""Scalar operations that the C++ assembler has under names of its own from version 0.64 on.

They are read as the `arith` operations that they are: `pto.divi %a, %b signed : i32` as
`arith.divsi %a, %b : i32`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute

from ptoas.grammar import tree as t
from ptoas.grammar.attributes import Resolver
from ptoas.grammar.problems import StatementProblem

_UNCHANGED = (
    "constant", "addi", "addf", "subi", "subf", "muli", "mulf", "divf", "negf", "remf", "cmpf", "select",
    "trunci", "addui_extended",
)  # fmt: skip
_RENAMED = {
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "shl": "shli",
    "maximum": "maximumf",
    "minimum": "minimumf",
    "maxf": "maxnumf",
    "minf": "minnumf",
}
_BY_SIGN = {
    "divi": ("divsi", "divui"),
    "floordiv": ("floordivsi", "divui"),
    "ceildiv": ("ceildivsi", "ceildivui"),
    "remi": ("remsi", "remui"),
    "shr": ("shrsi", "shrui"),
    "cmpi": ("cmpi", "cmpi"),
    "maxi": ("maxsi", "maxui"),
    "mini": ("minsi", "minui"),
    "exti": ("extsi", "extui"),
    "itof": ("sitofp", "uitofp"),
    "ftoi": ("fptosi", "fptoui"),
    "index_cast": ("index_cast", "index_castui"),
    "mul_extended": ("mulsi_extended", "mului_extended"),
}
_SIGNS = ("signed", "unsigned")
_RELATIONS = ("lt", "le", "gt", "ge")
OPCODES = tuple(f"pto.{name}" for name in (*_UNCHANGED, *_RENAMED, *_BY_SIGN, "ftof"))


def as_arith(
    body: t.InstructionNode, types: Sequence[Attribute | None], resolver: Resolver
) -> t.InstructionNode:
    """Return the statement of `arith` that is equivalent to a generic scalar operation."""
    name = body.opcode.text.removeprefix("pto.")
    items = list(body.items)
    if name in _BY_SIGN:
        sign = items.pop() if items else None
        if not isinstance(sign, t.WordNode) or sign.text not in _SIGNS:
            raise StatementProblem(
                "PTO-P010",
                f"`{body.opcode.text}` needs `signed` or `unsigned` after its operands",
                body.opcode,
            )
        prefix = sign.text[0]
        own = _BY_SIGN[name][_SIGNS.index(sign.text)]
    elif name == "ftof":
        prefix, own = "", _float_cast(body, types, resolver)
    else:
        prefix, own = "o", _RENAMED.get(name, name)
    if name in ("cmpi", "cmpf") and items:
        items[0] = _predicate(items[0], prefix, _RELATIONS if name == "cmpi" else ("eq", "ne", *_RELATIONS))
    opcode = t.WordNode(body.opcode.start, body.opcode.end, f"arith.{own}")
    return t.InstructionNode(body.start, body.end, opcode, tuple(items), body.typing, body.trailing)


def _predicate(word: t.Item, prefix: str, relations: Sequence[str]) -> t.Item:
    """The predicate as `arith` writes it: `slt`, `olt`; `one` for `ne` of floats."""
    if not isinstance(word, t.WordNode) or word.text not in relations:
        return word
    return t.WordNode(word.start, word.end, prefix + word.text)


def _float_cast(body: t.InstructionNode, types: Sequence[Attribute | None], resolver: Resolver) -> str:
    typing, value = body.typing, next((item for item in body.items if isinstance(item, t.ValueNode)), None)
    outputs = resolver.types(typing.outputs) if typing is not None and typing.outputs else []
    source = None if value is None else types[value.slot]
    if not isinstance(source, AnyFloat) or not outputs or not isinstance(outputs[0], AnyFloat):
        raise StatementProblem("PTO-P043", "`pto.ftof` needs both types: `: f32 -> f16`", body.opcode)
    return "extf" if outputs[0].bitwidth > source.bitwidth else "truncf"
