"""Verdicts that are kept: an unchanged file is not checked again.

A verdict is found by all that it depends on: the text and the name of the file, the options, and the program
that gave it (its version, its own files, its plugins). Nothing of the compiler is imported to find one. An
entry is a small file that is written whole or not at all, so that any number of processes may share the
folder; each of its 256 shelves is kept small. Folders are made for their owner alone: whoever can write to
the cache can forge a verdict.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

from ptoas import __version__
from ptoas.diagnostics.core import Diagnostic, Edit, Note, Severity, Source, Span
from ptoas.diagnostics.files import read_plain
from ptoas.diagnostics.report import Report
from ptoas.dialects.plugins import plugins
from ptoas.grammar.layout import ignore_diagnostics, split_statements
from ptoas.grammar.locations import take_locations
from ptoas.project.verdicts import FileReport

T = TypeVar("T")

SETTING = "PTOAS_CACHE_DIR"
FORMAT = 1
MOST_ENTRIES = 64
"""Maximum number of entries of one folder; the oldest are dropped."""
MOST_BYTES = 1 << 20
"""Maximum size of one folder; an entry of more than a quarter of this is not stored."""


def folder() -> Path:
    """Return the cache directory: `PTOAS_CACHE_DIR`, else the system's cache directory."""
    if named := os.environ.get(SETTING):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ptoas"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "ptoas" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptoas"


class Cache:
    """The verdicts for one set of options."""

    def __init__(self, options: object):
        self.folder = folder() / f"verdicts-{FORMAT}"
        self.fingerprint = f"{_program()}\n{options!r}".encode("utf-8", "surrogateescape")

    def find(self, path: str) -> tuple[str | None, FileReport | None]:
        """The key of a file as it is now, and its verdict if there is one; no key for what can't be read."""
        try:
            data = read_plain(path)
        except (OSError, ValueError):
            return None, None
        key = sha256(b"\0".join((self.fingerprint, os.fsencode(path), data))).hexdigest()
        try:
            kept: Any = json.loads(read_plain(self._place(key), MOST_BYTES))
            return key, _restored(path, data.decode("utf-8-sig"), kept)
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return key, None  # not there, or not ours

    def put(self, key: str, report: FileReport) -> None:
        """Remember a verdict; a folder that can't be written to remembers nothing."""
        if any(d.code == "PTO-X001" for d in report.report.diagnostics):
            return
        data = json.dumps(_plain(report), separators=(",", ":")).encode("utf-8", "surrogatepass")
        place = self._place(key)
        if len(data) > MOST_BYTES // 4:
            return
        temporary = place.with_name(f".{os.getpid()}-{os.urandom(6).hex()}")
        try:
            _make_private(place.parent)
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, place)
            _prune(place.parent)
        except OSError:
            temporary.unlink(missing_ok=True)

    def _place(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


def _make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, each for its owner alone (`mkdir` gives its mode to
    the last one only)."""
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _prune(folder: Path) -> None:
    entries = [(entry.stat(), entry.path) for entry in os.scandir(folder)]
    size = sum(stat.st_size for stat, _ in entries)
    for stat, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns):
        if len(entries) <= MOST_ENTRIES and size <= MOST_BYTES:
            return
        Path(path).unlink(missing_ok=True)
        entries.pop()
        size -= stat.st_size


def _program() -> str:
    """Return what a verdict depends on besides text and options: the files of ptoas, the versions of the
    libraries that it is built on, and what is plugged in."""
    from importlib.metadata import version

    libraries = " ".join(f"{name} {version(name)}" for name in ("lark", "xdsl"))
    folders = os.walk(Path(__file__).parents[1])  # `Path.rglob` takes four times as long
    own = _stamps(f"{top}/{name}" for top, _, names in folders for name in names if name.endswith(".py"))
    return f"{__version__} {sys.version_info[:2]} {libraries} {own} {_plugins()}"


def _stamps(paths: Iterable[str]) -> str:
    found = sha256()
    for path in sorted(paths):
        stat = os.stat(path)
        found.update(f"{path} {stat.st_mtime_ns} {stat.st_size}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()[:16]


def _plugins() -> str:
    from importlib.util import find_spec

    modules: list[str] = []
    for plugin in plugins():
        modules += [*plugin.chapters, *plugin.rows.values(), *plugin.bodies, *plugin.rules, *plugin.targets]
    specs = [find_spec(name) for name in sorted(modules)]
    return _stamps(spec.origin for spec in specs if spec is not None and spec.origin is not None)


# --- as plain data --------------------------------------------------------------------------------------


def _plain(report: FileReport) -> dict[str, Any]:
    sources: list[Source] = []

    def place(span: Span) -> list[Any]:
        if span.source not in sources:
            sources.append(span.source)
        return [sources.index(span.source), span.offset, span.length]

    findings = [
        [
            d.code,
            d.message,
            place(d.span),
            d.severity.value,
            [[note.message, None if note.span is None else place(note.span)] for note in d.notes],
            d.fix,
            list(d.targets),
            [[place(edit.span), edit.text, edit.safe] for edit in d.edits],
        ]
        for d in report.report.diagnostics
    ]
    # The file has its text itself; others, such as that of what a pass made, are kept.
    texts = [[s.filename, None if s.filename == report.path else s.text] for s in sources]
    return {
        "path": report.path,
        "targets": list(report.report.targets),
        "readable": report.readable,
        "unnamed": report.unnamed,
        "sources": texts,
        "findings": findings,
    }


def _as(kind: type[T], value: Any) -> T:
    """The value; raises `TypeError` unless it has this very type (a bool is no int)."""
    if type(value) is not kind:
        raise TypeError(f"found {type(value).__name__}, expected {kind.__name__}")
    return value


def _restored(path: str, text: str, kept: Any) -> FileReport:
    """The verdict as it was kept; raises `TypeError`, `ValueError`, `KeyError` or `IndexError` for anything
    else."""
    own = Source(text, path)
    take_locations(own, split_statements(text, ignore_diagnostics))
    sources = [
        own if each[1] is None else Source(_as(str, each[1]), _as(str, each[0])) for each in kept["sources"]
    ]

    def place(at: list[int]) -> Span:
        source, offset, length = (_as(int, number) for number in at)
        if min(source, offset, length) < 0 or offset > len(sources[source].text):
            raise ValueError("a place outside its text")
        return Span(sources[source], offset, length)

    findings = tuple(
        Diagnostic(
            _as(str, code),
            _as(str, message),
            place(span),
            Severity(severity),
            tuple(Note(_as(str, words), None if at is None else place(at)) for words, at in notes),
            None if fix is None else _as(str, fix),
            _texts(targets),
            edits=tuple(Edit(place(at), _as(str, new), _as(bool, safe)) for at, new, safe in edits),
        )
        for code, message, span, severity, notes, fix, targets, edits in kept["findings"]
    )
    report = Report(findings, _texts(kept["targets"]))
    return FileReport(path, report, _as(bool, kept["readable"]), _as(bool, kept["unnamed"]))


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_as(str, each) for each in cast("list[Any]", _as(list, values)))
