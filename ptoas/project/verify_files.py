"""Checking many files for many targets, in several processes; `verdicts` shows the result."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ptoas.diagnostics import PtoasError, Source
from ptoas.diagnostics.codes import ALIASES, UnknownCodeError
from ptoas.diagnostics.report import Report
from ptoas.grammar.internal_error import internal_error
from ptoas.grammar.parse import parse, read_source
from ptoas.project.codes import known_codes
from ptoas.project.settings import Settings, check_names
from ptoas.project.verdicts import FileReport
from ptoas.targets import TARGETS, get_target
from ptoas.targets.named import module_target
from ptoas.verifier.certificate import with_claims
from ptoas.verifier.suppressions import without_ignored
from ptoas.verifier.verify import targets_of, verify_targets


@dataclass(frozen=True)
class VerifyOptions:
    """Check options; empty `targets` selects the module's own target, or all (D2)."""

    targets: tuple[str, ...] = ()
    aicore: bool = False
    sync: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    werror: bool = False
    allow_unregistered: bool = False
    isa: str | None = None
    placement: str | None = None
    assembler: str | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Patterns as in a `.gitignore`, counted from `root`, and the codes that are not reported there."""
    root: str = "."
    severities: tuple[tuple[str, str], ...] = ()
    """Codes or prefixes of codes, and the severity of their findings in this project."""
    stdin_filename: str | None = None
    certify: bool = False
    """Add a note for each kernel that says whether every schedule gives its result."""


# --- what is asked for ---------------------------------------------------------------------------


def parse_targets(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """Targets as a command line gives them: `a5`, `cpu,a5`, `all`; none: as the modules say.

    Raises `UnknownTargetError` for one that does not exist.
    """
    if text is None:
        return ()
    found: dict[str, None] = {}
    for name in _words(text):
        if name.lower() == "all":
            found.update(dict.fromkeys(TARGETS))
        else:
            found[get_target(name).name] = None
    return tuple(name for name in TARGETS if name in found)


def _words(text: str | Iterable[str]) -> list[str]:
    """Words that commas separate, in one text or several."""
    texts = [text] if isinstance(text, str) else text
    return [word.strip() for each in texts for word in each.split(",") if word.strip()]


def parse_codes(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """Parse codes of a command line: `PTO-A201,PTO-F`; a prefix selects all codes that start with it.

    Raises `UnknownCodeError` for one that nothing has.
    """
    if not text:
        return ()
    known = known_codes()
    codes = [ALIASES.get(code.upper(), code.upper()) for code in _words(text)]
    for code in codes:
        if not any(one.startswith(code) for one in known):
            raise UnknownCodeError(f"no rule has the code {code!r}; `ptoas rules` lists them all")
    return tuple(codes)


def options_of(settings: Settings, **typed: Any) -> VerifyOptions:
    """Return the options of a check: the settings of a project, and what was `typed` instead of them.

    Raises for a target or code that does not exist.
    """
    if settings.source is not None:
        check_names(settings)
    given: dict[str, Any] = {name: value for name, value in typed.items() if value is not None}
    given["targets"] = parse_targets(given.get("targets", settings.target))
    given["select"] = parse_codes(given.get("select", settings.select))
    given["ignore"] = parse_codes([*settings.ignore, given.get("ignore", "")])
    given["werror"] = given.get("werror") or settings.werror
    ignored_here = ((pattern, parse_codes(codes)) for pattern, codes in settings.per_file_ignores)
    given["sync"], given["isa"] = given.get("sync", settings.sync), given.get("isa", settings.isa)
    return VerifyOptions(
        **given,
        severities=settings.severities,
        per_file_ignores=tuple(ignored_here),
        root=os.fspath(settings.root) if settings.per_file_ignores else ".",
    )


# --- checking ------------------------------------------------------------------------------------


def verify_file(path: str, options: VerifyOptions | None = None) -> FileReport:
    """Check one file; `-` is standard input. A file that can't be read is a finding, not an exception."""
    options = options or VerifyOptions()
    try:
        source = read_source(path)
        if path == "-" and options.stdin_filename is not None:
            source = Source(source.text, options.stdin_filename)
    except PtoasError as error:
        return FileReport(path, Report(error.diagnostics, options.targets or tuple(TARGETS)), readable=False)
    return verify_source(source, options, path)


def verify_source(source: Source, options: VerifyOptions, path: str | None = None) -> FileReport:
    """Check a text; `path` is what the report calls it."""
    path = source.filename if path is None else path
    try:
        module = parse(source.text, source.filename, allow_unregistered=options.allow_unregistered)
    except PtoasError as error:
        # Whatever codes were selected: a file that was not checked is no file that passed.
        return FileReport(path, Report(error.diagnostics, options.targets or tuple(TARGETS)), readable=False)
    try:
        report = verify_targets(
            module,
            options.targets or None,
            options.aicore,
            sync=options.sync,
            isa=options.isa,
            placement=options.placement,
            assembler=options.assembler,
            parsed=True,
        )
        if options.certify:
            report = with_claims(report, module, options.isa, options.sync)
    except Exception as error:
        # Caught here, so that other files are still checked and a worker process reports its file.
        found = internal_error(error, ("verify", path), path)
        return FileReport(path, Report((found,), options.targets or tuple(TARGETS)), readable=False)
    unnamed = not options.targets and module_target(module) is None
    # A comment may be for a target that was not asked for.
    whole = {target.name for target in targets_of(module)} <= set(report.targets)
    return FileReport(
        path, as_configured(report, source_of(report, source), options, path, whole), unnamed=unnamed
    )


def as_configured(
    report: Report, source: Source, options: VerifyOptions, path: str, whole: bool = True
) -> Report:
    """Filter findings by suppressions and options; `whole` is True if all targets were checked that a
    comment may be meant for."""
    ignore = (*options.ignore, *_ignored_here(path, options))
    if "ptoas:" not in source.text:
        return report.filtered(options.select, ignore, options.werror, options.severities)

    def is_selected(code: str) -> bool:
        return _is_selected(code, options.select, ignore)

    kept = without_ignored(report.diagnostics, source, is_selected, whole)
    found = Report(kept, report.targets)
    return found.filtered(options.select, ignore, options.werror, options.severities)


def source_of(report: Report, source: Source) -> Source:
    """The text as the findings know it: parsing made a source of its own."""
    for finding in report.diagnostics:
        if finding.span.file == source.filename and finding.span.source.text == source.text:
            return finding.span.source
    return source


def _is_selected(code: str, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """Return True if findings of this code, or of some codes with this prefix, are reported."""
    enabled = not select or any(code.startswith(each) or each.startswith(code) for each in select)
    return enabled and not any(code.startswith(each) for each in ignore)


def _ignored_here(path: str, options: VerifyOptions) -> list[str]:
    """The codes that the configuration ignores in this file."""
    if not options.per_file_ignores or path == "-":
        return []
    from pathspec import GitIgnoreSpec

    below = os.path.relpath(os.path.abspath(path), options.root)
    matching = [
        codes
        for pattern, codes in options.per_file_ignores
        if GitIgnoreSpec.from_lines([pattern]).match_file(below)
    ]
    return [code for codes in matching for code in codes]
