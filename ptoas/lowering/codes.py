"""Codes of the passes and of C++ emission."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

LOWERING: dict[str, tuple[str, str]] = {
    "PTO-L001": (
        "a value is written whole, once",
        "A DPS program can become SSA only if every buffer is written once.",
    ),
    "PTO-L002": (
        "an output can be written",
        "The path is a link, a device or a directory, or is not writable.",
    ),
    "PTO-L003": (
        "functions don't call each other recursively",
        "Their tiles would need an unlimited stack.",
    ),
    "PTO-L004": (
        "an operation can be emitted as C++",
        "The instruction library has no counterpart.",
    ),
    "PTO-L005": (
        "a target can be launched",
        "The simulator's entry is a plain function; use `--emit entry`.",
    ),
    "PTO-L006": (
        "an entry takes memory and scalars",
        "A launch can't pass tiles.",
    ),
    "PTO-L007": (
        "local tiles fit their memory",
        "The note lists the tiles that are alive together at the peak.",
    ),
    "PTO-L008": (
        "a gather can be rewritten for cpu",
        "`--legalize` needs the table's capacity and row stride, and an index that the devices accept.",
    ),
    "PTO-L009": (
        "a tile's memory exists",
        "The target has no memory of that name.",
    ),
    "PTO-L010": (
        "a loop passes on tiles from outside",
        "A buffer that a loop allocates and passes on needs `scf.for`, and an element type that can "
        "be copied.",
    ),
    "PTO-L020": (
        "a body that is lowered or run has one block",
        "`cf.br`, `cf.cond_br` and `cf.switch` are parsed, printed and kept. Forward branches are "
        "lowered and run as `scf.if`; write loops, and branches to more than two blocks, with `scf`.",
    ),
    "PTO-H304": (
        "a cube and a vector function that run together take the same arguments",
        "A pair that is connected by a channel is started as one kernel: the shorter list of "
        "arguments must be a prefix of the longer one.",
    ),
}

register(LOWERING)
