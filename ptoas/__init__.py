"""ptoas: reads, checks, runs and lowers PTO programs.

The public names below are the library; each is imported when it is first used, so that `import ptoas` costs
nothing.
"""

from __future__ import annotations

import ast
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:  # the library; `_modules` reads these imports, so that each name is listed once
    from ptoas.compiler.diff import DiffResult as DiffResult
    from ptoas.compiler.diff import Variant as Variant
    from ptoas.compiler.diff import diff as diff
    from ptoas.compiler.diff import diff_passes as diff_passes
    from ptoas.compiler.diff_reference import diff_reference as diff_reference
    from ptoas.compiler.forms import print_module as print_module
    from ptoas.compiler.lower import lower as lower
    from ptoas.compiler.parse import parse as parse
    from ptoas.compiler.parse import parse_file as parse_file
    from ptoas.compiler.run import compile as compile
    from ptoas.compiler.run import run as run
    from ptoas.compiler.run import run_ranks as run_ranks
    from ptoas.diagnostics import Diagnostic as Diagnostic
    from ptoas.diagnostics import Edit as Edit
    from ptoas.diagnostics import Note as Note
    from ptoas.diagnostics import PtoasError as PtoasError
    from ptoas.diagnostics import Severity as Severity
    from ptoas.diagnostics import Source as Source
    from ptoas.diagnostics import Span as Span
    from ptoas.diagnostics import UsageError as UsageError
    from ptoas.diagnostics.edits import apply_fixes as apply_fixes
    from ptoas.diagnostics.render import render as render
    from ptoas.grammar.format import format_text as format_text
    from ptoas.ir.caches import clear_caches as clear_caches
    from ptoas.lowering.pipeline import build_pipeline as build_pipeline
    from ptoas.lowering.pipeline import run_passes as run_passes
    from ptoas.project.reduce import Reduction as Reduction
    from ptoas.project.reduce import reduce as reduce
    from ptoas.report import Profile as Profile
    from ptoas.report import profile as profile
    from ptoas.runner.kernel import Kernel as Kernel
    from ptoas.runner.options import Result as Result
    from ptoas.runner.tolerance import Tolerance as Tolerance
    from ptoas.simulator.compare import Compared as Compared
    from ptoas.simulator.compare import compare as compare
    from ptoas.targets import TARGETS as TARGETS
    from ptoas.targets import get_target as get_target
    from ptoas.targets.rule import RULES as RULES
    from ptoas.targets.rule import ProgramRules as ProgramRules
    from ptoas.targets.rule import Rule as Rule
    from ptoas.targets.target import Target as Target
    from ptoas.verifier.certificate import certify as certify
    from ptoas.verifier.verify import Report as Report
    from ptoas.verifier.verify import verify as verify
    from ptoas.verifier.verify import verify_targets as verify_targets

if TYPE_CHECKING:  # types of parameters and attributes, and what extends the library; importable from here
    from ptoas import build as build
    from ptoas.analysis.order import Access as Access
    from ptoas.compiler.diff import Divergence as Divergence
    from ptoas.compiler.run import check_file as check_file
    from ptoas.compiler.run import run_all as run_all
    from ptoas.diagnostics.origins import OriginLocation as OriginLocation
    from ptoas.diagnostics.render import HasDiagnostics as HasDiagnostics
    from ptoas.dialects.plugins import Plugin as Plugin
    from ptoas.dialects.pto.enums import BLayout as BLayout
    from ptoas.dialects.pto.enums import Coalesce as Coalesce
    from ptoas.dialects.pto.enums import Event as Event
    from ptoas.dialects.pto.enums import Layout as Layout
    from ptoas.dialects.pto.enums import Pipe as Pipe
    from ptoas.dialects.pto.enums import SLayout as SLayout
    from ptoas.dialects.pto.enums import TileLoc as TileLoc
    from ptoas.dialects.pto.instruction import BinaryOp as BinaryOp
    from ptoas.dialects.pto.instruction import UnaryOp as UnaryOp
    from ptoas.dialects.pto.operations import *  # noqa: F403
    from ptoas.grammar.module import PtoModule as PtoModule
    from ptoas.machine.machine import Checks as Checks
    from ptoas.ops.family import elementwise as elementwise
    from ptoas.profiling.reasons import Sync as Sync
    from ptoas.profiling.record import Recorder as Recorder
    from ptoas.profiling.record import Trace as Trace
    from ptoas.profiling.stalls import Stalls as Stalls
    from ptoas.profiling.timeline import Timeline as Timeline
    from ptoas.runner.certificate import Certificate as Certificate
    from ptoas.runner.compare import Comparison as Comparison
    from ptoas.runner.observe import Printing as Printing
    from ptoas.runner.options import Options as Options
    from ptoas.runner.options import RunObserver as RunObserver
    from ptoas.runner.parameters import Parameter as Parameter
    from ptoas.runner.ranks.in_process import RanksResult as RanksResult
    from ptoas.runner.stats import Stats as Stats
    from ptoas.simulator.compare import Output as Output
    from ptoas.targets.a5 import A5 as A5
    from ptoas.targets.row import Row as Row
    from ptoas.targets.row import Rows as Rows
    from ptoas.targets.row import Unsupported as Unsupported
    from ptoas.targets.rule import Check as Check
    from ptoas.targets.rule import Dependence as Dependence
    from ptoas.targets.rule import Scope as Scope
    from ptoas.targets.rule import Violation as Violation
    from ptoas.targets.rule import mismatch as mismatch
    from ptoas.targets.rule import rule as rule
    from ptoas.targets.rules.examples import instruction as instruction
    from ptoas.targets.shared.elementwise import BINARY as BINARY
    from ptoas.targets.shared.elementwise import UNARY as UNARY
    from ptoas.targets.specs import TileLayout as TileLayout
    from ptoas.targets.target import UbLayout as UbLayout
    from ptoas.verifier.certificate import ScheduleClaim as ScheduleClaim

    __all__: list[str]

_RENAMED = {"Asked": "ProgramRules", "Module": "PtoModule", "Seen": "Access"}
"""Former names, which work for one more release."""


@cache
def _modules() -> list[dict[str, str]]:
    """Return the module of each name, for the library and for what extends it."""
    body = ast.parse(Path(__file__).read_text(encoding="utf-8")).body
    blocks = [node.body for node in body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    return [
        {
            alias.name: f"{node.module}"
            for node in block
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name != "*"
        }
        for block in blocks
    ]


if not TYPE_CHECKING:  # else a checker would accept every name

    def __getattr__(name: str) -> Any:
        """Import a public name on first use."""
        if name in _RENAMED:
            warnings.warn(f"ptoas.{name} is now ptoas.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
            name = _RENAMED[name]
        if name == "__all__":
            return sorted(_modules()[0])
        if name == "build":
            return import_module("ptoas.build")
        for modules in _modules():
            if name in modules:
                return getattr(import_module(modules[name]), name)
        if name.endswith("Op"):
            operations = import_module("ptoas.dialects.pto.operations")
            if hasattr(operations, name):
                return getattr(operations, name)
        raise AttributeError(f"module 'ptoas' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, for `ptoas.<TAB>`; submodules that happen to be loaded are no part of them."""
    return sorted([*(name for modules in _modules() for name in modules), "__version__"])
