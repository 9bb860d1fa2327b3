"""The configuration of a project: `[tool.ptoas]` of pyproject.toml, or ptoas.toml.

Reading it costs nothing where there is none. Names of targets and codes are looked at by `check_names`, which
only a command calls that has work to do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from ptoas.diagnostics.codes import ALIASES
from ptoas.diagnostics.core import Diagnostic, PtoasError, Severity, Source, Span
from ptoas.diagnostics.files import read_plain
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.project.choices import REVISIONS, SYNC_MODES
from ptoas.project.codes import known_codes
from ptoas.project.patterns import MOST_WILDCARDS, has_too_many_wildcards
from ptoas.project.pool import AUTO
from ptoas.targets import TARGETS, UnknownTargetError, get_target

OWN = "ptoas.toml"
SHARED = "pyproject.toml"
_TABLE = "tool.ptoas"
MOST_BYTES = 1 << 20
"""Maximum size of a configuration."""
MOST_DOTS = 128
"""Maximum number of dots in one of its lines."""


@dataclass(frozen=True)
class Settings:
    """Settings of a project; command-line options override them."""

    source: Source | None = None
    target: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    werror: bool = False
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severities: tuple[tuple[str, str], ...] = ()
    sync: str | None = None
    isa: str | None = None
    jobs: int | str | None = None
    allow_python: bool = False
    """Reference functions of programs may be executed."""
    places: Mapping[tuple[str, str], Span] = field(default_factory=dict[tuple[str, str], Span], compare=False)
    """Location of a key's value in the file."""

    @property
    def root(self) -> Path:
        """The folder that patterns count from."""
        return Path.cwd() if self.source is None else Path(self.source.filename).absolute().parent


def load(config: str | None, isolated: bool, paths: Sequence[str] = ()) -> Settings:
    """The configuration that `--config` names, else the nearest above the first path; `--isolated`: none.

    Raises `PtoasError` for one that can't be read, or that holds what nobody knows.
    """
    if config is not None:
        return _read(Path(config), named=True)
    if isolated:
        return Settings()
    start = next((path for path in paths if path != "-"), ".")
    folder = Path(os.path.abspath(start))
    for above in (folder, *folder.parents):
        for name in (OWN, SHARED):
            found = above / name
            if found.is_file() and (name == OWN or _has_our_table(found)):
                return _read(found, named=False)
    return Settings()


def for_one_target(settings: Settings, target: str | None) -> str | None:
    """The target of a command that works for one: the option's, else the project's if it names just one."""
    if settings.source is not None:
        check_names(settings)
    if target is not None and target != "all":
        get_target(target)  # before anything is said of the program
    only = settings.target[0] if len(settings.target) == 1 and settings.target[0].lower() != "all" else None
    return only if target is None else target


def _has_our_table(path: Path) -> bool:
    """Return True if a pyproject.toml has a table for ptoas; imports no reader of TOML."""
    try:
        return b"[tool.ptoas" in read_plain(path)
    except OSError:
        return False


def _read(path: Path, named: bool) -> Settings:
    name = os.path.relpath(path) if not named else str(path)
    try:
        text = read_plain(path, MOST_BYTES).decode("utf-8-sig")
        # The time that tomllib takes grows with the square of the parts of a key.
        if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
            raise OSError(0, f"a line has more than {MOST_DOTS} dots")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8 text"
        raise PtoasError(
            [Diagnostic("PTO-E950", f"can't read {name}: {reason}", Span(Source("", name), 0))]
        ) from None
    import tomllib  # only who has a configuration pays for it

    source = Source(text, name)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PtoasError([_not_toml(source, str(error))]) from None
    shared = path.name == SHARED or (named and path.name != OWN and "tool" in data)
    table: Any = data.get("tool", {}) if shared else data
    if shared and isinstance(table, dict):
        table = cast("dict[str, Any]", table).get("ptoas", {})
    return _Reader(source, shared).settings(table)


def _not_toml(source: Source, message: str) -> Diagnostic:
    match = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    words = message if match is None else message[: match.start()]
    offset = len(source.text.rstrip())
    if match is not None and match[1]:
        offset = source.line_starts[int(match[1]) - 1] + int(match[2]) - 1
    return Diagnostic(
        "PTO-E950", f"this is not TOML: {words[:1].lower()}{words[1:]}", Span(source, offset, 1)
    )


# --- keys and their values ---------------------------------------------------------------------------


