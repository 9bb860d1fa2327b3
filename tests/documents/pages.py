"""Pages of the documentation as programs: files, commands with their output, sessions of Python.

A block whose fence says `title="NAME"` is a file of the reader's folder. A `console` block types commands and
shows what they print; a line `...` stands for lines that are left out. `python -m tests.documents.pages PAGE`
runs a page and puts in what its commands print now.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r'^( *)```(\w+)(?: title="([^"]+)")?[^\n`]*\n(.*?)^\1```$', re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
NOT_TYPED = {
    "make",
    "pip",
    "mpiexec",
    "git",
    "cd",
    "npm",
    "mkdir",
    "cp",
    "pygmentize",
    "pre-commit",
    "python3",
    "source",
}
"""Commands that change the reader's machine; they show no output."""


@dataclass(frozen=True)
class Block:
    kind: str
    title: str | None
    body: str
    start: int
    """Start of the body in the page."""
    end: int


def blocks(path: Path) -> Iterator[Block]:
    text = path.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        body = re.sub(rf"^{found[1]}", "", found[4], flags=re.MULTILINE)
        yield Block(found[2], found[3], body, found.start(4), found.end(4))


@dataclass
class Session:
    """A reader who does what a page says, in a folder of his own."""

    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    def do(self, block: Block) -> str:
        """The block as it should be shown; what is not so as it stands is noted."""
        if block.title is not None:
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
        elif block.kind == "console":
            return COMMAND.sub(self._typed, block.body)
        elif block.kind == "python":
            self._python(block.body)
        elif block.kind in ("pto", "mlir"):
            self._program(block.body)
        return block.body

    def _typed(self, found: re.Match[str]) -> str:
        command, shown = found[1], found[2]
        words = shlex.split(command, comments=True)
        if words[0] in NOT_TYPED:
            if shown.strip():
                self.wrong.append(f"{command}: its output is not checked, so none may be shown")
            return found[0]
        self.commands.append(command)
        printed = self._printed(words).strip("\n")
        if matches(shown.strip("\n"), printed):
            return found[0]
        self.wrong.append(f"$ {command}\n{printed}\n--- shown:\n{shown}")
        after = re.search(r"\n*\Z", shown)
        return f"$ {command}\n{printed}\n{after[0][1:] if after else ''}"

    def _printed(self, words: list[str]) -> str:
        match words:
            case ["ptoas", *rest]:
                from ptoas.cli.main import main

                kept = str(self.folder / ".cache")
                env = {"NO_COLOR": "1", "COLUMNS": "80", "PTOAS_CACHE_DIR": kept}
                result = CliRunner(env=env).invoke(main, rest, prog_name="ptoas")
                if result.exception is not None and not isinstance(result.exception, SystemExit):
                    raise result.exception
                return "\n".join(line.rstrip() for line in result.output.splitlines())
            case ["cat", name]:
                return (self.folder / name).read_text(encoding="utf-8")
            case ["python", name]:
                said = io.StringIO()
                code = compile((self.folder / name).read_text(encoding="utf-8"), name, "exec")
                with contextlib.redirect_stdout(said):
                    exec(code, {"__name__": "__main__"})
                return said.getvalue()
            case _:
                raise AssertionError(f"nobody types {words}")

    def _python(self, body: str) -> None:
        if ">>>" not in body:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(body, "<page>", "exec"), self.names)
            return
        said = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        test = doctest.DocTestParser().get_doctest(body, self.names, "page", "page", 0)
        test.globs = self.names
        runner.run(test, out=said.write, clear_globs=False)
        if said.getvalue():
            self.wrong.append(said.getvalue())

    def _program(self, body: str) -> None:
        """A program without a name is legal on its target, or on one at least, and runs there."""
        import ptoas

        module = ptoas.parse(body, "page.pto")
        report = ptoas.verify(module)
        good = [target for target in report.targets if report.for_target(target).ok]
        if not good:
            self.wrong.append(ptoas.render(report, "concise"))
            return
        ptoas.run(module, target=good[0], generate=True)


def matches(shown: str, printed: str) -> bool:
    """Return True if a command printed what is shown.

    A line `...` stands for any lines, and durations in seconds may differ.
    """
    shown, printed = (re.sub(r"\(\d+\.\d+ s\)", "(0.1 s)", text) for text in (shown, printed))
    if shown == printed:
        return True
    parts = [re.escape(part) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)]
    return len(parts) > 1 and re.fullmatch("(?:.*)".join(parts), printed, re.DOTALL) is not None


@contextlib.contextmanager
def reader() -> Iterator[Session]:
    """Run in an empty folder with the project's examples."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.symlink(ROOT / "examples", Path(name) / "examples")
        os.chdir(name)
        try:
            yield Session(Path(name))
        finally:
            os.chdir(before)


def read(path: Path) -> tuple[Session, str]:
    """Do what a page says; what was done, and the page with what the commands print now."""
    path = path.resolve()
    text, at, parts = path.read_text(encoding="utf-8"), 0, []
    with reader() as session:
        for block in blocks(path):
            shown = session.do(block)
            if shown != block.body:
                parts += [text[at : block.start], shown]
                at = block.end
    return session, "".join([*parts, text[at:]])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        session, text = read(Path(name).resolve())
        print(f"{name}: {len(session.commands)} commands, {len(session.wrong)} put in")
        for each in session.wrong:
            print(each)
        Path(name).write_text(text, encoding="utf-8")
