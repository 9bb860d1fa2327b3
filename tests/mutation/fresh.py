"""Runs tests in a new interpreter that imports one module from a changed source; see `runner.py`."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest

from .runner import QUIET, ROOT, _steady_hypothesis, module_name


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from another text than its file's."""

    def __init__(self, name: str, path: str, text: str):
        super().__init__(name, path)
        self.text = text

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.text, self.path, "exec", dont_inherit=True), module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds one module."""

    def __init__(self, file: str, text: str):
        self.file = file
        self.text = text
        self.name = module_name(str(Path(file).relative_to(ROOT)))

    def find_spec(self, fullname, path=None, target=None):  # type: ignore[no-untyped-def]
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(
            fullname, Changed(fullname, self.file, self.text), origin=self.file
        )


class FirstFailure:
    """Ends everything at the first test that fails, and names it."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self.out, report.nodeid.encode())
            os._exit(1)

    def __init__(self, out: int):
        self.out = out


def main(path: str) -> int:
    task = json.loads(Path(path).read_text())
    out = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    finder = Finder(task["file"], task["source"])
    sys.meta_path.insert(0, finder)
    # Before pytest looks for examples in its docstrings: that would import the module as it is.
    importlib.import_module(finder.name)
    _steady_hypothesis()
    files = list(dict.fromkeys(test.split("::")[0] for test in task["tests"]))
    wanted = {test: n for n, test in enumerate(task["tests"])}

    class Selected:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            items[:] = sorted(
                (item for item in items if item.nodeid in wanted), key=lambda item: wanted[item.nodeid]
            )

    with tempfile.TemporaryDirectory() as scratch:
        options = [
            *QUIET,
            "-x",
            f"--basetemp={scratch}/t",
            f"--rootdir={ROOT}",
            "--hypothesis-profile=mutation",
        ]
        plugins = [FirstFailure(out), Selected()]
        code = pytest.main([*options, *(str(ROOT / file) for file in files)], plugins=plugins)
    if code:
        os.write(out, b"the tests can't be collected")
    return int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
