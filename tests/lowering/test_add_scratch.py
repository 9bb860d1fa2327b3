"""Sizes of the scratch tiles that the compiler adds, one line an instruction.

Where a device's header works in less than the public assembler allocates, the header decides (D39).
"""

from __future__ import annotations

import pytest
from xdsl.context import Context

import ptoas
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.lowering.add_scratch import AddScratchPass

F32, F16, I32, I16 = (f"!pto.tile<16x64x{element}>" for element in ("f32", "f16", "i32", "i16"))
COLUMN, POSITIONS = "!pto.tile<16x8xf32, valid=16x1>", "!pto.tile<16x8xi32, valid=16x1>"
ROW, VECTOR, MASK = "!pto.tile<1x64xf32>", "!pto.tile<16x1xf32>", "!pto.tile<16x32xu8, valid=16x8>"
LIST = "!pto.tile<1x128xf32>"

SYMMETRIC = " {quant_type = #pto<quant_type INT8_SYM>}"
WRAPS, CLAMPS = (f" {{sat_mode = #pto<saturation_mode {word}>}}" for word in ("OFF", "ON"))

CASES: dict[str, tuple[str, list[str], str, str | None, str | None]] = {
    # name: instruction, sources, destination, scratch on a2a3, scratch on a5
    "trowsum": ("trowsum", [F32], COLUMN, "16x64xf32", "1x8xf32"),
    "trowmax of halves": ("trowmax", [F16], "!pto.tile<16x16xf16, valid=16x1>", "16x64xf16", "1x16xf16"),
    "trowmin of integers": ("trowmin", [I32], POSITIONS, "16x64xi32", "1x8xi32"),
    # The header multiplies in one block.
    "trowprod": ("trowprod", [F32], COLUMN, "1x8xf32", "1x8xf32"),
    "trowargmax": ("trowargmax", [F32], POSITIONS, "16x64xf32", "1x8xf32"),
    "trowargmin": ("trowargmin", [F32], POSITIONS, "16x64xf32", "1x8xf32"),
    # The header keeps a value and a position for each column of a repeat, in 16 bits also a long position.
    "tcolargmax": ("tcolargmax", [F32], "!pto.tile<1x64xi32>", "2x64xf32", "1x8xf32"),
    "tcolargmin of halves": ("tcolargmin", [F16], "!pto.tile<1x64xi32>", "3x64xf16", "1x16xf16"),
    "txor": ("txor", [I32, I32], I32, "16x64xi32", "1x8xi32"),
    "txors": ("txors", [I32, "i32"], I32, "16x64xi32", "1x8xi32"),
    # The header asks for C + 2 * ceil(C / 64) columns; rows of a tile are whole blocks, and one repeat.
    "trem": ("trem", [F32, F32], F32, "1x128xf32", "1x8xf32"),
    "trems": ("trems", [F32, "f32"], F32, "1x64xf32", "1x8xf32"),
    "tprelu": ("tprelu", [F32, F32], F32, "17x32xui8", "1x8xf32"),
    "tsel": ("tsel", [MASK, F32, F32], F32, "1x16xi32", "1x8xi32"),
    # The header writes one block.
    "tsels": ("tsels", [MASK, F32, "f32"], F32, "1x8xf32", "1x8xf32"),
    "ttrans": ("ttrans", [F32], "!pto.tile<64x16xf32>", "16x64xf32", "1x8xf32"),
    "ttrans of one block": ("ttrans", ["!pto.tile<8x8xf32>"], "!pto.tile<8x8xf32>", "1x8xf32", "1x8xf32"),
    # A block for each row, in repeats of eight; the assembler always takes 8 KB.
    "trowexpandmul": ("trowexpandmul", [F32, VECTOR], F32, "2x64xf32", None),
    "trowexpandexpdif": ("trowexpandexpdif", [F32, VECTOR], F32, "2x64xf32", None),
    "trowexpandmul by rows": ("trowexpandmul", [F32, "!pto.tile<16x8xf32>"], F32, None, None),
    "tquant": (f"tquant{SYMMETRIC}", [F32, VECTOR], "!pto.tile<16x64xi8>", "16x64xf32", None),
    "tcvt to low bits": (f"tcvt{WRAPS}", [F32], I16, "1x64xi32", None),
    "tcvt of halves": (f"tcvt{WRAPS}", [F16], I16, "1x64xi32", None),
    "tcvt of halves to bytes": (f"tcvt{WRAPS}", [F16], "!pto.tile<16x64xi8>", "1x64xi32", None),
    "tcvt that clamps": (f"tcvt{CLAMPS}", [F32], I16, None, None),
    "tcvt that fits": ("tcvt", [F32], F16, None, None),
    # The a5 header leaves it alone.
    "tpow": ("tpow", [F32, F32], F32, "16x64xf32", "1x8xf32"),
    "tpow of integers": ("tpow", [I32, I32], I32, "1x8xi32", "1x8xi32"),
    "tpows": ("tpows", [F32, "f32"], F32, "16x64xf32", "1x8xf32"),
    "tcolsum in pairs": ("tcolsum {isBinary = true}", [F32], ROW, "8x64xf32", "8x64xf32"),
    "tcolsum": ("tcolsum", [F32], ROW, None, None),
    "tsort32 with a rest": (
        "tsort32", ["!pto.tile<16x40xf32>", "!pto.tile<16x40xu32>"], "!pto.tile<16x128xf32, valid=16x80>",
        "16x64xf32", "16x64xf32",
    ),
    "tsort32 of blocks": ("tsort32", [F32, "!pto.tile<16x64xu32>"], "!pto.tile<16x128xf32>", None, None),
    # With a scratch tile it would be another algorithm.
    "trsqrt": ("trsqrt", [F32], F32, None, None),
}  # fmt: skip


