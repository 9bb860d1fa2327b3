"""Where a code is explained: the page of the rules, wherever the documentation is."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

SETTING = "PTOAS_DOCS_URL"
"""Where a copy of the documentation is served: `https://host/ptoas/`."""


def page_of(code: str) -> str | None:
    """The address of the section on a rule; none where no documentation is at hand, or the code is no rule's.

    The one that `PTOAS_DOCS_URL` names, else that of the checkout that ptoas runs from.
    """
    anchor = anchor_of(code)
    if anchor is None:
        return None
    base = os.environ.get(SETTING)
    if base:
        return f"{base.rstrip('/')}/rules/#{anchor}"
    page = _page_nearby()
    return None if page is None else f"{page}#{anchor}"


def anchor_of(code: str) -> str | None:
    """What a heading `PTO-A201: row index is one row` is called in the page's address."""
    from ptoas.targets.rule import ALIASES, RULES

    rule = RULES.get(ALIASES.get(code, code))
    if rule is None:
        return None
    return re.sub(r"[^\w\- ]", "", f"{rule.code}: {rule.title}").lower().replace(" ", "-")


@cache
def _page_nearby() -> str | None:
    page = Path(__file__).parents[2] / "docs" / "rules.md"
    return page.as_uri() if page.is_file() else None
