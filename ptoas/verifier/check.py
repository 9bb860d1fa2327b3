"""Refusing a module that is illegal on its target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from ptoas.diagnostics import Diagnostic, PtoasError, UsageError
from ptoas.lowering.pipeline import legalized
from ptoas.targets import Target, get_target
from ptoas.targets.named import module_target
from ptoas.targets.shared.gather_tables import COUNTS_GAPS
from ptoas.verifier.verify import verify


def resolve_target(module: ModuleOp, target: str | Target | None) -> Target:
    """The target that is asked for, else the one that the module names (D2)."""
    if isinstance(target, Target):
        return target
    name = target or module_target(module)
    if name is None:
        raise UsageError("no target: the module has no pto.target_arch; pass a target")
    return get_target(name)


def check(
    module: ModuleOp,
    target: Target,
    *,
    aicore: bool = False,
    legalize: bool = False,
    sync: str | None = None,
    isa: str | None = None,
    on_warnings: Callable[[Sequence[Diagnostic]], None] | None = None,
) -> tuple[Diagnostic, ...]:
    """Raise what makes the module illegal on the target; give what only deserves a warning.

    What `legalize` rewrites is judged by what it becomes.
    """
    if legalize and target.legalization is not None:
        module = legalized(module, target)
    report = verify(module, target, aicore, sync=sync, isa=isa)
    if not report.ok:
        raise PtoasError(report.errors)
    warnings = tuple(w for w in report.warnings if not _counts_gaps(w))
    if warnings and on_warnings is not None:
        on_warnings(warnings)
    return warnings


def _counts_gaps(finding: Diagnostic) -> bool:
    """Return True for a table with gaps (PTO-A223) for which `legalize` has computed the indices."""
    return finding.code == "PTO-A223" and finding.op is not None and COUNTS_GAPS in finding.op.attributes
