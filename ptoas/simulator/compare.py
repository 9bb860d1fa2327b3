"""One program twice: as `run --target cpu` runs it, and as the instruction library's own simulator does.

Both begin with the same bytes. The C++ is what `lower` writes; a driver puts the memory in and takes it out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.kinds import needs_cluster
from ptoas.analysis.knowledge import packed_strides
from ptoas.compiler.run import compile, read_arguments
from ptoas.diagnostics import Diagnostic, Note, PtoasError, Span
from ptoas.dialects.pto.enums import Layout
from ptoas.grammar.spans import argument_type_span, span_of
from ptoas.lowering.emit_cpp import emit_cpp, names_of
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType
from ptoas.machine.errors import failure
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.machine.memory import Pointer, RankGroup, View
from ptoas.runner.arguments import BoundArgument, bind
from ptoas.runner.array_files import as_option_error
from ptoas.runner.compare import copy_arguments
from ptoas.runner.core import limit_memory
from ptoas.runner.entry import unread_tiles
from ptoas.runner.expressions import MOST_DIFFERENCES
from ptoas.runner.kernel import Kernel
from ptoas.runner.observe import statement
from ptoas.runner.values import Allowance, GrowingArray
from ptoas.simulator.driver import KERNEL, Driver, Piece
from ptoas.simulator.faults import BUILD, BYTES, STOPS, likely_causes
from ptoas.simulator.probes import insert_probes
from ptoas.simulator.program import build, execute, find_compiler, find_library

SECONDS = 60.0
"""Time limit of the compiled program in seconds."""
SHOWS = {"PTO-R713": BUILD, "PTO-R714": STOPS, "PTO-R715": STOPS, "PTO-R710": BYTES}
"""Symptom of a known simulator fault, by the code of the finding."""


@dataclass(frozen=True)
class ElementDifference:
    """A differing element: position, values and bits."""

    place: tuple[int, ...]
    run: str
    program: str


@dataclass(frozen=True)
class Output:
    """One piece of memory after both runs."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    count: int
    """Number of differing elements."""
    first: tuple[ElementDifference, ...] = ()


@dataclass
class Compared:
    """Result of `compare`; `equal` if nothing differs.

    >>> import ptoas
    >>> nothing = ptoas.Compared("copy", [], [])
    >>> nothing.equal, nothing.as_dict()["outputs"]
    (True, [])
    >>> print(nothing.text())
    nothing to compare: the program writes no argument and leaves no tile
    """

    entry: str
    outputs: list[Output]
    errors: list[Diagnostic]
    """A finding for each output that differs, with the first elements and the likely causes."""
    left_out: list[str] = field(default_factory=list[str])
    """Tiles whose memory is used again before the program ends: only `run` can tell what they held."""

    @property
    def equal(self) -> bool:
        """True if all bytes are equal."""
        return not self.errors

    def text(self) -> str:
        """A short text: outputs that agree, and those that can't be compared."""
        good = [f"{o.name} {'x'.join(map(str, o.shape))}x{o.dtype}" for o in self.outputs if not o.count]
        lines = [f"equal: {', '.join(good)}"] if good else []
        lines += [
            f"{o.name}: {o.count} of {np.prod(o.shape)} elements differ" for o in self.outputs if o.count
        ]
        lines += [f"{name}: not compared, its memory is used again" for name in self.left_out]
        return "\n".join(lines) or "nothing to compare: the program writes no argument and leaves no tile"

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        outputs = [asdict(output) for output in self.outputs]
        return {"entry": self.entry, "equal": self.equal, "outputs": outputs, "left_out": self.left_out}


