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
from ptoas.runner.options import Options, Result

R = TypeVar("R", bound=Result)


def in_every_order(options: Options, entry: Operation, run: Callable[[int], R]) -> R:
    """The result of the first order; `run` starts anew with what the program was given."""
    first = options.schedule or 0
    with naming(first):
        result = run(first)
    for seed in range(first + 1, first + options.schedules):
        with naming(seed):
            other = run(seed)
        for name, bits in result.bits.items():
            count = int(np.count_nonzero(_differs(result, other, name)))
            if count:
                raise failure(
                    "PTO-R918",
                    f"%{name} differs in {count} of {bits.size} elements between two orders of the cores: "
                    f"--schedule {first} and --schedule {seed}",
                    entry,
                    target=result.target,
                )
    return result


def _differs(one: Result, other: Result, name: str) -> Array:
    """The output that differs; the bits of a NaN depend on the placement of arrays and are ignored."""
    a, b = one.outputs[name], other.outputs[name]
    found: Array = (one.bits[name] != other.bits[name]).reshape(a.shape)
    return found & ~((a != a) & (b != b))


@contextmanager
def naming(seed: int) -> Generator[None, None, None]:
    """Add the schedule to errors."""
    try:
        yield
    except PtoasError as error:
        note = Note(f"in the order of --schedule {seed}")
        raise PtoasError([replace(d, notes=(*d.notes, note)) for d in error.diagnostics]) from None
