# ruff: noqa: E501 - programs are text
"""`ptoas.run`, `ptoas.compile`, and the functions behind the command."""

from __future__ import annotations

import gc
import json
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import check_file, compile, read_arguments, run, run_all
from ptoas.diagnostics import PtoasError, Source, UsageError
from ptoas.runner.entry import needed_by
from ptoas.runner.report import check_expected, format_result, parse_print, result_json, write_output

LOOKUP = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.memref<1x8xi32>
.arg %out : !pto.memref<8x8xf32>
%i = tload %idx : (!pto.memref<1x8xi32>) -> !pto.tile<1x8xi32>
%d = mgather.row %table, %i : (!pto.memref<64x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""


@pytest.fixture
def lookup():
    return ptoas.parse(LOOKUP, "lookup.pto")


def error(code: str):
    return pytest.raises(PtoasError, match=code)


# --- the library ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_a_run_that_is_over_holds_no_memory(lookup, target: str) -> None:
    gc.disable()  # large arrays are gone at once, not when the collector comes by
    try:
        result = run(lookup, target=target, legalize=target == "cpu", generate=True)
        there = [weakref.ref(array) for array in (*result.arguments.values(), *result.outputs.values())]
        assert len(there) == 4 and all(each() is not None for each in there)
        del result
        assert [each() for each in there] == [None] * 4
    finally:
        gc.enable()


def test_a_kernel_writes_the_callers_arrays(lookup) -> None:
    kernel = compile(lookup, "a5")
    table = np.arange(512, dtype=np.float32).reshape(64, 8)
    out = np.zeros((8, 8), np.float32)
    for shift in (0, 3, 50):
        idx = np.arange(8, dtype=np.int32).reshape(1, 8) + shift
        result = kernel(table=table, idx=idx, out=out)
        assert result.outputs["out"] is out and np.array_equal(out, table[idx[0]])
    idx = np.zeros((1, 8), np.int32)
    kernel({"table": table, "idx": idx, "out": out})
    idx[...] = 7
    kernel({"table": table, "idx": idx, "out": out})
    assert (out == table[7]).all()


def test_threads_may_call_one_kernel() -> None:
    """A lock lets one call run at a time: each gets its own result, and no false race."""
    text = """
func.func @main(%x: !pto.memref<8x8xf32>, %s: f32, %out: !pto.memref<8x8xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%x : !pto.memref<8x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tadds ins(%t, %s : !pto.tile_buf<vec, 8x8xf32>, f32) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""
    kernel = compile(ptoas.parse(text), "a5")

    def call(number: int) -> bool:
        x = np.full((8, 8), number, np.float32)
        result = kernel(x=x, s=float(number), out=np.zeros((8, 8), np.float32))
        return bool((result.outputs["out"] == 2 * number).all()) and not result.warnings

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            assert all(threads.map(call, range(1000)))
    finally:
        sys.setswitchinterval(before)


def test_a_result_keeps_what_was_counted(lookup) -> None:
    kernel = compile(lookup, "a5", stats=True, generate=True)
    first = kernel()
    again = kernel()
    assert first.stats is not None and first.stats is not again.stats
    assert first.stats.instructions == again.stats.instructions == {"tload": 1, "mgather": 1, "tstore": 1}
    # Every operation counts, those for flags and addresses too.
    assert first.steps == first.stats.steps == sum(1 for _ in kernel.entry.walk())
    assert first.stats.as_dict()["steps"] == first.steps


@pytest.mark.parametrize(
    "options", [{"blocks": 0}, {"checks": "mem,speed"}, {"force": True, "checks": "speed"}]
)
def test_wrong_options_are_errors_of_their_own(lookup, options: dict) -> None:
    with pytest.raises(UsageError):
        compile(lookup, "a5", **options)


def test_a_kernel_takes_a_table_that_can_not_be_written(lookup, tmp_path: Path) -> None:
    np.save(tmp_path / "table.npy", np.arange(512, dtype=np.float32).reshape(64, 8))
    table = np.load(tmp_path / "table.npy", mmap_mode="r")
    result = run(lookup, {"table": table, "idx": np.full((1, 8), 3, np.int32)}, "a2a3")
    assert (result.outputs["out"] == table[3]).all()


NEGATED = """
.arg %a : !pto.memref<4x8xf32>
.arg %r : !pto.memref<4x8xf32{layout}>
%t = tload %a : (!pto.memref<4x8xf32>) -> !pto.tile<4x8xf32>
%n = tneg %t : !pto.tile<4x8xf32>
tstore %n, %r
"""


@pytest.mark.parametrize("layout", ["", ", nd, strides=[10, 1]"])
def test_output_mapped_read_only_is_in_the_result(layout: str, tmp_path: Path) -> None:
    module = ptoas.parse(NEGATED.format(layout=layout))
    a = np.arange(32, dtype=np.float32).reshape(4, 8)
    np.save(tmp_path / "r.npy", np.zeros_like(a))
    mapped = np.load(tmp_path / "r.npy", mmap_mode="r")
    kernel = compile(module, "a5")
    for factor in (1, 2):
        result = kernel(a=a * np.float32(factor), r=mapped)
        assert np.array_equal(result.outputs["r"], -a * factor)
        assert np.array_equal(result.arguments["r"], -a * factor)
    assert not mapped.any()
    arguments = [f"r={tmp_path / 'r.npy'}", "a=arange"]
    assert np.array_equal(run(module, read_arguments(kernel, arguments), "cpu").outputs["r"], -a)
    for outcome in run_all(module, arguments).outcomes:
        assert outcome.result is not None and np.array_equal(outcome.result.outputs["r"], -a)


def test_a_scatter_to_a_table_that_is_only_read_begins_with_its_values() -> None:
    module = ptoas.parse("""
.arg %s : !pto.tile<2x8xf32>
.arg %i : !pto.tile<1x8xi32, valid=1x2>
.arg %t : !pto.memref<4x8xf32>
mscatter.row %s, %i, %t
""")
    table = np.full((4, 8), 7, np.float32)
    table.flags.writeable = False
    source = np.arange(16, dtype=np.float32).reshape(2, 8)
    kernel = compile(module, "a2a3")
    for place in (0, 2):
        found = kernel(s=source, i=np.array([[place, place + 1]], np.int32), t=table).outputs["t"]
        want = np.full((4, 8), 7, np.float32)
        want[place : place + 2] = source
        assert np.array_equal(found, want)


def test_missing_arguments_are_generated_from_the_seed(lookup) -> None:
    one, again, other = (run(lookup, {}, "a5", seed=seed, generate=True) for seed in (1, 1, 2))
    assert np.array_equal(one.outputs["out"], again.outputs["out"])
    assert not np.array_equal(one.outputs["out"], other.outputs["out"])
    idx = one.arguments["idx"]
    assert idx.min() >= 0 and idx.max() < 64 and len(np.unique(idx)) > 2
    # Giving one argument does not change the others.
    assert np.array_equal(
        run(lookup, {"idx": idx}, "a5", seed=1, generate=True).arguments["table"], one.arguments["table"]
    )


def test_an_illegal_program_is_refused_unless_forced() -> None:
    module = ptoas.parse(LOOKUP.replace("mgather.row ", "mgather.row.clamp "), "lookup.pto")
    with error("PTO-A30"):
        run(module, {}, "cpu", generate=True)
    run(module, {}, "cpu", force=True, generate=True)


def test_legalize_makes_cpu_equal_the_devices() -> None:
    module = ptoas.parse(LOOKUP.replace("mgather.row ", "mgather.row.clamp "), "lookup.pto")
    idx = np.array([[0, 1, 63, 64, -1, 2**31 - 1, -(2**31), 5]], np.int32)
    on_cpu = run(module, {"idx": idx}, "cpu", legalize=True, generate=True)
    on_a5 = run(module, {"idx": idx}, "a5", generate=True)
    assert np.array_equal(on_cpu.outputs["out"], on_a5.outputs["out"])


def test_a_program_without_stores_shows_its_tiles() -> None:
    module = ptoas.parse(
        ".arg %a : !pto.tile<1x8xf32>\n%b = tadd %a, %a : !pto.tile<1x8xf32>\n%c = tadd %b, %a : !pto.tile<1x8xf32>\n",
        "t.pto",
    )
    result = run(module, {"a": np.ones((1, 8), np.float32)}, "a5")
    assert list(result.outputs) == ["c"] and (result.outputs["c"] == 3).all()


# --- missing arguments ---------------------------------------------------------------------------


def test_a_call_without_an_input_is_an_error(lookup) -> None:
    kernel = compile(lookup, "a5")
    out = np.zeros((8, 8), np.float32)
    with pytest.raises(PtoasError) as caught:
        kernel(np.zeros((64, 8), np.float32), out=out)
    (found,) = caught.value.diagnostics
    assert found.code == "PTO-R610" and found.message == "argument `idx` of @lookup is missing"
    with pytest.raises(PtoasError, match="arguments `table`, `idx` of @lookup are missing"):
        run(lookup, target="a5")
    with error("PTO-R610"):
        run_all(lookup, {"table": np.zeros((64, 8), np.float32)})
    assert not out.any()


def test_generate_fills_in_missing_inputs_as_the_command_does(lookup) -> None:
    wanted = read_arguments(compile(lookup, "a5"), [])
    kernel = compile(lookup, "a5", generate=True)
    for result in (kernel(), run(lookup, target="a5", generate=True)):
        assert np.array_equal(result.arguments["table"], wanted["table"])
        assert np.array_equal(result.arguments["idx"], wanted["idx"])


def test_outputs_may_be_omitted(lookup) -> None:
    table = np.arange(512, dtype=np.float32).reshape(64, 8)
    given = {"table": table, "idx": np.full((1, 8), 2, np.int32)}
    for result in (compile(lookup, "a5")(given), run(lookup, given, "a5")):
        assert (result.outputs["out"] == table[2]).all()


def test_a_scalar_is_an_input() -> None:
    text = """
func.func @main(%s: f32, %out: !pto.memref<8x8xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  pto.texpands ins(%s : f32) outs(%t : !pto.tile_buf<vec, 8x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""
    with pytest.raises(PtoasError, match="argument `s` of @main is missing"):
        compile(ptoas.parse(text), "a5")()


# --- bad arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "arguments", "words"),
    [
        ("PTO-R601", {"tabel": np.zeros((64, 8), np.float32)}, "did you mean `table`"),
        ("PTO-R602", {"table": np.zeros((64, 8), np.float64)}, "float64"),
        ("PTO-R602", {"table": "zeros"}, "str"),
        ("PTO-R603", {"table": np.zeros((64, 9), np.float32)}, "64x9"),
        ("PTO-R603", {"table": np.zeros((63, 8), np.float32)}, "504 elements"),
        ("PTO-R605", {"idx": np.full((1, 8), np.nan, np.float32)}, "nan at position 0"),
        ("PTO-R605", {"idx": [[0, 1, 2, 3, 4, 5, 6, 7.5]]}, "not an integer"),
        ("PTO-R602", {"idx": [[0, 1, 2, 3, 4, 5, 6, 2**40]]}, "outside"),
    ],
)
def test_wrong_arguments(lookup, code: str, arguments: dict, words: str) -> None:
    with pytest.raises(PtoasError) as caught:
        run(lookup, arguments, "a5", generate=True)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert words in found.message + str(found.fix) + " ".join(n.message for n in found.notes)


def test_arrays_that_are_accepted(lookup) -> None:
    table = np.arange(512, dtype=np.float32)
    idx = [[1, 2, 3, 4, 5, 6, 7, 8]]
    for given in (
        table,
        table.reshape(64, 8),
        table.reshape(1, 64, 8),
        np.asfortranarray(table.reshape(64, 8)),
    ):
        out = run(lookup, {"table": given, "idx": idx}, "a5").outputs["out"]
        assert np.array_equal(out, table.reshape(64, 8)[1:9])
    unsigned = np.arange(1, 9, dtype=np.uint32).reshape(1, 8)
    assert np.array_equal(
        run(lookup, {"table": table, "idx": unsigned}, "a5").outputs["out"], table.reshape(64, 8)[1:9]
    )


def test_an_output_that_does_not_lie_in_order_gets_the_results(lookup) -> None:
    wide = np.zeros((8, 16), np.float32)
    result = run(lookup, {"out": wide[:, ::2]}, "a5", generate=True)
    assert np.array_equal(wide[:, ::2], result.arguments["table"][result.arguments["idx"][0]])
    assert not wide[:, 1::2].any()


@pytest.mark.parametrize("kind", ["bf16", "f8E4M3FN", "hif8"])
def test_types_that_numpy_lacks_come_as_such_or_as_bits(kind: str) -> None:
    size = 2 if kind == "bf16" else 1
    text = f"""
func.func @main(%m: !pto.memref<1x32x{kind}>, %out: !pto.memref<1x32x{kind}>) {{
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x32x{kind}>
  pto.tload ins(%m : !pto.memref<1x32x{kind}>) outs(%t : !pto.tile_buf<vec, 1x32x{kind}>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x32x{kind}>) outs(%out : !pto.memref<1x32x{kind}>)
  return
}}
"""
    bits = np.arange(32, dtype=np.uint16 if size == 2 else np.uint8).reshape(1, 32)
    out = run(ptoas.parse(text), {"m": bits}, "a5", force=True).outputs["out"]
    assert out.view(bits.dtype).tolist() == bits.tolist()
    own = {"bf16": ml_dtypes.bfloat16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "hif8": np.uint8}[kind]
    again = run(ptoas.parse(text), {"m": bits.view(own)}, "a5", force=True).outputs["out"]
    assert again.dtype == own and again.view(bits.dtype).tolist() == bits.tolist()


def test_column_major_argument_is_indexed_by_row_and_column() -> None:
    text = """
func.func @main(%m: !pto.memref<4x8xf32, dn>, %out: !pto.memref<4x8xf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32, valid=4x8, blayout=col_major>
  pto.tload ins(%m : !pto.memref<4x8xf32, dn>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=4x8, blayout=col_major>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=4x8, blayout=col_major>) outs(%out : !pto.memref<4x8xf32>)
  return
}
"""
    mem = np.arange(32, dtype=np.float32).reshape(4, 8)
    for given in (mem, np.asfortranarray(mem), mem.T.reshape(-1)):
        assert np.array_equal(run(ptoas.parse(text), {"m": given}, "a5", force=True).outputs["out"], mem)


def test_run_selects_the_entry_by_name() -> None:
    text = "func.func @a() {\n  return\n}\nfunc.func @b() {\n  return\n}\n"
    with error("PTO-R607"):
        run(ptoas.parse(text), {}, "a5")
    assert run(ptoas.parse(text), {}, "a5", entry="b").entry == "b"
    with error("PTO-R607"):
        run(ptoas.parse(text), {}, "a5", entry="c")


# --- values as text ------------------------------------------------------------------------------


def test_values(lookup, tmp_path: Path) -> None:
    table = np.random.default_rng(0).random((64, 8), dtype=np.float32)
    np.save(tmp_path / "t.npy", table)
    np.savez(tmp_path / "t.npz", a=table, b=table + 1)
    table.tofile(tmp_path / "t.bin")
    kernel = compile(lookup, "a5")

    def read(value: str) -> np.ndarray:
        return np.asarray(read_arguments(kernel, [f"table={value}"])["table"])

    for value in (f"{tmp_path}/t.npy", f"{tmp_path}/t.npz:a", f"{tmp_path}/t.bin"):
        assert np.array_equal(read(value), table)
    assert np.array_equal(read(f"{tmp_path}/t.npz:b"), table + 1)
    assert not read("zeros").any() and (read("full:3") == 3).all() and (read("2.5") == 2.5).all()
    assert np.array_equal(read("arange"), np.arange(512, dtype=np.float32).reshape(64, 8))
    bounded = read("random:5:6")
    assert bounded.min() >= 5 and bounded.max() <= 6 and len(np.unique(bounded)) > 100
    idx = read_arguments(kernel, ["idx=random"])["idx"]
    assert idx.min() >= 0 and idx.max() < 64


def test_values_of_other_kinds(tmp_path: Path) -> None:
    """One array in an archive needs no name, a type that NumPy lacks comes as void, `true` is a number."""
    text = "func.func @f(%flag: i1, %m: !pto.memref<1x16xbf16>, %n: index, %e: !pto.memref<?x8xf32>) {\n  return\n}\n"
    kernel = compile(ptoas.parse(text), "a5", force=True)
    numbers = np.arange(16, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(1, 16)
    np.savez(tmp_path / "one.npz", m=numbers)
    np.save(tmp_path / "void.npy", numbers)
    np.save(tmp_path / "empty.npy", np.zeros((0, 8), np.float32))
    for name in ("one.npz", "void.npy"):
        found = read_arguments(
            kernel, [f"m={tmp_path}/{name}", "flag=true", f"e={tmp_path}/empty.npy", "n=0x10"]
        )
        assert np.asarray(found["m"]).view(np.uint16).tolist() == numbers.view(np.uint16).tolist()
        assert (found["flag"], found["n"], np.asarray(found["e"]).shape) == (1, 16, (0, 8))
    (tmp_path / "n.bin").write_bytes(bytes(8))
    with error("PTO-R609"):
        read_arguments(kernel, [f"n={tmp_path}/n.bin"])


def test_a_header_that_promises_more_than_there_is(lookup, tmp_path: Path) -> None:
    np.save(tmp_path / "cut.npy", np.zeros((64, 8), np.float32))
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-4])
    with error("PTO-R604"):
        read_arguments(compile(lookup, "a5"), [f"table={tmp_path}/cut.npy"])


def test_missing_extents_are_inferred() -> None:
    """An open tile is taken whole; memory whose extents nothing tells must be given."""
    text = """
func.func @f(%t: !pto.tile_buf<vec, 8x8xf32, valid=?x8>, %out: !pto.memref<8x8xf32>) {
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>) outs(%out : !pto.memref<8x8xf32>)
  return
}
"""
    result = run(ptoas.parse(text), {}, "a5", force=True, generate=True)
    assert np.array_equal(result.outputs["out"], np.asarray(result.arguments["t"]))
    unknown = (
        "func.func @f(%m: !pto.memref<?x8xf32>) {\n  pto.tprint ins(%m : !pto.memref<?x8xf32>)\n  return\n}\n"
    )
    with error("PTO-R608"):
        run(ptoas.parse(unknown), {}, "a5", force=True, generate=True)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("PTO-R609", "table"),
        ("PTO-R609", "table=sideways"),
        ("PTO-R609", "table=full"),
        ("PTO-R609", "table=random:1"),
        ("PTO-R601", "tables=zeros"),
        ("PTO-R604", "table=missing.npy"),
        ("PTO-R604", "table=missing.npz:a"),
        ("PTO-R604", "table=missing.bin"),
        ("PTO-R605", "idx=1.5"),
        ("PTO-R605", "idx=full:nan"),
        ("PTO-R605", "idx=full:3000000000"),
        ("PTO-R609", "idx=random:0:inf"),
        ("PTO-R609", "table=random:2:1"),
        ("PTO-R609", "idx=[1,two]"),
        ("PTO-R603", "idx=[1,2]"),
        ("PTO-R605", "idx=[1.5,0,0,0,0,0,0,0]"),
    ],
)
def test_values_that_can_not_be_read(lookup, code: str, text: str) -> None:
    with error(code):
        read_arguments(compile(lookup, "a5"), [text])


