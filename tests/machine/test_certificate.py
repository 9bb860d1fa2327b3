"""Statements of one run about the schedules that it did not take."""

from __future__ import annotations

import re

import pytest

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.runner.certificate import Certificate
from tests.differential.schedules import BARRIER, FENCE, ONE, ROW, TILE, head, memory


def program(first: str, second: str, both: str = "") -> str:
    """Statements of block 0, of block 1, and of both before them."""
    return "\n".join([*head(), both, "scf.if %first {", first, "} else {", second, "}", "return", "}"])


def certificate(text: str, schedules: int = 1) -> Certificate:
    module = ptoas.parse(text)
    kernel = ptoas.compile(module, "a5", blocks=2, schedule=0, schedules=schedules)
    found = kernel(**memory()).certificate
    assert found is not None
    return found


def store(row: str, number: int = 1, suffix: str = "") -> str:
    fill = f"pto.texpands ins(%f{number} : f32) outs(%t : {TILE})"
    return f"{fill}\npto.tstore ins(%t : {TILE}) outs({row} : {ROW}){suffix}\n{FENCE}"


def load(row: str, to: str) -> str:
    return f"pto.tload ins({row} : {ROW}) outs(%t : {TILE})\npto.tstore ins(%t : {TILE}) outs({to} : {ROW})"


def notify(word: int = 0, number: int = 1, kind: str = "set") -> str:
    return f"pto.comm.tnotify(%s{word}, %i{number} : {ONE}, i32) {{notifyOp = #pto<notify_op {kind}>}}"


def wait(word: int = 0, number: int = 1, compare: str = "ge") -> str:
    return f"pto.comm.twait(%s{word}, %i{number} : {ONE}, i32) {{cmp = #pto<wait_cmp {compare}>}}"


LOOK = f"%seen = pto.comm.ttest(%s0, %i1 : {ONE}, i32) {{cmp = #pto<wait_cmp ge>}} -> i1"
POKE = "pto.store_scalar %i1, %cells[%c0] : !pto.ptr<i32>, i32"
PEEK = "%seen = pto.load_scalar %cells[%c0] : !pto.ptr<i32> -> i32"
ADD = " {atomicType = #pto<atomic_type atomic_add>}"


def test_blocks_that_do_not_meet_and_blocks_at_a_barrier_have_one_result_for_any_data() -> None:
    for text in (
        program(store("%o0"), store("%o4")),
        program(load("%m1", "%o0"), load("%m0", "%o4"), f"scf.if %first {{\n{store('%m0')}\n}}\n{BARRIER}"),
    ):
        found = certificate(text)
        assert found.every_schedule and found.any_data, found
        assert found.text == "every schedule gives this result, for any data"


def test_a_signal_of_one_notifier_has_one_result_for_the_signals_that_were_given() -> None:
    found = certificate(program(store("%m0") + "\n" + notify(), wait() + "\n" + load("%m0", "%o4")))
    assert found.every_schedule and not found.any_data
    assert re.fullmatch(r"comm\.twait at line \d+ looks at memory", *found.data)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (notify(), LOOK, "looks at a signal without waiting for it"),
        (store("%m0", 1, ADD), store("%m0", 2, ADD), "nothing orders"),
        (POKE, PEEK, "loads a scalar that another core stores|nothing orders"),
        (notify() + "\n" + notify(0, 2), wait(0, 1, "eq"), "a later notification ends what it waits for"),
        (notify(0, 1, "atomic_add"), notify(0, 1, "atomic_add") + "\n" + wait(), "several actors notify it"),
    ],
)
def test_certificate_names_the_statement_that_depends_on_the_order(
    first: str, second: str, reason: str
) -> None:
    for text in (program(first, second), program(second, first)):
        try:
            found = certificate(text)
        except PtoasError:
            continue  # a wait that came too late
        assert not found.every_schedule
        assert re.search(reason, found.choices[0])


def test_a_wait_for_all_additions_does_not_depend_on_their_order() -> None:
    add = notify(0, 1, "atomic_add")
    found = certificate(
        program(f"{add}\n{wait(0, 2)}\n{store('%o0')}", f"{add}\n{wait(0, 2)}\n{store('%o4')}")
    )
    assert found.every_schedule, found.choices


def test_data_that_chooses_what_runs_is_named() -> None:
    branch = f"%c = arith.cmpi eq, %seen, %i1 : i32\nscf.if %c {{\n{store('%o0')}\n}}"
    found = certificate(program(f"{PEEK}\n{branch}", ""))
    assert found.every_schedule
    assert [text.split(" at ")[0] for text in found.data] == ["scf.if"]


def test_schedules_are_explored_to_the_end_where_one_run_does_not_do() -> None:
    text = program(store("%m0", 1, ADD), store("%m0", 2, ADD))
    found = certificate(text, schedules=20)
    assert found.exhaustive and found.every_schedule and not found.any_data
    assert "all" in found.text


def test_exploration_finds_a_difference() -> None:
    text = program(notify(), f"{LOOK}\nscf.if %seen {{\n{store('%o4')}\n}}")
    with pytest.raises(PtoasError, match="PTO-R918"):
        certificate(text, schedules=20)


def test_a_run_that_checks_less_claims_nothing() -> None:
    kernel = ptoas.compile(ptoas.parse(program("", "")), "a5", blocks=2, checks="mem")
    found = kernel(**memory()).certificate
    assert found is not None and not found.every_schedule


def test_several_processes_claim_what_one_does() -> None:
    module = ptoas.parse(program(store("%o0"), store("%o4")))
    one, two = (ptoas.compile(module, "a5", blocks=2, jobs=jobs)(**memory()).certificate for jobs in (1, 2))
    assert one is not None and one.any_data
    assert one == two
