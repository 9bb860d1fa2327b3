"""What a start imports, and the parse tables that make it quick."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ptoas import private
from ptoas.grammar import tables
from ptoas.grammar.driver import Driver, Lexer
from ptoas.grammar.syntax import parse_statement

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


def test_reading_needs_neither_numpy_nor_lark() -> None:
    assert imported_by("import ptoas; ptoas.parse('barrier <PIPE_ALL>')") == "['xdsl']"


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
HEAVY_PARTS = (
    "asyncio",
    "importlib.metadata",
    "lark",
    "logging",
    "multiprocessing",
    "numpy",
    "rich",
    "tomllib",
)
BACK = ("ptoas.lowering.cpp", "ptoas.machine", "ptoas.ops", "ptoas.profiling", "ptoas.runner", "ptoas.lsp")
ROWS = tuple(f"ptoas.targets.{name}." for name in ("a2a3", "cpu", "a5_custom"))


@pytest.mark.parametrize(
    ("command", "unused"),
    [
        ("convert", (*HEAVY_PARTS, *BACK, "ptoas.targets", "ptoas.lowering.insert_sync")),
        (
            "verify",
            (*HEAVY_PARTS, *BACK, *ROWS, "ptoas.lowering", "ptoas.grammar.printer", "json", "traceback"),
        ),
        ("lower", (*HEAVY_PARTS, *BACK[1:], *ROWS)),
        ("run", (*(set(HEAVY_PARTS) - {"numpy"}), "ptoas.lowering.cpp", "ptoas.profiling", *ROWS)),
    ],
)
def test_a_command_imports_what_a_small_program_needs(
    command: str, unused: tuple[str, ...], tmp_path: Path
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
    assert [name for name in modules if name.startswith(unused)] == []


@pytest.mark.parametrize("given", [None, "20"])
def test_threads_of_numpy_sleep_unless_one_says_otherwise(given: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    environment |= {} if given is None else {"OPENBLAS_THREAD_TIMEOUT": given}
    code = "import os, ptoas.cli; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    words = [sys.executable, "-c", code]
    assert subprocess.check_output(words, env=environment, text=True).strip() == (given or "4")


def test_tables_read_what_the_grammar_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that was loaded makes the same trees as one that was made; so does what goes by the states."""
    tables.write_tables(tmp_path / "_tables.py", tmp_path / "_states.py")

    def written(name: str) -> object:
        names: dict[str, object] = {}
        exec((tmp_path / f"{name.rpartition('.')[2]}.py").read_text(encoding="utf-8"), names)
        return type("Tables", (), names)

    monkeypatch.setattr(tables, "import_module", written)
    monkeypatch.setattr(tables, "make_parser", lambda _: pytest.fail("the tables were not used"))
    loaded, states = tables.load_parser(), tables.load_tables()
    monkeypatch.undo()
    made = tables.make_parser(tables.GRAMMAR.read_text(encoding="utf-8"))
    assert states == private.tables_of(loaded)
    text = "%d = pto.mgather %t[0, %i], %x {a = [1, #pto<b c>]} : (!pto.tile<1x2xf32>) -> f32 loc(unknown)"
    assert loaded.parse(text, start="statement") == made.parse(text, start="statement")


@pytest.mark.parametrize("origin", ["", "// lark 0.0.0\n"])
def test_tables_of_another_grammar_or_lark_are_not_used(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = type("Tables", (), {"MADE_FROM": origin, "DATA": None, "MEMO": None})
    monkeypatch.setattr(tables, "import_module", lambda _: stale)
    assert tables.load_parser().parse("barrier <PIPE_ALL>", start="statement")
    assert Driver(Lexer(tables.load_tables()), "statement").parse("barrier <PIPE_ALL>", {})


def test_missing_tables_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(tables, "import_module", missing)
    assert tables.load_parser().parse("barrier <PIPE_ALL>", start="statement")
    assert Driver(Lexer(tables.load_tables()), "statement").parse("barrier <PIPE_ALL>", {})


def test_statements_of_one_shape_share_a_tree() -> None:
    import ptoas
    from ptoas.grammar.build import TREES

    ptoas.clear_caches()
    ptoas.parse(".arg %a : f32\n.const %b = 1\n.const %c = 1\n.const %long_name = 1")
    assert len(TREES) == 1
    assert parse_statement("%x = tnew %y").results


def test_a_cache_drops_its_older_half_when_it_is_full() -> None:
    from ptoas.caches import Kept

    kept: Kept[int, str] = Kept(most=4)
    for key in range(5):
        kept.keep(key, str(key))
    assert list(kept) == [2, 3, 4]


def test_clearing_empties_what_reading_fills() -> None:
    import ptoas
    from ptoas.grammar.build import PLANS, TREES

    ptoas.parse(".arg %a : !pto.tile<8x8xf32>\n%b = tneg %a : !pto.tile<8x8xf32>")
    assert TREES and PLANS[0]
    ptoas.clear_caches()
    assert not TREES and not PLANS[0]


def test_unknown_types_stay_equal_over_clearing() -> None:
    import ptoas

    text = ".arg %a : !pto.later<1>\npto.use %a : !pto.later<1>"
    first = ptoas.parse(text, allow_unregistered=True)
    ptoas.clear_caches()
    assert first.is_structurally_equivalent(ptoas.parse(text, allow_unregistered=True))
