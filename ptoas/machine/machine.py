"""The state of one actor's core while a program runs, and the registry of what its instructions do.

An instruction is a function of the operation, the machine, and the tiles and views of one execution. It
checks and prepares everything that depends on them alone, and returns a `Step` that does the work, as a
rule with one NumPy call. Steps are kept: the second time the same tiles and views come along only the work
is left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.channels import is_for_first_lane
from ptoas.analysis.knowledge import Knowledge
from ptoas.diagnostics import Diagnostic, Note, Severity, UsageError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.spans import span_of
from ptoas.machine.actors import ALONE, Actor, Launch, Role
from ptoas.machine.arrays import Array
from ptoas.machine.errors import failure, finding, line_of
from ptoas.machine.inflight_dma import InflightDma
from ptoas.machine.memory import GlobalBuffer, LocalMemory, View
from ptoas.machine.signals import Signals
from ptoas.machine.tiles import Region, Tile
from ptoas.targets import Target

if TYPE_CHECKING:
    from ptoas.analysis.channels import Channels
    from ptoas.dialects.pto.channel import PipeInitOp
    from ptoas.machine.cluster import Cluster
    from ptoas.machine.epilogue_scales import Scales
    from ptoas.machine.handover import DeferredGather
    from ptoas.machine.race import RaceDetector
    from ptoas.machine.scalar_cache import ScalarCache
    from ptoas.machine.sharing import Sharing
    from ptoas.machine.undef import Lanes

DEFAULT_MAX_MEMORY = 8 << 30

CHECK_NAMES = ("mem", "init", "race", "budget", "cache")


@dataclass(frozen=True)
class Checks:
    """The checks that are compiled in."""

    mem: bool = True
    init: bool = True
    race: bool = True
    budget: bool = True
    cache: bool = True
    unchecked: bool = False
    """Let an index out of bounds through where it stays inside the buffer (D13)."""

    @staticmethod
    def of(names: str | Iterable[str], unchecked: bool = False) -> Checks:
        """From `"mem,init"`, `"all"`, `"none"`, or a list of names."""
        words = names.split(",") if isinstance(names, str) else list(names)
        words = [word.strip() for word in words if word.strip()]
        if words == ["none"]:
            words = []
        elif words == ["all"]:
            words = list(CHECK_NAMES)
        unknown = [word for word in words if word not in CHECK_NAMES]
        if unknown:
            raise UsageError(
                f"there is no check {unknown[0]!r}; the checks are {', '.join(CHECK_NAMES)}, all, none"
            )
        return Checks(**{name: name in words for name in CHECK_NAMES}, unchecked=unchecked)


@dataclass
class Step:
    """The work of one instruction on given tiles and views."""

    run: Callable[..., None]
    """Takes the instruction's scalar operands."""
    reads: tuple[Region, ...] = ()
    writes: tuple[Region, ...] = ()
    clobbers: tuple[Region, ...] = ()
    """Scratch tiles, which are undefined afterwards."""
    moving: Callable[[View], None] | None = None
    """The same work on another view of the same form, for loads and stores in loops."""
    places: Callable[[], Array] | None = None
    """Addresses of the elements of global memory that it touched last, where the view says too much."""
    atomic: Hashable = None
    """The atomic operation on global memory, if any."""
    idle: bool = False
    """True if this actor takes part without doing anything."""
    later: DeferredGather | None = None
    """A gather in two parts, for a store right after it."""
    filled: Callable[[View, Array, DeferredGather, bool], bool] | None = None
    """A store of what a gather is about to bring, which goes to memory first; `False`: that can't be done."""
    delivers: bool = False
    """True if it transfers bytes between ranks itself."""
    lanes: Lanes | None = None
    """For elementwise instructions: the propagation of undefined elements."""


