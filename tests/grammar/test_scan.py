"""The scanner finds the tokens that Lark's own basic lexer finds, and goes on after what is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ptoas.grammar.layout import RawRegion, ignore_diagnostics, split_statements
from ptoas.grammar.scan import UNKNOWN, scan
from ptoas.grammar.syntax import grammar

FILES = sorted((Path(__file__).parent.parent / "isa").glob("*.pto"))


def texts(region: RawRegion) -> Iterator[str]:
    for raw in region:
        yield raw.text
        for inner in raw.regions:
            yield from texts(inner)


def test_scan_finds_the_tokens_of_larks_lexer() -> None:
    statements = {
        text for path in FILES[::12] for text in texts(split_statements(path.read_text(), ignore_diagnostics))
    }
    assert len(statements) > 200
    for text in statements:
        by_lark = [(token.type, token.start_pos, token.end_pos) for token in grammar().lex(text)]
        assert [tuple(each) for each in scan(text)] == by_lark


def test_scan_continues_after_an_invalid_character() -> None:
    assert [(each.kind, each.start) for each in scan("%a \u00a7\n)")] == [
        ("VALUE", 0),
        (UNKNOWN, 3),
        ("RPAR", 5),
    ]