def test_files_that_are_not_what_they_say(lookup, tmp_path: Path) -> None:
    kernel = compile(lookup, "a5")
    (tmp_path / "bad.npy").write_bytes(b"nonsense")
    (tmp_path / "bad.npz").write_bytes(b"nonsense")
    (tmp_path / "odd.bin").write_bytes(b"12345")
    np.save(tmp_path / "pickle.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "t.npz", a=np.zeros(3))
    for name, code in (
        ("bad.npy", "R604"),
        ("bad.npz:a", "R604"),
        ("odd.bin", "R603"),
        ("pickle.npy", "R604"),
        ("t.npz:b", "R604"),
    ):
        with error(code):
            read_arguments(kernel, [f"table={tmp_path}/{name}"])


def test_memory_is_refused_before_it_is_taken(lookup) -> None:
    kernel = compile(lookup, "a5", generate=True)
    read_arguments(kernel, [], max_memory=64 * 8 * 4 + 32 + 256)
    with error("PTO-R606"):
        read_arguments(kernel, [], max_memory=64 * 8 * 4 + 32 + 255)
    huge = ptoas.parse(
        "func.func @main(%m: !pto.memref<1000000x1000000xf32>) {\n  pto.tprint ins(%m : !pto.memref<1000000x1000000xf32>)\n  return\n}\n"
    )
    with error("PTO-R606"):
        run(huge, {}, "a5", force=True, generate=True)


def test_scalars_say_how_large_the_rest_is() -> None:
    text = """
func.func @main(%p: !pto.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xf32>
  pto.tprint ins(%v : !pto.tensor_view<?x?xf32>)
  return
}
"""
    kernel = compile(ptoas.parse(text), "a5", force=True)
    assert read_arguments(kernel, ["n=6"])["p"].shape == (6, 6)
    assert read_arguments(kernel, ["n=3", "p=arange"])["p"].tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


# --- what is shown -------------------------------------------------------------------------------


def test_the_report_names_shape_type_and_elements(lookup) -> None:
    text = format_result(run(lookup, {}, "a5", trace=True, stats=True, generate=True))
    assert text.startswith("out: 8x8xfloat32\n")
    assert (
        "5: %i = tload %idx" in text
        and "| PIPE_MTE2 | reads %idx 1x8xi32 at gm 0x0 of its buffer, 32" in text
    )
    assert "| writes %i 1x8xi32 at vec 0x0, 32 bytes | block 0, core 0" in text
    assert "kRowWarps 8, kWarpsPerRow 1, kLaunchWarps 8, threads 256, idle_threads 192" in text


def test_stats_of_a_scalar_driven_gather(lookup) -> None:
    stats = run(lookup, {}, "a2a3", stats=True, generate=True).stats
    assert stats is not None
    found = stats.as_dict()
    assert (
        found["gather_dma_calls"] == 8 and found["scalar_index_reads"] == 8 and found["gather_bytes"] == 256
    )
    assert found["instructions"] == {"tload": 1, "mgather": 1, "tstore": 1} and found["pipe_flags"] > 0


def test_json(lookup) -> None:
    data = json.loads(
        json.dumps(
            result_json(run(lookup, {"table": np.full((64, 8), np.nan, np.float32)}, "a5", generate=True))
        )
    )
    assert data["outputs"]["out"]["shape"] == [8, 8] and data["outputs"]["out"]["values"][0] == "nan"
    assert data["target"] == "a5" and data["warnings"] == []


def test_printing_a_tile_after_it_was_written(lookup) -> None:
    table = np.arange(512, dtype=np.float32).reshape(64, 8)
    idx = np.arange(8, dtype=np.int32).reshape(1, 8)
    result = run(lookup, {"table": table, "idx": idx}, "a5", prints=["%d[0:2, :3]", "out[7]"], generate=True)
    assert result.printed[0] == "%d after line 6:\n[[ 0.  1.  2.]\n [ 8.  9. 10.]]"
    assert result.printed[1] == "%out at the end:\n[56. 57. 58. 59. 60. 61. 62. 63.]"
    with error("PTO-R601"):
        run(lookup, {}, "a5", prints=["e"], generate=True)
    for bad in ("", "d[0", "d[x]", "d[1:2:3:4]"):
        with error("PTO-R609"):
            parse_print(bad)


def test_expected_files(lookup, tmp_path: Path) -> None:
    result = run(lookup, {}, "a5", generate=True)
    write_output(result, f"out={tmp_path}/out.npy")
    write_output(result, f"out={tmp_path}/out.bin")
    check_expected(result, f"out={tmp_path}/out.npy")
    check_expected(result, f"out={tmp_path}/out.bin")
    changed = np.load(tmp_path / "out.npy")
    changed[2, 3] += 0.5
    np.save(tmp_path / "changed.npy", changed)
    with pytest.raises(PtoasError) as caught:
        check_expected(result, f"out={tmp_path}/changed.npy")
    (found,) = caught.value.diagnostics
    assert found.code == "PTO-R701" and "1 of 64 elements differ" in found.notes[0].message
    assert found.notes[1].message.startswith("[2, 3]")
    check_expected(result, f"out={tmp_path}/changed.npy", atol=0.6)
    for text, code in ((f"other={tmp_path}/out.npy", "R601"), ("out=none.npy", "R604"), ("out", "R609")):
        with error(code):
            check_expected(result, text)
    with error("PTO-L002"):
        write_output(result, f"out={tmp_path}/out.npy/place.npy")


def test_expected_files_of_another_size_or_kind(lookup, tmp_path: Path) -> None:
    result = run(lookup, {}, "a5", generate=True)
    np.save(tmp_path / "small.npy", np.zeros((8, 7), np.float32))
    (tmp_path / "small.bin").write_bytes(b"0" * 252)
    np.save(tmp_path / "words.npy", np.full((8, 8), "a"))
    for name, code in (("small.npy", "R701"), ("small.bin", "R701"), ("words.npy", "R604")):
        with error(code):
            check_expected(result, f"out={tmp_path}/{name}")


def test_program_without_output_is_noted() -> None:
    result = run(ptoas.parse("func.func @f() {\n  return\n}\n"), {}, "a5")
    assert "no output: the program writes no argument and leaves no tile" in format_result(result)
    with pytest.raises(ValueError, match="blocks must be at least 1, found 0"):
        run(ptoas.parse("func.func @f() {\n  return\n}\n"), {}, "a5", blocks=0)


def test_an_excerpt_beyond_the_end_is_refused(lookup) -> None:
    with error("PTO-R609"):
        run(lookup, {}, "a5", prints=["out[9]"], generate=True)


def test_memory_is_as_large_as_the_last_turn_of_a_loop_needs() -> None:
    """Nobody gives the arrays: each block reads its rows in turns, behind a pointer that moves on."""
    text = """
func.func @f(%p: !pto.ptr<f32>, %unused: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %blocks = pto.get_block_num : i64
  %n = arith.index_cast %blocks : i64 to index
  %ahead = arith.muli %n, %c8 : index
  %q = pto.addptr %p, %ahead : !pto.ptr<f32> -> !pto.ptr<f32>
  scf.for %k = %c0 to %c3 step %c1 {
    %some = arith.addi %k, %c1 : index
    %v = pto.make_tensor_view %q, shape = [%some, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
    %t = pto.alloc_tile valid_row = %some : !pto.tile_buf<vec, 8x8xf32, valid=?x8>
    pto.tload ins(%v : !pto.tensor_view<?x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>)
  }
  return
}
"""
    result = run(ptoas.parse(text), {}, "a5", blocks=2, generate=True)
    assert np.asarray(result.arguments["p"]).size == 2 * 8 + 3 * 8


# --- several targets -----------------------------------------------------------------------------


def test_targets_that_agree(lookup) -> None:
    comparison = run_all(lookup)
    ran = [outcome.target for outcome in comparison.outcomes if outcome.result is not None]
    assert ran == ["a2a3", "a5"] and comparison.equal
    assert "a2a3, a5: equal results" in comparison.text()


def test_targets_that_differ_in_capacity() -> None:
    text = LOOKUP.replace("64x8xf32", "2x1x1x32x8xf32").replace("mgather.row ", "mgather.row.clamp ")
    idx = np.array([[0, 31, 32, 63, 64, 1, 2, 3]], np.int32)
    comparison = run_all(
        ptoas.parse(text, "lookup.pto"), {"idx": idx}, targets=("a2a3", "a5"), force=True, generate=True
    )
    (difference,) = comparison.differences
    assert difference.output == "out" and difference.place[0] == 2
    assert any("capacity (D15): 64 on a2a3, 32 on a5" in reason for reason in difference.reasons)
    assert not comparison.equal and "different results" in comparison.text()


# --- assertions ----------------------------------------------------------------------------------


def checks(lines: str) -> int:
    module = ptoas.parse(LOOKUP, "lookup.pto")
    table = np.repeat(np.arange(64, dtype=np.float32), 8).reshape(64, 8)
    idx = np.arange(8, dtype=np.int32).reshape(1, 8)
    result = run(module, {"table": table, "idx": idx}, "a5")
    return check_file(Source(LOOKUP + lines, "lookup.pto"), result)


@pytest.mark.parametrize(
    "text",
    [
        "sum(out) == 8 * 28",
        "%out[3, :2] == [3, 3]",
        "out[:, 0] == [0, 1, 2, 3, 4, 5, 6, 7]",
        "0 <= min(out) and max(out) < 8",
        "not any(isnan(out))",
        "close(mean(out), 3.5)",
        "shape(out) == [8, 8]",
        "out == table[:8]",
        "idx[0] == out[:, 1]",
        "-2 ** 2 + 10 // 3 % 2 == -3",
        "count(out[0]) == 0 or false",
        "abs(-3) == 3 and 7 / 2 == 3.5",
        "out != 3",
        "take(out, [0, 9]) == [0, 1]",
        "rows(table, idx) == out",
        "out[::4, 0] == [0, 4]",
    ],
)
def test_assertions_that_hold(text: str) -> None:
    assert checks(f"// RUN-CHECK: {text}\n") == 1


@pytest.mark.parametrize(
    "text", ["sum(out) == 1", "out == 3", "out[0] == [0, 0]", "min(out) > 0", "not true"]
)
def test_assertions_that_do_not_hold(text: str) -> None:
    with pytest.raises(PtoasError) as caught:
        checks(f"// RUN-CHECK: {text}\n")
    (found,) = caught.value.diagnostics
    assert found.code == "PTO-R702" and found.span.line == 8 and text in found.message


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "out.tofile('x')",
        "(lambda: 1)()",
        "[x for x in out] == 1",
        "nothing == 1",
        "sum(out",
        "'a' == 'a'",
        "2 ** 10000 > 1",
        "open('x')",
        "sum(out, out)",
        "out[100] == 1",
        "close(out, 1, key=2)",
        "",
        "take(out, [64]) == 1",
        "take(out, [-1]) == 7",
        "take(out, [0.5]) == 0",
        "3 in out",
        "(2 ** 64) ** 64 > 1",
        "1" + " + 1" * 3000 + " > 1",
    ],
)
def test_assertions_outside_the_language(text: str) -> None:
    with error("PTO-R703"):
        checks(f"// RUN-CHECK: {text}\n")


