"""What only deserves a look: programs that are legal, and probably not what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import touched
from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp, TAssignOp
from ptoas.targets.rule import Violation, rule
from ptoas.targets.rules.examples import kernel
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


# --- work for nothing ------------------------------------------------------------------------------

_TILE, _MEMORY = "!pto.tile_buf<vec, 16x32xf32>", "!pto.memref<16x32xf32>"
_LOAD = f"pto.tload ins(%x : {_MEMORY}) outs(%a : {_TILE})"
_STORE = f"pto.tstore ins(%a : {_TILE}) outs(%x : {_MEMORY})"


def _kernel(*lines: str) -> str:
    return kernel(f"%a = pto.alloc_tile : {_TILE}", *lines, args=f"%x: {_MEMORY}")


def _gives_memory(facts: FunctionFacts, target: Target) -> bool:
    """Whether the function writes global memory: of one that does not, the tiles are the results."""
    return any(
        access.write and isinstance(touched(op, access.operand).type, ViewType)
        for op in facts.ops
        for access in facts.effects(op, target).accesses
    )


def _is_followed(root: SSAValue) -> bool:
    """Whether nothing but instructions of PTO uses a tile, so that all of its uses are known."""
    return all(isinstance(use.operation, PtoOp) and not use.operation.results for use in root.uses)


@rule(
    "PTO-N101",
    source="ptoas",
    reason="The work is done for nothing, or another tile was meant where this one should be read.",
    failing=_kernel(
        _LOAD,
        f"%b = pto.alloc_tile : {_TILE}",
        f"pto.tneg ins(%a : {_TILE}) outs(%b : {_TILE})",
        _STORE,
    ),
    passing=_kernel(_LOAD, f"pto.tneg ins(%a : {_TILE}) outs(%a : {_TILE})", _STORE),
    on="cpu a2a3 a5",
    severity=Severity.WARNING,
    scope="function",
)
def a_result_is_read(facts: FunctionFacts, target: Target) -> Violations:
    """In a function that writes global memory, what an instruction writes into a local tile is read."""
    if facts.is_placed_by_hand or not _gives_memory(facts, target):
        return  # Tiles at one address are read through each other.
    written: dict[SSAValue, Operation] = {}
    read: set[SSAValue] = set()
    for op in facts.ops:
        for access in facts.effects(op, target).accesses:
            value = touched(op, access.operand)
            if isinstance(value.type, TileType):
                root = facts.root(value)
                if access.write:
                    written.setdefault(root, op)
                else:
                    read.add(root)
    for root, op in written.items():
        owner = root.owner
        if root in read or not isinstance(owner, AllocTileOp) or not _is_followed(root):
            continue
        if isinstance(op, PtoOp) and root in {
            facts.root(v) for slot in op.SCRATCH for v in op.operands_of(slot)
        }:
            continue  # Scratch is there to be written.
        message = f"{value_name(root)} is written: found nothing that reads it, required one reader"
        yield Violation(message, op=op, fix="drop the instruction, or read its result")


@rule(
    "PTO-N103",
    source="ptoas",
    reason="It takes no part in anything, and its memory is wasted; often a name was mistyped.",
    failing=_kernel(_LOAD, f"%b = pto.alloc_tile : {_TILE}", _STORE),
    passing=_kernel(_LOAD, _STORE),
    on="cpu a2a3 a5",
    severity=Severity.WARNING,
    scope="function",
)
def a_tile_is_used(facts: FunctionFacts, target: Target) -> Violations:
    """In a function that is placed by the compiler and writes global memory, an instruction uses every tile
    that is allocated."""
    if facts.is_placed_by_hand or not _gives_memory(facts, target):
        return  # Generated programs name addresses that they do not use, which costs nothing.
    for op in facts.by_class.get(AllocTileOp, ()):
        tile = op.results[0]
        if all(isinstance(use.operation, TAssignOp) for use in tile.uses):
            message = f"{value_name(tile)}: found no instruction that uses it, required one"
            yield Violation(message, op=op, fix="drop it")
