"""Codes of remarks with their titles and explanations."""

from __future__ import annotations

from ptoas.diagnostics.codes import register_catalogue

register_catalogue("profile")
