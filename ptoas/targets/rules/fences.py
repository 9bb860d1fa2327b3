"""Fences, caches, tokens of buffers, and the pipes that synchronisation names."""

from __future__ import annotations

from ptoas.analysis.function import FunctionFacts
from ptoas.dialects.pto.enums import WORKING_PIPES, Pipe
from ptoas.dialects.pto.sync import DrainOp, FlagOp
from ptoas.targets.fixit import Fixit
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, function_rule, mismatch
from ptoas.targets.rules.examples import kernel
from ptoas.targets.target import Target


@function_rule(
    "PTO-H201",
    source="PTOAS pipe attribute",
    reason="Nothing runs on the other pipes.",
    failing=kernel("pto.barrier #pto.pipe<PIPE_MTE4>"),
    passing=kernel("pto.barrier #pto.pipe<PIPE_MTE3>"),
)
def synchronisation_names_working_pipes(facts: FunctionFacts, _target: Target) -> Violations:
    """Flags and barriers need one of the pipes S, V, M, MTE1, MTE2, MTE3 and FIX."""
    known = {*WORKING_PIPES, Pipe.PIPE_ALL}
    for op in (*facts.instances(FlagOp), *facts.instances(DrainOp)):
        pipes = op.flag[:2] if isinstance(op, FlagOp) else (op.drained,)
        for pipe, field in zip(pipes, op.signature().fields, strict=False):
            if pipe not in known:
                required = ", ".join(p.value for p in WORKING_PIPES)
                fix = "`tload` works on PIPE_MTE2, `tstore` on PIPE_MTE3, vector instructions on PIPE_V"
                yield mismatch("pipe", pipe.value, f"one of {required}", op=op, field=field, fix=fix)


@constraint(
    "PTO-H204",
    Relation("buf_id in 0 to 31", what="number of a token"),
    source="PTOAS get_buf, rls_buf",
    reason="The device has 32 tokens.",
)
def token_number_is_in_range() -> None:
    """The number of a buffer token must be 0 to 31."""


@constraint(
    "PTO-H205",
    Relation(
        "scope == gm or all",
        fix="use `pto.barrier #pto.pipe<PIPE_ALL>`",
        fixit=Fixit("replace", "pto.barrier #pto.pipe<PIPE_ALL>"),
    ),
    source="PTOAS fence.barrier_all: local_memory has no emission",
    reason="A fence makes writes visible to other cores, which can't see local memory. Use a barrier of "
    "PIPE_ALL to order local memory.",
    failing=kernel("pto.fence.barrier_all #pto.fence_scope<local_memory>"),
    passing=kernel("pto.fence.barrier_all #pto.fence_scope<gm>"),
)
def fence_scope_includes_global_memory() -> None:
    """The scope of a fence must be gm or all."""


@constraint(
    "PTO-H207",
    Relation("space == gm", what="address space", when="space != zero"),
    source="PTOAS cmo.cacheinvalid: GM cache maintenance only",
    reason="The scalar pipe caches global memory only.",
    failing=kernel("pto.cmo.cacheinvalid all #pto.address_space<vec>"),
    passing=kernel("pto.cmo.cacheinvalid all #pto.address_space<gm>"),
)
def invalidated_cache_is_of_global_memory() -> None:
    """cmo.cacheinvalid needs global memory."""
