"""Output paths and generators of the editor grammars, and of the stubs."""

from __future__ import annotations

from pathlib import Path

from ptoas.build.stubs import stubs
from ptoas.editors.textmate import textmate
from ptoas.editors.vim import vim
from ptoas.editors.vocabulary import vocabulary

ROOT = Path(__file__).parents[2]


def files() -> dict[Path, str]:
    """Every file that is made, and its text."""
    words = vocabulary()
    return {
        ROOT / "editors" / "vscode" / "syntaxes" / "pto.tmLanguage.json": textmate(words),
        ROOT / "editors" / "vim" / "syntax" / "pto.vim": vim(words),
    } | stubs()


def write() -> None:
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
