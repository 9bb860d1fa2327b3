"""Python's search for garbage, put off while a program is read, checked or lowered.

All that such a call makes is kept to its end, so that there is nothing to find; looking for it every 700
objects takes a tenth of the time. What the calling program has set is as it was after the call.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import ParamSpec, TypeVar

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")


class _Undisturbed:
    """How many calls are under way, in all threads: the last to end lets the search go on."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._calls:
                self._was_on = gc.isenabled()
                gc.disable()
            self._calls += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._calls -= 1
            if not self._calls and self._was_on:
                gc.enable()


_UNDISTURBED = _Undisturbed()


def undisturbed(function: Callable[Inputs, Output]) -> Callable[Inputs, Output]:
    """`function`, with the search for garbage put off to its end."""

    @wraps(function)
    def called(*args: Inputs.args, **named: Inputs.kwargs) -> Output:
        with _UNDISTURBED:
            return function(*args, **named)

    return called
