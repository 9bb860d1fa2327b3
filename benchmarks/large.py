"""Programs that are large, deep or wide: whether time and memory grow as the text does.

Each size is a process of its own, so that its memory is its own. Visits are counted: no machine changes them.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.figures import Row
from benchmarks.frontend import in_a_process
from benchmarks.generate import program

MB = 1_000_000
SIZE = 1_650_000
"""Bytes of some 10,000 operations; three times that is as large as a program gets."""
TILE, VIEW = "!pto.tile_buf<vec, 1x8xf32>", "!pto.memref<1x8xf32>"


def measure(quick: bool = False) -> list[Row]:
    return [*sizes(SIZE // 10 if quick else SIZE), *depths(), *tiles(400 if quick else 4_000)]


# --- large -----------------------------------------------------------------------------------------


def sizes(size: int) -> list[Row]:
    runs = [[in_a_process("large", str(each), "program") for each in (size, 3 * size)] for _ in range(2)]
    what, (_, large) = f"{3 * size / MB:g} MB", runs[0]
    assert size < SIZE or large["operations"] >= 30_000
    rows = [
        Row(
            f"{verb} {what}",
            f"{verb} {size / MB:g} MB",
            [after[verb] for _, after in runs],
            [before[verb] for before, _ in runs],
            at_most=3.5,
        )
        for verb in ("verify", "lower")
    ]
    memory, text = large["memory"] / MB, large["text"] / MB
    most = 40 if size >= SIZE else None  # what does not grow with the text counts for little there
    rows.append(
        Row(
            f"memory to parse, verify and lower {what}", "its text", [memory], [text], at_most=most, unit="MB"
        )
    )
    return rows


def _whole_way(text: str) -> dict[str, float]:
    """Seconds to verify and to lower, and the bytes that everything together took."""
    import ptoas
    from ptoas.compiler.lower import lower
    from ptoas.verifier.verify import verify

    warm = ptoas.parse(program(1_000))
    verify(warm, "a5")
    lower(warm, "a5", verified=False)
    before = _most_memory()
    module = ptoas.parse(text)
    times = [time.process_time()]
    for step in (lambda: verify(module, "a5"), lambda: lower(module, "a5", verified=False)):
        step()
        times.append(time.process_time())
    memory = _most_memory() - before
    return {
        "verify": times[1] - times[0],
        "lower": times[2] - times[1],
        "memory": memory,
        "text": len(text),
        "operations": sum(1 for _ in module.walk()),
    }


def _most_memory() -> int:
    """Bytes that this process has had at once; what the one that started it has had is no part of it."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if found is not None:
            return int(found[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- deep ------------------------------------------------------------------------------------------


def nested(depth: int, by_hand: bool) -> str:
    """A load, a sum and a store inside so many loops; with the flags between them, or without."""

    def pair(source: str, sink: str) -> str:
        words = (
            f"pto.{verb}_flag[<PIPE_{source}>, <PIPE_{sink}>, <EVENT_ID0>]\n" for verb in ("set", "wait")
        )
        return "".join(words) if by_hand else ""

    loops = "".join(f"scf.for %k{n} = %c0 to %n step %c1 {{\n" for n in range(depth))
    return (
        f"func.func @f(%x: {VIEW}, %y: {VIEW}, %n: index) {{\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        f"%a = pto.alloc_tile : {TILE}\n%b = pto.alloc_tile : {TILE}\n{loops}"
        f"pto.tload ins(%x : {VIEW}) outs(%a : {TILE})\n{pair('MTE2', 'V')}"
        f"pto.tadd ins(%a, %a : {TILE}, {TILE}) outs(%b : {TILE})\n{pair('V', 'MTE3')}"
        f"pto.tstore ins(%b : {TILE}) outs(%y : {VIEW})\n{pair('MTE3', 'V')}{pair('V', 'MTE2')}"
        + "}\n" * depth
        + "return\n}\n"
    )


def visits(depth: int, by_hand: bool) -> int:
    """The number of visits of the sum: to check its flags, or to insert them."""
    from xdsl.ir import Operation

    import ptoas
    from ptoas.analysis.function import FunctionFacts
    from ptoas.analysis.knowledge import Knowledge
    from ptoas.analysis.structure import functions
    from ptoas.analysis.sync_flow import SyncFlow
    from ptoas.lowering.happens_before import State
    from ptoas.lowering.synchroniser import Synchroniser
    from ptoas.targets import get_target

    seen = Counter[str]()

    class Checking(SyncFlow):
        def visit(self, op: Operation, state: object) -> None:
            seen[op.name] += 1
            super().visit(op, state)  # pyright: ignore[reportArgumentType]

    class Inserting(Synchroniser):
        def visit(self, op: Operation, state: State) -> None:
            seen[op.name] += 1
            super().visit(op, state)

    function, target = functions(ptoas.parse(nested(depth, by_hand)))[0], get_target("a5")
    facts = FunctionFacts(function, Knowledge())
    if by_hand:
        flow = Checking(facts, target)
        flow.run()
        assert not flow.hazards and not flow.misuses
    else:
        Inserting(facts, target).run()
    return seen["pto.tadd"]


def depths() -> list[Row]:
    return [
        Row(
            f"{what} in 16 loops, visits of an instruction",
            "in 8",
            [visits(16, by_hand)],
            [visits(8, by_hand)],
            at_most=2,
            unit="visits",
        )
        for what, by_hand in (("insert flags", False), ("verify flags by hand", True))
    ]


# --- wide ------------------------------------------------------------------------------------------


def live_tiles(count: int, by_hand: bool = False) -> str:
    """A program that loads this many tiles before it uses the first, with a pair of flags for each, or
    none.
    """
    flags = [f"pto.{verb}_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]" for verb in ("set", "wait")]
    last = [f"pto.{verb}_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]" for verb in ("set", "wait")]
    lines = [f"func.func @f(%x: {VIEW}, %y: {VIEW}) {{"]
    for n in range(count):
        lines += [f"%t{n} = pto.alloc_tile : {TILE}", f"pto.tload ins(%x : {VIEW}) outs(%t{n} : {TILE})"]
        lines += flags if by_hand else []
    lines += [f"pto.tadd ins(%t{n}, %t0 : {TILE}, {TILE}) outs(%t0 : {TILE})" for n in range(count)]
    lines += last if by_hand else []
    return "\n".join([*lines, f"pto.tstore ins(%t0 : {TILE}) outs(%y : {VIEW})", "return", "}", ""])


def tiles(count: int) -> list[Row]:
    half, whole = (in_a_process("large", str(number), "tiles") for number in (count // 2, count))
    by_hand = in_a_process("large", str(count), "flags")
    return [
        Row(f"verify {count:,} live tiles", "a second", [whole["verify"]], [1.0], at_most=1),
        Row(
            f"verify {count:,} live tiles, flags by hand", "a second", [by_hand["verify"]], [1.0], at_most=1.5
        ),
        Row(f"lower {count:,} live tiles", f"{count // 2:,}", [whole["lower"]], [half["lower"]], at_most=3),
    ]


TEXTS = {
    "program": lambda size: program(size, seed=size),
    "tiles": live_tiles,
    "flags": lambda size: live_tiles(size, by_hand=True),
}

if __name__ == "__main__":
    print(json.dumps(_whole_way(TEXTS[sys.argv[2]](int(sys.argv[1])))))
