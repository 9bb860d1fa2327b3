"""The mutator: a few changes of bytes, words and statements, one after the other."""

from __future__ import annotations

from random import Random

from tests.fuzz import byte_mutations, statement_mutations, token_mutations
from tests.fuzz.statement_mutations import MAX_SIZE

_KINDS = (
    (byte_mutations.mutate, 10),
    (token_mutations.mutate, 45),
    (statement_mutations.mutate, 45),
)
_REPRINT = 0.15


def mutate(data: bytes, random: Random) -> bytes:
    """Another text. Equal data and an equal state of `random` give an equal text."""
    if random.random() < _REPRINT:
        try:
            data = statement_mutations.reprint(data, random)
        except Exception:
            # A failure of the tool itself is found where it is looked for: in the checks.
            return data
    for _ in range(random.choice((1, 1, 2, 2, 3, 5))):
        change = random.choices([f for f, _ in _KINDS], [weight for _, weight in _KINDS])[0]
        data = change(data, random)
    return data[:MAX_SIZE]
