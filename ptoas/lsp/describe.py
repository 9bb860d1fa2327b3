"""Types, values and instructions in Markdown, as a hover or a list of completions shows them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from typing import Any

from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.ir import Attribute

from ptoas.dialects.pto.core_enums import CORE_ENUM_ATTRIBUTES
from ptoas.dialects.pto.element_types import BY_TYPE, element_size, element_text
from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES, BLayout, PtoEnumAttr, SLayout
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, GroupType, PtrType, TileType, ViewType, dim_text, shape_text
from ptoas.project import instruction_pages as reference
from ptoas.targets import TARGETS, Target
from ptoas.targets.row import Unsupported

LAYOUTS = {
    (BLayout.RowMajor, SLayout.NoneBox): "ND, row by row",
    (BLayout.ColMajor, SLayout.NoneBox): "DN, column by column",
    (BLayout.ColMajor, SLayout.RowMajor): "Nz, columns of row-major boxes",
    (BLayout.RowMajor, SLayout.ColMajor): "Zn, rows of column-major boxes",
    (BLayout.RowMajor, SLayout.RowMajor): "Zz, rows of row-major boxes",
    (BLayout.ColMajor, SLayout.ColMajor): "Nn, columns of column-major boxes",
}
"""A tile's layout by that of its boxes and that inside a box."""


def size_text(count: int) -> str:
    """Bytes, in KiB too where there are many.

    >>> size_text(512), size_text(6144)
    ('512 bytes', '6,144 bytes (6 KiB)')
    """
    kib = f" ({count / 1024:g} KiB)" if count >= 1024 else ""
    return f"{count:,} bytes{kib}"


def short_type(type: Attribute) -> str:
    """A type in a few characters: a shape where it has one."""
    if isinstance(type, TileType | ViewType):
        return shape_text(type.shape, type.element_type)
    return element_text(type)


def type_lines(type: Attribute) -> Iterator[str]:
    """Describe a type, one line per fact."""
    match type:
        case TileType():
            element = element_text(type.element_type)
            yield f"tile of `{type.rows}x{type.cols}` {element} in `{type.loc.data.value}`"
            if type.valid != type.shape:
                yield f"valid: {'x'.join(map(dim_text, type.valid))}"
            yield f"{size_text(type.size_bytes)}, a row of {type.cols * element_size(type.element_type):,}"
            box = (
                ""
                if type.slayout is SLayout.NoneBox
                else f", boxes of {'x'.join(map(str, type.geometry.box))}"
            )
            yield f"layout: {LAYOUTS[type.blayout, type.slayout]}{box}"
        case ViewType():
            kind = type.name.removeprefix("pto.").replace("_", " ")
            yield f"{kind} of `{'x'.join(map(dim_text, type.shape))}` {element_text(type.element_type)}"
            if type.element_count is not None:
                yield f"{size_text(type.element_count * element_size(type.element_type))} in global memory"
            yield f"layout: {type.layout.value}" + _strides(type)
        case PtrType():
            size = element_size(type.element_type) if type.element_type in BY_TYPE else 0
            element = element_text(type.element_type)
            yield f"pointer to {element} ({size_text(size)} each), in `{type.space.value}`"
        case GroupType():
            yield f"the same memory on {type.size} ranks: `{type.member}`"
        case FixedBitwidthType() if type in BY_TYPE:
            yield f"scalar of {size_text(element_size(type))}"
        case _:
            document = (type.__class__.__doc__ or "").strip().split("\n")[0]
            if document and type.__class__.__module__.startswith("ptoas"):
                yield document


def _strides(type: ViewType) -> str:
    if type.strides is None:
        return ", packed" if DYNAMIC not in type.shape else ""
    return f", strides {', '.join(map(dim_text, type.strides))} elements"


def type_markdown(type: Attribute) -> str:
    return "\n\n".join([f"```pto\n{type}\n```", *type_lines(type)])


@cache
def instruction_markdown(op: type[PtoOp]) -> str:
    """The reference of an instruction, and which targets have it."""
    entry = reference.describe(op)
    lines = [
        f"### `{entry['name']}`",
        "",
        entry["meaning"],
        "",
        "```pto",
        *entry["forms"].values(),
        "```",
        "",
    ]
    if entry["operands"]:
        lines += ["| operand | kind | how many |", "|---|---|---|"]
        for each in entry["operands"]:
            lines.append(
                f"| `{each['name']}`{' (written)' * each['written']} | {each['kind']} | {each['count']} |"
            )
        lines.append("")
    for field in entry["attributes"]:
        values = ", ".join(f"`{value}`" for value in field["values"]) or "a value"
        lines.append(f"- `{field['name']}`: {values}{' (required)' * field['required']}")
    lines += ["", *_targets(op)]
    return "\n".join(lines).rstrip()


def _targets(op: type[PtoOp]) -> Iterator[str]:
    """The targets that have an instruction, and why others have not."""
    having: list[str] = []
    missing: list[str] = []
    for target in TARGETS.values():
        entry = target.entry(op)
        if isinstance(entry, Unsupported):
            missing.append(f"not on {target.name}: {entry.reason}")
        else:
            having.append(target.name)
    if having:
        yield f"On {', '.join(having)}." if missing else "On every target."
    for line in missing:
        yield f"- {line}"


def target_markdown(target: Target) -> str:
    """Describe a target and its memories."""
    rows = [
        f"| `{loc.value}` | {'as much as the host has' if size is None else size_text(size)} |"
        for loc, size in target.memories.items()
    ]
    return "\n".join([f"target `{target.name}`", "", "| memory | size |", "|---|---|", *rows])


@cache
def enumerations() -> dict[str, type[PtoEnumAttr[Any]]]:
    """Every enumeration by its name after `#pto.`."""
    every = (*ENUM_ATTRIBUTES, *CORE_ENUM_ATTRIBUTES)
    return {enum.name.removeprefix("pto."): enum for enum in every}


def enum_markdown(enum: type[PtoEnumAttr[Any]]) -> str:
    document = cleandoc(enum.enum.__doc__ or "")
    # An enumeration without words of its own has those of Python's.
    lines = [document] if document and not document.startswith(("Enum where", "str(object")) else []
    values = ", ".join(f"`{value}`" for value in enum.spellings())
    return "\n\n".join([f"```pto\n#{enum.name}<...>\n```", *lines, f"one of {values}"])
