"""What a start imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ptoas.dialects.pto import CHAPTERS

HEAVY = "import sys; print(sorted({'xdsl', 'numpy', 'lark', 'rich'} & set(sys.modules)))"


def imported_by(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{HEAVY}"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip().splitlines()[-1]


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert imported_by("import ptoas; ptoas.__version__") == "[]"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_command_line_imports_nothing_heavy(option: str) -> None:
    code = f"from ptoas.cli.main import main\ntry: main([{option!r}])\nexcept SystemExit: pass"
    assert imported_by(code) == "[]"


@pytest.mark.parametrize(("columns", "widest"), [("", 78), ("64", 62), ("200", 78), ("-1", 78), ("wide", 78)])
def test_help_is_as_wide_as_the_terminal_up_to_a_width_that_reads_well(columns: str, widest: int) -> None:
    """As click has it, but `shutil` is not asked, which imports all that packs archives."""
    code = (
        "import sys\nfrom ptoas.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
        "print('shutil' in sys.modules)\n"
        "import click; print(click.HelpFormatter().width)"
    )
    words = [sys.executable, "-c", code]
    environment = {**os.environ, "COLUMNS": columns}
    *help, imported, clicks = subprocess.check_output(words, env=environment, text=True).splitlines()
    assert imported == "False"
    assert widest - 15 < max(map(len, help)) <= widest == int(clicks)


def test_reading_does_not_need_numpy() -> None:
    assert imported_by("import ptoas; ptoas.parse('barrier <PIPE_ALL>')") == "['lark', 'xdsl']"


SMALL = """
func.func @k(%p: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = pto.make_tensor_view %p, shape = [%c1, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
  %w = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c1, %c16]
    : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x16xf32>
  %t = pto.alloc_tile : !pto.tile<1x16xf32>
  pto.tload ins(%w : !pto.partition_tensor_view<1x16xf32>) outs(%t : !pto.tile<1x16xf32>)
  return
}
"""
READING = {"memory", "views"}
JUDGED = READING | {"gather", "movement", "scalar", "tile_scalar"}
"""The chapters whose classes the rules of memory and of cores name."""
LOWERED = JUDGED | {
    *("arrays", "asynchronous", "channel", "comm", "core_sync", "expand", "generate", "matmul", "multi_tile"),
    *("pointers", "quant", "remote", "sync"),
}
HEAVY_PARTS = (
    "asyncio",
    "importlib.metadata",
    "multiprocessing",
    "numpy",
    "rich",
    "tomllib",
    "xdsl.dialects.cf",
)
BACK = ("ptoas.lowering.cpp", "ptoas.machine", "ptoas.ops", "ptoas.profiling", "ptoas.runner", "ptoas.lsp")
ROWS = tuple(f"ptoas.targets.{name}." for name in ("a2a3", "cpu", "a5_custom"))


@pytest.mark.parametrize(
    ("command", "chapters", "unused"),
    [
        ("convert", READING, (*HEAVY_PARTS, *BACK, "ptoas.targets", "ptoas.lowering.insert_sync")),
        (
            "verify",
            JUDGED,
            (*HEAVY_PARTS, *BACK, *ROWS, "ptoas.lowering", "ptoas.grammar.printer", "json"),
        ),
        ("lower", LOWERED, (*HEAVY_PARTS, *BACK[1:], *ROWS)),
        ("run", LOWERED, (*(set(HEAVY_PARTS) - {"numpy"}), "ptoas.lowering.cpp", "ptoas.profiling", *ROWS)),
    ],
)
def test_a_command_imports_what_a_small_program_needs(
    command: str, chapters: set[str], unused: tuple[str, ...], tmp_path: Path
) -> None:
    """Each module costs a start more than it does a small program; these must not creep in."""
    path = tmp_path / "small.pto"
    path.write_text(SMALL, encoding="utf-8")
    options = ["--to", "asm"] if command == "convert" else ["--target", "a5"]
    code = (
        "import sys\nfrom ptoas.cli.main import main\ntry: main(sys.argv[1:])\n"
        "except SystemExit as stop: assert not stop.code\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    words = [sys.executable, "-c", code, command, str(path), *options]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    modules = done.stderr.splitlines()[-1].split()
    found = {name.rpartition(".")[2] for name in modules if name.startswith("ptoas.dialects.pto.")}
    assert READING <= found & set(CHAPTERS) <= chapters
    assert [name for name in modules if name.startswith(unused)] == []


