"""Pages about the C++ assembler of the same name: programs that it judges differently, and its changes.

The rows are `ptoas/data/differences.toml` and `ptoas/data/upstream.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics.data import load_data


@dataclass(frozen=True, kw_only=True)
class Row:
    """A behaviour of the C++ assembler and of ptoas, with a program that shows what ptoas says."""

    subject: str
    there: str
    """Behaviour of the assembler."""
    here: str
    """Behaviour of ptoas."""
    program: str
    code: str | None = None
    """The code with which ptoas refuses the program; none if it is accepted."""
    target: str = "a2a3"

    @property
    def verdict(self) -> str:
        return f"{self.here} (`{self.code}`)" if self.code else self.here

    @property
    def example(self) -> list[str]:
        """The lines of the page that show the program."""
        program = self.program.strip("\n")
        return [f"**{self.subject}**, on {self.target}:", "", "```text", program, "```", ""]


@dataclass(frozen=True, kw_only=True)
class Difference(Row):
    """A difference to the C++ assembler."""

    why: str
    """The source: a header, a page, a document, a decision."""
    contract: bool = False
    """True if `--assembler` and the assembler's command line refuse the program as the assembler does."""

    @property
    def verdict(self) -> str:
        refused = "; refused with `--assembler` and by the assembler's command line (`PTO-T111`)"
        return super().verdict + refused * self.contract


@dataclass(frozen=True, kw_only=True)
class Change(Row):
    """A change of the C++ assembler."""

    version: str
    """Version that has it first."""
    adds: tuple[str, ...] = ()
    """Instructions that earlier versions do not know."""
    renames: dict[str, str] | None = None
    """Instructions that this version does not know any more, with their new names."""


CHAPTERS: tuple[tuple[str, tuple[Difference, ...]], ...] = tuple(
    (chapter["title"], tuple(Difference(**row) for row in chapter["difference"]))
    for chapter in load_data("differences")["chapter"]
)

CHANGES: tuple[Change, ...] = tuple(Change(**row) for row in load_data("upstream")["change"])


def differences() -> str:
    """The page of the differences."""
    lines = [
        "# Where the C++ assembler says something else",
        "",
        "Printed by `python -m docs.manual differences`; do not edit.",
        "",
        "Both tools read the same programs, and of most they say the same. Where they do not, the header of "
        "the device decides, then the page of the ISA, then the assembler (D39). Every row has a program, "
        "tried on the target that it names: the code is what this tool says of it, and none means that it is "
        "accepted.",
        "",
    ]
    for title, rows in CHAPTERS:
        lines += [f"## {title}", "", "| subject | there | here | why |", "|---|---|---|---|"]
        lines += [f"| {row.subject} | {row.there} | {row.verdict} | {row.why} |" for row in rows]
        lines.append("")
        for row in rows:
            lines += row.example
    return "\n".join(lines).rstrip() + "\n"


def changes() -> str:
    """The page of the changes."""
    lines = [
        "# Changes of the C++ assembler",
        "",
        "Printed by `python -m docs.manual upstream`; do not edit.",
        "",
        "Changes of the tile-level language after version 0.57 of the C++ assembler, and what this tool does "
        "about each. Every row has a program, which is tested. `ptoas verify --assembler 0.57` (or "
        "`'>=0.64'`) reports instructions that these versions do not know.",
        "",
        "| since | subject | there | here |",
        "|---|---|---|---|",
    ]
    lines += [f"| {row.version} | {row.subject} | {row.there} | {row.verdict} |" for row in CHANGES]
    lines.append("")
    for row in CHANGES:
        lines += row.example
    return "\n".join(lines).rstrip() + "\n"
