"""`--assembler`: what versions of the C++ assembler refuse; rows of the differences have further programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.diagnostics import UsageError
from ptoas.verifier.assembler import LATEST, OLDEST, parse_versions

ELEMENT = """func.func @f(%p: !pto.ptr<f32>, %a: i64) {
  %c0 = arith.constant 0 : index
  OPERATION
  return
}
"""
TILES = """func.func @f(%a: !pto.tile_buf<vec, 16x64xf32>, %b: !pto.tile_buf<vec, 16x64xf32>)
    attributes {ATTRIBUTES} {
  OPERATION
  return
}
"""
F32 = "!pto.tile_buf<vec, 16x64xf32>"
LOAD = "%v = pto.load %p[%c0] : !pto.ptr<f32> -> f32"
LOAD_SCALAR = LOAD.replace("load", "load_scalar")
INTTOPTR = "%q = pto.inttoptr %a : i64 -> !pto.ptr<f32>"
RSQRT = f"pto.trsqrt ins(%a : {F32}) outs(%b : {F32}) {{precisionType = #pto<rsqrt_precision PRECISION>}}"


def codes(program: str, target: str, versions: str, placement: str | None = None) -> list[str]:
    report = ptoas.verify(ptoas.parse(program), target, placement=placement, assembler=versions)
    return [finding.code for finding in report.diagnostics if finding.code.startswith("PTO-T11")]


@pytest.mark.parametrize(
    ("operation", "accepted", "refused"),
    [
        (LOAD, "0.64", "0.63"),
        (LOAD, ">=0.64", "<=0.64"),
        (LOAD_SCALAR, "0.63", "0.64"),
        (LOAD_SCALAR, "<=0.63", ">=0.60"),
        (INTTOPTR, "0.63", "0.65"),
    ],
)
def test_versions_know_their_names(operation: str, accepted: str, refused: str) -> None:
    program = ELEMENT.replace("OPERATION", operation)
    assert codes(program, "a2a3", accepted) == []
    assert codes(program, "a2a3", refused) == ["PTO-T110"]


def test_instruction_of_the_headers_alone_is_in_no_assembler_version() -> None:
    program = TILES.replace("ATTRIBUTES", "").replace(
        "OPERATION", f"pto.tsubrelu ins(%a, %a : {F32}, {F32}) outs(%b : {F32})"
    )
    assert codes(program, "a5", ">=0.57") == ["PTO-T110"]


def test_a_renamed_instruction_is_found_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "k.pto"
    file.write_text(ELEMENT.replace("OPERATION", LOAD_SCALAR))
    command = ["verify", str(file), "--target", "a2a3", "--isolated", "--format", "concise"]
    assert CliRunner().invoke(main, command).exit_code == 0
    result = CliRunner().invoke(main, [*command, "--assembler", ">=0.64"])
    assert result.exit_code == 1
    assert "the assembler does not know `load_scalar` from version 0.64 on" in result.output


def test_names_are_changed_to_those_that_all_versions_know(tmp_path: Path) -> None:
    file = tmp_path / "k.pto"
    file.write_text(ELEMENT.replace("OPERATION", f"{LOAD_SCALAR}\n  {INTTOPTR}"))
    command = ["verify", str(file), "--target", "a2a3", "--isolated", "--fix", "--assembler"]
    assert CliRunner().invoke(main, [*command, ">=0.64"]).exit_code == 0
    assert "pto.load %p" in file.read_text() and "pto.castptr %a" in file.read_text()
    assert CliRunner().invoke(main, [*command, "<=0.63"]).exit_code == 0
    assert "pto.load_scalar %p" in file.read_text()
    before = file.read_text()
    assert CliRunner().invoke(main, [*command, ">=0.60"]).exit_code == 1
    assert file.read_text() == before, "no name is known to all of them"


@pytest.mark.parametrize(
    ("operation", "target", "expected"),
    [
        (RSQRT.replace("PRECISION", "high_precision"), "a5", ["PTO-T111"]),
        (RSQRT.replace("PRECISION", "default"), "a5", []),
        (f"pto.tadd ins(%a, %a : {F32}, {F32}) outs(%b : {F32})", "a5", []),
    ],
)
def test_contracts_of_single_instructions(operation: str, target: str, expected: list[str]) -> None:
    program = TILES.replace("ATTRIBUTES", "").replace("OPERATION", operation)
    assert codes(program, target, "0.60") == expected


def test_helpers_of_tile_instructions_neither_synchronise_nor_use_tiles() -> None:
    for operation in ("pto.barrier <PIPE_V>", f"pto.tabs ins(%a : {F32}) outs(%b : {F32})"):
        program = TILES.replace("OPERATION", operation)
        assert codes(program.replace("ATTRIBUTES", "pto.tileop.helper"), "a5", "0.60") == ["PTO-T111"]
        assert codes(program.replace("ATTRIBUTES", ""), "a5", "0.60") == []


def test_scratch_of_a_sequence_is_asked_for_where_nothing_is_planned() -> None:
    program = """func.func @f(%s: i32) {
      %at = arith.constant 0 : i64
      %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 1x32xi32>
      pto.tci ins(%s : i32) outs(%t : !pto.tile_buf<vec, 1x32xi32>)
      return
    }"""
    assert codes(program, "a2a3", "0.60", "manual") == ["PTO-T111"]
    assert codes(program, "a2a3", "0.57", "manual") == []
    assert codes(program, "a2a3", "0.60") == []


def test_odd_halves_have_extents_of_their_own() -> None:
    program = """func.func @f(%p: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
      %n = arith.constant 8 : index
      %ring = pto.reserve_buffer
        {name = "r", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
      pto.aiv_initialize_pipe {dir_mask = 1, slot_size = 1024}
        (gm_slot_buffer = %p : !pto.ptr<f32>, c2v_consumer_buf = %ring : i32)
      %t = pto.tpop_from_aicEXTENTS {split = SPLIT} -> !pto.tile_buf<vec, 8x16xf32, valid=?x?>
      return
    }"""
    odd = program.replace("SPLIT", "3")
    assert codes(odd.replace("EXTENTS", ""), "a5", "0.60") == ["PTO-T111"]
    assert codes(odd.replace("EXTENTS", "(%n, %n)"), "a5", "0.60") == []
    assert codes(program.replace("SPLIT", "1").replace("EXTENTS", ""), "a5", "0.60") == []


def test_generic_scalars_and_cache_policies_have_their_versions() -> None:
    program = ELEMENT.replace("OPERATION", f"{LOAD_SCALAR}\n  %w = pto.addf %v, %v : f32")
    assert codes(program, "a5", "0.63") == ["PTO-T110"]
    assert codes(program.replace("load_scalar", "load"), "a5", "0.64") == []
    assert codes(program.replace("pto.addf", "arith.addf"), "a5", "0.57") == []
    load = """func.func @f(%m: !pto.memref<8x64xf32>, %t: !pto.tile_buf<vec, 8x64xf32>) {
      pto.tload ins(%m : !pto.memref<8x64xf32>) outs(%t : !pto.tile_buf<vec, 8x64xf32>)
        {cache_policy = #pto.load_cache_policy<l2_bypass>}
      return
    }"""
    assert (codes(load, "a5", "0.60"), codes(load, "a5", "0.61")) == (["PTO-T110"], [])


def test_offsets_of_gathered_blocks_have_one_extent_from_061_on() -> None:
    program = """func.func @f(%s: !s, %o: !o, %d: !d) {
      pto.tgatherb ins(%s, %o : !s, !o) outs(%d : !d)
      return
    }"""
    types = {"!s": "8x64xf32", "!o": "8x8xui32", "!d": "8x64xf32, valid=ROWSx64"}
    for name, type in types.items():
        program = program.replace(name, f"!pto.tile_buf<vec, {type}>")
    assert codes(program.replace("ROWS", "4"), "a2a3", "0.61") == ["PTO-T111"]
    assert codes(program.replace("ROWS", "4"), "a2a3", "0.60") == []
    assert codes(program.replace("ROWS", "4"), "a5", "0.61") == []
    assert codes(program.replace("ROWS", "8"), "a2a3", "0.61") == []


def test_a_converting_channel_needs_a_buffer_that_is_reserved() -> None:
    program = """func.func @f(%at: i32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
      %zero = arith.constant 0 : i32
      RING
      pto.aic_initialize_pipe {id = 0, dir_mask = 1, slot_size = 1024, nosplit = true,
        acc_push_epilogue = #pto.acc_push_epilogue<layout = nz2nd, quant = no_convert, relu = no_relu>}
        (c2v_consumer_buf = %ring : i32, v2c_consumer_buf = %zero : i32)
      return
    }"""
    imported = '%ring = pto.import_reserved_buffer {name = "r", peer_func = @g} -> i32'
    assert codes(program.replace("RING", imported), "a5", "0.60") == []
    assert codes(program.replace("RING", "").replace("%ring", "%at"), "a5", "0.60") == ["PTO-T111"]


def test_a_version_that_is_not_known_is_an_error_of_the_call(tmp_path: Path) -> None:
    (tmp_path / "k.pto").write_text("%x = load")
    result = CliRunner().invoke(main, ["verify", str(tmp_path / "k.pto"), "--assembler", "0.66"])
    assert result.exit_code == 2 and "found '0.66'" in result.output


def test_versions_are_ranges() -> None:
    assert parse_versions(" == 0.60 ") == range(60, 61)
    assert parse_versions("<=0.58") == range(OLDEST, 59)
    assert parse_versions(">=0.60") == range(60, LATEST + 1)
    for wrong in ("0.56", "0.99", "1.0", "newest"):
        with pytest.raises(UsageError, match=r"from 0\.57 to 0\.65"):
            parse_versions(wrong)


SCATTER = """func.func @f(%s: !t, %d: !t, %i: !i) {
  "pto.tscatter"(%s, %d, %i) : (!t, !t, !i) -> ()
  return
}""".replace("!t", "!pto.tile_buf<vec, 8x8xf32>").replace("!i", "!pto.tile_buf<vec, 8x8xi32>")
MOVE = """func.func @f(%s: !a, %d: !m, %k: i64) {
  "pto.tmov"(%s, %d, %k) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!a, !m, i64) -> ()
  return
}""".replace(
    "!a", "!pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>"
).replace("!m", "!pto.tile_buf<mat, 16x32xi8, valid=16x16, blayout=col_major, slayout=row_major>")


@pytest.mark.parametrize(("program", "written"), [(SCATTER, "ins(%s, %i : "), (MOVE, "%k : i64) outs(%d : ")])
def test_generic_forms_of_the_assembler_have_its_order_of_operands(program: str, written: str) -> None:
    module = ptoas.parse(program)
    assert written in ptoas.print_module(module)
    text = ptoas.print_module(module, "generic")
    assert ptoas.print_module(ptoas.parse(text), "generic") == text
