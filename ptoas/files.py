"""Writing results: a file is there whole, or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span

CODE = "PTO-L002"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`, in one step; raises `PtoasError` where that is not possible.

    A link or a device is refused: what it stands for is not ours to replace.
    """
    target = Path(path)
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _refused(target, error.strerror or str(error)) from None
    if mode is not None and not stat.S_ISREG(mode):
        kind = (
            "a link" if stat.S_ISLNK(mode) else "a directory" if stat.S_ISDIR(mode) else "not a regular file"
        )
        raise _refused(target, f"it is {kind}")
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise _refused(target, error.strerror or str(error)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise _refused(target, error.strerror or str(error)) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refused(path: Path, reason: str) -> PtoasError:
    return PtoasError([Diagnostic(CODE, f"can't write {path}: {reason}", Span(Source("", str(path)), 0, 1))])
