"""Findings about a program (severity, code, location, fix) and their rendering."""

from ptoas.diagnostics.core import Diagnostic, Edit, Note, PtoasError, Severity, Source, Span, UsageError

__all__ = ["Diagnostic", "Edit", "Note", "PtoasError", "Severity", "Source", "Span", "UsageError"]
