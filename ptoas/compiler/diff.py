"""Run two programs on the same arguments and name the first instruction whose result differs.

Instructions are matched within each core and each iteration of the loops around them: by their original
locations if every one has a `loc(...)`, else by the names of the values that they write. `docs/diff.md` shows
an example and the limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.compiler.run import compile, shared_arguments
from ptoas.diagnostics import Diagnostic, Note, PtoasError, UsageError
from ptoas.grammar.parse import parse_file
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import np
from ptoas.machine.errors import line_of
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.runner.compare import copy_arguments
from ptoas.runner.core import limit_memory
from ptoas.runner.execution_log import Execution, ExecutionLog, WrittenValue
from ptoas.runner.kernel import Kernel
from ptoas.runner.observe import loop_name, statement
from ptoas.runner.options import Result
from ptoas.runner.tolerance import Tolerance
from ptoas.targets import Target

LONGEST_CHAIN = 8
"""Instructions that are listed as leading to the first difference."""


@dataclass(frozen=True)
class Variant:
    """A program and how it is run: one side of a comparison.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> ptoas.Variant(module, "a5", {"sync": "auto"}, "negate.pto on a5").label
    'negate.pto on a5'
    """

    module: ModuleOp
    target: str | Target | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options of `ptoas.compile`."""
    label: str = "program"


@dataclass(frozen=True)
class Divergence:
    """The first pair of matched instructions with different results."""

    first: Execution
    second: Execution
    values: tuple[WrittenValue, WrittenValue]
    element: tuple[int, ...] | None
    """Index of the first differing element; `None` if the shapes differ."""
    count: int
    """Number of differing elements."""


@dataclass
class DiffResult:
    """Result of `ptoas.diff`.

    >>> import ptoas
    >>> result = ptoas.DiffResult(matched=3, unmatched=0)
    >>> result.equal, result.text(), result.as_dict()
    (True, 'equal: 3 instructions compared', {'equal': True, 'matched': 3, 'unmatched': 0})
    """

    matched: int = 0
    """Number of instructions that were compared."""
    unmatched: int = 0
    """Number of executed instructions without a counterpart."""
    divergence: Divergence | None = None
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])

    @property
    def equal(self) -> bool:
        """True if no result differs and both programs ran to their ends."""
        return not self.errors

    def text(self) -> str:
        """Return one line that describes the comparison."""
        verdict = "equal" if self.equal else "different"
        without = f", {self.unmatched} without a counterpart" if self.unmatched else ""
        plural = "s" * (self.matched != 1)
        return f"{verdict}: {self.matched} instruction{plural} compared{without}"

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {"equal": self.equal, "matched": self.matched, "unmatched": self.unmatched}


