"""Codes of `diff`."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

COMPARING_RUNS: dict[str, tuple[str, str]] = {
    "PTO-R730": (
        "two programs compute different values",
        "`ptoas diff` ran both on the same arguments. This is the first instruction with another result: "
        "all matched instructions before it gave equal results. The notes list the instructions that "
        "produced its operands.",
    ),
    "PTO-R731": (
        "a difference between two programs can't be traced to an instruction",
        "The outputs of the two programs differ, but no pair of matched instructions does. The programs "
        "differ too much to be matched: the notes count the instructions without a counterpart and show "
        "the first.",
    ),
    "PTO-R732": (
        "two compared programs take different arguments",
        "`ptoas diff` runs both programs on the same arguments, so the names of these must agree.",
    ),
    "PTO-R733": (
        "a pass changes what the program computes",
        "`ptoas diff --passes` ran the program after each pass. After this pass it computes other values "
        "or no longer runs.",
    ),
}

register(COMPARING_RUNS)
