"""What is wrong with a program, where, and what to do about it: findings, and their text."""

from ptoas.diagnostics.core import Diagnostic, Edit, Note, PtoasError, Severity, Source, Span, UsageError

__all__ = ["Diagnostic", "Edit", "Note", "PtoasError", "Severity", "Source", "Span", "UsageError"]
