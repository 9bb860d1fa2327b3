"""Every code that is not a rule's: what it stands for, and what it means. The rules explain themselves."""

from __future__ import annotations

from ptoas.diagnostics.citations import citation, cited
from ptoas.grammar.problems import CODES as FRONT_END
from ptoas.machine.errors import RUN_CODES
from ptoas.profiling.catalogue import REMARKS
from ptoas.simulator.codes import COMPARING
from ptoas.targets.reference import UnknownRuleError
from ptoas.targets.reference import explain as explain_rule
from ptoas.targets.rule import ALIASES, RULES

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
    "PTO-T105": ("a target has the instruction", "Its row in the target's table says why it has not."),
    "PTO-T201": ("a directory holds programs", "There is no `.pto` file below it, so nothing was checked."),
    "PTO-T202": (
        "the options fit each file of a tree",
        "A file that names no target needs `--target`, for instance; the others go on.",
    ),
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

CONFIGURING: dict[str, tuple[str, str]] = {
    "PTO-E950": ("a configuration can be read", "The file is missing, is not text, or is not TOML."),
    "PTO-E951": ("a configuration has keys that exist", "`[tool.ptoas]` has none of this name."),
    "PTO-E952": ("a key of the configuration has a fitting value", "The kind of value is another one."),
    "PTO-E953": (
        "a configuration names targets and codes that exist",
        "`ptoas targets` and `ptoas rules` list them.",
    ),
    "PTO-E954": (
        "the arguments of a test can be read",
        "`# ARGS: name=value --blocks 4` takes what `ptoas run` takes: values as for `--arg`, and the "
        "options that a check depends on.",
    ),
    "PTO-E955": (
        "a test has something to check",
        "No file has a RUN-CHECK, or none that `-k` and `--target` leave over.",
    ),
}

INTERNAL: dict[str, tuple[str, str]] = {
    "PTO-X001": (
        "ptoas does what it was written to do",
        "Something happened that nobody foresaw: ptoas is wrong, not the program. Please report the message "
        "as it stands, with the program if you may; `PTOAS_DEBUG=1` adds the traceback.",
    ),
}

MEANINGS: dict[str, tuple[str, str]] = {
    **FRONT_END,
    **LOWERING,
    **CHECKING,
    **CONFIGURING,
    **INTERNAL,
    **REMARKS,
    **COMPARING,
    **{code: (each.title, each.explanation) for code, each in RUN_CODES.items()},
}
"""Every code that is no rule's: what holds, and what breaking it means."""


def explain(code: str) -> str:
    """What a code or a citation means, and what is cited there; `UnknownRuleError` where nothing has it."""
    wanted = code.strip().upper()
    if (whole := citation(wanted)) is not None:
        return whole
    text, source = _meaning(wanted)
    named = cited(text, source)
    return f"{text}\n\nCited:\n{named}" if named else text


def _meaning(code: str) -> tuple[str, str]:
    """The text of a code, and where a rule is written."""
    if code in MEANINGS:
        title, meaning = MEANINGS[code]
        return f"{code}: {title}\n\n{meaning}", ""
    text = explain_rule(code)  # which loads the rules
    return text, RULES[ALIASES.get(code, code)].source


__all__ = ["CHECKING", "FRONT_END", "INTERNAL", "MEANINGS", "UnknownRuleError", "explain"]
