"""Document 000, Pipe / Synchronisation Model, line by line, and the overloads of the device headers."""

from __future__ import annotations

import pytest

from ptoas.analysis.effects import Effects
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.grammar.parse import parse
from ptoas.targets import get_target

DPS = (
    "func.func @f(%t: !pto.memref<64x32xf32>, %i: !pto.tile_buf<vec, {idx}>, "
    "%d: !pto.tile_buf<vec, {dst}>) {{\n"
    "  pto.mgather ins(%t, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, {idx}>) "
    "outs(%d : !pto.tile_buf<vec, {dst}>) {{coalesce = #pto<coalesce {mode}>{more}}}\n  return\n}}"
)


def effects(text: str, target: str) -> tuple[PtoOp, Effects]:
    op = next(op for op in parse(text).walk() if isinstance(op, PtoOp))
    return op, get_target(target).effects(op)


def gather(
    target: str, mode: str, idx: str = "1x16xi32", dst: str = "16x32xf32", more: str = ""
) -> tuple[PtoOp, Effects]:
    return effects(DPS.format(mode=mode, idx=idx, dst=dst, more=more), target)


def accesses(op: PtoOp, found: Effects) -> set[str]:
    """Accesses as words: `S reads idx`."""
    names = {at: slot for slot, places in slot_places(op).items() for at in places}
    names[-1] = "result"
    return {
        f"{a.pipe.value[5:]} {'writes' if a.write else 'reads'} {names[a.operand]}" for a in found.accesses
    }


def pairs(flags: tuple[tuple[object, ...], ...]) -> list[str]:
    return [f"{source.value[5:]}->{sink.value[5:]}" for source, sink, *_ in flags]  # type: ignore[attr-defined]


def test_a2a3_row() -> None:
    op, found = gather("a2a3", "row")
    assert pairs(found.before) == ["V->S", "MTE3->S", "S->MTE2"]
    assert accesses(op, found) == {"S reads idx", "MTE2 reads mem", "MTE2 writes dst"}
    assert pairs(found.after) == ["S->MTE2", "MTE2->V", "MTE2->MTE3", "S->V", "S->MTE3"]
    assert {event.value for *_, event in found.reserved_events} == {"EVENT_ID0"}
    assert len(found.reserved_events) == 7


def test_a2a3_row_with_zero_writes_from_the_scalar_pipe_too() -> None:
    op, found = gather("a2a3", "row", more=", gatherOob = #pto<gather_oob zero>")
    assert {"S writes dst", "MTE2 writes dst"} <= accesses(op, found)


def test_a2a3_elem() -> None:
    op, found = gather("a2a3", "elem", idx="16x32xi32")
    assert pairs(found.before) == ["V->S", "MTE3->S", "MTE2->S"]
    assert accesses(op, found) == {"S reads idx", "S reads mem", "S writes dst"}
    assert pairs(found.after) == ["S->V", "S->MTE2", "S->MTE3"]


@pytest.mark.parametrize("target", ["a5", "a5-custom"])
def test_a5_is_a_vector_producer(target: str) -> None:
    for mode, idx in (("row", "1x16xi32"), ("elem", "16x32xi32")):
        op, found = gather(target, mode, idx)
        assert accesses(op, found) == {"V reads idx", "V reads mem", "V writes dst"}
        assert not found.before and not found.after and not found.reserved_events


def test_a5_single_element_uses_the_scalar_pipe() -> None:
    op, found = gather("a5", "elem", "1x8xi32, valid=1x1", "1x8xf32, valid=1x1")
    assert pairs(found.before) == ["V->S"] and pairs(found.after) == ["S->V"]
    assert accesses(op, found) == {"S reads idx", "S reads mem", "S writes dst"}


def test_cpu_has_one_pipe() -> None:
    op, found = gather("cpu", "elem", "16x32xi32")
    assert accesses(op, found) == {"S reads idx", "S reads mem", "S writes dst"}
    assert not found.before and not found.after


def test_results_are_accesses_too() -> None:
    memory = "!pto.memref<16x32xf32>"
    text = f".arg %m : {memory}\n%t = tload %m : ({memory}) -> !pto.tile<16x32xf32>"
    op, found = effects(text, "a5")
    assert accesses(op, found) == {"MTE2 reads mem", "MTE2 writes result"}