@dataclass
class Machine:
    """One core: its memories, actor, and findings."""

    target: Target
    checks: Checks = field(default_factory=Checks)
    isa: str | None = None
    """The revision that decides; `None`: the documents."""
    simt: bool = False
    """True if the program has SIMT instructions, which leave less local memory to tiles."""
    memories: dict[TileLoc, LocalMemory] = field(default_factory=dict[TileLoc, LocalMemory])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    printed: list[str] = field(default_factory=list[str])
    choices: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """Operations whose effect may depend on the order of the actors, and why."""
    hidden_choices: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """The same for effects that no order of this machine shows."""
    actor: Actor = field(default_factory=Actor)
    """The actor that uses this machine now."""
    launch: Launch = field(default_factory=Launch)
    knowledge: Knowledge = field(default_factory=Knowledge)
    """Static facts about the program."""
    role: Role = ALONE
    """The position of this core in its block."""
    core: int = 0
    """Its number in its block."""
    cluster: Cluster | None = None
    """The cores of its block, and what they have in common; made when it is asked for."""
    race: RaceDetector | None = None
    cache: ScalarCache | None = None
    """Its scalar data cache and the fences of its stores, where they are checked."""
    is_replica: bool = False
    """True if the vector cores of a block do the same, each with whole tiles."""
    lane_memories: tuple[LocalMemory, ...] = ()
    """Unified buffers of the block's vector cores, which the cube core writes to."""
    sparse_credits: bool = False
    """True if channels report free slots in batches, as the devices do."""
    sharing: Sharing | None = None
    """Memory that other actors reach, where there are any."""
    signals: Signals = field(init=False)
    inflight_dma: list[InflightDma] = field(default_factory=list[InflightDma])
    """Unfinished asynchronous transfers."""
    on_print: Callable[[str], None] | None = None
    program_channels: Channels | None = None
    push_scales: dict[PipeInitOp, Scales] = field(default_factory=dict["PipeInitOp", "Scales"])
    """Scales for what is pushed through channels, by the cube's end of them."""
    operation_caches: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Functions that clear the caches of operations: views of the arguments, steps bound to them."""

    addresses: dict[GlobalBuffer, int] = field(default_factory=dict[GlobalBuffer, int])
    """The numbers that stand for arguments whose pointers the program looks at as numbers."""

    def __post_init__(self) -> None:
        self.signals = Signals(self)

    @property
    def actor_number(self) -> int:
        """Its number among all cores of the launch."""
        return self.actor.clocks.actor

    def number_of(self, core: int) -> int:
        """The number of a core of this block among all of the launch; that core may not have begun yet."""
        return self.launch.number(self.actor.rank, self.actor.block, core)

    @property
    def cluster_of_block(self) -> Cluster:
        if self.cluster is None:
            from ptoas.machine.cluster import Cluster, Grid

            self.cluster = Cluster(Grid(), [self])
        return self.cluster

    @property
    def channels(self) -> Channels:
        """The channels of the program."""
        assert self.program_channels is not None, "a core knows its program"
        return self.program_channels

    def leaves_to_first_lane(self, function: FuncOp) -> bool:
        """Return True if only vector core 0 runs a function: its channels pass whole tiles to it."""
        channels = self.program_channels
        if channels is None or not is_for_first_lane(function, channels):
            return False
        inits = [end.init for end in channels.ends() if end.function is function]
        return not any(self.target.model(init).both_lanes for init in inits)

    def fence(self) -> None:
        """Wait for all pipes and make their writes visible."""
        self.actor.clocks.fence()

    def clear_with_arguments(self, clear: Callable[[], None]) -> None:
        """Clear a cache when the arguments change, so that no old array is held."""
        self.operation_caches.append(clear)

    def forget_arguments(self) -> None:
        for clear in (*self.operation_caches, self.addresses.clear):
            clear()

    max_memory: int = DEFAULT_MAX_MEMORY
    held: int = 0
    """Bytes that are kept for the program besides its arguments and the core's memories."""

    def limit_memory(self, most: int) -> None:
        self.max_memory = most
        self.hold(0)

    def hold(self, size: int, op: Operation | None = None) -> None:
        """Keep so many bytes more; refused before they are allocated."""
        self.held += size
        if self.held > self.max_memory:
            raise failure(
                "PTO-R606",
                f"tiles, traces and printed text take {self.held} bytes, more than the {self.max_memory} of "
                "--max-memory",
                op,
            )

    def memory(self, loc: TileLoc) -> LocalMemory:
        found = self.memories.get(loc)
        if found is None:
            if loc not in self.target.memories:
                raise failure("PTO-R104", f"{self.target.name} has no memory for tiles with loc={loc.value}")
            found = LocalMemory(
                loc, self.target.memories[loc], poisoned=self.target.memories[loc] is not None
            )
            self.memories[loc] = found
        return found

    def reset(self) -> None:
        """Forget everything in local memory: a new block starts."""
        for memory in self.memories.values():
            memory.forget()

    def warn(self, code: str, message: str, op: Operation) -> None:
        """Say something once for each place."""
        diagnostic = finding(code, message, op, target=self.target.name, severity=Severity.WARNING)
        if diagnostic not in self.warnings:
            self.warnings.append(diagnostic)

    def fail(self, code: str, message: str, op: Operation, **rest: Any) -> Exception:
        return failure(code, message, op, target=self.target.name, **rest)

    def refuse(self, code: str, message: str, op: Operation, **rest: Any) -> Exception:
        """The error of an instruction, whose name is put in front of the message."""
        return self.fail(code, f"{op.name.removeprefix('pto.')}: {message}", op, **rest)

    def print_line(self, text: str) -> None:
        self.hold(len(text))
        self.printed.append(text)
        if self.on_print is not None:
            self.on_print(text)