def program(instruction: str, sources: list[str], dst: str) -> str:
    names = [f"%a{n}" for n in range(len(sources))]
    opcode, _, attributes = instruction.partition(" ")
    return "\n".join(
        [
            *(f".arg {name} : {type}" for name, type in zip(names, sources, strict=True)),
            f"%d = {opcode} {', '.join(names)} {attributes} : ({', '.join(sources)}) -> {dst}",
        ]
    )


def scratch(text: str, target: str) -> list[str]:
    """The types of the tiles that were added; each is its instruction's operand."""
    module = ptoas.parse(text)
    AddScratchPass(target=target).apply(Context(), module)
    tiles = [op.result for op in module.walk() if isinstance(op, AllocTileOp)]
    added = [tile for tile in tiles if tile.name_hint == "tmp"]
    taken = [value for op in module.walk() if isinstance(op, PtoOp) and op.SCRATCH for value in op.operands]
    assert all(tile in taken for tile in added)
    return [str(tile.type).removeprefix("!pto.tile_buf<vec, ").removesuffix(">") for tile in added]


@pytest.mark.parametrize("name", CASES)
def test_scratch_has_the_size_that_the_target_works_in(name: str) -> None:
    instruction, sources, dst, *expected = CASES[name]
    text = program(instruction, sources, dst)
    found = [scratch(text, target) for target in ("a2a3", "a5")]
    assert found == [[] if wanted is None else [wanted] for wanted in expected]


VEC = "!pto.tile_buf<vec, "


def test_merge_scratch_holds_all_lists() -> None:
    a, b, d = (f"{VEC}1x{cols}xf32>" for cols in (128, 64, 192))
    text = f"""
        func.func @kernel(%a: {a}, %b: {b}, %d: {d}, %e: vector<4xi16>) {{
          pto.tmrgsort ins(%a, %b no_tmp {{exhausted = false}} : {a}, {b}) outs(%d, %e : {d}, vector<4xi16>)
          return
        }}
        """
    assert scratch(text, "a5") == scratch(text, "a2a3") == ["1x192xf32"]


def test_open_extents_are_taken_for_all_that_is_there() -> None:
    """Only the running program knows whether a last block is full."""
    s, i, d = f"{VEC}16x64xf32, valid=16x?>", f"{VEC}16x64xui32, valid=16x?>", f"{VEC}16x128xf32>"
    text = f"""
        func.func @kernel(%n: index, %d: {d}) {{
          %s = pto.alloc_tile valid_col = %n : {s}
          %i = pto.alloc_tile valid_col = %n : {i}
          pto.tsort32 ins(%s, %i : {s}, {i}) outs(%d : {d})
          return
        }}
        """
    assert scratch(text, "a5") == scratch(text, "a2a3") == ["16x64xf32"]
