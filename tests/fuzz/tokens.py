"""Words of a text by their kind, and what a word may be exchanged for."""

from __future__ import annotations

import re
from functools import cache

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<comment>(?:\#(?![\w])|//)[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<value>%[\w$.-]*(?:\#\d+)?)
    | (?P<type>!\w[\w.$]*(?:<(?:[^<>\n]|<(?:[^<>\n]|<[^<>\n]*>)*>)*>)?)
    | (?P<attribute>\#\w[\w.$]*(?:<[^<>\n]*>)?)
    | (?P<symbol>@[\w$.-]+)
    | (?P<label>\^\w+)
    | (?P<scalar>(?:[su]?i|u|b?f)\d+(?:[eE]\d[mM]\d\w*)?(?![\w.])|index(?!\w))
    | (?P<number>-?(?:0[xX][0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?![\w.]))
    | (?P<opcode>(?:\.\w+|[A-Za-z_][\w$]*(?:\.[\w$]+)+|[tm][a-z]{2,}))
    | (?P<word>[A-Za-z_][\w.$-]*)
    | (?P<arrow>->)
    | (?P<mark>.)
    """,
    re.X | re.S,
)

Token = tuple[str, str]
"""A kind and a text."""


def split(text: str) -> list[Token]:
    """Every character of the text is in one of the tokens."""
    return [(match.lastgroup or "mark", match.group()) for match in _TOKEN.finditer(text)]


def join(tokens: list[Token]) -> str:
    return "".join(text for _, text in tokens)


_BITS = (7, 8, 15, 16, 31, 32, 53, 63, 64, 128)
EXTREMES: tuple[str, ...] = (
    *("0", "-0", "1", "-1", "2", "3", "5", "7", "9", "17", "33", "255", "257", "65535", "65537", "1000000"),
    *(str(2**bits + near) for bits in _BITS for near in (-1, 0, 1)),
    *(str(-(2**bits) - near) for bits in _BITS for near in (0, 1)),
    *("1000000000000", "1" + "0" * 30, "9" * 299, "9" * 301, "9" * 5000, "0" * 40 + "1"),
    *("0x0", "0xFFFFFFFF", "0x7FC00000", "0x" + "F" * 200, "0x", "1e308", "1e999", "-1e-999", "1e999999999"),
    *("1.5", "0.0", "-0.0", "1.", ".5", "1e", "nan", "inf", "?", "+1", "--1", "1_000", "١٢", "²"),
)
"""Numbers at the edges of what types hold, and things that are nearly numbers."""


@cache
def vocabulary() -> dict[str, tuple[str, ...]]:
    """Every word of the starting texts and of the dialect, by kind."""
    from ptoas.dialects.pto import OPS
    from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES
    from ptoas.targets import TARGETS
    from tests.fuzz.seeds import programs

    found: dict[str, dict[str, None]] = {}
    for program in programs():
        for kind, text in split(program.decode()):
            if kind not in ("space", "comment", "mark"):
                found.setdefault(kind, {})[text] = None
    for op in OPS:
        found["opcode"] |= dict.fromkeys((op.mnemonic(), op.name, f'"{op.name}"'))
        found["word"] |= dict.fromkeys(op.signature().fields)
    for enum in ENUM_ATTRIBUTES:
        spellings = [str(word) for word in enum.spellings()]
        found["word"] |= dict.fromkeys(spellings)
        found["attribute"] |= dict.fromkeys(f"#{enum.name}<{word}>" for word in spellings)
    found["string"] |= dict.fromkeys(f'"{name}"' for name in TARGETS)
    found["number"] |= dict.fromkeys(EXTREMES)
    found["opcode"] |= dict.fromkeys(_OTHER_OPCODES)
    return {kind: tuple(sorted(texts)) for kind, texts in found.items()}


_OTHER_OPCODES = (
    *(
        "scf.for",
        "scf.if",
        "scf.while",
        "scf.yield",
        "scf.condition",
        "func.func",
        "func.call",
        "func.return",
    ),
    *(
        "arith.constant",
        "arith.addi",
        "arith.divsi",
        "arith.remui",
        "arith.shli",
        "arith.cmpi",
        "arith.select",
    ),
    *("arith.index_cast", "arith.sitofp", "arith.fptosi", "arith.mulf", "arith.divf", "arith.extf", "cf.br"),
    *("module", "builtin.module", "builtin.unrealized_conversion_cast", "return", "memref.alloc", "no.such"),
)
