"""Lowering of a module, or a file, to C++ text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ptoas.compiler.forms import print_module
from ptoas.diagnostics import Diagnostic
from ptoas.diagnostics.files import write_text
from ptoas.grammar.parse import parse_file
from ptoas.lowering.emit_cpp import emit_cpp
from ptoas.lowering.pipeline import (
    PASSES,
    UnknownPassError,
    build_pipeline,
    prepare,
    ready_for_passes,
    run_passes,
)
from ptoas.targets import Target
from ptoas.targets.isa import get_isa
from ptoas.verifier.check import check, resolve_target


def lower(
    module: ModuleOp,
    target: str | Target | None = None,
    *,
    emit: str = "kernel",
    isa: str | None = None,
    legalize: bool = False,
    annotate: bool = False,
    emit_loc: bool = False,
    sync: str | None = None,
    aicore: bool = False,
    verified: bool = True,
    passes: Sequence[ModulePass] | None = None,
    after: Callable[[str, ModuleOp], None] | None = None,
    on_warnings: Callable[[Sequence[Diagnostic]], None] | None = None,
) -> str:
    """C++ for `module` on `target`; the module itself is left as it is.

    Raises `PtoasError` when the module breaks a rule of the target; `verified=False` leaves the check out.
    `isa` is the revision that is checked and called, `doc` or `2026.08`; without it calls are written for the
    latter, and the documents are what is checked, with warnings where its headers ask for more (D28).
    `emit_loc` writes the places that the text gives with `loc(...)` as comments (D50).
    `passes` replaces the pipeline (see `ptoas.lowering.build_pipeline`); `after` sees the module after each;
    `on_warnings` gets what only deserves a look.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<8x8xf32>
    ... %a = tload %x : (!pto.memref<8x8xf32>) -> !pto.tile<8x8xf32>
    ... tstore %a, %x
    ... ''', filename="copy.pto")
    >>> text = ptoas.lower(module, "a5")
    >>> "set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);" in text
    True
    """
    chosen = resolve_target(module, target)
    get_isa(isa)
    if verified:
        check(module, chosen, aicore=aicore, legalize=legalize, sync=sync, isa=isa, on_warnings=on_warnings)
    ready = ready_for_passes(module)
    pipeline = build_pipeline(chosen, isa=isa, legalize=legalize, sync=sync) if passes is None else passes
    run_passes(ready, pipeline, after)

    return emit_cpp(ready, chosen, emit=emit, annotate=annotate, emit_loc=emit_loc)


def lower_file(
    path: str,
    target: str | None = None,
    output: str | None = None,
    *,
    until: str | None = None,
    print_after: str | None = None,
    allow_unregistered: bool = False,
    show: Callable[[str], None] = print,
    on_warnings: Callable[[Sequence[Diagnostic]], None] | None = None,
    **options: Any,
) -> str:
    """Read, verify and lower a file, as the command `lower` does; write `output` atomically if given.

    `until` stops after a pass and gives the module's text, not C++; `print_after` shows the module after one
    pass, or after `all`. Other options are those of `lower`.
    """
    for name in (until, print_after):
        if name not in (None, "all", *PASSES) or until == "all":
            raise UnknownPassError(name or "")
    module = parse_file(path, allow_unregistered=allow_unregistered)
    chosen = resolve_target(module, target)

    def after(name: str, current: ModuleOp) -> None:
        if print_after in (name, "all"):
            show(f"// after {name}\n{print_module(current)}")

    if until is None:
        text = lower(module, chosen, after=after, on_warnings=on_warnings, **options)
    else:
        common = {name: options[name] for name in ("isa", "legalize", "sync") if name in options}
        check(module, chosen, aicore=options.get("aicore", False), on_warnings=on_warnings, **common)
        text = print_module(prepare(module, chosen, until=until, after=after, **common)) + "\n"
    if output is not None:
        write_text(output, text)
    return text
