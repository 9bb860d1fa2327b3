"""Channels: which declarations of the cube side and of the vector side are the two ends of one, and which
instructions use it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from ptoas.analysis.integers import CASTS
from ptoas.analysis.kinds import core_of, function_of, origin_of
from ptoas.analysis.structure import kind_of, walk
from ptoas.dialects.pto.channel import (
    ChannelOp,
    FreeOp,
    HandleInitOp,
    HandleOp,
    ImportReservedBufferOp,
    InitializePipeOp,
    NumberedChannelOp,
    PipeInitOp,
    PopOp,
    PushOp,
    ReserveBufferOp,
    RingAddressOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.scalar import GetSubblockIdxOp, GetSubblockNumOp

FLAGS = 16
"""Numbers of flags between the cores of a block."""

Key = Hashable


@dataclass(eq=False)
class ChannelEnd:
    """One end of a channel: its declaration, kind of core, and instructions."""

    init: PipeInitOp
    function: FuncOp
    kind: KernelKind | None
    uses: list[ChannelOp] = field(default_factory=list[ChannelOp])


@dataclass(eq=False)
class Channel:
    """The two ends; one, or more than two, where the program is wrong."""

    ends: list[ChannelEnd]
    flag_base: int = 0

    @property
    def first(self) -> PipeInitOp:
        return self.ends[0].init

    @property
    def uses(self) -> list[ChannelOp]:
        return [use for end in self.ends for use in end.uses]

    @property
    def number(self) -> int:
        """The number that the program gives it, for the order in which flags are given out."""
        init = self.first
        if isinstance(init, InitializePipeOp):
            return init.number
        base = init.flag_base if isinstance(init, HandleInitOp) else None
        return 0 if base is None else base.value.data

    @property
    def name(self) -> str:
        return f"channel {self.number}"

    @cached_property
    def nosplit(self) -> bool:
        """True if tiles are passed whole."""
        declared = [end.init.nosplit for end in self.ends if end.init.nosplit is not None]
        if declared:
            return bool(declared[0].value.data)
        return all(use.halves == 0 for use in self.uses)

    @property
    def width(self) -> int:
        """The number of flags: one for full and one for empty slots, for each direction."""
        return 2 * len(self.first.flows)

    def end(self, kind: KernelKind) -> ChannelEnd | None:
        return next((end for end in self.ends if end.kind is kind), None)


class Channels:
    """The channels of a module."""

    def __init__(self, module: ModuleOp):
        self.functions = {op.sym_name.data: op for op in walk(module) if isinstance(op, FuncOp)}
        self.reserved: dict[tuple[str, str], ReserveBufferOp] = {}
        """Reserved buffers by function and name."""
        self._ends: dict[PipeInitOp, ChannelEnd] = {}
        uses: list[ChannelOp] = []
        for op in walk(module):
            match op:
                case ReserveBufferOp():
                    function = function_of(op)
                    if function is not None:
                        self.reserved.setdefault((origin_of(function), op.buffer_name.data), op)
                case PipeInitOp():
                    function = function_of(op)
                    if function is not None:
                        self._ends[op] = ChannelEnd(op, function, core_of(op))
                case ChannelOp():
                    uses.append(op)
                case _:
                    pass
        self._numbered = {
            (end.function, init.SIDE, init.number): init
            for init, end in reversed(self._ends.items())
            if isinstance(init, InitializePipeOp)
        }
        for use in uses:
            init = self.init_of(use)
            if init is not None and init in self._ends:
                self._ends[init].uses.append(use)
        self.all = self._paired()
        self._of = {end.init: channel for channel in self.all for end in channel.ends}
        self._give_flags()

    def init_of(self, op: ChannelOp) -> PipeInitOp | None:
        """The declaration of the channel that an instruction uses, in its function."""
        if isinstance(op, HandleOp):
            owner = op.pipe_handle.owner
            return owner if isinstance(owner, HandleInitOp) else None
        function = function_of(op)
        if not isinstance(op, NumberedChannelOp) or function is None:
            return None
        return self._numbered.get((function, op.SIDE, op.number))

    def numbered(self, op: Operation, side: KernelKind, number: int) -> PipeInitOp | None:
        """The declaration of a number, in the function of an operation, on one side."""
        function = function_of(op)
        return None if function is None else self._numbered.get((function, side, number))

    def of(self, init: PipeInitOp) -> Channel:
        return self._of[init]

    def ends(self) -> Iterator[ChannelEnd]:
        yield from self._ends.values()

    # --- rings -----------------------------------------------------------------------------------

    def ring(self, value: SSAValue | None) -> ReserveBufferOp | None:
        """The operation that reserved a consumer's buffer, here or in the peer."""
        source = ring_source(value)
        if isinstance(source, ImportReservedBufferOp):
            name = source.peer_func.string_value()
            peer = self.functions.get(name)
            return self.reserved.get((name if peer is None else origin_of(peer), source.buffer_name.data))
        return source if isinstance(source, ReserveBufferOp) else None

    # --- pairs -----------------------------------------------------------------------------------

    def _keys(self, end: ChannelEnd) -> list[Key]:
        """The key shared by the two ends of a channel."""
        keys: list[Key] = []
        for flow in end.init.flows:
            reserved = self.ring(end.init.consumer(flow))
            if reserved is not None:
                function = function_of(reserved)
                assert function is not None
                keys.append((origin_of(function), reserved.buffer_name.data, flow))
        if keys:
            return keys
        if isinstance(end.init, InitializePipeOp):
            return [("number", end.init.number, end.init.dir_mask.value.data)]
        assert isinstance(end.init, HandleInitOp)
        base = end.init.flag_base
        return [("flag", None if base is None else base.value.data, end.init.dir_mask.value.data)]

    def _paired(self) -> list[Channel]:
        """The channels; ends that share a key belong together."""
        ends = list(self._ends.values())
        groups = DisjointSet(ends)
        first: dict[Key, ChannelEnd] = {}
        for end in ends:
            for key in self._keys(end):
                groups.union(first.setdefault(key, end), end)
        channels: dict[ChannelEnd, Channel] = {}
        for end in ends:
            channels.setdefault(groups.find(end), Channel([])).ends.append(end)
        return list(channels.values())

    def _give_flags(self) -> None:
        """Even numbers, the first that are free in all functions that the channel is declared in."""
        taken: dict[FuncOp, set[int]] = {}
        for channel in sorted(self.all, key=lambda channel: channel.number):
            busy = {flag for end in channel.ends for flag in taken.get(end.function, ())}
            bases = [e.init.flag_base for e in channel.ends if isinstance(e.init, HandleInitOp)]
            base = next((each.value.data for each in bases if each is not None), 0)
            while busy & set(range(base, base + channel.width)):
                base += 2
            channel.flag_base = base
            for end in channel.ends:
                taken.setdefault(end.function, set()).update(range(base, base + channel.width))


