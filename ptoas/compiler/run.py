"""Run a program as a target would, on NumPy arrays, and stop at the first wrong step.

>>> import numpy as np, ptoas
>>> module = ptoas.parse('''
... .arg %table : !pto.memref<64x8xf32>
... .arg %idx : !pto.memref<1x8xi32>
... .arg %out : !pto.memref<8x8xf32>
... %i = tload %idx : (!pto.memref<1x8xi32>) -> !pto.tile<1x8xi32>
... %d = mgather.row.clamp %table, %i : (!pto.memref<64x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
... tstore %d, %out
... ''')
>>> table = np.arange(512, dtype=np.float32).reshape(64, 8)
>>> indices = np.array([[3, 1, 4, 1, 5, 9, 2, 99]], np.int32)
>>> result = run(module, {"table": table, "idx": indices}, target="a5")
>>> result.outputs["out"][:, 0]
array([ 24.,   8.,  32.,   8.,  40.,  72.,  16., 504.], dtype=float32)

The command `ptoas run` is `compile`, `read_arguments`, `Kernel.execute`, and the functions of
`ptoas.runner.report`, one after the other; `run_all` is its `--target all`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics import Diagnostic, PtoasError, Source, UsageError
from ptoas.machine.arrays import np
from ptoas.machine.errors import command_line_span, failure, forgiving
from ptoas.machine.machine import DEFAULT_MAX_MEMORY, Checks
from ptoas.machine.scheduler import MOST_ACTORS
from ptoas.machine.source import DEFAULT_MAX_STEPS
from ptoas.runner import describe as sets
from ptoas.runner.assertions import check_all, check_reference
from ptoas.runner.compare import Comparison, TargetOutcome, compare_results, copy_arguments
from ptoas.runner.core import limit_memory
from ptoas.runner.entry import needed_by
from ptoas.runner.jobs import check_jobs
from ptoas.runner.kernel import Kernel
from ptoas.runner.named import check_names
from ptoas.runner.observe import Printing
from ptoas.runner.options import Options, Result, RunObserver
from ptoas.runner.ranks.in_process import RanksResult, parse_ranks, run_in_process
from ptoas.runner.reference import Reference, ReferenceArrays
from ptoas.runner.report import (
    parse_print,
    split_option,
)
from ptoas.runner.schedules import in_every_order
from ptoas.runner.values import Allowance, read_value
from ptoas.targets import TARGETS, Target
from ptoas.verifier.check import check, resolve_target

if TYPE_CHECKING:
    from ptoas.runner.describe import Described


def compile(
    module: ModuleOp,
    target: str | Target | None = None,
    *,
    entry: str | None = None,
    checks: str | Iterable[str] | Checks = "all",
    unchecked: bool = False,
    legalize: bool = False,
    sync: str | None = None,
    blocks: int = 1,
    schedule: int | None = None,
    schedules: int = 1,
    jobs: int | str = 1,
    sparse_credits: bool = False,
    max_steps: int = DEFAULT_MAX_STEPS,
    trace: bool = False,
    stats: bool = False,
    prints: Sequence[Printing | str] = (),
    force: bool = False,
    aicore: bool = False,
    isa: str | None = None,
    generate: bool = False,
    on_output: Callable[[str], None] | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
    recorder: RunObserver | None = None,
    skip_passes: Sequence[str] = (),
) -> Kernel:
    """A callable that runs many times without compiling again.

    `checks` are `"all"`, `"none"` or names of `mem`, `init`, `race`, `budget`. A module that does not
    verify for the target is refused unless `force`; warnings of `verify` are in every result. With a
    `schedule`, the seed of an order, blocks take turns; without they run one after the other, which finds the
    same races. `schedules` is in how many orders, from that seed on, the program is run; results that differ
    are an error. `jobs` is how many processes run the blocks, where these do not wait for each other
    (`"auto"`: one a core); the result is that of one. `on_progress` is told of blocks, schedules and the
    iterations of outermost loops, unless there are jobs. With `sparse_credits` channels tell of free slots in
    portions, as the devices do. `skip_passes` names optional passes to leave out.

    Arguments of a kernel go in order, by name, or as one mapping. Memory is used where it is, and written
    there: arrays of NumPy, and of other libraries through the array protocol and DLPack (PyTorch's on the
    CPU). What can't be written (JAX's) is copied, and the result has it in `outputs`. Arguments that are only
    written may be omitted. A missing input is an error; `generate=True` fills it in as `ptoas run` does.

    >>> import numpy as np, ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<1x8xf32>
    ... .arg %out : !pto.memref<1x8xf32>
    ... %a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
    ... %b = tneg %a : !pto.tile<1x8xf32>
    ... tstore %b, %out
    ... ''')
    >>> kernel = ptoas.compile(module, "a5")
    >>> out = np.zeros((1, 8), np.float32)
    >>> for start in (0, 8):
    ...     result = kernel(np.arange(start, start + 8, dtype=np.float32).reshape(1, 8), out=out)
    ...     print(out[0, :3])
    [-0. -1. -2.]
    [ -8.  -9. -10.]
    """
    chosen = resolve_target(module, target)
    if blocks < 1:
        raise UsageError(f"the number of blocks must be at least 1, found {blocks}")
    if schedules < 1:
        raise UsageError(f"the number of schedules must be at least 1, found {schedules}")
    if schedules > 1 and schedule is None:
        schedule = 0
    if schedule is not None and blocks > MOST_ACTORS:
        raise UsageError(f"at most {MOST_ACTORS} blocks can be interleaved (--schedule), found {blocks}")
    if schedule is not None and schedule < 0:
        raise UsageError(f"a schedule is a seed of at least 0, found {schedule}")
    warnings: tuple[Diagnostic, ...] = ()
    if entry is not None:
        module = needed_by(module, entry)  # what is wrong with other functions does not matter
    if not force:
        warnings = check(module, chosen, aicore=aicore, legalize=legalize, sync=sync, isa=isa)
    options = Options(
        warnings=warnings,
        checks=checks if isinstance(checks, Checks) else Checks.of(checks, unchecked),
        entry=entry,
        blocks=blocks,
        schedule=schedule,
        schedules=schedules,
        jobs=jobs,
        sparse_credits=sparse_credits,
        max_steps=max_steps,
        trace=trace,
        stats=stats,
        prints=tuple(parse_print(p) if isinstance(p, str) else p for p in prints),
        legalize=legalize,
        sync=sync,
        isa=isa,
        generate=generate,
        on_output=on_output,
        on_progress=on_progress if jobs == 1 else None,
        forced=force,
        recorder=recorder,
        skip_passes=tuple(skip_passes),
    )
    if jobs != 1:
        check_jobs(options, jobs)
    with forgiving(force, module):
        return Kernel(module, chosen, options)


def run(
    module: ModuleOp,
    arguments: Mapping[str, Any] | None = None,
    target: str | Target | None = None,
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    **options: Any,
) -> Result:
    """Run once; options are those of `compile`. A missing input is an error; with `generate=True` it is
    generated from the seed.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %out : !pto.memref<1x8xi32>
    ... .const %c5 = 5 : i32
    ... %a = tci %c5 : (i32) -> !pto.tile<1x8xi32>
    ... tstore %a, %out
    ... ''')
    >>> ptoas.run(module, target="a5").outputs["out"]
    array([[ 5,  6,  7,  8,  9, 10, 11, 12]], dtype=int32)
    """
    kernel = compile(module, target, **options)
    kernel.check_inputs(arguments or {})
    limit_memory(kernel.cores, max_memory)
    result = kernel.execute(kernel.complete(arguments or {}, seed, Allowance(max_memory)))
    kernel.release()
    return result


def run_texts(
    module: Callable[[], ModuleOp],
    arguments: Sequence[str] = (),
    target: str | Target | None = None,
    ranks: int | str | None = None,
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    save: str | None = None,
    load: str | None = None,
    keep_initial: bool = False,
    **options: Any,
) -> Result | None:
    """Run once, or as ranks, on `NAME=VALUE` texts; `None` on ranks of MPI for which the first one speaks.

    `save` and `load` are directories: all that the run began with is kept there, or taken from there. With
    `keep_initial` the result has it, too; of several ranks only their arguments after the run are known.
    """

    if ranks is not None:
        if save is not None or load is not None:
            raise UsageError("--save and --load do not support ranks")
        return run_ranks(module, arguments, target, ranks=ranks, seed=seed, max_memory=max_memory, **options)
    kernel = compile(module(), target, **options)
    values, _ = _texts_and_loaded(kernel, arguments, load, seed, max_memory)
    kept = copy_arguments(values) if save is not None or keep_initial else {}
    result = kernel.execute(values)
    result.initial = kept if keep_initial else {}
    kernel.release()
    if save is not None:
        sets.save(save, kept, result)
    return result


def describe_texts(
    module: ModuleOp,
    arguments: Sequence[str] = (),
    target: str | Target | None = None,
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    load: str | None = None,
    **options: Any,
) -> list[Described]:
    """`--describe`: the arguments that a run would have, and why."""

    kernel = compile(module, target, **options)
    values, known = _texts_and_loaded(kernel, arguments, load, seed, max_memory)
    named = {split_option("--arg", text)[0] for text in arguments} | known.keys()
    return sets.describe(kernel, {name: values[name] for name in named}, values)


def _texts_and_loaded(
    kernel: Kernel, texts: Sequence[str], load: str | None, seed: int, max_memory: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """All arguments, and those that were loaded."""
    known = {} if load is None else sets.load(load, kernel, Allowance(max_memory))
    return read_arguments(kernel, texts, seed=seed, max_memory=max_memory, known=known), known


def read_arguments(
    kernel: Kernel,
    texts: Sequence[str],
    *,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    known: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """`NAME=VALUE` texts as arguments, then `known` ones, and generated ones for the rest; refuses before it
    allocates too much."""
    allowance = Allowance(max_memory)
    limit_memory(kernel.cores, max_memory)
    pairs = dict(split_option("--arg", text) for text in texts)
    check_names(kernel.parameters, pairs, kernel.entry)
    values: dict[str, Any] = {k: v for k, v in (known or {}).items() if k not in pairs}
    # Scalars first: they may say how large the others are.
    for kind in (True, False):
        for parameter in kernel.parameters:
            if parameter.name in pairs and (parameter.kind == "scalar") is kind:
                rng = np.random.default_rng([seed, parameter.at])
                text = pairs[parameter.name]
                values[parameter.name] = read_value(parameter, text, kernel.entry, rng, allowance)
        if kind:
            kernel.refine(values)
    return kernel.complete(values, seed, allowance)


def run_all(
    module: ModuleOp,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    targets: Sequence[str] = tuple(TARGETS),
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    **options: Any,
) -> Comparison:
    """Run on every target that accepts the program, on equal arguments, and compare the results bit by bit.

    `arguments` are arrays by name, or `NAME=VALUE` texts; for texts, missing inputs are generated.
    """
    outcomes = [TargetOutcome(name) for name in targets]
    kernels: dict[str, Kernel] = {}
    for outcome in outcomes:
        try:
            kernels[outcome.target] = compile(module, outcome.target, **options)
        except PtoasError as error:
            outcome.errors = error.diagnostics
    shared = shared_arguments([*kernels.values()], arguments, seed, max_memory)
    for outcome in (each for each in outcomes if each.target in kernels):
        kernel = kernels[outcome.target]
        try:
            limit_memory(kernel.cores, max_memory)
            outcome.result = kernel.execute(copy_arguments(shared))
            outcome.result.initial = shared
        except PtoasError as error:
            outcome.errors = error.diagnostics
    return Comparison(outcomes, compare_results(module, outcomes))


def shared_arguments(
    kernels: list[Kernel], arguments: Mapping[str, Any] | Sequence[str], seed: int, max_memory: int
) -> dict[str, Any]:
    if not kernels:
        return {}
    first = kernels[0]
    for kernel in kernels[1:]:
        # An index is generated for the least of the capacities.
        for ours, theirs in zip(first.parameters, kernel.parameters, strict=True):
            limits = [p.index_limit for p in (ours, theirs) if p.index_limit is not None]
            ours.index_limit = min(limits, default=None)
    if isinstance(arguments, Mapping):
        first.check_inputs(arguments)
        return first.complete(arguments, seed, Allowance(max_memory))
    return read_arguments(first, arguments, seed=seed, max_memory=max_memory)


def check_file(source: Source, result: Result, *, allow_python: bool = False) -> int:
    """Check the RUN-CHECK comments of a program against a result; returns how many held.

    Reference functions that it names are executed only with `allow_python`.
    """
    return check_all(source, named_values(result), result.target, ReferenceArrays.of(result, allow_python))


def named_values(result: Result) -> dict[str, Any]:
    """The names that a RUN-CHECK may use."""
    return {**{k: v for k, v in result.arguments.items() if v is not None}, **result.outputs}


def check_against(
    result: Result, reference: Reference, spec: str, rtol: float | None = None, atol: float | None = None
) -> None:
    """`--reference FILE.py:FUNCTION`: raises with the first differences."""
    span = command_line_span(f"--reference {spec}")
    limits = {name: value for name, value in (("rtol", rtol), ("atol", atol)) if value is not None}
    notes = check_reference(reference, ReferenceArrays.of(result, True), span, **limits)
    if notes:
        raise failure("PTO-R701", f"the outputs differ from {spec}", span=span, notes=notes)


def run_ranks(
    module: ModuleOp | Callable[[], ModuleOp],
    arguments: Mapping[str, Any] | Sequence[str] | None = None,
    target: str | Target | None = None,
    *,
    ranks: int | str,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    jobs: int | str = 1,
    **options: Any,
) -> RanksResult | None:
    """Run a program on several ranks: `ranks` is how many, or `"mpi"` for one process a rank.

    `module` may be a function that reads it, so that under MPI its errors are said once. `arguments` are
    arrays by name (`dst`, `src@2`), or `NAME=VALUE` and `NAME@RANK=VALUE` texts; options are those of
    `ptoas.compile`. An array with one more dimension in front, as long as there are ranks, is dealt out along
    it. A missing input is an error unless `generate=True`; for texts, missing inputs are generated. Under MPI
    only rank 0 gets the result, and the diagnostics; on the others the result is `None`, and a failure an
    error without diagnostics. `jobs` is how many processes run the ranks, where these do not wait for each
    other (`"auto"`: one a core); the result is that of one.

    >>> import numpy as np, ptoas
    >>> module = ptoas.parse('''
    ... func.func @negate(%x: !pto.memref<1x8xf32>, %out: !pto.memref<1x8xf32>) {
    ...   %a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    ...   pto.tload ins(%x : !pto.memref<1x8xf32>) outs(%a : !pto.tile_buf<vec, 1x8xf32>)
    ...   pto.tneg ins(%a : !pto.tile_buf<vec, 1x8xf32>) outs(%a : !pto.tile_buf<vec, 1x8xf32>)
    ...   pto.tstore ins(%a : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
    ...   return
    ... }
    ... ''')
    >>> x = np.arange(16, dtype=np.float32).reshape(2, 1, 8)
    >>> result = ptoas.run_ranks(module, {"x": x}, "a5", ranks=2)
    >>> result.outputs["out@1"][0, :3], len(result.ranks)
    (array([ -8.,  -9., -10.], dtype=float32), 2)
    """

    def make() -> Kernel:
        return compile(module if isinstance(module, ModuleOp) else module(), target, **options)

    values = dict[str, Any]() if arguments is None else arguments
    if ranks == "mpi":
        if jobs != 1:
            raise UsageError("--jobs runs ranks in several processes; with --ranks mpi each is in its own")
        from ptoas.runner.ranks.mpi import run_with_mpi

        return run_with_mpi(make, values, seed=seed, max_memory=max_memory)
    size = parse_ranks(ranks)
    kernel = make()
    if kernel.options.schedules == 1:
        return run_in_process(kernel, size, values, seed=seed, max_memory=max_memory, jobs=jobs)
    if jobs != 1:
        raise UsageError("--jobs runs ranks in several processes; --schedules follows them in one")
    kept = copy_arguments(values) if isinstance(values, Mapping) else values

    def run(schedule: int) -> RanksResult:
        kernel.options.schedule = schedule
        inputs = copy_arguments(kept) if isinstance(kept, Mapping) else kept
        return run_in_process(kernel, size, inputs, seed=seed, max_memory=max_memory)

    return in_every_order(kernel.options, kernel.entry, run)
