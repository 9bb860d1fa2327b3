"""Fragments of programs: calls of functions."""

from __future__ import annotations

from dataclasses import replace

from .builder import Builder
from .control import Body, store_some
from .values import Argument

MOST_FUNCTIONS = 2


def call(b: Builder, depth: int, body: Body) -> bool:
    """A function with instructions of its own, on tiles of this one and on memory that is handed through."""
    if b.style.bare or len(b.functions) == MOST_FUNCTIONS:
        return False
    given = [tile for tile in b.alive if not any(tile.kind.open)]
    b.random.shuffle(given)
    given = given[: b.pick((0, 1, 2))]
    name = b.fresh("part").removeprefix("%")
    with b.function(name) as arguments:
        for tile in given:
            parameter = b.add_argument("t", b.type_text(tile.kind), None)
            b.keep(replace(tile, name=parameter.name))
        handed = len(arguments)
        body(b, depth - 1)
        store_some(b)
    through: list[Argument] = arguments[handed:]
    b.arguments += through
    names = ", ".join([*(tile.name for tile in given), *(each.name for each in through)])
    types = ", ".join(each.type for each in arguments)
    b.line(f"func.call @{name}({names}) : ({types}) -> ()")
    b.after()
    b.features.add(("call", str(len(given))))
    return True
