"""Memory that ranks share: one member of each rank that owns some of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ptoas.analysis.knowledge import packed_strides
from ptoas.dialects.pto.enums import Layout
from ptoas.machine.arrays import Array, np
from ptoas.machine.memory import element_count
from ptoas.runner.arguments import spread_elements
from ptoas.runner.parameters import Parameter


@dataclass
class RankWindow:
    """Memory of one rank that others see, before and after the run."""

    parameter: Parameter
    owner: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    initial: Array | None = None
    """The owner's argument."""
    flat: Array | None = None
    """The memory itself: elements in a row."""

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def elements(self) -> int:
        return element_count(self.shape, self.strides)

    def logical(self) -> Array:
        """The elements in their shape."""
        assert self.flat is not None
        steps = [s * self.flat.itemsize for s in self.strides]
        return np.ndarray(self.shape, self.flat.dtype, self.flat, 0, steps)

    @property
    def may_be_written(self) -> bool:
        """True if the program writes it, or could through another window."""
        return self.parameter.written or self.parameter.is_window

    @property
    def usable(self) -> bool:
        """Return True if the given array can be used in place."""
        array = self.initial
        assert array is not None
        packed = self.strides == packed_strides(self.shape, Layout.ND)
        in_a_row = array.flags.c_contiguous and array.flags.aligned
        return packed and in_a_row and (array.flags.writeable or not self.parameter.written)

    def bind_memory(self, allocate: Callable[[int, Any], Array] | None = None) -> None:
        """Use the given array in place, or a copy with the strides of the argument.

        `allocate` provides the memory of arguments that may be written.
        """
        array = self.initial
        assert array is not None
        if self.usable and (allocate is None or not self.may_be_written):
            self.flat = array.reshape(-1)
            return
        elements = spread_elements(self.parameter, array, self.shape, self.strides)
        self.fill((allocate or np.zeros)(elements, array.dtype))

    def fill(self, flat: Array) -> None:
        self.flat = flat
        if self.initial is not None:
            self.logical()[...] = self.initial.reshape(self.shape)

    def finish(self) -> None:
        """Bring results back to the array that was given."""
        array = self.initial
        if array is None or self.flat is None or not (self.parameter.written and array.flags.writeable):
            return
        if not np.may_share_memory(array, self.flat):
            array[...] = self.logical().reshape(array.shape)
