"""Changes of the C++ assembler and what ptoas does about them, from `ptoas/data/upstream.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics.data import load_data


@dataclass(frozen=True)
class Change:
    """A change of the C++ assembler, with a program that shows what ptoas says."""

    version: str
    """Version that has it first."""
    subject: str
    there: str
    """Behaviour of the assembler from that version on."""
    here: str
    """Behaviour of ptoas."""
    program: str
    code: str | None = None
    """The code with which ptoas refuses the program; none if it is accepted."""
    target: str = "a2a3"
    adds: tuple[str, ...] = ()
    """Instructions that earlier versions do not know."""
    renames: dict[str, str] | None = None
    """Instructions that this version does not know any more, with their new names."""


CHANGES: tuple[Change, ...] = tuple(Change(**row) for row in load_data("upstream")["change"])


def page() -> str:
    """The page of the changes.

    >>> from ptoas.project.upstream import page
    >>> page().splitlines()[0]
    '# Changes of the C++ assembler'
    """
    lines = [
        "# Changes of the C++ assembler",
        "",
        "Printed by `python -m ptoas.cli.manual upstream`; do not edit.",
        "",
        "Changes of the tile-level language after version 0.57 of the C++ assembler, and what this tool does "
        "about each. Every row has a program, which is tested. `ptoas verify --assembler 0.57` (or "
        "`'>=0.64'`) reports instructions that these versions do not know.",
        "",
        "| since | subject | there | here |",
        "|---|---|---|---|",
    ]
    for change in CHANGES:
        verdict = f"{change.here} (`{change.code}`)" if change.code else change.here
        lines.append(f"| {change.version} | {change.subject} | {change.there} | {verdict} |")
    for change in CHANGES:
        lines += ["", f"**{change.subject}**, on {change.target}:", ""]
        lines += ["```text", change.program.strip("\n"), "```"]
    return "\n".join(lines) + "\n"
