"""State of the server: open files, their last valid versions, and the settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from ptoas.diagnostics import Diagnostic, UsageError
from ptoas.diagnostics.report import Report
from ptoas.lsp.document import Document
from ptoas.lsp.names import NameIndex
from ptoas.lsp.parts import DocumentParts, Placed, targets_named
from ptoas.lsp.project import Project
from ptoas.project.verify_files import VerifyOptions, as_configured, parse_targets
from ptoas.targets import TARGETS


@dataclass(frozen=True)
class EditorSettings:
    """User settings, sent by the editor under `ptoas`."""

    targets: tuple[str, ...] = ()
    """Targets to check; None selects the program's own target, or all."""
    shapes: bool = True
    addresses: bool = True
    flags: bool = True
    docs: str | None = None
    """Base address of the pages of codes; None selects the cache."""

    @staticmethod
    def of(options: object) -> EditorSettings:
        """The settings in what an editor sends; what they don't name, or name wrongly, is as it was.

        >>> EditorSettings.of({"target": "cpu,a5", "inlayHints": {"flags": False}})
        EditorSettings(targets=('cpu', 'a5'), shapes=True, addresses=True, flags=False, docs=None)
        """
        if not isinstance(options, Mapping):
            return EditorSettings()
        values = cast("Mapping[str, Any]", options)
        inner = values.get("ptoas")
        if isinstance(inner, Mapping):
            values = cast("Mapping[str, Any]", inner)
        shown = values.get("inlayHints")
        hints = cast("Mapping[str, Any]", shown) if isinstance(shown, Mapping) else dict[str, Any]()
        docs = values.get("docs")
        return EditorSettings(
            _targets(values.get("target")),
            shapes=bool(hints.get("shapes", True)),
            addresses=bool(hints.get("addresses", True)),
            flags=bool(hints.get("flags", True)),
            docs=docs if isinstance(docs, str) and docs else None,
        )


def _targets(names: object) -> tuple[str, ...]:
    if not names or not isinstance(names, str | list):
        return ()
    try:
        return parse_targets(cast("str | list[str]", names))
    except UsageError:
        return ()


class Version:
    """A document with its names: what one text says."""

    def __init__(self, document: Document):
        self.document = document

    @cached_property
    def names(self) -> NameIndex:
        return NameIndex(self.document)


class File:
    """An open file: the text as it is now, and as it was when it could last be read."""

    def __init__(
        self,
        uri: str,
        filename: str,
        text: str,
        version: int | None = None,
        project: Project | None = None,
    ):
        self.uri, self.filename = uri, filename
        self.project = project or Project()
        self._parts = DocumentParts()
        self.now = Version(Document(text, filename, uri, version))
        self._good: Version | None = None
        self._placed: tuple[Version, list[Placed]] | None = None

    def change(self, text: str, version: int | None) -> None:
        _ = self.good  # what was whole is kept before it goes
        self.now = Version(Document(text, self.filename, self.uri, version))

    @property
    def good(self) -> Version | None:
        """The last version without mistakes."""
        if self.now.document.module is not None:
            self._good = self.now
        return self._good

    @property
    def document(self) -> Document:
        return self.now.document

    @property
    def names(self) -> NameIndex:
        return self.now.names

    @property
    def parts(self) -> list[Placed]:
        if self._placed is None or self._placed[0] is not self.now:
            self._placed = self.now, self._parts.of(self.document)
        return self._placed[1]

    def targets(self, settings: EditorSettings) -> tuple[str, ...]:
        """Targets to check: those of the project, else the program's own, else the user's, else all."""
        if self.options.targets:
            return self.options.targets
        version = self.good
        named = () if version is None else targets_named(version.document)
        return tuple(name for name in named if name in TARGETS) or settings.targets or tuple(TARGETS)

    @property
    def options(self) -> VerifyOptions:
        """Check settings of the file's project."""
        return self.project.options(self.filename)

    def findings(self, targets: tuple[str, ...]) -> list[Diagnostic]:
        """Findings as `verify` reports them, after suppressions and project settings."""
        document = self.document
        known = targets_named(document) or tuple(TARGETS)
        whole = document.module is not None and set(known) <= set(targets)
        report = Report(tuple(self._checked_once(targets)), targets)
        kept = as_configured(report, document.source, self.options, self.filename, whole)
        return sorted((*document.problems, *kept.diagnostics), key=Diagnostic.sort_key)

    def _checked_once(self, targets: tuple[str, ...]) -> list[Diagnostic]:
        found: dict[tuple[object, ...], Diagnostic] = {}
        for finding in self._checked(targets):
            key = (finding.code, finding.message, finding.span.offset, finding.span.length)
            seen = found.get(key)
            if seen is None:
                found[key] = finding
            elif seen.targets:
                found[key] = replace(seen, targets=tuple(dict.fromkeys((*seen.targets, *finding.targets))))
        return list(found.values())

    def _checked(self, targets: tuple[str, ...]) -> Iterable[Diagnostic]:
        for part in self.parts:
            yield from part.findings(targets)

    def planned_target(self, settings: EditorSettings) -> str | None:
        """The target whose addresses and flags are shown: the first that takes the whole program."""
        if self.document.module is None:
            return None
        selected = [name for name in self.targets(settings) if name in _PLACED]
        return next((name for name in selected if self.runs_on(name)), None)

    def runs_on(self, target: str) -> bool:
        return not self.document.problems and not any(each.part.errors(target) for each in self.parts)


_PLACED = tuple(name for name in ("a5", "a2a3", "a5-custom") if name in TARGETS)
"""The targets that have addresses and flags, in the order in which they are shown."""


class Session:
    """The open files by their addresses."""

    def __init__(self, project: Project | None = None) -> None:
        self.project = project or Project()
        self.files: dict[str, File] = {}
        self.settings = EditorSettings()
        self.shown_for_all_targets: set[str] = set()
        """Files whose findings are shown for all targets until they are edited."""

    def shown_targets(self, file: File) -> tuple[str, ...]:
        return tuple(TARGETS) if file.uri in self.shown_for_all_targets else file.targets(self.settings)
