"""The command line of the C++ assembler: `ptoas [options] [file]`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ptoas import __version__
from ptoas.cli.assemble import SYNC_OPTIONS
from ptoas.cli.assembler_options import DEFAULT_VERSION, OPTIONS, VERSION_VARIABLE, Effect, normalise
from ptoas.cli.main import main

UNPLACED = """module attributes {pto.target_arch = "ARCH"} {
  func.func @copy(%x: !pto.memref<8x64xf32>, %y: !pto.memref<8x64xf32>) {
    %a = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>
    pto.tload ins(%x : !pto.memref<8x64xf32>) outs(%a : !pto.tile_buf<vec, 8x64xf32>)
    pto.tneg ins(%a : !pto.tile_buf<vec, 8x64xf32>) outs(%a : !pto.tile_buf<vec, 8x64xf32>)
    pto.tabs ins(%a : !pto.tile_buf<vec, 8x64xf32>) outs(%a : !pto.tile_buf<vec, 8x64xf32>)
    pto.tstore ins(%a : !pto.tile_buf<vec, 8x64xf32>) outs(%y : !pto.memref<8x64xf32>)
    return
  }
}
"""
PLACED = UNPLACED.replace(
    "%a = pto.alloc_tile :", "%c0 = arith.constant 0 : i64\n    %a = pto.alloc_tile addr = %c0 :"
)
VALUES = {"plan-memory-impl": "modern"}
"""Legal values of options that are checked."""
FLAG = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.pto").write_text(UNPLACED.replace("ARCH", "a5"))
    (tmp_path / "placed.pto").write_text(PLACED.replace("ARCH", "a2a3"))
    (tmp_path / "wrong.pto").write_text(UNPLACED.replace("ARCH", "a5").replace("8x64xf32", "8x64xf64"))
    return tmp_path


def assemble(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=text, prog_name="ptoas")


def test_pypto_call_writes_cpp_and_pass_dumps(folder: Path) -> None:
    result = assemble(
        *("placed.pto", "-o", "out.cpp", "--enable-insert-sync", "--pto-level=level3", "--pto-arch", "a3"),
        *("--mlir-print-ir-after-all", "--mlir-print-ir-module-scope", "--mlir-print-ir-tree-dir=dumps"),
    )
    assert (result.exit_code, result.output) == (0, "")
    assert FLAG in (folder / "out.cpp").read_text()
    dumps = sorted((folder / "dumps").rglob("*.mlir"), key=lambda path: int(path.name.split("_")[0]))
    assert dumps[-1].name.endswith("_insert-sync.mlir")
    assert "pto.set_flag" in dumps[-1].read_text() and "pto.set_flag" not in dumps[0].read_text()


def test_ptodsl_call_accepts_the_options_that_do_nothing(folder: Path) -> None:
    result = assemble(
        *("--pto-arch=a5", "--pto-backend=emitc", "--pto-level=level3", "--enable-tile-op-expand"),
        *("--enable-insert-sync", "placed.pto", "-o", "k.o"),
    )
    assert (result.exit_code, result.output) == (0, "")


def test_cpp_is_written_to_standard_output(folder: Path) -> None:
    result = assemble("--pto-arch=a3", "--enable-insert-sync", "k.pto")
    assert result.exit_code == 0 and FLAG in result.stdout


def test_input_comes_from_standard_input(folder: Path) -> None:
    for arguments in (["--enable-insert-sync"], ["--enable-insert-sync", "-"], ["-", "-enable-insert-sync"]):
        result = assemble(*arguments, text=UNPLACED.replace("ARCH", "a5"))
        assert result.exit_code == 0 and FLAG in result.stdout, arguments


def test_errors_have_the_form_of_mlir_and_nothing_is_written(folder: Path) -> None:
    result = assemble("--pto-arch=a5", "wrong.pto", "-o", "out.cpp")
    assert result.exit_code == 1 and not (folder / "out.cpp").exists()
    first, *_, last = result.stderr.splitlines()
    assert first.startswith("wrong.pto:") and ": error: " in first and first.endswith("]")
    assert last == "Error: Failed to parse MLIR."


def test_errors_name_the_place_that_the_program_was_generated_from(folder: Path) -> None:
    stored = "outs(%y : !pto.memref<8x64xf32>)"
    text = UNPLACED.replace("ARCH", "a5").replace(stored, f'{stored} loc("model.py":42:7)')
    (folder / "l.pto").write_text(text.replace("%y: !pto.memref<8x64xf32>", "%y: !pto.memref<4x64xf32>"))
    first, second, *_ = assemble("l.pto").stderr.splitlines()
    assert first.startswith("model.py:42:7: error: ") and second.startswith("l.pto:7:")


def test_scalar_stores_are_flushed_without_insert_sync(folder: Path) -> None:
    text = """func.func @f(%p: !pto.ptr<f32>, %v: f32) {
      %c0 = arith.constant 0 : index
      pto.store %v, %p[%c0] : !pto.ptr<f32>, f32
      return
    }"""
    result = assemble("--pto-arch=a3", "-", text=text)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);" in result.stdout
    load = text.replace("pto.store %v,", "%w = pto.load").replace("f32>, f32", "f32> -> f32")
    loads = assemble("--pto-arch=a3", "-", text=load)
    assert loads.exit_code == 0 and "dcci" not in loads.stdout


def test_bytecode_is_refused_with_the_tool_that_decodes_it(folder: Path) -> None:
    Path("k.ptobc").write_bytes(b"PTOBC\0\1\2")
    result = assemble("k.ptobc")
    assert result.exit_code == 1 and "fix: decode it: `ptobc decode" in result.stderr


def test_missing_file_is_an_error_of_one_kind(folder: Path) -> None:
    result = assemble("missing.pto", "--pto-arch=a5")
    assert result.exit_code == 1 and "Error: Could not open input file: " in result.stderr


def test_without_insert_sync_no_flag_is_inserted_but_the_missing_one_is_reported(folder: Path) -> None:
    result = assemble("--pto-arch=a5", "k.pto")
    assert result.exit_code == 0 and "set_flag" not in result.stdout
    assert "warning: " in result.stderr and "[PTO-F101]" in result.stderr


def test_tassign_is_refused_where_flags_are_inserted(folder: Path) -> None:
    moved = "    pto.tassign %a, %c0 : !pto.tile_buf<vec, 8x64xf32>, i64\n    pto.tload"
    (folder / "moved.pto").write_text(PLACED.replace("ARCH", "a5").replace("    pto.tload", moved))
    level = "--pto-level=level3"
    for option in ("--enable-insert-sync", "--enable-inject-barrier-all-sync"):
        result = assemble("moved.pto", level, option)
        assert result.exit_code == 1 and f"pto.tassign requires {option} to be disabled" in result.stderr
    assert assemble("moved.pto", level).exit_code == 0


def test_planner_is_one_of_two(folder: Path) -> None:
    assert assemble("k.pto", "--plan-memory-impl=modern").exit_code == 0
    result = assemble("k.pto", "--plan-memory-impl=typo")
    assert result.exit_code == 1 and "invalid --plan-memory-impl='typo'" in result.stderr


def test_headers_of_the_output_decide(folder: Path) -> None:
    """A gather into L1, which only the headers of August 2026 have."""
    tile = "!pto.tile_buf<mat, 32x32xf16, blayout=col_major, slayout=row_major>"
    text = f"""func.func @f(%table: !pto.memref<64x32xf16>, %idx: !pto.memref<1x32xi32>) {{
      %d = pto.alloc_tile : {tile}
      pto.mgather ins(%table, %idx : !pto.memref<64x32xf16>, !pto.memref<1x32xi32>)
        outs(%d : {tile}) {{coalesce = #pto<coalesce row>}}
      return
    }}"""
    assert assemble("--pto-arch=a5", "-", text=text).exit_code == 0


def test_barrier_mode_inserts_barriers(folder: Path) -> None:
    result = assemble("--pto-arch=a3", "--enable-inject-barrier-all-sync", "k.pto")
    assert "pipe_barrier(PIPE_ALL);" in result.stdout


@pytest.mark.parametrize(
    ("file", "level"), [("placed.pto", "level2"), ("placed.pto", "level1"), ("k.pto", "level3")]
)
def test_level_decides_whether_tiles_have_addresses(folder: Path, file: str, level: str) -> None:
    result = assemble(file, "--pto-arch=a5", "--enable-insert-sync", f"--pto-level={level}")
    assert result.exit_code == 1 and "--pto-level=level3" in result.stderr


def test_architecture_defaults_to_the_module_and_then_to_a3(folder: Path) -> None:
    outputs = {
        arch: assemble("--enable-insert-sync", "-", text=UNPLACED.replace("ARCH", arch)).stdout
        for arch in ("a5", "a3", "a2a3")
    }
    unnamed = assemble(
        "-", "--enable-insert-sync", text=UNPLACED.replace('"ARCH"', '"a3"').replace("pto.target", "x.t")
    )
    assert outputs["a3"] == outputs["a2a3"] == unnamed.stdout != outputs["a5"]
    overridden = assemble("--enable-insert-sync", "--pto-arch=a5", "-", text=UNPLACED.replace("ARCH", "a3"))
    assert overridden.stdout == outputs["a5"]


def test_pto_ir_is_printed_after_synchronisation(folder: Path) -> None:
    result = assemble("--pto-arch=a5", "--enable-insert-sync", "--emit-pto-ir", "k.pto")
    assert "pto.set_flag" in result.stdout and "#include" not in result.stdout


def test_dumps_of_one_pass_go_to_standard_error(folder: Path) -> None:
    result = assemble(
        "--pto-arch=a5", "k.pto", "--mlir-print-ir-after=plan-memory", "--mlir-print-ir-before=plan-memory"
    )
    before, after = (result.stderr.index(f"IR Dump {when} plan-memory") for when in ("Before", "After"))
    assert before < after
    assert "there is no pass 'fuse'" in assemble("k.pto", "--mlir-print-ir-after=fuse").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pto-arch=a7",), "Error: invalid --pto-arch='a7'. Expected 'a2', 'a3', or 'a5'."),
        (("--pto-level=level4",), "Error: invalid --pto-level='level4'. Expected 'level1', 'level2', or"),
        (("--pto-backend=llvm",), "Error: invalid --pto-backend='llvm'. Expected 'emitc' or 'vpto'."),
        (("--pto-backend=vpto",), "Error: --pto-backend=vpto is not supported: "),
        (("--no-such-option",), "Error: No such option"),
        (("--enable-insert-sync", "--enable-inject-barrier-all-sync"), "exclude each other"),
        (("--enable-bufid_sync", "--enable-insert-sync"), "exclude each other"),
        (("--pto-arch=a3", "--enable-bufid_sync"), "is for a5; use --enable-insert-sync"),
    ],
)
def test_wrong_options_end_with_exit_code_1(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = assemble("k.pto", *arguments)
    assert result.exit_code == 1 and message in result.stderr


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_every_option_has_the_documented_effect(folder: Path, option: object) -> None:
    assert isinstance(option, type(OPTIONS["pto-arch"]))
    value = (
        ("false" if option.default == "true" else "true") if option.switch else VALUES.get(option.name, "7")
    )
    sync = () if option.name in SYNC_OPTIONS else ("--enable-insert-sync",)
    result = assemble("k.pto", "--pto-arch=a5", *sync, f"--{option.name}={value}")
    if option.effect is Effect.NO_EFFECT:
        assert result.exit_code == 0
        assert result.stderr.count(f"Warning: --{option.name} has no effect") == 1
    elif option.effect is Effect.REPLACED:
        assert result.exit_code == 0 and "set_flag(" in result.stdout
        assert result.stderr.count(f"Warning: --{option.name} is replaced") == 1
    elif option.effect is Effect.REFUSED:
        assert result.exit_code == 1 and f"Error: --{option.name} is not supported" in result.stderr
    elif option.effect is Effect.IGNORED:
        assert (result.exit_code, result.stderr) == (0, "")


def test_default_value_of_an_option_is_silent(folder: Path) -> None:
    defaults = [
        f"--{o.name}={o.default}" for o in OPTIONS.values() if o.default and o.name != "enable-insert-sync"
    ]
    result = assemble("k.pto", "--pto-arch=a5", "--enable-insert-sync", *defaults)
    assert (result.exit_code, result.stderr) == (0, "")


def test_options_are_spelt_as_llvm_does() -> None:
    spelt = [
        "-pto-arch=a5",
        "-pto-arch",
        "a5",
        "--enable-insert-sync",
        "-emit-pto-ir=false",
        "-o",
        "x",
        "k.pto",
    ]
    assert list(normalise(spelt)) == [
        "--pto-arch=a5",
        "--pto-arch",
        "a5",
        "--enable-insert-sync=true",
        "--emit-pto-ir=false",
        "-o",
        "x",
        "k.pto",
    ]


def test_version_starts_with_that_of_the_assembler() -> None:
    assert assemble("--version").stdout == f"ptoas {DEFAULT_VERSION} (ptoas-xdsl {__version__})\n"


def test_the_environment_names_the_version_to_follow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tile = "!pto.tile_buf<vec, 8x64x"
    Path("cvt.pto").write_text(f"""func.func @f() {{
      %a = arith.constant 0 : i64
      %b = arith.constant 4096 : i64
      %s = pto.alloc_tile addr = %a : {tile}f32>
      %d = pto.alloc_tile addr = %b : {tile}i16>
      pto.tcvt ins(%s : {tile}f32>) outs(%d : {tile}i16>)
      return
    }}""")
    level3 = ("cvt.pto", "--pto-level=level3")
    assert "`tcvt` has no tmp, but the placement is manual" in assemble(*level3).stderr
    monkeypatch.setenv(VERSION_VARIABLE, "0.57")
    assert assemble("--version").stdout.startswith("ptoas 0.57 (")
    assert "SaturationMode::OFF" in assemble(*level3).stdout
    monkeypatch.setenv(VERSION_VARIABLE, "0.63")
    assert "TCVT(d, s, RoundMode::CAST_RINT, SaturationMode::ON);" in assemble(*level3).stdout
    for wrong in (">=0.60", "0.99", "newest"):
        monkeypatch.setenv(VERSION_VARIABLE, wrong)
        result = assemble(*level3)
        assert result.exit_code == 1 and f"from 0.57 to 0.65; found '{wrong}'" in result.stderr


def test_misspelt_command_is_not_taken_for_a_file(folder: Path) -> None:
    result = assemble("verfy", "k.pto")
    assert result.exit_code == 2 and "No such command 'verfy'" in result.stderr


def test_lower_explains_the_option_that_it_has_instead(folder: Path) -> None:
    result = assemble("lower", "k.pto", "--pto-arch=a5")
    assert result.exit_code == 2 and "use --target a2a3 or --target a5" in result.stderr


def test_the_null_device_takes_the_cpp(folder: Path) -> None:
    assert (folder / "k.pto").exists()
    result = assemble("--enable-insert-sync", "k.pto", "-o", "/dev/null")
    assert (result.exit_code, result.output) == (0, "")


def test_passes_have_the_names_of_the_assembler_too(folder: Path) -> None:
    named = assemble("--pto-arch=a5", "k.pto", "--mlir-print-ir-after=pto-plan-memory")
    assert "IR Dump After plan-memory" in named.stderr
    missing = assemble("--pto-arch=a5", "k.pto", "--mlir-print-ir-after=pto-resolve-reserved-buffers")
    assert missing.exit_code == 0
    assert "Warning: nothing is printed for 'pto-resolve-reserved-buffers'" in missing.stderr


def test_wrong_level_is_reported_after_the_errors_of_the_program(folder: Path) -> None:
    wrong = assemble("wrong.pto", "--pto-level=3")
    assert wrong.exit_code == 1
    assert "Error: Failed to parse MLIR." in wrong.stderr
    assert "Error: invalid --pto-level='3'" in assemble("k.pto", "--pto-level=3").stderr


def test_candidates_of_generators_are_kept(folder: Path) -> None:
    program = UNPLACED.replace("ARCH", "a5").replace(
        "outs(%y : !pto.memref<8x64xf32>)",
        'outs(%y : !pto.memref<8x64xf32>) {candidates = [{id = 0 : i64, name = "x"}]}',
    )
    (folder / "c.pto").write_text(program)
    result = assemble("c.pto", "--emit-pto-ir")
    assert result.exit_code == 0
    assert 'candidates = [{id = 0, name = "x"}]' in result.stdout
