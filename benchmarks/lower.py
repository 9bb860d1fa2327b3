"""Cost of lowering and compiling beside parsing of the same text.

*Parse* is of a text of which nothing was seen before. *Lower* is the passes and the emission together, on a
copy of the module. A time for an operation does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.figures import Row, in_turns
from benchmarks.generate import program

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

SIZES = (3_000, 11_000, 100_000, 300_000)
MOST = 2.5


MOST_COMPILING = 350e-6
"""Seconds that compiling an operation for `run` may take."""

KERNEL = 11_000
"""The size of a kernel that a person writes."""


def both(module: ModuleOp, repeats: int) -> Row:
    """Verifying and lowering, beside xDSL's parser: nothing seen before by either."""
    from xdsl.parser import Parser

    import ptoas
    from ptoas import clear_caches
    from ptoas.compiler.forms import print_module
    from ptoas.dialects.pto.type_text import xdsl_context

    generic = print_module(module, form="generic")

    def parse() -> object:
        return Parser(xdsl_context(), generic).parse_module()

    def check_and_lower() -> None:
        ptoas.verify(module, "a5")
        ptoas.lower(module, "a5", verified=False)

    theirs, ours = in_turns(parse, check_and_lower, repeats=repeats, before=clear_caches)
    what = f"verify and lower {KERNEL // 1000} KB for a5"
    return Row(what, "xDSL's parser, generic form", ours, theirs, at_most=0.8)


def compiling(module: ModuleOp, repeats: int) -> Row:
    """Compiling for `run`, an operation: checked, lowered and compiled to Python."""
    from ptoas.compiler.run import compile as compile_program

    operations = sum(1 for _ in module.walk())
    (ours,) = in_turns(lambda: compile_program(module, "a5"), repeats=repeats, per=operations)
    what = f"compile {KERNEL // 1000} KB to run on a5, an operation"
    return Row(what, "what is allowed", ours, [MOST_COMPILING], at_most=1)


def measure(quick: bool = False, sizes: tuple[int, ...] = SIZES) -> list[Row]:
    import ptoas
    from ptoas import clear_caches

    rows: list[Row] = []
    lowerings: dict[int, Callable[[], object]] = {}
    repeats = 2 if quick else 5
    for size in sizes:
        text = program(size, seed=size)
        module = ptoas.parse(text)
        lowerings[size] = lambda module=module: ptoas.lower(module, "a5", verified=False)
        parse, lower = in_turns(
            lambda text=text: ptoas.parse(text), lowerings[size], repeats=repeats, before=clear_caches
        )
        what = f"lower {size // 1000} KB for a5, passes and C++"
        rows.append(Row(what, "parsing it, nothing seen before", lower, parse, at_most=MOST))
        if size == KERNEL:
            rows += [both(module, repeats), compiling(module, repeats)]
    if {100_000, 300_000} <= set(lowerings):
        large, small = in_turns(lowerings[300_000], lowerings[100_000], repeats=repeats)
        rows.append(Row("lower 300 KB", "lower 100 KB", large, small, at_most=3.5))
    return rows
