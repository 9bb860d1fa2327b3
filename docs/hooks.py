"""Hooks of MkDocs that add the reference, the examples, CONTRIBUTING.md and SECURITY.md to the site.

MkDocs calls these functions. In the repository a page links to `../examples/NAME.pto`, which a reader of the
files can open; on the site every example is a page.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from docs import manual, reference  # noqa: E402
from tests.known_bugs.reports import BugReport, all_reports  # noqa: E402

HIDDEN = {
    "rules/": ("navigation", "toc"),
    "examples/": ("navigation", "toc"),
    "instructions/": ("navigation",),
}
"""Sidebars that are empty on generated pages; without them programs have the whole width."""

ABOVE = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}


def examples() -> dict[str, Path]:
    """Programs by the address of their page."""
    found = sorted((ROOT / "examples").rglob("*.pto"))
    return {str(path.relative_to(ROOT).with_suffix(".md")): path for path in found}


def description(path: Path) -> str:
    """Return the comment at the head of a program."""
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("#", "//")):
            break
        if "RUN-CHECK" not in line and "ARGS:" not in line:
            lines.append(line.lstrip("#/ ").rstrip())
    return " ".join(lines)


def example_page(path: Path) -> str:
    name = path.relative_to(ROOT / "examples")
    return f"# `{name}`\n\n```pto\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"


def index_page(pages: dict[str, Path]) -> str:
    rows = [
        f"| [`{path.relative_to(ROOT / 'examples')}`]({Path(page).relative_to('examples')}) "
        f"| {description(path)} |"
        for page, path in pages.items()
    ]
    head = "# Examples\n\nThe programs of the folder `examples/`; those in `broken/` show a mistake.\n\n"
    return head + "| program | what it does |\n|---|---|\n" + "\n".join(rows) + "\n"


def found_as(report: BugReport) -> str:
    """The codes that a report's broken programs have, each a link to its page."""
    codes = {
        code for program in report.broken for found in program.findings.values() for _, code in found
    } | {
        text
        for program in report.broken
        for notes in program.run.values()
        for _, text in notes
        if text.startswith("PTO-")
    }
    return ", ".join(f"[{code}](rules/{code}.md)" for code in sorted(codes))


def known_bugs_page() -> str:
    """The page of public reports in tests/known_bugs, by their first class."""
    lines = [
        "# Known bugs",
        "",
        "Public reports of PTO programs that hung, raced, or computed wrong results. Each is a test in "
        "`tests/known_bugs/`: ptoas reports the broken form at its line and accepts the fixed one; with "
        "automatic synchronisation, bugs of flags do not occur.",
    ]
    reports = all_reports()
    for word in dict.fromkeys(report.classes[0] for report in reports):
        lines += ["", f"## {word[0].upper()}{word[1:]}", "", "| report | bug | found as |", "|---|---|---|"]
        lines += [
            f"| {report.reports} | {report.summary} | {found_as(report) or 'accepted, rightly'} |"
            for report in reports
            if report.classes[0] == word
        ]
    return "\n".join(lines) + "\n"


def on_files(files: Files, config: Any) -> Files:
    pages = examples()
    made = {f"{name}.md": page() for name, page in manual.PAGES.items()}
    made |= reference.rules() | reference.instructions()
    made["types.md"] = reference.types()
    made |= {page: example_page(path) for page, path in pages.items()}
    made["examples/index.md"] = index_page(pages)
    made["known-bugs.md"] = known_bugs_page()
    made |= {page: (ROOT / name).read_text(encoding="utf-8") for name, page in ABOVE.items()}
    # A search for `tadd` finds `taddrelu`, too; the exact name comes first.
    for page, text in made.items():
        if hidden := HIDDEN.get(page[: page.find("/") + 1]):
            boost = sum(other.startswith(page.removesuffix(".md")) for other in made)
            text = f"---\nhide: [{', '.join(hidden)}]\nsearch: {{boost: {boost}}}\n---\n\n{text}"
        files.append(File.generated(config, page, content=text))
    return files


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Mark a page in Chinese, for fonts and for screen readers."""
    chinese = page.file.src_uri.endswith("_zh.md")
    return output.replace('<html lang="en"', '<html lang="zh"', 1) if chinese else output


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links out of docs/ to pages of the site, or replace them by their words."""
    source: str = page.file.src_uri
    home = "" if source in ABOVE.values() else "docs"

    def address(link: re.Match[str]) -> str:
        words, target = link[1], link[2]
        path = posixpath.normpath(posixpath.join(home, posixpath.dirname(source), target))
        if path.startswith("docs/"):
            found = path.removeprefix("docs/")
        elif path.startswith("examples/") and path.endswith(".pto"):
            found = path.removesuffix(".pto") + ".md"
        elif path in ABOVE:
            found = ABOVE[path]
        else:
            return words
        return f"[{words}]({posixpath.relpath(found, posixpath.dirname(source) or '.')}{link[3] or ''})"

    # Pygments' lexer of sessions takes output that begins with `%` or `#` for a command.
    markdown = markdown.replace("```console", "```text")
    if source.startswith(("examples/", "rules", "instructions")):
        return markdown
    return re.sub(r"\[([^][]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)", address, markdown)
