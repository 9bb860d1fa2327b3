"""Accesses that some pipe may still be busy with, and a mask of each.

A flag changes the masks of all of them, and a function may have thousands. Those of one pipe with one mask
are a group, which is changed as one; groups that become alike are put together, the smaller into the larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ptoas.analysis.order import StaticAccess
from ptoas.dialects.pto.enums import Pipe


class PendingGroup:
    """Accesses of one pipe with equal masks."""

    __slots__ = ("mask", "members", "pipe")

    def __init__(self, pipe: Pipe, mask: int):
        self.pipe = pipe
        self.mask = mask
        self.members: dict[StaticAccess, None] = {}
        """Current members and some former ones; `Pending.by_place` distinguishes them."""


class Pending:
    """The accesses by their place, and their groups."""

    __slots__ = ("_groups", "by_place")

    def __init__(self, masks: Iterable[tuple[StaticAccess, int]] = ()):
        self.by_place: dict[int, dict[StaticAccess, PendingGroup]] = {}
        self._groups: dict[tuple[Pipe, int], PendingGroup] = {}
        for touch, mask in masks:
            self.put(touch, mask)

    def put(self, touch: StaticAccess, mask: int) -> None:
        """Add an access, or give it another mask."""
        key = touch.pipe, mask
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = PendingGroup(*key)
        group.members[touch] = None
        self.by_place.setdefault(touch.at, {})[touch] = group

    def items(self) -> Iterable[tuple[StaticAccess, int]]:
        return [(touch, group.mask) for here in self.by_place.values() for touch, group in here.items()]

    def change(self, masked: Callable[[Pipe, int], int], done: int) -> None:
        """Give every access the mask that its pipe and its mask make; those with all bits of `done` are
        forgotten."""
        groups, self._groups = self._groups, {}
        for group in groups.values():
            group.mask = masked(group.pipe, group.mask)
            if group.mask & done == done:
                self._drop(group)
                continue
            key = group.pipe, group.mask
            known = self._groups.setdefault(key, group)
            if known is not group:
                few, many = sorted((known, group), key=lambda each: len(each.members))
                self._move(few, many)
                self._groups[key] = many

    def _drop(self, group: PendingGroup) -> None:
        for touch in group.members:
            here = self.by_place.get(touch.at, {})
            if here.get(touch) is group:
                del here[touch]
                if not here:
                    del self.by_place[touch.at]

    def _move(self, few: PendingGroup, many: PendingGroup) -> None:
        for touch in few.members:
            here = self.by_place.get(touch.at, {})
            if here.get(touch) is few:
                here[touch] = many
                many.members[touch] = None

    def clear(self) -> None:
        self.by_place.clear()
        self._groups.clear()

    def copy(self) -> Pending:
        return Pending(self.items())

    def joined(self, other: Pending) -> Pending:
        """Return the join of two states: facts that hold on both paths."""
        masks = dict(self.items())
        for touch, mask in other.items():
            masks[touch] = masks.get(touch, mask) & mask
        return Pending(masks.items())

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> Pending:
        """Return the state under other names; of two that get one name, what holds for both."""
        masks: dict[StaticAccess, int] = {}
        for touch, mask in self.items():
            name = names.get(touch, touch)
            masks[name] = masks.get(name, mask) & mask
        return Pending(masks.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pending) and dict(self.items()) == dict(other.items())
