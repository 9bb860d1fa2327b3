"""A program as HTML, for notebooks. Everything that comes from a program is escaped."""

from __future__ import annotations

import re
from html import escape

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics.html import preformatted
from ptoas.diagnostics.render import visible
from ptoas.dialects.pto.instruction import Instruction
from ptoas.grammar.printer import write_module

MOST_LINES = 400
"""Lines of a module that are shown; the rest is counted."""

_TOKEN = re.compile(
    r"(?P<comment>(?<!\S)//.*|(?<!\S)#(?=[\s#]).*)|(?P<value>%[\w#.$-]+)|(?P<symbol>@[\w.$-]+)"
    r"|(?P<type>!\w[\w.]*)|(?P<string>\"[^\"\n]*\")|(?P<word>\b(?:pto|scf|arith|func|comm|fence)\.[\w.]+)"
)
_STYLES = {
    "comment": "opacity:.6",
    "value": "color:#3b76c4",
    "symbol": "color:#8a63c0",
    "type": "color:#1f8c88",
    "string": "color:#b0762f",
    "word": "font-weight:600",
}


def module_html(module: ModuleOp) -> str:
    """Return the text of a module in the form that its instructions have, with colours."""
    forms = {op.is_dps for op in module.walk() if isinstance(op, Instruction)}
    form = "generic" if len(forms) > 1 else "dps" if True in forms else "ssa"
    lines = write_module(module, form, comments=False).splitlines()
    left = len(lines) - MOST_LINES
    shown = "\n".join(map(visible, lines[:MOST_LINES]))
    more = f"<div>and {left:,} more lines</div>" if left > 0 else ""
    return f"{preformatted(coloured(shown))}{more}"


def coloured(text: str) -> str:
    """A program as HTML."""
    parts: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        parts.append(escape(text[at : token.start()]))
        parts.append(f'<span style="{_STYLES[token.lastgroup or ""]}">{escape(token.group())}</span>')
        at = token.end()
    return "".join([*parts, escape(text[at:])])
