"""`python -m tests.differential.interleavings`: claims of `verify`, and all interleavings of the pipes.

A program of one core is unrolled for a few arguments into what each pipe is given. All orders in which the
pipes can go on are run: an instruction is finished at any time after it was given to its pipe, unless the
device keeps it in order (D26). Nothing of that uses the analysis that the claims come from. If `verify` says
so, every schedule must end with the same memory, tiles included; it must say so of what `insert-sync` makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

import ptoas
from ptoas.analysis.integers import constant_of, evaluate
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto import views
from ptoas.dialects.pto.elementwise import TAddOp
from ptoas.dialects.pto.enums import Event, EventAttr, Pipe
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.sync import AwaitsFlag, DrainOp, FlagOp, NamedFlagOp
from ptoas.dialects.pto.tile_scalar import TAddSOp
from ptoas.lowering import prepare
from tests.lowering.programs import FLOATS, head
from tests.lowering.slots import LONG, PLAIN, ROWS, SlotWriter

from .driver import drive

TARGETS = ("a2a3", "a5")
ARGUMENTS = [(n, low) for n in (0, 1, 2, 3) for low in (0, 1)]
MOST_STATES = 3000
"""A program with more is left out."""
MOST_TASKS = 40

CELL = 256
"""Bytes, or four rows, that are told apart."""

PIPES: dict[type[Operation], Pipe] = {
    TLoadOp: Pipe.PIPE_MTE2,
    TStoreOp: Pipe.PIPE_MTE3,
    TAddOp: Pipe.PIPE_V,
    TAddSOp: Pipe.PIPE_V,
}
IN_ORDER = {"a2a3": {Pipe.PIPE_MTE2}, "a5": {Pipe.PIPE_MTE2, Pipe.PIPE_V}}
"""D26: loads are a queue, and a5 orders its vector pipe."""

Cells = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Task:
    """One thing that a pipe is given."""

    pipe: Pipe
    kind: str
    reads: Cells = ()
    writes: Cells = ()
    flag: tuple[Pipe, Pipe, Event] | None = None


@dataclass
class Unrolled:
    """The tasks of one run in program order, by an interpreter of integers, loops and branches."""

    values: dict[Any, Any]
    tasks: list[Task] = field(default_factory=list[Task])

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        of = self.values
        match op:
            case arith.ConstantOp():
                of[op.result] = constant_of(op)
            case scf.ForOp():
                for turn in range(of[op.lb], of[op.ub], of[op.step]):
                    of[op.body.block.args[0]] = turn
                    self.block(op.body.block)
            case scf.IfOp():
                region = op.true_region if of[op.cond] else op.false_region
                if region.blocks:
                    self.block(region.block)
            case views.AllocTileOp():
                of[op.result] = tuple(("tile", of[op.addr] // CELL + n) for n in range(1024 // CELL))
            case views.MakeTensorViewOp():
                of[op.result] = tuple((op.ptr.name_hint, n) for n in range(of[op.shape[0]] // 4))
            case views.PartitionViewOp():
                first = of[op.offsets[0]] // 4
                of[op.result] = of[op.source][first : first + 4]
            case MultiTileGetOp():
                of[op.results[0]] = of[op.source[of[op.slot]]]
            case arith.SelectOp() if op.cond in of and op.lhs in of:
                of[op.result] = of[op.lhs if of[op.cond] else op.rhs]
            case FlagOp():
                source, sink, event = op.flag
                event = event.data if isinstance(event, EventAttr) else tuple(Event)[of[event]]
                waits = isinstance(op, AwaitsFlag)
                kind = "wait" if waits else "set"
                self.tasks.append(Task(sink if waits else source, kind, flag=(source, sink, event)))
            case DrainOp():
                self.tasks.append(Task(op.drained, "barrier"))
            case TLoadOp() | TStoreOp() | TAddOp() | TAddSOp():
                self.tasks.append(Task(PIPES[type(op)], "do", *self.touched(op)))
            case _ if op.results and not op.regions and (found := self.number(op)) is not None:
                of[op.results[0]] = found
            case _:
                assert isinstance(op, func.ReturnOp | scf.YieldOp) or op.results, op.name

    def number(self, op: Operation) -> int | None:
        known = [self.values.get(value) for value in op.operands]
        return evaluate(op, known) if all(isinstance(each, int) for each in known) else None

    def touched(self, op: Operation) -> tuple[Cells, Cells]:
        *sources, target = [
            self.values[value] for value in op.operands if isinstance(self.values.get(value), tuple)
        ]
        return tuple(cell for source in sources for cell in source), target


def outcomes(tasks: list[Task], target: str) -> set[object] | None:
    """The memories that all schedules end with, and `stuck`; None if there are too many states."""
    count = len(tasks)
    whole = (1 << count) - 1
    before: list[int] = []
    """Tasks that precede each task, besides those ordered by a flag."""
    for at, task in enumerate(tasks):
        mask = 0
        for n, other in enumerate(tasks[:at]):
            same = other.pipe is task.pipe
            ordered = task.kind in ("set", "barrier") or other.kind in ("wait", "barrier")
            ordered = ordered or (task.kind == other.kind == "do" and task.pipe in IN_ORDER[target])
            if Pipe.PIPE_ALL in (other.pipe, task.pipe) or (same and ordered):
                mask |= 1 << n
        before.append(mask)
    cells = {cell: n for n, cell in enumerate(dict.fromkeys(c for t in tasks for c in (*t.reads, *t.writes)))}
    found: set[object] = set()
    first = (0, tuple(range(-1, -1 - len(cells), -1)))
    seen, work = {first}, [first]
    while work:
        done, memory = work.pop()
        if done == whole:
            found.add(memory)
            continue
        moved = False
        for at, task in enumerate(tasks):
            if done >> at & 1 or before[at] & ~done:
                continue
            if task.kind == "wait" and not up(tasks, done, task.flag):
                continue
            moved = True
            after = list(memory)
            if task.kind == "do":
                read = tuple(memory[cells[cell]] for cell in task.reads)
                for n, cell in enumerate(task.writes):
                    after[cells[cell]] = hash((at, n, read))
            state = done | 1 << at, tuple(after)
            if state not in seen:
                seen.add(state)
                work.append(state)
        if not moved:
            found.add("stuck")
        if len(seen) > MOST_STATES:
            return None
    return found


def up(tasks: list[Task], done: int, flag: object) -> bool:
    """Return True if a flag was set more often than it was awaited; a second set is held back, not lost."""
    count = {"set": 0, "wait": 0, "do": 0, "barrier": 0}
    for n, task in enumerate(tasks):
        if done >> n & 1 and task.flag == flag:
            count[task.kind] += 1
    return count["set"] > count["wait"]


# --- programs --------------------------------------------------------------------------------------


def write(random: Random) -> str:
    """A small program with a loop that takes turns between two tiles."""
    out = head("kernel", PLAIN + 2)
    out.lines = [line.replace("%flag: i1", "%low: index") for line in out.lines]
    out.line(f"%rows = arith.constant {ROWS} : index")
    for pointer in FLOATS:
        extents = "shape = [%rows, %c16], strides = [%c16, %c1]"
        out.line(f"%long{pointer} = pto.make_tensor_view %{pointer}, {extents} : {LONG}")
    writer = SlotWriter(random, out, [2])
    out.line("%m0 = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 16x16xf32, count=2>")
    for _ in range(random.randint(0, 1)):
        writer.instruction()
    writer.loop(random.choice((1, 1, 2)))
    for _ in range(random.randint(0, 2)):
        writer.instruction()
    out.line("return")
    return "\n".join(["module {", *out.lines, "  }", "}"])


def spoil(module: ModuleOp, random: Random) -> None:
    """Erase a flag or barrier, move one, or give it another event."""
    ops = [op for op in module.walk() if isinstance(op, FlagOp | DrainOp)]
    for op in random.sample(ops, min(len(ops), random.choice((1, 1, 2)))):
        kind = random.random()
        if kind < 0.3 and isinstance(op, NamedFlagOp):
            op.properties["event_id"] = EventAttr(random.choice(tuple(Event)[:2]))
        elif (
            kind < 0.6 and op.next_op is not None and not isinstance(op.next_op, scf.YieldOp | func.ReturnOp)
        ):
            after, block = op.next_op, op.parent
            assert block is not None
            op.detach()
            block.insert_ops_after([op], after)
        else:
            op.detach()
            op.erase()


def disagreements(module: ModuleOp, target: str, kind: str) -> Iterator[tuple[str | None, str]]:
    """The contradiction of a claim, if there is one, and the kind of the claim."""
    try:
        claim = ptoas.certify(module, target, sync="manual")[0].every_schedule
    except PtoasError:
        return
    prepared = prepare(module, target, sync="manual")
    function = next(op for op in prepared.walk() if isinstance(op, func.FuncOp))
    names = {arg: arg.name_hint for arg in function.body.block.args}
    for n, low in ARGUMENTS:
        run = Unrolled({arg: {"n": n, "low": low}.get(str(name)) for arg, name in names.items()})
        run.block(function.body.block)
        found = outcomes(run.tasks, target) if len(run.tasks) <= MOST_TASKS else None
        if found is None:
            yield None, f"{kind}: too many"
        elif claim and (len(found) > 1 or "stuck" in found):
            yield f"{kind}, n = {n}, low = {low}: claimed, and {len(found)} outcomes", f"{kind}: claimed"
        else:
            several = "several outcomes" if len(found) > 1 or "stuck" in found else "one outcome"
            yield None, f"{kind}: {'claimed' if claim else f'not claimed, {several}'}"
    if kind == "inserted" and not claim:
        yield "not claimed for what insert-sync makes", "inserted: not claimed"


def check(seed: int) -> Iterator[tuple[str | None, str]]:
    random = Random(seed)
    target = TARGETS[seed % 2]
    text = write(random)
    module = prepare(ptoas.parse(text, f"seed_{seed}.pto"), target)
    yield from disagreements(module, target, "inserted")
    spoil(module, random)
    yield from disagreements(module, target, "spoilt")


if __name__ == "__main__":
    sys.exit(drive("interleavings", __doc__, check, 1_000))