def diff(
    first: ModuleOp | Variant,
    second: ModuleOp | Variant,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    tolerance: Tolerance | None = None,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
) -> DiffResult:
    """Run two programs on the same arguments and find the first instruction whose result differs.

    `arguments` are arrays by name, or `NAME=VALUE` texts; missing inputs are generated from the seed.
    An error of the first program is raised; one of the second is part of the result.

    >>> import ptoas
    >>> text = '''
    ... .target a5
    ... .arg %x : !pto.memref<1x8xf32>
    ... .arg %out : !pto.memref<1x8xf32>
    ... %a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
    ... %b = texp %a : !pto.tile<1x8xf32>
    ... tstore %b, %out
    ... '''
    >>> result = ptoas.diff(ptoas.parse(text, "a.pto"), ptoas.parse(text.replace("texp", "tneg"), "b.pto"))
    >>> result.divergence.first.op.name, result.errors[0].span.line
    ('pto.texp', 6)
    """
    pair = [_variant(one, name) for one, name in ((first, "first"), (second, "second"))]
    logs = (ExecutionLog(), ExecutionLog())
    kernels = [
        compile(one.module, one.target, **one.options, recorder=log)
        for one, log in zip(pair, logs, strict=True)
    ]
    _check_arguments(kernels)
    inputs = shared_arguments(kernels, arguments, seed, max_memory)
    for kernel in kernels:
        limit_memory(kernel.cores, max_memory // 2)
    expected = kernels[0].execute(copy_arguments(inputs))
    try:
        found = kernels[1].execute(copy_arguments(inputs))
        stopped: tuple[Diagnostic, ...] = ()
    except PtoasError as error:
        found, stopped = None, error.diagnostics
    tolerance = tolerance or Tolerance()
    result = _compare_logs(logs, tolerance)
    if result.divergence is not None:
        result.errors.append(_finding(result.divergence, logs[0], (pair[0].label, pair[1].label)))
    elif found is not None and (name := _differing_output(expected, found, kernels, tolerance)) is not None:
        result.errors.append(_unmatched_finding(name, kernels[0], logs))
    result.errors += stopped
    return result


def _variant(program: ModuleOp | Variant, label: str) -> Variant:
    return program if isinstance(program, Variant) else Variant(program, label=label)


def _check_arguments(kernels: Sequence[Kernel]) -> None:
    names = [[parameter.name for parameter in kernel.parameters] for kernel in kernels]
    if names[0] != names[1]:
        texts = [", ".join(f"%{name}" for name in each) or "none" for each in names]
        message = f"the programs take different arguments: {texts[0]} and {texts[1]}"
        fix = "name the arguments alike in both programs, or select the function with `--entry`"
        raise PtoasError([Diagnostic("PTO-R732", message, span_of(kernels[1].entry), fix=fix)])


# --- matching --------------------------------------------------------------------------------------


def _compare_logs(logs: tuple[ExecutionLog, ExecutionLog], tolerance: Tolerance) -> DiffResult:
    result = DiffResult()
    counterparts = {pair[0]: pair[1] for pair in _matches(*logs)}
    result.matched = len(counterparts)
    result.unmatched = sum(len(log.executions) for log in logs) - 2 * result.matched
    for execution in logs[0].executions:
        other = counterparts.get(execution)
        if other is not None and (found := _divergence(execution, other, tolerance)) is not None:
            result.divergence = found
            break
    return result


def _matches(first: ExecutionLog, second: ExecutionLog) -> Iterator[tuple[Execution, Execution]]:
    """Match the executions of two runs, those of one core and iteration with each other."""
    by_origin = all(each.origin is not None for log in (first, second) for each in log.executions)
    groups = [_by_iteration(log) for log in (first, second)]
    for where, ours in groups[0].items():
        yield from _aligned(ours, groups[1].get(where, []), by_origin)


def _by_iteration(log: ExecutionLog) -> dict[tuple[object, ...], list[Execution]]:
    groups: dict[tuple[object, ...], list[Execution]] = {}
    for execution in log.executions:
        groups.setdefault((execution.actor, execution.iterations), []).append(execution)
    return groups


def _aligned(
    ours: list[Execution], theirs: list[Execution], by_origin: bool
) -> Iterator[tuple[Execution, Execution]]:
    def identity(execution: Execution) -> object:
        return execution.origin if by_origin else execution.names

    keys = [[(each.op.name, identity(each)) for each in side] for side in (ours, theirs)]
    if keys[0] == keys[1]:
        yield from zip(ours, theirs, strict=True)
        return
    for tag, low, high, start, end in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(ours[low:high], theirs[start:end], strict=True)
        elif tag == "replace":
            # Another instruction may write the same value.
            waiting = theirs[start:end]
            for execution in ours[low:high]:
                key = identity(execution)
                at = next((n for n, other in enumerate(waiting) if identity(other) == key), None)
                if at is not None:
                    yield execution, waiting[at]
                    del waiting[: at + 1]


def _divergence(first: Execution, second: Execution, tolerance: Tolerance) -> Divergence | None:
    for one, other in zip(first.written, second.written, strict=False):
        if one.bits.shape != other.bits.shape or one.dtype is not other.dtype:
            return Divergence(first, second, (one, other), None, one.bits.size)
        mask = tolerance.differing(one.bits, other.bits, one.dtype)
        if mask.any():
            element = tuple(int(n) for n in np.argwhere(mask)[0])
            return Divergence(first, second, (one, other), element, int(mask.sum()))
    return None


def _differing_output(
    expected: Result, found: Result, kernels: Sequence[Kernel], tolerance: Tolerance
) -> str | None:
    dtypes = {parameter.name: parameter.dtype for parameter in kernels[0].parameters}
    for name, bits in expected.bits.items():
        other, dtype = found.bits.get(name), dtypes.get(name)
        if other is None or other.shape != bits.shape:
            return name
        differs = bits != other if dtype is None else tolerance.differing(bits, other, dtype)
        if differs.any():
            return name
    return None


# --- findings --------------------------------------------------------------------------------------


def _finding(found: Divergence, log: ExecutionLog, labels: tuple[str, str]) -> Diagnostic:
    one = found.values[0]
    if found.element is None:
        shapes = [f"{'x'.join(map(str, value.bits.shape))}x{value.dtype.short}" for value in found.values]
        what = f"`%{one.name}` is {shapes[0]} in {labels[0]} and {shapes[1]} in {labels[1]}"
    else:
        numbers = [value.numbers[found.element] for value in found.values]
        what = difference_text(one.name, found.element, numbers, labels, found.count, one.bits.size)
    notes = [Note(f"the counterpart in {labels[1]}", span_of(found.second.op))]
    notes += [
        Note(f"they read different bytes of `%{ours.space}`: from {ours.low} and from {theirs.low}")
        for ours, theirs in zip(found.first.reads, found.second.reads, strict=False)
        if isinstance(ours.space, str) and ours != theirs
    ]
    notes += chain_notes(found.first, log, "is written here, equally in both")
    message = f"first difference: {what}{iteration_text(found.first)}"
    return Diagnostic("PTO-R730", message, span_of(found.first.op), notes=tuple(notes), op=found.first.op)


def difference_text(
    name: str,
    element: tuple[int, ...],
    numbers: Sequence[Any],
    labels: Sequence[str],
    count: int,
    size: int,
) -> str:
    """Describe the first differing element of a value, and how many elements differ."""
    at = f"`%{name}`[{', '.join(map(str, _shown_index(element)))}]"
    values = " and ".join(
        f"{_number_text(number)} in {label}" for number, label in zip(numbers, labels, strict=True)
    )
    return f"{at} is {values} ({count} of {size} elements differ)"


def chain_notes(execution: Execution, log: ExecutionLog, text: str) -> list[Note]:
    """Return a note for each instruction that produced the operands of one, nearest first."""
    return [Note(f"`%{each.names[0]}` {text}", span_of(each.op)) for each in _chain(execution, log)]


def _number_text(number: Any) -> str:
    return f"{float(number):.9g}" if np.asarray(number).dtype.kind not in "iu" else str(number)


def _shown_index(index: tuple[int, ...]) -> tuple[int, ...]:
    """Drop the leading dimensions of one that views of global memory are extended by."""
    return index[-2:] if not any(index[:-2]) else index


def iteration_text(execution: Execution) -> str:
    names = [
        f"{loop_name(loop)} = {n}" for loop, n in zip(execution.loops, execution.iterations, strict=True)
    ]
    rank, block, core = execution.actor
    places = [f"{word} {n}" for word, n in (("rank", rank), ("block", block), ("core", core)) if n]
    return f", at {', '.join([*names, *places])}" if names or places else ""


def _chain(execution: Execution, log: ExecutionLog) -> list[Execution]:
    """Return the executions that produced the operands of one, nearest first."""
    found: dict[Execution, None] = {}
    waiting = [execution]
    while waiting and len(found) < LONGEST_CHAIN:
        for writer in log.writers(waiting.pop(0)):
            if writer not in found:
                found[writer] = None
                waiting.append(writer)
    return list(found)[:LONGEST_CHAIN]


def _unmatched_finding(name: str, kernel: Kernel, logs: tuple[ExecutionLog, ExecutionLog]) -> Diagnostic:
    matches = list(_matches(*logs))
    paired = {execution for pair in matches for execution in pair}
    left = [[each for each in log.executions if each not in paired] for log in logs]
    notes = [
        Note(
            f"{len(left[0])} and {len(left[1])} executed instructions of the programs have no counterpart, "
            f"{len(matches)} have one"
        )
    ]
    first = [side[0] for side in left if side]
    notes += [
        Note(
            f"first without a counterpart: `{statement(each.op)}` (line {line_of(each.op)})", span_of(each.op)
        )
        for each in first
    ]
    message = f"output `%{name}` differs, but no matched instruction does"
    fix = "keep the names of values, or give both programs `loc(...)` locations"
    return Diagnostic("PTO-R731", message, span_of(kernel.entry), notes=tuple(notes), fix=fix)


# --- passes ----------------------------------------------------------------------------------------


def diff_passes(
    directory: str,
    original: ModuleOp | None = None,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    target: str | Target | None = None,
    tolerance: Tolerance | None = None,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    **options: Any,
) -> DiffResult:
    """Find the pass after which a program computes other values.

    `directory` holds one dump per pass, numbered `0_NAME.mlir`, `1_NAME.mlir`, as written by
    `--mlir-print-ir-tree-dir`; subdirectories are searched. `original` is the program before the first pass.
    Options are those of `ptoas.compile`.

    >>> import pathlib, tempfile, ptoas
    >>> text = ".arg %x : !pto.memref<1x8xf32>\\n%a = tload %x\\n%b = texp %a\\ntstore %b, %x"
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     for number, each in enumerate([text, text.replace("texp", "tneg")]):
    ...         size = pathlib.Path(directory, f"{number}_pass-{number}.pto").write_text(each)
    ...     result = ptoas.diff_passes(directory, target="a5")
    >>> result.errors[0].message.partition(":")[0]
    'pass `pass-1` changes the result'
    """
    steps = [
        (name, Variant(parse_file(str(path)), target, options, path.name)) for name, path in _dumps(directory)
    ]
    if original is not None:
        steps.insert(0, ("", Variant(original, target, options, "the original program")))
    if len(steps) < 2:
        raise UsageError(f"{directory} holds {len(steps)} numbered dumps; two programs are needed")
    total = DiffResult()
    for (_, previous), (name, current) in pairwise(steps):
        try:
            result = diff(previous, current, arguments, tolerance=tolerance, seed=seed, max_memory=max_memory)
        except PtoasError as error:
            result = DiffResult(errors=list(error.diagnostics))
        total.matched += result.matched
        total.unmatched += result.unmatched
        if not result.equal:
            message = f"pass `{name}` changes the result: {result.errors[0].message}"
            total.divergence = result.divergence
            total.errors = [replace(result.errors[0], code="PTO-R733", message=message), *result.errors[1:]]
            break
    return total


def _dumps(directory: str) -> list[tuple[str, Path]]:
    """Return the numbered dumps of a directory with the names of their passes, in order."""
    found: list[tuple[int, str, Path]] = []
    for path in sorted(Path(directory).rglob("*")):
        numbered = re.fullmatch(r"(\d+)[_-](.+)\.(?:mlir|pto)", path.name)
        if numbered and not numbered[2].startswith("before-"):
            found.append((int(numbered[1]), numbered[2], path))
    return [(name, path) for _, name, path in sorted(found)]
