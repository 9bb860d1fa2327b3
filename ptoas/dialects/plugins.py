"""Plugins: instructions, rows, bodies, rules and targets of other packages.

A package names a `Plugin` as an entry point of the group `ptoas.plugins`. Its chapters are imported with the
`pto` dialect, all else when it is needed. docs/extending.md shows a whole one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from ptoas.diagnostics.core import UsageError

GROUP = "ptoas.plugins"


@dataclass(frozen=True)
class Plugin:
    """Modules of another package, by their names.

    >>> from ptoas.dialects.plugins import Plugin
    >>> Plugin(chapters=("lab.squares",), rows={"a5": "lab.a5_rows"}, bodies=("lab.squares_body",)).targets
    ()
    """

    chapters: tuple[str, ...] = ()
    """Modules that define instructions; the first line of the docstring is the chapter's title."""
    rows: Mapping[str, str] = field(default_factory=dict[str, str])
    """Modules with `ROWS` for these instructions, by the name of a target."""
    bodies: tuple[str, ...] = ()
    """Modules that register NumPy bodies of instructions."""
    rules: tuple[str, ...] = ()
    """Modules that define rules."""
    targets: tuple[str, ...] = ()
    """Modules whose `TARGET` is a further target."""


@cache
def plugins() -> tuple[Plugin, ...]:
    """Every plugin that is installed."""
    return tuple(_load(entry) for entry in entry_points(group=GROUP))


def _load(entry: EntryPoint) -> Plugin:
    try:
        found = entry.load()
    except Exception as error:
        raise UsageError(f"the plugin {entry.name!r} ({entry.value}) can't be loaded: {error}") from error
    if not isinstance(found, Plugin):
        raise UsageError(f"the plugin {entry.name!r} ({entry.value}) is no ptoas.Plugin")
    return found


def import_all(kind: str) -> None:
    """Import the `bodies` or `rules` modules of all plugins."""
    for plugin in plugins():
        for module in getattr(plugin, kind):
            import_module(module)