class _Reader:
    """Convert a table to settings and report all errors at once."""

    def __init__(self, source: Source, shared: bool):
        self.source = source
        self.header = _TABLE if shared else ""
        self.problems: list[Diagnostic] = []
        self.places: dict[tuple[str, str], Span] = {}

    def settings(self, table: Any) -> Settings:
        found = Settings(self.source)
        if not isinstance(table, dict):
            self._wrong("", "tool.ptoas", table, "a table")
            raise PtoasError(self.problems)
        for key, value in cast("dict[str, Any]", table).items():
            reader = _KEYS.get(key)
            if reader is None:
                message = f"there is no key `{key}`; there are {', '.join(_KEYS)}"
                span = self.place("", key)
                self.problems.append(Diagnostic("PTO-E951", message, span, fix=did_you_mean(key, _KEYS)))
                continue
            read = reader(self, key, value)
            if read is not None:
                found = replace(found, **{key.replace("-", "_"): read})
        if self.problems:
            raise PtoasError(self.problems)
        return replace(found, places=self.places)

    def place(self, table: str, key: str, value: str | None = None) -> Span:
        """Return the location of a key, or of a string among its values, which TOML's reader omits."""
        text = self.source.text
        start = self._start_of(".".join(part for part in (self.header, table) if part))
        quoted = re.escape(key)
        pattern = (
            rf"(?m)^[ \t]*(?P<key>{quoted}|\"{quoted}\"|'{quoted}')\s*[=.]|\[[\w.]*\.?(?P<head>{quoted})\]"
        )
        found = re.compile(pattern).search(text, start) or re.compile(pattern).search(text)
        if found is None:
            return Span(self.source, start, 1)
        name = "key" if found["key"] else "head"
        if value is not None:
            literal = re.compile(rf"([\"']){re.escape(value)}\1").search(text, found.end())
            if literal is not None:
                return Span(self.source, literal.start(), literal.end() - literal.start())
        return Span(self.source, found.start(name), found.end(name) - found.start(name))

    def _start_of(self, header: str) -> int:
        if not header:
            return 0
        found = re.search(rf"(?m)^[ \t]*\[{re.escape(header)}\]", self.source.text)
        return 0 if found is None else found.end()

    def _wrong(self, table: str, key: str, value: object, required: str) -> None:
        shown = value if isinstance(value, str) else repr(value).lower() if isinstance(value, bool) else value
        message = f"{key}: found {shown!r}, expected {required}"
        self.problems.append(Diagnostic("PTO-E952", message, self.place(table, key)))

    # --- one kind of value each

    def truth(self, key: str, value: object) -> bool | None:
        if isinstance(value, bool):
            return value
        self._wrong("", key, value, "true or false")
        return None

    def texts(self, key: str, value: object, table: str = "") -> tuple[str, ...] | None:
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(
            isinstance(each, str) for each in cast("list[Any]", listed)
        ):
            self._wrong(table, key, value, "a text, or a list of texts")
            return None
        found = tuple(
            part.strip()
            for each in cast("list[str]", listed)
            for part in (each.split(",") if key in ("target", "select", "ignore") or table else [each])
        )
        for each in found:
            self.places[key, each] = self.place(table, key, each)
        if key == "exclude" and not table:
            self._check_patterns(key, found)
        return found

    def _check_patterns(self, key: str, patterns: Iterable[str]) -> None:
        for pattern in patterns:
            if has_too_many_wildcards(pattern):
                self._wrong("", key, pattern, f"at most {MOST_WILDCARDS} `*` between slashes, and parts `**`")

    def word(self, key: str, value: object, words: Sequence[str], table: str = "") -> str | None:
        if isinstance(value, str) and value in words:
            return value
        self._wrong(table, key, value, " or ".join(words))
        return None

    def severities(self, key: str, value: object) -> tuple[tuple[str, str], ...] | None:
        if not isinstance(value, dict):
            self._wrong("", key, value, "a table of codes, each with a severity")
            return None
        table = cast("dict[str, Any]", value)
        self.places |= {(key, code): self.place(key, code) for code in table}
        read = {code: self.word(code, each, [*Severity], key) for code, each in table.items()}
        return tuple((code.upper(), each) for code, each in read.items() if each is not None)

    def jobs(self, key: str, value: object) -> int | str | None:
        if value == AUTO:
            return AUTO
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self._wrong("", key, value, 'a number from 1, or "auto"')
        return None

    def by_file(self, key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
        if not isinstance(value, dict):
            self._wrong("", key, value, "a table of patterns, each with a list of codes")
            return None
        found: list[tuple[str, tuple[str, ...]]] = []
        self._check_patterns(key, cast("dict[str, Any]", value))
        for pattern, codes in cast("dict[str, Any]", value).items():
            read = self.texts(pattern, codes, key)
            if read is not None:
                found.append((pattern, read))
        return tuple(found)


_KEYS: dict[str, Callable[[_Reader, str, Any], Any]] = {
    "target": _Reader.texts,
    "select": _Reader.texts,
    "ignore": _Reader.texts,
    "werror": _Reader.truth,
    "exclude": _Reader.texts,
    "per-file-ignores": _Reader.by_file,
    "severities": _Reader.severities,
    "sync": lambda reader, key, value: reader.word(key, value, SYNC_MODES),
    "isa": lambda reader, key, value: reader.word(key, value, REVISIONS),
    "jobs": _Reader.jobs,
    "allow-python": _Reader.truth,
}


def check_names(settings: Settings) -> None:
    """Refuse targets and codes that do not exist; this needs the compiler."""

    problems: list[Diagnostic] = []
    for name in settings.target:
        try:
            if name.lower() != "all":
                get_target(name)
        except UnknownTargetError as error:
            fix = did_you_mean(name, [*TARGETS, "all"])
            problems.append(Diagnostic("PTO-E953", str(error), settings.places["target", name], fix=fix))
    severities = [code for (key, code) in settings.places if key == "severities"]
    listed = [("select", settings.select), ("ignore", settings.ignore), ("severities", severities)]
    listed += settings.per_file_ignores
    known = (*known_codes(), *ALIASES) if any(codes for _, codes in listed) else ()
    for key, codes in listed:
        for code in codes:
            if not any(each.startswith(code.upper()) for each in known):
                fix = did_you_mean(code.upper(), known)
                span = settings.places[key, code]
                problems.append(Diagnostic("PTO-E953", f"there is no code `{code}`", span, fix=fix))
    if problems:
        raise PtoasError(problems)
