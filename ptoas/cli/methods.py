"""The methods of dataclasses, compiled once and not in every process.

A dataclass writes its methods as text, which Python compiles whenever the class is made. xDSL has two hundred
such classes and we have another hundred: a third of the time that a short command takes. What Python compiles
of a module it keeps in `__pycache__`, and there, on the same terms, these methods are kept: found by their
whole text, so that none is ever old; for this version of Python alone; not written where Python is told to
write none, or can't. Only the command does so. A program that imports ptoas is left as it is.
"""

from __future__ import annotations

import atexit
import marshal
import os
import sys
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

MOST = 5_000
"""So many are kept; then those of the last run alone. All of xDSL's and ours are two thousand."""


class Methods:
    """What was compiled before, from a file, and what is compiled now."""

    def __init__(self, path: Path):
        self.path = path
        self.known = self._read()
        self.new: dict[str, CodeType] = {}

    def _read(self) -> dict[str, CodeType]:
        with suppress(OSError, ValueError, EOFError, TypeError):
            data = self.path.read_bytes()
            if data.startswith(MAGIC_NUMBER):
                return dict(marshal.loads(data[len(MAGIC_NUMBER) :]))
        return {}

    def execute(self, text: str, names: dict[str, Any], local: dict[str, Any]) -> None:
        """What the built-in `exec` does."""
        code = self.known.get(text) or self.new.get(text)
        if code is None:
            # The flags of this module, such as its annotations, are not those of `dataclasses`.
            code = self.new[text] = compile(text, "<string>", "exec", dont_inherit=True)
        exec(code, names, local)

    def write(self) -> None:
        """Keep what is new, in one step: another process may be reading."""
        if not self.new or sys.dont_write_bytecode:
            return
        kept = self.known | self.new
        data = MAGIC_NUMBER + marshal.dumps(kept if len(kept) <= MOST else self.new)
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            with temporary.open("xb") as file:
                file.write(data)
            os.replace(temporary, self.path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()


class _Inspect(ModuleType):
    """The module `inspect`, for dataclasses.

    One without a docstring gets its signature for one: half of what makes an attribute of xDSL's, and nobody
    reads it.
    """

    def __getattr__(self, name: str) -> Any:
        import inspect

        return getattr(inspect, name)

    def signature(self, _: type) -> str:
        """Nothing: what stands behind the name of a class without a docstring."""
        return ""


def keep_methods() -> None:
    """Let dataclasses find their methods, from now on."""
    cached = __spec__.cached if __spec__ is not None else None
    if cached is None or "xdsl" in sys.modules:
        return  # there is no place, or this process is not the command's own
    import dataclasses

    methods = Methods(Path(cached).with_suffix(".methods"))
    dataclasses.__dict__["exec"] = methods.execute  # their only name for it is the built-in's
    dataclasses.__dict__["inspect"] = _Inspect("inspect")
    atexit.register(methods.write)
