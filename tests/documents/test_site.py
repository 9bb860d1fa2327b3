"""The site builds without a complaint and without a network, and its links and anchors lead somewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs import layouts
from ptoas.diagnostics.pages import page_name
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.geometry import geometry
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.project.explain import CODES
from ptoas.targets import TARGETS
from ptoas.targets.row import Unsupported
from tests.documents.pages import ROOT

pytest.importorskip("material", reason="the extra `docs` builds the site")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # No proxy leads anywhere: what the build would fetch, it could not. With --quiet no warning counts.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Page(HTMLParser):
    """The names and the links of a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("img", "script", "link", "iframe") and found.get("rel") != "canonical":
            self.loaded += [found[name] for name in ("src", "href") if name in found]


def test_links_and_anchors_are_valid(site: Path) -> None:
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "404.html"}
    assert len(pages) > 40
    lost: list[str] = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            known = pages[target].ids if target in pages else set[str]()
            if not target.exists() or (
                parts.fragment and target in pages and unquote(parts.fragment) not in known
            ):
                lost.append(f"{path.relative_to(site)}: {link}")
    assert lost == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in sorted(site.rglob("*.html")):
        assert [link for link in Page(path).loaded if urlsplit(link).scheme in ("http", "https")] == [], path
    for path in sorted(site.rglob("*.css")):
        assert not re.search(r"url\(['\"]?https?:|@import", path.read_text(encoding="utf-8")), path


def test_every_code_and_every_instruction_has_a_page(site: Path) -> None:
    """Editors and reports link to them."""
    ids = Page(site / "rules.html").ids
    assert [code for code in CODES if code.lower() not in ids] == []
    assert [code for code in CODES if not (site / str(page_name(code))).is_file()] == []
    names = [op.mnemonic() for op in OPS]
    assert [name for name in names if not (site / "instructions" / f"{name}.html").is_file()] == []


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.mnemonic())
def test_the_page_of_an_instruction_shows_a_program_and_its_calls(site: Path, op: type[PtoOp]) -> None:
    text = (site / "instructions" / f"{op.mnemonic()}.html").read_text(encoding="utf-8")
    somewhere = any(not isinstance(target.entry(op), Unsupported) for target in TARGETS.values())
    assert 'id="targets"' in text and 'id="rules"' in text and ('id="example"' in text) is somewhere


# --- pictures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", layouts.PICTURES)
def test_a_picture_is_up_to_date(name: str) -> None:
    drawn = layouts.PICTURES[name]() + "\n"
    assert (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8") == drawn, (
        "run `make docs`"
    )
    ElementTree.fromstring(drawn)


def test_a_layout_is_drawn_in_the_order_of_memory() -> None:
    """By hand: in Nz the boxes of a column follow each other, in Zn those of a row, by columns."""
    nz = layouts.in_order(geometry((32, 32), 2, *layouts.LAYOUTS["Nz"]), (32, 32))
    assert nz[:17] == [*((0, col) for col in range(16)), (1, 0)] and nz[256] == (16, 0) and nz[512] == (0, 16)
    zn = layouts.in_order(geometry((32, 32), 2, *layouts.LAYOUTS["Zn"]), (32, 32))
    assert zn[:17] == [*((row, 0) for row in range(16)), (0, 1)] and zn[256] == (0, 16) and zn[512] == (16, 0)
    dn = layouts.in_order(geometry((32, 32), 2, *layouts.LAYOUTS["DN"]), (32, 32))
    assert dn[:2] == [(0, 0), (1, 0)] and dn[32] == (0, 1)


def test_search_prefers_the_exact_name_of_an_instruction(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    boosts = {entry["location"]: entry.get("boost", 1) for entry in entries}
    assert boosts["instructions/tadd.html"] > boosts["instructions/taddrelu.html"]
