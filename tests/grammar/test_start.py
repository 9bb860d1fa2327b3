"""What a start imports, and the parse tables that make it quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ptoas.grammar import tables
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


def test_reading_needs_no_numpy() -> None:
    assert imported_by("import ptoas; ptoas.parse('barrier <PIPE_ALL>')") == "['lark', 'xdsl']"


def test_tables_read_what_the_grammar_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that was loaded makes the same trees as one that was made."""
    written = tmp_path / "tables.py"
    tables.write_tables(written)
    names: dict[str, object] = {}
    exec(written.read_text(encoding="utf-8"), names)
    monkeypatch.setattr(tables, "import_module", lambda _: type("Tables", (), names))
    monkeypatch.setattr(tables, "make_parser", lambda _: pytest.fail("the tables were not used"))
    loaded = tables.load_parser()
    monkeypatch.undo()
    made = tables.make_parser(tables.GRAMMAR.read_text(encoding="utf-8"))
    text = "%d = pto.mgather %t[0, %i], %x {a = [1, #pto<b c>]} : (!pto.tile<1x2xf32>) -> f32 loc(unknown)"
    assert loaded.parse(text, start="statement") == made.parse(text, start="statement")


@pytest.mark.parametrize("origin", ["", "// lark 0.0.0\n"])
def test_tables_of_another_grammar_or_lark_are_not_used(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = type("Tables", (), {"MADE_FROM": origin, "DATA": None, "MEMO": None})
    monkeypatch.setattr(tables, "import_module", lambda _: stale)
    assert tables.load_parser().parse("barrier <PIPE_ALL>", start="statement")


def test_missing_tables_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(tables, "import_module", missing)
    assert tables.load_parser().parse("barrier <PIPE_ALL>", start="statement")


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
