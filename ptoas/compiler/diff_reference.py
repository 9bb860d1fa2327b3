"""Run a program and a NumPy reference on the same arguments and name the first instruction that differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.compiler.diff import DiffResult, Variant, chain_notes, difference_text, iteration_text
from ptoas.compiler.run import compile, shared_arguments
from ptoas.diagnostics import Diagnostic
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import failure
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.runner.compare import copy_arguments
from ptoas.runner.core import limit_memory
from ptoas.runner.execution_log import Execution, ExecutionLog, WrittenValue
from ptoas.runner.expressions import default_rtol, near
from ptoas.runner.options import Result
from ptoas.runner.reference import call_reference
from ptoas.runner.tolerance import Tolerance


@dataclass(frozen=True)
class _Pair:
    """Numbers of the program, and those that the reference has instead."""

    execution: Execution
    name: str
    found: Array
    expected: Array


def diff_reference(
    program: ModuleOp | Variant,
    reference: Callable[..., Any],
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    tolerance: Tolerance | None = None,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
) -> DiffResult:
    """Run a program and a Python function on the same arguments and find the first difference.

    The function takes arguments of the program by name. It returns the output, or a dictionary of outputs and
    of values of the program, so that the first of these that differs is found. A value that is written n
    times is compared with the last array written, or with n of them in an array with one more axis. Without a
    tolerance, integers are equal, and floats agree within 1e-5 or four rounding errors of their type.

    >>> import numpy as np, ptoas
    >>> module = ptoas.parse('''
    ... .target a5
    ... .arg %x : !pto.memref<1x8xf32>
    ... .arg %out : !pto.memref<1x8xf32>
    ... %a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
    ... %b = tneg %a : !pto.tile<1x8xf32>
    ... tstore %b, %out
    ... ''')
    >>> result = ptoas.diff_reference(module, lambda x: {"b": np.exp(x), "out": np.exp(x)})
    >>> result.divergence, [error.span.line for error in result.errors]
    (None, [6])
    """
    one = program if isinstance(program, Variant) else Variant(program)
    log = ExecutionLog()
    kernel = compile(one.module, one.target, **one.options, recorder=log)
    inputs = shared_arguments([kernel], arguments, seed, max_memory)
    limit_memory(kernel.cores, max_memory // 2)
    result = kernel.execute(copy_arguments(inputs))
    span = span_of(kernel.entry)
    names = {value.name for execution in log.executions for value in execution.written}
    outputs = [name for name in result.outputs if name in inputs] or list(result.outputs)
    expected = call_reference(reference, inputs, outputs, span, names)
    compared = DiffResult()
    pairs = [*_values(log, expected, outputs, kernel.entry), *_outputs(log, result, expected, kernel.entry)]
    for pair in pairs:
        compared.matched += 1
        mask = _differing(pair, tolerance)
        if mask.any():
            compared.errors.append(_finding(pair, mask, log, (one.label, "the reference")))
            break
    return compared


def _values(
    log: ExecutionLog, expected: Mapping[str, Array], outputs: Sequence[str], entry: Any
) -> Iterator[_Pair]:
    """Pair values of the program with those of the reference, in the order of execution."""
    written: dict[str, list[tuple[int, Execution, WrittenValue]]] = {}
    for number, execution in enumerate(log.executions):
        for value in execution.written:
            if value.name in expected and value.name not in outputs:
                written.setdefault(value.name, []).append((number, execution, value))
    found: list[tuple[int, _Pair]] = []
    for name, writes in written.items():
        wanted, shape = expected[name], writes[-1][2].bits.shape
        if wanted.shape == (len(writes), *shape):
            arrays = list(wanted)
        elif wanted.shape == shape:
            writes, arrays = writes[-1:], [wanted]
        else:
            raise _shape_error(name, wanted, shape, len(writes), entry)
        found += [
            (number, _Pair(execution, name, value.numbers, array))
            for (number, execution, value), array in zip(writes, arrays, strict=True)
        ]
    yield from (pair for _, pair in sorted(found, key=lambda each: each[0]))


def _outputs(log: ExecutionLog, result: Result, expected: Mapping[str, Array], entry: Any) -> Iterator[_Pair]:
    """Pair outputs with those of the reference; the instruction is the last one that wrote the output."""
    for name, wanted in expected.items():
        if name not in result.outputs:
            continue
        array = np.asarray(result.outputs[name])
        if array.shape != wanted.shape:
            raise _shape_error(name, wanted, array.shape, 1, entry)
        writers = [each for each in log.executions if name in each.names]
        if writers:
            yield _Pair(writers[-1], name, array, wanted)


def _shape_error(name: str, wanted: Array, shape: tuple[int, ...], count: int, entry: Any) -> Exception:
    message = f"`%{name}` has shape {list(shape)}, the reference {list(wanted.shape)}"
    fix = f"return an array of shape {list(shape)}"
    if count > 1:
        message += f"; it is written {count} times"
        fix += f" for the last one, or {[count, *shape]} for all"
    return failure("PTO-R704", message, span=span_of(entry), fix=fix)


def _differing(pair: _Pair, tolerance: Tolerance | None) -> Array:
    if tolerance is None:
        rtol = default_rtol(pair.found.dtype)
        return ~np.asarray(near(pair.found, pair.expected, rtol, 1e-8 if rtol else 0.0))
    ulp = tolerance.ulp or None
    same = near(pair.found, pair.expected, tolerance.rtol, tolerance.atol)
    return ~np.asarray(same | near(pair.found, pair.expected, ulp=ulp) if ulp else same)


def _finding(pair: _Pair, mask: Array, log: ExecutionLog, labels: tuple[str, str]) -> Diagnostic:
    element = tuple(int(n) for n in np.argwhere(mask)[0])
    numbers = (pair.found[element], pair.expected[element])
    what = difference_text(pair.name, element, numbers, labels, int(mask.sum()), mask.size)
    op = pair.execution.op
    notes = tuple(chain_notes(pair.execution, log, "is written here"))
    message = f"first difference: {what}{iteration_text(pair.execution)}"
    return Diagnostic("PTO-R730", message, span_of(op), notes=notes, op=op)
