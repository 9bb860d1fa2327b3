"""What only deserves a look: programs that are legal, and probably not what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.analysis.function import FunctionFacts
from ptoas.diagnostics import Severity
from ptoas.targets.rule import Violation, rule
from ptoas.targets.target import Target

Violations = Iterator[Violation]

_BRANCHES = """
module {
  func.func @f(%c: i1) {
    cf.cond_br %c, ^bb1, ^bb1
  ^bb1:
    return
  }
}
"""
_ONE_BLOCK = """
module {
  func.func @f(%c: i1) {
    scf.if %c {
    }
    return
  }
}
"""


@rule(
    "PTO-N100",
    source="ptoas",
    reason="Where tiles live and what pipes wait for is followed through scf; branches between blocks are "
    "read and printed, and refused by lower and run.",
    failing=_BRANCHES,
    passing=_ONE_BLOCK,
    on="cpu a2a3 a5",
    severity=Severity.WARNING,
    scope="branches",
)
def a_body_has_one_block(facts: FunctionFacts, target: Target) -> Violations:
    """A body of several blocks is checked instruction by instruction only: not its flags, nor where its
    tiles lie."""
    for op in facts.branched:
        blocks = max(len(region.blocks) for region in op.regions)
        yield Violation(
            f"blocks of a body: found {blocks}, required 1 for flags, placement and lifetimes to be checked",
            op=op,
            fix="write branches and loops with scf.if, scf.index_switch, scf.for and scf.while",
        )
