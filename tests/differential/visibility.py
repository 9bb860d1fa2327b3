"""`python -m tests.differential.visibility`: verify, run and insert-fences agree on what is visible.

Programs load and store scalars, move tiles, clean and fence, on two arguments. Every path can be taken:
branches and loops depend on bits of one argument. A finding that `verify` calls certain must stop the run for
some value of it, a run that stops must have been suspected, and what `insert-fences` returns does not stop.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import functions, walk
from ptoas.analysis.visibility import Finding, Missing, Visibility
from ptoas.compiler.run import compile as compile_kernel
from ptoas.diagnostics import PtoasError
from ptoas.lowering import prepare
from ptoas.targets import get_target

from .driver import drive

TARGETS = ("a2a3", "a5")
CODES = {
    "DIRTY_READ": {"PTO-R311"},
    "DIRTY_WRITE": {"PTO-R311"},
    "DIRTY_END": {"PTO-R311"},
    "STALE_LOAD": {"PTO-R312", "PTO-R313"},
    "SHARED_LINE": {"PTO-R313"},
    "UNFENCED_LOAD": {"PTO-R314"},
}
"""Findings of the analysis, and the codes with which a run stops there."""
SAMPLES = 12
"""Values of the argument that a program is run with at least."""
MOST_SAMPLES = 200
"""Values that are tried at most to make a finding happen that was called certain."""

VIEW, TILE = "!pto.tensor_view<1x32xi32>", "!pto.tile_buf<vec, 1x32xi32>"
HEAD = f"""func.func @kernel(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>, %n: index, %mask: i64, %a: {TILE}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  %pv = pto.make_tensor_view %p, shape = [%c1, %c32], strides = [%c32, %c1] : {VIEW}
  %qv = pto.make_tensor_view %q, shape = [%c1, %c32], strides = [%c32, %c1] : {VIEW}
  %first = arith.constant 0 : i64
"""
FIXED = {
    "tload": f"pto.tload ins(%{{}}v : {VIEW}) outs(%a : {TILE})",
    "tstore": f"pto.tstore ins(%a : {TILE}) outs(%{{}}v : {VIEW})",
    "store": "pto.store_scalar %one, %{}[{}] : !pto.ptr<i32>, i32",
    "clean": "pto.cmo.cacheinvalid all #pto.address_space<gm>",
    "line": f"pto.cmo.cacheinvalid %{{}}v single_cache_line : {VIEW}",
    "fence": "pto.fence.barrier_all #pto.fence_scope<gm>",
}
BARRIER = "pto.barrier #pto.pipe<PIPE_ALL>"
KINDS = (
    "load",
    "load",
    "store",
    "store",
    "tload",
    "tload",
    "tstore",
    "tstore",
    "clean",
    "line",
    "fence",
    "for",
    "if",
)


class ProgramWriter:
    """Writes statements; each branch and each loop depends on a bit of `%mask` of its own."""

    def __init__(self, random: Random, kinds: tuple[str, ...]):
        self.random, self.kinds = random, kinds
        self.lines: list[str] = []
        self.number = 0

    def bit(self) -> str:
        self.number += 1
        name = f"%bit{self.number}"
        self.lines.append(f"{name}_at = arith.constant {self.number % 60} : i64")
        self.lines.append(f"{name}_up = arith.shrui %mask, {name}_at : i64")
        self.lines.append(f"{name} = arith.trunci {name}_up : i64 to i1")
        return name

    def statements(self, depth: int) -> None:
        for _ in range(self.random.randint(1, 5)):
            kind = self.random.choice(self.kinds)
            argument, place = self.random.choice("pq"), self.random.choice(("%c0", "%c16", "%c1", "%n"))
            self.number += 1
            match kind:
                case "load":
                    load = f"%v{self.number} = pto.load_scalar %{argument}[{place}] : !pto.ptr<i32> -> i32"
                    self.lines += [load, BARRIER]
                case "for" if depth:
                    self.nested(f"scf.for %i{self.number} = %c0 to", depth)
                case "if" if depth:
                    self.nested("scf.if", depth)
                case "for" | "if":
                    pass
                case _:
                    self.lines += [FIXED[kind].format(argument, place), BARRIER]

    def nested(self, head: str, depth: int) -> None:
        bit, end = self.bit(), f"%end{self.number}"
        if head.startswith("scf.for"):
            self.lines.append(f"{end} = arith.select {bit}, %c2, %c0 : index")
            head = f"{head} {end} step %c1"
        else:
            head = f"{head} {bit}"
        self.lines.append(f"{head} {{")
        self.statements(depth - 1)
        self.lines.append("}")


def write(random: Random, by_hand: bool) -> str:
    """A program; `by_hand`: with cleans and fences of its own."""
    kinds = KINDS if by_hand else tuple(kind for kind in KINDS if kind not in ("clean", "line", "fence"))
    writer = ProgramWriter(random, kinds)
    writer.statements(2)
    return HEAD + "\n".join([*writer.lines, "return", "}"]) + "\n"


def findings(module: ModuleOp, target: str, unsure: bool = False) -> list[Finding]:
    """Findings of `verify` where the programmer synchronises; `unsure`: those it must suspect."""
    (function,) = functions(module)
    effects = get_target(target).effects
    return Visibility(function, walk(function)[1:], effects, Knowledge(), unsure=unsure).run()


def runs(module: ModuleOp, target: str, random: Random) -> Iterator[set[str]]:
    """Codes of runs, with another path each time."""
    kernel = compile_kernel(module, target, sync="manual", force=True)
    for n in range(MOST_SAMPLES):
        mask = (0, (1 << 62) - 1)[n] if n < 2 else random.getrandbits(62)
        given = {name: np.zeros(size, np.int32) for name, size in (("p", 32), ("q", 32))}
        try:
            kernel(**given, n=random.choice((0, 3, 16, 20)), mask=mask, a=np.zeros((1, 32), np.int32))
        except PtoasError as error:
            yield {each.code for each in error.diagnostics}
        else:
            yield set()


def disagreements(module: ModuleOp, target: str, random: Random) -> Iterator[str]:
    """Compare what `verify` says of a program with what its runs do."""
    found = findings(module, target)
    # A clean of one line of several is wrong as it is written, whatever cleans the others afterwards.
    certain = {each.kind.name for each in found if each.certain and each.kind is not Missing.PARTIAL_CLEAN}
    failed: set[str] = set()
    for n, codes in enumerate(runs(module, target, random)):
        failed |= codes
        if n >= SAMPLES and (failed or not certain):
            break
    if unknown := failed.difference(*CODES.values()):
        yield f"run fails with {sorted(unknown)}"
    if failed and not found and not findings(module, target, unsure=True):
        yield f"run fails with {sorted(failed)}, nothing was suspected"
    # With several findings a run stops at the first on its path.
    expected = CODES[min(certain)] if len(found) == len(certain) == 1 else failed
    if certain and not failed & expected:
        yield f"verify is certain of {sorted(certain)}, which no run shows: {sorted(failed)}"


def check(seed: int) -> list[str]:
    """The disagreements in the programs of one seed."""
    random = Random(seed)
    target = TARGETS[seed % len(TARGETS)]
    found = [f"by hand: {each}" for each in disagreements(ptoas.parse(write(random, True)), target, random)]
    inserted = prepare(ptoas.parse(write(random, False)), target, sync="auto")
    failed = set[str]().union(*islice(runs(inserted, target, random), SAMPLES))
    if failed:
        found.append(f"inserted: run fails with {sorted(failed)}")
    return found


if __name__ == "__main__":
    sys.exit(drive("visibility", __doc__, lambda seed: [(each, "wrong") for each in check(seed)], 2_000))
