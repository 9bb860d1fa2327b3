"""ptoas: reads, checks, runs and lowers PTO programs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptoas.diagnostics import Diagnostic, PtoasError, Severity, Span
    from ptoas.grammar.parse import parse, parse_file

__version__ = "0.1.0"

_HOMES = {
    "Diagnostic": "ptoas.diagnostics",
    "PtoasError": "ptoas.diagnostics",
    "Severity": "ptoas.diagnostics",
    "Span": "ptoas.diagnostics",
    "parse": "ptoas.grammar.parse",
    "parse_file": "ptoas.grammar.parse",
}

__all__ = ["Diagnostic", "PtoasError", "Severity", "Span", "parse", "parse_file"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import ptoas` costs nothing."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'ptoas' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
