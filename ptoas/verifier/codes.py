"""Codes of the verifier that belong to no rule."""

from __future__ import annotations

from ptoas.diagnostics.codes import register_catalogue

CHECKING = register_catalogue("verify")
