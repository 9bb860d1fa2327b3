"""The planner and the memories of a core: where tiles may start, and where a memory ends."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.lowering import prepare

from .test_plan_memory import overlap, places

MEMORIES = {
    # Where a tile may start, and how much there is, by the tables of the public library.
    "vec": (32, {"a2a3": 192, "a5": 248}, "1x8xf32"),
    "mat": (32, {"a2a3": 512, "a5": 512}, "1x8xf32"),
    "left": (512, {"a2a3": 64, "a5": 64}, "16x16xf16, slayout=row_major"),
    "right": (512, {"a2a3": 64, "a5": 64}, "16x16xf16, slayout=col_major"),
    "acc": (512, {"a2a3": 128, "a5": 256}, "16x16xf32, blayout=col_major, slayout=row_major, fractal=1024"),
    "bias": (32, {"a2a3": 1, "a5": 4}, "1x24xf32"),
    "scaling": (128, {"a2a3": 2, "a5": 4}, "1x4xi64"),
}


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("memory", MEMORIES)
def test_every_memory_has_its_alignment_and_its_end(memory: str, target: str) -> None:
    """Tiles that are all alive lie at multiples of the table's number, apart, as many as there is room for;
    one more does not fit."""
    step, sizes, text = MEMORIES[memory]
    type_ = f"!pto.tile_buf<{memory}, {text}>"
    size = {"vec": 32, "mat": 32, "left": 512, "right": 512, "acc": 1024, "bias": 96, "scaling": 32}[memory]
    room = -(-size // step) * step
    most = min(sizes[target] * 1024 // room, 200)

    def kernel(count: int) -> str:
        tiles = [f"  %t{n} = pto.alloc_tile : {type_}" for n in range(count)]
        uses = [f"  func.call @f(%t{n}) : ({type_}) -> ()" for n in range(count)]
        return "\n".join(
            [f"func.func private @f({type_})", "func.func @k() {", *tiles, *uses, *uses, "  return", "}"]
        )

    tiles = sorted(places(prepare(ptoas.parse(kernel(3)), target)).values())
    assert len(tiles) == 3
    for first, end in tiles:
        assert first % step == 0 and end - first == size and end <= sizes[target] * 1024
    assert not any(overlap(a, b) for n, a in enumerate(tiles) for b in tiles[n + 1 :])
    if sizes[target] * 1024 // room <= 64:
        prepare(ptoas.parse(kernel(most)), target)
        with pytest.raises(PtoasError):
            prepare(ptoas.parse(kernel(most + 1)), target)
