"""What is mutated, and which tests have to notice."""

from __future__ import annotations

from dataclasses import dataclass

from .runner import Module


@dataclass(frozen=True)
class Room:
    modules: tuple[Module, ...]
    tests: tuple[str, ...]
    keep: str = ""
    """A pattern for names of tests: those that would notice; empty for all."""


def _rules(*names: str) -> tuple[Module, ...]:
    return tuple(Module(f"ptoas/targets/rules/{name}.py") for name in names)


ROOMS = {
    "remap": Room(
        (
            Module("ptoas/interpreter/indexing.py"),
            Module("ptoas/interpreter/gather.py"),
            Module("ptoas/interpreter/scatter.py"),
            Module("ptoas/interpreter/tile_gather.py"),
            Module("ptoas/lowering/legalize_cpu.py"),
        ),
        (
            "tests/interpreter/test_gather.py",
            "tests/interpreter/test_scatter.py",
            "tests/interpreter/test_tile_gather.py",
            "tests/interpreter/test_layouts.py",
            "tests/interpreter/test_checks.py",
            "tests/lowering/test_passes.py",
            "tests/lowering/test_legalize_cpu.py",
            "tests/lowering/test_legalize_values.py",
            "tests/golden/test_golden.py",
        ),
    ),
    "nz": Room(
        (
            Module("ptoas/interpreter/tables.py"),
            Module("ptoas/interpreter/tiles.py"),
            Module("ptoas/interpreter/transfer.py"),
            Module("ptoas/targets/target.py"),
        ),
        (
            "tests/interpreter/test_gather.py",
            "tests/interpreter/test_scatter.py",
            "tests/interpreter/test_tile_gather.py",
            "tests/interpreter/test_layouts.py",
            "tests/interpreter/test_memory_ops.py",
            "tests/interpreter/test_transfer.py",
            "tests/interpreter/test_tiles.py",
            "tests/interpreter/test_tile_bytes.py",
            "tests/interpreter/test_checks.py",
            "tests/targets/test_targets.py",
            "tests/targets/test_pipes.py",
            "ptoas/targets/__init__.py",
            "ptoas/targets/target.py",
        ),
    ),
    "chunker": Room(
        (
            Module("ptoas/interpreter/chunks.py"),
            Module("ptoas/interpreter/comm.py"),
            Module("ptoas/lowering/stage_collectives.py"),
        ),
        ("tests/comm", "ptoas/interpreter/chunks.py"),
    ),
    "verifier": Room(
        (
            Module("ptoas/targets/verify.py"),
            Module("ptoas/targets/facts.py"),
            Module("ptoas/targets/function_facts.py"),
            Module("ptoas/targets/guards.py"),
            Module("ptoas/targets/flow.py"),
            Module("ptoas/targets/windows.py"),
            *_rules(
                "comm",
                "common",
                "elementwise",
                "gather",
                "gather_shapes",
                "memory",
                "module",
                "placement",
                "portability",
                "scatter",
                "sync",
                "tile_gather",
                "tiles",
            ),
        ),
        ("tests/isa/test_isa.py", "tests/targets", "tests/test_verify.py", "ptoas/targets"),
    ),
    "sync": Room(
        (
            Module("ptoas/targets/sync_flow.py"),
            Module("ptoas/targets/flow.py"),
            Module("ptoas/lowering/insert_sync.py"),
            Module("ptoas/lowering/happens_before.py"),
            Module("ptoas/lowering/allocate_events.py"),
        ),
        (
            "tests/targets/test_sync_flow.py",
            "tests/targets/test_flow.py",
            "tests/lowering/test_insert_sync.py",
            "tests/lowering/test_flags_around_calls.py",
            "tests/lowering/test_passes.py",
            "tests/isa/test_isa.py",
        ),
        # Every program is looked at for races, but those of these files are about them.
        r"^(?!tests/isa/)|\[(flags|barrier|set_flag|wait_flag|documents|mgather|tprint|comm_tgather)\.pto",
    ),
}

DESELECTED = (
    # These start processes, which have the code as it is; or they take long and see what others see too.
    "tests/comm/test_mpi.py",
    "tests/interpreter/test_scalars.py::test_calls_that_nest_too_deeply",
    "tests/isa/test_isa.py::test_removing_a_rule_turns_a_test_red",
)
