"""Opening of the page of a long run in a browser, and pictures of pages for the documentation.

`python -m benchmarks.page docs/pictures` writes the pictures.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.figures import Row
from benchmarks.kernels import gemm, prefetch, stream

if TYPE_CHECKING:
    import ptoas

ROOT = Path(__file__).parents[1]
SECONDS = 2.0
BYTES = 1_000_000
READY = "return document.documentElement.dataset.ready ? performance.now() : 0"


def long_run() -> ptoas.Profile:
    """64,608 slices."""
    return walked(gemm(12288, 6144, 12288, (4, 6)), "gemm.pto")


def walked(text: str, name: str) -> ptoas.Profile:
    import ptoas

    return ptoas.profile(ptoas.parse(text, name), target="a2a3", static=True, force=True)


def measure(quick: bool = False) -> list[Row]:
    """Size of the page of a long run, and the time until it is drawn; no figure without a browser."""
    from tests.report.browser import BROWSER, DRIVER, opened

    text = long_run().html()
    rows = [Row("page of 64,608 slices", "1 MB", [len(text)], [BYTES], at_most=1.0, unit="bytes")]
    if BROWSER is None or DRIVER is None:
        return rows
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as driver:
        page = Path(folder) / "page.html"
        page.write_text(text, encoding="utf-8")
        times = [opening(driver, page) for _ in range(2 if quick else 5)]
    return [*rows, Row("opening it in Chromium", "2 s", times, [SECONDS], at_most=1.0)]


def opening(driver: Any, page: Path) -> float:
    """Seconds from the start of loading until all is drawn."""
    from selenium.webdriver.support.wait import WebDriverWait

    driver.get(page.as_uri())
    return WebDriverWait(driver, 30, 0.01).until(lambda each: each.execute_script(READY)) / 1000


def pictures(folder: Path) -> None:
    """The pages of a vector kernel, a mixed kernel, a long run and a comparison, as PNG."""
    import ptoas
    from ptoas.profiling.compare import ProfileComparison
    from ptoas.report import compare_page
    from tests.report.browser import opened, theme

    def example(name: str, *arguments: str) -> str:
        module = ptoas.parse_file(str(ROOT / "examples" / name))
        return ptoas.profile(module, list(arguments)).html()

    both = ProfileComparison(
        walked(prefetch(8), "one_event.pto"), walked(stream(2, 2, 16, "64x64xf32"), "event_per_slot.pto")
    )
    pages = {
        "report_vector": (example("lookup_loop.pto"), 790),
        "report_mixed": (example("cube_to_vector.pto", "tiles=6"), 960),
        "report_long": (long_run().html(), 800),
        "report_compare": (compare_page(both), 860),
    }
    with tempfile.TemporaryDirectory() as temporary, opened(Path(temporary)) as driver:
        theme(driver, "light")
        for name, (text, height) in pages.items():
            page = Path(temporary) / f"{name}.html"
            page.write_text(text, encoding="utf-8")
            driver.set_window_size(1000, height)
            opening(driver, page)
            driver.save_screenshot(str(folder / f"{name}.png"))


if __name__ == "__main__":
    pictures(Path(sys.argv[1]))
