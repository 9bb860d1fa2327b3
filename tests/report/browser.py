"""A real browser without a window, where one is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)


@contextmanager
def opened(folder: Path) -> Iterator[Any]:
    """A driver with a fresh profile in `folder`."""
    from selenium import webdriver

    assert BROWSER is not None
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={folder / 'browser'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def theme(driver: Any, name: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": name}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
