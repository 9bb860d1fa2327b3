"""Tables of text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, every column as wide as its longest cell.

    >>> columns([("name", "kind"), ("x", "memory")])
    ['name  kind', 'x     memory']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
