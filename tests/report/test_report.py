"""Pictures and the page: what a program must show is there, in text and in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

import ptoas
from ptoas.cli.main import main
from ptoas.profiling.compare import ProfileComparison
from ptoas.report import compare_page
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
    """Sixty thousand instructions: 5,500 turns of a loop."""
    text = loop(1).replace("256", str(16 * 5500))
    return ptoas.profile(ptoas.parse(text, "large.pto"), target="a2a3", static=True)


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


def test_a_picture_of_many_instructions_is_small(large: ptoas.Profile) -> None:
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
    both = command(str(file), "--target", "a5", "--target", "a2a3", "--static", "--force", "-o", "-")
    assert both.exit_code == 0 and both.stdout.count('<script type="application/json">') == 2
    assert command(str(file), str(file), "--svg", str(folder)).exit_code == 2
    static = command(str(file), "--static", "-o", "-")
    assert "the program was not run" in static.stdout


# --- in a browser ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if BROWSER is None or DRIVER is None:
        pytest.skip("no browser is installed")
    with opened(tmp_path_factory.mktemp("browser")) as found:
        yield found


def show(driver: Any, text: str, folder: Path) -> Any:
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    driver.get(path.as_uri())
    wait = WebDriverWait(driver, 20)
    wait.until(lambda each: each.execute_script("return document.documentElement.dataset.ready"))
    return driver


def find(driver: Any, selector: str) -> list[Any]:
    return driver.find_elements("css selector", selector)


def table(driver: Any, selector: str) -> list[list[str]]:
    """The cells of a table without its head."""
    script = (
        "return [...document.querySelectorAll(arguments[0])].map(r => [...r.cells].map(c => c.innerText))"
    )
    return [row for row in driver.execute_script(script, f"{selector} tr") if row][1:]


def numbers(cells: list[str]) -> list[int]:
    return [int(cell.replace(",", "")) for cell in cells]


def point(driver: Any, time: float, lane: int = 0) -> Any:
    """Move the pointer to a time on a lane of the first timeline."""
    x, y, width, height = driver.execute_script(
        "const t = timelines[0]; t.canvas.scrollIntoView({block: 'center'});"
        "return [t.x(arguments[0]), t.lanes[arguments[1]].y + 12, t.width, t.height]", time, lane
    )  # fmt: skip
    canvas = find(driver, "canvas")[0]
    return ActionChains(driver).move_to_element_with_offset(canvas, int(x - width / 2), int(y - height / 2))


def test_the_page_in_a_browser(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    theme(driver, "light")
    show(driver, small.html(), tmp_path)
    assert driver.get_log("browser") == []
    assert driver.title == "small on a5", "nothing of the program is executed"
    assert "onerror=document.title" in find(driver, "#L22 code")[0].text
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    lines = driver.execute_script("const t = timelines[0]; return [...t.work].map(w => t.data.works[w][0])")
    assert lines == [12, 15, 18, 21] and driver.execute_script("return timelines[0].drawn") == 4
    assert len(find(driver, "#memory rect.tile")) == 3 and len(find(driver, "#memory rect.overlap")) == 1
    codes = {each.text for each in find(driver, ".f a")}
    assert {"PTO-O101", "PTO-O105", "PTO-O108", "PTO-U105"} <= codes
    assert find(driver, "#L12 .op")[0].text == "tload", "the text has colours"
    tip = find(driver, "#L15")[0].get_attribute("data-tip")
    assert "mgather: " in tip and "reads %x 16x32xi32 in vec 0x0 on V" in tip and "(B: M16" in tip
    # A pointer tells what lies under it, a click on a slice goes to its line.
    point(driver, 2000, 1).perform()
    assert "line 15, cycles 2" in find(driver, "#tip")[0].text
    point(driver, 2000, 1).click().perform()
    (hot,) = find(driver, ".l.hot")
    assert hot.get_attribute("id") == "L15"
    place = driver.execute_script("return arguments[0].getBoundingClientRect().top", hot)
    assert 0 < place < 1000
    find(driver, "a[data-line='19']")[0].click()
    assert find(driver, ".l.hot")[0].get_attribute("id") == "L19"


def test_no_two_numbers_of_a_page_contradict_each_other(
    driver: Any, small: ptoas.Profile, tmp_path: Path
) -> None:
    theme(driver, "light")
    show(driver, small.html(), tmp_path)
    total = int(find(driver, "h1")[0].text.split()[3].replace(",", ""))
    rows = [[row[1], *numbers([row[2], *row[5:]])] for row in table(driver, "#pipes")]
    for pipe, *parts in rows:
        assert sum(parts) == pytest.approx(total, abs=4), f"the time of {pipe}"
    # What is summed over the whole of the timeline is what the table says.
    driver.execute_script("timelines[0].select(0, timelines[0].data.total)")
    summed = {row[0]: numbers(row[1:]) for row in table(driver, ".sums")}
    for pipe, *parts in rows:
        assert pipe == "S" or summed[pipe] == pytest.approx(parts, abs=1)
    # Halves add up to the whole.
    halves: list[dict[str, list[int]]] = []
    for low, high in ((0, total / 2), (total / 2, total)):
        driver.execute_script("timelines[0].select(arguments[0], arguments[1])", low, high)
        halves.append({row[0]: numbers(row[1:]) for row in table(driver, ".sums")})
    for pipe, parts in summed.items():
        both = [a + b for a, b in zip(halves[0][pipe], halves[1][pipe], strict=True)]
        assert both == pytest.approx(parts, abs=2)
    flags = [numbers([row[3], row[4]]) for row in table(driver, "#flags")]
    above = int(find(driver, "#flags .note")[0].text.split("of the ")[1].split()[0].replace(",", ""))
    assert sum(adds for _, adds in flags) in (0, pytest.approx(above, abs=len(flags)))
    cycles = [each.text for each in find(driver, ".l i") if each.text]
    assert sum(numbers(cycles)) == pytest.approx(sum(parts[0] for pipe, *parts in rows if pipe != "S"), abs=4)


def test_the_timeline_zooms_and_pans(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    show(driver, small.html(), tmp_path)
    before = find(driver, ".span")[0].text
    find(driver, "[data-zoom='0.5']")[0].click()
    half = find(driver, ".span")[0].text
    assert half != before and half.startswith("1,191 to 3,572")
    point(driver, 2000).click_and_hold().move_by_offset(120, 0).release().perform()
    assert not find(driver, ".l.hot"), "a drag is no click"
    low, _, high = find(driver, ".span")[0].text.split()[:3]
    low, high = numbers([low, high])
    assert low < 1191 and high - low == pytest.approx(2381, abs=2)
    # With Shift a drag chooses a range.
    drag = point(driver, 2000).key_down(Keys.SHIFT).click_and_hold().move_by_offset(90, 0)
    drag.release().key_up(Keys.SHIFT).perform()
    assert "cycles" in find(driver, ".sums th")[0].text
    assert find(driver, ".span")[0].text.startswith(f"{low:,}")
    find(driver, "[data-zoom='0']")[0].click()
    assert find(driver, ".span")[0].text == before and driver.get_log("browser") == []


def test_a_search_counts_what_it_finds(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    show(driver, small.html(), tmp_path)
    box = find(driver, "input")[0]
    for words, wanted in (("texp", ["texp"]), ("12", ["tload"]), ("%d", ["mgather", "texp"])):
        box.clear()
        box.send_keys(words)
        cycles = sum(each.cycles for each in small.timeline.slices if each.work.name in wanted)
        assert find(driver, ".hits")[0].text == f"{len(wanted)} slices, {cycles:,.0f} cycles"
    before = find(driver, ".span")[0].text
    find(driver, "[data-zoom='0.5']")[0].click()
    box.send_keys(Keys.ENTER)
    assert find(driver, ".span")[0].text != before


def test_both_themes_and_paper(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    def background() -> str:
        return driver.execute_script("return getComputedStyle(document.body).backgroundColor")

    theme(driver, "dark")
    show(driver, small.html(), tmp_path)
    dark = background()
    find(driver, "#theme")[0].click()
    assert background() != dark == "rgb(23, 26, 33)"
    for name in ("light", "dark"):
        theme(driver, name)
        show(driver, small.html(), tmp_path)
        shot = tmp_path / f"{name}.png"
        assert driver.save_screenshot(str(shot)) and shot.stat().st_size > 20_000
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert driver.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_page_of_60_000_slices_shows_all_of_them(driver: Any, large: ptoas.Profile, tmp_path: Path) -> None:
    theme(driver, "light")
    text = large.html()
    assert len(large.timeline.slices) > 60_000 and len(text) < 1_000_000
    show(driver, text, tmp_path)
    assert driver.get_log("browser") == []
    assert driver.execute_script("return timelines[0].start.length") == len(large.timeline.slices)
    assert driver.execute_script("return timelines[0].drawn") < 3 * 1200, "columns of pixels, not slices"
    end = driver.execute_script("return timelines[0].end.at(-1)")
    assert end == pytest.approx(large.timeline.slices[-1].end, abs=0.1), "no rounding adds up"
    driver.execute_script("timelines[0].select(0, timelines[0].data.total)")
    summed = {row[0]: numbers(row[1:]) for row in table(driver, ".sums")}
    for pipe, *parts in ([row[1], *numbers([row[2], *row[5:]])] for row in table(driver, "#pipes")):
        assert pipe == "S" or summed[pipe] == pytest.approx(parts, abs=1), "no rounding adds up"
    for _ in range(14):
        find(driver, "[data-zoom='0.5']")[0].click()
    assert 0 < driver.execute_script("return timelines[0].drawn") < 30


def test_two_programs_side_by_side(driver: Any, small: ptoas.Profile, tmp_path: Path) -> None:
    text = SMALL.replace("mgather.elem.zero", "mgather.elem.clamp")
    other = ptoas.profile(ptoas.parse(text, "b.pto"), ["i=arange"], "a5")
    theme(driver, "light")
    show(driver, compare_page(ProfileComparison(small, other)), tmp_path)
    assert driver.get_log("browser") == [] and len(find(driver, "canvas")) == 2
    driver.execute_script("timelines[0].view(100, 600)")
    assert driver.execute_script("return [timelines[1].from, timelines[1].to]") == [100, 600]
    find(driver, "#changed a[data-prefix='b']")[0].click()
    assert (find(driver, ".l.hot")[0].get_attribute("id") or "").startswith("Lb")
