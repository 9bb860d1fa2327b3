"""Model of a channel between the cores of a block, by target."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.dialects.pto.core_enums import Flow, PushLayout, PushQuant
from ptoas.targets.pipes import FIX, MTE1, MTE2, MTE3, Pipe, S, V


@dataclass(frozen=True)
class ChannelModel:
    """Target-specific part of a channel: participants, pipes that wait and signal, the release of a slot."""

    both_lanes: bool = False
    """True if both vector cores take part in a channel whose tiles are not split."""
    stops_core: bool = False
    """True if a wait stops the whole core, not one pipe."""
    one_pipe: bool = False
    """True if one thread executes everything."""
    needs_memory: bool = False
    """True if the slots are always in global memory."""
    control_area: bool = False
    """True if cores count in a control area, whose address the host passes to the kernel."""
    both_ways_in_memory: bool = True
    """True if a channel through global memory can go both ways."""
    lacks_quants: frozenset[PushQuant] = frozenset()
    """Conversions that the push of an accumulator lacks."""
    lacks_layouts: frozenset[PushLayout] = frozenset()
    """Layouts that it lacks if the slots are in global memory."""
    odd_splits: str | None = None
    """Reason why tiles of odd extents can't be split; `None`: they can."""
    views: str | None = None
    """Reason why views of global memory can't be passed; `None`: they can."""

    def pushes(self, flow: Flow) -> Pipe:
        """The pipe that fills a slot and signals it."""
        if self.one_pipe:
            return S
        return FIX if flow is Flow.C2V else MTE3

    def pops(self, flow: Flow, in_memory: bool) -> Pipe:
        """The pipe that waits for a full slot; data written by it needs no further wait."""
        if self.one_pipe:
            return S
        if in_memory:
            return MTE2
        return V if flow is Flow.C2V else MTE1

    def frees(self, flow: Flow, in_memory: bool) -> Pipe:
        """The pipe after whose work a slot is free again."""
        return self.pops(flow, in_memory)

    def frees_at_pop(self, in_memory: bool, views: bool) -> bool:
        """True if a pop copies the slot and thereby releases it."""
        return in_memory and not views


_OF_A5 = frozenset(
    (
        PushQuant.QS322BF16_PRE,
        PushQuant.VQS322BF16_PRE,
        PushQuant.QF322HIF8_PRE,
        PushQuant.QF322FP8_PRE,
    )
)

# The header's push of a5 that converts names no layout of memory, and is not compiled; that of a2a3 stores
# nothing by columns, and its pop loads rows into rows only.
A5_MODEL = ChannelModel(both_ways_in_memory=False, lacks_layouts=frozenset(PushLayout))
A2A3_MODEL = ChannelModel(
    both_lanes=True,
    stops_core=True,
    needs_memory=True,
    control_area=True,
    lacks_quants=_OF_A5,
    lacks_layouts=frozenset((PushLayout.NZ2DN, PushLayout.NZ2NZ)),
)
CPU_MODEL = ChannelModel(
    one_pipe=True,
    lacks_quants=_OF_A5,
    odd_splits="the simulator splits even extents only",
    views="the simulator passes tiles only",
)
