"""Colours without a server: made from the dialect, up to date, and right on every program of the project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name

import ptoas
from ptoas.dialects.pto import OPS
from ptoas.editors.lexer import PtoLexer
from ptoas.editors.textmate import patterns
from ptoas.editors.vocabulary import vocabulary
from ptoas.editors.write import files
from ptoas.lsp.document import Document
from ptoas.lsp.session import EditorSettings

ROOT = Path(__file__).parents[2]
VSCODE = ROOT / "editors" / "vscode"
EXAMPLES = sorted((ROOT / "examples").rglob("*.pto"))
PROGRAMS = [*EXAMPLES, *sorted((ROOT / "tests" / "golden").glob("*.pto"))]


def test_editor_files_are_up_to_date() -> None:
    """Generated grammars are up to date; otherwise run `python -m ptoas.editors` or `make docs`."""
    for path, text in files().items():
        assert path.read_text(encoding="utf-8") == text, path.relative_to(ROOT)


def test_every_instruction_has_its_word() -> None:
    words = set(vocabulary()["instructions"])
    assert {op.mnemonic() for op in OPS if op.__module__.startswith("ptoas.")} <= words


def opcodes(text: str) -> dict[int, str]:
    """The spans of the opcodes of a program, as the language server sees them."""
    statements = Document(text, "a.pto").statements
    return {s.opcode.start: s.opcode.text for s in statements if s.opcode and s.opcode.text[0] not in '".'}


def test_pygments_highlights_every_opcode() -> None:
    for path in PROGRAMS:
        text = path.read_text()
        wanted = opcodes(text)
        for at, kind, value in PtoLexer().get_tokens_unprocessed(text):
            assert kind is not Error, (path, value)
            if at in wanted and "broken" not in path.parts:
                assert kind in (Name.Builtin, Keyword), (path.name, value, kind)
                assert value.startswith(wanted[at]) or wanted[at].startswith(value)
        assert all(text[at:].startswith(word) for at, word in wanted.items())


def test_pygments_distinguishes_comments_from_attributes() -> None:
    text = "# words\n#keep = #pto.layout<nd>\n%a = tneg %b #atomic=add // more\n# RUN-CHECK: a == b\n"
    found = {value: kind for _, kind, value in PtoLexer().get_tokens_unprocessed(text)}
    assert found["# words"] is Comment.Single and found["// more"] is Comment.Single
    assert found["# RUN-CHECK: a == b"] is Comment.Special
    assert found["#keep"] is Name.Constant and found["#pto.layout"] is Name.Constant


def scopes(text: str) -> dict[int, str]:
    """The TextMate scopes of each position: line by line, the first match, the first pattern."""
    compiled = [(scope, re.compile(pattern)) for scope, pattern in patterns(vocabulary())]
    found: dict[int, str] = {}
    start = 0
    for line in text.split("\n"):
        at = 0
        while at < len(line):
            matches = [
                (m.start(), k, m.end()) for k, (_, p) in enumerate(compiled) if (m := p.search(line, at))
            ]
            if not matches:
                break
            begin, which, end = min(matches)
            found[start + begin] = compiled[which][0]
            at = max(end, begin + 1)
        start += len(line) + 1
    return found


def test_textmate_highlights_every_opcode() -> None:
    for path in EXAMPLES[::3]:
        if "broken" in path.parts:
            continue
        text = path.read_text()
        found = scopes(text)
        for at, word in opcodes(text).items():
            assert found.get(at) in ("support.function.instruction.pto", "keyword.control.pto"), (
                path.name,
                word,
            )
        for match in re.finditer(r"%\w+", re.sub(r"(#|//)[^\n]*", lambda m: " " * len(m[0]), text)):
            assert found.get(match.start()) == "variable.other.pto", (path.name, match[0])


PROBE = """\
.arg %table : !pto.memref<64x32xf32>
%dst = mgather.row.clamp %table, %idx {coalesce = #pto.coalesce<row>} // why
# RUN-CHECK: out == 3
func.func @f(%n: index) {
"""

SEEN = {
    "arg": "ptoDirective",
    "table": "ptoValue",
    "memref": "ptoType",
    "64x": "ptoShape",
    "f32": "ptoScalar",
    "mgather": "ptoInstruction",
    "clamp": "ptoInstruction",
    "coalesce =": "ptoKey",
    "coalesce<": "ptoAttribute",
    "row>": "ptoMember",
    "why": "ptoComment",
    "RUN-CHECK": "ptoCheck",
    "func": "ptoStructure",
    "@f": "ptoSymbol",
    "index": "ptoScalar",
}


@pytest.mark.skipif(shutil.which("vim") is None, reason="there is no vim")
def test_vim_shows_the_groups(tmp_path: Path) -> None:
    (tmp_path / "a.pto").write_text(PROBE)
    script = [f"set rtp^={ROOT / 'editors' / 'vim'}", "syntax on", "filetype plugin on", "let out = []"]
    script.append(f"e {tmp_path / 'a.pto'}")
    for word in SEEN:
        script.append(f"call cursor(1, 1) | call search('\\V{word}', 'c')")
        script.append("call add(out, synIDattr(synID(line('.'), col('.'), 1), 'name'))")
    script += [f"call writefile([&ft, &cms] + out, '{tmp_path / 'out'}')", "qa!"]
    (tmp_path / "probe.vim").write_text("\n".join(script) + "\n")
    subprocess.run(
        ["vim", "-es", "-u", "NONE", "-N", "-i", "NONE", "-S", str(tmp_path / "probe.vim")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    name, comment, *groups = (tmp_path / "out").read_text().splitlines()
    assert (name, comment) == ("pto", "// %s")
    assert dict(zip(SEEN, groups, strict=True)) == SEEN


# --- the extension and the entry point --------------------------------------------------------------


def test_snippets_are_programs() -> None:
    """With what they propose in their places, inside a function unless they are one."""
    for name, snippet in json.loads((VSCODE / "snippets" / "pto.json").read_text()).items():
        text = "\n".join(snippet["body"])
        text = re.sub(r"\$\{\d+\|([^,|]*)[^}]*\}", r"\1", text)
        text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text).replace("$0", "")
        whole = text.startswith((".target", "module", "func"))
        program = text if whole else f"func.func @f() {{\n{text}\nreturn\n}}"
        assert ptoas.parse(program, "a.pto"), name


def test_the_extension_is_whole() -> None:
    package = json.loads((VSCODE / "package.json").read_text())
    assert package["version"] == ptoas.__version__
    contributed = package["contributes"]
    paths = [
        package["main"],
        *(each["path"] for kind in ("grammars", "snippets") for each in contributed[kind]),
    ]
    paths.append(contributed["languages"][0]["configuration"])
    assert all((VSCODE / path).is_file() for path in paths)
    json.loads((VSCODE / "language-configuration.json").read_text())
    assert not list(VSCODE.glob("*lock*")), "a lock file says which registry was used"
    settings = contributed["configuration"]["properties"]
    assert {name for name in settings if name.startswith("ptoas.inlayHints.")} == {
        f"ptoas.inlayHints.{word}" for word in ("shapes", "addresses", "flags")
    }
    assert EditorSettings.of({"inlayHints": {"shapes": False}, "target": "all"}).targets == tuple(
        ptoas.TARGETS
    )
    for name in settings:
        assert (
            name.removeprefix("ptoas.").split(".")[0] in (ROOT / "docs" / "editors.md").read_text() + "trace"
        )


def test_the_entry_point_is_the_lexer() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["pto"].partition(":")
    assert getattr(import_module(module), name) is PtoLexer
