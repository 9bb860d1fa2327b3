"""A difference between this tool and the C++ assembler of the same name, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One thing that the two say differently, with a program that shows what is said here."""

    subject: str
    there: str
    """What the other says of such a program."""
    here: str
    """What this tool says of it."""
    why: str
    """Where it is written: a header, a page, a document, a decision."""
    program: str
    code: str | None = None
    """The code with which the program is refused here; without one it is accepted."""
    target: str = "a2a3"
