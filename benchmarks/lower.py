"""What lowering costs beside reading: passes and emission against the parse of the same text.

Run `python benchmarks/lower.py`. Every figure is the best of several runs in one process. *Parse* is cold: a
text of which nothing was seen before. *Lower* is the passes and the emission together, on a copy of the
module. The aim is a ratio of at most 2.5, and a time for an operation that does not grow with the file.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable

from generate import program

SIZES = (3_000, 11_000, 100_000, 300_000)
MOST = 2.5


def best(function: Callable[[], object], repeats: int, before: Callable[[], object] = lambda: None) -> float:
    """The shortest time of several, in seconds; `before` is not measured."""
    times: list[float] = []
    for _ in range(repeats):
        before()
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(size: int, target: str, repeats: int) -> tuple[int, float, float, float]:
    """Operations, seconds to parse, to run the passes, and to lower in all."""
    import ptoas
    from ptoas.grammar.parse import forget
    from ptoas.lowering import prepare
    from ptoas.lowering.lower import lower

    text = program(size, seed=size)
    module = ptoas.parse(text)
    operations = sum(1 for _ in module.walk())
    parse = best(lambda: ptoas.parse(text), repeats, before=forget)
    passes = best(lambda: prepare(module, target), repeats)
    whole = best(lambda: lower(module, target, verified=False), repeats)
    return operations, parse, passes, whole


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--target", default="a5")
    arguments.add_argument("--repeats", type=int, default=5)
    options = arguments.parse_args()
    print("   bytes    ops  parse ms  passes ms  lower ms  lower/parse  us an op")
    for size in SIZES:
        operations, parse, passes, whole = measure(size, options.target, options.repeats)
        ratio = whole / parse
        mark = "" if ratio <= MOST else f"  above {MOST}"
        print(
            f"{size:>8} {operations:>6} {parse * 1e3:>9.1f} {passes * 1e3:>10.1f} {whole * 1e3:>9.1f} "
            f"{ratio:>12.2f} {whole / operations * 1e6:>9.1f}{mark}"
        )


if __name__ == "__main__":
    main()
