"""Links to the page that explains a code."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ptoas.diagnostics.codes import ALIASES, CODES

SETTING = "PTOAS_DOCS_URL"
"""Base address of a served copy of the documentation, such as `https://host/ptoas/`."""


def page_of(code: str) -> str | None:
    """The address of a code's section; `None` without documentation or for an unknown code.

    The one that `PTOAS_DOCS_URL` names, else that of the checkout that ptoas runs from.
    """
    anchor = anchor_of(code)
    if anchor is None:
        return None
    base = os.environ.get(SETTING)
    if base:
        return f"{base.rstrip('/')}/rules.html#{anchor}"
    page = _page_nearby()
    return None if page is None else f"{page}#{anchor}"


def anchor_of(code: str) -> str | None:
    """Return the anchor of a code's section; a former code has the anchor of its rule."""
    code = ALIASES.get(code, code)
    return code.lower() if code in CODES else None


@cache
def _page_nearby() -> str | None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    return page.as_uri() if page.is_file() else None
