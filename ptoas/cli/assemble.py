"""The command line of the C++ assembler: `ptoas [options] [file]`, used if no subcommand is named (D49)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import click
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ptoas.cli.assembler_options import (
    OPTIONS,
    VERSION_VARIABLE,
    AssemblerOption,
    Effect,
    followed_version,
    library_revision,
    normalise,
)
from ptoas.compiler.forms import print_module
from ptoas.compiler.lower import lower
from ptoas.diagnostics import Diagnostic, PtoasError, UsageError
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.dialects.pto.views import TAssignOp
from ptoas.grammar.parse import parse_file
from ptoas.lowering.insert_fences import InsertFencesPass
from ptoas.lowering.pipeline import PASSES, build_pipeline, ready_for_passes, run_passes
from ptoas.targets.named import module_target
from ptoas.targets.placement_mode import PLACEMENT_CODE
from ptoas.verifier.assembler import LATEST, NAME_CODE, OLDEST, parse_versions
from ptoas.verifier.verify import verify

ARCHITECTURES = {"a2": "a2a3", "a3": "a2a3", "a5": "a5"}
LEVELS = ("level1", "level2", "level3")
BACKENDS = ("emitc", "vpto")
PLANNERS = ("legacy", "modern")
SYNC_OPTIONS = {
    "enable-insert-sync": "auto",
    "enable-graph-sync-solver": "auto",
    "enable-bufid_sync": "auto",
    "enable-inject-barrier-all-sync": "all",
}
"""Options that ask for synchronisation, and the one of `ptoas lower --sync` that serves it."""
_SYNC_CODES = "PTO-F"
_VISIBILITY_CODES = "PTO-F12"


class AssemblerError(click.ClickException):
    """A failure of the assembler: one line that starts with `Error: `, and exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"Error: {self.message}", file=file, err=True)


class AssembleCommand(click.Command):
    """Accepts options as LLVM spells them, and reports every wrong one with exit code 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, list(normalise(args)))
        except click.UsageError as error:
            raise AssemblerError(error.format_message()) from None


def _option(option: AssemblerOption) -> Callable[[Any], Any]:
    kind = click.BOOL if option.switch else str
    return click.option(f"--{option.name}", type=kind, help=f"{option.effect.value}: {option.reason}.")


def _options(function: Any) -> Any:
    for option in reversed(OPTIONS.values()):
        function = _option(option)(function)
    return function


@click.command(cls=AssembleCommand, name="assemble")
@click.argument("file", default="-", type=click.Path())
@click.option("-o", "output", default="-", type=click.Path(), help="Output file; `-` is standard output.")
@_options
def assemble(file: str, output: str, **options: bool | str | None) -> None:
    """Assemble FILE as the C++ assembler does: C++ on standard output, or in the file that -o names.

    The word `assemble` may be left out.

    \b
    ptoas assemble kernel.pto --pto-arch a3 --enable-insert-sync -o kernel.cpp
    """
    _report_unsupported(options)
    arch = _choice("pto-arch", options["pto_arch"], tuple(ARCHITECTURES))
    if _choice("pto-backend", options["pto_backend"], BACKENDS) == "vpto":
        raise AssemblerError("--pto-backend=vpto is not supported: " + OPTIONS["pto-backend"].reason)
    _choice("plan-memory-impl", options["plan_memory_impl"], PLANNERS)
    sync = _sync_mode(options)
    version = _version()
    isa = library_revision(version)
    try:
        module = parse_file(file)
        _refuse_rebinding(module, options)
        target = ARCHITECTURES[arch] if arch else _named_target(module)
        if options["enable_bufid_sync"] and target != "a5":
            raise AssemblerError("--enable-bufid_sync is for a5; use --enable-insert-sync.")
        placement = _placement(options["pto_level"])
        report = verify(module, target, sync=sync, placement=placement, isa=isa, assembler=version)
        # Names of every version are read, and scalars are flushed by a pass.
        report = report.filtered(ignore=(NAME_CODE, _VISIBILITY_CODES))
        # As in the C++ assembler, flags are the caller's without --enable-insert-sync; a missing one is
        # still reported.
        missing = [each for each in report.errors if sync == "manual" and each.code.startswith(_SYNC_CODES)]
        if errors := [each for each in report.errors if each not in missing]:
            raise PtoasError(errors)
        _choice(
            "pto-level", options["pto_level"], LEVELS
        )  # the program is judged first, as by the C++ assembler
        _show(report.warnings)
        _show(missing, "warning")
        text = _assembled(module, target, sync, isa, options)
    except PtoasError as error:
        _show(error.diagnostics)
        raise AssemblerError(_summary(error.diagnostics)) from None
    if output == STANDARD_OUTPUT:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        write_text(output, text)


def _assembled(module: ModuleOp, target: str, sync: str, isa: str, options: dict[str, Any]) -> str:
    dump = _PassDump(target, options)
    dump.before_first(module)
    passes = _passes(target, sync, isa)
    if options["emit_pto_ir"]:
        return print_module(run_passes(ready_for_passes(module), passes, dump)) + "\n"
    return lower(module, target, passes=passes, verified=False, after=dump)


def _passes(target: str, sync: str, isa: str) -> list[ModulePass]:
    """Return the pipeline; as in the C++ assembler, scalars are flushed even where flags are the caller's."""
    passes = build_pipeline(target, isa=isa, sync=sync)
    return [replace(each, sync="auto") if isinstance(each, InsertFencesPass) else each for each in passes]


