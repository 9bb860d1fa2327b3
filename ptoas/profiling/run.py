"""Profiling a program: the trace of a run or of a walk, its times, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.compiler.run import compile, read_arguments, run_ranks
from ptoas.diagnostics import Diagnostic, UsageError
from ptoas.diagnostics.files import open_plain
from ptoas.lowering import prepare
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.profiling.chip import chip_cycles, slowed, spread, timed
from ptoas.profiling.dependences import dependences
from ptoas.profiling.profile import Profile
from ptoas.profiling.reasons import explain
from ptoas.profiling.record import Recorder, Trace
from ptoas.profiling.remarks import remarks
from ptoas.profiling.stalls import flag_costs, stalls
from ptoas.profiling.static import walk
from ptoas.profiling.timeline import Ordering, middle, simulate
from ptoas.runner.core import limit_memory
from ptoas.runner.entry import choose_entry
from ptoas.runner.options import Result
from ptoas.runner.report import split_option
from ptoas.runner.values import Allowance
from ptoas.targets import Target
from ptoas.targets.costs import CostTable, overridden, table_of
from ptoas.verifier.check import check, resolve_target

if TYPE_CHECKING:
    from ptoas.runner.kernel import Kernel

MOST_COSTS = 1 << 20
"""Bytes of a file of costs that are read."""


def profile(
    module: ModuleOp,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    target: str | Target | None = None,
    *,
    static: bool = False,
    costs: str | None = None,
    ranks: int | str | None = None,
    entry: str | None = None,
    blocks: int = 1,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    **options: Any,
) -> Profile:
    """Run a program, or walk it (`static`), and give every instruction its time.

    `arguments` are arrays by name or `NAME=VALUE` texts, generated where they are left out; `costs` names a
    TOML file with numbers of your own; other options are those of `compile`.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<64x64xf32>
    ... %a = tload %x : (!pto.memref<64x64xf32>) -> !pto.tile<64x64xf32>
    ... ''')
    >>> ptoas.profile(module, target="a2a3", static=True).total
    399.0
    """

    chosen = resolve_target(module, target)
    table = table_of(chosen)
    if costs is not None:
        table = overridden(table, _read(costs), costs, chosen.name)
    if static:
        trace, name, warnings = _walked(module, arguments, chosen, table, entry, blocks, options)
        return finished(trace, name, None, warnings)
    recorder = Recorder(chosen, table)
    options |= {"entry": entry, "blocks": blocks, "recorder": recorder, "generate": True}
    if ranks is not None:
        if ranks == "mpi":
            raise UsageError("a profile is of ranks in one process: --ranks N")
        result = run_ranks(
            module, arguments, chosen, ranks=ranks, seed=seed, max_memory=max_memory, **options
        )
    else:
        result = _run(module, arguments, chosen, seed, max_memory, options)
    assert result is not None
    return finished(recorder.trace, result.entry, result, result.warnings)


def _run(
    module: ModuleOp,
    arguments: Mapping[str, Any] | Sequence[str],
    target: Target,
    seed: int,
    max_memory: int,
    options: dict[str, Any],
) -> Result:
    kernel: Kernel = compile(module, target, **options)
    if not isinstance(arguments, Mapping):
        return kernel.execute(read_arguments(kernel, arguments, seed=seed, max_memory=max_memory))
    limit_memory(kernel.cores, max_memory)
    return kernel.execute(kernel.complete(arguments, seed, Allowance(max_memory)))


def _walked(
    module: ModuleOp,
    arguments: Mapping[str, Any] | Sequence[str],
    target: Target,
    table: CostTable,
    entry: str | None,
    blocks: int,
    options: dict[str, Any],
) -> tuple[Trace, str, list[Diagnostic]]:
    legalize, sync = bool(options.get("legalize")), options.get("sync")
    warnings: list[Diagnostic] = []
    if not options.get("force"):
        aicore = bool(options.get("aicore"))
        isa = options.get("isa")
        warnings = list(check(module, target, aicore=aicore, isa=isa, legalize=legalize, sync=sync))
    ready = prepare(module, target, isa=options.get("isa"), legalize=legalize, sync=sync)
    function = choose_entry(ready, entry)
    pairs = arguments if isinstance(arguments, Mapping) else dict(split_option("--arg", a) for a in arguments)
    given = {name: _integer(value) for name, value in pairs.items()}
    known = {name: value for name, value in given.items() if value is not None}
    return walk(ready, function, target, table, known, blocks), function.sym_name.data, warnings


def _integer(value: object) -> int | None:
    """A scalar argument that decides bounds; of memory a walk needs nothing."""
    try:
        return int(value) if isinstance(value, int | str) else None
    except ValueError:
        return None


def _read(path: str) -> str:
    try:
        with open_plain(path) as file:
            return file.read(MOST_COSTS).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--costs {path}: {error}") from None


def finished(trace: Trace, entry: str, result: Result | None, warnings: list[Diagnostic]) -> Profile:
    """A trace with its times, reasons and remarks."""
    needs, limit, wide = dependences(trace), chip_cycles(trace), spread(trace)
    timeline, slowdown = timed(trace, middle, limit)
    low = timed(trace, lambda _, part: part.low, limit / wide)[0].total
    high = timed(trace, lambda _, part: part.high, limit * wide)[0].total
    duration = slowed(middle, slowdown)
    bound, fresh = (simulate(trace, duration, order, needs) for order in (Ordering.DATA, Ordering.FRESH))
    divided = stalls(trace, timeline, needs)
    costs, syncs = flag_costs(timeline, bound), explain(trace)
    for sync in syncs:
        sync.delay, sync.cost = divided.syncs.get(sync.op, 0.0), costs.get(sync.op, 0.0)
    found = remarks(trace, timeline, bound, fresh, needs, syncs)
    least = min(bound.total, timeline.total)
    return Profile(
        trace, timeline, low, high, least, slowdown, divided, syncs, found, entry, result, list(warnings)
    )
