"""Processing of a file by `verify`. Imports neither the compiler nor click."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ptoas.project import verify_files as files
from ptoas.project.settings import check_names
from ptoas.project.verify_files import verify_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptoas.project.cache import Cache
    from ptoas.project.settings import Settings
    from ptoas.project.verdicts import FileReport
    from ptoas.project.verify_files import VerifyOptions


@dataclass(frozen=True)
class Request:
    """Options and configuration of a check as typed, with unresolved names."""

    target: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    werror: bool
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...]
    root: str
    aicore: bool
    sync: str | None
    isa: str | None
    allow_unregistered: bool
    placement: str | None
    assembler: str | None
    certify: bool = False

    def options(self, settings: Settings, stdin_filename: str | None) -> VerifyOptions:
        """The same with its names found; raises for one that does not exist."""

        if settings.source is not None:
            check_names(settings)
        return files.VerifyOptions(
            files.parse_targets(self.target),
            self.aicore,
            self.sync,
            files.parse_codes(self.select),
            files.parse_codes(self.ignore),
            self.werror,
            self.allow_unregistered,
            self.isa,
            self.placement,
            self.assembler,
            tuple((pattern, files.parse_codes(codes)) for pattern, codes in self.per_file_ignores),
            self.root,
            stdin_filename,
            self.certify,
        )


@dataclass
class Check:
    """Check of one file, in any of several processes.

    The compiler is imported by each of them, at its first file; the parent process does not need it.
    """

    request: Request
    settings: Settings
    stdin_filename: str | None
    cache: Cache | None
    keys: Mapping[str, str]
    quiet: bool

    @cached_property
    def options(self) -> VerifyOptions:
        return self.request.options(self.settings, self.stdin_filename)

    def __call__(self, path: str) -> FileReport:
        report = verify_file(path, self.options)
        if self.cache is not None and path in self.keys:
            self.cache.put(self.keys[path], report)
        return report.of_errors() if self.quiet else report  # no more than is shown
