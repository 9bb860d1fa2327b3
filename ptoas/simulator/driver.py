"""The C++ around a kernel: it reads the memory of all arguments, calls, and writes the memory that is left.

What an argument is in memory is what the machine has bound: a driver moves bytes, and knows no layout. A tile
is its physical bytes; those that nobody reads are looked at where they lie when the kernel is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from string import Template

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.kinds import needs_cluster
from ptoas.analysis.storage import places_of, tile_argument_addresses
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.data import load_text
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, GetSubblockIdxOp, QueryOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import argument_type_span
from ptoas.lowering.cpp.types import COUNTS_CPP, along, scalar_cpp, tile_cpp
from ptoas.lowering.join_cube_vector import launch_arguments
from ptoas.machine.arrays import Array, np
from ptoas.machine.counts import Counts
from ptoas.machine.errors import failure
from ptoas.machine.memory import LocalMemory, Pointer, RankGroup, View
from ptoas.machine.tiles import Tile
from ptoas.runner.arguments import BoundArgument
from ptoas.runner.kernel import Kernel

HEADER = "pto/pto-inst.hpp"
KERNEL = "kernel.cpp"


@dataclass
class Piece:
    """Some memory that goes into the program and comes back."""

    name: str
    before: bytes
    tile: Tile | None = None
    """The type by which the bytes of a tile can be laid out."""


@dataclass
class Driver:
    """The text of a driver while it is written, and the memory that it moves."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    setup: list[str] = field(default_factory=list[str])
    passed: list[str] = field(default_factory=list[str])
    back: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    """Tiles that can't be compared after the run."""

    def piece(self, name: str, before: bytes, tile: Tile | None = None) -> int:
        self.pieces.append(Piece(name, before, tile))
        return len(self.pieces) - 1

    def arguments(self, kernel: Kernel, bound: Sequence[BoundArgument]) -> None:
        """All arguments of the kernel, including those that the launch provides."""
        known, bound_by_position = launch_arguments(kernel.entry), {one.parameter.at: one for one in bound}
        # Cores that pass tiles to each other are threads, which get the same arguments.
        has_threads = needs_cluster(kernel.module, kernel.entry, has_pipes=False)
        for at, argument in enumerate(kernel.entry.args):
            if known.get(at) is GetSubblockIdxOp and has_threads:
                what = "another number on each core, and the threads of a program get the same arguments"
                raise _refused(kernel, at, str(argument.name_hint), what)
            if at in known:
                numbers: dict[type[QueryOp], str] = {
                    GetBlockIdxOp: "block",
                    GetBlockNumOp: str(kernel.options.blocks),
                }
                number = numbers.get(known[at], "0")  # a single core runs the block
                self.passed.append(f"static_cast<{scalar_cpp(argument.type)}>({number})")
            else:
                self.argument(kernel, bound_by_position[at])

    def argument(self, kernel: Kernel, bound: BoundArgument) -> None:
        """One parameter: its memory and the argument of the call."""
        parameter, value = bound.parameter, bound.value
        match value:
            case _ if parameter.is_context:
                what = "the table of all ranks' windows, and a program has one rank"
                raise _refused(kernel, parameter.at, parameter.name, what)
            case Pointer():
                self.passed.append(f"memory({self.piece(parameter.name, _bytes(value.buffer.raw))})")
            case View():
                self.passed.append(f"memory({self.piece(parameter.name, _bytes(value.buffer.raw))})")
                self.passed += _open_extents(parameter.type, value)
            case RankGroup():
                numbers = [self.piece(parameter.name, _bytes(each.buffer.raw)) for each in value.members]
                members = ", ".join(f"memory({n}).data" for n in numbers)
                self.setup.append(f"void *ranks{parameter.at}[] = {{{members}}};")
                self.passed.append(f"Pointers{{ranks{parameter.at}}}")
            case Counts():
                number = self.piece(parameter.name, _bytes(value.numbers))
                self.setup.append(f"{COUNTS_CPP} counts{parameter.at}{{}};")
                self.setup.append(f"memory({number}).put(&counts{parameter.at});")
                self.back.append(f"memory({number}).take(&counts{parameter.at});")
                self.passed.append(f"counts{parameter.at}")
            case int() | float():
                self.passed.append(_scalar(value, parameter.type))
            case _ if isinstance(parameter.type, TileType):
                self._tile(kernel, bound)
            case _:
                what = f"a {parameter.type}, which no driver can make"
                raise _refused(kernel, parameter.at, parameter.name, what)

    def _tile(self, kernel: Kernel, bound: BoundArgument) -> None:
        parameter, type = bound.parameter, bound.parameter.type
        assert isinstance(type, TileType)
        value = kernel.entry.body.block.args[parameter.at]
        address = tile_argument_addresses(kernel.entry).get(value)
        if address is None:
            what = "a tile that the caller places, and the caller is not run"
            raise _refused(kernel, parameter.at, parameter.name, what)
        rows, cols = bound.value.shape
        tile = Tile(type, LocalMemory(type.loc.data, type.size_bytes, poisoned=False), 0, (rows, cols))
        tile.store_raw(bound.value)
        number = self.piece(parameter.name, _bytes(tile.memory.data), tile)
        name = f"tile{parameter.at}"
        extents = [
            str(n * count)
            for n, valid, count in zip((rows, cols), type.valid, along(type), strict=True)
            if valid == DYNAMIC
        ]
        initializer = f"({', '.join(extents)})" if extents else ""
        self.setup.append(f"{tile_cpp(type)} {name}{initializer};")
        self.setup.append(f"TASSIGN({name}, {address:#x});")
        self.setup.append(f"memory({number}).put({name}.data());")
        self.back.append(f"memory({number}).take({name}.data());")
        self.passed.append(name)

    def unread(self, kernel: Kernel, value: SSAValue, valid: tuple[int, int]) -> None:
        """A tile that the kernel returns."""
        type, name = value.type, value.name_hint or "tile"
        assert isinstance(type, TileType)
        address = _own_place(kernel, value)
        if address is None:
            self.left_out.append(name)
            return
        tile = Tile(type, LocalMemory(type.loc.data, type.size_bytes, poisoned=False), 0, valid)
        number = self.piece(name, bytes(type.size_bytes), tile)
        self.back.append(f"{tile_cpp(type.override(valid=type.shape))} left{number};")
        self.back.append(f"TASSIGN(left{number}, {address:#x});")
        self.back.append(f"memory({number}).take(left{number}.data());")

    def text(self, function: str, blocks: int, include: str = KERNEL) -> str:
        """The translation unit."""
        call = [*self.setup, f"{function}({', '.join(self.passed)});", *self.back]
        if blocks > 1:
            turn = "pto::cpu_sim::set_execution_context(block, 0, 1);"
            inner = "\n".join(f"        {line}" for line in [turn, *call])
            body = f"    for (unsigned block = 0; block < {blocks}; ++block) {{\n{inner}\n    }}"
        else:
            body = "\n".join(f"    {line}" for line in ["[[maybe_unused]] const unsigned block = 0;", *call])
        sizes = ", ".join(str(len(piece.before)) for piece in self.pieces)
        template = Template(load_text("driver.cpp"))
        return template.substitute(include=include, sizes=sizes, body=body)


