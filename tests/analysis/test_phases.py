"""Phases: the iterations of a loop in which an operation touches a tile."""

from __future__ import annotations

import pytest

from ptoas.analysis.phases import Phases
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.dialects.pto.elementwise import TNegOp
from ptoas.targets import get_target

from .functions import Facts, M, T

LOOP = "scf.for %i = %c0 to %n step %c1 {"
SLOT = [
    ("%s = arith.remui %i, %c2 : index", (0, 1)),
    ("%s = arith.andi %i, %c1 : index", (0, 1)),
    ("%k = arith.addi %i, %c1 : index\n%s = arith.remsi %k, %c2 : index", (1, 0)),
    ("%k = arith.subi %i, %c1 : index\n%s = arith.remui %k, %c4 : index", (1, 2)),
    ("%k = arith.subi %c1, %i : index\n%s = arith.remui %k, %c2 : index", (1, 0)),
    ("%s = arith.remui %n, %c2 : index", None),
    ("%k = arith.muli %i, %c2 : index\n%s = arith.remui %k, %c2 : index", None),
    ("%k = arith.muli %i, %n : index\n%s = arith.remui %k, %c2 : index", None),
    ("%s = arith.divui %i, %c2 : index", None),
]


def phases(*lines: str) -> tuple[int, ...] | None:
    """The residues of the tiles `a` and `b` where `tneg` reads `t`."""
    facts = Facts(f"%a = pto.alloc_tile : {T}", f"%b = pto.alloc_tile : {T}", *lines)
    found = Phases(facts.facts.ops, facts.facts.knowledge)
    (op,) = [op for op in facts.facts.ops if isinstance(op, TNegOp)]
    touched = [found.of(op, op.operands[0], facts[name]) for name in "ab"]
    return tuple(phase.residue for phase in touched if phase is not None) or None


@pytest.mark.parametrize(("slot", "expected"), SLOT)
def test_slot_of_a_multi_tile(slot: str, expected: tuple[int, int] | None) -> None:
    get = f"%t = pto.multi_tile_get %a, %b[%s] : {T}, {T} -> {T}"
    assert phases(LOOP, slot, get, f"pto.tneg ins(%t : {T}) outs(%arg : {T})", "}") == expected


@pytest.mark.parametrize(("start", "step"), [("%c1", "%c2"), ("%n", "%c1"), ("%c0", "%n")])
def test_the_number_of_an_iteration_counts_not_its_variable(start: str, step: str) -> None:
    """Tiles change in turn if the step is known and prime to their number."""
    loop = f"scf.for %i = {start} to %c8 step {step} {{"
    slot = "%s = arith.remui %i, %c2 : index"
    get = f"%t = pto.multi_tile_get %a, %b[%s] : {T}, {T} -> {T}"
    found = phases(loop, slot, get, f"pto.tneg ins(%t : {T}) outs(%arg : {T})", "}")
    assert (found is not None) == (step == "%c1")


@pytest.mark.parametrize("step", ["%c2", "%n"])
def test_the_distance_from_a_dynamic_bound_by_the_step_is_the_number_of_the_iteration(step: str) -> None:
    number = f"%w = arith.subi %i, %n : index\n%k = arith.divui %w, {step} : index"
    slot = f"{number}\n%s = arith.remui %k, %c2 : index"
    get = f"%t = pto.multi_tile_get %a, %b[%s] : {T}, {T} -> {T}"
    use = f"pto.tneg ins(%t : {T}) outs(%arg : {T})"
    assert phases(f"scf.for %i = %n to %c8 step {step} {{", slot, get, use, "}") == (0, 1)


def test_division_by_the_step() -> None:
    slot = "%k = arith.divui %i, %c2 : index\n%s = arith.remui %k, %c2 : index"
    get = f"%t = pto.multi_tile_get %a, %b[%s] : {T}, {T} -> {T}"
    use = f"pto.tneg ins(%t : {T}) outs(%arg : {T})"
    assert phases("scf.for %i = %c4 to %n step %c2 {", slot, get, use, "}") == (0, 1)
    assert phases("scf.for %i = %c4 to %n step %c1 {", slot, get, use, "}") is None


def test_select_and_branches() -> None:
    odd = "%r = arith.remui %i, %c2 : index\n%odd = arith.cmpi eq, %r, %c1 : index"
    use = f"pto.tneg ins(%t : {T}) outs(%arg : {T})"
    assert phases(LOOP, odd, f"%t = arith.select %odd, %a, %b : {T}", use, "}") == (1, 0)
    both = use.replace("%t", "%a")
    assert phases(LOOP, odd, "scf.if %odd {", both, "}", "}") == (1, 1)
    assert phases(LOOP, odd, "scf.if %odd {", "} else {", both, "}", "}") == (0, 0)
    assert phases(LOOP, odd, "scf.if %go {", both, "}", "}") is None


def hazards(*lines: str) -> int:
    facts = Facts(f"%a = pto.alloc_tile : {T}", f"%b = pto.alloc_tile : {T}", LOOP, *lines, "}")
    flow = SyncFlow(facts.facts, get_target("a5"))
    flow.run()
    return len(flow.hazards)


def test_verify_distinguishes_slots_of_successive_iterations() -> None:
    """Flags by hand for a load of the next iteration's tile: this iteration's came with the one before."""
    slots = "%k = arith.addi %i, %c1 : index"
    for name, at in (("s", "%i"), ("next", "%k")):
        slots += f"\n%{name}_s = arith.remui {at}, %c2 : index"
        slots += f"\n%{name} = pto.multi_tile_get %a, %b[%{name}_s] : {T}, {T} -> {T}"
    ready = [
        "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
        "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
    ]
    free = [each.replace("MTE2>, <PIPE_V", "V>, <PIPE_MTE2") for each in ready]
    load = f"pto.tload ins(%x : {M}) outs(%next : {T})"
    use = f"pto.tneg ins(%s : {T}) outs(%arg : {T})"
    assert hazards(slots, *free, *ready, load, use) == 0
    assert hazards(slots, *free, load, use) == hazards(slots, *ready, load, use) == 1


def test_a_flag_by_number_may_be_one_that_the_program_chooses() -> None:
    """The wait behind the loop is for a flag of its last iteration."""
    dynamic = "[<PIPE_MTE2>, <PIPE_V>, %i]"
    facts = Facts(
        LOOP,
        f"pto.tload ins(%x : {M}) outs(%arg : {T})",
        f"pto.set_flag_dyn{dynamic}",
        "}",
        "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]",
        f"pto.tneg ins(%arg : {T}) outs(%arg : {T})",
    )
    flow = SyncFlow(facts.facts, get_target("a5"))
    flow.run()
    assert not flow.hazards and not flow.misuses and flow.undecided
