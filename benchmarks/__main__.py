"""All benchmarks, or some of them, in one table.

    python -m benchmarks [frontend verify run races products lower large collective cores editor page]
        [--quick] [--save FILE] [--compare FILE]

The exit code is 1 when a figure is over its limit, or, with `--compare`, slower than it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.figures import Row, comparison, machine, results, table

BENCHMARKS = (
    "frontend",
    "verify",
    "run",
    "races",
    "products",
    "lower",
    "large",
    "collective",
    "cores",
    "editor",
    "page",
)


def measure(names: list[str], quick: bool) -> list[Row]:
    rows: list[Row] = []
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.{name}").measure(quick)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(BENCHMARKS)}; else all")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, for trying it out")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="show what has changed since FILE")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    then = json.loads(options.compare.read_text(encoding="utf-8")) if options.compare else None

    rows = measure(options.names or list(BENCHMARKS), options.quick)
    found = results(rows)
    facts = machine()
    print(f"{facts['cores']} cores, Python {facts['python']}, NumPy {facts['numpy']}, xDSL {facts['xdsl']}\n")
    print(table(rows))
    over = [row.what for row in rows if not row.ok]
    print(f"\n{len(rows)} figures, {len(over)} over their limit")
    fine = True
    if then is not None:
        if options.names:
            measured = {row.what for row in rows}
            then["rows"] = [row for row in then["rows"] if row["what"] in measured]
        text, fine = comparison(then, found)
        print(f"\nThe ratios of {then['machine']['date']}, and now\n\n{text}")
    if options.save:
        options.save.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(bool(over) or not fine)


if __name__ == "__main__":
    sys.exit(main())