def _refused(kernel: Kernel, at: int, name: str, what: str) -> PtoasError:
    place = argument_type_span(kernel.entry, at)
    return failure("PTO-R716", f"%{name} is {what}", span=place, target="cpu")


def _bytes(array: Array) -> bytes:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).tobytes()


def _open_extents(type: object, view: View) -> list[str]:
    """Extents, then strides, that the type leaves open: they are parameters of their own."""
    assert isinstance(type, ViewType)
    pairs = list(zip(type.shape, view.shape, strict=True))
    if type.strides is not None:
        pairs += zip(type.strides, view.strides, strict=True)
    return [str(n) for extent, n in pairs if extent == DYNAMIC]


def _scalar(value: int | float, type: object) -> str:
    cpp = scalar_cpp(type)  # pyright: ignore[reportArgumentType]
    if isinstance(type, AnyFloat):
        number = float(value)
        if isfinite(number):
            return f"static_cast<{cpp}>({number.hex()})"
        text = '__builtin_nan("")' if number != number else "__builtin_inf()"
        return f"static_cast<{cpp}>({'-' * (number < 0)}{text})"
    # The least integer is no literal: it is the negative of one that does not fit.
    return f"static_cast<{cpp}>({int(value) & (1 << 64) - 1:#x}ULL)"


def _own_place(kernel: Kernel, value: SSAValue) -> int | None:
    """The address of a tile, if nothing writes to its bytes after it was written."""
    places = places_of(kernel.entry)
    type = value.type
    assert isinstance(type, TileType)
    address = places.address(value)
    if address is None:
        return None
    order = {op: at for at, op in enumerate(kernel.entry.walk())}
    written = max((order[use.operation] for use in value.uses), default=0)
    in_order = all(use.operation.parent_op() is kernel.entry for use in value.uses)
    tiles: Sequence[SSAValue] = [
        *kernel.entry.body.block.args,
        *(op.result for op in kernel.entry.walk() if isinstance(op, AllocTileOp)),
    ]
    for other in tiles:
        if other is value or not isinstance(other.type, TileType) or other.type.loc != type.loc:
            continue
        size = other.type.size_bytes
        disjoint = all(
            at is not None and (at + size <= address or address + type.size_bytes <= at)
            for at in places.starts(other)
        )
        if not disjoint and not (in_order and _is_done(other, written, order)):
            return None
    return address


def _is_done(tile: SSAValue, at: int, order: Mapping[Operation, int]) -> bool:
    """Return True if a tile is not used from an operation on; aliases are not followed."""
    return all(
        order[use.operation] < at and not any(isinstance(r.type, TileType) for r in use.operation.results)
        for use in tile.uses
    )
