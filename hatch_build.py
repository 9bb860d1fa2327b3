"""Write the parse tables into the package when it is built or installed (see ptoas/grammar/tables.py)."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TablesHook(BuildHookInterface):
    """Runs before a wheel is packed, and before an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        from ptoas.grammar.tables import STATES, TABLES, write_tables

        write_tables()
        build_data["artifacts"] += [f"/{path.relative_to(self.root).as_posix()}" for path in (STATES, TABLES)]
