"""Document 000, Pipe / Synchronisation Model, line by line."""

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


def test_a5_single_element_goes_through_the_scalar_pipe() -> None:
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
