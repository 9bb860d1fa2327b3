"""The grammar for VS Code and others that read TextMate's."""

from __future__ import annotations

import json
import re
from typing import Any

Words = dict[str, list[str]]

_BEFORE, _AFTER = r"(?<![\w$.%@!#^-])", r"(?![\w$-]|\.\w)"


def _any(words: list[str]) -> str:
    return "|".join(map(re.escape, words))


def patterns(words: Words) -> list[tuple[str, str]]:
    """Scopes and what has them, in the order in which they are tried; each is one line of text."""
    suffix = rf"(?:\.(?:{_any(words['suffixes'])}))*"
    return [
        ("comment.line.check.pto", r"(?://|#)\s*(?:RUN-CHECK(?:\[[^\]\n]*\])?|ARGS|RUN):[^\n]*"),
        ("comment.line.pto", r"//[^\n]*|#(?=[\s#]|$)[^\n]*|^[ \t]*#(?![A-Za-z_][\w.$-]*\s*=)[^\n]*"),
        ("string.quoted.double.pto", r'"(?:[^"\\\n]|\\.)*"'),
        ("keyword.control.directive.pto", rf"(?<![\w.])(?:{_any(words['directives'])})\b"),
        ("keyword.control.pto", rf"{_BEFORE}(?:{_any(words['mlir'])}){_AFTER}"),
        (
            "support.function.instruction.pto",
            rf"{_BEFORE}(?:pto\.)?(?:{_any(words['instructions'])}){suffix}{_AFTER}",
        ),
        ("support.type.pto", rf"!?pto\.(?:{_any(words['types'])})(?![\w.])"),
        ("entity.name.type.alias.pto", r"![A-Za-z_][\w.$-]*"),
        ("support.constant.enum.pto", rf"#pto(?:\.(?:{_any(words['enums'])})(?![\w.])|(?=<))"),
        ("entity.name.constant.alias.pto", r"#[A-Za-z_][\w.$-]*"),
        ("variable.other.pto", r"%[\w$.-]*(?:#\d+)?"),
        ("entity.name.function.pto", r'@(?:[\w$.-]+|"[^"\n]*")'),
        ("entity.name.label.pto", r"\^[\w$.-]+"),
        ("storage.type.scalar.pto", rf"(?<![\w$.%@!#^-])(?:{_any(words['scalars'])})(?![\w$.-])"),
        ("constant.numeric.shape.pto", r"(?<![\w$.%])(?:\d+|\?)x(?:(?:\d+|\?)x)*(?=[A-Za-z!])"),
        ("storage.type.scalar.pto", rf"(?<=\dx|\?x)(?:{_any(words['scalars'])})(?![\w$.-])"),
        ("entity.other.attribute-name.pto", rf"(?<![\w$.%])(?:{_any(words['attributes'])})(?=\s*=(?!=))"),
        ("constant.language.member.pto", rf"(?<=[<=\s])(?:{_any(words['members'])})(?=\s*[>,}}\s]|$)"),
        ("keyword.other.pto", rf"{_BEFORE}(?:{_any(words['words'])})(?![\w$.-])"),
        (
            "constant.numeric.pto",
            r"(?<![\w$.%])[-+]?(?:0[xX][0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?![\w.])",
        ),
        ("keyword.operator.pto", r"->|="),
    ]


def textmate(words: Words) -> str:
    """The grammar as JSON."""
    found: dict[str, Any] = {
        "information": "Made by python -m ptoas.editors; do not edit.",
        "name": "PTO",
        "scopeName": "source.pto",
        "fileTypes": ["pto"],
        "patterns": [{"name": scope, "match": pattern} for scope, pattern in patterns(words)],
    }
    return json.dumps(found, indent=2) + "\n"
