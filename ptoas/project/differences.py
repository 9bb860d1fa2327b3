"""Programs that ptoas and the C++ assembler of the same name judge differently, and why.

The rows are `ptoas/data/differences.toml`; the site's page is generated from them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.diagnostics.data import load_data


@dataclass(frozen=True)
class Difference:
    """A difference to the C++ assembler, with a program and the findings of ptoas."""

    subject: str
    there: str
    """The assembler's verdict."""
    here: str
    """The verdict of ptoas."""
    why: str
    """The source: a header, a page, a document, a decision."""
    program: str
    code: str | None = None
    """The code with which ptoas refuses the program; none if it is accepted."""
    target: str = "a2a3"
    contract: bool = False
    """True if `--assembler` and the assembler's command line refuse the program as the assembler does."""


CHAPTERS: tuple[tuple[str, tuple[Difference, ...]], ...] = tuple(
    (chapter["title"], tuple(Difference(**row) for row in chapter["difference"]))
    for chapter in load_data("differences")["chapter"]
)


def page() -> str:
    """The page of the differences.

    >>> from ptoas.project.differences import page
    >>> page().splitlines()[0]
    '# Where the C++ assembler says something else'
    """
    lines = [
        "# Where the C++ assembler says something else",
        "",
        "Printed by `python -m ptoas.cli.manual differences`; do not edit.",
        "",
        "Both tools read the same programs, and of most they say the same. Where they do not, the header of "
        "the device decides, then the page of the ISA, then the assembler (D39). Every row has a program, "
        "tried on the target that it names: the code is what this tool says of it, and none means that it is "
        "accepted.",
        "",
    ]
    for title, rows in CHAPTERS:
        lines += [f"## {title}", "", "| subject | there | here | why |", "|---|---|---|---|"]
        for row in rows:
            verdict = f"{row.here} (`{row.code}`)" if row.code else row.here
            if row.contract:
                verdict += "; refused with `--assembler` and by the assembler's command line (`PTO-T111`)"
            lines.append(f"| {row.subject} | {row.there} | {verdict} | {row.why} |")
        lines.append("")
        for row in rows:
            lines += [
                f"**{row.subject}**, on {row.target}:",
                "",
                "```text",
                row.program.strip("\n"),
                "```",
                "",
            ]
    return "\n".join(lines).rstrip() + "\n"
