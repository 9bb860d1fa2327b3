"""A process that uses ptoas and prints what that changed in it; `test_side_effects` starts it.

    python -m tests.process_state (library | command) FOLDER [MODULE...]

The modules are imported first, so that what their import does to the process is not taken for ours. The last
line that is printed is JSON: the names of all modules that are not ours, and of what has changed.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
import warnings
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

OURS = ("ptoas", "tests", "__main__")
CACHES = {
    "__warningregistry__",
    "__annotations__",
    "__abstractmethods__",
    "_abc_impl",
    "__doc__",
    "__slotnames__",
}
"""Attributes that Python itself writes when a class or module is used."""
BOOKKEEPING = {
    "concurrent.futures.ProcessPoolExecutor",
    "concurrent.futures.process._system_limited",
    "concurrent.futures.process._system_limits_checked",
}
"""State of the standard library about its process pools: a lazy import, limits of the system."""


def use_library(folder: str) -> None:
    import ptoas

    with open(os.path.join(folder, "0.pto"), encoding="utf-8") as file:
        module = ptoas.parse(file.read(), "0.pto")
    assert ptoas.verify(module, "a5").ok
    assert "TADD" in ptoas.lower(module, "a5")
    assert ptoas.run(module, {}, "a5", generate=True).outputs


def use_command(folder: str) -> None:
    from ptoas.cli.main import main

    file, target = os.path.join(folder, "0.pto"), ("--target", "a5")
    out = os.path.join(folder, "out")
    for words in (
        ("--help",),
        ("verify", file, *target),
        ("verify", folder, *target, "--no-cache", "-j", "2"),
        ("lower", file, *target),
        ("lower", folder, *target, "-j", "2", "-o", out),
        ("run", file, *target),
        ("convert", file, "--to", "dps"),
        ("fmt", folder, "-j", "2"),
    ):
        try:
            main(words, prog_name="ptoas")
        except SystemExit as end:
            assert not end.code, words


def attributes(modules: set[str]) -> dict[str, Any]:
    """Return the attributes of modules, and of the classes that they define, by their full names."""
    found: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(sys.modules[module]).items():
            if isinstance(value, ModuleType) or name in CACHES or module == "sys":
                continue
            found[f"{module}.{name}"] = value
            if isinstance(value, type) and value.__module__ == module:
                inside = {inner: part for inner, part in vars(value).items() if inner not in CACHES}
                found |= {f"{module}.{name}.{inner}": part for inner, part in inside.items()}
    return found


def settings() -> dict[str, Any]:
    """Return what holds for the whole process."""
    return {
        "collector": (gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), gc.get_debug()),
        "environment": dict(os.environ),
        "exit": atexit._ncallbacks(),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "hooks": (sys.excepthook, sys.displayhook, sys.meta_path[:], sys.path_hooks[:], sys.path[:]),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval(), os.getcwd()),
        "warnings": warnings.filters[:],
    }


def main() -> None:
    use, folder, *names = sys.argv[1:]
    for name in names:
        with suppress(ImportError):  # some are made by extensions, without a file
            import_module(name)
    modules = {name for name in sys.modules if name.partition(".")[0] not in OURS}
    parts, whole = attributes(modules), settings()
    {"library": use_library, "command": use_command}[use](folder)
    parts_now, whole_now = attributes(modules), settings()
    unset = object()
    changed = [name for name in whole if whole[name] != whole_now[name]]
    changed += [n for n in parts | parts_now if parts.get(n, unset) is not parts_now.get(n, unset)]
    changed = [name for name in changed if name not in BOOKKEEPING]
    others = [name for name in sys.modules if name.partition(".")[0] not in OURS]
    print(json.dumps({"modules": others, "changed": changed}))


if __name__ == "__main__":
    main()
