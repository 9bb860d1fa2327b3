"""Diagnostics as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ptoas.diagnostics import Diagnostic, Severity, Span
from ptoas.diagnostics.citations import cited_page, explain
from ptoas.diagnostics.codes import CODES
from ptoas.diagnostics.fingerprints import fingerprints, uri
from ptoas.diagnostics.origins import OriginLocation
from ptoas.diagnostics.pages import served_page_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def to_sarif(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    """One run with its rules and results, as plain data."""
    from ptoas import __version__

    found = list(diagnostics)
    prints = fingerprints(found)
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
                "results": [_result(d, places[d.code], p) for d, p in zip(found, prints, strict=True)],
            }
        ],
    }


def render_sarif(diagnostics: Iterable[Diagnostic]) -> str:
    return json.dumps(to_sarif(diagnostics), indent=2)


def _rule(code: str) -> dict[str, Any]:
    info = CODES[code]
    page = served_page_of(code) or cited_page(info.source)
    described: dict[str, Any] = {"id": code}
    if info.rule is not None:
        described["name"] = "".join(word.capitalize() for word in info.rule.split("_"))
    described |= {"shortDescription": {"text": info.title}, "fullDescription": {"text": info.meaning}}
    if info.severity is not None:
        described["defaultConfiguration"] = {"level": _LEVELS[info.severity]}
    explanation = explain(code)
    described["help"] = {"text": explanation, "markdown": f"```text\n{explanation}\n```"}
    return described if page is None else {**described, "helpUri": page}


def _result(diagnostic: Diagnostic, rule_index: int, fingerprint: str) -> dict[str, Any]:
    d = diagnostic
    message = d.message + (f" (fix: {d.fix})" if d.fix else "")
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": rule_index,
        "level": _LEVELS[d.severity],
        "message": {"text": message},
        "locations": [{"physicalLocation": _place(d.span) if d.origin is None else _origin(d.origin)}],
        "partialFingerprints": {"ptoasFinding/v1": fingerprint},
    }
    related = [
        {"id": at, "physicalLocation": _place(note.span), "message": {"text": note.message}}
        for at, note in enumerate(d.notes, 1)
        if note.span is not None
    ]
    if d.origin is not None:
        generated = {
            "physicalLocation": _place(d.span),
            "message": {"text": "the statement generated from it"},
        }
        related.append({"id": len(d.notes) + 1, **generated})
    if related:
        result["relatedLocations"] = related
    if d.edits:
        result["fixes"] = [_fix(d)]
    if d.targets:
        result["properties"] = {"targets": list(d.targets)}
    return result


def _origin(origin: OriginLocation) -> dict[str, Any]:
    region = {"startLine": origin.line, "startColumn": origin.column}
    return {"artifactLocation": {"uri": uri(origin.file)}, "region": region}


def _fix(d: Diagnostic) -> dict[str, Any]:
    """The edits of a finding; all are in the file that it is in."""
    replacements = [
        {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in d.edits
    ]
    change = {"artifactLocation": {"uri": uri(d.span.file)}, "replacements": replacements}
    safe = all(edit.safe for edit in d.edits)
    return {
        "description": {"text": d.fix or "the edit that puts it right"},
        "artifactChanges": [change],
        "properties": {"safe": safe},
    }


def _region(span: Span) -> dict[str, int]:
    line, column = span.source.position(span.offset)
    end_line, end_column = span.source.position(span.offset + span.length)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _place(span: Span) -> dict[str, Any]:
    shown = Span(span.source, span.offset, max(1, span.length))
    return {"artifactLocation": {"uri": uri(span.file)}, "region": _region(shown)}
