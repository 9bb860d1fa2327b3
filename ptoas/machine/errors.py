"""Run-time errors: the catalogue of codes, and the construction of findings."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.ir import Operation

from ptoas.diagnostics import Diagnostic, Note, PtoasError, Severity, Source, Span, UsageError
from ptoas.diagnostics.codes import register
from ptoas.grammar.spans import operand_span, span_of
from ptoas.machine.core_codes import ROWS as CORE_ROWS


@dataclass(frozen=True)
class RunCode:
    """A permanent code, what it means in one line, and why it matters."""

    code: str
    title: str
    explanation: str


_ROWS = (
    (
        "PTO-R101",
        "an index is outside the table",
        "Under `undefined` nothing checks an index, and `cpu` never does: a device then reads or writes "
        "other memory without a word (D13). Choose `clamp`, `wrap`, `zero` or `skip`, or correct the "
        "index. `--unchecked` lets the access through where it stays inside the buffer.",
    ),
    (
        "PTO-R102",
        "a view reaches outside its buffer",
        "The shape and strides of a view say which elements it may touch; the last of them must lie "
        "inside the argument that the pointer came from.",
    ),
    (
        "PTO-R103",
        "a partition reaches outside its view",
        "In every dimension offset + size must not exceed the extent of the view that is partitioned.",
    ),
    (
        "PTO-R104",
        "a tile lies outside its memory",
        "A tile's address plus its physical size must fit the memory that its `loc` names on this target.",
    ),
    (
        "PTO-R105",
        "the extents of a tile and of memory differ",
        "A load or store moves the tile's valid region; the view has to have the same number of rows and "
        "columns. The sources of an instruction are valid where its destination is. The simulator compares "
        "them, and a device where the extents decide what it does; elsewhere it is PTO-R945.",
    ),
    (
        "PTO-R106",
        "a scalar access is outside its buffer",
        "`load_scalar`, `store_scalar` and `addptr` count elements from the pointer; the element must exist.",
    ),
    (
        "PTO-R107",
        "a valid extent or a window does not fit its tile",
        "Valid rows and columns lie between 0 and the physical extents, and a subview lies inside its "
        "parent.",
    ),
    (
        "PTO-R108",
        "more elements than the destination holds",
        "A gather by mask or by comparison packs what it keeps; the destination must have room for all "
        "of it.",
    ),
    (
        "PTO-R109",
        "operands overlap that must be apart",
        "The instruction would overwrite indices or sources that it has not read yet (D22).",
    ),
    (
        "PTO-R111",
        "a tile is read after its bytes were overwritten through another tile",
        "Tiles with one address and one size are one buffer, and so are a tile and its views. A tile with "
        "another address or size that overlaps it destroys what it holds: the bytes have to be written "
        "through the first tile again before they are read through it (D47).",
    ),
    (
        "PTO-R120",
        "a table that the target reads otherwise",
        "Width or strides, known only when the program runs, are not those that the target counts with: it "
        "would read or write other elements without a word (D16, D32).",
    ),
    (
        "PTO-R126",
        "a table of more than two dimensions",
        "The reference of the simulator knows tables of rows and columns: the first three dimensions, known "
        "only when the program runs, are 1, as static ones must be (PTO-A208).",
    ),
    (
        "PTO-R121",
        "nothing to gather or scatter",
        "On the devices the valid extents of a gather or scatter are at least one, as static ones must be "
        "(D34).",
    ),
    (
        "PTO-R122",
        "a stride that the device ignores",
        "Transfers take the elements of a row of nd memory, and of a column of dn memory, one after the "
        "other; a stride other than 1 there is not looked at (D30).",
    ),
    (
        "PTO-R123",
        "a tile gather with gaps between its rows",
        "On the devices index and destination of a gather within tiles are valid for all of their columns "
        "(document 004).",
    ),
    (
        "PTO-R124",
        "a pipe begins too early with what depends on what it was given before",
        "Two instructions of one pipe touch the same bytes, one of them writes, and no barrier of the pipe "
        "stands between them: it begins the second before the first is done (D26). Loads are a queue in "
        "order, the scalar pipe is, and so is PIPE_V on a5; on a2a3 an instruction may follow closely on one "
        "that wrote exactly what it reads, at least 16 repeats of 256 bytes.",
    ),
    (
        "PTO-R125",
        "a staging tile that is larger than what goes through it",
        "By document 003 that is no matter. The headers of August 2026 load and store a chunk as the tile is "
        "valid, and write beyond the destination where that is more than the data: an error under "
        "--isa 2026.08 (D28).",
    ),
    (
        "PTO-R110",
        "two sources for one place, and nothing says which wins",
        "With `scatterConflict = default` the hardware decides; another run may give another result. Use "
        "`last`, an atomic operation, or unique indices.",
    ),
    (
        "PTO-R140",
        "values, indices and pairs of a sort do not fit together",
        "A pair takes eight bytes of the destination, and its row of indices is the only one or one of as "
        "many as there are rows of values.",
    ),
    (
        "PTO-R141",
        "blocks of a merge are of no length, or come in no fours",
        "A block is a whole number of pairs, and four neighbouring ones are merged; on a2a3 none may be left "
        "over.",
    ),
    (
        "PTO-R142",
        "what is converted or quantised does not fit its result",
        "A pair is two numbers of the other tile; a block has 32 numbers, one exponent, one largest number "
        "and one scale; a row has one scale and one offset.",
    ),
    (
        "PTO-R130",
        "a flag between two cores",
        "A flag is a bit of one core, and joins two of its pipes: S, V, MTE2 and MTE3 of a vector core, or "
        "S, M, MTE1, MTE2 and FIX of the cube core. Cores wait for each other by counters of the block "
        "(`set_intra_block`, `wait_intra_block`) or by channels.",
    ),
    (
        "PTO-R131",
        "phases of an accumulator do not take turns",
        "A store with `stPhase` waits until a product with `accPhase` final has written the accumulator, and "
        "a product with a phase until a store with `stPhase` final has emptied it: where that never comes, "
        "the device hangs.",
    ),
    (
        "PTO-R150",
        "an index is outside a local array",
        "Each index of `local_array_get` and `local_array_set` counts from 0 and is less than its dimension: "
        "behind the array lies something else of the function's.",
    ),
    (
        "PTO-R151",
        "a local variable is read before it is set",
        "Nothing is in a local array or struct until it is set; a device has there what its stack held last.",
    ),
    (
        "PTO-R152",
        "the program has stopped itself",
        "`trap` says that what was not to happen has happened: the branch that leads to it says what.",
    ),
    (
        "PTO-R153",
        "an address that nothing lies at",
        "A number becomes a pointer only where it is the address of an argument (`ptrtoint`) or near it, "
        "and a multiple of the element's bytes; a device reads what happens to be there, or stops.",
    ),
    (
        "PTO-R154",
        "a dimension that the view does not have",
        "`get_tensor_view_dim` and `get_tensor_view_stride` count the dimensions of a view from 0.",
    ),
    (
        "PTO-R155",
        "there is no such tile",
        "`multi_tile_get` counts the tiles of a multi tile from 0; the number is less than its count.",
    ),
    (
        "PTO-R156",
        "an argument that no launch can pass",
        "Only global memory, scalars and, in a run, tiles are arguments of a kernel: its own memories begin "
        "and end with it.",
    ),
    (
        "PTO-R157",
        "scales are not where the matrix unit looks",
        "It is told where its operands are, and finds their scales at a sixteenth of that address: "
        "`tget_scale_addr` binds a tile of scales there.",
    ),
    (
        "PTO-R158",
        "an accumulator is moved on with what its product left undefined",
        "A device writes whole blocks of 16x16: where a product has fewer rows or columns, what the rest of "
        "its last blocks holds is nobody's result (D57). It is no harm where nothing looks at it.",
    ),
    (
        "PTO-R159",
        "strides of a table are ignored",
        "Elements are counted from the first of the table on, rows by the stride of DIM_3: an index reads "
        "what lies between the rows. Of strides that are known before, `verify` says it (PTO-A223). Copy the "
        "table into a packed one.",
    ),
    (
        "PTO-R951",
        "an operand or accumulator does not lie as it is walked",
        "The matrix unit knows addresses and the extents of the product, not the shape of a tile: from one "
        "line of blocks to the next it steps over the valid extent, rounded up to blocks. Where fewer rows "
        "or columns are valid than the tile has, a device multiplies, or reads, something else. Of static "
        "extents `verify` says it (PTO-K105, PTO-K127); a compact tile lies as it is walked.",
    ),
    (
        "PTO-R201",
        "uninitialised bytes are read",
        "Nothing has written these bytes of local memory. A simulator has zeros there, a device has what "
        "the last kernel left (D14).",
    ),
    (
        "PTO-R945",
        "a source is valid for less than its destination",
        "A device walks the destination's valid region. Its headers compare the extents in debug builds and "
        "stop there; in others the instruction takes what lies beyond the source's valid region. The run "
        "goes on as the device does: written bytes are taken as they are, and what comes of bytes that "
        "nothing has written is followed until something depends on it (PTO-R946). Give both the same valid "
        "extents.",
    ),
    (
        "PTO-R947",
        "more columns than are divided",
        "A5 divides 64-bit integers by one vector of 64 lanes a row; columns behind it keep what they held. "
        "Divide tiles of 64 columns one after the other.",
    ),
    (
        "PTO-R946",
        "something depends on what nothing has written",
        "An instruction took elements beyond the valid region of a source (PTO-R945), and nothing has "
        "written those. Arithmetic by elements, conversions, expansions, copies and transposes hand on what "
        "comes of them; a store, a reduction, an index or a scalar would be what the last kernel left.",
    ),
    (
        "PTO-R301",
        "two pipes touch the same bytes in no order",
        "One of the two accesses writes, and no chain of flags, barriers and handshakes orders them: on "
        "a device either may come first. A `set_flag`/`wait_flag` pair from the first pipe to the second "
        "orders them.",
    ),
    (
        "PTO-R302",
        "a pipe waits for a flag that is never set",
        "The device hangs here.",
    ),
    (
        "PTO-R303",
        "a flag is set twice",
        "Flags are not counted: the second `set_flag` before a `wait_flag` is lost, and a later wait hangs.",
    ),
    (
        "PTO-R304",
        "a flag that the instruction uses internally is already set",
        "The library sets and waits for this flag inside the instruction; if the program has set it, the "
        "wrong wait consumes it.",
    ),
    (
        "PTO-R305",
        "a flag is still set at the end",
        "The next kernel on this core starts with the flag set and may continue too early.",
    ),
    (
        "PTO-R306",
        "two blocks touch the same bytes in no order",
        "Blocks run at the same time, and one of the two writes global memory that the other touches: on a "
        "device either may come first. Blocks are ordered by `pto.syncall`, and by a scalar that one stores "
        "and the other loads. Let each have a part of its own (`pto.get_block_idx`), or combine with an "
        "atomic store.",
    ),
    (
        "PTO-R401",
        "the tiles do not fit the memory's budget",
        "The bytes that tiles may use are fewer than the memory has: see the document's UB Memory Budget "
        "(D22).",
    ),
    (
        "PTO-R402",
        "the launch has to ask for more local memory",
        "Beyond the default budget the kernel has to be launched with `dynUBufSize`, or the device may "
        "return wrong results in silence (D22).",
    ),
    (
        "PTO-R501",
        "the program runs too long",
        "More operations than `--max-steps` were executed, or a loop would execute more.",
    ),
    (
        "PTO-R502",
        "a division by zero",
        "The quotient of integers by zero has no value on any target. The exception: of 64 bits on A5 "
        "quotient and remainder are zero.",
    ),
    ("PTO-R503", "a shift by the width or more", "`arith` gives such a shift no value."),
    ("PTO-R504", "a conversion out of range", "The float has no value in the integer type."),
    (
        "PTO-R505",
        "an operation that can't be run",
        "The machine knows the `pto`, `arith`, `scf` and `func` operations of the language, and "
        "functions with a body of one block.",
    ),
    ("PTO-R506", "calls nest too deeply", "The functions call each other without end."),
    (
        "PTO-R507",
        "a tile has no address",
        "If any tile of a function has an address, every local tile needs one before its first use (D21).",
    ),
    (
        "PTO-R508",
        "a program that breaks the rules breaks the machine",
        "`--force` runs what does not verify, as far as it goes; `ptoas verify` names the broken rules.",
    ),
    ("PTO-R601", "no such argument", "The entry has no argument of that name."),
    (
        "PTO-R602",
        "an argument has the wrong type",
        "The array's elements are not those of the argument's type.",
    ),
    ("PTO-R603", "an argument has the wrong size", "The array's shape does not fit the argument's type."),
    ("PTO-R604", "a file can't be read", "The file is missing, or is not what its name says."),
    ("PTO-R605", "not an index", "An index argument holds a value that is not an integer."),
    (
        "PTO-R606",
        "the arguments are too large",
        "Together they exceed `--max-memory`; nothing has been allocated.",
    ),
    ("PTO-R607", "which function to run", "Name one with `--entry`."),
    (
        "PTO-R608",
        "an argument's size is unknown",
        "Neither its type nor a `make_tensor_view` with constant extents gives it: pass an array.",
    ),
    (
        "PTO-R609",
        "a value that can't be read",
        "A value is a .npy file, a .npz file and key, a .bin file, a number, or one of zeros, arange, "
        "full:V, random, random:LO:HI.",
    ),
    (
        "PTO-R610",
        "an argument is missing",
        "The library does not invent inputs: pass every argument that the program reads, or compile with "
        "`generate=True`, which fills in what is missing as `ptoas run` does. Arguments that are only "
        "written may be omitted; they are allocated.",
    ),
    ("PTO-R701", "an output differs from what was expected", "See the first differences."),
    ("PTO-R702", "a RUN-CHECK does not hold", "The expression is false for the outputs of this run."),
    (
        "PTO-R703",
        "a RUN-CHECK can't be read",
        "See the module `ptoas.runner.expressions` for the language.",
    ),
    (
        "PTO-R704",
        "a reference function can't be used",
        "`FILE.py:FUNCTION` is executed only with `--allow-python` or `allow-python = true` in the project's "
        "configuration. Its parameters have the names of the program's arguments; it returns the output; of "
        "several, a tuple or a dictionary.",
    ),
    (
        "PTO-R801",
        "a collective is called on a rank that is not the root",
        "Only the root calls it; on any other rank its behaviour is undefined (document 003). Put the "
        "call under a comparison of the rank with the root.",
    ),
    (
        "PTO-R802",
        "memory changes while another rank uses it",
        "A source must be ready before a collective starts and stay as it is until it is done (document "
        "003), and what is put must have arrived before it is read. Nothing orders what one rank does after "
        "what another does, except a scalar that one stores to shared memory and the other loads, or a "
        "signal: `comm.tnotify` tells of what a fence has made visible, `comm.twait` and `comm.ttest` learn "
        "it.",
    ),
    (
        "PTO-R803",
        "ranks or blocks wait for each other, or for nothing",
        "Every one that has not finished waits for a flag or a scalar that nobody is going to write: the "
        "devices hang.",
    ),
    (
        "PTO-R804",
        "the number of ranks differs from the group's",
        "A group has one member for each running rank.",
    ),
    (
        "PTO-R805",
        "MPI is not there",
        "`--ranks mpi` needs mpi4py (the extra `mpi`), and as a rule a start by mpiexec.",
    ),
    (
        "PTO-R806",
        "the destination of a collective is another rank's memory",
        "A gather or reduction writes to local memory of the root (document 003, D41).",
    ),
    (
        "PTO-R807",
        "the destination of a collective overlaps the root's source",
        "It may hold the root's own source only where that belongs: in place (D41).",
    ),
    (
        "PTO-R808",
        "processes are forked for `--jobs`",
        "Blocks and ranks in several processes share memory and the compiled program; both need `fork`, "
        "which this system does not have. One process runs everything, with the same result.",
    ),
    (
        "PTO-R850",
        "an address is in no rank's window",
        "A pointer that leaves its argument reaches another rank if the distance is that between their "
        "windows, as the context table has them: base[peer] - base[self] bytes. Any other address is "
        "nobody's memory.",
    ),
    (
        "PTO-R851",
        "the wrong rank's memory",
        "A rank puts what is its own, gets into what is its own, and waits for signals in its own memory; "
        "the other end is the peer's.",
    ),
    (
        "PTO-R860",
        "a transfer is not waited for",
        "It goes on beside the program; when the kernel ends nothing says whether it is done.",
    ),
    (
        "PTO-R861",
        "memory of a transfer that goes on is touched",
        "Between the start of an asynchronous transfer and the wait for it, both memories and the scratch "
        "tile of its session are the engine's: on a device either may come first.",
    ),
    (
        "PTO-R862",
        "an event of another session",
        "A session knows the events of what it was given, and no others.",
    ),
)

RUN_CODES: dict[str, RunCode] = {row[0]: RunCode(*row) for row in (*_ROWS, *CORE_ROWS)}
register({code: (each.title, each.explanation) for code, each in RUN_CODES.items()})


def finding(
    code: str,
    message: str,
    op: Operation | None = None,
    *,
    operand: int | None = None,
    span: Span | None = None,
    notes: tuple[Note, ...] = (),
    fix: str | None = None,
    target: str | None = None,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A diagnostic of a run; the place is the operand if one is given, else the operation."""
    assert code in RUN_CODES, code
    if span is None:
        if op is None:
            span = Span(Source("", "<run>"), 0, 1)
        else:
            span = span_of(op) if operand is None else _operand_place(op, operand)
    return Diagnostic(code, message, span, severity, notes, fix, (target,) if target else (), op)


def failure(code: str, message: str, op: Operation | None = None, **rest: object) -> PtoasError:
    """The same as an exception to raise."""
    return PtoasError([finding(code, message, op, **rest)])  # pyright: ignore[reportArgumentType]


@contextmanager
def forgiving(forced: bool, place: Operation) -> Generator[None, None, None]:
    """The machine relies on the rules. What fails for a broken one is a finding, too."""
    try:
        yield
    except UsageError:
        raise
    except (AssertionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if not forced:
            raise
        why = f"{type(error).__name__}: {error}".rstrip(": ")
        raise failure(
            "PTO-R508", f"this program does not verify, and the machine stops at that ({why})", place
        ) from error


def _operand_place(op: Operation, operand: int) -> Span:
    try:
        return operand_span(op, operand)
    except (ImportError, ValueError, IndexError):
        return span_of(op)


def command_line_span(text: str) -> Span:
    """A place in an option as it was given."""
    return Span(Source(text, "<command line>"), 0, max(1, len(text)))


def line_of(op: Operation) -> int:
    """The line of the statement that made `op`; 0 when it came from no text."""
    span = span_of(op)
    return span.line if span.source.text else 0
