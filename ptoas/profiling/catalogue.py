"""Codes of remarks with their titles and explanations."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

REMARKS: dict[str, tuple[str, str]] = {
    "PTO-O101": (
        "an Elem gather chooses whole rows",
        "Every row of indices counts through one row of the table. In Row mode that is one transfer a "
        "row, in Elem mode one read an element: document 000 says to prefer Row wherever the indices "
        "permit it.",
    ),
    "PTO-O102": (
        "the order of the indices defeats bursts",
        "Neighbouring threads of a launch read 128 bytes at once where their elements lie side by side "
        "(document 000). Sorted indices, or a table in the order of use, would touch far fewer pieces of "
        "128 bytes.",
    ),
    "PTO-O103": (
        "a launch leaves most of its threads idle",
        "A warp has 32 lanes. A row narrower than that, or a gather of a few elements, leaves lanes "
        "without work (document 000, Shape-adaptive launch). Wider rows, or several gathers in one, fill "
        "them.",
    ),
    "PTO-O104": (
        "rows are narrower than a burst",
        "A burst of global memory is 128 bytes; a row of fewer bytes that does not follow the one before "
        "it costs as much. Put several rows side by side in memory, or load more columns at once.",
    ),
    "PTO-O105": (
        "a Zero mode where no index is out of bounds",
        "Zero compares every index, and fills rows with zeros on the scalar pipe (document 000). Indices "
        "that are known to be in bounds need no mode; `run` reports the first that is not.",
    ),
    "PTO-O106": (
        "scalar walks dominate",
        "An Elem gather on A2/A3 is a walk of the scalar pipe, one read of global memory after the other "
        "(document 000); nothing else overlaps it. Gather rows, or bring the table into a tile and use "
        "`tgather`.",
    ),
    "PTO-O107": (
        "two buffers would let a loop overlap",
        "An instruction of the next turn waits until the tile that it fills is free. With a second tile, "
        "used in turns, it starts while the first is still in use.",
    ),
    "PTO-O108": (
        "a flag or barrier orders nothing",
        "No two accesses to the same bytes needed it in this run: they do not exist, or something else "
        "orders them already. `insert-sync` (a function without flags) finds the fewest.",
    ),
    "PTO-O109": (
        "a flag waits for more than it orders",
        "A flag is up when its pipe has done all that it was given before, not only what matters here. "
        "One that is raised right after the last use of a tile lets the next turn of a loop begin "
        "earlier; `insert-sync` has one flag from turn to turn for each pair of pipes.",
    ),
}

register(REMARKS)
