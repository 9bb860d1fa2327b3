"""Four numbers that an instruction sets: a value of the program that is not quite a value."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.machine.arrays import Array, np


@dataclass(eq=False)
class Counts:
    """A `vector<4xi16>`: in C++ a variable, which the instruction that it is passed to changes."""

    numbers: Array

    def set(self, numbers: Array) -> None:
        """Set the counts; missing ones are 0, and they range from 0 to 65535 whatever the type."""
        self.numbers[:] = 0
        self.numbers[: len(numbers)] = np.asarray(numbers).astype(np.uint16).view(np.int16)
