"""Names of the ISA for hints in messages, from `ptoas/data/isa_names.toml`."""

from __future__ import annotations

from ptoas.diagnostics.data import load_data


def without_text() -> dict[str, str]:
    """Calls of the instruction library that are not instructions, with the reason."""
    return load_data("isa_names")["without_text"]


def refused() -> dict[str, str]:
    """Instructions of the C++ assembler that are not supported, with what to do instead."""
    data = load_data("isa_names")
    below = data["below_tiles"]
    return data["refused"] | dict.fromkeys(below["names"].split(), below["reason"])


def page_suffixes() -> dict[str, str]:
    """Suffixes by which ISA pages distinguish forms of an instruction, and how to write those forms."""
    return load_data("isa_names")["page_suffixes"]