def test_assertions_for_some_targets_only() -> None:
    assert checks("// RUN-CHECK[cpu, a2a3]: false\n# RUN-CHECK[a5]: true\n") == 1


def test_a_kernel_holds_no_old_arrays(lookup) -> None:
    kernel = compile(lookup, "a5", generate=True)
    held: list[weakref.ref] = []
    for n in range(5):
        table = np.full((64, 8), n, np.float32)
        held.append(weakref.ref(table))
        assert (kernel(table=table, out=np.zeros((8, 8), np.float32)).outputs["out"] == n).all()
    del table
    gc.collect()
    assert sum(ref() is not None for ref in held) <= 1


SIBLINGS = """
func.func @good(%x: !pto.memref<16x32xf32>, %out: !pto.memref<16x32xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  func.call @load(%x, %a) : (!pto.memref<16x32xf32>, !pto.tile_buf<vec, 16x32xf32>) -> ()
  pto.tstore ins(%a : !pto.tile_buf<vec, 16x32xf32>) outs(%out : !pto.memref<16x32xf32>)
  return
}
func.func @load(%x: !pto.memref<16x32xf32>, %a: !pto.tile_buf<vec, 16x32xf32>) {
  pto.tload ins(%x : !pto.memref<16x32xf32>) outs(%a : !pto.tile_buf<vec, 16x32xf32>)
  return
}
func.func @broken(%x: !pto.memref<64x32xf32>, %i: !pto.tile_buf<vec, 2x16xi32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  pto.mgather ins(%x, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 2x16xi32>) outs(%a : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}
  return
}
"""


