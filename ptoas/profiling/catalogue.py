"""Codes of remarks with their titles and explanations."""

from __future__ import annotations

from ptoas.diagnostics.codes import register

REMARKS: dict[str, tuple[str, str]] = {
    "PTO-O101": (
        "an Elem gather chooses whole rows",
        "Every row of indices selects one whole row of the table in order. Row mode reads it in one "
        "transfer, Elem mode element by element: document 000 prefers Row wherever the indices permit "
        "it.",
    ),
    "PTO-O102": (
        "the order of the indices defeats bursts",
        "Neighbouring threads of a launch read 128 bytes at once if their elements are contiguous "
        "(document 000). Sorted indices, or a table in the order of use, would touch far fewer blocks "
        "of 128 bytes.",
    ),
    "PTO-O103": (
        "a launch leaves most of its threads idle",
        "A warp has 32 lanes. A row narrower than that, or a gather of a few elements, leaves lanes "
        "idle (document 000, Shape-adaptive launch). Use wider rows, or combine several gathers.",
    ),
    "PTO-O104": (
        "rows are narrower than a burst",
        "A burst of global memory is 128 bytes; a shorter row that does not directly follow the "
        "previous one costs as much. Store several rows contiguously in memory, or load more columns "
        "at once.",
    ),
    "PTO-O105": (
        "Zero mode without any index out of bounds",
        "Zero compares every index, and fills rows with zeros on the scalar pipe (document 000). "
        "Indices that are known to be in bounds need no mode; `run` reports the first that is not.",
    ),
    "PTO-O106": (
        "scalar reads dominate",
        "An Elem gather on A2/A3 reads global memory element by element on the scalar pipe (document "
        "000), and nothing else overlaps it. Gather rows, or load the table into a tile and use "
        "`tgather`.",
    ),
    "PTO-O107": (
        "two buffers would let a loop overlap",
        "An instruction of the next iteration waits until the tile that it fills is free. With two "
        "tiles used alternately, it starts while the first is still in use.",
    ),
    "PTO-O108": (
        "a flag or barrier orders nothing",
        "No two accesses to the same bytes needed it in this run: there are none, or something else "
        "already orders them. `insert-sync` (in a function without flags) inserts the fewest.",
    ),
    "PTO-O109": (
        "a flag waits for more than it orders",
        "A flag is set when its pipe has finished all earlier work, not only the relevant part. "
        "Setting it right after the last use of a tile lets the next iteration begin earlier; "
        "`insert-sync` uses one flag per iteration for each pair of pipes.",
    ),
}

register(REMARKS)