def writer_note(tile: Tile) -> tuple[Note, ...]:
    """A note on the last writer of a tile."""
    op = tile.region.last_writer()
    if op is None:
        return (Note(f"no instruction of this run writes {tile.describe()}"),)
    if isinstance(op, FuncOp):
        return (Note(f"%{tile.name} is an argument", span_of(op)),)
    return (Note(f"%{tile.name} was last written by {label(op)}", span_of(op)),)


def label(op: Operation) -> str:
    """`tload at line 12`."""
    line = line_of(op)
    return op.name.removeprefix("pto.") + (f" at line {line}" if line else "")


# --- the registry --------------------------------------------------------------------------------

INSTRUCTIONS: dict[type[PtoOp], Callable[..., Step]] = {}
"""The effect of each instruction on tiles and memory; called with the operation, the machine, and the
operands that are tiles or views, by their slots."""

VALUES: dict[type[PtoOp], Callable[[Any, Machine], Callable[..., Any]]] = {}
"""Operations that make a value, or touch single scalars; called with their operands in order."""

F = TypeVar("F", bound=Callable[..., Any])


def instruction(*classes: type[PtoOp]) -> Callable[[F], F]:
    """Register the meaning of an instruction."""
    return partial(_register, INSTRUCTIONS, classes)


def prepared_value(*classes: type[PtoOp]) -> Callable[[F], F]:
    """Register what makes the meaning of an operation on values, from the operation and the machine."""
    return partial(_register, VALUES, classes)


def value(*classes: type[PtoOp]) -> Callable[[F], F]:
    """Register the meaning of an operation on values: a function of operation, machine and operands."""

    def register(function: F) -> F:
        def prepare(op: PtoOp, machine: Machine) -> Callable[..., Any]:
            return partial(function, op, machine)

        _register(VALUES, classes, prepare)
        return function

    return register


def _register(registry: dict[type[PtoOp], Any], classes: Iterable[type[PtoOp]], function: F) -> F:
    for cls in classes:
        assert cls not in registry, cls
        registry[cls] = function
    return function
