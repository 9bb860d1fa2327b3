"""Changes as a unified diff that `patch` and `git apply` take."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.diagnostics.render import visible

_COLOURS = {"+": "32", "-": "31", "@": "36"}


def unified(before: str, after: str, name: str, colour: bool = False) -> str:
    """The difference of two texts of one file; empty where there is none."""
    from difflib import unified_diff

    shown = visible(name).lstrip("/")
    lines = unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"a/{shown}", f"b/{shown}"
    )
    return "".join(_painted(lines, colour))


def _painted(lines: Iterator[str], colour: bool) -> Iterator[str]:
    for line in lines:
        text, end = line.rstrip("\n"), "\n"
        style = _COLOURS.get(text[:1])
        yield f"\x1b[{style}m{text}\x1b[0m{end}" if colour and style else text + end
        if not line.endswith("\n"):
            yield "\\ No newline at end of file\n"
