"""A program on one core: compiled once, run for one actor after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.analysis.channels import Channels
from ptoas.analysis.clocks import Ledger
from ptoas.analysis.kinds import origin_of, waits_for_blocks
from ptoas.analysis.storage import tile_argument_addresses
from ptoas.analysis.structure import calls_of, reached, walk
from ptoas.dialects.pto.enums import KernelKind, TileLoc
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, GetSubblockIdxOp, QueryOp
from ptoas.dialects.pto.types import TileType
from ptoas.grammar.spans import span_of
from ptoas.lowering.join_cube_vector import launch_arguments
from ptoas.lowering.launch import launch_request
from ptoas.machine.actors import ActorSlot, Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.cluster import Cluster, Grid
from ptoas.machine.compile import ModuleCompiler
from ptoas.machine.cross_core_writes import number
from ptoas.machine.errors import failure
from ptoas.machine.machine import Machine, label
from ptoas.machine.memory import Bits, GlobalBuffer, LocalMemory, Pointer, RankGroup, View
from ptoas.machine.race import RaceDetector
from ptoas.machine.scalar_cache import ScalarCache
from ptoas.machine.sharing import Sharing
from ptoas.machine.signal_history import SignalHistory
from ptoas.machine.source import Steps
from ptoas.machine.tiles import Tile
from ptoas.ops import load_bodies
from ptoas.ops.asynchronous import finish_inflight_dma
from ptoas.runner.arguments import BoundArgument
from ptoas.runner.entry import unread_tiles
from ptoas.runner.interrupted import interrupted_place
from ptoas.runner.observe import Observer, loop_name
from ptoas.runner.options import Options
from ptoas.runner.stats import Stats
from ptoas.targets import Target
from ptoas.verifier.data_dependence import data_dependences


@dataclass
class Program:
    """A module prepared for a target, ready to run."""

    module: ModuleOp
    entry: func.FuncOp
    target: Target
    options: Options
    placed_by_hand: dict[str, bool]
    """Functions by name: whether their tiles had addresses before the module was prepared."""
    channels: Channels | None = None
    """Its channels, if it has any."""
    writes_cross_core: bool = False
    """True if the cube core writes to the unified buffer of a vector core."""

    @property
    def has_replicas(self) -> bool:
        """True if both vector cores of a block get the same whole tiles, and do the same with them."""
        channels = self.channels.all if self.channels is not None else ()
        return any(each.nosplit and self.target.model(each.first).both_lanes for each in channels)

    @cached_property
    def data_dependences(self) -> tuple[str, ...]:
        """Places where the contents of memory could choose the path or an address."""
        found = [f"{label(op)} {reason}" for op, reason in data_dependences(self.module, self.target)]
        if self.has_replicas:
            found.append("both vector cores do the same, which their data decides")
        return tuple(dict.fromkeys(found))


Share = Callable[[Machine], Sharing]


class Core:
    """A machine and the program compiled for it."""

    def __init__(
        self,
        program: Program,
        launch: Launch,
        share: Share | None,
        steps: Steps,
        core: int = 0,
        others: tuple[LocalMemory, ...] = (),
    ):
        options = program.options
        self.program = program
        self.slot = ActorSlot()
        self.core = core
        """Its number in its block."""
        self.clusters: Mapping[int, Cluster] = {}
        """The shared state of the cores of each block, if there are several."""
        inner = reached(calls_of(program.module), [program.entry])
        self._simt = [op for each in inner for op in walk(each) if program.target.uses_simt(op)]
        self._request = launch_request([*inner], program.target) if options.checks.budget else None
        self.machine = Machine(
            program.target, options.checks, simt=bool(self._simt), launch=launch, on_print=options.on_output
        )
        self.machine.sharing = None if share is None else share(self.machine)
        self.race = RaceDetector(self.machine) if options.checks.race and program.target.has_pipes else None
        if options.checks.cache and program.target.has_pipes:
            self.machine.cache = ScalarCache(self.machine)
        self.machine.role, self.machine.core, self.machine.race = launch.cores[core], core, self.race
        self.machine.program_channels = program.channels
        if self.machine.role.kind is KernelKind.Cube and others:
            # What the cube core calls the unified buffer is that of a vector core.
            self.machine.lane_memories = others
            self.machine.memories[TileLoc.Vec] = others[0]
        self.machine.is_replica = program.has_replicas and self.machine.role.lanes > 1
        self.machine.sparse_credits = options.sparse_credits
        self.machine.isa = options.isa
        self.observer: Observer | None = None
        """Observer of the run, which contributes to the result."""
        if options.trace or options.stats or options.prints:
            self.observer = Observer(
                self.machine,
                [] if options.trace else None,
                Stats() if options.stats else None,
                options.prints,
            )
        self.watcher = self.observer
        if options.recorder is not None:
            options.recorder.number(program.module)
            self.watcher = options.recorder.on(self.machine)
        by_hand = program.placed_by_hand
        load_bodies()
        self.compiler = ModuleCompiler(
            program.module,
            self.machine,
            race=self.race,
            observer=self.watcher,
            steps=steps,
            on_iteration=None if options.on_progress is None else self._report_iteration,
            # Tiles that another core writes are known by their bytes.
            placed_by_compiler=lambda op: (
                not program.writes_cross_core and not by_hand.get(origin_of(op), True)
            ),
        )
        self.captured: dict[str, tuple[Tile, Array]] = {}
        """The last contents of tiles that nothing reads."""
        self.tiles: list[tuple[BoundArgument, Tile]] = []
        """The tile arguments of the last block."""
        self.compiler.capture = {value: self._capture for value in unread_tiles(program.entry)}
        self.function = self.compiler.function(program.entry.sym_name.data)
        weight = len(walk(program.entry))
        self._count_block = self.compiler.steps.counter(program.entry, weight)
        self._own_bits = not by_hand.get(program.entry.sym_name.data, True)
        self._argument_tiles: dict[int, Tile] = {}
        self._launch_arguments = launch_arguments(program.entry)

    def _report_iteration(self, loop: Operation, done: int, total: int) -> None:
        assert self.program.options.on_progress is not None
        self.program.options.on_progress(loop_name(loop), done, total)

    def _capture(self, tile: Tile) -> None:
        """Later tiles may lie on its bytes."""
        self.captured[tile.name] = (tile, np.array(tile.load_raw()))

    def attach(self, slot: ActorSlot, name: str) -> None:
        """Work as one of several actors; printed lines start with its name."""
        self.slot = slot
        say = self.program.options.on_output
        if say is not None:
            self.machine.on_print = lambda text: say(f"{name}: {text}")

    # --- running ---

    def release(self) -> None:
        """Forget the arguments of the last run."""
        self.machine.forget_arguments()
        self._argument_tiles.clear()
        self.tiles = []
        if self.race is not None:
            self.race.reset()
        if self.machine.cache is not None:
            self.machine.cache.reset()

    @property
    def history(self) -> SignalHistory | None:
        """Events of signals since the cores of a run began to share it."""
        return None if self.machine.sharing is None else self.machine.sharing.history

    def start(self, bound: Sequence[BoundArgument]) -> None:
        """Begin a new run on these arguments."""
        machine, observer = self.machine, self.observer
        machine.warnings, machine.printed, machine.choices = [], [], {}
        machine.hidden_choices = {}
        if observer is not None:
            observer.start()
        self.compiler.steps.taken = 0
        self.captured.clear()
        if self._request is not None:
            assert machine.target.ub is not None
            machine.warn(
                "PTO-R402",
                f"the tiles of @{self.program.entry.sym_name.data} end at byte {self._request}, beyond "
                f"the {machine.target.ub.default_budget} bytes of a launch without dynUBufSize",
                min(self._simt, key=lambda op: span_of(op).offset),
            )
        if machine.sharing is not None:
            if self.slot.scheduler is None:
                # Blocks that run one after the other tell each other something all the same.
                self.slot = ActorSlot(ledger=Ledger())
            several = machine.launch.blocks * len(machine.launch.cores) > 1
            machine.sharing.start(written_memory(bound) if several else ())

    def run(self, bound: Sequence[BoundArgument], blocks: Sequence[int]) -> None:
        """Let these blocks run one after the other."""
        on_progress = self.program.options.on_progress
        try:
            with np.errstate(all="ignore"):
                for at, block in enumerate(blocks):
                    if len(blocks) > 1 and on_progress is not None:
                        on_progress("blocks", at, len(blocks))
                    self._count_block(1)
                    alone = len(self.machine.launch.cores) == 1
                    if alone and (self.program.options.checks.init or (at == 0 and not self._argument_tiles)):
                        self.machine.reset()
                    self._run_block(bound, block)
        except RecursionError:
            raise failure("PTO-R506", "functions call each other too deeply", self.program.entry) from None
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(interrupted_place(interrupt, self.compiler))
            raise

    def _run_block(self, bound: Sequence[BoundArgument], block: int) -> None:
        machine, race = self.machine, self.race
        if race is None and machine.sharing is None:
            machine.actor.block = block
        else:
            machine.actor = self.slot.actor(block, machine.launch)
        machine.cluster = self.clusters.get(block)
        machine.actor.clocks.listener = self.watcher
        if race is not None:
            race.reset()
        if machine.cache is not None:
            machine.cache.reset()
        self.tiles = []
        machine.inflight_dma.clear()
        machine.push_scales.clear()
        self.function(*self._arguments(bound))
        finish_inflight_dma(machine)
        if race is not None:
            race.finish()
        if machine.cache is not None:
            machine.cache.flush(
                self.program.entry.body.block.last_op or self.program.entry, "the kernel ends"
            )

    def _arguments(self, bound: Sequence[BoundArgument]) -> list[Any]:
        """The arguments of the compiled function; those of the launch can't be overridden."""
        if not self._launch_arguments:
            return [self._value(one) for one in bound]
        machine = self.machine
        known: dict[type[QueryOp], int] = {
            GetBlockIdxOp: machine.actor.block,
            GetBlockNumOp: machine.launch.blocks,
            GetSubblockIdxOp: machine.role.lane,
        }
        values = {one.parameter.at: self._value(one) for one in bound}
        values |= {at: known[query] for at, query in self._launch_arguments.items() if at not in values}
        return [values[at] for at in sorted(values)]

    # --- tile arguments ---

    def _value(self, one: BoundArgument) -> Any:
        """The argument of the compiled function; a tile argument is copied to local memory first (D24)."""
        if one.parameter.kind != "tile":
            return one.value
        tile = self._argument_tile(one)
        tile.store_raw(one.value)
        tile.region.mark(self.program.entry)
        self.tiles.append((one, tile))
        return tile

    def _argument_tile(self, one: BoundArgument) -> Tile:
        parameter, entry = one.parameter, self.program.entry
        type = parameter.type
        assert isinstance(type, TileType)
        valid = one.value.shape
        known = self._argument_tiles.get(parameter.at)
        if known is not None:
            if known.bits is not known.memory.bits:
                known.bits.forget()
            return known.with_valid(*valid)
        address = tile_argument_addresses(entry).get(entry.body.blocks[0].args[parameter.at])
        if address is None:
            # Placed by the caller: somewhere of its own.
            self.machine.hold(2 * type.size_bytes, entry)
            memory = LocalMemory(type.loc.data, type.size_bytes)
            tile = Tile(type, memory, 0, valid, parameter.name)
        else:
            memory = self.machine.memory(type.loc.data)
            if not 0 <= address <= memory.size - type.size_bytes:
                raise failure(
                    "PTO-R104",
                    f"%{parameter.name} takes {type.size_bytes} bytes from {address:#x}; "
                    f"{memory.loc.value} of {self.program.target.name} has {memory.size}",
                    entry,
                )
            bits = Bits(type.size_bytes, address) if self._own_bits else None
            tile = Tile(type, memory, address, valid, parameter.name, bits)
        self._argument_tiles[parameter.at] = tile
        return tile


