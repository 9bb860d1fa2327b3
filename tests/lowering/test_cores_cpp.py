"""C++ of programs for several cores: types of channels, guards, the entry and what launches it."""

from __future__ import annotations

import re

import pytest

import ptoas

from .test_sync_of_cores import ADDED, pair, sections

WHOLE = """
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!vec = !pto.tile_buf<vec, 16x16xf32>
!out = !pto.memref<16x16xf32>
func.func @rows_aic(%gm: !pto.ptr<f32>, %out: !out, %n: i32) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  %acc = pto.alloc_tile : !acc
  %ring = pto.import_reserved_buffer {name = "ring", peer_func = @rows_aiv} -> i32
  pto.aic_initialize_pipe {id = 2, dir_mask = 1, slot_size = 1024, nosplit = true} (MEMORYc2v_consumer_buf = %ring : i32)
  pto.tstore ins(%acc : !acc) outs(%out : !out)
  pto.tpush_to_aiv(%acc : !acc) {id = 2, split = 0}
  return
}
func.func @rows_aiv(%gm: !pto.ptr<f32>, %out: !out, %n: i32, %__pypto_spmd_subblock_idx: i32)
    attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  %ring = pto.reserve_buffer {name = "ring", size = 8192, location = #pto.address_space<vec>, auto = true} -> i32
  pto.aiv_initialize_pipe {id = 2, dir_mask = 1, slot_size = 1024, nosplit = true} (MEMORYc2v_consumer_buf = %ring : i32)
  %t = pto.tpop_from_aic {id = 2, split = 0} -> !vec
  pto.tstore ins(%t : !vec) outs(%out : !out)
  pto.tfree_from_aic {id = 2, split = 0}
  return
}
"""  # noqa: E501 - programs are text
MEMORY = "gm_slot_buffer = %gm : !pto.ptr<f32>, "


def lowered(text: str, target: str, emit: str = "kernel") -> str:
    return ptoas.lower(ptoas.parse(text), target=target, emit=emit)


def whole(target: str) -> str:
    return WHOLE.replace("MEMORY", MEMORY if target == "a2a3" else "")


def body(text: str, name: str) -> list[str]:
    """The statements of a function."""
    found = re.search(rf"\b{name}\([^)]*\)\n\{{\n(.*?)^\}}$", text, re.DOTALL | re.MULTILINE)
    assert found is not None, text
    return [line.strip() for line in found[1].splitlines() if line.strip()]


@pytest.mark.parametrize(
    ("target", "type"),
    [
        ("cpu", "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, false>"),
        ("a2a3", "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>"),
        ("a5", "TPipe<0, Direction::DIR_C2V, 1024, 8, 2, true>"),
    ],
)
def test_both_ends_have_one_type(target: str, type: str) -> None:
    text = lowered(whole(target), target)
    assert text.count(f"using Pipe2 = {type};") == 2
    pointer = "gm" if target == "a2a3" else "nullptr"
    assert f"Pipe2 pipe2({pointer}, 0x0, 0x0);" in text
    assert "TPUSH<Pipe2, AccTile, TileSplitAxis::TILE_NO_SPLIT>(pipe2, acc);" in text
    assert "TPOP<Pipe2, TTile, TileSplitAxis::TILE_NO_SPLIT>(pipe2, t);" in text
    assert "TFREE<Pipe2, TileSplitAxis::TILE_NO_SPLIT>(pipe2);" in text


