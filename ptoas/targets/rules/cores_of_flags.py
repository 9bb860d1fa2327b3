"""Flags that a core can wait for."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.sync import FlagOp
from ptoas.targets.rule import Violation, Violations, target_rule
from ptoas.targets.target import Target


@target_rule(
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
            yield Violation(
                f"no core has both {source.value} and {sink.value}, so no flag can connect them",
                op=op,
                fix="use set_intra_block and wait_intra_block, or a channel",
            )