def compare(
    module: ModuleOp,
    include: str,
    arguments: Mapping[str, Any] | Sequence[str] = (),
    *,
    cxx: str | None = None,
    timeout: float = SECONDS,
    keep: str | None = None,
    seed: int = 0,
    max_memory: int = DEFAULT_MAX_MEMORY,
    on_progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Compared:
    """Lower for `cpu`, compile with the library in `include`, run, and compare every byte with `run`.

    `arguments` are arrays by name, or `NAME=VALUE` texts; those left out are generated as `run` does. `cxx`
    is the command of a C++20 compiler, with options if need be. `keep` is a directory that gets the C++, the
    program and its data. Other options are those of `compile`. A compiler or library that is not there, C++
    that does not compile, and a program that stops or does not end raise `PtoasError`.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<1x8xf32>
    ... %a = tload %x : (!pto.memref<1x8xf32>) -> !pto.tile<1x8xf32>
    ... tstore %a, %x
    ... ''')
    >>> try:
    ...     ptoas.compare(module, "no/such/directory")
    ... except ptoas.PtoasError as error:
    ...     print(error.diagnostics[0].code, error.diagnostics[0].message)
    PTO-R712 no/such/directory is not an instruction library: there is no directory
    """
    library, compiler = find_library(include), find_compiler(cxx)
    kernel = compile(module, "cpu", on_progress=on_progress, **options)
    if isinstance(arguments, Mapping):
        limit_memory(kernel.cores, max_memory)
        values = kernel.complete(arguments, seed, Allowance(max_memory))
    else:
        values = read_arguments(kernel, arguments, seed=seed, max_memory=max_memory)
    with _directory(keep) as directory:
        trial = Trial(kernel, copy_arguments(values), directory)
        try:
            if on_progress is not None:
                on_progress("C++ compiler", 0, 1)
            trial.build(compiler, library)
            found = trial.judge(timeout)
        except PtoasError as error:
            raise PtoasError([_explained(kernel, finding) for finding in error.diagnostics]) from None
        if not found.equal and (note := _first_difference(trial, values, (compiler, library), timeout)):
            found.errors[0] = replace(found.errors[0], notes=(note, *found.errors[0].notes))
        return found


def _first_difference(
    trial: Trial, values: Mapping[str, Any], tools: tuple[Sequence[str], Path], seconds: float
) -> Note | None:
    """Run the program again with its intermediate tiles as outputs, and name the first that differs."""
    kernel = trial.kernel
    entry = kernel.entry.sym_name.data
    module, probes = insert_probes(kernel.module, entry, kernel.target)
    directory = trial.directory / "probes"
    directory.mkdir(exist_ok=True)
    try:
        probed = compile(module, kernel.target, entry=entry, blocks=kernel.options.blocks)
        again = Trial(
            probed, probed.complete(copy_arguments(values), 0, Allowance(DEFAULT_MAX_MEMORY)), directory
        )
        again.build(*tools)
        outputs = {output.name: output for output in again.judge(seconds).outputs}
    except PtoasError:
        return None  # The instrumented program is too large, or the library refuses one of the stores.
    for name, op in probes.items():
        if (output := outputs.get(name)) is not None and output.count:
            first = output.first[0]
            at = ", ".join(map(str, first.place))
            return Note(
                f"`{statement(op)}` is the first instruction whose result differs: [{at}] is {first.run} in "
                f"`run`, {first.program} in the compiled program",
                span_of(op),
            )
    return None


@contextmanager
def _directory(keep: str | None) -> Generator[Path, None, None]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="ptoas-") as made:
            yield Path(made)
        return
    with as_option_error(Path(keep), f"--keep {keep}"):
        Path(keep).mkdir(parents=True, exist_ok=True)
    yield Path(keep).resolve()


def _explained(kernel: Kernel, finding: Diagnostic) -> Diagnostic:
    """The finding with the known faults that may be its cause."""
    shows = SHOWS.get(finding.code)
    if shows is None:
        return finding
    return replace(finding, notes=(*finding.notes, *likely_causes(kernel.module, shows)))


