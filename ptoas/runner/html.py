"""Results of runs as HTML, for notebooks. Everything that comes from a program is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ptoas.diagnostics.html import findings_html, preformatted
from ptoas.diagnostics.render import visible
from ptoas.runner.report import excerpt

if TYPE_CHECKING:
    from ptoas.runner.options import Result


def result_html(result: Result) -> str:
    """The outputs of the program, argument by argument."""
    parts = [f"<div>@{escape(visible(result.entry))} on {escape(result.target)}</div>"]
    for name, array in result.outputs.items():
        shape = "x".join(map(str, array.shape)) or "scalar"
        parts.append(f"<div><b>{escape(visible(name))}</b>: {shape} {escape(str(array.dtype))}</div>")
        parts.append(preformatted(escape(excerpt(array))))
    if not result.outputs:
        parts.append("<div>no output: the program writes no argument and leaves no tile</div>")
    if result.printed:
        parts.append(preformatted(escape("\n".join(map(_lines, result.printed)))))
    if result.stats is not None:
        parts.append(preformatted(escape("\n".join(result.stats.lines()))))
    return "".join([*parts, findings_html(result.warnings)])


def _lines(text: str) -> str:
    return "\n".join(map(visible, text.splitlines()))
