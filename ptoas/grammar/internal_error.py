"""Internal errors as a finding: the failure, its statement, and instructions for reporting it.

The library lets the original exception through; the command shows this in place of a traceback.
"""

from __future__ import annotations

import os
import shlex
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from ptoas.diagnostics.codes import register_catalogue
from ptoas.diagnostics.core import Diagnostic, Note, Source, Span
from ptoas.grammar.spans import span_of
from ptoas.ir.location import SourceLocation

CODE = "PTO-X001"
DEBUG = "PTOAS_DEBUG"
"""Set to anything but nothing, it adds the traceback to the report."""

INTERNAL = register_catalogue("internal")


def internal_error(error: Exception, command: Sequence[str] = (), file: str | None = None) -> Diagnostic:
    """Return the finding for an internal exception, raised while `file` was processed."""
    typed = shlex.join(["ptoas", *command])
    place = place_of(error) or Span(Source("", file) if file else Source(typed, "<command line>"), 0, 1)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    notes = [f"raised in {_raiser(error)}", _versions(), f"the command was: {typed}"]
    if os.environ.get(DEBUG):
        notes.append("".join(traceback.format_exception(error)).rstrip())
    return Diagnostic(
        CODE,
        f"internal error: {what}",
        place,
        notes=tuple(map(Note, notes)),
        fix="this is a bug in ptoas: please report this text with the program"
        + ("" if os.environ.get(DEBUG) else f"; {DEBUG}=1 adds the traceback"),
    )


def place_of(error: BaseException) -> Span | None:
    """Return the statement being processed: the innermost operation in the frames of the traceback.

    The frames are asked so that no stage has to say where it is, and none can forget to. A function or a
    module counts only where nothing smaller is there, and the mere text where no operation is.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    places = [place for frame in reversed(frames) for place in _places(frame)]
    return min(places, key=lambda place: place[0], default=(0, None))[1]


def _places(frame: FrameType) -> Iterator[tuple[int, Span]]:
    """Locations that a frame works on, with their rank: a statement is 0, a container 1, a text 2."""
    from xdsl.ir import Operation

    # By convention `op` names the current operation.
    names: dict[str, Any] = frame.f_locals
    for value in ([names["op"]] if "op" in names else []) + list(names.values()):
        if isinstance(value, Operation) and isinstance(value.location, SourceLocation):
            holds_others = value.name in ("builtin.module", "func.func")
            yield (1 if holds_others else 0, span_of(value))
        elif isinstance(value, Source) and value.text:
            yield (2, Span(value, 0, 1))


def _raiser(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return "an unknown place"
    last = frames[-1]
    return f"{last.name}, line {last.lineno} of {os.path.basename(last.filename)}"


def _versions() -> str:
    import platform

    from ptoas import __version__

    return ", ".join(
        [
            f"ptoas {__version__}",
            *(f"{name} {_version(name)}" for name in ("xdsl", "numpy", "lark")),
            f"Python {platform.python_version()} on {platform.platform(terse=True)}",
        ]
    )


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "of unknown version"
