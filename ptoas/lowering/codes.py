"""Codes of the passes and of C++ emission."""

from __future__ import annotations

from ptoas.diagnostics.codes import register_catalogue

register_catalogue("lower")
