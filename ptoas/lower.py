"""From a module, or a file, to C++ text."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span
from ptoas.lowering.emit_cpp import emit_cpp
from ptoas.lowering.isa import DEFAULT_ISA, get_isa
from ptoas.lowering.options import module_target
from ptoas.lowering.pipeline import build_pipeline, run_passes
from ptoas.targets import Target, get_target


def lower(
    module: ModuleOp,
    target: str | Target | None = None,
    *,
    emit: str = "kernel",
    isa: str = DEFAULT_ISA,
    legalize: bool = False,
    annotate: bool = False,
    sync: str | None = None,
    passes: Sequence[ModulePass] | None = None,
    after: Callable[[str, ModuleOp], None] | None = None,
) -> str:
    """C++ for `module` on `target`; the module itself is left as it is.

    `passes` replaces the pipeline (see `ptoas.lowering.build_pipeline`); `after` sees the module after each pass.
    """
    chosen = resolve_target(module, target)
    get_isa(isa)
    ready = module.clone()
    pipeline = build_pipeline(chosen, isa=isa, legalize=legalize, sync=sync) if passes is None else passes
    run_passes(ready, pipeline, after)
    return emit_cpp(ready, chosen, emit=emit, annotate=annotate)


def resolve_target(module: ModuleOp, target: str | Target | None) -> Target:
    """The target that is asked for, else the one that the module names (D2)."""
    if isinstance(target, Target):
        return target
    name = target or module_target(module)
    if name is None:
        raise ValueError("no target: the module names none (pto.target_arch), so ask for one")
    return get_target(name)


def write_output(path: str, text: str) -> None:
    """Write a whole file or none: a new file takes the old one's place when it is complete."""
    where = Path(path)
    try:
        _check_output(where)
        handle, temporary = tempfile.mkstemp(prefix=f".{where.name}.", dir=where.parent, text=True)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            os.chmod(temporary, _mode(where))
            os.replace(temporary, where)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"can't write {path}: {reason}"
        raise PtoasError([Diagnostic("PTO-L007", message, Span(Source("", path), 0))]) from error


def _check_output(where: Path) -> None:
    """Only plain files are written: replacing a link or a device would surprise whoever made it."""
    try:
        mode = where.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        kind = "a symbolic link" if stat.S_ISLNK(mode) else "a directory" if stat.S_ISDIR(mode) else "no plain file"
        raise OSError(None, f"it is {kind}")


def _mode(where: Path) -> int:
    """The mode of the file that is replaced; of a new one, what the process gives new files."""
    try:
        return stat.S_IMODE(where.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
