"""`python -m tests.differential.schedules`: claims about schedules, and all interleavings of small programs.

A program has two blocks of a few statements each that store, load, add atomically, notify, wait, look, and
meet at barriers. One run says whether every schedule gives its result; all interleavings, without reduction,
are the answer. So is the reduced exploration of `--schedules`, which must find a difference if there is one.
What `verify` says of these, and of programs whose blocks have rows of their own, is compared with them, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.machine.exploration import Exploration, ExploringScheduler
from ptoas.machine.scheduler import CooperativeScheduler
from ptoas.runner.kernel import Kernel, Result

from .driver import drive

MOST_INTERLEAVINGS = 400
"""A program with more is left out."""

ROW, ONE = "!pto.partition_tensor_view<1x8xf32>", "!pto.partition_tensor_view<1xi32>"
TILE = "!pto.tile_buf<vec, 1x8xf32>"
ROWS, WORDS, CELLS = 2, 2, 2

MEMORY = (
    "%ffts: !pto.ptr<i64>",
    f"%m: !pto.memref<{ROWS}x8xf32>",
    "%out: !pto.memref<8x8xf32>",
    f"%sig: !pto.memref<{WORDS}xi32>",
    "%cells: !pto.ptr<i32>",
)


def head() -> Iterator[str]:
    """Arguments, numbers, one tile, and a view of each row and word."""
    kind = "attributes {pto.kernel_kind = #pto.kernel_kind<vector>}"
    yield f"func.func @kernel({', '.join(MEMORY)}) {kind} {{"
    for n in range(9):
        yield f"%c{n} = arith.constant {n} : index"
        yield f"%i{n} = arith.constant {n} : i32"
        yield f"%f{n} = arith.constant {n}.0 : f32"
    yield "%block = pto.get_block_idx"
    yield "%me = arith.index_cast %block : i64 to index"
    yield "%first = arith.cmpi eq, %me, %c0 : index"
    yield f"%t = pto.alloc_tile : {TILE}"
    for name, memory, rows in (("o", "out", 8), ("m", "m", ROWS)):
        for n in range(rows):
            part = f"offsets = [%c{n}, %c0], sizes = [%c1, %c8]"
            yield f"%{name}{n} = pto.partition_view %{memory}, {part} : !pto.memref<{rows}x8xf32> -> {ROW}"
    for n in range(WORDS):
        part = f"offsets = [%c{n}], sizes = [%c1]"
        yield f"%s{n} = pto.partition_view %sig, {part} : !pto.memref<{WORDS}xi32> -> {ONE}"


FENCE = "pto.fence.barrier_all #pto.fence_scope<gm>"
BARRIER = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>"


class Everything(Exploration):
    """All interleavings, those that only swap steps that commute too."""

    def scheduler(self, size: int) -> CooperativeScheduler:
        super().scheduler(size)
        return EveryPoint(size, self)

    def end_step(self, footprint: object) -> None:  # noqa: ARG002 - every step is as good as any other
        self._sleeping = {}

    def advance(self) -> bool:
        while self.choices:
            choice = self.choices[-1]
            choice.done[choice.chosen] = []
            others = [actor for actor in choice.enabled if actor not in choice.done]
            if others:
                choice.chosen = others[0]
                return True
            self.choices.pop()
        return False


class EveryPoint(ExploringScheduler):
    def point(self, actor: int) -> None:
        self.yield_(actor)


def statements(random: Random, block: int, count: int) -> Iterator[str]:
    """Statements of one block; its own rows of the output are those from four times its number on."""
    for n in range(count):
        row, word = random.randrange(ROWS), random.randrange(WORDS)
        cell, number = random.randrange(CELLS), random.randint(1, 3)
        out = f"%o{4 * block + n % 4}"
        name = f"%x{block}_{random.getrandbits(40)}"
        match random.choice(["store", "load", "add", "notify", "wait", "test", "poke", "peek", "own"]):
            case "store":
                yield f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})"
                yield f"pto.tstore ins(%t : {TILE}) outs(%m{row} : {ROW})"
                yield FENCE
            case "load":
                yield f"pto.tload ins(%m{row} : {ROW}) outs(%t : {TILE})"
                yield f"pto.tstore ins(%t : {TILE}) outs({out} : {ROW})"
            case "add":
                yield f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})"
                yield (
                    f"pto.tstore ins(%t : {TILE}) outs(%m{row} : {ROW}) "
                    "{atomicType = #pto<atomic_type atomic_add>}"
                )
                yield FENCE
            case "notify":
                kind = f"{{notifyOp = #pto<notify_op {random.choice(['set', 'atomic_add'])}>}}"
                yield f"pto.comm.tnotify(%s{word}, %i{number} : {ONE}, i32) {kind}"
            case "wait":
                compare = random.choice(["ge", "ge", "gt", "eq", "ne"])
                yield (
                    f"pto.comm.twait(%s{word}, %i{random.randint(0, 3)} : {ONE}, i32) "
                    f"{{cmp = #pto<wait_cmp {compare}>}}"
                )
            case "test":
                at_least = "{cmp = #pto<wait_cmp ge>}"
                yield f"{name} = pto.comm.ttest(%s{word}, %i{number} : {ONE}, i32) {at_least} -> i1"
                yield f"scf.if {name} {{"
                yield f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})"
                yield f"pto.tstore ins(%t : {TILE}) outs({out} : {ROW})"
                yield "}"
            case "poke":
                yield f"pto.store_scalar %i{number}, %cells[%c{cell}] : !pto.ptr<i32>, i32"
            case "peek":
                yield f"{name} = pto.load_scalar %cells[%c{cell}] : !pto.ptr<i32> -> i32"
                yield f"{name}f = arith.sitofp {name} : i32 to f32"
                yield f"pto.texpands ins({name}f : f32) outs(%t : {TILE})"
                yield f"pto.tstore ins(%t : {TILE}) outs({out} : {ROW})"
            case _:
                yield f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})"
                yield f"pto.tstore ins(%t : {TILE}) outs({out} : {ROW})"


def handover(random: Random) -> tuple[list[str], list[str]]:
    """One block stores and notifies, the other one waits and loads; not always rightly."""
    row, word, number = random.randrange(ROWS), random.randrange(WORDS), random.randint(1, 3)
    kind = random.choice(["set", "atomic_add"])
    notify = f"pto.comm.tnotify(%s{word}, %i{number} : {ONE}, i32) {{notifyOp = #pto<notify_op {kind}>}}"
    compare = random.choice(["ge", "ge", "ge", "eq", "gt"])
    wait = f"pto.comm.twait(%s{word}, %i{number} : {ONE}, i32) {{cmp = #pto<wait_cmp {compare}>}}"
    store = f"pto.tstore ins(%t : {TILE}) outs(%m{row} : {ROW})"
    load = f"pto.tload ins(%m{row} : {ROW}) outs(%t : {TILE})"
    gives = [f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})", store, FENCE, notify]
    takes = [wait, load, f"pto.tstore ins(%t : {TILE}) outs(%o{random.randrange(8)} : {ROW})"]
    if random.random() < 0.3:
        gives.append(notify)
    if random.random() < 0.2:
        takes.insert(0, notify)
    if random.random() < 0.1:
        gives.remove(FENCE)
    return gives, takes


def write(random: Random) -> str:
    lines: list[str] = []
    for phase in range(random.randint(1, 2)):
        if phase:
            lines += [FENCE, BARRIER]
        parts = [list(statements(random, block, random.randint(0, 2))) for block in (0, 1)]
        for _ in range(random.choice([0, 1, 1, 2])):
            # Each part goes behind what there is, or before it.
            for block, more in zip(random.sample((0, 1), 2), handover(random), strict=True):
                parts[block] = [*parts[block], *more] if random.random() < 0.7 else [*more, *parts[block]]
        lines += ["scf.if %first {", *parts[0], "} else {", *parts[1], "}"]
    return "\n".join([*head(), *lines, "return", "}"])


Outcome = tuple[str, ...] | bytes
"""The codes of what went wrong, or the outputs."""


def outcome(result: Result) -> Outcome:
    return b"".join(result.bits[name].tobytes() for name in sorted(result.bits))


def memory() -> dict[str, np.ndarray]:
    return {
        "ffts": np.zeros(64, np.int64),
        "m": np.zeros((ROWS, 8), np.float32),
        "out": np.zeros((8, 8), np.float32),
        "sig": np.zeros(WORDS, np.int32),
        "cells": np.zeros(CELLS, np.int32),
    }


def run(kernel: Kernel, exploration: Exploration | None = None) -> tuple[Outcome, Result | None]:
    kernel.options.exploration = exploration
    try:
        result = kernel(**memory())
    except PtoasError as error:
        return tuple(sorted({each.code for each in error.diagnostics})), None
    finally:
        kernel.options.exploration = None
    return outcome(result), result


def outcomes(kernel: Kernel, exploration: Exploration) -> set[Outcome] | None:
    """Results of all schedules of an exploration; `None` if there are too many."""
    found: set[Outcome] = set()
    for _ in range(MOST_INTERLEAVINGS):
        found.add(run(kernel, exploration)[0])
        if not exploration.advance():
            return found
    return None


def check(seed: int) -> tuple[str | None, str]:
    """Contradiction of a program's claims, if there is one, and the claims."""
    random = Random(seed)
    module = ptoas.parse(write(random), f"seed_{seed}.pto")
    target = random.choice(["a2a3", "a5"])
    kernel = ptoas.compile(module, target, blocks=2, schedule=random.randrange(4), sync="auto", force=False)
    proved = proves(module, target)
    first, result = run(kernel)
    if result is None or result.certificate is None:
        return ("verify claimed every schedule, and the run failed" if proved else None), "refused"
    everything = outcomes(kernel, Everything())
    if everything is None:
        return None, "too many"
    if proved and everything != {first}:
        return f"verify claimed every schedule, and {len(everything)} outcomes found", "proved"
    claimed = result.certificate.every_schedule
    if claimed and everything != {first}:
        return f"every schedule was claimed, and {len(everything)} outcomes found", "claimed"
    reduced = outcomes(kernel, Exploration())
    if reduced is not None and reduced != everything:
        return (
            f"{len(everything)} outcomes of all interleavings, {len(reduced)} of the reduced ones",
            "reduced",
        )
    kind = "one outcome" if len(everything) == 1 else "several outcomes"
    return None, "claimed" if claimed else f"not claimed, {kind}"


