"""The line of Python that builds an operation."""

from __future__ import annotations

import inspect
import linecache
from types import FrameType
from typing import cast

from xdsl.dialects.builtin import LocationAttr, UnknownLoc

from ptoas.diagnostics import Source, Span
from ptoas.ir.location import PythonLocation

_PACKAGE = __name__.rpartition(".")[0]


def caller_location(sources: dict[str, Source]) -> LocationAttr:
    """Return the line that called into this package, or an unknown location if its text is not available.

    `sources` holds the files that were seen before, so that all operations of a module share them.
    """
    frame = inspect.currentframe()
    while frame is not None and _is_in_package(frame):
        frame = frame.f_back
    if frame is None:
        return UnknownLoc()
    filename = frame.f_code.co_filename
    source = sources.get(filename)
    if source is None:
        lines = linecache.getlines(filename, frame.f_globals)
        source = sources[filename] = Source("".join(lines), filename)
    text = source.line_text(frame.f_lineno)
    if not text.strip():
        return UnknownLoc()
    line_start = source.line_starts[frame.f_lineno - 1]
    start = line_start + len(text) - len(text.lstrip())
    return cast("LocationAttr", PythonLocation(Span(source, start, len(text.strip()))))


def _is_in_package(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name == _PACKAGE or name.startswith(f"{_PACKAGE}.")
