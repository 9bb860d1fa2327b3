"""Changes of words: a number, a type, an opcode, a name for another of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.fuzz.tokens import EXTREMES, Token, join, split, vocabulary

_SPACE = ("space", "comment")


def _places(tokens: list[Token], *kinds: str) -> list[int]:
    return [n for n, (kind, _) in enumerate(tokens) if (kind in kinds if kinds else kind not in _SPACE)]


def swap(tokens: list[Token], random: Random) -> None:
    places = _places(tokens)
    if len(places) > 1:
        first, second = random.sample(places, 2)
        tokens[first], tokens[second] = tokens[second], tokens[first]


def duplicate(tokens: list[Token], random: Random) -> None:
    if places := _places(tokens):
        at = random.choice(places)
        tokens.insert(at, tokens[at])


def drop(tokens: list[Token], random: Random) -> None:
    if places := _places(tokens):
        del tokens[random.choice(places)]


def exchange(tokens: list[Token], random: Random) -> None:
    """A word for another one of its kind, from anywhere."""
    known = vocabulary()
    if places := [n for n in _places(tokens) if tokens[n][0] in known]:
        at = random.choice(places)
        kind = tokens[at][0]
        tokens[at] = (kind, random.choice(known[kind]))


def exchange_everywhere(tokens: list[Token], random: Random) -> None:
    """All that is spelled alike at once, so that a program may stay consistent: a type for another type."""
    known = vocabulary()
    if places := _places(tokens, "type", "scalar", "attribute", "word", "opcode", "number"):
        kind, old = tokens[random.choice(places)]
        new = random.choice(known[kind])
        tokens[:] = [(kind, new) if token == (kind, old) else token for token in tokens]


def exchange_value(tokens: list[Token], random: Random) -> None:
    """A value for another one of the same text."""
    if places := _places(tokens, "value"):
        first, second = random.choice(places), random.choice(places)
        tokens[first] = tokens[second]


_DIGITS = re.compile(r"\d+|\?")


def exchange_number(tokens: list[Token], random: Random) -> None:
    """A number, also one inside a type: extents, offsets, widths."""
    if places := [n for n in _places(tokens) if _DIGITS.search(tokens[n][1])]:
        at = random.choice(places)
        kind, text = tokens[at]
        match = random.choice(list(_DIGITS.finditer(text)))
        tokens[at] = (kind, text[: match.start()] + _number(random) + text[match.end() :])


_SCALARS = re.compile(r"(?<![A-Za-z])(?:[su]?i|u|b?f)\d+(?:[eE]\d[mM]\d\w*)?")


def exchange_element(tokens: list[Token], random: Random) -> None:
    """One element type for another one through the whole text."""
    known = vocabulary()["scalar"]
    found = sorted({m for _, text in tokens for m in _SCALARS.findall(text)})
    if found:
        old, new = random.choice(found), random.choice(known)
        pattern = re.compile(rf"(?<![A-Za-z]){re.escape(old)}(?!\w)")
        tokens[:] = [(kind, pattern.sub(new, text)) for kind, text in tokens]


def exchange_extent(tokens: list[Token], random: Random) -> None:
    """One number for another one through the whole text: shapes that still fit each other."""
    found = sorted({m for _, text in tokens for m in re.findall(r"\d+", text)})
    if found:
        old, new = (
            random.choice(found),
            random.choice((*found, _number(random), str(8 * random.randrange(1, 40)))),
        )
        pattern = re.compile(rf"(?<![\w.]){old}(?!\d)|(?<=x){old}(?=x)")
        tokens[:] = [(kind, pattern.sub(new, text)) for kind, text in tokens]


def add_parameter(tokens: list[Token], random: Random) -> None:
    """A further parameter for a type: another location, layout, valid extent, stride."""
    if places := [n for n in _places(tokens, "type") if tokens[n][1].endswith(">")]:
        at = random.choice(places)
        parameter = random.choice(_PARAMETERS).replace(
            "N", random.choice(("?", "0", "1", "8", "16", _number(random)))
        )
        kind, text = tokens[at]
        new = f"{text[:-1]}, {parameter}>"
        tokens[:] = [(kind, new) if token == (kind, text) else token for token in tokens]


_PARAMETERS = (
    *("loc=vec", "loc=mat", "loc=left", "loc=right", "loc=acc", "loc=bias", "loc=scaling", "layout=nz"),
    *("blayout=col_major", "slayout=row_major", "slayout=col_major", "fractal=512", "fractal=N", "pad=zero"),
    *("valid=NxN", "valid=1xN", "v_row=N", "v_col=N", "[N, N]", "strides=[N, 1]", "layout=dn", "compact=N"),
)


def nest_brackets(tokens: list[Token], random: Random) -> None:
    """Far more brackets than anybody writes."""
    pair = random.choice(("()", "[]", "{}", "<>"))
    count = random.choice((2, 10, 200, 3000))
    at = random.randrange(len(tokens) + 1)
    inside = tokens[at : at + random.choice((0, 1, 5))]
    closing = pair[1] * (count if random.random() < 0.7 else count - 1)
    tokens[at : at + len(inside)] = [("mark", pair[0] * count), *inside, ("mark", closing)]


def _number(random: Random) -> str:
    return (
        random.choice(EXTREMES)
        if random.random() < 0.6
        else str(random.randrange(0, 1 << random.choice((3, 6, 10))))
    )


Mutation = Callable[[list[Token], Random], None]
MUTATIONS: tuple[Mutation, ...] = (
    *(swap, duplicate, drop, exchange, exchange, exchange_everywhere, exchange_everywhere),
    *(exchange_value, exchange_value, exchange_number, exchange_number, exchange_element, exchange_element),
    *(exchange_extent, exchange_extent, add_parameter, add_parameter, nest_brackets),
)


def mutate(data: bytes, random: Random) -> bytes:
    tokens = split(data.decode("utf-8", "surrogateescape"))
    random.choice(MUTATIONS)(tokens, random)
    return join(tokens).encode("utf-8", "surrogateescape")
