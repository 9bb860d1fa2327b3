"""Python's collector of cycles, while a module is read.

A module is tens of thousands of objects that stay, and the collector looks at all of them again and again
while they are made: a third of the time for a large one. It looks once, when the work is done: modules that
nobody has any more are cycles, too.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

MANY = 10_000
"""New objects after which it has to look: else it would come by too seldom."""


def without_collecting(function: Callable[P, R]) -> Callable[P, R]:
    """The function, during which cycles are not looked for; who has turned that off himself keeps it off."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not gc.isenabled():
            return function(*args, **kwargs)
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            gc.enable()
            if gc.get_count()[0] > MANY:
                gc.collect(1)

    return call
