"""What is wrong with a program, where, and what to do about it: findings, and their text."""

from ptoas.diagnostics.core import Diagnostic, Note, PtoasError, Severity, Source, Span, UsageError

__all__ = ["Diagnostic", "Note", "PtoasError", "Severity", "Source", "Span", "UsageError"]
