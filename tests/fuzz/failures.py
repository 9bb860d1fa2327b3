"""A failure: what it is known by, and the folder that it is written to."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from zlib import crc32

from tests.fuzz.checks import Check, Features
from tests.fuzz.invariants import Broken
from tests.fuzz.seeds import ROOT
from tests.fuzz.watchdog import Hang, budget

_OURS = str(ROOT / "ptoas")


@dataclass(frozen=True)
class Failure:
    """`signature` is equal for failures with the same cause, as far as one can tell."""

    signature: str
    check: Check
    data: bytes
    report: str

    @property
    def slug(self) -> str:
        word = re.sub(r"\W+", "-", self.signature).strip("-")[:60]
        return f"{word}-{crc32(self.signature.encode()):08x}"


def signature_of(error: BaseException, check: Check) -> str:
    """The kind of the exception, and the innermost function of the tool that it came through."""
    if isinstance(error, Broken):
        return f"{check.name} {error.kind}"
    if isinstance(error, Hang):
        return f"Hang {check.name}"
    place = _innermost(error.__traceback__)
    if isinstance(error, RecursionError):
        place = check.name  # where the stack ends is chance
    return f"{type(error).__name__} {place}"


def _innermost(at: TracebackType | None) -> str:
    place = "?"
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_filename.startswith(_OURS):
            place = f"{Path(code.co_filename).stem}.{code.co_name}"
        at = at.tb_next
    return place


def attempt(check: Check, data: bytes, scale: float = 1.0) -> Failure | Features:
    """Do a check within its budget; every exception is a failure."""
    try:
        with budget(len(data), scale):
            return check(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = traceback.format_exception(error, limit=-25)
        report = f"{check}\n\n{''.join(lines)}"
        return Failure(signature_of(error, check), check, data, report)


def write(failure: Failure, folder: Path) -> Path:
    """The input and the report, in a folder of their own."""
    place = folder / failure.slug
    place.mkdir(parents=True, exist_ok=True)
    (place / "input.pto").write_bytes(failure.data)
    (place / "report.txt").write_text(failure.report, "utf-8", "backslashreplace")
    return place