@pytest.mark.parametrize(("loc", "pipe"), [("vec", "MTE3"), ("acc", "FIX")])
def test_stores_leave_by_the_pipe_of_their_memory(loc: str, pipe: str) -> None:
    text = (
        f".arg %t : !pto.tile<{loc}, 16x32xf32>\n.arg %m : !pto.memref<16x32xf32>\n"
        f"tstore %m, %t : (!pto.memref<16x32xf32>, !pto.tile<{loc}, 16x32xf32>)"
    )
    op, found = effects(text, "a2a3")
    assert accesses(op, found) == {f"{pipe} reads src", f"{pipe} writes mem"}


def test_a_sequence_is_written_by_the_scalar_pipe() -> None:
    text = ".arg %s : i32\n%t = tci %s : (i32) -> !pto.tile<1x32xi32>"
    for target in ("a2a3", "a5"):
        op, found = effects(text, target)
        assert accesses(op, found) == {"S writes result"}


def one_instruction(opcode: str, types: str) -> str:
    """A program of one instruction: the slots of `d: T; s: U`, destinations first; attributes after a `|`."""
    types, _, attributes = types.partition(" | ")
    values = [slot.split(": ") for slot in types.split("; ")]
    arguments = "\n".join(f".arg %{name} : {type_}" for name, type_ in values)
    names = ", ".join(f"%{name}" for name, _ in values)
    return f"{arguments}\n{opcode} {names} {attributes} : ({', '.join(type_ for _, type_ in values)})"


F32, F16, I32, I8 = (f"!pto.tile<8x64x{name}>" for name in ("f32", "f16", "i32", "i8"))
ROW = "!pto.tile<1x64xi32>"
COLUMN, COUNTS = "!pto.tile<8x1xf32>", "!pto.tile<8x1xi32>"
LONG = "!pto.tile<8x128xf32>"
OPEN = "!pto.tile<8x128xf32, valid=8x?>"
PART, WHOLE = "!pto.tile<8x64xf32, valid=8x12>", "!pto.tile<8x64xf32, valid=8x16>"
PADDED, BYTES = "!pto.tile<8x64xf32, pad=zero>", "!pto.tile<8x64xi8, pad=zero>"
ACC = "!pto.tile<acc, 32x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"
MAT = "!pto.tile<mat, 32x32xf16, blayout=col_major, slayout=row_major>"
BOXED = MAT.replace("mat", "vec")
TABLE, SCALES = "!pto.tile<mat, 1x32xi64>", "!pto.tile<scaling, 1x32xi64>"
EXPONENTS = "32x32x!pto.f8E8M0, slayout=row_major, fractal=32>"

