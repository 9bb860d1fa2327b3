"""Pictures of the guides: how tiles lie in memory, what of a tile is valid, which memories a block has.

They are drawn from what the rest of ptoas works with: the order of elements from `dialects.pto.geometry`,
sizes from the targets. `python -m docs.layouts DIRECTORY` writes them; `make docs` does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ptoas.dialects.pto.enums import SLayout, TileLoc
from ptoas.dialects.pto.geometry import LAYOUTS, Geometry, geometry
from ptoas.report.draw import HEAD, line, picture, rect, text
from ptoas.targets import TARGETS

CELL = 9.0


def layout_picture(name: str, shape: tuple[int, int] = (32, 32), size: int = 2) -> str:
    """A tile as a grid: a line goes through its elements in the order in which memory has them."""
    blayout, slayout = LAYOUTS[name]
    how = geometry(shape, size, blayout, slayout)
    parts = list(_tile(how, shape, 10, 44))
    width, height = shape[1] * CELL + 20, shape[0] * CELL + 70
    boxes = "no boxes" if slayout is SLayout.NoneBox else f"{slayout.value} in boxes"
    parts.append(text(10, 16, name, "title"))
    parts.append(text(10, 32, f"{blayout.value}, {boxes}", "dim small"))
    parts.append(text(10, height - 8, f"{shape[0]}x{shape[1]}, {size} bytes an element", "dim small"))
    return picture(width, height, parts, True, f"the layout {name}: {_in_words(how, shape)}")


def _in_words(how: Geometry, shape: tuple[int, int]) -> str:
    """Description for screen readers: the neighbours of the first element."""
    return f"the next column is at {how.offset(0, 1)} elements, the next row at {how.offset(1, 0)}" + (
        f", boxes are {how.box[0]}x{how.box[1]}" if how.box != (1, 1) else f" of {shape[0]}x{shape[1]}"
    )


def in_order(how: Geometry, shape: tuple[int, int]) -> list[tuple[int, int]]:
    """The places of a tile in the order of memory."""
    places = [(row, col) for row in range(shape[0]) for col in range(shape[1])]
    return sorted(places, key=lambda place: how.offset(*place))


def _tile(how: Geometry, shape: tuple[int, int], left: float, top: float) -> Iterator[str]:
    rows, cols = shape
    box = how.box if how.box != (1, 1) else shape
    order = in_order(how, shape)
    count = box[0] * box[1]
    boxes = dict.fromkeys((row // box[0], col // box[1]) for row, col in order)
    for number, (down, right) in enumerate(boxes):
        x, y = left + right * box[1] * CELL, top + down * box[0] * CELL
        shade = 0.10 + 0.30 * number / max(1, len(boxes) - 1)
        yield rect(x, y, box[1] * CELL, box[0] * CELL, "var(--MTE2)", f'opacity="{shade:.2f}"')
    for first in range(0, len(order), count):
        path = [
            f"{left + (c + 0.5) * CELL:g} {top + (r + 0.5) * CELL:g}" for r, c in order[first : first + count]
        ]
        yield f'<path d="M{"L".join(path)}" class="arrow" style="stroke:var(--MTE2);stroke-width:.8"/>'
    for first in range(count, len(order), count):
        (r0, c0), (r1, c1) = order[first - 1], order[first]
        ends = [
            left + (c0 + 0.5) * CELL,
            top + (r0 + 0.5) * CELL,
            left + (c1 + 0.5) * CELL,
            top + (r1 + 0.5) * CELL,
        ]
        bend = "M{:g} {:g}L{:g} {:g}".format(*ends)
        yield f'<path d="{bend}" class="arrow again" style="stroke:var(--M)"/>'
    for row in range(0, rows + 1, box[0]):
        yield line(left, top + row * CELL, left + cols * CELL, top + row * CELL)
    for col in range(0, cols + 1, box[1]):
        yield line(left + col * CELL, top, left + col * CELL, top + rows * CELL)
    for number, (down, right) in enumerate(boxes):
        x, y = left + (right + 0.5) * box[1] * CELL, top + (down + 0.5) * box[0] * CELL
        if len(boxes) > 1:
            yield f'<circle cx="{x:g}" cy="{y:g}" r="11" fill="var(--paper)" stroke="var(--dim)"/>'
            yield text(x, y + 4, str(number), "title", "middle")


def valid_picture() -> str:
    """A tile of 16x32 of which 9x20 hold data."""
    rows, cols, valid = 16, 32, (9, 20)
    left, top = 70.0, 40.0
    wide, high = cols * CELL, rows * CELL
    parts = [rect(left, top, wide, high, "", 'class="lane"')]
    parts.append(rect(left, top, valid[1] * CELL, valid[0] * CELL, "var(--V)", 'opacity=".45"'))
    for row in range(rows + 1):
        parts.append(line(left, top + row * CELL, left + wide, top + row * CELL))
    for col in range(cols + 1):
        parts.append(line(left + col * CELL, top, left + col * CELL, top + high))
    parts.append(text(left, 16, "!pto.tile<16x32xf32, valid=9x20>", "title"))
    parts.append(text(left, 32, "20 valid columns of 32", "dim small"))
    parts.append(text(left - 6, top + 40, "9 valid", "dim small", "end"))
    parts.append(text(left - 6, top + 52, "rows of 16", "dim small", "end"))
    parts.append(text(left, top + high + 16, "a row takes 32 x 4 = 128 bytes, valid or not", "dim small"))
    return picture(left + wide + 20, top + high + 28, parts, True, "physical and valid extents of a tile")


# --- the memories of a block ------------------------------------------------------------------------

WAYS = (
    ("gm", "vec", "MTE2"), ("vec", "gm", "MTE3"), ("gm", "mat", "MTE2"), ("mat", "left", "MTE1"),
    ("mat", "right", "MTE1"), ("left", "acc", "M"), ("right", "acc", "M"), ("acc", "gm", "FIX"),
)  # fmt: skip
"""From, to, and the pipe that goes there."""

PLACES = {
    "gm": (20, 40, 120, 250), "vec": (250, 40, 180, 56), "mat": (250, 170, 120, 100),
    "left": (470, 140, 110, 46), "right": (470, 254, 110, 46), "acc": (680, 190, 120, 60),
}  # fmt: skip
TITLES = {
    "gm": "global memory", "vec": "vec (UB)", "mat": "mat (L1)", "left": "left (L0A)", "right": "right (L0B)",
    "acc": "acc (L0C)",
}  # fmt: skip


def memories_picture() -> str:
    """Draw the memories of a2a3 and a5 and the pipes that connect them."""
    parts = [HEAD]
    parts.append(rect(232, 14, 216, 98, "none", 'stroke="var(--line)" rx="6"'))
    parts.append(text(240, 30, "vector core (two of them)", "dim small"))
    parts.append(rect(232, 122, 600, 190, "none", 'stroke="var(--line)" rx="6"'))
    parts.append(text(240, 138, "cube core", "dim small"))
    for source, target, pipe in WAYS:
        parts += _way(source, target, pipe)
    for name, (x, y, w, h) in PLACES.items():
        parts.append(rect(x, y, w, h, "var(--raised)", 'stroke="var(--dim)" rx="4"'))
        parts.append(text(x + w / 2, y + h / 2 - 3, TITLES[name], "title", "middle"))
        parts.append(text(x + w / 2, y + h / 2 + 13, _sizes(name), "dim small", "middle"))
    parts.append(text(20, 328, "sizes on a2a3 / a5; a tile's `loc` names its memory", "dim small"))
    return picture(850, 338, parts, True, "memories of a block and the pipes between them")


def _sizes(name: str) -> str:
    if name == "gm":
        return "arguments"
    sizes = [TARGETS[target].memories[TileLoc(name)] or 0 for target in ("a2a3", "a5")]
    return " / ".join(f"{size // 1024} KB" for size in sizes)


def _way(source: str, target: str, pipe: str) -> list[str]:
    (x0, y0, w0, h0), (x1, y1, w1, h1) = PLACES[source], PLACES[target]
    forward = x1 > x0
    start, end = (x0 + w0, x1) if forward else (x0, x1 + w1)
    low, high = max(y0, y1) + 6, min(y0 + h0, y1 + h1) - 6
    if (source, target) == ("acc", "gm"):
        bend = f"M{x0 + w0 / 2:g} {y0 + h0}V304H{x1 + w1 / 2:g}V{y1 + h1 + 3}"
        label = (600.0, 300.0)
    elif low <= high:
        # Two ways between the same memories lie one above the other.
        y = (low + high) / 2 + (-10 if forward else 10) * ({source, target} == {"gm", "vec"})
        bend, label = f"M{start:g} {y:g}H{end:g}", ((start + end) / 2, y - 4)
    else:
        ends = y0 + h0 / 2, y1 + h1 / 2
        bend = f"M{start:g} {ends[0]:g}L{end:g} {ends[1]:g}"
        label = ((start + end) / 2, (ends[0] + ends[1]) / 2 - 6)
    drawn = f'<path d="{bend}" class="arrow" style="stroke:var(--{pipe})" marker-end="url(#head)"/>'
    return [drawn, text(*label, pipe, "small", "middle")]


PICTURES: dict[str, Callable[[], str]] = {
    **{f"layout_{name.lower()}": lambda name=name: layout_picture(name) for name in LAYOUTS},
    "valid": valid_picture,
    "memories": memories_picture,
}
"""The pictures by the names of their files."""

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (Path(sys.argv[1]) / f"{name}.svg").write_text(draw() + "\n", encoding="utf-8")
