"""Checking many files for many targets: finding them, working in several processes, showing the result.

Everything here takes plain values and gives text or data, so that a command is a few lines over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ptoas.cli.find import find_files
from ptoas.diagnostics import Diagnostic, PtoasError, Severity, UsageError
from ptoas.diagnostics.internal import internal_error
from ptoas.diagnostics.render import visible
from ptoas.grammar.parse import parse_file
from ptoas.targets import TARGETS, get_target
from ptoas.targets.named import module_target
from ptoas.targets.rule import ALIASES, RULES, load_rules
from ptoas.targets.verify import Report, verify_targets


class UnknownCodeError(UsageError):
    """A code was asked for that no rule has."""


@dataclass(frozen=True)
class Options:
    """How to check: `targets` empty means the one that a module names, else all (D2)."""

    targets: tuple[str, ...] = ()
    aicore: bool = False
    sync: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    werror: bool = False
    allow_unregistered: bool = False
    isa: str | None = None
    placement: str | None = None


@dataclass(frozen=True)
class FileReport:
    """What was found in one file. A file that can't be read or parsed has been checked for no target."""

    path: str
    report: Report
    readable: bool = True
    unnamed: bool = False
    """Neither the options nor the program name a target, so it was checked for all (D2)."""

    @property
    def ok(self) -> bool:
        return self.report.ok


# --- what is asked for ---------------------------------------------------------------------------


def parse_targets(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """Targets as a command line gives them: `a5`, `cpu,a5`, `all`; none: as the modules say.

    Raises `UnknownTargetError` for one that does not exist.
    """
    if text is None:
        return ()
    words = [text] if isinstance(text, str) else list(text)
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    found: dict[str, None] = {}
    for name in names:
        if name.lower() == "all":
            found.update(dict.fromkeys(TARGETS))
        else:
            found[get_target(name).name] = None
    return tuple(name for name in TARGETS if name in found)


def parse_codes(text: str | Iterable[str] | None) -> tuple[str, ...]:
    """Codes as a command line gives them: `PTO-A201,PTO-F`; a beginning stands for all that begin so.

    Raises `UnknownCodeError` for one that nothing has.
    """
    if text is None:
        return ()
    words = [text] if isinstance(text, str) else list(text)
    known = known_codes()
    typed = [code.strip().upper() for word in words for code in word.split(",") if code.strip()]
    codes = [ALIASES.get(code, code) for code in typed]
    for code in codes:
        if not any(one.startswith(code) for one in known):
            raise UnknownCodeError(f"no rule has the code {code!r}; `ptoas rules` lists them all")
    return tuple(codes)


def known_codes() -> tuple[str, ...]:
    """Every code that checking a file can report."""
    from ptoas.diagnostics.codes import CHECKING, FRONT_END, INTERNAL

    load_rules()
    return (*sorted(RULES), *FRONT_END, *CHECKING, *INTERNAL)


# --- checking ------------------------------------------------------------------------------------


def verify_file(path: str, options: Options | None = None) -> FileReport:
    """Check one file; `-` is standard input. A file that can't be read is a finding, not an exception."""
    options = options or Options()
    try:
        module = parse_file(path, allow_unregistered=options.allow_unregistered)
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
        )
    except Exception as error:
        # Here, so that the other files are checked all the same, and that a child process says where it was.
        found = internal_error(error, ("verify", path), path)
        return FileReport(path, Report((found,), options.targets or tuple(TARGETS)), readable=False)
    unnamed = not options.targets and module_target(module) is None
    return FileReport(path, report.filtered(options.select, options.ignore, options.werror), unnamed=unnamed)