VECTORS = "V reads src, V writes dst"
BOTH = "V->S S->V"
OVERLOADS = [
    # TCI
    ("a2a3 tci", f"d: {ROW}; s: i32", "S writes dst", "", ""),
    ("a2a3 tci", f"d: {ROW}; s: i32; t: !pto.tile<1x192xf32>", "V writes dst, V writes tmp", "", ""),
    (
        "a2a3 tci",
        f"d: {ROW}; s: i32; t: !pto.tile<1x192xf32> | {{descending = true}}",
        "S writes dst",
        "",
        "",
    ),
    ("a5 tci", f"d: {ROW}; s: i32", "S writes dst", "", ""),
    ("a5 tci", f"d: {ROW}; s: i32; t: !pto.tile<1x192xf32>", "V writes dst", "", ""),
    ("a5 tci", f"d: {ROW}; s: i32; t: !pto.tile<1x192xf32> | {{descending = true}}", "V writes dst", "", ""),
    # TCONCAT: a part that does not start at a block is copied by the scalar pipe
    ("a2a3 tconcat", f"d: {F32}; a: {WHOLE}; b: {PART}", "V reads src0, V reads src1, V writes dst", "", ""),
    (
        "a2a3 tconcat",
        f"d: {F32}; a: {PART}; b: {WHOLE}",
        "V reads src0, S reads src1, V writes dst, S writes dst",
        "V->S MTE2->S",
        "",
    ),
    (
        "a2a3 tconcatidx",
        f"d: {F32}; a: {F32}; b: {F32}; n: {I32}; m: {I32}",
        "V reads src0, V reads src1, S reads src1, S reads src0_idx, S reads src1_idx, V writes dst, "
        "S writes dst",
        "MTE2->S",
        "S->V",
    ),
    ("a5 tconcat", f"d: {F32}; a: {PART}; b: {WHOLE}", "V reads src0, V reads src1, V writes dst", "", ""),
    # TDIVS
    ("a2a3 tdivs", f"d: {F32}; a: {F32}; s: f32", VECTORS, "", ""),
    ("a2a3 tdivs", f"d: {F32}; s: f32; a: {F32}", VECTORS, "", ""),
    ("a2a3 tdivs", f"d: {I32}; a: {I32}; s: i32", "S reads src, S writes dst", "V->S", "S->V"),
    ("a2a3 tdivs", f"d: {I32}; s: i32; a: {I32}", "S reads src, S writes dst", "V->S", "S->V"),
    # TFILLPAD
    ("a2a3 tfillpad", f"d: {PADDED}; a: {F32}", VECTORS, "", ""),
    ("a2a3 tfillpad", f"d: {BYTES}; a: {I8}", VECTORS, "", ""),
    ("a2a3 tfillpad", f"d: {MAT}; a: {MAT}", "MTE2 reads src, MTE2 writes dst", "", ""),
    ("a5 tfillpad", f"d: {BYTES}; a: {I8}", VECTORS, "", ""),
    ("a5 tfillpad", f"d: {MAT}; a: {MAT}", "MTE2 reads src, MTE2 writes dst", "", ""),
    # TGATHER
    ("a2a3 tgather", f"d: {F32}; a: {F32}; i: {I32}; t: {I32}", f"{VECTORS}, V reads indices", "", ""),
    (
        "a2a3 tgather",
        f"d: {F16}; a: {F16}; i: {I32}; t: {I32}",
        f"{VECTORS}, V reads indices, V writes tmp",
        "",
        "",
    ),
    ("a2a3 tgather", f"d: {F32}; a: {LONG} | {{maskPattern = #pto<mask_pattern P0101>}}", VECTORS, "", ""),
    # TPOW, TPOWS
    (
        "a2a3 tpow",
        f"d: {I32}; a: {I32}; b: {I32}",
        "S reads src0, S reads src1, S writes dst",
        "V->S",
        "S->V",
    ),
    (
        "a2a3 tpow",
        f"d: {F32}; a: {F32}; b: {F32}; t: {F32}",
        "V reads src0, V reads src1, V writes dst, V writes tmp",
        "",
        "",
    ),
    ("a2a3 tpows", f"d: {I32}; a: {I32}; s: i32", "S reads src, S writes dst", "V->S", "S->V"),
    ("a2a3 tpows", f"d: {F32}; a: {F32}; s: f32; t: {F32}", f"{VECTORS}, V writes tmp", "", ""),
    # TROWMAX, TROWMIN, TROWSUM, TROWPROD
    *(
        (f"a2a3 {name}", f"d: {COLUMN}; a: {F32}; t: {F32}", f"{VECTORS}, V writes tmp", "", "")
        for name in ("trowmax", "trowmin", "trowsum")
    ),
    *(
        (
            f"a2a3 {name}",
            f"d: {result}; a: {source}; t: {source}",
            "V reads src, S writes dst, V writes tmp, S writes tmp",
            "V->S",
            "S->V",
        )
        for name, result, source in (
            ("trowmax", COUNTS, I32),
            ("trowmin", COUNTS, I32),
            ("trowsum", COUNTS, I32),
            ("trowprod", COUNTS, I32),
            ("trowprod", COLUMN, F32),
        )
    ),
    # TROWARGMAX, TROWARGMIN
    *(
        case
        for name in ("a2a3 trowargmax", "a2a3 trowargmin")
        for case in (
            (name, f"d: {COUNTS}; a: {F32}; t: {F32}", f"{VECTORS}, V writes tmp", "", ""),
            (name, f"d: {COUNTS}; a: {OPEN}; t: {LONG}", f"{VECTORS}, V writes tmp", "", ""),
            (
                name,
                f"d: {COUNTS}; a: {LONG}; t: {LONG}",
                "V reads src, S writes dst, V writes tmp, S writes tmp",
                "V->S",
                "S->V",
            ),
        )
    ),
    # TSCATTER
    (
        "a2a3 tscatter",
        f"d: {F32}; a: {F32}; i: {I32}",
        "S reads src, S reads idx, V writes dst, S writes dst",
        "V->S",
        "S->V",
    ),
    (
        "a2a3 tscatter",
        f'd: {LONG}; a: {F32} | {{maskPattern = #pto<mask_pattern P0101>, axis = "row"}}',
        VECTORS,
        "",
        "",
    ),
    (
        "a2a3 tscatter",
        f'd: {F32}; a: {F32} | {{maskPattern = #pto<mask_pattern P1111>, axis = "row"}}',
        VECTORS,
        "",
        "",
    ),
    # TTRANS
    ("a2a3 ttrans", f"d: !pto.tile<64x8xf32>; a: {F32}; t: {F32}", f"{VECTORS}, V writes tmp", "", ""),
    # TMOV, TINSERT
    ("a2a3 tmov", f"d: {MAT}; a: {ACC}", "FIX reads src, FIX writes dst", "", ""),
    ("a2a3 tmov", f"d: {SCALES}; a: {TABLE}", "FIX reads src, FIX writes dst", "", ""),
    ("a5 tmov", f"d: {SCALES}; a: {TABLE}", "FIX reads src, FIX writes dst", "", ""),
    (
        "a5 tmov",
        f"d: !pto.tile<scale_left, {EXPONENTS}; a: !pto.tile<mat, {EXPONENTS}",
        "MTE1 reads src, MTE1 writes dst",
        "",
        "",
    ),
    ("a5 tinsert", f"d: {MAT}; a: {BOXED}; r: index; c: index", "MTE3 reads src, MTE3 writes dst", "", ""),
    ("a5 tinsert", f"d: {MAT}; a: {ACC}; r: index; c: index", "FIX reads src, FIX writes dst", "", ""),
    ("a5 ttrans", f"d: !pto.tile<64x8xf32>; a: {F32}; t: {F32}", VECTORS, "", ""),
]


