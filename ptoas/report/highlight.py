"""Colours of a program's text in a page."""

from __future__ import annotations

import re
from html import escape

KINDS = {
    "comment": r"(?://|#(?!\w)).*",
    "string": r'"(?:[^"\\]|\\.)*"',
    "value": r"%[\w.$-]+",
    "type": r"![\w.]+",
    "attribute": r"#[\w.]+",
    "number": r"(?<![\w.])(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?)(?![\w.])",
    "op": r"\b(?:pto|arith|scf|func|math)\.[\w.]+|(?<==\s)[a-z][\w.]+|^\s*[a-z][\w.]+",
}
"""Regular expressions of coloured parts."""

_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()))


def coloured(line: str) -> str:
    """A line of a program as HTML.

    >>> coloured("%a = tload %x # <")
    '<s class="value">%a</s> = <s class="op">tload</s> <s class="value">%x</s> <s class="comment"># &lt;</s>'
    """
    parts: list[str] = []
    at = 0
    for token in _TOKEN.finditer(line):
        parts.append(escape(line[at : token.start()]))
        parts.append(f'<s class="{token.lastgroup}">{escape(token[0])}</s>')
        at = token.end()
    return "".join([*parts, escape(line[at:])])
