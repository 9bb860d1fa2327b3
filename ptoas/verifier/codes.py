"""Codes of the verifier that belong to no rule."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

CHECKING: dict[str, tuple[str, str]] = {
    "PTO-P085": (
        "partition views have their current name",
        "`!pto.tile_view` is the former name of `!pto.partition_tensor_view`; it is accepted with a note.",
    ),
    "PTO-P086": (
        "memory has a PTO type",
        "`memref<..., #pto.address_space<gm>>` is accepted as `!pto.memref<...>` with a note.",
    ),
    "PTO-P087": (
        "a type has a name",
        "`<loc=vec, ...>` is accepted as `!pto.tile_buf<loc=vec, ...>` with a note.",
    ),
    "PTO-P088": (
        "an element type has its PTO name",
        "`int32_t`, `bfloat16_t`, `float8_e4m3_t` and similar names of C++ are accepted with a note.",
    ),
    "PTO-V141": (
        "the tiles of a multi tile are contiguous",
        "From `addr` on, each takes the bytes of its shape; rows that are padded by one element need "
        "more. Addresses that the planner of another tool attached are ignored.",
    ),
    "PTO-V140": (
        "addresses match `--placement`",
        "With `auto` no tile or ring may have an address; with `manual` all must have one, and "
        "scratch tiles are written explicitly. Without the option each function decides by its "
        "addresses (D21).",
    ),
    "PTO-T110": (
        "the assembler knows the instruction",
        "`--assembler 0.57` or `--assembler '>=0.64'` reports names that one of these versions of the "
        "C++ assembler does not support.",
    ),
    "PTO-T111": (
        "the assembler accepts the program",
        "The C++ assembler has requirements that the targets do not have; `--assembler` and the command line "
        "of the assembler report them.",
    ),
    "PTO-F190": (
        "every schedule of a kernel gives the same result",
        "The statement of `ptoas verify --certify` about a kernel, or what prevents it; it refuses nothing.",
    ),
    "PTO-T105": ("a target has the instruction", "The message gives the reason."),
    "PTO-N110": (
        "a comment that ignores a code has an effect",
        "`# ptoas: ignore[...]` names a code that does not occur on its line or, if the comment "
        "stands alone, on the next.",
    ),
    "PTO-N111": (
        "a comment ignores existing codes",
        "`ptoas rules` lists them; a prefix such as `PTO-A` stands for all codes that begin with it.",
    ),
    "PTO-N112": (
        "a comment that ignores findings names their codes",
        "Otherwise it would also hide findings that appear later.",
    ),
}

register(CHECKING)
