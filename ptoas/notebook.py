"""What a notebook shows: a module as its text, a report as findings at their lines, a result as its arrays.

Jupyter and its relatives ask an object for `_repr_html_`; here is what those methods return. Everything that
comes from a program is escaped, the colours are the page's own, light and dark, and nothing is loaded from
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics.render import render_full, visible

if TYPE_CHECKING:
    from ptoas.diagnostics import Diagnostic
    from ptoas.runner.options import Result
    from ptoas.verifier.verify import Report

MOST_LINES = 400
"""Of a module; what stands behind them is counted."""

MOST_FINDINGS = 50

_COLOURS = {"error": "#d33a3a", "warning": "#b97a00", "note": "#3b76c4", "ok": "#3f8f3a"}

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
    """A module as text in the form that it has, with its words in colours."""
    from ptoas.compiler.forms import print_module
    from ptoas.dialects.pto.instruction import Instruction

    dps = any(op.is_dps for op in module.walk() if isinstance(op, Instruction))
    lines = print_module(module, "dps" if dps else "ssa").splitlines()
    left = len(lines) - MOST_LINES
    shown = "\n".join(map(visible, lines[:MOST_LINES]))
    more = f"<div>and {left:,} more lines</div>" if left > 0 else ""
    return f"{_block(coloured(shown))}{more}"


def coloured(text: str) -> str:
    """A program as HTML."""
    parts: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        parts.append(escape(text[at : token.start()]))
        parts.append(f'<span style="{_STYLES[token.lastgroup or ""]}">{escape(token.group())}</span>')
        at = token.end()
    return "".join([*parts, escape(text[at:])])


def _block(inner: str) -> str:
    return f'<pre style="line-height:1.35;overflow-x:auto">{inner}</pre>'


def _badge(kind: str, words: str) -> str:
    return f'<b style="color:{_COLOURS[kind]}">{escape(words)}</b>'


def findings_html(found: Iterable[Diagnostic]) -> str:
    """Findings, each with its line, its notes and its fix."""
    listed = list(found)
    blocks: list[str] = []
    for finding in listed[:MOST_FINDINGS]:
        head, _, rest = render_full(finding).partition("\n")
        kind = finding.severity.value
        blocks.append(_block(f"{_badge(kind, head)}\n{escape(rest)}"))
    left = len(listed) - MOST_FINDINGS
    return "".join(blocks) + (f"<div>and {left:,} more</div>" if left > 0 else "")


def report_html(report: Report) -> str:
    """A row a target, then the findings."""
    from ptoas.diagnostics import Severity

    rows: list[str] = []
    for target in report.targets:
        errors, warnings = (report.count(target, kind) for kind in (Severity.ERROR, Severity.WARNING))
        verdict = _badge("ok", "ok") if not errors else _badge("error", "refused")
        rows.append(
            f"<tr><td>{escape(target)}</td><td>{verdict}</td><td>{errors}</td><td>{warnings}</td></tr>"
        )
    head = "<tr><th>target</th><th></th><th>errors</th><th>warnings</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{findings_html(report.diagnostics)}"


def result_html(result: Result) -> str:
    """What the program wrote, argument by argument."""
    from ptoas.runner.report import excerpt

    parts = [f"<div>@{escape(visible(result.entry))} on {escape(result.target)}</div>"]
    for name, array in result.outputs.items():
        shape = "x".join(map(str, array.shape)) or "scalar"
        parts.append(f"<div><b>{escape(visible(name))}</b>: {shape} {escape(str(array.dtype))}</div>")
        parts.append(_block(escape(excerpt(array))))
    if not result.outputs:
        parts.append("<div>no output: the program writes no argument and leaves no tile</div>")
    if result.printed:
        parts.append(_block(escape("\n".join(map(_lines, result.printed)))))
    if result.stats is not None:
        parts.append(_block(escape("\n".join(result.stats.lines()))))
    return "".join([*parts, findings_html(result.warnings)])


def _lines(text: str) -> str:
    return "\n".join(map(visible, text.splitlines()))
