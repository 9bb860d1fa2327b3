"""A program in several orders of its actors: the same result in all of them, or the finding with its seed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from xdsl.ir import Operation

from ptoas.diagnostics import Note, PtoasError
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import failure
from ptoas.machine.exploration import Exploration
from ptoas.runner.options import Options, Result

R = TypeVar("R", bound=Result)


def in_every_order(options: Options, entry: Operation, run: Callable[[int], R]) -> R:
    """The result of the first order; `run` starts anew with what the program was given.

    Other orders are run only if they could differ: those of further seeds, then as many one after the other,
    until there is none that could differ.
    """
    first = options.schedule or 0
    with naming(f"--schedule {first}"):
        result = run(first)
    certificate = result.certificate
    if certificate is not None and certificate.every_schedule:
        return result
    last = first + options.schedules
    for seed in range(first + 1, last):
        if options.on_progress is not None:
            options.on_progress("schedules", seed - first, options.schedules)
        with naming(f"--schedule {seed}"):
            _compare(entry, result, run(seed), f"--schedule {first} and --schedule {seed}")
    if certificate is None:
        return result
    count, exhaustive = _explore(options, entry, result, lambda: run(last))
    explored = count if exhaustive else count + options.schedules
    result.certificate = replace(certificate, explored=explored, exhaustive=exhaustive)
    return result


def _explore(options: Options, entry: Operation, result: R, run: Callable[[], R]) -> tuple[int, bool]:
    """Run orders that could differ, and return their number and whether there are no others."""
    exploration = Exploration()
    options.exploration = exploration
    hidden = False
    try:
        for count in range(1, options.schedules + 1):
            if options.on_progress is not None:
                options.on_progress("systematic schedules", count - 1, options.schedules)
            with naming(f"number {count} of --schedules {options.schedules}"):
                other = run()
                _compare(entry, result, other, f"the first and number {count}")
            hidden = hidden or other.certificate is None or other.certificate.hidden
            if not exploration.advance():
                return count, not hidden
    finally:
        options.exploration = None
    return options.schedules, False


def _compare(entry: Operation, result: Result, other: Result, which: str) -> None:
    for name, bits in result.bits.items():
        count = int(np.count_nonzero(_differs(result, other, name)))
        if count:
            raise failure(
                "PTO-R918",
                f"%{name} differs in {count} of {bits.size} elements between two orders of the cores: "
                f"{which}",
                entry,
                target=result.target,
            )


def _differs(one: Result, other: Result, name: str) -> Array:
    """The output that differs; the bits of a NaN depend on the placement of arrays and are ignored."""
    a, b = one.outputs[name], other.outputs[name]
    found: Array = (one.bits[name] != other.bits[name]).reshape(a.shape)
    return found & ~((a != a) & (b != b))


@contextmanager
def naming(order: str) -> Generator[None, None, None]:
    """Add the schedule to errors."""
    try:
        yield
    except PtoasError as error:
        note = Note(f"in the order of {order}")
        raise PtoasError([replace(d, notes=(*d.notes, note)) for d in error.diagnostics]) from None
