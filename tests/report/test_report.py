"""Pictures and the page: what a program must show is there, in text and in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

import ptoas
from ptoas.cli.main import main
from tests.profiling.test_remarks import loop
from tests.report.browser import BROWSER, DRIVER, opened, theme

SVG = "{http://www.w3.org/2000/svg}"

SMALL = """
.target a5
.arg %t : !pto.memref<64x32xf32>
.arg %i : !pto.memref<16x32xi32>
.arg %o : !pto.memref<16x32xf32>
.const %at0 = 0x0 : i64
.const %at1 = 0x800 : i64
.const %at2 = 0xC00 : i64
%x = alloc_tile addr = %at0 : !pto.tile<16x32xi32>
%d = alloc_tile addr = %at1 : !pto.tile<16x32xf32>
%e = alloc_tile addr = %at2 : !pto.tile<16x32xf32>
tload %x, %i : (!pto.tile<16x32xi32>, !pto.memref<16x32xi32>)
set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
mgather.elem.zero %d, %t, %x : (!pto.tile<16x32xf32>, !pto.memref<64x32xf32>, !pto.tile<16x32xi32>)
set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID1>]
wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID1>]
texp %e, %d : !pto.tile<16x32xf32>
set_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
wait_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
tstore %e, %o : (!pto.tile<16x32xf32>, !pto.memref<16x32xf32>)
# </script><img src=x onerror=document.title='broken'> {{ 7*7 }} </code>
"""


@pytest.fixture(scope="module")
def small() -> ptoas.Profile:
    return ptoas.profile(ptoas.parse(SMALL, "small.pto"), ["i=arange"], "a5")


@pytest.fixture(scope="module")
def large() -> ptoas.Profile:
    """Ten thousand instructions: 900 turns of a loop."""
    text = loop(1).replace("256", str(16 * 900))
    return ptoas.profile(ptoas.parse(text, "large.pto"), target="a2a3", checks="none")


def elements(svg: str, name: str, kind: str = "") -> list[ElementTree.Element]:
    found = ElementTree.fromstring(svg).iter(f"{SVG}{name}")
    return [each for each in found if kind in (each.get("class") or "").split() or not kind]


def test_pictures_show_what_the_program_has(small: ptoas.Profile) -> None:
    drawn = small.pictures()
    slices = [each for each in elements(drawn["timeline"], "rect") if each.get("data-line")]
    assert [each.get("data-line") for each in slices] == ["12", "15", "18", "21"]
    titles = [each.findtext(f"{SVG}title") or "" for each in elements(drawn["memory"], "rect", "tile")]
    assert [title.partition(":")[0] for title in titles] == ["%x", "%d", "%e"]
    (overlap,) = elements(drawn["memory"], "rect", "overlap")
    assert overlap.findtext(f"{SVG}title") == "%e and %d share 1,024 bytes while both are needed"
    assert [e.text for e in elements(drawn["flags"], "text", "bad")] == ["line 17 orders nothing"]
    touched = {
        title for e in elements(drawn["access"], "rect", "touched") if (title := e.findtext(f"{SVG}title"))
    }
    assert touched == {"bytes 0 to 2,048: read 1 times", "bytes 0 to 2,048: written 1 times"}, (
        "a quarter of %t"
    )


def test_every_example_has_a_page(tmp_path: Path) -> None:
    for path in sorted((Path(__file__).parents[2] / "examples").glob("*.pto")):
        module = ptoas.parse_file(str(path))
        for target in ("a2a3", "a5"):
            if ptoas.verify(module, target).ok:
                found = ptoas.profile(module, target=target)
                for svg in found.pictures().values():
                    ElementTree.fromstring(svg)
                page = found.html()
                assert len(page) < 200_000 and "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_pictures_of_the_readme_are_up_to_date() -> None:
    root = Path(__file__).parents[2]
    found = ptoas.profile(ptoas.parse_file(str(root / "examples" / "lookup_loop.pto")))
    for name, svg in found.pictures().items():
        assert (root / "docs" / "pictures" / f"{name}.svg").read_text() == svg, "run `make docs`"


def test_a_page_of_many_instructions_is_small(large: ptoas.Profile) -> None:
    assert len(large.timeline.slices) > 9_000
    assert len(large.html()) < 1_000_000
    assert len(large.pictures()["timeline"]) < 300_000


def test_a_notebook_shows_the_timeline(small: ptoas.Profile) -> None:
    shown = small._repr_html_()
    assert shown.startswith("<div>@small on a5: ") and "<svg" in shown


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["report", *arguments])


def test_the_command_writes_a_page_and_pictures(tmp_path: Path) -> None:
    file, page, folder = tmp_path / "small.pto", tmp_path / "page.html", tmp_path / "pictures"
    file.write_text(SMALL)
    done = command(str(file), "-o", str(page), "--svg", str(folder), "--arg", "i=arange")
    assert done.exit_code == 0, done.output
    assert page.read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in folder.iterdir()) == [
        "access.svg", "flags.svg", "memory.svg", "timeline.svg"]  # fmt: skip
    assert command(str(file)).exit_code == 2
    static = command(str(file), "--static", "-o", "-")
    assert "the program was not run" in static.stdout


# --- in a browser ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if BROWSER is None or DRIVER is None:
        pytest.skip("no browser is installed")
    with opened(tmp_path_factory.mktemp("browser")) as found:
        yield found


def show(driver: Any, profile: ptoas.Profile, folder: Path) -> Any:
    path = folder / "page.html"
    path.write_text(profile.html(), encoding="utf-8")
    driver.get(path.as_uri())
    return driver


def find(driver: Any, selector: str) -> list[Any]:
    return driver.find_elements("css selector", selector)


def test_the_page_in_a_browser(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    theme(driver, "light")
    show(driver, small, tmp_path)
    assert driver.get_log("browser") == []
    assert driver.title == "small on a5", "nothing of the program is executed"
    assert "onerror=document.title" in find(driver, "#L22 code")[0].text
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    slices = find(driver, "#timeline rect.slice")
    assert [each.get_attribute("data-line") for each in slices] == ["12", "15", "18", "21"]
    assert len(find(driver, "#memory rect.tile")) == 3 and len(find(driver, "#memory rect.overlap")) == 1
    codes = {each.text for each in find(driver, ".f a")}
    assert {"PTO-O101", "PTO-O105", "PTO-O108", "PTO-U105"} <= codes
    tip = find(driver, "#L15")[0].get_attribute("data-tip")
    assert "mgather: " in tip and "reads %x 16x32xi32 in vec 0x0 on V" in tip and "(B: M16" in tip
    # A click on a slice goes to its line.
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", slices[1])
    slices[1].click()
    (hot,) = find(driver, ".l.hot")
    assert hot.get_attribute("id") == "L15"
    place = driver.execute_script("return arguments[0].getBoundingClientRect().top", hot)
    assert 0 < place < 1000
    assert len(find(driver, "#timeline rect.slice.hot")) == 1
    find(driver, "a[data-line='19']")[0].click()
    assert find(driver, ".l.hot")[0].get_attribute("id") == "L19"


def test_the_timeline_zooms_and_pans(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    from selenium.webdriver import ActionChains

    show(driver, small, tmp_path)
    before = find(driver, "#span")[0].text
    find(driver, "[data-zoom='0.5']")[0].click()
    half = find(driver, "#span")[0].text
    assert half != before and half.startswith("1,191 to 3,572")
    chart = find(driver, "#timeline svg")[0]
    ActionChains(driver).move_to_element(chart).click_and_hold().move_by_offset(120, 0).release().perform()
    assert not find(driver, ".l.hot"), "a drag is no click"
    low, _, high = find(driver, "#span")[0].text.split()[:3]
    low, high = (int(number.replace(",", "")) for number in (low, high))
    assert low < 1191 and high - low == pytest.approx(2381, abs=2)
    ActionChains(driver).move_to_element(find(driver, "rect.slice[data-line='15']")[0]).perform()
    tip = find(driver, "#tip")[0]
    assert tip.is_displayed() and "cycles" in tip.text
    find(driver, "[data-zoom='0']")[0].click()
    assert find(driver, "#span")[0].text == before and driver.get_log("browser") == []


def test_both_themes_and_paper(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    def background() -> str:
        return driver.execute_script("return getComputedStyle(document.body).backgroundColor")

    theme(driver, "dark")
    show(driver, small, tmp_path)
    dark = background()
    find(driver, "#theme")[0].click()
    assert background() != dark == "rgb(23, 26, 33)"
    for name in ("light", "dark"):
        theme(driver, name)
        show(driver, small, tmp_path)
        shot = tmp_path / f"{name}.png"
        assert driver.save_screenshot(str(shot)) and shot.stat().st_size > 20_000
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert driver.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_large_page_in_a_browser(driver: Any, large: ptoas.Profile, tmp_path: Path) -> None:
    theme(driver, "light")
    show(driver, large, tmp_path)
    assert driver.get_log("browser") == []
    whole = len(find(driver, "#timeline rect.slice"))
    assert 100 < whole < 3 * 1200, "what is too narrow is drawn together"
    for _ in range(12):
        find(driver, "[data-zoom='0.5']")[0].click()
    slices = find(driver, "#timeline rect.slice")
    assert 0 < len(slices) < 20
    line = slices[0].get_attribute("data-line")
    driver.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", slices[0])
    assert find(driver, ".l.hot")[0].get_attribute("id") == f"L{line}"