def _version() -> str:
    """Return the version to follow; refuse one that is not known, or several."""
    version = followed_version()
    try:
        known = len(parse_versions(version)) == 1 and version.startswith("0.")
    except UsageError:
        known = False
    if not known:
        listed = f"from 0.{OLDEST} to 0.{LATEST}"
        raise AssemblerError(f"{VERSION_VARIABLE} is a version of the assembler {listed}; found '{version}'.")
    return version


def _placement(level: bool | str | None) -> str | None:
    """Return who places the tiles at a level; `None` if there is no such level."""
    name = "level2" if level is None else str(level).lower()
    if name not in LEVELS:
        return None
    return "manual" if name == "level3" else "auto"


def _choice(name: str, value: bool | str | None, allowed: Sequence[str]) -> str | None:
    if value is None:
        return None
    if str(value).lower() not in allowed:
        *most, last = [f"'{each}'" for each in allowed]
        listed = f"{', '.join(most)}{',' * (len(most) > 1)} or {last}"
        raise AssemblerError(f"invalid --{name}='{value}'. Expected {listed}.")
    return str(value).lower()


def _report_unsupported(options: dict[str, bool | str | None]) -> None:
    """Refuse what would change the result, and report each other option that has no effect once."""
    for name, option in OPTIONS.items():
        value = options[name.replace("-", "_")]
        text = str(value).lower() if option.switch else value
        if value is None or text == option.default:
            continue
        if option.effect is Effect.REFUSED:
            raise AssemblerError(f"--{name} is not supported: {option.reason}.")
        if option.effect is Effect.NO_EFFECT:
            click.echo(f"Warning: --{name} has no effect: {option.reason}.", err=True)
        if option.effect is Effect.REPLACED:
            click.echo(f"Warning: --{name} is replaced: {option.reason}.", err=True)


def _sync_mode(options: dict[str, bool | str | None]) -> str:
    chosen = [name for name in SYNC_OPTIONS if options[name.replace("-", "_")]]
    if len(chosen) > 1:
        raise AssemblerError(f"--{chosen[0]} and --{chosen[1]} exclude each other.")
    return SYNC_OPTIONS[chosen[0]] if chosen else "manual"


def _refuse_rebinding(module: ModuleOp, options: dict[str, bool | str | None]) -> None:
    """Refuse `tassign` where flags are inserted, as the C++ assembler does; `ptoas lower` takes it."""
    chosen = [name for name in SYNC_OPTIONS if options[name.replace("-", "_")]]
    if chosen and any(isinstance(op, TAssignOp) for op in module.walk()):
        raise AssemblerError(
            f"pto.tassign requires --{chosen[0]} to be disabled; `ptoas lower` inserts flags around it."
        )


