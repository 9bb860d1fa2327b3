"""The way from a verified module to one that is placed and synchronised, as a list that can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib import import_module

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

_CLASSES = {
    "split-multi-tiles": "SplitMultiTilesPass",
    "allocate-destinations": "AllocateDestinations",
    "infer-view-layouts": "InferViewLayoutsPass",
    "bufferize-loop-tiles": "BufferizeLoopTilesPass",
    "legalize-cpu": "LegalizeCpuPass",
    "add-scratch": "AddScratchPass",
    "fold-constants": "FoldConstantsPass",
    "eliminate-dead-code": "EliminateDeadCodePass",
    "plan-memory": "PlanMemoryPass",
    "bind-scales": "BindScalesPass",
    "split-cube-vector": "SplitCubeVectorPass",
    "insert-fences": "InsertFencesPass",
    "insert-sync": "InsertSyncPass",
}
"""Every pass in pipeline order: its class, in the module of the pass's name."""


@cache
def _loaded(name: str) -> type[ModulePass]:
    return getattr(import_module(f"ptoas.lowering.{name.replace('-', '_')}"), _CLASSES[name])


PASSES: dict[str, Callable[[], type[ModulePass]]] = {name: partial(_loaded, name) for name in _CLASSES}
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
    """No pass has this name."""

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
    options = {"target": target.name, "isa": isa, "sync": sync}
    skipped = tuple(skip)
    if not legalize or target.legalization is None:
        skipped += ("legalize-cpu",)
    passes: list[ModulePass] = []
    for pass_name in PASSES:
        if pass_name not in skipped:
            kind = PASSES[pass_name]()
            passes.append(kind(**{each.name: options[each.name] for each in fields(kind)}))
        if pass_name == until:
            break
    return passes


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
