"""Cleans of the scalar data cache, and fences, that lowering inserts (D42, D53, D54)."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.lowering.pipeline import prepare

DEVICES = ["a2a3", "a5", "a5-custom"]
VIEW, TILE = "!pto.tensor_view<1x16xi32>", "!pto.tile_buf<vec, 1x16xi32>"

STORE = "pto.store_scalar %one, %p[%c0] : !pto.ptr<i32>, i32"
STORE_Q = STORE.replace("%p", "%q")
LOAD = "%v = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32"
DMA_LOAD = f"pto.tload ins(%pv : {VIEW}) outs(%a : {TILE})"
DMA_STORE = f"pto.tstore ins(%a : {TILE}) outs(%pv : {VIEW})"
CLEAN = ["barrier", "cmo.cacheinvalid", "fence.barrier_all"]
KNOWN = {"barrier", "cmo.cacheinvalid", "fence.barrier_all", "store_scalar", "load_scalar", "tload", "tstore"}


def loop(*body: str) -> str:
    return "\n".join(["scf.for %i = %c0 to %n step %c1 {", *body, "}"])


def program(*lines: str) -> str:
    return "\n".join(
        [
            "func.func @kernel(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>, %n: index, %flag: i1) {",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%c16 = arith.constant 16 : index",
            "%one = arith.constant 1 : i32",
            f"%a = pto.alloc_tile : {TILE}",
            f"%pv = pto.make_tensor_view %p, shape = [%c1, %c16], strides = [%c16, %c1] : {VIEW}",
            *lines,
            "return",
            "}",
        ]
    )


def steps(*lines: str, target: str = "a5", **options: str) -> list[str]:
    """Accesses, cleans and fences in text order; brackets mark loops."""
    module = prepare(ptoas.parse(program(*lines)), target, **options)  # type: ignore[arg-type]
    found: list[str] = []
    for op in module.walk():
        name = op.name.removeprefix("pto.")
        if name in KNOWN and not (name == "barrier" and "PIPE_ALL" not in str(op)):
            found.append(name)
        elif name in ("scf.for", "scf.yield"):
            found.append("{" if name == "scf.for" else "}")
    return found


@pytest.mark.parametrize("target", DEVICES)
def test_a_function_that_stores_scalars_ends_with_a_clean_cache(target: str) -> None:
    assert steps(STORE, STORE_Q, target=target) == ["store_scalar", "store_scalar", *CLEAN]
    lines = [line.strip() for line in ptoas.lower(ptoas.parse(program(STORE)), target).splitlines()]
    at = lines.index("p[0] = 1;")
    assert lines[at + 1 : at + 5] == [
        "pipe_barrier(PIPE_ALL);",
        "dcci((__gm__ void *)0, cache_line_t::ENTIRE_DATA_CACHE);",
        "pipe_barrier(PIPE_ALL);",
        "dsb(DSB_DDR);",
    ]


def test_cpu_has_no_cache() -> None:
    assert steps(STORE, DMA_LOAD, target="cpu") == ["store_scalar", "tload"]


def test_a_function_that_only_loads_scalars_is_left_alone() -> None:
    assert steps(LOAD) == ["load_scalar"]


def test_a_load_by_dma_is_preceded_by_a_clean() -> None:
    assert steps(STORE, DMA_LOAD) == ["store_scalar", *CLEAN, "tload"]
    assert steps(STORE, "pto.cmo.cacheinvalid all #pto.address_space<gm>", DMA_LOAD) == [
        "store_scalar",
        "cmo.cacheinvalid",
        "tload",
    ]


def test_clean_is_inserted_before_a_loop_that_does_not_store() -> None:
    assert steps(STORE, loop(DMA_LOAD)) == ["store_scalar", *CLEAN, "{", "tload", "}"]
    assert steps(loop(STORE, DMA_LOAD)) == ["{", "store_scalar", *CLEAN, "tload", "}"]


def test_a_store_that_a_loop_repeats_is_cleaned_inside_and_behind_it() -> None:
    found = steps(loop(DMA_LOAD, STORE))
    assert found == ["{", *CLEAN, "tload", "store_scalar", "}", *CLEAN]


def test_a_line_is_invalidated_before_it_is_loaded_again() -> None:
    assert steps(LOAD, DMA_STORE, LOAD.replace("%v", "%w")) == [
        "load_scalar",
        "tstore",
        *CLEAN,
        "load_scalar",
    ]
    assert steps(DMA_STORE, LOAD) == ["tstore", "load_scalar"]


def test_a_line_belongs_to_dma_until_it_is_cleaned() -> None:
    assert steps(DMA_STORE, STORE) == ["tstore", *CLEAN, "store_scalar", *CLEAN]
    assert steps(DMA_STORE, STORE_Q) == ["tstore", "store_scalar", *CLEAN]


def test_a_store_and_a_load_of_the_same_bytes_by_dma_are_fenced() -> None:
    assert steps(DMA_STORE, DMA_LOAD) == ["tstore", "fence.barrier_all", "tload"]
    assert steps(DMA_STORE, loop(DMA_LOAD)) == ["tstore", "fence.barrier_all", "{", "tload", "}"]


def test_a_wait_for_another_core_invalidates_each_time() -> None:
    wait = """scf.while : () -> () {
      %v = pto.load_scalar %p[%c0] : !pto.ptr<i32> -> i32
      %yet = arith.cmpi ne, %v, %one : i32
      scf.condition(%yet)
    } do {
      scf.yield
    }"""
    assert steps(wait) == ["cmo.cacheinvalid", "load_scalar", "}"]


def test_fences_include_accesses_of_callees() -> None:
    text = program(
        STORE, "func.call @other(%p) : (!pto.ptr<i32>) -> ()", "func.call @third(%p) : (!pto.ptr<i32>) -> ()"
    )
    text += f"""
    func.func private @other(%x: !pto.ptr<i32>) {{
      %c0 = arith.constant 0 : index
      %v = pto.load_scalar %x[%c0] : !pto.ptr<i32> -> i32
      return
    }}
    func.func private @third(%x: !pto.ptr<i32>) {{
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %a = pto.alloc_tile : {TILE}
      %xv = pto.make_tensor_view %x, shape = [%c1, %c16], strides = [%c16, %c1] : {VIEW}
      pto.tload ins(%xv : {VIEW}) outs(%a : {TILE})
      return
    }}"""
    module = prepare(ptoas.parse(text), "a5")
    names = [op.name.removeprefix("pto.") for op in next(iter(module.body.ops)).walk()]  # type: ignore[union-attr]
    calls = [at for at, name in enumerate(names) if name == "func.call"]
    assert "cmo.cacheinvalid" not in names[: calls[0]]
    assert "cmo.cacheinvalid" in names[calls[0] : calls[1]]
    assert "cmo.cacheinvalid" not in names[calls[1] :]


def test_manual_synchronisation_is_left_alone() -> None:
    flags = [
        "pto.set_flag[#pto.pipe<PIPE_S>, #pto.pipe<PIPE_MTE2>, #pto.event<EVENT_ID0>]",
        "pto.wait_flag[#pto.pipe<PIPE_S>, #pto.pipe<PIPE_MTE2>, #pto.event<EVENT_ID0>]",
    ]
    assert steps(STORE, *flags, DMA_LOAD) == ["store_scalar", "tload"]
    assert steps(STORE, *flags, DMA_LOAD, sync="auto") == ["store_scalar", *CLEAN, "tload"]
    assert steps(STORE, DMA_LOAD, sync="manual") == ["store_scalar", "tload"]


LONG = "!pto.tensor_view<?x16xi32>"
ROW = f"offsets = [%i, %c0], sizes = [%c1, %c16] : {LONG} -> {VIEW}"
MOVING = f"""%long = pto.make_tensor_view %p, shape = [%n, %c16], strides = [%c16, %c1] : {LONG}
%row = pto.partition_view %long, {ROW}
%behind = arith.subi %i, %c1 : index
%old = pto.partition_view %long, {ROW.replace("%i", "%behind")}"""


def test_a_row_of_another_iteration_needs_no_fence() -> None:
    """Each iteration works on its own row, in place; the row before has been stored, and so have all rows
    when the loop runs again."""
    load, store = DMA_LOAD.replace("%pv", "%row"), DMA_STORE.replace("%pv", "%row")
    assert steps(loop(MOVING, load, store)) == ["{", "tload", "tstore", "}"]
    behind = load.replace("%row", "%old")
    assert steps(loop(MOVING, behind, store)) == ["{", "fence.barrier_all", "tload", "tstore", "}"]
    inner = loop(MOVING, load, store).replace("%i", "%j")
    assert "fence.barrier_all" in steps(loop(inner))


def test_a_load_after_another_core_was_awaited_finds_no_old_line() -> None:
    awaits = "pto.sync.wait #pto.pipe<PIPE_S>, 3"
    assert steps(LOAD, awaits, LOAD.replace("%v", "%w")) == ["load_scalar", *CLEAN, "load_scalar"]
