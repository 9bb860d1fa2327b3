"""Known deviations of the library's simulator from its documents and device headers.

A row says what the simulator does; `run` does what the documents say. A row is shown when an instruction of
the program has one and the comparison fails in that way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.types import PtrType, TileType, ViewType
from ptoas.grammar.spans import span_of

BUILD, STOPS, BYTES = "build", "stops", "bytes"
"""Symptom of a fault: compile error, abort, or different values."""


@dataclass(frozen=True)
class Fault:
    """One known fault of the simulator: instructions, symptom, cause."""

    names: str
    shows: str
    what: str

    def __contains__(self, name: str) -> bool:
        return name in self.names.split()


FAULTS: tuple[Fault, ...] = (
    Fault(
        "tadd tabs taddc tsubc taddsc tsubsc tsqrt trsqrt ttrans tcolsum tcolmax",
        BUILD,
        "wants tiles of one C++ type, or of equal static extents, where devices compare them when they run",
    ),
    Fault("tcvt tci tquant", BUILD, "has no form with a scratch tile"),
    Fault("tcolsum", BUILD, "adds up floats only"),
    Fault("tcolmax", BUILD, "has no integers of 16 and 32 bits"),
    Fault("tcmp", BUILD, "takes a mask of bytes for i32, f16 and f32 only"),
    Fault(
        "tmatmul tmatmul.acc tmatmul.bias tgemv tgemv.acc tgemv.bias",
        BUILD,
        "wants accumulator, left and right tiles of equal physical extents",
    ),
    Fault("treshape bitcast", BUILD, "reinterprets a float only as a float, and an integer as an integer"),
    Fault(
        "tdiv tdivs trecip trsqrt trem trems tfmod tfmods trowexpanddiv tcolexpanddiv",
        STOPS,
        "stops at a division by zero, where devices give an infinity, a NaN or 0",
    ),
    Fault("textract tinsert", STOPS, "counts a window within the valid region, devices within the tile"),
    Fault("tconcat tconcatidx", STOPS, "wants as many valid columns as both sources have together"),
    Fault(
        "tadd tsub tmul tmax tmin tmov tpow tpartadd tpartmul tpartmax tpartmin trowsum",
        STOPS,
        "asserts equal valid extents of all tiles",
    ),
    Fault(
        "tmax tmin tmaxs tmins trowmax trowmin tcolmax tcolmin tpartmax tpartmin trowexpandmax trowexpandmin "
        "tcolexpandmax tcolexpandmin",
        BYTES,
        "keeps a number beside a NaN where a comparison of the two is false",
    ),
    Fault("tpow", BYTES, "reads base and exponent with the row pitch of the destination"),
    Fault("tpows", BYTES, "takes powers of integers in double"),
    Fault("trem trems", BYTES, "gives a remainder of 0 the sign of the dividend"),
    Fault("trems tfmods", BYTES, "leaves the destination alone where the divisor is 0"),
    Fault(
        "tcvt",
        BYTES,
        "rounds from float to float to the nearest even whatever the mode, truncates to integers without "
        "one, clamps before it rounds, and walks the valid region of the source",
    ),
    Fault("tcmp", BYTES, "clears the mask tile first"),
    Fault("tcmps", BYTES, "takes numbers within 1e-9 for equal, and packs a row of the physical width"),
    Fault("tsel", BYTES, "goes on counting the bits of the mask from row to row"),
    Fault(
        "tpartadd tpartmul tpartmax tpartmin tpartargmax tpartargmin",
        BYTES,
        "writes 0 where neither is valid",
    ),
    Fault("tfillpad", BYTES, "fills the whole physical tile; its least float is the least positive one"),
    Fault("tconcatidx", BYTES, "does not stop at the valid columns of the destination"),
    Fault(
        "tsort32",
        BYTES,
        "sorts the rest of a row alone, and nothing where indices have another shape",
    ),
    Fault("tsort32", BYTES, "puts blocks of 16-bit values half as far apart as they are long"),
    Fault("tmrgsort", BYTES, "leaves blocks that come in no fours unwritten"),
    Fault(
        "mscatter",
        BYTES,
        "takes indices of rows as they lie in memory, and compares the larger and the smaller with another "
        "element than it writes",
    ),
    Fault("trandom", BYTES, "gives the words of a counter to other columns"),
    Fault("thistogram", BYTES, "reads the filters of 32-bit numbers from the first column only"),
    Fault("tquant.mx", BYTES, "leaves a NaN out of the maximum of its block"),
    Fault("taxpy taddc tsubc taddsc tsubsc", BYTES, "rounds f16 after the product, or once less"),
    Fault(
        "texp tlog tsqrt trsqrt tpow tpows trowexpandexpdif tcolexpandexpdif",
        BYTES,
        "calculates in double with the functions of the C library, whose last bit may be another",
    ),
    Fault(
        "trowsum tcolsum trowprod tcolprod",
        BYTES,
        "goes from the first element to the last, each step rounded",
    ),
    Fault(
        "tmatmul tmatmul.acc tmatmul.bias tgemv tgemv.acc tgemv.bias tmatmul.mx tmatmul.mx.acc "
        "tmatmul.mx.bias tgemv.mx tgemv.mx.acc tgemv.mx.bias",
        BYTES,
        "adds up the products one after the other, in f32",
    ),
    Fault("tmov", BYTES, "ignores the scale of a move from the accumulator, and the vector core it goes to"),
    Fault("tstore", BYTES, "takes the scale of the row, not of the column, for a quantised accumulator"),
    Fault("tget_scale_addr", BYTES, "lets the scales lie where the operand lies"),
    Fault("comm.twait", BYTES, "gives up waiting after a while, without a word"),
)

TYPES: dict[str, str] = {
    "bf16": "is half precision unless the compiler has `std::bfloat16_t` (C++23, GCC 14)",
    "f8E4M3FN": "is cut off where it should be rounded, and has no -0",
    "f8E5M2": "is cut off where it should be rounded, and has no -0",
    "!pto.hif8": "has other numbers from 1 to 4, and none from 0.5 to 1",
    "!pto.f8E8M0": "has a power of two in the place of NaN",
    "!pto.f4E1M2x2": "lies in boxes of half the bytes, and becomes a whole number before it is converted",
    "!pto.f4E2M1x2": "lies in boxes of half the bytes, and becomes a whole number before it is converted",
}
"""Element types that the simulator calculates with otherwise, and how."""


def likely_causes(module: ModuleOp, shows: str) -> Iterator[Note]:
    """Notes on the instructions of a program that are known to behave otherwise in this way; each once."""
    seen: set[str] = set()
    for op in module.walk():
        name = op.name.removeprefix("pto.")
        if name in seen:
            continue
        seen.add(name)
        for fault in FAULTS:
            if fault.shows == shows and name in fault:
                yield Note(f"likely: the simulator's {name} {fault.what}", span_of(op))
    found = {name for op in module.walk() for name in _elements(op)} if shows == BYTES else set[str]()
    yield from (Note(f"likely: the simulator's {t} {what}") for t, what in TYPES.items() if t in found)


def _elements(op: Operation) -> Iterator[str]:
    """The element types of what an operation has to do with."""
    for value in (*op.operands, *op.results):
        if isinstance(value.type, PtrType | TileType | ViewType):
            yield element_text(value.type.element_type)
