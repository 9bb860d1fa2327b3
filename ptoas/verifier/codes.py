"""Codes of the verifier that belong to no rule."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

CHECKING: dict[str, tuple[str, str]] = {
    "PTO-P085": (
        "views of parts have their name of today",
        "`!pto.tile_view` is what `!pto.partition_tensor_view` was called; it is read, and noted.",
    ),
    "PTO-P086": (
        "memory is of a type of PTO",
        "`memref<..., #pto.address_space<gm>>` is read as `!pto.memref<...>`, and noted.",
    ),
    "PTO-P087": (
        "a type has a name",
        "`<loc=vec, ...>` is read as `!pto.tile_buf<loc=vec, ...>`, and noted.",
    ),
    "PTO-P088": (
        "an element type has its name of PTO",
        "`int32_t`, `bfloat16_t`, `float8_e4m3_t` and their like are names of C++; they are read, and noted.",
    ),
    "PTO-V141": (
        "tiles of one name lie one behind the other",
        "From `addr` on, each has the bytes of its shape; rows that are padded by one element need more. "
        "Addresses that the planner of another tool has attached are not read.",
    ),
    "PTO-V140": (
        "tiles are placed by whom `--placement` says",
        "With `auto` no tile and no ring has an address; with `manual` all have, and scratch tiles are "
        "written out. Without the option each function says it for itself (D21).",
    ),
    "PTO-T110": (
        "the assembler knows the instruction",
        "`--assembler 0.57` or `--assembler '>=0.64'` reports names that one of these versions of the C++ "
        "assembler does not know.",
    ),
    "PTO-T111": (
        "the assembler takes the program",
        "The C++ assembler has requirements that the targets do not have; `--assembler` and the command line "
        "of the assembler report them.",
    ),
    "PTO-T105": ("a target has the instruction", "Its row in the target's table says why it has not."),
    "PTO-N110": (
        "a comment that ignores a code keeps something back",
        "`# ptoas: ignore[...]` names a code that is not found on its line or, alone on a line, on the next: "
        "it was put right, or never there.",
    ),
    "PTO-N111": (
        "a comment that ignores a code names one that exists",
        "`ptoas rules` lists them; a beginning such as `PTO-A` stands for all that begin so.",
    ),
    "PTO-N112": (
        "a comment that ignores findings names their codes",
        "What is found later is not to be kept back unseen.",
    ),
}

register(CHECKING)
