"""A program that is compiled once and run many times, on arrays that the caller owns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from threading import RLock
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.channels import Channels
from ptoas.analysis.clocks import Ledger
from ptoas.analysis.kinds import has_channels
from ptoas.analysis.linking import linked
from ptoas.analysis.storage import manual_placement
from ptoas.analysis.structure import walk, walk_of
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.lowering import prepare
from ptoas.machine.accesses import AccessRecord
from ptoas.machine.actors import ActorSlot, Launch
from ptoas.machine.arrays import np
from ptoas.machine.conflicts import conflicts
from ptoas.machine.cross_core_writes import any_writes_cross_core
from ptoas.machine.errors import forgiving
from ptoas.runner.argument_inference import infer_arguments
from ptoas.runner.arguments import Binder
from ptoas.runner.call import KernelCall
from ptoas.runner.certificate import certificate_of
from ptoas.runner.compare import copy_arguments
from ptoas.runner.core import Program, cores_of, join_clusters, share_history
from ptoas.runner.entry import choose_entry, roles_of
from ptoas.runner.jobs import check_apart, ignored_jobs, in_jobs, processes
from ptoas.runner.named import by_name, check_inputs, check_names
from ptoas.runner.options import Options, Result
from ptoas.runner.outcomes import ActorOutcome, check, collect, take_turns
from ptoas.runner.parameters import Parameter, parameters_of
from ptoas.runner.peers import alone
from ptoas.runner.schedules import in_every_order
from ptoas.runner.values import Allowance, generate
from ptoas.targets import Target, get_target

KEPT_SIZES = 64
"""Number of combinations of scalars whose argument sizes are cached."""


class Kernel:
    """A compiled program. Threads may call it at once: a lock lets their calls run one after the other, for
    they share the core's memories. For runs at the same time compile one for each thread.

    >>> import numpy as np, ptoas
    >>> module = ptoas.parse('''
    ... func.func @copy(%x: !pto.ptr<f32>, %n: index, %out: !pto.memref<1x8xf32>) {
    ...   %c1 = arith.constant 1 : index
    ...   %c8 = arith.constant 8 : index
    ...   %v = pto.make_tensor_view %x, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
    ...   %a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    ...   pto.tload ins(%v : !pto.tensor_view<?x?xf32>) outs(%a : !pto.tile_buf<vec, 1x8xf32>)
    ...   pto.tstore ins(%a : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
    ...   return
    ... }
    ... ''')
    >>> kernel = ptoas.compile(module, "a5")
    >>> kernel.refine({"n": 4})
    >>> kernel.parameters[0].elements
    32
    >>> arguments = kernel.complete({"n": 1}, seed=3)
    >>> kernel.check_inputs(arguments)
    >>> result = kernel.execute(arguments)
    >>> np.array_equal(result.outputs["out"].ravel(), arguments["x"].ravel())
    True
    >>> kernel.release()  # the arrays go with `result`, not with the kernel
    """

    def __init__(self, module: ModuleOp, target: str | Target, options: Options | None = None):
        self.options = options or Options()
        self.target = get_target(target) if isinstance(target, str) else target
        module = linked(module)
        by_hand = {op.sym_name.data: manual_placement(walk(op)) for op in walk_of(module, func.FuncOp)}
        chosen = self.options
        self.module = prepare(
            module,
            self.target,
            isa=chosen.isa,
            legalize=chosen.legalize,
            sync=chosen.sync,
            skip=chosen.skip_passes,
        )
        self.entry = choose_entry(self.module, self.options.entry)
        self.launch = Launch(blocks=self.options.blocks, cores=roles_of(self.module, self.entry, self.target))
        self.parameters = parameters_of(self.entry)
        infer_arguments(self.module, self.entry, self.parameters, self.target, {}, self.options.blocks)
        ops = walk(self.module)
        channels = Channels(self.module) if has_channels(ops) else None
        cross_core_writes = len(self.launch.cores) > 1 and any_writes_cross_core(ops)
        self.program = Program(
            self.module, self.entry, self.target, self.options, by_hand, channels, cross_core_writes
        )
        self._notes: list[Diagnostic] = []
        if self.options.jobs != 1:
            check_apart(self.program)
            self._notes = ignored_jobs(self.options.jobs, self.options.blocks, self.entry)
        self.cores = cores_of(self.program, self.launch)
        self.binder = Binder(self.parameters, self.entry)
        self._lock = RLock()
        self._refined: dict[tuple[tuple[str, int], ...], list[Parameter]] = {}

    def __repr__(self) -> str:
        names = ", ".join(parameter.name for parameter in self.parameters)
        return f"<Kernel @{self.entry.sym_name.data}({names}) for {self.target.name}>"

    def __getstate__(self) -> None:
        raise TypeError(
            "a Kernel can't be pickled; pass the program's text (`ptoas.print_module`) and compile it in "
            "the other process"
        )

    # --- arguments ---

    def refine(self, values: Mapping[str, Any]) -> None:
        """Refine the sizes of arguments after scalar arguments are known."""
        numbers = {
            p.name: int(values[p.name])
            for p in self.parameters
            if p.kind == "scalar" and isinstance(values.get(p.name), Integral)
        }
        if not numbers:
            return
        key = tuple(numbers.items())
        with self._lock:
            fresh = self._refined.get(key)
            if fresh is None:
                if len(self._refined) >= KEPT_SIZES:
                    self._refined.clear()
                fresh = self._refined[key] = parameters_of(self.entry)
                infer_arguments(self.module, self.entry, fresh, self.target, numbers, self.options.blocks)
            for parameter, better in zip(self.parameters, fresh, strict=True):
                parameter.__dict__.update(better.__dict__)

    def complete(
        self, values: Mapping[str, Any], seed: int = 0, allowance: Allowance | None = None
    ) -> dict[str, Any]:
        """The given arguments, and generated ones for the rest."""
        check_names(self.parameters, values, self.entry)
        with self._lock, forgiving(self.options.forced, self.entry):
            return self._complete(values, seed, allowance or Allowance())

    def _complete(self, values: Mapping[str, Any], seed: int, allowance: Allowance) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        scalars = {
            p.name: generate(p, self.entry, rng, allowance)
            for p in self.parameters
            if p.kind == "scalar" and p.name not in values
        }
        values = {**values, **scalars}
        self.refine(values)
        arguments: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in values:
                arguments[parameter.name] = values[parameter.name]
                continue
            # Each argument has its own stream: giving one does not change the others.
            rng = np.random.default_rng([seed, parameter.at])
            arguments[parameter.name] = generate(parameter, self.entry, rng, allowance, grows=True)
        return arguments

    def check_inputs(self, values: Mapping[str, Any]) -> None:
        """Raise if an input is missing and the kernel was compiled without `generate=True`."""
        check_names(self.parameters, values, self.entry)
        if not self.options.generate:
            check_inputs(self.parameters, values, self.entry)

    # --- running ---

    def __call__(self, *arguments: Any, **named: Any) -> Result:
        """Run on these arguments, in order, by name, or as one mapping; memory is written where it is.

        Arguments that are only written may be omitted; a missing input is an error unless the kernel was
        compiled with `generate=True`.
        """
        values = by_name(self.parameters, arguments, named, self.entry)
        self.check_inputs(values)
        with self._lock:
            missing = [p.name for p in self.parameters if p.name not in values]
            return self.execute(self.complete(values) if missing else values)

    def execute(self, values: Mapping[str, Any]) -> Result:
        """Run on all of the arguments; `__call__` does it after `complete`."""
        try:
            return self._in_orders(values)
        except PtoasError as error:
            raise alone(error, self.parameters) from None

    def release(self) -> None:
        """Let go of the arguments of the last call. A kernel and its steps refer to each other, so that what
        they hold would stay until Python's collector comes by, and it does not count the bytes of arrays."""
        self.binder.forget()
        for core in self.cores:
            core.release()

    def _in_orders(self, values: Mapping[str, Any]) -> Result:
        if self.options.schedules == 1 or len(self.cores) == 1:
            return self._execute(values, self.options.schedule)
        kept = copy_arguments(values)

        def run(seed: int) -> Result:
            return self._execute(
                values if seed == (self.options.schedule or 0) else copy_arguments(kept), seed
            )

        return in_every_order(self.options, self.entry, run)

    def _execute(self, values: Mapping[str, Any], schedule: int | None) -> Result:
        with self._lock, forgiving(self.options.forced, self.entry):
            share_history(self.cores)
            several = self.options.jobs != 1 and processes(self.options.jobs, self.launch.blocks) > 1
            result = in_jobs(self, values, self._run_blocks) if several else None
            if result is None:
                call = KernelCall(self.cores, self.binder, values)
                records = self._run_blocks(call, schedule, range(self.launch.blocks))
                result = call.finish()
                result.certificate = certificate_of(
                    self.program, self.cores, records, self.cores[0].history, result.warnings
                )
            result.warnings[:0] = [*self.options.warnings, *self._notes]
            return result

    def _run_blocks(
        self, call: KernelCall, schedule: int | None, blocks: Sequence[int]
    ) -> list[AccessRecord]:
        """Run these blocks on the cores, and say what is wrong with them together; their accesses to shared
        memory."""
        if len(self.cores) > 1:
            return self._interleave(call, schedule, blocks)
        call.run(0, blocks)
        return self._check_blocks()

    def _check_blocks(self) -> list[AccessRecord]:
        """Check that nothing depends on the order of the blocks."""
        machine = self.cores[0].machine
        if not self.options.checks.race or machine.sharing is None or machine.sharing.log is None:
            return []
        records = machine.sharing.log.records()
        found = conflicts(records, machine.launch, self.target.name)
        if found:
            raise PtoasError(found)
        return records

    def _interleave(self, call: KernelCall, seed: int | None, blocks: Sequence[int]) -> list[AccessRecord]:
        """Let the cores of a block, or those of all blocks, take turns; `seed`: of their order."""
        cores, launch, size = self.cores, self.launch, len(self.launch.cores)
        ledger = Ledger() if self.options.checks.race else None
        clusters = join_clusters(cores, launch, range(launch.blocks))
        waves = [blocks] if len(cores) > size else [[block] for block in blocks]
        outcomes = [ActorOutcome() for _ in cores]
        for wave in waves:
            if size > 1:
                # One core may write to another's memory before that one begins.
                for core in cores:
                    core.machine.reset()
            turns = self.options.scheduler(len(cores), (seed or 0) + wave[0], randomised=seed is not None)
            for at, core in enumerate(cores):
                block = wave[at // size]
                name = launch.names([launch.number(0, block, core.core)])
                core.attach(ActorSlot(0, turns, at, ledger, core.core), name)

            def work(at: int, wave: Sequence[int] = wave) -> None:
                call.run(at, [wave[at // size]])

            take_turns(turns, outcomes, cores, work)
            if not all(outcome.good for outcome in outcomes):
                break
            with forgiving(self.options.forced, self.entry):
                for block in wave:
                    clusters[block].finish(cores[0].machine)
        for outcome, core in zip(outcomes, cores, strict=True):
            collect(outcome, core)
        check(outcomes, self.program, launch, cores)
        return [record for outcome in outcomes for record in outcome.records]
