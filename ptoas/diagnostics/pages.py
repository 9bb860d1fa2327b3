"""Links to the page that explains a code."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ptoas.diagnostics.codes import ALIASES, CODES

SETTING = "PTOAS_DOCS_URL"
"""Base address of a served copy of the documentation, such as `https://host/ptoas/`."""


def page_of(code: str) -> str | None:
    """The address of a code's page; `None` without documentation or for an unknown code.

    The site that `PTOAS_DOCS_URL` names, else the one built in the checkout that ptoas runs from.
    """
    return _page_at(os.environ.get(SETTING) or _site_nearby(), code)


def served_page_of(code: str) -> str | None:
    """The address of a code's page on the site that `PTOAS_DOCS_URL` names, which other machines can open."""
    return _page_at(os.environ.get(SETTING), code)


def _page_at(base: str | None, code: str) -> str | None:
    page = page_name(code)
    return f"{base.rstrip('/')}/{page}" if base and page else None


def page_name(code: str) -> str | None:
    """Return the page of a code below the site; a former code has the page of its rule."""
    code = ALIASES.get(code, code)
    return f"rules/{code}.html" if code in CODES else None


@cache
def _site_nearby() -> str | None:
    site = Path(__file__).parents[2] / "build" / "site"
    return site.as_uri() if (site / "rules").is_dir() else None