def ring_source(value: SSAValue | None) -> RingAddressOp | None:
    """The reservation of an address, through casts."""
    while value is not None:
        owner = value.owner
        if isinstance(owner, RingAddressOp):
            return owner
        if not isinstance(owner, CASTS):
            return None
        value = owner.operands[0]
    return None


def flow_of(op: ChannelOp) -> Flow | None:
    """Return the direction of an instruction, if necessary from the kind of its core."""
    flow = op.flow
    if flow is not None:
        return flow
    kind = core_of(op)
    if kind is None:
        return None
    sends = not isinstance(op, PopOp | FreeOp)
    return Flow.C2V if (kind is KernelKind.Cube) == sends else Flow.V2C


def peers_of(module: ModuleOp) -> list[tuple[FuncOp, FuncOp]]:
    """Pairs of a cube and a vector function that channels join, each pair once."""
    found: dict[tuple[FuncOp, FuncOp], None] = {}
    for channel in Channels(module).all:
        cube, vector = channel.end(KernelKind.Cube), channel.end(KernelKind.Vector)
        if cube is not None and vector is not None and cube.function is not vector.function:
            found[cube.function, vector.function] = None
    return list(found)


def popped_by(op: FreeOp) -> SSAValue | None:
    """The pop that an instruction releases: the oldest one before it in its block that is not released
    yet.
    """
    if op.entry is not None or op.parent is None:
        return op.entry
    waiting: list[SSAValue] = []
    for each in op.parent.ops:
        if each is op:
            return waiting[0] if waiting else None
        if not isinstance(each, PopOp | FreeOp) or not _same_channel(each, op):
            continue
        if isinstance(each, PopOp):
            waiting.append(each.popped)
        elif waiting:
            waiting.pop(0)
    return None


def released_by(op: FreeOp) -> tuple[SSAValue, ...]:
    """The pops that an instruction may release; if they are in another block, all pops of its function
    from the channel.
    """
    certain, function = popped_by(op), function_of(op)
    if certain is not None or function is None:
        return () if certain is None else (certain,)
    pops = (each for each in walk(function) if isinstance(each, PopOp))
    return tuple(each.popped for each in pops if _same_channel(each, op))


def overwritten_by(op: PopOp) -> SSAValue | None:
    """The tile whose copy lay where a pop puts its own: the one that was popped as many pops before in its
    block as the consumer's ring has slots."""
    init = declaration_of(op)
    if init is None or init.memory is None or op.parent is None:
        return None
    pops = [each for each in op.parent.ops if isinstance(each, PopOp) and _same_channel(each, op)]
    at = pops.index(op) - init.local_slots
    return pops[at].popped if at >= 0 else None


def _same_channel(a: ChannelOp, b: ChannelOp) -> bool:
    if isinstance(a, NumberedChannelOp) and isinstance(b, NumberedChannelOp):
        return (a.SIDE, a.FLOW, a.number) == (b.SIDE, b.FLOW, b.number)
    if isinstance(a, HandleOp) and isinstance(b, HandleOp):
        return a.pipe_handle is b.pipe_handle and flow_of(a) is flow_of(b)
    return False


def is_for_first_lane(function: FuncOp, channels: Channels) -> bool:
    """Return True if only vector core 0 runs a vector function.

    Its tiles are not split, and it does not query its core number. If both cores take part in such channels,
    it runs on both.
    """
    ends = [end for end in channels.ends() if end.function is function]
    if not ends or any(not channels.of(end.init).nosplit for end in ends):
        return False
    if kind_of(function) is not KernelKind.Vector:
        return False
    return not any(isinstance(op, GetSubblockIdxOp | GetSubblockNumOp) for op in walk(function))


def pushes_and_pops(channel: Channel, flow: Flow) -> tuple[list[PushOp], list[PopOp]]:
    uses = [use for use in channel.uses if flow_of(use) is flow]
    return [u for u in uses if isinstance(u, PushOp)], [u for u in uses if isinstance(u, PopOp)]


def declaration_of(op: ChannelOp) -> PipeInitOp | None:
    """Return the declaration of the channel that an instruction uses, in its function only."""
    if isinstance(op, HandleOp):
        owner = op.pipe_handle.owner
        return owner if isinstance(owner, HandleInitOp) else None
    function = function_of(op)
    if not isinstance(op, NumberedChannelOp) or function is None:
        return None
    for each in walk(function):
        if isinstance(each, InitializePipeOp) and (each.SIDE, each.number) == (op.SIDE, op.number):
            return each
    return None
