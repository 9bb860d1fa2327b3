"""Trace of a program without running it: one walk, with loop bounds as far as they are known.

Nothing is computed but integers. A loop whose bounds depend on data is walked once, a branch whose condition
does takes its longer side; `Trace.notes` says where.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ptoas.analysis.integers import constant_of, evaluate
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.storage import StorageMap, places_of, underlying_tile
from ptoas.diagnostics import UsageError
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp
from ptoas.dialects.pto.sync import BufferTokenOp, DrainOp, EventClauseOp, FlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.machine.errors import line_of
from ptoas.profiling.record import Trace, TraceEvent, What, signal_of
from ptoas.profiling.work import Pricer, Work, WorkOperand, static_operand, work_of
from ptoas.runner.observe import loops_around
from ptoas.targets import Target
from ptoas.targets.costs import CostTable

MOST_EVENTS = 1_000_000
DEEPEST = 64


@dataclass
class StaticProfiler:
    """One walk over a program, for one block of it after the other."""

    trace: Trace
    pricer: Pricer
    functions: dict[str, func.FuncOp]
    blocks: int
    block: int = 0
    depth: int = 0
    values: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, "int | None"])
    iterations: dict[Operation, int] = field(default_factory=dict[Operation, int])
    knowledge: Knowledge = field(default_factory=Knowledge)
    places: dict[func.FuncOp, StorageMap] = field(default_factory=dict[func.FuncOp, StorageMap])
    works: dict[Operation, Work | None] = field(default_factory=dict["Operation", "Work | None"])

    def function(self, op: func.FuncOp) -> None:
        if op not in self.places:
            self.places[op] = places_of(op)
        self._block(op.body.block, self.places[op])

    def _block(self, block: Block, places: StorageMap) -> None:
        for op in block.ops:
            self._operation(op, places)

    def _operation(self, op: Operation, places: StorageMap) -> None:
        match op:
            case arith.ConstantOp():
                self.values[op.result] = constant_of(op)
            case scf.ForOp():
                self._for(op, places)
            case scf.WhileOp():
                self._assume(op, "a loop that data ends is walked once")
                self.iterations[op] = 0
                self._block(op.before_region.block, places)
                self._block(op.after_region.block, places)
            case scf.IfOp() | scf.IndexSwitchOp():
                chosen = self._chosen(op)
                if chosen.blocks:
                    self._block(chosen.block, places)
                    self._hand_on(op.results, chosen.block.last_op)
            case func.CallOp():
                self._call(op)
            case PtoOp():
                self._instruction(op, places)
            case _:
                if op.regions:
                    for region in op.regions:
                        self._block(region.block, places)
                values = [self.values.get(operand) for operand in op.operands]
                for at, result in enumerate(op.results):
                    self.values[result] = evaluate(op, values, at)

    def _for(self, op: scf.ForOp, places: StorageMap) -> None:
        bounds = [self.values.get(value) for value in (op.lb, op.ub, op.step)]
        first, end, step = bounds
        body = op.body.block
        known = first is not None and end is not None and bool(step)
        iterations = range(1)
        if not known:
            self._assume(op, "a loop whose bounds are not known is walked once")
        elif first is not None and end is not None and step:
            iterations = range(first, end, step)
        for argument, value in zip(body.args[1:], op.iter_args, strict=True):
            self.values[argument] = self.values.get(value)
        for turn in iterations:
            self.values[body.args[0]] = turn if known else None
            self.iterations[op] = turn
            self._block(body, places)
            self._hand_on(body.args[1:], body.last_op)
        for result, argument in zip(op.results, body.args[1:], strict=True):
            self.values[result] = self.values.get(argument)

    def _hand_on(self, targets: tuple[SSAValue, ...] | list[SSAValue], last: Operation | None) -> None:
        if isinstance(last, scf.YieldOp):
            handed = [self.values.get(value) for value in last.operands]
            self.values.update(zip(targets, handed, strict=True))

    def _chosen(self, op: scf.IfOp | scf.IndexSwitchOp) -> Region:
        if isinstance(op, scf.IfOp):
            known = self.values.get(op.cond)
            regions = [op.true_region, op.false_region]
            if known is not None:
                return regions[0] if known else regions[1]
        else:
            known = self.values.get(op.arg)
            regions = [*op.case_regions, op.default_region]
            if known is not None:
                cases = [int(case) for case in op.cases.get_values()]
                return regions[cases.index(known)] if known in cases else op.default_region
        self._assume(op, "a branch that data decides takes its longer side")
        return max(regions, key=lambda region: sum(1 for _ in region.walk()))

    def _call(self, op: func.CallOp) -> None:
        callee = self.functions.get(op.callee.string_value())
        if callee is None or self.depth >= DEEPEST or not callee.body.blocks:
            return
        self.depth += 1
        for argument, value in zip(callee.body.block.args, op.arguments, strict=True):
            self.values[argument] = self.values.get(value)
        self.function(callee)
        self.depth -= 1

    def _instruction(self, op: PtoOp, places: StorageMap) -> None:
        if isinstance(op, GetBlockIdxOp | GetBlockNumOp):
            known = self.block if isinstance(op, GetBlockIdxOp) else self.blocks
            self.values.update(dict.fromkeys(op.results, known))
            return
        if isinstance(op, FlagOp | DrainOp | BufferTokenOp | EventClauseOp):
            number = next((self.values.get(value) for value in op.operands), None)
            found = signal_of(op, self.trace.target, number)
            if found is not None:
                self._note(*found, loops_around(op))
            return
        if op not in self.works:
            operands = [self._operand(value, places) for value in op.operands]
            order = self.trace.order.get(op, 0)
            self.works[op] = work_of(op, self.pricer, operands, order, loops_around(op))
        work = self.works[op]
        if work is not None:
            self._note(What.WORK, work, work.loops)

    def _operand(self, value: SSAValue, places: StorageMap) -> WorkOperand | None:
        address = places.address(underlying_tile(value)[0]) if isinstance(value.type, TileType) else None
        return static_operand(value, self.knowledge, address)

    def _note(self, what: What, subject: object, loops: tuple[Operation, ...]) -> None:
        if len(self.trace.events) >= MOST_EVENTS:
            raise UsageError(f"more than {MOST_EVENTS:,} instructions; give smaller bounds (--arg n=...)")
        iterations = tuple(self.iterations[loop] for loop in loops)
        self.trace.events.append(TraceEvent(what, subject, (0, self.block, 0), iterations))

    def _assume(self, op: Operation, what: str) -> None:
        note = f"line {line_of(op)}: {what}"
        if note not in self.trace.notes:
            self.trace.notes.append(note)


def walk(
    module: ModuleOp,
    entry: func.FuncOp,
    target: Target,
    table: CostTable,
    values: Mapping[str, int],
    blocks: int = 1,
) -> Trace:
    """The trace of a prepared module; `given` are scalar arguments of its entry."""
    trace = Trace(target, table, order={op: n for n, op in enumerate(module.walk())}, module=module)
    functions = {op.sym_name.data: op for op in module.walk() if isinstance(op, func.FuncOp)}
    walker = StaticProfiler(trace, Pricer(target, table), functions, blocks)
    for block in range(blocks):
        walker.block = block
        walker.values = {arg: values.get(arg.name_hint or "") for arg in entry.body.block.args}
        walker.function(entry)
    return trace
