"""The scalar data cache and fences of global memory in `run` (D42, D53, D54)."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.compiler.run import run
from ptoas.diagnostics import Diagnostic, PtoasError, Severity

DEVICES = ["a2a3", "a5"]
VIEW, TILE = "!pto.tensor_view<1x32xi32>", "!pto.tile_buf<vec, 1x32xi32>"

ALL = "pto.barrier #pto.pipe<PIPE_ALL>"
CLEAN = "pto.cmo.cacheinvalid all #pto.address_space<gm>"
LINE = f"pto.cmo.cacheinvalid %pv single_cache_line : {VIEW}"
FENCE = "pto.fence.barrier_all #pto.fence_scope<gm>"
STORE = "pto.store_scalar %one, %p[%n] : !pto.ptr<i32>, i32"
STORE_FAR = "pto.store_scalar %one, %p[%far] : !pto.ptr<i32>, i32"
LOAD = "%v = pto.load_scalar %p[%n] : !pto.ptr<i32> -> i32"
AGAIN = LOAD.replace("%v", "%w")
DMA_LOAD = f"pto.tload ins(%pv : {VIEW}) outs(%a : {TILE})"
DMA_STORE = f"pto.tstore ins(%a : {TILE}) outs(%pv : {VIEW})"


def program(*lines: str) -> str:
    """`%n` is an element of the first line of `%p`, `%far` one of the second; which, only the run knows."""
    return "\n".join(
        [
            f"func.func @kernel(%p: !pto.ptr<i32>, %q: !pto.ptr<i32>, %n: index, %a: {TILE}) {{",
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%c16 = arith.constant 16 : index",
            "%c32 = arith.constant 32 : index",
            "%one = arith.constant 1 : i32",
            "%far = arith.addi %n, %c16 : index",
            f"%pv = pto.make_tensor_view %p, shape = [%c1, %c32], strides = [%c32, %c1] : {VIEW}",
            f"%qv = pto.make_tensor_view %q, shape = [%c1, %c32], strides = [%c32, %c1] : {VIEW}",
            *lines,
            "return",
            "}",
        ]
    )


def values() -> dict[str, Any]:
    return {
        "p": np.arange(32, dtype=np.int32),
        "q": np.arange(32, 64, dtype=np.int32),
        "n": 3,
        "a": np.arange(64, 96, dtype=np.int32).reshape(1, 32),
    }


def stopped(*lines: str, target: str = "a5", **options: Any) -> Diagnostic:
    with pytest.raises(PtoasError) as caught:
        run(ptoas.parse(program(*lines)), values(), target, sync="manual", **options)
    (found,) = caught.value.diagnostics
    return found


def passes(*lines: str, target: str = "a5", **options: Any) -> None:
    run(ptoas.parse(program(*lines)), values(), target, sync="manual", **options)
    run(ptoas.parse(program(*lines)), values(), "cpu", **options)


BROKEN = {
    "dirty at the end": (
        "PTO-R311",
        ["scf.if %yes {", STORE, "}"],
        ["scf.if %yes {", STORE, "}", CLEAN],
    ),
    "dirty and loaded": ("PTO-R311", [STORE, ALL, DMA_LOAD], [STORE, CLEAN, ALL, DMA_LOAD]),
    "dirty and written": ("PTO-R311", [STORE, ALL, DMA_STORE], [STORE, FENCE, ALL, DMA_STORE]),
    "one line of two": (
        "PTO-R311",
        [STORE, STORE_FAR, LINE, ALL, DMA_LOAD],
        [STORE, STORE_FAR, CLEAN, ALL, DMA_LOAD],
    ),
    "stale": ("PTO-R312", [LOAD, ALL, DMA_STORE, ALL, AGAIN], [LOAD, ALL, DMA_STORE, ALL, CLEAN, AGAIN]),
    "stale behind a fence": (
        "PTO-R312",
        [LOAD, ALL, DMA_STORE, FENCE, AGAIN],
        [LOAD, ALL, DMA_STORE, FENCE, LINE, AGAIN],
    ),
    "a line of DMA": ("PTO-R313", [DMA_STORE, ALL, STORE, CLEAN], [DMA_STORE, ALL, CLEAN, STORE, CLEAN]),
    "no fence": ("PTO-R314", [DMA_STORE, ALL, DMA_LOAD], [DMA_STORE, FENCE, DMA_LOAD]),
}
YES = "%yes = arith.cmpi slt, %n, %c16 : index"


@pytest.mark.parametrize("target", DEVICES)
@pytest.mark.parametrize("name", BROKEN)
def test_stale_cache_line_stops_the_run(name: str, target: str) -> None:
    code, broken, fixed = BROKEN[name]
    assert stopped(YES, *broken, target=target).code == code
    passes(YES, *fixed, target=target)
    # The compiler adds what is missing.
    run(ptoas.parse(program(YES, *broken)), values(), target, sync="auto")


HELPER = """func.func @helper(%p: !pto.ptr<i32>, %n: index) {
  %one = arith.constant 1 : i32
  pto.store_scalar %one, %p[%n] : !pto.ptr<i32>, i32
  return
}
"""
CALL = "func.call @helper(%p, %n) : (!pto.ptr<i32>, index) -> ()"


@pytest.mark.parametrize("target", DEVICES)
def test_verify_and_run_require_a_clean_cache_at_the_end_of_the_kernel(target: str) -> None:
    def findings(*lines: str) -> tuple[list[tuple[str, Severity]], list[str]]:
        module = ptoas.parse(HELPER + program(*lines))
        found = ptoas.verify(module, target, sync="manual").diagnostics
        try:
            run(module, values(), target, sync="manual", entry="kernel", force=True)
        except PtoasError as error:
            return [(d.code, d.severity) for d in found], [d.code for d in error.diagnostics]
        return [(d.code, d.severity) for d in found], []

    in_helper = ("PTO-F120", Severity.WARNING)  # its callers may clean
    assert findings(CALL, CLEAN) == ([in_helper], [])
    assert findings(CALL) == ([in_helper], ["PTO-R311"])
    assert findings(CALL, CLEAN, STORE) == ([in_helper, ("PTO-F120", Severity.ERROR)], ["PTO-R311"])


def test_the_report_names_the_bytes_and_the_store() -> None:
    found = stopped(STORE, ALL, DMA_LOAD)
    assert "reads bytes 0 to 63 of %p" in found.message and found.span.line == 12
    assert [note.span.line for note in found.notes if note.span] == [10]


def test_without_the_race_check_nothing_is_looked_for() -> None:
    passes(STORE, ALL, DMA_LOAD, checks="mem,init,budget")


def test_a_line_that_was_not_fetched_is_loaded_as_dma_wrote_it() -> None:
    passes(DMA_STORE, ALL, LOAD)


def block(offset: str) -> str:
    return program(
        "%b = pto.get_block_idx",
        "%i = arith.index_cast %b : i64 to index",
        "%j = arith.muli %i, %c16 : index",
        f"pto.store_scalar %one, %q[{offset}] : !pto.ptr<i32>, i32",
    )


@pytest.mark.parametrize("target", DEVICES)
@pytest.mark.parametrize("schedule", [None, 0])
def test_two_blocks_do_not_store_to_one_line(target: str, schedule: int | None) -> None:
    with pytest.raises(PtoasError) as caught:
        run(ptoas.parse(block("%i")), values(), target, blocks=2, schedule=schedule)
    (found,) = caught.value.diagnostics
    assert found.code == "PTO-R313" and found.message.startswith(
        "blocks 0 and 1 write to bytes 0 to 63 of %q"
    )
    run(ptoas.parse(block("%j")), values(), target, blocks=2, schedule=schedule)
    # On cpu there is no such cache, and one block has no other.
    run(ptoas.parse(block("%i")), values(), "cpu", blocks=2, schedule=schedule)
    run(ptoas.parse(block("%i")), values(), target, blocks=1, schedule=schedule)


def mixed(random: Random) -> str:
    """Scalar accesses and DMA to two arguments, in loops and branches."""
    number = 0

    def lines(depth: int) -> list[str]:
        nonlocal number
        found: list[str] = []
        for _ in range(random.randint(1, 4)):
            number += 1
            argument, place = random.choice("pq"), random.choice(["%c0", "%n", "%c16", "%far"])
            match random.choice(["load", "store", "tload", "tstore", "for", "if"]):
                case "load":
                    found.append(f"%v{number} = pto.load_scalar %{argument}[{place}] : !pto.ptr<i32> -> i32")
                    found.append(f"pto.store_scalar %v{number}, %q[%c16] : !pto.ptr<i32>, i32")
                case "store":
                    found.append(f"pto.store_scalar %one, %{argument}[{place}] : !pto.ptr<i32>, i32")
                case "tload":
                    found.append(DMA_LOAD.replace("%pv", f"%{argument}v"))
                case "tstore":
                    found.append(DMA_STORE.replace("%pv", f"%{argument}v"))
                case "for" if depth:
                    found += [f"scf.for %i{number} = %c0 to %n step %c1 {{", *lines(depth - 1), "}"]
                case _ if depth:
                    found += ["scf.if %yes {", *lines(depth - 1), "}"]
                case _:
                    pass
        return found

    return program(YES, *lines(2))


@pytest.mark.parametrize("target", DEVICES)
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_inserted_cleans_give_the_values_of_cpu(target: str, random: Random) -> None:
    """A program with automatic synchronisation runs, and leaves what it leaves on cpu."""
    text = mixed(random)
    results = []
    for each in (target, "cpu"):
        given = values()
        run(ptoas.parse(text), given, each)
        results.append([given["p"].tolist(), given["q"].tolist()])
    assert results[0] == results[1]
