"""The command `ptoas`, a few lines over the library for each of its commands.

How its process works is said here, before anything else is imported.
"""

import atexit
import gc
import os
import sys

from ptoas.caches import clear_caches

gc.set_threshold(1_000_000, 20, 20)
"""A command keeps most of the objects that it makes to its end: a hundred thousand after its imports. Looking
every 700 for what can be thrown away takes a tenth of a short command's time."""
atexit.unregister(clear_caches)
atexit.register(gc.freeze)
"""Nor is anything looked for at the end, three times over, in all modules that are then thrown away."""
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
"""The threads that NumPy keeps for products of matrices wait for work in a loop, some 50 ms each, before they
sleep: half of what importing NumPy takes. With this they sleep at once, and are woken for a product."""


def leave_alone() -> None:
    """Said by commands that run no program: of some hundred objects for each operation of a large file none
    can be thrown away before its end, and to look for one takes a fifth of the time."""
    global _leaves_nothing
    gc.set_threshold(10_000_000, 20, 20)
    _leaves_nothing = True


_leaves_nothing = False
"""Whether the command has nothing to end but itself: no program's threads, no other processes."""


def end_at_once(code: object) -> None:
    """End the process of such a command. Python would take its modules apart, object by object: ten times as
    long as the system needs to have the memory back."""
    if _leaves_nothing and isinstance(code, int):
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]  # who calls may close it
                stream.flush()
        os._exit(code)


def tidy_up(most: int = 1_000_000) -> None:
    """Between two files: throw away what names only itself, in circles, as modules do; if it may be much."""
    if gc.get_count()[0] > most:
        gc.collect(1)
