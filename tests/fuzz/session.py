"""One text through its checks; what it showed, and the failures so far."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from zlib import crc32

from tests.fuzz.checks import Check, some_checks
from tests.fuzz.failures import Failure, attempt, write


def some_checks_of(data: bytes) -> list[Check]:
    """The checks that are done on a text: it alone decides, so that a failure can be had again."""
    return some_checks(Random(crc32(data)))


class Session:
    """Keeps one failure of each signature; writes them to `folder`, if there is one, as they come."""

    def __init__(self, folder: Path | None = None, scale: float = 1.0):
        self.folder = folder
        self.scale = scale
        self.failures: dict[str, Failure] = {}
        self.features: set[str] = set()
        self.inputs = 0

    def feed(self, data: bytes, checks: Iterable[Check] | None = None) -> bool:
        """Check a text; whether it showed something new."""
        self.inputs += 1
        new = False
        for check in some_checks_of(data) if checks is None else checks:
            found = attempt(check, data, self.scale)
            if isinstance(found, Failure):
                self._add(found)
            else:
                new |= not found <= self.features
                self.features |= found
        return new

    def _add(self, failure: Failure) -> None:
        known = self.failures.get(failure.signature)
        if known is not None and len(known.data) <= len(failure.data):
            return
        self.failures[failure.signature] = failure
        if self.folder is not None:
            write(failure, self.folder)
