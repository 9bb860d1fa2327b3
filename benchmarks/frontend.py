"""How fast text becomes a module: `ptoas.parse` beside xDSL's own parser, and what a start costs.

Run `python benchmarks/frontend.py`. Every figure is processor time, the best of several runs; what is
compared takes turns in one run, so that ratios mean something where times drift.

*Cold* is a text of which nothing was seen before, with everything the parsers keep thrown away; *warm* is the
same text again. xDSL reads the generic form of the same module, types memoised as ours are: it is its tokens
and operations that are compared, not our type grammar.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from generate import program

ROOT = Path(__file__).resolve().parent.parent
SIZES = (1_000, 11_000, 100_000, 300_000)


def measure(function: Callable[[], object]) -> float:
    """Processor time of one call, in seconds: what else the machine does matters little."""
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def compare(size: int, repeats: int) -> dict[str, float]:
    """Seconds an operation of ours and of xDSL's parser, cold and warm, for one size."""
    from xdsl.parser import Parser

    import ptoas
    from ptoas.grammar.parse import forget
    from ptoas.grammar.printer import print_module
    from ptoas.grammar.types import xdsl_context

    text = program(size, seed=size)
    module = ptoas.parse(text)
    generic = print_module(module, form="generic")
    operations = sum(1 for _ in module.walk())

    def ours() -> object:
        return ptoas.parse(text)

    def theirs() -> object:
        return Parser(xdsl_context(), generic).parse_module()

    assert module.is_structurally_equivalent(theirs())  # pyright: ignore[reportArgumentType]
    times: dict[str, list[float]] = {"cold": [], "cold_xdsl": [], "warm": [], "warm_xdsl": []}
    for _ in range(repeats):
        forget()
        times["cold"].append(measure(ours))
        times["warm"].append(measure(ours))
        forget()
        times["cold_xdsl"].append(measure(theirs))
        times["warm_xdsl"].append(measure(theirs))
    best = {name: min(found) / operations for name, found in times.items()}
    return {"bytes": len(text), "ops": operations, **best}


def print_parsing(rows: list[dict[str, float]]) -> None:
    print("Parsing, microseconds an operation (xDSL reads the generic form of the same module)\n")
    print("| text | operations | cold: ptoas | xDSL | ratio | warm: ptoas | xDSL | ratio |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        cells = [f"{row['bytes'] / 1000:.0f} KB", f"{row['ops']:.0f}"]
        for kind in ("cold", "warm"):
            ours, theirs = row[kind], row[f"{kind}_xdsl"]
            cells += [f"{ours * 1e6:.1f}", f"{theirs * 1e6:.1f}", f"{theirs / ours:.2f}"]
        print(f"| {' | '.join(cells)} |")


def print_growth(rows: list[dict[str, float]]) -> None:
    small, large = rows[-2], rows[-1]
    growth = large["cold"] * large["ops"] / (small["cold"] * small["ops"])
    text = large["bytes"] / small["bytes"]
    print(f"\nGrowth: {text:.2f} times the text takes {growth:.2f} times as long, cold (at most 3.5 for 3).")


# --- start-up --------------------------------------------------------------------------------------


def child_environment() -> dict[str, str]:
    """Ours, but Python keeps compiled modules, as it does for an installed package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def children_time() -> float:
    """Processor time of all processes started so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spawn(codes: list[str], repeats: int) -> list[float]:
    """The shortest run of a fresh interpreter for each code, in seconds; they take turns."""

    def run(code: str) -> float:
        command = [sys.executable, "-c", code]
        before = children_time()
        subprocess.run(command, check=True, env=child_environment(), stdout=subprocess.DEVNULL)
        return children_time() - before

    for code in codes:
        run(code)  # writes what Python caches
    return [
        min(times) for times in zip(*([run(code) for code in codes] for _ in range(repeats)), strict=True)
    ]


def heavy_modules(code: str) -> str:
    """Which of the heavy packages a command imports."""
    heavy = "sorted({'xdsl', 'numpy', 'lark'} & set(sys.modules))"
    report = f"import sys\n{code}\nprint(*{heavy}, file=sys.stderr)"
    environment = child_environment()
    done = subprocess.run(
        [sys.executable, "-c", report], check=True, env=environment, capture_output=True, text=True
    )
    return done.stderr.strip() or "none"


def command_line(*arguments: str) -> str:
    return f"from ptoas.cli import main\ntry: main({list(arguments)!r})\nexcept SystemExit: pass"


def print_start(repeats: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.pto")
        path.write_text(program(1_000, seed=3), encoding="utf-8")
        code = command_line("convert", str(path), "--to", "dps")
        imports = "import lark, xdsl.dialects.func, xdsl.dialects.arith, xdsl.dialects.scf"
        options = ("--version", "--help")
        codes = [imports, code, *(command_line(option) for option in options)]
        floor, ours, *quick = spawn(codes, 2 * repeats)
    print("\nStart-up, milliseconds, a fresh process each\n")
    print(f"| import lark and xDSL's func, arith, scf | {floor * 1e3:.0f} | |")
    print("|---|---:|---:|")
    print(f"| convert a file of 1 KB | {ours * 1e3:.0f} | {ours / floor:.2f} times (at most 1.5) |")
    for option, seconds in zip(options, quick, strict=True):
        heavy = heavy_modules(command_line(option))
        print(f"| ptoas {option} | {seconds * 1e3:.0f} | heavy imports: {heavy} |")
    print()


def main() -> None:
    options = argparse.ArgumentParser(description="Measure the front end.")
    options.add_argument("--repeats", type=int, default=7)
    repeats = options.parse_args().repeats
    print_start(repeats)
    rows = [compare(size, repeats) for size in SIZES]
    print_parsing(rows)
    print_growth(rows)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
