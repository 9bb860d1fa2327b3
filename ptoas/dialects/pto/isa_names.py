"""Names of the ISA for hints in messages, from `ptoas/data/isa_names.toml`."""

from __future__ import annotations

from ptoas.diagnostics.data import load_data

_DATA = load_data("isa_names")

ISA_NAMES: frozenset[str] = frozenset(_DATA["names"].split())
"""All instructions of PTO, including those that ptoas does not have."""

WITHOUT_TEXT: dict[str, str] = _DATA["without_text"]
"""Calls of the instruction library that no program can spell, and why."""

PAGE_SUFFIXES: dict[str, str] = _DATA["page_suffixes"]
"""Suffixes by which ISA pages distinguish forms of an instruction, and how to write those forms."""
