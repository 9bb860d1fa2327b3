"""A page for every code that a finding links to, written where programs keep what can be made again."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ptoas import __version__
from ptoas.diagnostics.files import write_text
from ptoas.diagnostics.pages import SETTING, page_name
from ptoas.project.explain import explain


def folder() -> Path:
    """Return the directory of generated pages in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(base or Path.home() / ".cache") / "ptoas" / f"codes-{__version__}"


def href(code: str, docs: str | None = None) -> str | None:
    """The address of a code's page: on the site at `docs`, or at PTOAS_DOCS_URL; else a file of its own, as
    for codes that are no rule's. None where that can't be written."""
    page = page_name(code)
    base = docs or os.environ.get(SETTING)
    if base and page is not None:
        return f"{base.rstrip('/')}/{page}"
    return _written(code)


@cache
def _written(code: str) -> str | None:
    page = folder() / f"{code}.md"
    try:
        title, _, rest = explain(code).partition("\n")
        page.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_text(str(page), f"# {title}\n{rest}\n")
    except Exception:  # a link is no reason to lose a finding
        return None
    return page.as_uri()