def cores_of(program: Program, launch: Launch, share: Share | None = None) -> list[Core]:
    """The cores of one block for all blocks, which then run one after the other; or those of each block, so
    that they take turns."""
    options = program.options
    take_turns = together(program, launch)
    several = len(launch.cores) > 1
    in_jobs = options.blocks > 1 and options.jobs != 1
    if share is None and (take_turns or several or in_jobs or (options.blocks > 1 and options.checks.race)):
        share = partial(Sharing, logs=in_jobs)
    steps = Steps(options.max_steps)
    cores: list[Core] = []
    for block in range(options.blocks if take_turns else 1):
        lanes: dict[int, Core] = {}
        # The cube core writes to the vector cores' memories, so that these are there first.
        for core in reversed(range(len(launch.cores))):
            memories = tuple(other.machine.memory(TileLoc.Vec) for other in lanes.values()) if several else ()
            lanes = {core: Core(program, launch, share, steps, core, memories), **lanes}
            if program.writes_cross_core:
                number(memories, block)
        cores += lanes.values()
    return cores


def together(program: Program, launch: Launch) -> bool:
    """Return True if the blocks run concurrently: on request, or if they wait for each other."""
    options = program.options
    if options.blocks == 1:
        return False
    if options.schedule is not None or (launch.ranks is not None and len(launch.cores) > 1):
        return True
    return any(waits_for_blocks(op) for op in walk(program.module))


