"""What a core can wait for, and what is left at the end of a function."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import FlagOp
from ptoas.dialects.sync_tail import SPELLINGS, TAIL_HINT, tail_of
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.examples import kernel
from ptoas.targets.target import Target

Violations = Iterator[Violation]


def _flags(source: str, sink: str) -> str:
    return kernel(
        *(f"pto.{word}[<PIPE_{source}>, <PIPE_{sink}>, <EVENT_ID0>]" for word in ("set_flag", "wait_flag"))
    )


def pipes_text(pipes: frozenset[Pipe]) -> str:
    return ", ".join(pipe.value.removeprefix("PIPE_") for pipe in Pipe if pipe in pipes)


@rule(
    "PTO-G101",
    source="public memory model: cube core and vector core; headers of TSYNC",
    reason="A flag is a bit of one core. The cube core and a vector core have different pipes, and wait for "
    "each other by counters of the block.",
    failing=_flags("FIX", "V"),
    passing=_flags("M", "FIX"),
    on="a2a3 a5 a5-custom",
    scope="function",
)
def a_flag_stays_on_its_core(facts: FunctionFacts, target: Target) -> Violations:
    """Both pipes of a flag are pipes of one core: of the cube core, or of a vector core."""
    for op in facts.instances(FlagOp):
        source, sink = op.flag[:2]
        if not target.connects(source, sink):
            cores = "; or ".join(map(pipes_text, target.cores))
            yield mismatch(
                "flag",
                f"{source.value} to {sink.value}",
                f"two pipes of one core: {cores}",
                op=op,
                part="statement",
                fix="set_intra_block and wait_intra_block between the cores, or a channel",
            )


@rule(
    "PTO-G102",
    source="PTOAS options of insert-sync: auto-sync tail",
    reason="What nobody knows is left out without a word.",
    failing='func.func @kernel() attributes {pto.auto_sync_tail_hint = "none"} {\n  return\n}',
    passing='func.func @kernel() attributes {pto.auto_sync_tail_hint = "barrier-all"} {\n  return\n}',
    on="cpu a2a3 a5 a5-custom",
    scope="function",
)
def a_tail_is_one_that_exists(facts: FunctionFacts, target: Target) -> Violations:
    """pto.auto_sync_tail_hint is barrier-all or mte3-to-s-event0."""
    given = facts.func.attributes.get(TAIL_HINT)
    if given is not None and tail_of(facts.func) is None:
        required = " or ".join(f'"{word}"' for word in SPELLINGS)
        yield mismatch(TAIL_HINT, given, required, op=facts.func, field=TAIL_HINT)
