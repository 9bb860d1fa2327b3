"""The syntax file for Vim and Neovim."""

from __future__ import annotations

import re
from collections.abc import Iterator

Words = dict[str, list[str]]

_GROUPS = {
    "ptoInstruction": "Function",
    "ptoStructure": "Statement",
    "ptoDirective": "PreProc",
    "ptoWord": "Keyword",
    "ptoType": "Type",
    "ptoScalar": "Type",
    "ptoAlias": "Typedef",
    "ptoAttribute": "Constant",
    "ptoKey": "Identifier",
    "ptoMember": "Constant",
    "ptoValue": "Identifier",
    "ptoSymbol": "Function",
    "ptoLabel": "Label",
    "ptoNumber": "Number",
    "ptoShape": "Number",
    "ptoString": "String",
    "ptoComment": "Comment",
    "ptoCheck": "SpecialComment",
    "ptoTodo": "Todo",
}
"""Our groups, and Vim's that they look like."""


def _any(words: list[str]) -> str:
    r"""An alternation in Vim's `\v` mode, where most signs mean something."""
    return "|".join(re.sub(r"([^\w])", r"\\\1", word) for word in words)


_WORD = r"[[:alnum:]_$.%@!#^-]"
_BEFORE, _AFTER = rf"{_WORD}@<!", r"[[:alnum:]_$.-]@!"
_OPCODE_END = r"([[:alnum:]_$-]|\.[[:alnum:]_])@!"


def _patterns(words: Words) -> dict[str, str]:
    """Return the pattern of each syntax group; where two match at one position, the later one wins."""
    every = {kind: f"({_any(listed)})" for kind, listed in words.items()}
    suffix = rf"(\.{every['suffixes']})*"
    return {
        "ptoNumber": r"[%[:alnum:]_$.]@<![-+]?(0[xX]\x+|\d+(\.\d*)?([eE][-+]?\d+)?)[[:alnum:]_.]@!",
        "ptoWord": rf"{_BEFORE}{every['words']}{_AFTER}",
        "ptoMember": rf"[<= ]@<={every['members']}(\s*[>,}} ]|$)@=",
        "ptoKey": rf"[[:alnum:]_$.%]@<!{every['attributes']}(\s*\=)@=",
        "ptoShape": r"[[:alnum:]_$.%]@<!(\d+|\?)x((\d+|\?)x)*[A-Za-z!]@=",
        "ptoScalar": rf"({_BEFORE}|([0-9?]x)@<=){every['scalars']}{_AFTER}",
        "ptoLabel": r"\^[[:alnum:]_$.-]+",
        "ptoSymbol": r"\@[[:alnum:]_$.-]+",
        "ptoValue": r"\%[[:alnum:]_$.-]*(#\d+)?",
        "ptoAlias": r"[!#][A-Za-z_][[:alnum:]_.$-]*",
        "ptoAttribute": rf"#pto(\.{every['enums']}[[:alnum:]_.]@!|\<@=)",
        "ptoType": rf"!?pto\.{every['types']}[[:alnum:]_.]@!",
        "ptoInstruction": rf"{_BEFORE}(pto\.)?{every['instructions']}{suffix}{_OPCODE_END}",
        "ptoStructure": rf"{_BEFORE}{every['mlir']}{_OPCODE_END}",
        "ptoDirective": rf"[[:alnum:]_.]@<!{every['directives']}[[:alnum:]_]@!",
        "ptoComment": r"\/\/.*|#(\s|#|$)@=.*|^\s*#([A-Za-z_][[:alnum:]_.$-]*\s*\=)@!.*",
        "ptoCheck": r"(\/\/|#)\s*(RUN-CHECK(\[[^\]]*\])?|ARGS|RUN):.*",
    }


def _lines(words: Words) -> Iterator[str]:
    yield '" Made by python -m ptoas.editors; do not edit.'
    yield from ("if exists('b:current_syntax')", "  finish", "endif", "")
    for group, pattern in _patterns(words).items():
        yield rf"syn match {group} /\v{pattern}/" + " contains=ptoTodo" * (group == "ptoComment")
    yield r'syn region ptoString start=/"/ skip=/\\./ end=/"/ oneline'
    yield "syn keyword ptoTodo TODO FIXME XXX contained"
    yield "syn sync minlines=50"
    yield ""
    yield from (f"hi def link {ours} {theirs}" for ours, theirs in _GROUPS.items())
    yield from ("", "let b:current_syntax = 'pto'")


def vim(words: Words) -> str:
    return "\n".join(_lines(words)) + "\n"
