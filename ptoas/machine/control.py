"""Control flow as Python's own: loops, branches, calls."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from functools import partial

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ptoas.analysis.structure import enclosing_loops, kind_of, walk
from ptoas.machine.errors import failure
from ptoas.machine.source import SourceWriter


class ControlFlow(SourceWriter, ABC):
    """Control flow of `scf` and `func`."""

    def yielded(self, results: Sequence[SSAValue], block: Block) -> None:
        last = block.last_op
        if results and isinstance(last, scf.YieldOp):
            self.assign(results, last.operands)

    def nested(self, block: Block) -> None:
        self.depth += 1
        self.block(block)
        self.depth -= 1

    def iteration(self, op: Operation, text: str, sign: str = "=") -> None:
        """Report the iteration of a loop to the observer."""
        observer = self.module.observer
        if observer is not None:
            self.line(f"{self.add_global(observer.iterations)}[{self.add_global(op)}] {sign} {text}")

    def for_loop(self, op: scf.ForOp) -> None:
        body = op.body.block
        induction, *carried = body.args
        weight = max(1, sum(1 for _ in body.walk()))
        lower, upper, step = self.ref(op.lb), self.ref(op.ub), self.ref(op.step)
        known_step = self.known.get(op.step)
        if not (isinstance(known_step, int) and known_step > 0):
            wrong = self.raiser(failure("PTO-R505", "scf.for: the step of a loop must be positive", op))
            self.line(f"if {step} <= 0: {wrong}()")
        count = self.add_global(self.module.steps.counter(op, weight))
        self.line(f"{count}(max(0, ({upper} - {lower} + {step} - 1) // {step}))")
        self.assign(carried, op.iter_args)
        self.line(f"for {self.name(induction)} in range({lower}, {upper}, {step}):")
        self.depth += 1
        self.iteration(op, self.name(induction))
        if self.module.on_iteration is not None and not any(enclosing_loops(op)):
            report = self.add_global(partial(self.module.on_iteration, op))
            counts = (f"({end} - {lower} + {step} - 1) // {step}" for end in (self.name(induction), upper))
            self.line(f"{report}({', '.join(counts)})")
        self.depth -= 1
        self.nested(body)
        self.depth += 1
        self.yielded(carried, body)
        self.depth -= 1
        self.assign(op.results, carried)

    def while_loop(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        weight = max(1, len(walk(op)))
        count = self.add_global(self.module.steps.counter(op, weight))
        self.assign(before.args, op.arguments)
        self.iteration(op, "-1")
        self.line("while True:")
        self.depth += 1
        self.iteration(op, "1", "+=")
        self.line(f"{count}(1)")
        self.block(before)
        self.assign(op.results, condition.args)
        self.line(f"if not {self.ref(condition.condition)}: break")
        self.assign(after.args, condition.args)
        self.block(after)
        self.yielded(before.args, after)
        self.depth -= 1

    def if_else(self, op: scf.IfOp) -> None:
        self.line(f"if {self.ref(op.cond)}:")
        self.branch_body(op, op.true_region)
        if op.false_region.blocks:
            self.line("else:")
            self.branch_body(op, op.false_region)

    def branch_body(self, op: Operation, region: Region) -> None:
        self.nested(region.block)
        self.depth += 1
        self.yielded(op.results, region.block)
        self.depth -= 1

    def switch(self, op: scf.IndexSwitchOp) -> None:
        word = "if"
        for case, region in zip(op.cases.get_values(), op.case_regions, strict=True):
            self.line(f"{word} {self.ref(op.arg)} == {int(case)}:")
            self.branch_body(op, region)
            word = "elif"
        self.line("else:" if word == "elif" else "if True:")
        self.branch_body(op, op.default_region)

    def call(self, op: func.CallOp) -> None:
        callee = op.callee.string_value()
        function = self.module.functions.get(callee)
        if function is None or not function.body.blocks:
            message = f"@{callee} is only declared; its body is not in this module, so it can't be run"
            if function is None:
                message = f"there is no function @{callee}"
            self.line(f"{self.raiser(failure('PTO-R505', message, op))}()")
            return
        kind = kind_of(function)
        if kind is not None and self.machine.role.kind not in (None, kind):
            return  # it is compiled for the other kind of core
        if self.machine.role.lane and self.machine.leaves_to_first_lane(function):
            return
        self.callees.append(callee)
        count = self.add_global(self.module.steps.counter(op, 1))
        self.line(f"{count}(1)")
        call = f"{self.module.names[callee]}({self.refs(op.arguments)})"
        if op.results:
            names = ", ".join(self.name(result) for result in op.results)
            self.line(f"{names}, = {call}")
        else:
            self.line(call)
