"""ptoas: reads, checks, runs and lowers PTO programs.

The public names below are the library; each is imported when it is first used, so that `import ptoas` costs
nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptoas import build as build
    from ptoas.analysis.order import Seen as Seen
    from ptoas.compiler.forms import print_module
    from ptoas.compiler.lower import lower
    from ptoas.compiler.parse import parse, parse_file
    from ptoas.compiler.run import Kernel, Result, compile, run, run_ranks
    from ptoas.compiler.run import check_file as check_file
    from ptoas.compiler.run import run_all as run_all
    from ptoas.diagnostics import Diagnostic, Edit, Note, PtoasError, Severity, Source, Span, UsageError
    from ptoas.diagnostics.edits import apply_fixes
    from ptoas.diagnostics.render import HasDiagnostics as HasDiagnostics
    from ptoas.diagnostics.render import render
    from ptoas.dialects.plugins import Plugin as Plugin
    from ptoas.dialects.pto.enums import BLayout as BLayout
    from ptoas.dialects.pto.enums import Coalesce as Coalesce
    from ptoas.dialects.pto.enums import Event as Event
    from ptoas.dialects.pto.enums import Layout as Layout
    from ptoas.dialects.pto.enums import Pipe as Pipe
    from ptoas.dialects.pto.enums import SLayout as SLayout
    from ptoas.dialects.pto.enums import TileLoc as TileLoc
    from ptoas.dialects.pto.instruction import BinaryOp as BinaryOp
    from ptoas.dialects.pto.instruction import UnaryOp as UnaryOp
    from ptoas.grammar.format import format_text
    from ptoas.grammar.module import Module as Module
    from ptoas.ir.caches import clear_caches
    from ptoas.lowering.pipeline import build_pipeline, run_passes
    from ptoas.machine.machine import Checks as Checks
    from ptoas.ops.family import elementwise as elementwise
    from ptoas.profiling.reasons import Sync as Sync
    from ptoas.profiling.record import Recorder as Recorder
    from ptoas.profiling.record import Trace as Trace
    from ptoas.profiling.timeline import Timeline as Timeline
    from ptoas.report import Profile, profile
    from ptoas.runner.compare import Comparison as Comparison
    from ptoas.runner.observe import Printing as Printing
    from ptoas.runner.options import Options as Options
    from ptoas.runner.parameters import Parameter as Parameter
    from ptoas.runner.ranks.in_process import RanksResult as RanksResult
    from ptoas.runner.stats import Stats as Stats
    from ptoas.simulator.compare import Compared, compare
    from ptoas.simulator.compare import Output as Output
    from ptoas.targets import TARGETS, get_target
    from ptoas.targets.a5 import A5 as A5
    from ptoas.targets.families.elementwise import BINARY as BINARY
    from ptoas.targets.families.elementwise import UNARY as UNARY
    from ptoas.targets.row import Row as Row
    from ptoas.targets.row import Rows as Rows
    from ptoas.targets.row import Unsupported as Unsupported
    from ptoas.targets.rule import RULES, Asked, Rule
    from ptoas.targets.rule import Check as Check
    from ptoas.targets.rule import Dependence as Dependence
    from ptoas.targets.rule import Scope as Scope
    from ptoas.targets.rule import Violation as Violation
    from ptoas.targets.rule import mismatch as mismatch
    from ptoas.targets.rule import rule as rule
    from ptoas.targets.rules.examples import instruction as instruction
    from ptoas.targets.specs import TileLayout as TileLayout
    from ptoas.targets.target import Target
    from ptoas.targets.target import UbLayout as UbLayout
    from ptoas.verifier.verify import Report, verify, verify_targets

__version__ = "0.1.0"

_HOMES = {
    "ptoas.ir.caches": ("clear_caches",),
    "ptoas.diagnostics": (
        "Diagnostic",
        "Edit",
        "Note",
        "PtoasError",
        "Severity",
        "Source",
        "Span",
        "UsageError",
    ),
    "ptoas.diagnostics.edits": ("apply_fixes",),
    "ptoas.diagnostics.render": ("render",),
    "ptoas.grammar.format": ("format_text",),
    "ptoas.compiler.parse": ("parse", "parse_file"),
    "ptoas.compiler.forms": ("print_module",),
    "ptoas.report": ("Profile", "profile"),
    "ptoas.compiler.run": ("Kernel", "Result", "compile", "run", "run_ranks"),
    "ptoas.simulator.compare": ("Compared", "compare"),
    "ptoas.compiler.lower": ("lower",),
    "ptoas.lowering.pipeline": ("build_pipeline", "run_passes"),
    "ptoas.targets": ("TARGETS", "get_target"),
    "ptoas.targets.target": ("Target",),
    "ptoas.targets.rule": ("RULES", "Asked", "Rule"),
    "ptoas.verifier.verify": ("Report", "verify", "verify_targets"),
}

_ALSO = {
    "ptoas.analysis.order": ("Seen",),
    "ptoas.diagnostics.render": ("HasDiagnostics",),
    "ptoas.dialects.pto.enums": (
        "BLayout",
        "Coalesce",
        "Event",
        "Layout",
        "Pipe",
        "SLayout",
        "TileLoc",
    ),
    "ptoas.dialects.pto.instruction": (
        "BinaryOp",
        "UnaryOp",
    ),
    "ptoas.machine.machine": ("Checks",),
    "ptoas.grammar.module": ("Module",),
    "ptoas.ops.family": ("elementwise",),
    "ptoas.dialects.plugins": ("Plugin",),
    "ptoas.profiling.reasons": ("Sync",),
    "ptoas.profiling.record": (
        "Recorder",
        "Trace",
    ),
    "ptoas.profiling.timeline": ("Timeline",),
    "ptoas.runner.compare": ("Comparison",),
    "ptoas.runner.observe": ("Printing",),
    "ptoas.runner.options": ("Options",),
    "ptoas.runner.parameters": ("Parameter",),
    "ptoas.runner.ranks.in_process": ("RanksResult",),
    "ptoas.compiler.run": (
        "check_file",
        "run_all",
    ),
    "ptoas.runner.stats": ("Stats",),
    "ptoas.simulator.compare": ("Output",),
    "ptoas.targets.a5": ("A5",),
    "ptoas.targets.families.elementwise": (
        "BINARY",
        "UNARY",
    ),
    "ptoas.targets.row": (
        "Row",
        "Rows",
        "Unsupported",
    ),
    "ptoas.targets.rule": (
        "Check",
        "Dependence",
        "Scope",
        "Violation",
        "mismatch",
        "rule",
    ),
    "ptoas.targets.rules.examples": ("instruction",),
    "ptoas.targets.specs": ("TileLayout",),
    "ptoas.targets.target": ("UbLayout",),
}
"""What the names above are made of and what extends them: types of parameters and attributes, what a plug-in
brings. Importable from here, listed at the end of the page."""

__all__ = [
    "RULES",
    "TARGETS",
    "Asked",
    "Compared",
    "Diagnostic",
    "Edit",
    "Kernel",
    "Note",
    "Profile",
    "PtoasError",
    "Report",
    "Result",
    "Rule",
    "Severity",
    "Source",
    "Span",
    "Target",
    "UsageError",
    "apply_fixes",
    "build_pipeline",
    "clear_caches",
    "compare",
    "compile",
    "format_text",
    "get_target",
    "lower",
    "parse",
    "parse_file",
    "print_module",
    "profile",
    "render",
    "run",
    "run_passes",
    "run_ranks",
    "verify",
    "verify_targets",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    from importlib import import_module

    if name == "build":
        return import_module("ptoas.build")
    for homes in (_HOMES, _ALSO):
        for module, names in homes.items():
            if name in names:
                return getattr(import_module(module), name)
    if name.endswith("Op") and (instruction := _instruction(name)):
        return instruction
    raise AttributeError(f"module 'ptoas' has no attribute {name!r}")


def _instruction(name: str) -> Any:
    """The class of an instruction: `TAddOp`."""
    from ptoas.dialects.pto import OPS

    return next((op for op in OPS if op.__name__ == name), None)


def __dir__() -> list[str]:
    """The public names, for `ptoas.<TAB>`; submodules that happen to be loaded are no part of them."""
    also = [name for names in _ALSO.values() for name in names]
    return sorted([*__all__, *also, "__version__", "build"])
