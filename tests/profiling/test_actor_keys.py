"""The table of what orders actors names the keys that a run releases and acquires."""

from __future__ import annotations

from pathlib import Path

import pytest

import ptoas
from ptoas.analysis.sync_actions import CounterKey, SignalKey, SlotKey, SyncAllKey, actor_keys
from ptoas.profiling.record import What

CHANNEL = (Path(__file__).parents[2] / "examples" / "cube_to_vector.pto").read_text()
VECTOR = "attributes {pto.kernel_kind = #pto.kernel_kind<vector>}"
SIGNAL = "!pto.memref<1xi32>"
PROGRAMS = {
    SlotKey: (CHANNEL, 1),
    CounterKey: (
        "func.func @kernel() {\n"
        "pto.section.cube {\npto.set_intra_block <PIPE_FIX>, 0\npto.set_intra_block <PIPE_FIX>, 16\n}\n"
        "pto.section.vector {\npto.wait_intra_block <PIPE_V>, 0\n}\nreturn\n}",
        1,
    ),
    SignalKey: (
        f"func.func @kernel(%sig: {SIGNAL}) {{\n%c1 = arith.constant 1 : i32\n"
        f"pto.comm.tnotify(%sig, %c1 : {SIGNAL}, i32) {{notifyOp = #pto<notify_op atomic_add>}}\n"
        f"pto.comm.twait(%sig, %c1 : {SIGNAL}, i32) {{cmp = #pto<wait_cmp ge>}}\nreturn\n}}",
        2,
    ),
    SyncAllKey: (
        f"func.func @kernel() {VECTOR} {{\n"
        "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>\nreturn\n}",
        2,
    ),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_run_has_the_keys_of_the_table(kind: type) -> None:
    text, blocks = PROGRAMS[kind]
    module = ptoas.parse(text)
    profile = ptoas.profile(module, ["sig=zeros"] if "%sig" in text else [], "a5", blocks=blocks)
    declared = {keys for op in module.walk() if any(keys := actor_keys(op.__class__))}
    for what, of_table in (
        (What.RELEASE, {keys.releases for keys in declared}),
        (What.ACQUIRE, {keys.acquires for keys in declared}),
    ):
        found = {event.subject[0].__class__ for event in profile.trace.events if event.what is what}
        assert found == of_table - {None} == {kind}
