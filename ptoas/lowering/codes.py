"""Codes of the passes and of C++ emission."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

LOWERING: dict[str, tuple[str, str]] = {
    "PTO-L001": (
        "a value is written whole, once",
        "DPS becomes SSA only where every buffer is written once.",
    ),
    "PTO-L002": (
        "an output can be written",
        "The path is a link, a device or a directory, or may not be written.",
    ),
    "PTO-L003": (
        "functions don't call each other in a circle",
        "Their tiles would need an endless stack.",
    ),
    "PTO-L004": (
        "an operation has a spelling in C++",
        "Nothing in the instruction library stands for it.",
    ),
    "PTO-L005": (
        "a target can be launched",
        "The simulator's entry is a plain function; `--emit entry` makes it.",
    ),
    "PTO-L006": (
        "an entry takes memory and scalars",
        "A launch passes no tiles.",
    ),
    "PTO-L007": (
        "local tiles fit their memory",
        "The note lists the tiles that are alive together at the peak.",
    ),
    "PTO-L008": (
        "a gather can be rewritten for cpu",
        "`--legalize` needs the table's capacity and row stride, and an index that devices take.",
    ),
    "PTO-L009": (
        "a tile's memory exists",
        "The target has no memory of that name.",
    ),
    "PTO-L010": (
        "a loop hands on tiles from outside",
        "A buffer that a loop allocates and carries needs `scf.for`, and an element type that can be copied.",
    ),
    "PTO-L020": (
        "a body that is lowered or run has one block",
        "`cf.br`, `cf.cond_br` and `cf.switch` are read, printed and kept. Branches that go forward are "
        "lowered and run as `scf.if`; what goes back, or chooses among more than two, is written with `scf`.",
    ),
    "PTO-H304": (
        "a cube and a vector function that run together take the same arguments",
        "A pair that is joined by a channel is started as one kernel: the shorter list of arguments is the "
        "beginning of the longer one.",
    ),
}

register(LOWERING)
