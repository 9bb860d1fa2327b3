"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote_from_bytes

from ptoas.diagnostics import Diagnostic, Severity, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def to_sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """One run with its rules and results, as plain data."""
    from ptoas import __version__

    found = list(diagnostics)
    codes = sorted({d.code for d in found})
    places = {code: at for at, code in enumerate(codes)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ptoas",
                        "version": __version__,
                        "semanticVersion": __version__,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(d, places[d.code]) for d in found],
            }
        ],
    }


def render_sarif(diagnostics: Iterable[Diagnostic]) -> str:
    return json.dumps(to_sarif(diagnostics), indent=2)


def _rule(code: str) -> dict[str, Any]:
    from ptoas.diagnostics.codes import MEANINGS
    from ptoas.targets.rule import RULES, load_rules

    load_rules()
    rule = RULES.get(code)
    if rule is not None:
        return {
            "id": code,
            "name": "".join(word.capitalize() for word in rule.name.split("_")),
            "shortDescription": {"text": rule.statement},
            "fullDescription": {"text": f"{rule.statement} {rule.reason} [{rule.source}]"},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        }
    title, meaning = MEANINGS[code]
    return {"id": code, "shortDescription": {"text": title}, "fullDescription": {"text": meaning}}


def _result(diagnostic: Diagnostic, rule_index: int) -> dict[str, Any]:
    d = diagnostic
    message = d.message + (f" (fix: {d.fix})" if d.fix else "")
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[d.severity],
        "message": {"text": message},
        "locations": [{"physicalLocation": _place(d.span)}],
    }
    related = [
        {"id": at, "physicalLocation": _place(note.span), "message": {"text": note.message}}
        for at, note in enumerate(d.notes, 1)
        if note.span is not None
    ]
    if related:
        result["relatedLocations"] = related
    if d.targets:
        result["properties"] = {"targets": list(d.targets)}
    return result


def _place(span: Span) -> dict[str, Any]:
    line, column = span.source.position(span.offset)
    end_line, end_column = span.source.position(span.offset + max(1, span.length))
    return {
        "artifactLocation": {"uri": _uri(span.file)},
        "region": {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column},
    }


def _uri(file: str) -> str:
    """A path as a URI; relative paths stay relative, so that a host finds them in the repository."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote_from_bytes(os.fsencode(file.replace(os.sep, "/")))
