"""Making a failing text small: take away lines, then words, then bytes, while it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from tests.fuzz.failures import Failure, attempt
from tests.fuzz.tokens import split

T = TypeVar("T")


def shrink(failure: Failure, seconds: float = 60.0, scale: float = 1.0) -> Failure:
    """The smallest text found in the given processor time that fails in the same way."""
    best = failure
    deadline = time.process_time() + seconds

    def fails(data: bytes) -> bool:
        nonlocal best
        if time.process_time() > deadline:
            return False
        found = attempt(failure.check, data, scale)
        if isinstance(found, Failure) and found.signature == failure.signature:
            best = found
            return True
        return False

    size = -1
    while size != len(best.data) and time.process_time() < deadline:
        size = len(best.data)
        _reduce(best.data.splitlines(keepends=True), b"".join, fails)
        _reduce(_words(best.data), _unsplit, fails)
        if len(best.data) <= 2000:
            _reduce([best.data[n : n + 1] for n in range(len(best.data))], b"".join, fails)
    return best


def _words(data: bytes) -> list[str]:
    return [text for _, text in split(data.decode("utf-8", "surrogateescape"))]


def _unsplit(words: Sequence[str]) -> bytes:
    return "".join(words).encode("utf-8", "surrogateescape")


def _reduce(parts: list[T], join: Callable[[list[T]], bytes], fails: Callable[[bytes], bool]) -> None:
    """Delta debugging: drop ever smaller stretches of parts."""
    stretch = max(1, len(parts) // 2)
    while parts:
        at = 0
        dropped = False
        while at < len(parts):
            rest = parts[:at] + parts[at + stretch :]
            if fails(join(rest)):
                parts, dropped = rest, True
            else:
                at += stretch
        if stretch == 1 and not dropped:
            return
        stretch = max(1, stretch // 2)