def test_slots_in_global_memory_are_another_direction_on_a5() -> None:
    text = lowered(WHOLE.replace("MEMORY", MEMORY), "a5")
    assert "using Pipe2 = TPipe<0, Direction::DIR_C2V_GM, 1024, 8, 8, true>;" in text


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_each_kind_of_core_has_its_own_body(target: str) -> None:
    text = lowered(whole(target), target)
    cube, vector = body(text, "rows_aic"), body(text, "rows_aiv")
    cube, vector = ([line for line in lines if "using" not in line] for lines in (cube, vector))
    assert (cube[0], cube[-1]) == ("#if defined(__DAV_CUBE__)", "#endif")
    assert vector[:3] == ["#if defined(__DAV_VEC__)", "set_mask_norm();", "set_vector_mask(-1, -1);"]
    assert vector[-1] == "#endif"
    # On a2a3 both vector cores take part in what is not split.
    assert ("if (get_subblockid() == 0) {" in vector) == (target == "a5")


def test_a_function_that_asks_which_core_it_is_on_has_no_guard() -> None:
    assert "if (get_subblockid() == 0) {" not in lowered(pair("a5", ADDED), "a5")


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_sections_become_functions_of_one_kind(target: str) -> None:
    text = lowered(sections(target, ADDED), target, "entry")
    assert body(text, "f_cube")[-1] == body(text, "f_vector")[-1] == "#endif"
    calls = [line for line in body(text, "f") if line.startswith("f_")]
    assert [call.partition("(")[0] for call in calls] == ["f_cube", "f_vector"]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_a_pair_has_one_entry_and_one_launcher(target: str) -> None:
    text = lowered(whole(target), target, "launcher")
    area = "__gm__ uint64_t *ffts, " if target == "a2a3" else ""
    assert (
        f'extern "C" __global__ AICORE void rows({area}__gm__ float *gm, __gm__ float *out, int32_t n)'
        in text
    )
    calls = ["rows_aic(gm, out, n);", "rows_aiv(gm, out, n, v1);"]
    assert [line for line in body(text, "rows") if line.startswith("rows_")] == calls
    assert "const int64_t v0 = get_subblockid();" in body(text, "rows")
    assert "void launch_rows(uint32_t numBlocks, void *stream, float *gm, float *out, int32_t n)" in text


def test_a2a3_cores_get_the_control_area() -> None:
    text = lowered(whole("a2a3"), "a2a3", "launcher")
    assert body(text, "rows")[0] == "set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));"
    assert body(text, "launch_rows") == [
        "uint64_t ffts = 0;",
        "uint32_t fftsLength = 0;",
        "rtGetC2cCtrlAddr(&ffts, &fftsLength);",
        "rows<<<numBlocks, nullptr, stream>>>(reinterpret_cast<uint64_t *>(ffts), gm, out, n);",
    ]
    assert "ffts" not in lowered(whole("a5"), "a5", "launcher")
    # A program that says so itself is left alone.
    own = whole("a2a3").replace("%n: i32", "%n: i32, %f: !pto.ptr<i64>")
    own = own.replace("  %acc = pto.alloc", "  pto.set_ffts %f : !pto.ptr<i64>\n  %acc = pto.alloc")
    assert lowered(own, "a2a3", "launcher").count("set_ffts_base_addr") == 1


def test_the_simulator_has_a_thread_for_each_core() -> None:
    text = lowered(pair("cpu", ADDED), "cpu", "entry")
    assert "#include <thread>" in text
    (entry,) = re.findall(r'extern "C" void (\w+)\(', text)
    lines = body(text, entry)
    assert lines[0] == "TPipe<0, Direction::DIR_C2V, 1024, 4, 4, false>::reset_for_cpu_sim();"
    assert [line for line in lines if line.startswith("std::thread")] == [
        "std::thread cube(core, 0, 1);",
        "std::thread vector0(core, 0, 2);",
        "std::thread vector1(core, 1, 2);",
    ]
    # A core of the other kind leaves at once.
    leaves = {"c": "if (get_subblockdim() == 2) {", "v": "if (get_subblockdim() == 1) {"}
    for name, condition in leaves.items():
        assert condition in body(text, name)


def test_the_simulator_is_not_launched() -> None:
    with pytest.raises(ptoas.PtoasError, match="PTO-L005"):
        lowered(pair("cpu", ADDED), "cpu", "launcher")