def _named_target(module: ModuleOp) -> str:
    """Return the target that the module names; a3 if it names none, or one that is not known."""
    return "a5" if (module_target(module) or "").lower() == "a5" else "a2a3"


def _show(diagnostics: Iterable[Diagnostic], severity: str | None = None) -> None:
    """Print diagnostics to standard error in the form of MLIR, followed by their code."""
    for each in diagnostics:
        place = f"{each.span.file}:{each.span.line}:{each.span.column}"
        word = severity or each.severity.value
        click.echo(f"{each.origin or place}: {word}: {each.message} [{each.code}]", err=True)
        if each.origin:
            click.echo(f"{place}: note: the statement generated from it", err=True)
        for note in each.notes:
            where = f"{note.span.file}:{note.span.line}:{note.span.column}: " if note.span else ""
            click.echo(f"{where}note: {note.message}", err=True)
        if each.fix:
            click.echo(f"{place}: note: fix: {each.fix}", err=True)


def _summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the closing line; the C++ assembler verifies while it parses, so both have one."""
    codes = {each.code for each in diagnostics}
    if "PTO-P001" in codes:
        return f"Could not open input file: {diagnostics[0].message}"
    if PLACEMENT_CODE in codes:
        return "Failed to parse MLIR; --pto-level=level3 is for programs in which every tile has an address."
    late = all(code.startswith("PTO-L") for code in codes)
    return "Pass execution failed." if late else "Failed to parse MLIR."


class _PassDump:
    """Prints the module before or after passes, to standard error or as files of a directory.

    Files are numbered in the order of the passes and named as by MLIR's `--mlir-print-ir-tree-dir`:
    `builtin_module_no-symbol-name/0_NAME.mlir`.
    """

    def __init__(self, target: str, options: dict[str, Any]):
        self.names = [each.name for each in build_pipeline(target)]
        self.directory: str | None = options["mlir_print_ir_tree_dir"]
        self.after_names = self._selected(options["mlir_print_ir_after_all"], options["mlir_print_ir_after"])
        self.before_names = self._selected(
            options["mlir_print_ir_before_all"], options["mlir_print_ir_before"]
        )
        self.count = 0

    def _selected(self, every: bool | None, names: str | None) -> tuple[str, ...]:
        if every:
            return tuple(self.names)
        chosen = tuple(re.split(r"\s*,\s*", names)) if names else ()
        return tuple(found for name in chosen if (found := self._pass(name)) is not None)

    def _pass(self, name: str) -> str | None:
        """Return the pass of a name; those of the C++ assembler start with `pto-`, and not all are here."""
        own = name.removeprefix("pto-")
        if own in PASSES:
            return own
        passes = ", ".join(PASSES)
        if own == name:
            raise AssemblerError(f"there is no pass '{name}'. The passes are {passes}.")
        click.echo(f"Warning: nothing is printed for '{name}': the passes are {passes}.", err=True)
        return None

    def before_first(self, module: ModuleOp) -> None:
        self._before(self.names[0], module)

    def __call__(self, name: str, module: ModuleOp) -> None:
        if name in self.after_names:
            self._print(f"After {name}", name, module)
        following = self.names[self.names.index(name) + 1 :]
        if following:
            self._before(following[0], module)

    def _before(self, name: str, module: ModuleOp) -> None:
        if name in self.before_names:
            self._print(f"Before {name}", f"before-{name}", module)

    def _print(self, title: str, stem: str, module: ModuleOp) -> None:
        text = f"// -----// IR Dump {title} //----- //\n{print_module(module)}\n"
        if self.directory is None:
            click.echo(text, err=True)
        else:
            folder = Path(self.directory) / "builtin_module_no-symbol-name"
            write_text(str(folder / f"{self.count}_{stem}.mlir"), text)
        self.count += 1
