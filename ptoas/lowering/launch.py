"""Requirements of a launch: the memory of a kernel and of all functions that it calls (D36)."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.storage import end_of_tiles, places_of, vec_tiles
from ptoas.analysis.structure import Bodies, bodies_of, calls_in, functions, kernels_of, walk
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.enums import TileLoc
from ptoas.targets import Target
from ptoas.targets.rules.budget import memory_end_as_written
from ptoas.targets.target import UbLayout

Ends = Mapping[TileLoc, int]
"""The first byte behind the tiles in each memory."""


def memory_high_water(module: ModuleOp, target: Target, isa: str | None = None) -> dict[str, Ends]:
    """The end of the tiles of each kernel of a module after the passes have placed them, by name.

    Only the passes know what they add: scratch, staging, copies. They are not imported where a single kernel
    leaves them nothing to place.
    """
    if len(kernels := functions(module)) == 1:
        ends = memory_end_as_written(FunctionFacts(kernels[0], Knowledge()), target)
        if ends is not None:
            return {kernels[0].sym_name.data: ends}
    return ends_by_passes(module, target, isa)


def ends_by_passes(module: ModuleOp, target: Target, isa: str | None = None) -> dict[str, Ends]:
    """The same of any module."""
    from ptoas.lowering.pipeline import build_pipeline, ready_for_passes, run_passes
    from ptoas.lowering.plan_memory import plan_module

    try:
        ready = ready_for_passes(module)
        run_passes(ready, build_pipeline(target, isa=isa, until="eliminate-dead-code"))
        ends = plan_module(ready, target, [])
    except PtoasError:
        return {}  # lowering reports it with another code
    found: dict[str, Ends] = {}
    bodies = bodies_of(ready)
    for kernel, parts in kernels_of(calls_in(bodies)).items():
        highest: dict[TileLoc, int] = {}
        for function in parts:
            for loc, end in ends.get(function, {}).items():
                highest[loc] = max(highest.get(loc, 0), end)
        if target.ub is not None:
            own = {function: bodies[function] for function in parts}
            highest[TileLoc.Vec] = vec_end(own, target, target.ub)
        found[kernel.sym_name.data] = highest
    return found


def vec_end(bodies: Bodies, target: Target, ub: UbLayout) -> int:
    """The first byte of the unified buffer after the tiles of a kernel; where a tile lies at an address that
    only the running program knows, all that it may use."""
    placed = [(places_of(each, ops), vec_tiles(each, ops)) for each, ops in bodies.items()]
    ends = [end_of_tiles(places, tiles, target.leaves_alone) for places, tiles in placed]
    if any(None in places.starts(tile) for places, tiles in placed for tile, _ in tiles):
        ends.append(ub.limit(simt=True))
    return max(ends)


def launch_request(functions: list[func.FuncOp], target: Target) -> int | None:
    """Bytes of the unified buffer that the launch of a kernel asks for (`dynUBufSize`), when all of its tiles
    are placed; `None` when the default is enough, and for kernels without SIMT instructions."""
    ub = target.ub
    if ub is None or ub.default_budget is None:
        return None
    bodies = {function: walk(function)[1:] for function in functions}
    if not any(target.uses_simt(op) for ops in bodies.values() for op in ops):
        return None
    end = vec_end(bodies, target, ub)
    return end if end > ub.default_budget else None
