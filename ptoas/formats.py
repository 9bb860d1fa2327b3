"""The ways in which findings are printed; they stand apart so that a command line knows them at once."""

from __future__ import annotations

FORMATS = ("full", "concise", "json", "sarif", "github")
