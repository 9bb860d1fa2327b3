"""Instructions of one pipe in a row are looked at together: what is found is what each would find alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import run
from ptoas.diagnostics import PtoasError
from ptoas.machine import compile as compiler
from ptoas.machine.segments import Segment

TILE, PART, MEMORY = (
    "!pto.tile_buf<vec, 16x64xf32>",
    "!pto.partition_tensor_view<16x64xf32>",
    "!pto.memref<64x64xf32>",
)
NAMES = ("a", "b", "c", "d")


def flags(source: str, sink: str, event: int = 0) -> list[str]:
    return [f"pto.{verb}_flag[<PIPE_{source}>, <PIPE_{sink}>, <EVENT_ID{event}>]" for verb in ("set", "wait")]


def binary(one: str, other: str, result: str) -> str:
    return f"pto.tadd ins(%{one}, %{other} : {TILE}, {TILE}) outs(%{result} : {TILE})"


def statements(r: random.Random, count: int, depth: int = 0) -> list[str]:
    """Loads, stores, vector instructions, flags and loops in any order: most of them race."""
    found: list[str] = []
    for number in range(count):
        kind = r.random()
        if kind < 0.2:
            view = f"%p{depth}{number}x{r.randrange(1 << 30)}"
            found.append(
                f"{view} = pto.partition_view %{r.choice('xy')}, offsets = [%c{r.choice((0, 8, 16))}, %c0], "
                f"sizes = [%c16, %c64] : {MEMORY} -> {PART}"
            )
            load = f"pto.tload ins({view} : {PART}) outs(%{r.choice(NAMES)} : {TILE})"
            store = f"pto.tstore ins(%{r.choice(NAMES)} : {TILE}) outs({view} : {PART})"
            found.append(r.choice((load, store)))
        elif kind < 0.55:
            found.append(binary(*r.choices(NAMES, k=3)))
        elif kind < 0.9:
            found += flags(*r.sample(("MTE2", "V", "MTE3"), 2), event=r.randrange(3))
        elif kind < 0.95 and depth < 2:
            found.append(f"scf.for %i{depth}{number}x{r.randrange(1 << 30)} = %c0 to %c8 step %c8 {{")
            found += [*statements(r, r.randrange(1, 7), depth + 1), "}"]
        else:
            found.append(f"pto.tsetval ins(%c8, %half : index, f32) outs(%{r.choice(NAMES)} : {TILE})")
    return found


def program(body: list[str], last: int = 12288) -> str:
    lines = [f"%c{n} = arith.constant {n} : index" for n in (0, 8, 16, 64)]
    lines.append("%half = arith.constant 0.5 : f32")
    for name, address in zip(NAMES, (0, 4096, 8192, last), strict=True):
        lines.append(f"%at_{name} = arith.constant {address} : i64")
        lines.append(f"%{name} = pto.alloc_tile addr = %at_{name} : {TILE}")
        lines.append(f"pto.texpands ins(%half : f32) outs(%{name} : {TILE})")
    lines += ["pto.barrier #pto.pipe<PIPE_ALL>", *body, "return"]
    text = "\n".join(lines)
    return f"module {{ func.func @main(%x: {MEMORY}, %y: {MEMORY}) {{\n{text}\n}} }}"


def outcome(text: str) -> object:
    given = {name: np.arange(4096, dtype=np.float32).reshape(64, 64) for name in "xy"}
    try:
        run(ptoas.parse(text, "test.pto"), given, "a5", force=True, sync="manual")
    except PtoasError as error:
        return [(each.code, each.message, each.span, each.notes, each.fix) for each in error.diagnostics]
    return {name: array.tobytes() for name, array in given.items()}


def test_the_same_races_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for seed in range(60):
        r = random.Random(seed)
        texts.append(program(statements(r, r.randrange(3, 16)), last=r.choice((2048, 4096, 12288))))
    together = [outcome(text) for text in texts]
    monkeypatch.setattr(compiler, "pipe_of", lambda *_: None)
    alone = [outcome(text) for text in texts]
    assert together == alone
    races = sum(isinstance(each, list) for each in together)
    assert 20 < races < 58, "some of them race, some do not"


def test_findings_before_a_race_are_reported_first() -> None:
    """The first instruction is at fault in another way; the second, of the same segment, races."""
    load = [
        f"%p = pto.partition_view %x, offsets = [%c0, %c0], sizes = [%c16, %c64] : {MEMORY} -> {PART}",
        f"pto.tload ins(%p : {PART}) outs(%d : {TILE})",
    ]
    late = [*load, binary("a", "b", "c"), binary("c", "d", "c")]
    ((code, *_),) = outcome(program(late))  # type: ignore[misc]
    assert code == "PTO-R301"
    unwritten = [
        f"%e = pto.alloc_tile addr = %at_e : {TILE}",
        *load,
        binary("a", "e", "c"),
        binary("c", "d", "c"),
    ]
    text = program(["%at_e = arith.constant 20480 : i64", *unwritten])
    ((code, *_),) = outcome(text)  # type: ignore[misc]
    assert code == "PTO-R201"


def test_a_kernel_can_be_run_again_after_a_race() -> None:
    """The replacement for the race in the compiled text is undone."""
    text = program(
        [
            "%flag = pto.load_scalar %n[%c0] : !pto.ptr<i32> -> i32",
            "%zero = arith.constant 0 : i32",
            "%races = arith.cmpi ne, %flag, %zero : i32",
            f"%p = pto.partition_view %x, offsets = [%c0, %c0], sizes = [%c16, %c64] : {MEMORY} -> {PART}",
            "scf.if %races {",
            f"pto.tload ins(%p : {PART}) outs(%d : {TILE})",
            "}",
            binary("a", "b", "c"),
            binary("c", "d", "c"),
        ]
    ).replace("%y: ", "%n: !pto.ptr<i32>, %y: ")
    kernel = ptoas.compile(ptoas.parse(text, "test.pto"), "a5", force=True, sync="manual")
    given: dict[str, Any] = {name: np.zeros((64, 64), np.float32) for name in "xy"}
    for races in (0, 1, 0, 1):
        given["n"] = np.array([races], np.int32)
        if races:
            with pytest.raises(PtoasError, match="nothing orders"):
                kernel.execute(given)
        else:
            kernel.execute(given)


def test_a_segment_ends_where_another_pipe_works(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    add = Segment.add

    def watched(self: Segment, *given: Any) -> None:
        add(self, *given)
        sizes.append(len(self.members))

    monkeypatch.setattr(Segment, "add", watched)
    body = [binary("a", "b", "c"), binary("a", "b", "d"), *flags("V", "MTE3"), binary("a", "b", "c")]
    outcome(program(body))
    assert sizes == [1, 2, 3, 4, 1, 2, 1], "four that fill the tiles, two, and one after the flags"
