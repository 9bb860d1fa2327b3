"""Suggest the closest name for an unknown one."""

from __future__ import annotations

from collections.abc import Iterable

CUTOFF = 0.6
"""Minimum similarity of two names, from 0 to 1."""


def nearest(name: str, known: Iterable[str], cutoff: float = CUTOFF) -> str | None:
    """The known name that resembles this one most. Letters in the wrong order are the commonest slip.

    >>> nearest("f61", ["f64", "f16", "f32"])
    'f16'
    >>> nearest("tgathr", ["tgather", "tscatter"])
    'tgather'
    >>> nearest("loop", ["tgather", "tscatter"])
    """
    from difflib import get_close_matches  # only programs with mistakes pay for it

    names = list(known)
    letters = sorted(name)
    turned = [each for each in names if len(each) == len(name) and sorted(each) == letters]
    found = turned or get_close_matches(name, names, 1, cutoff)
    return found[0] if found else None


def did_you_mean(
    name: str, known: Iterable[str], before: str = "", after: str = "", cutoff: float = CUTOFF
) -> str | None:
    """The fix of a message about an unknown name, where one resembles it.

    >>> did_you_mean("idnex", ["index", "table"], before="%")
    'did you mean `%index`?'
    """
    found = nearest(name, known, cutoff)
    return None if found is None else f"did you mean `{before}{found}{after}`?"
