"""The pages of the decisions and of the sources that rules cite, from the data of `ptoas`."""

from __future__ import annotations

import textwrap

from ptoas.diagnostics.citations import chapters, decisions, documents

_NOTICE = "Printed by `python -m docs.manual {}`; do not edit."


def decisions_page() -> str:
    """The page of the decisions."""
    lines = ["# Decisions", "", _NOTICE.format("decisions"), ""]
    lines += [
        "What ptoas does where [its sources](sources.md) are silent, or disagree.",
        "",
    ]
    for chapter, rows in chapters():
        lines.append(f"- {chapter}: {rows[0].name} to {rows[-1].name}")
    for each in decisions().values():
        lines += ["", f"## {each.name}. {each.title}", "", *_filled(f"{each.sentence} {each.more}".strip())]
    return "\n".join(lines).rstrip() + "\n"


def sources_page() -> str:
    """The page of the sources."""
    lines = ["# Sources", "", _NOTICE.format("sources"), ""]
    lines += _filled(
        "Every rule says where it is written. `000, Tile Constraints (A5), Shape constraints` is the part on "
        "shapes, in the A5 half of the section on tiles, of document 000 below; `D22` is a "
        "[decision](decisions.md) of our own; a `;` stands between two sources of one rule. `ptoas explain "
        "CODE` prints what each citation stands for. The documents themselves belong to their authors and do "
        "not ship with ptoas."
    )
    lines += [""]
    for document in documents():
        lines += [f"## {document.name}: {document.title}", "", *_filled(document.about), ""]
        if document.page:
            lines += [f"[Public page]({document.page})", ""]
        if document.sections:
            lines += ["Cited of it:", "", *(f"- {section}" for section in document.sections), ""]
    return "\n".join(lines).rstrip() + "\n"


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False)
