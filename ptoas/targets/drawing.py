"""Layouts as a few lines of text, for the notes of findings about boxes."""

from __future__ import annotations

from ptoas.dialects.pto.enums import BLayout, SLayout

MOST_BLOCKS = 4
"""Blocks that are drawn in a row or column; of more, the first and the last."""


def cut_blocks(shape: tuple[int, int], box: tuple[int, int]) -> str:
    """A tile in its blocks, and where its edge goes through one.

    >>> print(cut_blocks((24, 32), (16, 16)))
    blocks of 16x16, a tile of 24x32
           16   16
         +----+----+
      16 |    |    |
         +----+----+
       8 |    |    | 8 of 16 rows
         +----+----+
    """
    heights, widths = (_pieces(extent, step) for extent, step in zip(shape, box, strict=True))
    rule = "     +" + "".join(("----" if width else " .. ") + "+" for width in widths)
    lines = [f"blocks of {box[0]}x{box[1]}, a tile of {shape[0]}x{shape[1]}"]
    lines.append("      " + "".join(f"{width or '..':>3}  " for width in widths).rstrip())
    lines.append(rule)
    missing = f"{widths[-1]} of {box[1]} columns" if widths[-1] < box[1] else ""
    for height in heights:
        notes = [f"{height} of {box[0]} rows"] if 0 < height < box[0] else []
        if missing:
            notes.append(missing)
            missing = ""
        cells = "|".join("    " for _ in widths)
        lines += [f"{height or '..':>4} |{cells}|" + (f" {', '.join(notes)}" if notes else ""), rule]
    return "\n".join(lines)


def _pieces(extent: int, step: int) -> list[int]:
    """Sizes of the blocks along one side; 0 represents those that are left out."""
    sizes = [min(step, extent - at) for at in range(0, extent, step)]
    return sizes if len(sizes) <= MOST_BLOCKS else [*sizes[: MOST_BLOCKS - 2], 0, sizes[-1]]


Order = tuple[BLayout, SLayout]


def orders(found: Order, required: Order) -> str:
    """Draw two element orders side by side, for 2x2 blocks of 2x2 elements.

    >>> print(orders((BLayout.ColMajor, SLayout.RowMajor), (BLayout.RowMajor, SLayout.ColMajor)))
    in blocks of 2x2 elements, by their place in memory
      found            expected
       0  1 |  8  9     0  2 |  4  6
       2  3 | 10 11     1  3 |  5  7
      ------+------    ------+------
       4  5 | 12 13     8 10 | 12 14
       6  7 | 14 15     9 11 | 13 15
    """
    left, right = _order(*found), _order(*required)
    width = max(map(len, left))
    return "\n".join(
        [
            "in blocks of 2x2 elements, by their place in memory",
            f"  {'found':<{width}}    expected",
            *(f"  {a:<{width}}    {b}" for a, b in zip(left, right, strict=True)),
        ]
    )


def _order(blayout: BLayout, slayout: SLayout) -> list[str]:
    def place(i: int, j: int) -> int:
        if slayout is SLayout.NoneBox:
            return 4 * i + j if blayout is BLayout.RowMajor else 4 * j + i
        block = 2 * (i // 2) + j // 2 if blayout is BLayout.RowMajor else 2 * (j // 2) + i // 2
        inside = 2 * (i % 2) + j % 2 if slayout is SLayout.RowMajor else 2 * (j % 2) + i % 2
        return 4 * block + inside

    plain = slayout is SLayout.NoneBox
    middle = " " if plain else " |"
    lines = [
        f"{place(i, 0):2} {place(i, 1):2}{middle}{place(i, 2):3} {place(i, 3):2}".rstrip() for i in range(4)
    ]
    return [*lines[:2], "" if plain else "------+------", *lines[2:]]


def strides(valid: int, physical: int, box: int, line_count: int) -> str:
    """Lines of blocks as they lie in memory, and as the matrix unit walks them.

    >>> print(strides(16, 48, 16, 2))
    a block of 16: # valid, . not
      stored |#..|#..|
      read   |#|#|
    """
    used, total = -(-valid // box), -(-physical // box)
    lines = min(line_count, 3)
    more = "" if line_count <= 3 else " ..."
    shown = min(total, 12)
    stored = "|".join(["#" * min(used, shown) + "." * (shown - min(used, shown))] * lines)
    read = "|".join(["#" * min(used, shown)] * lines)
    return f"a block of {box}: # valid, . not\n  stored |{stored}|{more}\n  read   |{read}|{more}"


def ruler(at: int, step: int) -> str:
    """Draw the block boundaries, and an address that is on none of them.

    >>> print(ruler(24, 16))
    blocks begin at
      16      32
      |-------|
          ^ 24
    """
    below = at // step * step
    mark = 2 + 8 * (at - below) // step
    lines = [
        "blocks begin at",
        f"  {below:<7} {below + step}",
        "  |-------|",
        f"{' ' * mark}^ {at}",
    ]
    return "\n".join(lines)


def boxes(found: tuple[int, int], required: tuple[int, int]) -> str:
    """One block as it is, and as it should be.

    >>> print(boxes((8, 8), (16, 16)))
    one block, rows x columns
      found 8x8    expected 16x16
      +----+       +--------+
      |    |       |        |
      |    |       |        |
      +----+       |        |
                   |        |
                   +--------+
    """
    left, right = (_box(*shape) for shape in (found, required))
    heads = [f"{word} {rows}x{cols}" for word, (rows, cols) in (("found", found), ("expected", required))]
    width = max(map(len, (heads[0], *left))) + 4
    height = max(len(left), len(right))
    left, right = (lines + [""] * (height - len(lines)) for lines in (left, right))
    pairs = [(heads[0], heads[1]), *zip(left, right, strict=True)]
    return "\n".join(["one block, rows x columns", *(f"  {a:<{width}}{b}".rstrip() for a, b in pairs)])


def _box(rows: int, cols: int) -> list[str]:
    """A frame of about these proportions."""
    wide, high = min(max(cols // 2, 1), 32), min(max(rows // 4, 1), 8)
    edge = "+" + "-" * wide + "+"
    return [edge, *(["|" + " " * wide + "|"] * high), edge]
