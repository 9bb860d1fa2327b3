"""ptoas: reads, checks, runs and lowers PTO programs.

The public names below are the library; each is imported when it is first used, so that `import ptoas` costs
nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptoas import build as build
    from ptoas.caches import clear_caches
    from ptoas.diagnostics import Diagnostic, Note, PtoasError, Severity, Source, Span, UsageError
    from ptoas.diagnostics.render import render
    from ptoas.forms import print_module
    from ptoas.grammar.format import format_text
    from ptoas.grammar.parse import parse, parse_file
    from ptoas.lowering.lower import lower
    from ptoas.lowering.pipeline import build_pipeline, run_passes
    from ptoas.profiling.profile import Profile, profile
    from ptoas.runner.run import Kernel, Result, compile, run
    from ptoas.simulator.compare import Compared, compare
    from ptoas.targets import TARGETS, Target, get_target
    from ptoas.targets.rule import RULES, Rule
    from ptoas.targets.verify import Report, verify, verify_targets

__version__ = "0.1.0"

_HOMES = {
    "ptoas.caches": ("clear_caches",),
    "ptoas.diagnostics": ("Diagnostic", "Note", "PtoasError", "Severity", "Source", "Span", "UsageError"),
    "ptoas.diagnostics.render": ("render",),
    "ptoas.grammar.format": ("format_text",),
    "ptoas.grammar.parse": ("parse", "parse_file"),
    "ptoas.forms": ("print_module",),
    "ptoas.profiling.profile": ("Profile", "profile"),
    "ptoas.runner.run": ("Kernel", "Result", "compile", "run"),
    "ptoas.simulator.compare": ("Compared", "compare"),
    "ptoas.lowering.lower": ("lower",),
    "ptoas.lowering.pipeline": ("build_pipeline", "run_passes"),
    "ptoas.targets": ("TARGETS", "Target", "get_target"),
    "ptoas.targets.rule": ("RULES", "Rule"),
    "ptoas.targets.verify": ("Report", "verify", "verify_targets"),
}

__all__ = [
    "RULES",
    "TARGETS",
    "Compared",
    "Diagnostic",
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
    "verify",
    "verify_targets",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    from importlib import import_module

    if name == "build":
        return import_module("ptoas.build")
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'ptoas' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, for `ptoas.<TAB>`; submodules that happen to be loaded are no part of them."""
    return sorted([*__all__, "__version__", "build"])
