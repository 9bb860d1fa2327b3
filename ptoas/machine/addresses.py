"""Pointers that leave their argument: into the memory of another rank, or nowhere.

`addptr` counts from one rank's window to another's, so a pointer may point outside the argument that it came
from. What it points to is asked when memory is touched, or a view of it is made: then the bytes are known.
"""

from __future__ import annotations

from xdsl.ir import Operation

from ptoas.machine.machine import Machine
from ptoas.machine.memory import GlobalBuffer, View, ViewForm


def placed(buffer: GlobalBuffer, first: int, last: int) -> tuple[GlobalBuffer, int] | None:
    """The memory that elements `first` to `last`, counted from a buffer's own first, are in, and the number
    of the first one there; `None` if they are in no rank's."""
    if buffer.place is None:
        return None
    base, size = buffer.place.base, buffer.dtype.size
    return buffer.place.space.find(base + first * size, base + (last + 1) * size, buffer.dtype)


def moved(view: View) -> View | None:
    """A view that reaches outside its buffer, as one of the memory that it means."""
    form = view.form
    first, last = view.extent()
    found = placed(form.buffer, first, last)
    if found is None:
        return None
    buffer, at = found
    return View(ViewForm(buffer, form.shape, form.strides, form.layout), at + view.offset - first)


def missing_memory_error(op: Operation, m: Machine, buffer: GlobalBuffer, first: int, last: int) -> Exception:
    """Bytes in no rank's memory: whose they miss, and by how much."""
    assert buffer.place is not None
    base, size = buffer.place.base, buffer.dtype.size
    near, distance = buffer.place.space.nearest(base + first * size, base + (last + 1) * size)
    assert near.place is not None
    side = "behind the end" if distance > 0 else "in front"
    return m.refuse(
        "PTO-R850",
        f"rank {buffer.place.rank} computes an address from %{buffer.name} that belongs to no rank: "
        f"{abs(distance)} bytes {side} of %{near.name} of rank {near.place.rank}, which has "
        f"{near.raw.nbytes}",
        op,
        fix="add base[peer] - base[self] bytes to this rank's address; windows of all ranks have one size",
    )
