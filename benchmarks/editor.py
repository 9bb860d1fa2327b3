"""Latency of the language server after an edit, in a file of 1,000 lines.

Each edit writes another number into a line in the middle, so that nothing of that line was seen before.
Beside it stands the parse of the whole file, seen before, which is a part of it. 100 ms is what a person
feels.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from benchmarks.figures import Row, in_turns
from benchmarks.generate import Kernel, program

LINES = 1_000
SIZE = 155_000
"""Characters that make so many lines."""


def measure(quick: bool = False, size: int = SIZE) -> list[Row]:
    head, tail = 'module attributes {pto.target_arch = "a5"} {\n', "\n}\n"
    single = head + "\n".join(Kernel(1, 0).lines(size + size // 3)) + tail  # more of its lines are long
    repeats = 2 if quick else 5
    return [
        *editing("in 1 of its functions", program(size, seed=1), repeats, most=3.0),
        *editing("all one function", single, repeats, most=6.0),
    ]


def editing(where: str, text: str, repeats: int, most: float) -> list[Row]:
    """Findings after an edit, and what else an editor asks for then."""
    import ptoas
    from ptoas.lsp import hints, semantic
    from ptoas.lsp.completion import complete
    from ptoas.lsp.publish import all_published
    from ptoas.lsp.session import EditorSettings, File

    text = "\n".join(line for line in text.split("\n") if line)
    size = len(text)
    file, numbers = File("file:///a.pto", "a.pto", text), count(7)
    line = [each for each in re.finditer(r"arith.constant \d+ : index", text) if each.start() < size // 2][-1]
    at, before, after = line.start(), text[: line.start()], text[line.end() :]
    settings, every = EditorSettings(), tuple(ptoas.TARGETS)

    def edit() -> None:
        file.change(f"{before}arith.constant {next(numbers)} : index{after}", None)

    def edited(ask: Callable[[], object]) -> Callable[[], object]:
        def work() -> object:
            edit()
            return ask()

        return work

    def answer(ask: Callable[[], object]) -> Callable[[], object]:
        return edited(lambda: (file.findings(("a5",)), ask()))

    all_published(file.findings(("a5",)), file.uri, ("a5",), None)  # the first one writes pages
    parse, findings, everywhere, colours, offered, shown = in_turns(
        lambda: ptoas.parse(text),
        edited(lambda: all_published(file.findings(("a5",)), file.uri, ("a5",), None)),
        edited(lambda: all_published(file.findings(every), file.uri, every, None)),
        edited(lambda: semantic.semantic_tokens(file.now)),
        edited(lambda: complete(file, at)),
        answer(lambda: hints.inlay_hints(file, 0, size, settings)),
        repeats=repeats,
    )
    lines, beside = text.count("\n"), "parsing it, seen before"
    what = f"an edit in {lines:,} lines, {where}"
    return [
        Row(f"{what}: findings", beside, findings, parse, at_most=most),
        Row(f"{what}: findings for all targets", beside, everywhere, parse, at_most=most),
        Row(f"{what}: colours", beside, colours, parse),
        Row(f"{what}: completion", beside, offered, parse),
        Row(f"{what}: findings, flags and addresses", beside, shown, parse),
    ]
