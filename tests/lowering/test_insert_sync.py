"""Flags between pipes: enough of them, and none too many."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ptoas
from ptoas.dialects.pto.sync import SetFlagOp, WaitFlagOp
from ptoas.lowering import prepare
from ptoas.lowering.structure import functions
from ptoas.targets import Target, get_target
from ptoas.targets.facts import Knowledge
from ptoas.targets.function_facts import FunctionFacts
from ptoas.targets.sync_flow import SyncFlow

from .programs import program

DEVICES = ("a2a3", "a5")
RANDOM = st.randoms(use_true_random=False)


def findings(module: ModuleOp, target: Target) -> tuple[int, list[str]]:
    """How many hazards the verifier's own analysis sees, and which flags it finds misused."""
    hazards, misuses = 0, []
    for function in functions(module):
        flow = SyncFlow(FunctionFacts(function, Knowledge()), target)
        flow.run()
        hazards += len(flow.hazards)
        misuses += [misuse.kind for misuse in flow.misuses.values()]
    return hazards, misuses


def flags(module: ModuleOp) -> list[str]:
    found = []
    for op in module.walk():
        if isinstance(op, SetFlagOp | WaitFlagOp):
            verb = "set" if isinstance(op, SetFlagOp) else "wait"
            pipes = (op.src_pipe.data.value[5:], op.dst_pipe.data.value[5:], op.event_id.data.value[-1])
            found.append(f"{verb} {pipes[0]}>{pipes[1]} {pipes[2]}")
    return found


def pairs(module: ModuleOp) -> list[tuple[SetFlagOp, WaitFlagOp]]:
    """Each wait with the set that it answers: the last one of that flag in the same block."""
    found: list[tuple[SetFlagOp, WaitFlagOp]] = []
    for op in module.walk():
        if not isinstance(op, WaitFlagOp):
            continue
        at = op.prev_op
        while not (isinstance(at, SetFlagOp) and at.properties == op.properties):
            assert at is not None, "a wait without a set in its block"
            at = at.prev_op
        found.append((at, op))
    return found


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=60, deadline=None)
def test_no_hazard_and_no_misused_flag_remains(target: str, random: Random) -> None:
    module = prepare(ptoas.parse(program(random)), target)
    assert findings(module, get_target(target)) == (0, [])


@pytest.mark.parametrize("target", DEVICES)
@given(random=RANDOM)
@settings(max_examples=40, deadline=None)
def test_every_pair_is_needed(target: str, random: Random) -> None:
    module = prepare(ptoas.parse(program(random)), target)
    for number in range(len(pairs(module))):
        less = module.clone()
        raised, awaited = pairs(less)[number]
        for op in (raised, awaited):
            op.detach()
            op.erase()
        assert findings(less, get_target(target))[0] > 0, f"pair {number} is not needed:\n{module}"


@given(random=RANDOM)
@settings(max_examples=10, deadline=None)
def test_the_cpu_has_no_pipes(random: Random) -> None:
    assert flags(prepare(ptoas.parse(program(random)), "cpu")) == []
