"""Reading programs, with the defaults of the targets that they name."""

from __future__ import annotations

from ptoas import targets
from ptoas.grammar.parse import parse, parse_file

assert targets.TARGETS, "importing the targets registers their default attributes"

__all__ = ["parse", "parse_file"]