def proves(module: ModuleOp, target: str) -> bool:
    """Return True if `verify` says that every schedule of any number of blocks gives the same result."""
    if not ptoas.verify(module, target, sync="auto").ok:
        return False
    (claim,) = ptoas.certify(module, target, sync="auto")
    return claim.every_schedule and claim.blocks


def write_rows(random: Random) -> str:
    """A program whose blocks load and store rows that their numbers and loops choose."""
    lines = list(head())
    names: list[str] = []

    def row(memory: str, rows: int, loops: list[str]) -> str:
        at = f"%c{random.choice((0, 0, 0, 1))}"
        for term in ["%me", *loops]:
            n = len(lines)
            factor = random.choice((0, 1, 1, 2)) if term != "%me" else random.choice((0, 1, 2, 2, 3))
            lines.append(f"%p{n} = arith.muli {term}, %c{factor} : index")
            lines.append(f"%a{n} = arith.addi {at}, %p{n} : index")
            at = f"%a{n}"
        name = f"%r{len(lines)}"
        part = f"offsets = [{at}, %c0], sizes = [%c1, %c8]"
        lines.append(f"{name} = pto.partition_view %{memory}, {part} : !pto.memref<{rows}x8xf32> -> {ROW}")
        return name

    def statements(depth: int, loops: list[str]) -> None:
        for _ in range(random.randint(1, 2)):
            if depth and random.random() < 0.4:
                name = f"%i_{len(lines)}"
                names.append(name)
                first, step = random.choice((("%c0", "%c1"), ("%c0", "%c2"), ("%me", "%many")))
                lines.append(f"scf.for {name} = {first} to %c{random.randint(1, 3)} step {step} {{")
                statements(depth - 1, [*loops, name])
                lines.append("}")
            elif random.random() < 0.3:
                view = row("m", ROWS, [])
                lines.append(f"pto.tload ins({view} : {ROW}) outs(%t : {TILE})")
            elif random.random() < 0.25:
                view = row("out", 8, loops)
                lines.append(f"pto.tload ins({view} : {ROW}) outs(%t : {TILE})")
            else:
                view = row("out", 8, loops)
                lines.append(f"pto.tstore ins(%t : {TILE}) outs({view} : {ROW})")

    lines += ["%many_i64 = pto.get_block_num", "%many = arith.index_cast %many_i64 : i64 to index"]
    lines += ["%me_i32 = arith.index_cast %me : index to i32", "%me_f32 = arith.sitofp %me_i32 : i32 to f32"]
    lines.append(f"pto.texpands ins(%me_f32 : f32) outs(%t : {TILE})")
    statements(2, [])
    return "\n".join([*lines, "return", "}"])


def check_rows(seed: int) -> tuple[str | None, str]:
    """Contradiction of what `verify` says of blocks with rows of their own, and what it says."""
    random = Random(seed)
    module = ptoas.parse(write_rows(random), f"rows_{seed}.pto")
    target = random.choice(["a2a3", "a5"])
    kernel = ptoas.compile(
        module, target, blocks=random.choice((2, 2, 3)), schedule=0, sync="auto", force=True
    )
    proved = proves(module, target)
    first, result = run(kernel)
    if isinstance(first, tuple) and "PTO-R103" in first:
        return None, "rows: outside of memory"
    everything = outcomes(kernel, Everything())
    if everything is None:
        return None, "rows: too many"
    single = result is not None and len(everything) == 1
    if proved:
        return None if single else f"verify claimed every schedule, found {len(everything)}", "rows: proved"
    return None, f"rows: not proved, {'one outcome' if single else 'a race'}"


if __name__ == "__main__":
    sys.exit(drive("schedules", __doc__, lambda seed: (check(seed), check_rows(seed)), 1_000))
