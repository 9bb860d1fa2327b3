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
    """A permanent code with its one-line title and explanation."""

    code: str
    title: str
    explanation: str


_ROWS = (
    (
        "PTO-R101",
        "an index is outside the table",
        "Nothing checks an index under `undefined`, nor ever on `cpu`: a device then silently reads "
        "or writes other memory (D13). Choose `clamp`, `wrap`, `zero` or `skip`, or correct the "
        "index. `--unchecked` permits the access if it stays inside the buffer.",
    ),
    (
        "PTO-R102",
        "a view reaches outside its buffer",
        "The shape and strides of a view determine the elements it may access; the last of them must "
        "lie inside the argument that the pointer came from.",
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
        "A load or store moves the tile's valid region, so the view must have the same number of rows "
        "and columns. Sources of an instruction must be valid where its destination is. The simulator "
        "compares the extents, and so does a device where they decide what it does; elsewhere it is "
        "PTO-R945.",
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
        "A gather by mask or comparison packs the elements that it keeps; the destination needs space "
        "for all of them.",
    ),
    (
        "PTO-R109",
        "operands overlap that must not",
        "The instruction would overwrite indices or sources that it has not read yet (D22).",
    ),
    (
        "PTO-R111",
        "a tile is read after its bytes were overwritten through another tile",
        "Tiles with one address and one size are one buffer, and so are a tile and its views. Writing "
        "through a tile with another address or size destroys the bytes of all tiles that overlap it: "
        "they must be written again through the first tile before it is read (D47).",
    ),
    (
        "PTO-R120",
        "a table does not have the row width or strides that the target assumes",
        "Width or strides, known only when the program runs, differ from those that the target uses: "
        "it would silently read or write other elements (D16, D32).",
    ),
    (
        "PTO-R126",
        "a table of more than two dimensions",
        "The simulator's reference supports tables of rows and columns: the first three dimensions "
        "must be 1, static or not (PTO-A208).",
    ),
    (
        "PTO-R121",
        "the valid region of a gather or scatter is empty",
        "On the devices the valid extents of a gather or scatter must be at least one (D34).",
    ),
    (
        "PTO-R122",
        "a stride that the device ignores",
        "A transfer reads the elements of a row of nd memory, or of a column of dn memory, "
        "contiguously and ignores a stride other than 1 (D30).",
    ),
    (
        "PTO-R123",
        "a tile gather with gaps between its rows",
        "On the devices all columns of the index and the destination of a gather within tiles must be "
        "valid (document 004).",
    ),
    (
        "PTO-R124",
        "instructions of one pipe access the same bytes in no order",
        "Two instructions of one pipe access the same bytes, one of them writes, and no barrier of "
        "the pipe separates them: the pipe starts the second before the first has finished (D26). "
        "Loads and the scalar pipe keep their order, and so does PIPE_V on a5; on a2a3 a vector "
        "instruction may directly follow one that wrote exactly what it reads, if both have at least "
        "16 repeats of 256 bytes.",
    ),
    (
        "PTO-R125",
        "a staging tile is larger than the data",
        "Document 003 permits it. The headers of August 2026 load and store the whole valid region of "
        "the tile, and write beyond the destination if the data is smaller: an error under --isa "
        "2026.08 (D28).",
    ),
    (
        "PTO-R127",
        "the result of a conversion depends on the revision",
        "A number is too large for the new type, and `tcvt` names no saturation mode: without one it does "
        "not saturate up to --isa 2026.08, and does from 2026.09 on (D55).",
    ),
    (
        "PTO-R110",
        "two sources for one element of a scatter",
        "With `scatterConflict = default` the hardware decides which source is kept, and another run "
        "may give another result. Use `last`, an atomic operation, or unique indices.",
    ),
    (
        "PTO-R140",
        "values, indices and pairs of a sort do not match",
        "A pair takes eight bytes of the destination. There must be one row of indices, or one for "
        "each row of values.",
    ),
    (
        "PTO-R141",
        "the blocks of a merge are empty or not in groups of four",
        "A block is a whole number of pairs, and four neighbouring blocks are merged; on a2a3 none "
        "may be left over.",
    ),
    (
        "PTO-R142",
        "a converted or quantised tile does not fit its result",
        "A pair holds two numbers of the other tile. A block has 32 numbers, one exponent, one "
        "maximum and one scale; a row has one scale and one offset.",
    ),
    (
        "PTO-R130",
        "a flag between two cores",
        "A flag is a bit of one core and connects two of its pipes: S, V, MTE2 and MTE3 of a vector "
        "core, or S, M, MTE1, MTE2 and FIX of the cube core. Synchronise cores by counters of the "
        "block (`set_intra_block`, `wait_intra_block`) or by channels.",
    ),
    (
        "PTO-R131",
        "phases of an accumulator do not alternate",
        "A store with `stPhase` waits for a product with `accPhase` final into the accumulator, and a "
        "product with a phase waits for a store with `stPhase` final. If that never happens, the "
        "device hangs.",
    ),
    (
        "PTO-R150",
        "an index is outside a local array",
        "Each index of `local_array_get` and `local_array_set` counts from 0 and must be less than "
        "its dimension: other variables of the function follow the array.",
    ),
    (
        "PTO-R151",
        "a local variable is read before it is set",
        "A local array or struct has no value until it is set; a device reads what its stack held before.",
    ),
    (
        "PTO-R152",
        "trap was executed",
        "`trap` stops the program; the branch that leads to it tells why.",
    ),
    (
        "PTO-R153",
        "a pointer to an address without an argument",
        "A number can be used as a pointer only if it is an address inside an argument (`ptrtoint`) "
        "and a multiple of the element size; a device reads other memory, or stops.",
    ),
    (
        "PTO-R154",
        "a dimension that the view does not have",
        "`get_tensor_view_dim` and `get_tensor_view_stride` count the dimensions of a view from 0.",
    ),
    (
        "PTO-R155",
        "a tile that the multi tile does not have",
        "`multi_tile_get` counts the tiles of a multi tile from 0; the number must be less than its count.",
    ),
    (
        "PTO-R156",
        "an argument that can't be passed",
        "Arguments of a kernel are global memory, scalars and, in a run, tiles: local memory exists "
        "only while the kernel runs.",
    ),
    (
        "PTO-R157",
        "scales are not at the address that the matrix unit reads",
        "The matrix unit reads the scales of an operand at the operand's address divided by 16: "
        "`tget_scale_addr` binds a tile of scales to that address.",
    ),
    (
        "PTO-R158",
        "an undefined part of an accumulator is moved",
        "A device writes whole blocks of 16x16: if a product has fewer rows or columns, the rest of "
        "its last blocks is undefined (D57). This does no harm unless the undefined elements are "
        "used.",
    ),
    (
        "PTO-R159",
        "strides of a table are ignored",
        "Elements are counted from the start of the table, rows by the stride of DIM_3, so an index "
        "reads the gaps between the rows. `verify` reports static strides (PTO-A223). Copy the table "
        "into a packed one.",
    ),
    (
        "PTO-R951",
        "an operand or accumulator is not stored with the step that the matrix unit uses",
        "The matrix unit knows addresses and the extents of the product, not the shape of a tile: it "
        "steps over the valid extent, rounded up to blocks, from one line of blocks to the next. If "
        "fewer rows or columns are valid than the tile has, a device reads other elements. `verify` "
        "reports static extents (PTO-K105, PTO-K127); a compact tile is stored with this step.",
    ),
    (
        "PTO-R201",
        "uninitialised bytes are read",
        "No instruction has written these bytes of local memory. A simulator reads zeros, a device "
        "reads what the last kernel left (D14).",
    ),
    (
        "PTO-R945",
        "a source is valid for less than its destination",
        "A device processes the destination's valid region. Its headers compare the extents in debug "
        "builds; in others the instruction reads beyond the source's valid region. The run continues "
        "as the device does: initialised bytes are used as they are, and results of uninitialised "
        "bytes are tracked until something depends on them (PTO-R946). Give both the same valid "
        "extents.",
    ),
    (
        "PTO-R947",
        "a 64-bit division has more columns than a vector",
        "A5 divides 64-bit integers in one vector of 64 lanes per row; further columns keep their old "
        "contents. Divide tiles of 64 columns one after the other.",
    ),
    (
        "PTO-R946",
        "a result depends on uninitialised data",
        "An instruction read elements beyond the valid region of a source (PTO-R945) that no "
        "instruction has written. Elementwise instructions, conversions, expansions, copies and "
        "transposes pass the undefined elements on; a store, reduction, index or scalar would depend "
        "on what the last kernel left.",
    ),
    (
        "PTO-R301",
        "two pipes touch the same bytes in no order",
        "One of the two accesses is a write, and no chain of flags, barriers and handshakes orders "
        "them: on a device either may come first. Order them by a `set_flag`/`wait_flag` pair from "
        "the first pipe to the second.",
    ),
    (
        "PTO-R302",
        "a pipe waits for a flag that is never set",
        "The pipe waits for ever, so the device hangs.",
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
        "PTO-R311",
        "a line of the scalar data cache is not clean",
        "Scalar stores to global memory stay in the core's cache, in lines of 64 bytes, until the line is "
        "cleaned: DMA passes the cache by, and nothing writes it back when the kernel ends. "
        "`pto.cmo.cacheinvalid all` and `pto.fence.barrier_all` clean it; with automatic synchronisation "
        "they are inserted.",
    ),
    (
        "PTO-R312",
        "a scalar is loaded from a stale line of the data cache",
        "The line was fetched before DMA wrote to it, and scalar loads bring the old bytes until it is "
        "invalidated (`pto.cmo.cacheinvalid`).",
    ),
    (
        "PTO-R313",
        "two write one line of the scalar data cache",
        "A scalar store has no mask of bytes: the core writes back the whole line of 64 bytes, as it was "
        "when the line was fetched. What another core, or DMA, has written to the line meanwhile is lost.",
    ),
    (
        "PTO-R314",
        "stored bytes are loaded without a fence",
        "A flag from the store to the load says that the store has left the core, not that a load of the "
        "same bytes sees it. `pto.fence.barrier_all #pto.fence_scope<gm>` between the two makes it visible.",
    ),
    (
        "PTO-R306",
        "two blocks touch the same bytes in no order",
        "Blocks run at the same time, and one of the two writes global memory that the other "
        "accesses: on a device either may come first. Order blocks by `pto.syncall`, or by a scalar "
        "that one stores and the other loads; or give each its own part (`pto.get_block_idx`), or "
        "combine with an atomic store.",
    ),
    (
        "PTO-R401",
        "the tiles exceed the memory's budget",
        "Tiles may use less than the whole memory: see the document's UB Memory Budget (D22).",
    ),
    (
        "PTO-R402",
        "the launch must ask for more local memory",
        "Beyond the default budget the kernel must be launched with `dynUBufSize`, or the device may "
        "silently return wrong results (D22).",
    ),
    (
        "PTO-R501",
        "the program runs too long",
        "More operations than `--max-steps` were executed, or a loop would execute more.",
    ),
    (
        "PTO-R502",
        "a division by zero",
        "The quotient of integers by zero is undefined on every target, except that quotient and "
        "remainder of 64 bits are zero on A5.",
    ),
    ("PTO-R503", "a shift by the width or more", "The result of such a shift is undefined in `arith`."),
    (
        "PTO-R504",
        "a float is outside the range of its integer type",
        "The integer type has no value for the float.",
    ),
    (
        "PTO-R505",
        "an operation that can't be run",
        "The machine knows the `pto`, `arith`, `scf` and `func` operations of the language, and "
        "functions with a body of one block.",
    ),
    ("PTO-R506", "calls nest too deeply", "The functions call each other recursively."),
    (
        "PTO-R507",
        "a tile has no address",
        "If any tile of a function has an address, every local tile needs one before its first use (D21).",
    ),
    (
        "PTO-R508",
        "an invalid program can't be run further",
        "`--force` runs invalid programs as far as possible; `ptoas verify` names the broken rules.",
    ),
    ("PTO-R601", "no such argument", "The entry has no argument of that name."),
    (
        "PTO-R602",
        "an argument has the wrong type",
        "The array's elements are not those of the argument's type.",
    ),
    ("PTO-R603", "an argument has the wrong size", "The array's shape does not fit the argument's type."),
    ("PTO-R604", "a file can't be read", "The file is missing, or its content does not match its name."),
    ("PTO-R605", "not an index", "An index argument holds a value that is not an integer."),
    (
        "PTO-R606",
        "the arguments are too large",
        "Together they exceed `--max-memory`; nothing has been allocated.",
    ),
    ("PTO-R607", "the function to run is not known", "Name one with `--entry`."),
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
        "Pass every argument that the program reads, or compile with `generate=True` to use generated "
        "values, as `ptoas run` does. Arguments that are only written may be omitted; they are "
        "allocated.",
    ),
    ("PTO-R701", "an output differs from what was expected", "The notes show the first differences."),
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
        "A source must be ready before a collective starts and unchanged until it ends (document "
        "003), and a put must have arrived before its data is read. Ranks are ordered only by a "
        "scalar that one stores to shared memory and another loads, or by a signal: `comm.tnotify` "
        "releases the writes that a fence has made visible, `comm.twait` and `comm.ttest` acquire "
        "them.",
    ),
    (
        "PTO-R803",
        "ranks or blocks wait for ever",
        "Every unfinished rank or block waits for a flag or a scalar that nothing will write, so the "
        "devices hang.",
    ),
    (
        "PTO-R804",
        "the number of ranks differs from the group's",
        "A group has one member for each running rank.",
    ),
    (
        "PTO-R805",
        "MPI is not available",
        "`--ranks mpi` needs mpi4py (the extra `mpi`), and usually a start by mpiexec.",
    ),
    (
        "PTO-R806",
        "the destination of a collective is another rank's memory",
        "A gather or reduction writes to local memory of the root (document 003, D41).",
    ),
    (
        "PTO-R807",
        "the destination of a collective overlaps the root's source",
        "The destination may contain the root's own source only at the position of its result (in "
        "place, D41).",
    ),
    (
        "PTO-R808",
        "`--jobs` is ignored because processes can't be forked",
        "Blocks and ranks in several processes share memory and the compiled program, which needs "
        "`fork`. Without it one process runs everything, with the same result.",
    ),
    (
        "PTO-R850",
        "an address is in no rank's window",
        "A pointer that leaves its argument reaches another rank only if the distance is that between "
        "their windows in the context table: base[peer] - base[self] bytes. Any other address belongs "
        "to no rank.",
    ),
    (
        "PTO-R851",
        "memory of the wrong rank",
        "A rank puts from its own memory, gets into its own memory, and waits for signals in its own "
        "memory; the other end is the peer's.",
    ),
    (
        "PTO-R860",
        "an asynchronous transfer is not waited for",
        "Otherwise nothing tells whether the transfer is complete when the kernel ends.",
    ),
    (
        "PTO-R861",
        "memory of an unfinished transfer is accessed",
        "From the start of an asynchronous transfer until the wait for it, the engine uses both "
        "memories and the scratch tile of its session: on a device either access may come first.",
    ),
    (
        "PTO-R862",
        "an event of another session",
        "A session only knows the events of its own transfers.",
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
            "PTO-R508", f"the program is invalid and can't be run further ({why})", place
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