@pytest.mark.parametrize(
    ("where", "types", "expected", "before", "after"),
    OVERLOADS,
    ids=[f"{where} {types.replace('!pto.tile', '')}" for where, types, *_ in OVERLOADS],
)
def test_pipe_of_an_overload(where: str, types: str, expected: str, before: str, after: str) -> None:
    target, opcode = where.split()
    op, found = effects(one_instruction(opcode, types), target)
    assert accesses(op, found) == set(expected.split(", "))
    assert (" ".join(pairs(found.before)), " ".join(pairs(found.after))) == (before, after)


@pytest.mark.parametrize(
    ("where", "types", "flags"),
    [
        ("a2a3 tfillpad", f"d: {PADDED}; a: {F32}", ""),
        ("a2a3 tfillpad", f"d: {BYTES}; a: {I8}", "V->S"),
        ("a2a3 tpow", f"d: {F32}; a: {F32}; b: {F32}; t: {F32}", BOTH),
        ("a2a3 trowargmax", f"d: {COUNTS}; a: {F32}; t: {F32}", ""),
        ("a2a3 trowargmax", f"d: {COUNTS}; a: {OPEN}; t: {LONG}", BOTH),
        (
            "a2a3 tscatter",
            f'd: {LONG}; a: {F32} | {{maskPattern = #pto<mask_pattern P0101>, axis = "row"}}',
            BOTH,
        ),
        (
            "a2a3 tscatter",
            f'd: {F32}; a: {F32} | {{maskPattern = #pto<mask_pattern P1111>, axis = "row"}}',
            "",
        ),
        ("a2a3 ttrans", f"d: !pto.tile<64x8xf32>; a: {F32}; t: {F32}", BOTH),
        ("a5 ttrans", f"d: !pto.tile<64x8xf32>; a: {F32}; t: {F32}", ""),
    ],
)
def test_flags_inside_an_overload(where: str, types: str, flags: str) -> None:
    target, opcode = where.split()
    _, found = effects(one_instruction(opcode, types), target)
    assert " ".join(pairs(found.reserved_events)) == flags


@pytest.mark.parametrize(
    ("type_", "mode", "pipe"), [("f32", "gt", "V"), ("f16", "gt", "V"), ("i32", "eq", "S")]
)
def test_a2a3_compare_gather_hands_no_counts_on(type_: str, mode: str, pipe: str) -> None:
    source, counts = f"!pto.tile<8x64x{type_}>", f"!pto.tile<1x64xi{16 if type_ == 'f16' else 32}>"
    text = (
        f"func.func @f(%s: {source}, %k: {counts}, %t: !pto.tile<64x64xi32>, %d: {I32}, %n: {ROW}) {{\n"
        f"  pto.tgather ins(%s, %k, %t : {source}, {counts}, !pto.tile<64x64xi32>)"
        f" outs(%d, %n : {I32}, {ROW}) {{cmpMode = #pto<cmp {mode}>}}\n  return\n}}"
    )
    op, found = effects(text, "a2a3")
    scratch = {"S writes tmp", "V writes tmp"}
    assert (
        accesses(op, found)
        == {"V reads src", f"{pipe} reads indices", "V writes dst", "S writes cdst"} | scratch
    )
    assert pairs(found.before) == ["S->V"] and not found.after
