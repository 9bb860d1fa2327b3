"""The decisions: what ptoas does where the documents that it follows are silent, or disagree.

Code, messages and rules cite a decision as `D21`. `ptoas explain` prints the sentence of each that it meets,
and docs/decisions.md, printed from here, all of them whole.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """One decision: its number is permanent, its sentence says what holds, the rest how and why."""

    number: int
    title: str
    sentence: str
    more: str = ""

    @property
    def name(self) -> str:
        return f"D{self.number}"


CHAPTERS: tuple[tuple[str, tuple[Decision, ...]], ...] = (
    (
        "Targets",
        (
            Decision(
                1,
                "Four targets",
                "The targets are `cpu`, `a2a3`, `a5` and `a5-custom`.",
                "`a2` and `a3` are other names of `a2a3`, and a chip may be named in place of its target: "
                "`ascend910b` is `a2a3`, `ascend950` is `a5`. `a5-custom` is the earlier custom instruction "
                "of document 002, with rules, a header and template arguments of its own. All that is "
                "special to a target is data and rules in one place; nothing else asks which target it is.",
            ),
            Decision(
                2,
                "Which target a program is for",
                "`--target` decides, then the target that the module names (`.target a5`, "
                "`pto.target_arch`, or by its device `pto.device-spec`), and with neither `verify` checks "
                "all four.",
                "Where the option and the module differ, a note says so. `lower` and `run` need one target "
                "and ask for it where none is named.",
            ),
            Decision(
                3,
                "The 8-bit floats",
                "`f8E4M3FN`, `f8E5M2` and `hif8` need an AICORE build: `a5` always is one, `a2a3` never, "
                "`cpu` with `--aicore`.",
                "`a5-custom` takes the two float8 types, and no `hif8`.",
            ),
        ),
    ),
    (
        "Syntax",
        (
            Decision(
                4,
                "One program, three forms",
                "A program may mix PTO-AS with the SSA and the DPS form of MLIR text.",
                "A file is either a bare program (`.arg`, `.const` and instructions, one function with the "
                "name of the file) or MLIR text with `module`, `func.func`, blocks, `arith` and `scf`.",
            ),
            Decision(
                5,
                "Comments",
                "`//` starts a comment; `#` does where a space, another `#` or the end of the line follows, "
                "or at the start of a line that is no attribute alias.",
                "`#name = ...` at the start of a line is an alias; `#name<...>`, `#pto<...>` and "
                "`#key=value` behind operands are attributes. A `;` may end a statement.",
            ),
            Decision(
                6,
                "Where the destination stands",
                "The destination is a result or the first operand; both make the same operation.",
                "Where it is an operand, the list of types begins with its type.",
            ),
            Decision(
                7,
                "Suffixes are attributes",
                "`mgather.row.clamp` and `{coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob "
                "clamp>}` say the same; a suffix and an attribute that contradict each other are an error.",
                "`#pto.coalesce<row>` is a third spelling.",
            ),
            Decision(
                8,
                "A gather without a mode",
                "`mgather` without `.row` or `.elem` has the mode that is the target's default; shapes are "
                "never asked.",
                "The default is Elem on `cpu` and Row on `a2a3` and `a5`; on `a5-custom` the columns of the "
                "index tile decide, as document 002 has it. One text then means two things: where several "
                "targets are checked, `verify` warns and names both portable spellings.",
            ),
            Decision(
                9,
                "Spellings of types",
                "Every spelling of tiles that the documents use is read: `!pto.tile<16x32xf32>`, the "
                "positional list, and `key=value` in any order.",
                "What is left out is `vec`, valid in full, `row_major` (`col_major` for a column of several "
                "rows, which has no other legal layout), `none_box`, `fractal=512` and `pad=null`. "
                "`!pto.memref` has one to five dimensions, `?` where one is known at run time, and "
                "optionally a layout and strides.",
            ),
            Decision(
                10,
                "Element types",
                "`i8`, `i16` and `i32` are signed, with or without `s`; `u8`, `u16` and `u32` (`ui8`, ...) "
                "are not.",
                "The floats are `f16`, `bf16`, `f32`, `f8E4M3FN`, `f8E5M2` and `!pto.hif8`, with their short "
                "names.",
            ),
            Decision(
                11,
                "Fewer than five dimensions",
                "A shape of fewer dimensions is the last of the five; those before it are 1.",
            ),
        ),
    ),
    (
        "Meaning",
        (
            Decision(
                12,
                "The bits of an index",
                "Devices read an index as 32 unsigned bits; `cpu` extends a signed one to 64.",
                "So -1 is 4294967295 on a device: `clamp` gives the last row, `wrap` the remainder of that "
                "number, `zero` zeros.",
            ),
            Decision(
                13,
                "Undefined is not silent",
                "An index outside the table under `undefined`, and any on `cpu`, stops `run` with the "
                "instruction, the place in the index tile, the value and the capacity.",
                "`--unchecked` lets it read what the target would, as far as that is inside the buffer.",
            ),
            Decision(
                14,
                "Only the valid region is written",
                "What lies outside the destination's valid region keeps its bytes.",
                "There are two exceptions, both NZ gathers in Row mode on `a2a3`: `zero` clears the whole "
                "tile first (in Elem mode only the element is cleared), and whole logical rows are written "
                "(D32). Bytes of local memory that nothing wrote are uninitialised, and `run` reports a read "
                "of them.",
            ),
            Decision(
                15,
                "Capacity",
                "A Row gather counts the rows of the table: the product of the first four extents on `a2a3`, "
                "the fourth alone on `a5` and `a5-custom`, `gShape2 * 16` for NZ.",
                "An Elem gather counts all elements, on `a5-custom` those of the last two dimensions. Where "
                "several targets are checked and the first three extents are not all 1, `verify` warns: the "
                "two Row capacities differ.",
            ),
            Decision(
                16,
                "Row stride",
                "From one row to the next, `a2a3` takes the table's own stride, `a5` the destination's valid "
                "columns, `a5-custom` the table's width.",
                "`a5` therefore takes packed ND tables only (its header lets NZ through and gives wrong "
                "rows), and padding is an error on `a5-custom` as well. What only the running program knows, "
                "`run` checks: a width or stride that turns out to differ from the valid columns, an Elem "
                "table that is not packed.",
            ),
            Decision(
                17,
                "`cpu` has no Row mode",
                "On `cpu`, `mgather.row` and every out-of-bounds mode but `undefined` are refused.",
                "The form that the documents give it has neither parameter. `--legalize` rewrites such an "
                "instruction into element indices, remapped beforehand, with the result of the devices.",
            ),
            Decision(
                18,
                "Mask patterns",
                "A mask pattern is read from the right: `P0101` keeps the positions 0, 2, 4, ..., `P1000` "
                "every fourth from 3 on.",
                "`P1010` keeps 1, 3, 5, ..., `P0001`, `P0010` and `P0100` the positions 0, 1 and 2 of every "
                "four, `P1111` all. The kept elements of all valid rows follow each other in the "
                "destination.",
            ),
            Decision(
                19,
                "Index form of the tile gather",
                "An index of `tgather` counts elements of the source tile's physical rows and columns, row "
                "by row.",
                "Out of range it stops `run` as in D13; with `--unchecked` it gives zero.",
            ),
            Decision(
                20,
                "Two gathers of one name",
                "`tgather` with a `!pto.group` is the collective of document 003, with tiles the instruction "
                "of document 004.",
                "`pto.comm.tgather` is always the collective. They are two operations; the operand types "
                "decide.",
            ),
            Decision(
                21,
                "Placed and synchronised, by whom",
                "A function in which no tile has an address is placed by the compiler, one without flags is "
                "synchronised by it; a single address or flag makes the matter the programmer's.",
                "The two questions are independent, and most public kernels are placed by hand and "
                "synchronised by the compiler. Placed by hand, every local tile needs an address. "
                "Synchronised by hand, `verify` and `run` check the flags; `--sync auto` or `--sync manual` "
                "overrides what the program suggests.",
            ),
            Decision(
                22,
                "Budgets and overlap",
                "Tiles have 192 KB of unified buffer on `a2a3`; on `a5` a gather needs `dynUBufSize` above "
                "128 KB and is refused above 216 KB.",
                "The warning on `a5` names the bytes, and the launcher passes them. In a function placed by "
                "hand two tiles at one address are a legal reinterpretation, and a tile counts as written "
                "when its bytes were, through whichever tile. A destination that overlaps its own index tile "
                "is an error; two live tiles that overlap in part are a warning.",
            ),
        ),
    ),
    (
        "Declarations",
        (
            Decision(
                23,
                "A destination that nothing has defined",
                "In PTO-AS an undefined destination operand defines a local tile of the type that the "
                "signature gives it.",
                "Without a signature it is an error that says what to add.",
            ),
            Decision(
                24,
                "Arguments",
                "An `.arg` of a memory type is a parameter in global memory, one of a tile type a tile that "
                "the caller fills, one of a scalar type a scalar.",
                "A tile argument is an array under `run` and a `Tile&` in C++.",
            ),
            Decision(
                25,
                "Names of the project",
                "The distribution is `ptoas-xdsl`, because `ptoas` is taken; the package and the command are "
                "`ptoas`.",
            ),
        ),
    ),
    (
        "Settled after the first release",
        (
            Decision(
                26,
                "Order within a pipe",
                "On devices two instructions of one pipe that depend on each other need a `barrier` of that "
                "pipe between them.",
                "Not so two loads on MTE2, which is a queue; the scalar pipe, which is in program order; and "
                "the vector pipe of `a5`, which the hardware orders, so that its barrier is refused. On "
                "`a2a3` the barrier of the vector pipe may be left out where the second instruction reads "
                "exactly the bytes that the first wrote and those are at least 16 repeats of 256 bytes. "
                "`insert-sync` adds what is missing; in a function synchronised by hand `verify` and `run` "
                "report it.",
            ),
            Decision(
                27,
                "What the scalar pipe waits for",
                "A Row gather on `a2a3` begins by waiting for the vector pipe and for stores, so its "
                "destination needs no further flag.",
                "Its transfers are issued by the scalar pipe after that wait.",
            ),
            Decision(
                28,
                "Documents and headers",
                "For the instructions of the five documents the documents decide; where the headers of "
                "August 2026 are stricter, `verify` warns, and refuses under `--isa 2026.08`.",
                "Where the header takes more than the document, the program is refused, and the fix says "
                "that `--isa 2026.08` takes it. What counts as static is what the emitter writes: a constant "
                "that folding finds is static for `verify` and `lower` alike.",
            ),
            Decision(
                29,
                "A tile that is read and never written",
                "Reading a tile that nothing writes is a warning of `verify` and an error of `run`.",
                "Other tools compile it. An argument, or an operation that ptoas does not know, may have "
                "written it: the `outs(...)` of an unknown operation are writes.",
            ),
            Decision(
                30,
                "The layout of a view",
                "`nz` is always named; `nd` and `dn` follow from the last two strides where the text names "
                "no layout.",
                "It is `nd` where the last stride is 1, or there is one column, and the rows follow each "
                "other; `dn` where the last but one is 1, or there is one row, and the columns follow each "
                "other. Where both hold, the tile that the view is loaded into or stored from decides, "
                "that of a collective among them; the table of a gather or scatter is `nd`; without any of "
                "these a column of several rows is `dn`, all else `nd`. Padded rows are `nd`. On devices "
                "a last stride other than 1 in an `nd` view of several columns is refused, because their "
                "transfers do not look at it.",
            ),
            Decision(
                31,
                "Tiles in `left` and `acc`",
                "A tile in `left` has the block layout that the target's matrix unit wants, one in `acc` "
                "blocks of the size that it makes, whatever the text says.",
                "The layout is `row_major` on `a2a3` and `col_major` on `a5`, for which public kernels write "
                "`row_major`; blocks of sums have 1024 bytes, for which some programs write `fractal=512`: "
                "no header looks at it.",
            ),
            Decision(
                32,
                "NZ gather in Row mode",
                "An NZ gather in Row mode transfers all logical columns of the table, and the destination "
                "must have room for them.",
                "It moves `gShape1` blocks of 32 bytes for each row and batch, whatever is valid, and would "
                "overwrite what lies behind a narrower destination; fewer physical columns are an error.",
            ),
            Decision(
                33,
                "Boxed index tiles",
                "An index tile with boxes is refused on `a5`, which reads indices as a plain tile.",
            ),
            Decision(
                34,
                "Extents of 0 at run time",
                "A gather or scatter over nothing stops `run` on devices, as a static extent of 0 is "
                "refused.",
                "An instruction that the headers let run over nothing does nothing.",
            ),
            Decision(
                35,
                "Conversion without a saturation mode",
                "`tcvt` does not saturate unless told: `SaturationMode::OFF` is written out.",
                "The default in C++ differs from one pair of types to another.",
            ),
            Decision(
                36,
                "The launch request",
                "`verify`, the launcher and `run` mean one number by `dynUBufSize`: the end of the highest "
                "tile that is live in the kernel and in all it calls.",
            ),
            Decision(
                37,
                "`tmatmul.acc`",
                "`acc_in` and `dst` of `tmatmul.acc` are one buffer; two different ones are refused.",
                "It accumulates in its destination, and the devices ignore `acc_in`.",
            ),
            Decision(
                38,
                "One name in sibling modules",
                "Sibling modules may use one name: each has its own symbols.",
            ),
            Decision(
                39,
                "Sources that disagree",
                "Beyond the five documents a device header counts for more than an ISA page, and that for "
                "more than the assembler.",
                "A header that is plainly wrong is the exception. Each known case is named by the `source` "
                "of a rule.",
            ),
            Decision(
                40,
                "Pairs of fp4",
                "An extent, an offset and a stride of `f4E2M1x2` and `f4E1M2x2` count pairs, that is bytes; "
                "the C++ counts numbers.",
                "The library's tiles and tensors of these types count numbers along the dimension in which "
                "neighbours lie in a byte: the columns of a row-major tile, or of one with row-major boxes, "
                "else the rows. Within the unified buffer its copies count bytes instead, so that `lower` "
                "refuses those.",
            ),
            Decision(
                41,
                "The rest of a block",
                "A product whose rows or columns are no multiple of 16 leaves the rest of its last blocks "
                "undefined on the devices.",
                "The documents do not say what the matrix unit writes there; of one row A2/A3 calculates 16. "
                "`run` puts garbage there, and warns where an accumulator is moved on with it: public "
                "kernels store such rows, and look at none of them. The simulator leaves them as they are.",
            ),
        ),
    ),
)

DECISIONS: dict[str, Decision] = {
    decision.name: decision for _, decisions in CHAPTERS for decision in decisions
}
"""Every decision by its name, `D1` first."""