def verify_paths(
    paths: Sequence[str],
    options: Options | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[FileReport]:
    """Check files and directories, in the order of the paths; `progress` hears of files done and in all."""
    options = options or Options()
    files, problems = find_files(paths)
    reports = [FileReport(d.span.file, Report((d,), ()), readable=False) for d in problems]
    # Standard input is read here: a child has another one.
    here = [file for file in files if file == "-"]
    rest = [file for file in files if file != "-"]
    done: dict[str, FileReport] = {}
    for report in (*(verify_file(file, options) for file in here), *_each(rest, options, jobs)):
        done[report.path] = report
        if progress is not None:
            progress(len(done), len(files))
    return [*reports, *(done[file] for file in files)]


def _each(files: Sequence[str], options: Options, jobs: int) -> Iterator[FileReport]:
    workers = min(jobs, len(files))
    if workers <= 1:
        yield from (verify_file(file, options) for file in files)
        return
    from concurrent.futures import ProcessPoolExecutor  # one file needs none of it

    share = max(1, min(32, len(files) // (workers * 4)))
    chunks = [(files[at : at + share], options) for at in range(0, len(files), share)]
    with ProcessPoolExecutor(workers) as pool:
        for reports in pool.map(_verify_chunk, chunks):
            yield from reports


def _verify_chunk(work: tuple[Sequence[str], Options]) -> list[FileReport]:
    files, options = work
    return [verify_file(file, options) for file in files]


# --- showing -------------------------------------------------------------------------------------


def all_diagnostics(reports: Iterable[FileReport]) -> list[Diagnostic]:
    return [diagnostic for report in reports for diagnostic in report.report.diagnostics]


def exit_code(reports: Iterable[FileReport]) -> int:
    """0 when nothing is wrong, 1 when there is an error."""
    return 0 if all(report.ok for report in reports) else 1


def matrix_targets(reports: Sequence[FileReport]) -> tuple[str, ...]:
    """The columns of the matrix: every target that some file was checked for; none that can't be read was."""
    checked = {target for report in reports if report.readable for target in report.report.targets}
    return tuple(name for name in TARGETS if name in checked)


def cell(report: FileReport, target: str, ascii_only: bool = False) -> str:
    """A mark, and how many errors or else warnings there are."""
    fine, bad, doubtful = ("ok", "x", "!") if ascii_only else ("✓", "✗", "!")
    if not report.readable:
        return f"{bad} {len(report.report.errors)}"
    if target not in report.report.targets:
        return "-"
    errors = report.report.count(target, Severity.ERROR)
    warnings = report.report.count(target, Severity.WARNING)
    return f"{bad} {errors}" if errors else f"{doubtful} {warnings}" if warnings else fine


_STYLES = {"✓": "32", "ok": "32", "✗": "31", "x": "31", "!": "33"}


def render_matrix(reports: Sequence[FileReport], colour: bool = False, ascii_only: bool = False) -> str:
    """A row a file, a column a target, a mark and a count in each cell."""
    targets = matrix_targets(reports)
    rows = [["file", *targets]]
    for report in reports:
        rows.append([visible(report.path), *(cell(report, target, ascii_only) for target in targets)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(targets) + 1)]
    lines: list[str] = []
    for number, row in enumerate(rows):
        parts = [row[0].ljust(widths[0])]
        for text, width in zip(row[1:], widths[1:], strict=True):
            padded = text.ljust(width)
            style = _STYLES.get(text.split(" ")[0])
            painted = colour and number and style
            parts.append(f"\x1b[{style}m{padded}\x1b[0m" if painted else padded)
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def summary(reports: Sequence[FileReport]) -> str:
    """How many files, errors and warnings; and that no target was named, where none was."""
    found = all_diagnostics(reports)
    words = [(len(reports), "file"), (sum(d.is_error for d in found), "error")]
    words.append((sum(d.severity is Severity.WARNING for d in found), "warning"))
    counts = ", ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in words)
    unnamed = [report.path for report in reports if report.unnamed]
    if not unnamed:
        return counts
    who = f"{visible(unnamed[0])} names" if len(unnamed) == 1 else f"{len(unnamed)} files name"
    return f"{counts}\n{who} no target and none was asked for: checked for all; --target a5 asks for one"


def sorted_once(reports: Iterable[FileReport]) -> list[Diagnostic]:
    """Every diagnostic of every file, in the order of files and places; targets in the order of the table."""
    order = list(TARGETS)
    return [
        replace(d, targets=tuple(sorted(d.targets, key=order.index))) if len(d.targets) > 1 else d
        for d in all_diagnostics(reports)
    ]
