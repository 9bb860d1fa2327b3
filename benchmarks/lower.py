"""What lowering costs beside reading: passes and emission against the parse of the same text.

*Parse* is of a text of which nothing was seen before. *Lower* is the passes and the emission together, on a
copy of the module. A time for an operation does not grow with the file.
"""

from __future__ import annotations

from benchmarks.figures import Row, in_turns
from benchmarks.generate import program

SIZES = (3_000, 11_000, 100_000, 300_000)
MOST = 2.5


def measure(quick: bool = False, sizes: tuple[int, ...] = SIZES) -> list[Row]:
    import ptoas
    from ptoas.grammar.parse import forget

    rows: list[Row] = []
    whole: dict[int, list[float]] = {}
    for size in sizes:
        text = program(size, seed=size)
        module = ptoas.parse(text)
        parse, lower = in_turns(
            lambda text=text: ptoas.parse(text),
            lambda module=module: ptoas.lower(module, "a5", verified=False),
            repeats=2 if quick else 6,
            before=forget,
        )
        what = f"lower {size // 1000} KB for a5, passes and C++"
        rows.append(Row(what, "parsing it, nothing seen before", lower, parse, at_most=MOST))
        whole[size] = lower
    if {100_000, 300_000} <= set(whole):
        rows.append(Row("lower 300 KB", "lower 100 KB", whole[300_000], whole[100_000], at_most=3.5))
    return rows
