"""A program that is compiled once and run many times, on arrays that the caller owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ptoas.analysis.storage import is_placed_by_hand, tile_argument_addresses
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.compile import DEFAULT_MAX_STEPS, ModuleCompiler
from ptoas.machine.errors import failure, forgiving
from ptoas.machine.machine import Checks, Machine
from ptoas.machine.memory import Bits, LocalMemory
from ptoas.machine.observe import Observer, Printing
from ptoas.machine.race import RaceDetector
from ptoas.machine.tiles import Tile
from ptoas.machine.values import Allowance, generate
from ptoas.runner.arguments import Bound, bind, check_names
from ptoas.runner.parameters import Parameter, parameters_of
from ptoas.runner.ranks.world import World
from ptoas.runner.stats import Stats
from ptoas.runner.usage import analyse
from ptoas.spelling import did_you_mean
from ptoas.targets import Target, get_target


@dataclass
class Options:
    """How a program is run."""

    checks: Checks = field(default_factory=Checks)
    entry: str | None = None
    blocks: int = 1
    max_steps: int = DEFAULT_MAX_STEPS
    trace: bool = False
    stats: bool = False
    prints: tuple[Printing, ...] = ()
    legalize: bool = False
    sync: str | None = None
    on_output: Callable[[str], None] | None = None
    """Gets what the program prints, while it runs."""
    forced: bool = False
    """The program may break rules of the target."""
    warnings: tuple[Diagnostic, ...] = ()
    """What `verify` says of the program; every result repeats it."""


@dataclass
class Result:
    """What a run leaves behind.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %out : !pto.memref<1x8xi32>
    ... .const %c5 = 5 : i32
    ... %a = tci %c5 : (i32) -> !pto.tile<1x8xi32>
    ... tprint %a
    ... tstore %a, %out
    ... ''')
    >>> result = ptoas.run(module, target="cpu", stats=True)
    >>> result.outputs["out"].tolist(), result.target, result.stats.instructions["tstore"]
    ([[5, 6, 7, 8, 9, 10, 11, 12]], 'cpu', 1)
    >>> print(result.printed[0].splitlines()[0])
    TPRINT 1x8
    """

    target: str
    entry: str
    outputs: dict[str, Array]
    """Memory and tile arguments that the program writes, and tiles that it makes and nobody reads."""
    arguments: dict[str, Any]
    """All arguments, given and generated; memory is as it is after the run."""
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    printed: list[str] = field(default_factory=list[str])
    trace: list[str] = field(default_factory=list[str])
    stats: Stats | None = None
    steps: int = 0
    bits: dict[str, Array] = field(default_factory=dict[str, Array])
    """The outputs as bit patterns, for comparing runs."""


def choose_entry(module: ModuleOp, name: str | None) -> func.FuncOp:
    """The function to run: the one asked for, else the only one that nothing calls."""
    functions = [op for op in module.walk() if isinstance(op, func.FuncOp)]
    bodies = [op for op in functions if op.body.blocks and op.body.blocks[0].ops]
    names = ", ".join(op.sym_name.data for op in bodies) or "none"
    if name is not None:
        found = next((op for op in bodies if op.sym_name.data == name.removeprefix("@")), None)
        if found is None:
            raise failure(
                "PTO-R607",
                f"there is no function @{name} with a body",
                module,
                notes=(Note(f"there are: {names}"),),
            )
        return found
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
    entries = [op for op in bodies if op.sym_name.data not in called] or bodies
    if len(entries) != 1:
        place = entries[1] if entries else module
        raise failure(
            "PTO-R607",
            f"which function is to be run? There are {len(entries)}"
            if entries
            else "there is no function to run",
            place,
            notes=(Note("candidates: " + ", ".join(op.sym_name.data for op in entries)),) if entries else (),
            fix=f"--entry {entries[0].sym_name.data}" if entries else None,
        )
    return entries[0]


class Kernel:
    """A compiled program. Calls run one after the other, not at once: they share the core's memories.

    >>> import numpy as np, ptoas
    >>> module = ptoas.parse('''
    ... func.func @copy(%x: !pto.ptr<f32>, %n: index, %out: !pto.memref<1x8xf32>) {
    ...   %c1 = arith.constant 1 : index
    ...   %c8 = arith.constant 8 : index
    ...   %v = pto.make_tensor_view %x, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
    ...   %a = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    ...   pto.tload ins(%v : !pto.tensor_view<?x?xf32>) outs(%a : !pto.tile_buf<vec, 1x8xf32>)
    ...   pto.tstore ins(%a : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
    ...   return
    ... }
    ... ''')
    >>> kernel = ptoas.compile(module, "a5")
    >>> kernel.refine({"n": 4})
    >>> kernel.parameters[0].elements
    32
    >>> arguments = kernel.complete({"n": 1}, seed=3)
    >>> result = kernel.execute(arguments)
    >>> np.array_equal(result.outputs["out"].ravel(), arguments["x"].ravel())
    True
    >>> from ptoas.runner.ranks.world import World
    >>> kernel.for_rank(World(rank=1, size=4)).machine.world.rank
    1
    """

    def __init__(self, module: ModuleOp, target: str | Target, options: Options | None = None):
        from ptoas.lowering import prepare

        self.options = options or Options()
        self.target = get_target(target) if isinstance(target, str) else target
        for op in module.walk():
            if isinstance(op, func.FuncOp) and len(op.body.blocks) > 1:
                blocks = len(op.body.blocks)
                raise failure("PTO-R505", f"@{op.sym_name.data} has {blocks} blocks; one can be run", op)
        self._by_hand = {
            op.sym_name.data: is_placed_by_hand(op.walk())
            for op in module.walk()
            if isinstance(op, func.FuncOp)
        }
        self.module = prepare(module, self.target, legalize=self.options.legalize, sync=self.options.sync)
        self.entry = choose_entry(self.module, self.options.entry)
        self.parameters = parameters_of(self.entry)
        analyse(self.module, self.entry, self.parameters, self.target, {}, self.options.blocks)
        self._compile()
        self._last: list[tuple[Any, Bound]] = []

    def for_rank(self, world: World) -> Kernel:
        """The same program on a core of its own, as one rank of several."""
        other = copy(self)
        other.parameters = [copy(parameter) for parameter in self.parameters]
        # What `verify` says, it says of the program, not of a rank.
        other.options = replace(self.options, warnings=())
        other._last = []
        other._compile(world)
        return other

    def _compile(self, world: World | None = None) -> None:
        options, by_hand = self.options, self._by_hand
        simt = any(self.target.uses_simt(op) for op in self.module.walk())
        self.machine = Machine(
            self.target, options.checks, simt=simt, blocks=options.blocks, on_print=options.on_output
        )
        self.machine.world = world
        race = RaceDetector(self.machine) if options.checks.race and self.target.has_pipes else None
        self.race = race
        self.observer: Observer | None = None
        if options.trace or options.stats or options.prints:
            self.observer = Observer(
                self.machine,
                [] if options.trace else None,
                Stats() if options.stats else None,
                options.prints,
            )
        self.compiler = ModuleCompiler(
            self.module,
            self.machine,
            race=race,
            observer=self.observer,
            max_steps=options.max_steps,
            placed_by_compiler=lambda op: not by_hand.get(op.sym_name.data, True),
        )
        self.captured: dict[str, tuple[Tile, Array]] = {}
        self.compiler.capture = {value: self._capture for value in unread_tiles(self.entry)}
        self.function = self.compiler.function(self.entry.sym_name.data)
        self.own_bits = not by_hand.get(self.entry.sym_name.data, True)
        self._tiles: dict[int, Tile] = {}

    def _capture(self, tile: Tile) -> None:
        """Keep what was just written to a tile that nothing reads: later tiles may lie on its bytes."""
        self.captured[tile.name] = (tile, np.array(tile.load_raw()))

    # --- arguments ---

    def refine(self, given: Mapping[str, Any]) -> None:
        """Know sizes better, once scalar arguments are known."""
        numbers = {
            p.name: int(given[p.name])
            for p in self.parameters
            if p.kind == "scalar" and isinstance(given.get(p.name), int)
        }
        if numbers:
            fresh = parameters_of(self.entry)
            analyse(self.module, self.entry, fresh, self.target, numbers, self.options.blocks)
            for parameter, better in zip(self.parameters, fresh, strict=True):
                parameter.__dict__.update(better.__dict__)

    def complete(
        self, given: Mapping[str, Any], seed: int = 0, allowance: Allowance | None = None
    ) -> dict[str, Any]:
        """The given arguments, and generated ones for the rest."""
        check_names(self.parameters, given, self.entry)
        with forgiving(self.options.forced, self.entry):
            return self._complete(given, seed, allowance or Allowance())

    def _complete(self, given: Mapping[str, Any], seed: int, allowance: Allowance) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        scalars = {
            p.name: generate(p, self.entry, rng, allowance)
            for p in self.parameters
            if p.kind == "scalar" and p.name not in given
        }
        given = {**given, **scalars}
        self.refine(given)
        arguments: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in given:
                arguments[parameter.name] = given[parameter.name]
                continue
            # Each argument has its own stream: giving one does not change the others.
            rng = np.random.default_rng([seed, parameter.at])
            arguments[parameter.name] = generate(parameter, self.entry, rng, allowance)
        return arguments

    def _bind(self, arguments: Mapping[str, Any]) -> list[Bound]:
        """Arguments for the machine; what was bound before is used again, with all that hangs on it."""
        bound: list[Bound] = []
        pairs: list[tuple[Any, Bound]] = []
        changed = False
        for at, parameter in enumerate(self.parameters):
            given = arguments[parameter.name]
            last = self._last[at] if at < len(self._last) else None
            # Only an array can be used in place; anything else was copied, and may have changed.
            in_place = isinstance(given, np.ndarray) and parameter.kind in ("pointer", "memory")
            reusable = last is not None and last[0] is given and in_place
            if reusable and last is not None and last[1].finish is None:
                one = last[1]
            else:
                changed = changed or parameter.kind != "scalar"
                one = bind(parameter, given, self.entry)
            bound.append(one)
            pairs.append((given, one))
        if changed and self._last:
            self.machine.forget_arguments()
        self._last = pairs
        return bound

    # --- running ---

    def __call__(self, arguments: Mapping[str, Any] | None = None, /, **named: Any) -> Result:
        """Run on these arguments; memory arguments are written where they are."""
        given = {**(arguments or {}), **named}
        check_names(self.parameters, given, self.entry)
        missing = [p.name for p in self.parameters if p.name not in given]
        if missing:
            given = self.complete(given)
        return self.execute(given)

    def execute(self, given: Mapping[str, Any]) -> Result:
        """Run on all of the arguments; `__call__` does it after `complete`."""
        with forgiving(self.options.forced, self.entry):
            return self._execute(given)

    def _execute(self, given: Mapping[str, Any]) -> Result:
        bound = self._bind(given)
        machine, race, observer = self.machine, self.race, self.observer
        machine.warnings, machine.printed = [], []
        if observer is not None:
            observer.trace = [] if observer.trace is not None else None
            observer.seen.clear()
            if observer.stats is not None:
                # Steps that are kept hold the observer, not its numbers.
                observer.stats.__init__()
        self.compiler.steps.taken = 0
        self.captured.clear()
        tiles: list[tuple[Bound, Tile]] = []
        count_block = self.compiler.steps.counter(self.entry, sum(1 for _ in self.entry.walk()))
        try:
            with np.errstate(all="ignore"):
                for block in range(self.options.blocks):
                    machine.block = block
                    count_block(1)
                    if machine.checks.init or (block == 0 and not self._tiles):
                        machine.reset()
                    if race is not None:
                        race.reset()
                    tiles = []
                    values = [self._value(one, tiles) for one in bound]
                    self.function(*values)
                    if race is not None:
                        race.finish()
        except RecursionError:
            raise failure("PTO-R506", "functions call each other too deeply", self.entry) from None
        for one in bound:
            if one.finish is not None:
                one.finish()
        return self._result(bound, tiles)

    def _value(self, one: Bound, tiles: list[tuple[Bound, Tile]]) -> Any:
        """What the compiled function takes; a tile argument is put into local memory first (D24)."""
        if one.parameter.kind != "tile":
            return one.value
        tile = self._argument_tile(one)
        tile.store_raw(one.value)
        tile.region.mark(self.entry)
        tiles.append((one, tile))
        return tile

    def _argument_tile(self, one: Bound) -> Tile:
        parameter = one.parameter
        type = parameter.type
        assert isinstance(type, TileType)
        valid = one.value.shape
        known = self._tiles.get(parameter.at)
        if known is not None:
            if known.bits is not known.memory.bits:
                known.bits.forget()
            return known.with_valid(*valid)
        argument = self.entry.body.blocks[0].args[parameter.at]
        address = tile_argument_addresses(self.entry).get(argument)
        if address is None:
            # Placed by the caller: somewhere of its own.
            self.machine.hold(2 * type.size_bytes, self.entry)
            memory = LocalMemory(type.loc.data, type.size_bytes)
            tile = Tile(type, memory, 0, valid, parameter.name)
        else:
            memory = self.machine.memory(type.loc.data)
            if not 0 <= address <= memory.size - type.size_bytes:
                raise failure(
                    "PTO-R104",
                    f"%{parameter.name} takes {type.size_bytes} bytes from {address:#x}; "
                    f"{memory.loc.value} of {self.target.name} has {memory.size}",
                    self.entry,
                )
            bits = Bits(type.size_bytes, address) if self.own_bits else None
            tile = Tile(type, memory, address, valid, parameter.name, bits)
        self._tiles[parameter.at] = tile
        return tile

    def _result(self, bound: list[Bound], tiles: list[tuple[Bound, Tile]]) -> Result:
        outputs: dict[str, Array] = {}
        bits: dict[str, Array] = {}
        arguments: dict[str, Any] = {}
        for one in bound:
            parameter = one.parameter
            arguments[parameter.name] = one.value if parameter.kind == "scalar" else one.output
            if (
                parameter.written
                and parameter.kind in ("memory", "pointer", "group")
                and one.output is not None
            ):
                outputs[parameter.name] = one.output
                bits[parameter.name] = one.output
        for one, tile in tiles:
            if one.parameter.written:
                self._show(one.parameter.name, tile, np.array(tile.load_raw()), outputs, bits)
        for name, (tile, raw) in self.captured.items():
            if name not in outputs:
                self._show(name, tile, raw, outputs, bits)
        self._print_rest({**arguments, **outputs})
        return Result(
            self.target.name,
            self.entry.sym_name.data,
            outputs,
            arguments,
            [*self.options.warnings, *self.machine.warnings],
            list(self.machine.printed),
            list(self.observer.trace) if self.observer and self.observer.trace else [],
            self.observer.stats if self.observer else None,
            self.compiler.steps.taken,
            bits,
        )

    def _print_rest(self, known: dict[str, Any]) -> None:
        """What was asked to be printed and is not a tile that instructions write: memory, at the end."""
        if self.observer is None:
            return
        for printing in self.observer.prints:
            if printing.name in self.observer.seen:
                continue
            found = known.get(printing.name)
            if found is None:
                raise failure(
                    "PTO-R601",
                    f"--print {printing.name}: nothing of that name is written or passed in",
                    self.entry,
                    fix=did_you_mean(printing.name, [*known, *self._tile_names()]),
                )
            self.observer.show(printing, found, "at the end")

    def _tile_names(self) -> list[str]:
        return [op.result.name_hint or "" for op in self.entry.walk() if isinstance(op, AllocTileOp)]

    def _show(
        self, name: str, tile: Tile, raw: Array, outputs: dict[str, Array], bits: dict[str, Array]
    ) -> None:
        outputs[name] = raw if tile.dtype.coded else raw.view(tile.dtype.number)
        bits[name] = raw


def unread_tiles(entry: func.FuncOp) -> set[SSAValue]:
    """Tiles that instructions of the entry write and none reads: the results of a program without stores."""
    found: set[SSAValue] = set()
    for op in entry.walk():
        if not isinstance(op, AllocTileOp):
            continue
        uses = [use for use in op.result.uses if not isinstance(use.operation, TAssignOp)]
        if uses and all(_only_writes(use.operation, op.result) for use in uses):
            found.add(op.result)
    return found


def _only_writes(op: Any, value: SSAValue) -> bool:
    outs = {operand for slot in getattr(op, "OUTS", ()) for operand in op.operands_of(slot)}
    return value in outs and list(op.operands).count(value) == 1


__all__ = ["DYNAMIC", "Kernel", "Options", "Parameter", "PtoasError", "Result", "choose_entry"]
