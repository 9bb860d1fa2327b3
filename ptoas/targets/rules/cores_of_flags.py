"""Flags that a core can wait for."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import FlagOp
from ptoas.targets.rule import Violation, Violations, function_rule
from ptoas.targets.target import Target


def pipes_text(pipes: frozenset[Pipe]) -> str:
    return ", ".join(pipe.value.removeprefix("PIPE_") for pipe in Pipe if pipe in pipes)


@function_rule(
    "PTO-G101",
    source="public memory model: cube core and vector core; headers of TSYNC",
    reason="A flag is a bit of one core. Cube and vector cores have different pipes and synchronise by "
    "counters of the block.",
)
def flag_connects_pipes_of_one_core(facts: FunctionFacts, target: Target) -> Violations:
    """Both pipes of a flag must be pipes of the same core: cube or vector."""
    for op in facts.instances(FlagOp):
        source, sink = op.flag[:2]
        if not target.connects(source, sink):
            cores = "; or ".join(map(pipes_text, target.cores))
            yield Violation(
                f"{source.value} and {sink.value} are pipes of different cores; a flag stays on one core "
                f"({cores})",
                op=op,
                part="statement",
                fix="use set_intra_block and wait_intra_block, or a channel",
            )
