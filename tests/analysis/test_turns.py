"""Numbers that repeat with the iterations of a loop, and flags whose events are such numbers."""

from __future__ import annotations

import pytest

from ptoas.analysis.affine import induction_loop
from ptoas.analysis.sync_flow import SyncFlow
from ptoas.analysis.turns import AtTurn, periods_of
from ptoas.targets import get_target

from .functions import Facts, M, T

LOOP = "scf.for %i = %c1 to %n step %c1 {"
CHOSEN = [
    ("%s = arith.remui %i, %c4 : index", [1, 2, 3, 0]),
    ("%s = arith.remsi %i, %c2 : index", [1, 0]),
    ("%s = arith.andi %i, %c1 : index", [1, 0]),
    ("%k = arith.subi %i, %c1 : index\n%s = arith.remui %k, %c2 : index", [0, 1]),
    ("%k = arith.muli %c2, %i : index\n%s = arith.remui %k, %c4 : index", [2, 0, 2, 0]),
    ("%k = arith.remui %i, %c2 : index\n%s = arith.subi %c1, %k : index", [0, 1]),
    (
        "%k = arith.remui %i, %c2 : index\n%m = arith.remui %i, %c4 : index\n%s = arith.addi %k, %m : index",
        [2, 2, 4, 0],
    ),
    (
        "%k = arith.muli %i, %c4 : index\n%h = arith.divui %k, %c2 : index\n%s = arith.remui %h, %c4 : index",
        [2, 0, 2, 0],
    ),
    ("%k = arith.subi %i, %c8 : index\n%s = arith.remui %k, %c2 : index", None),
    ("%k = arith.muli %i, %i : index\n%s = arith.remui %k, %c2 : index", None),
    ("%k = arith.addi %i, %n : index\n%s = arith.remui %k, %c2 : index", None),
    ("%s = arith.divui %i, %c2 : index", None),
    ("%s = arith.addi %i, %c1 : index", None),
]


@pytest.mark.parametrize(("text", "expected"), CHOSEN)
def test_numbers_of_iterations(text: str, expected: list[int] | None) -> None:
    facts = Facts(LOOP, text, "}")
    periods = periods_of(facts["s"], facts.facts.knowledge)
    assert (periods is None) == (expected is None)
    loop = induction_loop(facts["i"])
    assert loop is not None
    for turn in range(3 * len(expected or ())):
        assert expected is not None and periods == {loop: len(expected)}
        assert AtTurn({loop: turn}).constant(facts["s"]) == expected[turn % len(expected)]


@pytest.mark.parametrize(("start", "step"), [("%n", "%c2"), ("%n", "%n"), ("%c4", "%n"), ("%go_far", "%n")])
def test_iteration_number_is_recognised_with_dynamic_bounds(start: str, step: str) -> None:
    """Such numbers are what `insert-sync` writes."""
    facts = Facts(
        "%go_far = arith.addi %n, %c1 : index",
        f"scf.for %i = {start} to %c8 step {step} {{",
        f"%w = arith.subi %i, {'%n' if start == '%go_far' else start} : index",
        f"%k = arith.divui %w, {step} : index",
        "%s = arith.remui %k, %c2 : index",
        "}",
    )
    found, loop = periods_of(facts["s"], facts.facts.knowledge), induction_loop(facts["i"])
    assert loop is not None
    assert found == (None if start == "%go_far" else {loop: 2})
    if found is not None:
        assert [AtTurn({loop: turn}).constant(facts["s"]) for turn in range(4)] == [0, 1, 0, 1]


def flag(word: str, source: str, sink: str, event: str) -> str:
    kind, name = ("_dyn", event) if event[0] == "%" else ("", f"<EVENT_ID{event}>")
    return f"pto.{word}_flag{kind}[<PIPE_{source}>, <PIPE_{sink}>, {name}]"


SLOTS = f"%s = arith.remui %i, %c2 : index\n%t = pto.multi_tile_get %a, %b[%s] : {T}, {T} -> {T}"
READY = f"{flag('set', 'MTE2', 'V', '0')}\n{flag('wait', 'MTE2', 'V', '0')}"


def findings(
    *lines: str, primes: str = "01", drains: str = "01", count: str = "%n", wait: str = "%s", load: str = "%t"
) -> set[str]:
    """Misuses and hazards of a loop that loads a tile and reads it, with one event for each of two tiles."""
    facts = Facts(
        *(f"%{name} = pto.alloc_tile : {T}" for name in "ab"),
        *(flag("set", "V", "MTE2", each) for each in primes),
        f"scf.for %i = %c0 to {count} step %c1 {{",
        SLOTS,
        flag("wait", "V", "MTE2", wait),
        f"pto.tload ins(%x : {M}) outs({load} : {T})",
        READY,
        f"pto.tneg ins({load} : {T}) outs(%arg : {T})",
        *lines,
        flag("set", "V", "MTE2", "%s"),
        "}",
        *(flag("wait", "V", "MTE2", each) for each in drains),
    )
    flow = SyncFlow(facts.facts, get_target("a5"))
    flow.run()
    assert not flow.undecided
    found = {misuse.kind for misuse in flow.misuses.values()}
    return found | {"hazard"} if flow.hazards else found


def test_one_event_for_each_tile_is_followed() -> None:
    assert findings() == set()
    assert findings(primes="0") >= {"maybe unset"}
    assert findings(primes="") >= {"maybe unset"}
    assert findings(drains="0") == {"left up"}
    assert findings(wait="0") >= {"set twice"}


def test_a_tile_of_all_iterations_needs_more_than_one_event_for_each_of_two() -> None:
    assert findings(load="%a") == {"hazard"}


def test_only_the_last_of_a_known_number_of_iterations_may_leave_a_flag() -> None:
    """Even iterations raise a flag, and odd ones take it down."""
    odd = "%even = arith.cmpi eq, %s, %c0 : index\nscf.if %even {\n" + flag("set", "V", "MTE3", "0")
    odd += "\n} else {\n" + flag("wait", "V", "MTE3", "0") + "\n}"
    assert findings(odd, count="%c4") == findings(odd, count="%c2") == set()
    assert findings(odd, count="%c1") == findings(odd) == {"left up"}


def test_a_flag_that_is_set_before_a_loop_over_tiles_in_turn_is_left_up() -> None:
    facts = Facts(
        *(f"%{name} = pto.alloc_tile : {T}" for name in "ab"),
        flag("set", "V", "MTE3", "7"),
        "scf.for %i = %c0 to %c4 step %c1 {",
        SLOTS,
        f"pto.tload ins(%x : {M}) outs(%t : {T})",
        "}",
    )
    flow = SyncFlow(facts.facts, get_target("a5"))
    flow.run()
    assert [(misuse.kind, misuse.op.name) for misuse in flow.misuses.values()] == [
        ("left up", "pto.set_flag")
    ]