def join_clusters(cores: Sequence[Core], launch: Launch, blocks: Sequence[int]) -> dict[int, Cluster]:
    """The shared state of the cores of each block; the cores are those of one block, or of all in turn."""
    size, grid = len(launch.cores), Grid()
    each = [cores[n : n + size] for n in range(0, len(cores), size)]
    groups = each if len(each) > 1 else each * len(blocks)
    clusters = {
        block: Cluster(grid, [core.machine for core in group])
        for block, group in zip(blocks, groups, strict=True)
    }
    for core in cores:
        core.clusters = clusters
    return clusters


def limit_memory(cores: Sequence[Core], most: int) -> None:
    """Limit the memory for tiles, traces and printed text of all cores together."""
    for core in cores:
        core.machine.limit_memory(most // len(cores))


def share_history(cores: Iterable[Core]) -> None:
    """Let cores write down the events of signals of a new run together."""
    history = SignalHistory()
    for core in cores:
        if core.machine.sharing is not None:
            core.machine.sharing.history = history


def written_memory(bound: Sequence[BoundArgument]) -> list[tuple[int, int]]:
    """The addresses of global memory that the program writes, first and end of each argument."""
    buffers = [buffer for one in bound if one.parameter.written for buffer in _buffers(one.value)]
    return [(buffer.address, buffer.end) for buffer in buffers]


def _buffers(value: object) -> list[GlobalBuffer]:
    match value:
        case View() | Pointer():
            return [value.buffer]
        case RankGroup():
            return [member.buffer for member in value.members]
        case _:
            return []