class Trial:
    """A kernel on its arguments, run once in NumPy and once as a program."""

    def __init__(self, kernel: Kernel, values: Mapping[str, Any], directory: Path):
        self.kernel = kernel
        self.directory = directory
        known = self._of_known_size(values)
        self.bound = [bind(p, known[p.name], kernel.entry) for p in kernel.parameters]
        self.driver = Driver()
        self.driver.arguments(kernel, self.bound)
        self.result = kernel.execute({one.parameter.name: one for one in self.bound})
        self.tiles = {value.name_hint or "tile": value for value in unread_tiles(kernel.entry)}
        for name, value in self.tiles.items():
            bits = self.result.bits.get(name)
            if bits is not None:
                self.driver.unread(kernel, value, (int(bits.shape[0]), int(bits.shape[1])))

    def _of_known_size(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Memory that grows as it is reached is as large as a run makes it."""
        if not any(isinstance(value, GrowingArray) for value in values.values()):
            return dict(values)
        reached = self.kernel.execute(copy_arguments(values)).arguments
        return {
            name: value.reached(name, len(reached[name])) if isinstance(value, GrowingArray) else value
            for name, value in values.items()
        }

    def build(self, compiler: Sequence[str], library: Path) -> None:
        kernel = self.kernel
        function = names_of(kernel.module)[0][kernel.entry.sym_name.data]
        # Cores that pass tiles to each other are threads, which the entry starts.
        cores = needs_cluster(kernel.module, kernel.entry, has_pipes=False)
        text = emit_cpp(kernel.module, kernel.target, emit="entry" if cores else "kernel")
        (self.directory / KERNEL).write_text(text, encoding="utf-8")
        source = self.directory / "driver.cpp"
        source.write_text(self.driver.text(function, kernel.options.blocks), encoding="utf-8")
        build(compiler, library, source, self.directory / "program", span_of(kernel.entry))

    def judge(self, seconds: float) -> Compared:
        """Run the program and compare its outputs."""
        pieces = self.driver.pieces
        (self.directory / "in.bin").write_bytes(b"".join(piece.before for piece in pieces))
        blame = span_of(self.kernel.entry)
        execute(self.directory / "program", ("in.bin", "out.bin"), self.kernel.options.blocks, seconds, blame)
        data = (self.directory / "out.bin").read_bytes()
        if len(data) != sum(len(piece.before) for piece in pieces):
            raise failure(
                "PTO-R714", "the compiled program wrote less than its outputs", span=blame, target="cpu"
            )
        return self._compared(data)

    def _compared(self, data: bytes) -> Compared:
        found: list[Output] = []
        errors: list[Diagnostic] = []
        at = 0
        memory = iter(_memories(self.bound))
        for piece in self.driver.pieces:
            after = data[at : at + len(piece.before)]
            at += len(piece.before)
            ours, theirs, dtype = self._two(piece, after, memory)
            output = differing(piece.name, ours, theirs, dtype)
            found.append(output)
            if output.count:
                errors.append(self._finding(output))
        return Compared(self.kernel.entry.sym_name.data, found, errors, self.driver.left_out)

    def _two(self, piece: Piece, after: bytes, memory: Any) -> tuple[Array, Array, DType]:
        """The bits that `run` left and those that the program left, in the same shape."""
        if piece.tile is not None:
            tile = piece.tile
            before = np.array(tile.load_raw())
            tile.memory.data[:] = np.frombuffer(after, np.uint8)
            tile_ours = self.result.bits.get(piece.name, before)
            return tile_ours, np.array(tile.load_raw()), tile.dtype
        raw, shape, dtype = next(memory)
        bits = raw.reshape(-1).view(dtype.raw)
        theirs = np.frombuffer(after, dtype.raw)
        return bits.reshape(shape), theirs.reshape(shape), dtype

    def _finding(self, output: Output) -> Diagnostic:
        total = int(np.prod(output.shape))
        message = f"{output.name}: {output.count} of {total} elements differ from what `run` gives"
        rows = [f"{list(d.place)}  {d.run}  {d.program}" for d in output.first]
        notes = [Note("position, run, compiled program:"), *map(Note, rows)]
        found = Diagnostic(
            "PTO-R710", message, self._place(output.name), notes=tuple(notes), targets=("cpu",)
        )
        return _explained(self.kernel, found)

    def _place(self, name: str) -> Span:
        """Return the location at which an output is declared or created."""
        parameter = next((p for p in self.kernel.parameters if p.name == name), None)
        if parameter is not None:
            return argument_type_span(self.kernel.entry, parameter.at)
        value = self.tiles[name]
        writer = next((use.operation for use in value.uses), None)
        return span_of(writer or self.kernel.entry)


def _memories(bound: Sequence[BoundArgument]) -> Generator[tuple[Array, tuple[int, ...], DType], None, None]:
    """The memory of the arguments after the run, in the order of the driver's pieces, and its shape."""
    for one in bound:
        dtype = one.parameter.dtype
        match one.value:
            case Pointer() as pointer:
                shape = () if one.output is None else one.output.shape
                yield pointer.buffer.raw, _shape(pointer.buffer.size, shape), pointer.buffer.dtype
            case View() as view:
                packed = view.strides == packed_strides(view.shape, Layout.ND)
                yield view.buffer.raw, _shape(view.buffer.size, view.shape if packed else ()), view.dtype
            case RankGroup() as group:
                for member in group.members:
                    yield member.buffer.raw, _shape(member.buffer.size, ()), member.dtype
            case _ if one.parameter.kind == "counts":
                assert dtype is not None
                yield one.value.numbers, one.value.numbers.shape, dtype
            case _:
                pass


def _shape(size: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape, if that is how many elements there are; else they are counted one by one."""
    return shape if int(np.prod(shape)) == size and shape else (size,)


def differing(name: str, ours: Array, theirs: Array, dtype: DType) -> Output:
    """Two arrays of bits, element by element."""
    places = np.argwhere(ours != theirs)
    first = tuple(
        ElementDifference(
            tuple(int(n) for n in place),
            _shown(ours[tuple(place)], dtype),
            _shown(theirs[tuple(place)], dtype),
        )
        for place in places[:MOST_DIFFERENCES]
    )
    return Output(name, tuple(map(int, ours.shape)), dtype.short, len(places), first)


def _shown(bits: Any, dtype: DType) -> str:
    number = dtype.numbers(np.asarray(bits, dtype.raw).reshape(1))[0]
    return f"{number} ({int(bits):#0{2 + 2 * dtype.size}x})"
