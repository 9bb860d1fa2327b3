"""The way from a verified module to one that is placed and synchronised, as a list that can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from ptoas.analysis.linking import linked
from ptoas.analysis.structure import walk
from ptoas.diagnostics import Diagnostic, PtoasError, UsageError
from ptoas.grammar.spans import span_of
from ptoas.ir.clone import clone
from ptoas.targets import Target, get_target


def _allocate_destinations() -> type[ModulePass]:
    from ptoas.lowering.allocate_destinations import AllocateDestinations

    return AllocateDestinations


def _infer_view_layouts() -> type[ModulePass]:
    from ptoas.lowering.infer_view_layouts import InferViewLayoutsPass

    return InferViewLayoutsPass


def _bufferize_loop_tiles() -> type[ModulePass]:
    from ptoas.lowering.bufferize_loop_tiles import BufferizeLoopTilesPass

    return BufferizeLoopTilesPass


def _fold_constants() -> type[ModulePass]:
    from ptoas.lowering.fold_constants import FoldConstantsPass

    return FoldConstantsPass


def _eliminate_dead_code() -> type[ModulePass]:
    from ptoas.lowering.eliminate_dead_code import EliminateDeadCodePass

    return EliminateDeadCodePass


def _legalize_cpu() -> type[ModulePass]:
    from ptoas.lowering.legalize_cpu import LegalizeCpuPass

    return LegalizeCpuPass


def _add_scratch() -> type[ModulePass]:
    from ptoas.lowering.add_scratch import AddScratchPass

    return AddScratchPass


def _plan_memory() -> type[ModulePass]:
    from ptoas.lowering.plan_memory import PlanMemoryPass

    return PlanMemoryPass


def _split_cube_vector() -> type[ModulePass]:
    from ptoas.lowering.split_cube_vector import SplitCubeVectorPass

    return SplitCubeVectorPass


def _bind_scales() -> type[ModulePass]:
    from ptoas.lowering.bind_scales import BindScalesPass

    return BindScalesPass


def _insert_fences() -> type[ModulePass]:
    from ptoas.lowering.insert_fences import InsertFencesPass

    return InsertFencesPass


def _insert_sync() -> type[ModulePass]:
    from ptoas.lowering.insert_sync import InsertSyncPass

    return InsertSyncPass


def _split_multi_tiles() -> type[ModulePass]:
    from ptoas.lowering.split_multi_tiles import SplitMultiTilesPass

    return SplitMultiTilesPass


PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "split-multi-tiles": _split_multi_tiles,
    "allocate-destinations": _allocate_destinations,
    "infer-view-layouts": _infer_view_layouts,
    "bufferize-loop-tiles": _bufferize_loop_tiles,
    "legalize-cpu": _legalize_cpu,
    "add-scratch": _add_scratch,
    "fold-constants": _fold_constants,
    "eliminate-dead-code": _eliminate_dead_code,
    "plan-memory": _plan_memory,
    "bind-scales": _bind_scales,
    "split-cube-vector": _split_cube_vector,
    "insert-fences": _insert_fences,
    "insert-sync": _insert_sync,
}
"""Every pass by name, in pipeline order; imported on first use."""


OPTIONAL = ("legalize-cpu", "fold-constants", "eliminate-dead-code", "insert-fences", "insert-sync")
"""Passes without which a program can still be run."""

RENAMED = {
    "settle-layouts": "infer-view-layouts",
    "carry-tiles": "bufferize-loop-tiles",
    "split-kinds": "split-cube-vector",
}
"""Former names of passes."""


class UnknownPassError(UsageError):
    """There is no pass of this name."""

    def __init__(self, name: str):
        self.name = name
        super().__init__(name)

    def __str__(self) -> str:
        if self.name in RENAMED:
            return f"pass {self.name!r} is now called {RENAMED[self.name]!r}"
        return f"there is no pass {self.name!r}; the passes are {', '.join(PASSES)}"


def build_pipeline(
    target: str | Target,
    *,
    isa: str | None = None,
    legalize: bool = False,
    sync: str | None = None,
    until: str | None = None,
    skip: Sequence[str] = (),
) -> list[ModulePass]:
    """Return the passes for a target, in order.

    `until` stops after the pass of that name; `skip` names passes to leave out.

    >>> import ptoas
    >>> [each.name for each in ptoas.build_pipeline("a5", until="bufferize-loop-tiles")]
    ['split-multi-tiles', 'allocate-destinations', 'infer-view-layouts', 'bufferize-loop-tiles']
    """
    for option in (until, *skip):
        if option is not None and option not in PASSES:
            raise UnknownPassError(option)
    required = [option for option in skip if option not in OPTIONAL]
    if required:
        raise UsageError(f"pass {required[0]!r} is required; those to skip are {', '.join(OPTIONAL)}")
    target = get_target(target) if isinstance(target, str) else target
    name = target.name
    options: dict[str, dict[str, object]] = {
        "infer-view-layouts": {"target": name},
        "bufferize-loop-tiles": {"target": name},
        "add-scratch": {"target": name, "isa": isa},
        "plan-memory": {"target": name, "sync": sync},
        "split-cube-vector": {"target": name},
        "insert-fences": {"target": name, "sync": sync},
        "insert-sync": {"target": name, "sync": sync},
    }
    skipped = tuple(skip)
    if not legalize or target.legalization is None:
        skipped += ("legalize-cpu",)
    passes: list[ModulePass] = []
    for pass_name in PASSES:
        if pass_name not in skipped:
            passes.append(_loaded(pass_name)(**options.get(pass_name, {})))
        if pass_name == until:
            break
    return passes


@cache
def _loaded(name: str) -> type[ModulePass]:
    return PASSES[name]()


def run_passes(
    module: ModuleOp, passes: Sequence[ModulePass], after: Callable[[str, ModuleOp], None] | None = None
) -> ModuleOp:
    """Apply `passes` to `module` in place; `after` sees the module after each.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    >>> passes = ptoas.build_pipeline("a5", until="allocate-destinations")
    >>> print(ptoas.print_module(ptoas.run_passes(module, passes)))
    module {
      func.func @negate(%a: !pto.tile_buf<vec, 8x8xf32>) {
        %b = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
        pto.tneg ins(%a : !pto.tile_buf<vec, 8x8xf32>) outs(%b : !pto.tile_buf<vec, 8x8xf32>)
        return
      }
    }
    """
    context = Context()
    for each in passes:
        each.apply(context, module)
        if after is not None:
            after(each.name, module)
    return module


def ready_for_passes(module: ModuleOp) -> ModuleOp:
    """A copy for passes to change, in which no two functions have one name and each body is one block."""
    module = linked(module)
    _check_single_blocks(module)
    return clone(module)


def _check_single_blocks(module: ModuleOp) -> None:
    """Raise an error for the first operation that has a body of several blocks."""
    for op in module.walk():
        for region in op.regions:
            if region.first_block is not region.last_block:
                what = f"`@{op.sym_name.data}`" if isinstance(op, FuncOp) else f"this `{op.name}`"
                message = (
                    f"{what} has {len(region.blocks)} blocks; only bodies of one block are lowered and run"
                )
                fix = "write branches and loops with scf.if, scf.index_switch, scf.for and scf.while"
                raise PtoasError([Diagnostic("PTO-L020", message, span_of(op), fix=fix, op=op)])


def legalized(module: ModuleOp, target: Target) -> ModuleOp:
    """Return the module after `legalize-cpu`, for the verifier.

    In a function that is placed by hand the tiles that were added have addresses, as they will have at last.
    """
    from ptoas.dialects.pto.views import AllocTileOp
    from ptoas.lowering.plan_memory import place_added

    split, first, *others = build_pipeline(target, legalize=True, until="legalize-cpu")
    subject = run_passes(ready_for_passes(module), [split, first])
    own = {op.result for op in walk(subject) if isinstance(op, AllocTileOp)}
    run_passes(subject, others)
    place_added(subject, target, own)
    return subject


def prepare(
    module: ModuleOp,
    target: str | Target,
    *,
    isa: str | None = None,
    legalize: bool = False,
    sync: str | None = None,
    until: str | None = None,
    skip: Sequence[str] = (),
    after: Callable[[str, ModuleOp], None] | None = None,
) -> ModuleOp:
    """A copy of `module` in DPS form, with every tile placed and every dependence between pipes ordered.

    This is what is emitted, and what the machine runs.
    """
    passes = build_pipeline(target, isa=isa, legalize=legalize, sync=sync, until=until, skip=skip)
    return run_passes(ready_for_passes(module), passes, after)
