"""Where this tool and the C++ assembler of the same name say different things of one program, and why.

`docs/differences.md` is printed from here; tests/test_differences.py tries every program.
"""

from __future__ import annotations

from ptoas.differences import channels, cube, memory, programs, vector
from ptoas.differences.difference import Difference

CHAPTERS: tuple[tuple[str, tuple[Difference, ...]], ...] = (
    ("Programs and placement", programs.ROWS),
    ("Memory and views", memory.ROWS),
    ("Vector instructions", vector.ROWS),
    ("The matrix unit", cube.ROWS),
    ("Channels and cores", channels.ROWS),
)


def page() -> str:
    """The page `docs/differences.md`.

    >>> from ptoas.differences import page
    >>> page().splitlines()[0]
    '# Where the C++ assembler says something else'
    """
    lines = [
        "# Where the C++ assembler says something else",
        "",
        "Printed by `python -m ptoas.cli.manual differences`; do not edit.",
        "",
        "Both tools read the same programs, and of most they say the same. Where they do not, the header of the "
        "device decides, then the page of the ISA, then the assembler (D39). Every row has a program, tried on "
        "the target that it names: the code is what this tool says of it, and none means that it is accepted.",
        "",
    ]
    for title, rows in CHAPTERS:
        lines += [f"## {title}", "", "| subject | there | here | why |", "|---|---|---|---|"]
        for row in rows:
            verdict = f"{row.here} (`{row.code}`)" if row.code else row.here
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
