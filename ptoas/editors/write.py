"""Where the grammars go, and what they are."""

from __future__ import annotations

import json
from pathlib import Path

from ptoas.editors.textmate import textmate
from ptoas.editors.vim import vim
from ptoas.editors.vocabulary import vocabulary

ROOT = Path(__file__).parents[2]


def files() -> dict[Path, str]:
    """Every file that is made, and its text."""
    words = vocabulary()
    listed = "\n".join(f"    {json.dumps(kind)}: (" + _tuple(each) + "    )," for kind, each in words.items())
    module = (
        '"""The words of the language; made by python -m ptoas.editors."""\n\n'
        "# fmt: off\n"
        f"WORDS: dict[str, tuple[str, ...]] = {{\n{listed}\n}}\n"
    )
    return {
        ROOT / "editors" / "vscode" / "syntaxes" / "pto.tmLanguage.json": textmate(words),
        ROOT / "editors" / "vim" / "syntax" / "pto.vim": vim(words),
        Path(__file__).with_name("_words.py"): module,
    }


def _tuple(words: list[str]) -> str:
    return "\n" + "".join(f"        {json.dumps(word)},\n" for word in words)


def write() -> None:
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
