"""`python -m tests.differential.pipe_order`: verify, run and insert-sync agree on the order of pipes.

Every path through a generated program can be taken: branches and the number of turns of loops depend on
bits of one argument. So an error that `verify` reports must fail for some value of it, and each race that
`run` finds must have been reported, unless `verify` had to assume something. Loops that take turns between
tiles must run without a race, whatever the number of their iterations.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ptoas
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import functions
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.sync import BarrierOp, FlagOp
from ptoas.lowering import prepare
from ptoas.targets import get_target
from tests.lowering.programs import F32, FLOATS, VF32, Writer, head, instruction
from tests.lowering.slots import ROWS, slot_program

from .driver import drive

TARGETS = ("a2a3", "a5", "a5-custom")
PIPES = ("MTE2", "V", "MTE3", "S")
SAMPLES = 10
"""Values of the argument that a program is run with at least."""
MOST_SAMPLES = 400
"""Values that are tried at most to make an error happen that was reported."""
ITERATIONS = (0, 1, 2, 3, 4, 7)
"""Iterations of the loops that take turns between tiles, before their step divides them."""

EXPECTED = {
    "PTO-R301": {"hazard"},
    "PTO-R124": {"hazard"},
    "PTO-R302": {"unset", "maybe unset"},
    "PTO-R303": {"set twice"},
    "PTO-R304": {"reserved"},
    "PTO-R305": {"left up"},
}
"""Codes of a run, and the findings of the analysis one of which must have announced them."""


@dataclass
class ProgramWriter:
    """Writes statements whose branches and loops depend on bits of `%mask`."""

    random: Random
    tiles: int
    sync: bool
    """Write random flags and barriers."""
    unknown: bool
    """Write events and parts of memory that only the running program knows."""
    out: Writer
    bits: int = 0
    loops: list[str] = field(default_factory=list[str])

    def bit(self) -> str:
        """A condition of its own for each turn of the loops around it."""
        self.bits += 1
        name = f"%bit{self.bits}"
        at = f"{name}_at"
        self.out.line(f"{at}0 = arith.constant {self.bits * 7 % 40} : i64")
        for n, loop in enumerate(self.loops[-2:]):
            self.out.line(f"{at}x{n} = arith.index_cast {loop} : index to i64")
            self.out.line(f"{at}s{n} = arith.constant {3**n} : i64")
            self.out.line(f"{at}m{n} = arith.muli {at}x{n}, {at}s{n} : i64")
            self.out.line(f"{at}{n + 1} = arith.addi {at}{n}, {at}m{n} : i64")
        self.out.line(f"{name}_up = arith.shrui %mask, {at}{len(self.loops[-2:])} : i64")
        self.out.line(f"{name} = arith.trunci {name}_up : i64 to i1")
        return name

    def statements(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            kind = self.random.random()
            if depth and kind < 0.16:
                self.loop(depth)
            elif depth and kind < 0.26:
                self.branch(depth)
            elif self.sync and kind < 0.7:
                self.synchronisation()
            elif self.unknown and kind < 0.73:
                self.window()
            else:
                self.out.line(instruction(self.random, self.tiles))

    def loop(self, depth: int) -> None:
        loop = f"%k{len(self.out.lines)}"
        turns = "%c3"
        if self.random.random() < 0.5:
            turns = f"{loop}_turns"
            self.out.line(f"{turns} = arith.select {self.bit()}, %c3, %c0 : index")
        self.out.line(f"scf.for {loop} = %c0 to {turns} step %c1 {{")
        self.loops.append(loop)
        self.statements(depth - 1, 4)
        self.loops.pop()
        self.out.line("}")

    def branch(self, depth: int) -> None:
        self.out.line(f"scf.if {self.bit()} {{")
        self.statements(depth - 1, 3)
        if self.random.random() < 0.5:
            self.out.line("} else {")
            self.statements(depth - 1, 3)
        self.out.line("}")

    def window(self) -> None:
        """An access to a part of memory that only the running program knows."""
        view, part = f"%w{len(self.out.lines)}", "!pto.partition_tensor_view<16x16xf32>"
        extents = "offsets = [%n, %c0], sizes = [%c16, %c16]"
        self.out.line(
            f"{view} = pto.partition_view %v{self.random.choice(FLOATS)}, {extents} : {VF32} -> {part}"
        )
        tile = f"%t{self.random.randrange(self.tiles)}"
        if self.random.random() < 0.5:
            self.out.line(f"pto.tload ins({view} : {part}) outs({tile} : {F32})")
        else:
            self.out.line(f"pto.tstore ins({tile} : {F32}) outs({view} : {part})")

    def synchronisation(self) -> None:
        source, sink = self.random.sample(PIPES, 2)
        event = self.random.randrange(2)
        flag = f"[#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{sink}>, #pto.event<EVENT_ID{event}>]"
        kinds = ["pair"] * 6 + ["set", "wait", "around", "maybe", "barrier", "all"]
        match self.random.choice(kinds + ["unknown"] * self.unknown):
            case "pair":
                self.out.line(f"pto.set_flag{flag}")
                self.out.line(f"pto.wait_flag{flag}")
            case "around":
                self.out.line(f"pto.set_flag{flag}")
                self.out.line(instruction(self.random, self.tiles))
                self.out.line(f"pto.wait_flag{flag}")
            case "maybe":
                self.out.line(f"scf.if {self.bit()} {{")
                self.out.line(f"pto.set_flag{flag}")
                self.out.line("}")
                self.out.line(f"pto.wait_flag{flag}")
            case "barrier":
                self.out.line(f"pto.barrier #pto.pipe<PIPE_{self.random.choice(PIPES[:3])}>")
            case "all":
                self.out.line("pto.barrier #pto.pipe<PIPE_ALL>")
            case "unknown":
                flag = f"[#pto.pipe<PIPE_{source}>, #pto.pipe<PIPE_{sink}>, %n]"
                self.out.line(f"pto.set_flag_dyn{flag}")
                self.out.line(f"pto.wait_flag_dyn{flag}")
            case word:
                self.out.line(f"pto.{word}_flag{flag}")


def write(random: Random, sync: bool) -> str:
    """A program; tiles have addresses in a third of them, and then share bytes."""
    tiles = random.randint(2, 4)
    out = head("kernel", tiles)
    out.lines = [line.replace("%flag: i1", "%mask: i64") for line in out.lines]
    if random.random() < 0.35:
        allocations = [n for n, line in enumerate(out.lines) if "alloc_tile" in line]
        for n, at in enumerate(allocations):
            start = 512 * random.randrange(4) if n < tiles else 8192
            out.lines[at] = out.lines[at].replace("alloc_tile :", f"alloc_tile addr = %addr{n} :")
            out.lines[at] = f"    %addr{n} = arith.constant {start} : i64\n{out.lines[at]}"
    ProgramWriter(random, tiles, sync, random.random() < 0.25, out).statements(2, 7)
    out.line("return")
    return "\n".join(["module {", *out.lines, "  }", "}"])


def analysed(module: ModuleOp, target: str) -> tuple[set[str], bool]:
    """The kinds of errors that `verify` finds, and whether it had to assume something."""
    (function,) = functions(module)
    flow = SyncFlow(FunctionFacts(function, Knowledge()), get_target(target))
    flow.run()
    found = {misuse.kind for misuse in flow.misuses.values()}
    return found | ({"hazard"} if flow.hazards else set()), bool(flow.undecided)


def runs(module: ModuleOp, target: str, random: Random) -> Iterator[set[str]]:
    """Codes of runs, with other paths each time."""
    kernel = ptoas.compile(module, target, checks="race", sync="manual", force=True)
    memory = {name: np.zeros(256, np.float32) for name in "abc"} | {"idx": np.zeros(256, np.int32)}
    for n in range(MOST_SAMPLES):
        mask = (0, (1 << 63) - 1)[n] if n < 2 else random.getrandbits(63)
        try:
            result = kernel(**memory, n=0, mask=mask)
        except PtoasError as error:
            yield {each.code for each in error.diagnostics}
        else:
            yield {each.code for each in result.warnings}


def disagreements(module: ModuleOp, target: str, random: Random) -> Iterator[str]:
    """Compare what `verify` says of a program with what its runs do."""
    found, assumed = analysed(module, target)
    failed: set[str] = set()
    for n, codes in enumerate(runs(module, target, random)):
        failed |= codes & EXPECTED.keys()
        if n >= SAMPLES and (failed or not found):
            break
    for code in failed:
        if not EXPECTED[code] & found and not assumed:
            yield f"run fails with {code}, verify reports {sorted(found) or 'nothing'}"
    if found and not failed:
        yield f"verify reports {sorted(found)}, which no run shows"


def slot_disagreements(random: Random, target: str) -> Iterator[str]:
    """Insert flags into loops that take turns between tiles, and run them with few and many iterations."""
    module = prepare(ptoas.parse(slot_program(random)), target)
    errors, _ = analysed(module, target)
    if errors:
        yield f"verify reports {sorted(errors)}"
    kernel = ptoas.compile(module, target, checks="race", sync="manual", force=True)
    for n in ITERATIONS:
        memory = {name: np.zeros(16 * ROWS, np.float32) for name in "abc"} | {"idx": np.zeros(256, np.int32)}
        try:
            codes = {each.code for each in kernel(**memory, n=n, low=random.randrange(4)).warnings}
        except PtoasError as error:
            codes = {each.code for each in error.diagnostics}
        if codes & EXPECTED.keys():
            yield f"run with n = {n} fails with {sorted(codes)}"


def sync_ops(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, FlagOp | BarrierOp)]


def check(seed: int) -> list[str]:
    """The disagreements in the programs of one seed."""
    random = Random(seed)
    target = TARGETS[seed % len(TARGETS)]
    found = [f"by hand: {each}" for each in disagreements(ptoas.parse(write(random, True)), target, random)]
    module = prepare(ptoas.parse(write(random, False)), target)
    errors, _ = analysed(module, target)
    if errors:
        found.append(f"inserted: verify reports {sorted(errors)}")
    found += [f"inserted: {each}" for each in disagreements(module, target, random)]
    for op in random.sample(ops := sync_ops(module), min(len(ops), random.randint(1, 2))):
        op.detach()
        op.erase()
    found += [f"inserted, some erased: {each}" for each in disagreements(module, target, random)]
    found += [f"slots: {each}" for each in slot_disagreements(random, target)]
    return found


if __name__ == "__main__":
    sys.exit(drive("pipe_order", __doc__, lambda seed: [(each, "wrong") for each in check(seed)], 10_000))
