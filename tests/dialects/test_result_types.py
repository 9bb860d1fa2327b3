"""Result types that statements leave out."""

import re

import pytest

import ptoas
from ptoas.dialects.pto.types import TileType
from tests.isa.annotations import all_programs

HEAD = """
.arg %t : !pto.tile<16x64xf32>
.arg %u : !pto.tile<16x64xf32, valid=9x33>
.arg %few : !pto.tile<4x64xf32>
.arg %h : !pto.tile<16x16xf16>
.arg %col : !pto.tile<16x1xf32>
.arg %row : !pto.tile<1x64xf32>
.arg %idx : !pto.tile<16x64xu32>
.arg %offsets : !pto.tile<16x8xu32>
.arg %int : !pto.tile<16x64xi32>
.arg %keys : !pto.tile<32x32xui16>
.arg %bytes : !pto.tile<32x1xui8>
.arg %x : f32
%struct = pto.declare_struct -> !pto.struct<f32, !pto.struct<i8>>
"""
TYPES = {
    "trowmax %t": "vec, 16x1xf32",
    "trowsum %u": "vec, 16x1xf32, valid=9x1",
    "trowmax %few": "vec, 8x1xf32, valid=4x1",
    "tcolmax %u": "vec, 1x64xf32, valid=1x33",
    "tcolsum %t": "vec, 1x64xf32",
    "trowargmax %t": "vec, 16x1xi32",
    "tcolargmin %t": "vec, 1x64xi32",
    "trowexpandsub %t, %col": "vec, 16x64xf32",
    "trowexpanddiv %col, %t": "vec, 16x64xf32",
    "tcolexpandmul %u, %row": "vec, 16x64xf32, valid=9x33",
    "tcvt %t : f16": "vec, 16x64xf16",
    "tcvt %h : i8": "vec, 16x32xi8, valid=16x16",
    "tcvt %t : !pto.tile<16x64xi32>": "vec, 16x64xi32",
    "ttrans %u": "vec, 64x16xf32, valid=33x9",
    "tconcat %u, %t": "vec, 16x128xf32, valid=9x97",
    "tcmps %u, %x": "vec, 16x32xui8, valid=9x5",
    "tpartadd %u, %t": "vec, 16x64xf32",
    "tgatherb %t, %offsets": "vec, 16x64xf32",
    "tsort32 %h, %idx": "vec, 16x128xf16, valid=16x64",
    "tmov %t": "vec, 16x64xf32",
    "tgather %t {maskPattern = P0101}": "vec, 16x32xf32",
    "tgather %t, %idx": "vec, 16x64xf32",
    "taddreluconv %t, %t": "vec, 16x64xf16",
    "tsubreluconv %h, %h": "vec, 16x32xi8, valid=16x16",
    "tadddeqrelu %int, %int, %x": "vec, 16x64xf16",
    "thistogram %keys, %bytes": "vec, 32x256xui32",
    "struct_get %struct[1, 0]": "i8",
}


@pytest.mark.parametrize("statement", TYPES)
def test_result_type_follows_from_the_operands(statement: str) -> None:
    module = ptoas.parse(f"{HEAD}%r = {statement}")
    type = [result.type for op in module.walk() for result in op.results][-1]
    assert (type.body() if isinstance(type, TileType) else str(type)) == TYPES[statement]


def test_two_results_follow_from_the_operands() -> None:
    values = "tdeinterleave %t", "tdeinterleave %t, %t", "tpartargmax %u, %t, %idx, %idx"
    module = ptoas.parse(HEAD + "\n".join(f"%a{i}, %b{i} = {text}" for i, text in enumerate(values)))
    found = [
        tuple(result.type.body() for result in op.results) for op in module.walk() if len(op.results) == 2
    ]
    assert found == [
        ("vec, 16x32xf32",) * 2,
        ("vec, 16x64xf32",) * 2,
        ("vec, 16x64xf32", "vec, 16x64xui32"),
    ]


TYPED = re.compile(r"(%\w+ = ([\w.]+) [^:{\n]*(?:\{[^}\n]*\})?)\s*: .*-> !pto\.tile<[^>\n]*>\s*$", re.M)
CHOSEN = {"tload", "mgather", "tmov"}
"""Instructions whose result can be in several memories."""


def errors(text: str, target: str) -> set[str]:
    return {found.code for found in ptoas.verify(ptoas.parse(text), target).diagnostics if found.is_error}


def test_inferred_types_are_legal_where_the_written_ones_are() -> None:
    """All legal programs of the instructions' files, without their types; one row on cpu has no column."""
    inferred = 0
    for program in all_programs():
        text = program.text
        names = {match[2] for match in TYPED.finditer(text)}
        if not names or names & CHOSEN or program.options or "expect" in text or "1x64xi32" in text:
            continue
        short = TYPED.sub(r"\1", text)
        try:
            ptoas.parse(short)
        except ptoas.PtoasError:
            continue
        inferred += 1
        for target in ("cpu", "a2a3", "a5"):
            assert errors(short, target) <= errors(text, target), (program.name, target)
    assert inferred > 150


SIGNATURE = re.compile(
    r"^(%\w+(?:, *%\w+)* = [\w.]+\b[^:\n]*?)\s*:[^\n]*->[^#\n]*?(?=\s*(?:wait\(|record|#|$))", re.M
)


def test_every_statement_without_types_is_read_or_completed() -> None:
    """A line is proposed if the operands of a statement do not determine its type."""
    proposed: set[str] = set()
    for program in all_programs():
        for match in SIGNATURE.finditer(program.text):
            short = f"{program.text[: match.start()]}{match[1]}{program.text[match.end() :]}"
            try:
                ptoas.parse(program.text)
                ptoas.parse(short)
            except ptoas.PtoasError as error:
                missing = [found for found in error.diagnostics if found.code == "PTO-P043"]
                assert all(found.edits for found in missing), match[0]
                proposed |= {match[1].split()[2] for found in missing}
    assert {"tcvt", "tload", "texpands", "textract"} <= proposed


def test_missing_result_type_is_suggested_as_an_edit() -> None:
    text = "%c = arith.constant 1.0 : f32\n%z = texpands %c  # zeros\n"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text)
    (found,) = caught.value.diagnostics
    assert found.fix == "name its type: `%z = texpands %c : (f32) -> !pto.tile_buf<vec, 16x16xf32>`"
    (edit,) = found.edits
    start = edit.span.offset
    changed = text[:start] + edit.text + text[start + edit.span.length :]
    assert not edit.safe
    assert changed.splitlines()[1] == "%z = texpands %c : (f32) -> !pto.tile_buf<vec, 16x16xf32>  # zeros"
    ptoas.parse(changed)


@pytest.mark.parametrize(
    ("statement", "proposed"),
    [
        ("trowexpand %col", "vec, 16x64xf32"),
        ("tcolexpand %row", "vec, 16x64xf32"),
        ("tfillpad %u", "vec, 16x64xf32, pad=zero"),
    ],
)
def test_a_proposed_type_is_legal(statement: str, proposed: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f"{HEAD}%r = {statement}")
    assert f"-> !pto.tile_buf<{proposed}>" in str(caught.value.diagnostics[0].fix)
    assert not errors(f"{HEAD}%r = {statement} : !pto.tile<{proposed}>", "a5")