def test_run_of_an_entry_ignores_functions_that_it_does_not_need() -> None:
    x = np.arange(512, dtype=np.float32).reshape(16, 32)
    module = ptoas.parse(SIBLINGS)
    result = ptoas.run(module, {"x": x}, "a5", entry="good")
    assert np.array_equal(result.outputs["out"], x)
    with pytest.raises(ptoas.PtoasError, match="PTO-A20"):
        ptoas.run(module, {}, "a5", entry="broken")


def test_run_of_an_entry_checks_what_it_calls() -> None:
    called = SIBLINGS.replace(
        "  pto.tstore",
        "  func.call @broken(%t, %i) : (!pto.memref<64x32xf32>, "
        "!pto.tile_buf<vec, 2x16xi32>) -> ()\n  pto.tstore",
        1,
    ).replace("@good(%x", "@good(%t: !pto.memref<64x32xf32>, %i: !pto.tile_buf<vec, 2x16xi32>, %x")
    with pytest.raises(ptoas.PtoasError, match="PTO-A20"):
        ptoas.run(ptoas.parse(called), {}, "a5", entry="good")


def test_an_entry_of_a_pair_needs_the_other_half() -> None:
    text = (Path(__file__).parents[1] / "examples/cube_to_vector.pto").read_text()
    module = ptoas.parse(text)
    assert needed_by(module, "relu_rows_cube") is module
