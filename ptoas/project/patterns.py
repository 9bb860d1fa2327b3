"""Patterns of file names, as in a `.gitignore`: which of them can be matched in reasonable time."""

from __future__ import annotations

MOST_WILDCARDS = 3
"""`*` in one part of a pattern, and parts `**`. pathspec makes a regular expression of a pattern; the time
that Python's `re` takes grows with the length of a name to the power of their number."""


def has_too_many_wildcards(pattern: str) -> bool:
    """Return True if matching a pattern may take exponential time.

    >>> [has_too_many_wildcards(text) for text in ("build/*_[0-9]*.pto", "**/old/**", "*a*a*a*a")]
    [False, False, True]
    """
    parts = pattern.split("/")
    stars = [part.count("*") for part in parts if part != "**"]
    return max(stars, default=0) > MOST_WILDCARDS or parts.count("**") > MOST_WILDCARDS
