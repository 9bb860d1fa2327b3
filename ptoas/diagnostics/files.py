"""Files of the user: read only where they are plain files, written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span

CODE = "PTO-L002"
STANDARD_OUTPUT = "-"

_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags for opening: do not block on a pipe without a writer, do not acquire a terminal."""


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading; raises `OSError` unless it is a plain file (or a link to one).

    What was opened is asked, not what the name stood for a moment before.
    """
    handle = os.open(path, os.O_RDONLY | _NO_WAITING | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(0, f"it is {kind_of(mode)}")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_plain(path: str | os.PathLike[str], most: int = 1 << 24) -> bytes:
    """The bytes of a plain file; raises `OSError` for anything else, and for more than `most`."""
    with open_plain(path) as file:
        data = up_to(file, most + 1)
    if len(data) > most:
        raise OSError(0, f"larger than {most >> 20} MiB")
    return data


def up_to(file: BinaryIO, most: int) -> bytes:
    """Read at most this many bytes, allocating memory as they arrive."""
    pieces: list[bytes] = []
    while most > 0 and (piece := file.read(min(most, 1 << 16))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def kind_of(mode: int) -> str:
    """Describe a path that is not a regular file."""
    kinds = (
        (stat.S_ISLNK, "a link"),
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((word for test, word in kinds if test(mode)), "a device")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path`, in one step; raises `PtoasError` where that is not possible."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def check_writable(path: str | os.PathLike[str], span: Span | None = None) -> int | None:
    """Refuse to replace anything but a regular file: a link or a device refers to something else.

    Returns the permissions of the file that is there, if one is.
    """
    if os.fspath(path) == STANDARD_OUTPUT:
        raise _refused(path, "it stands for standard output", span, "name a file")
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _refused(path, _reason(error), span) from None
    if stat.S_ISREG(mode):
        return stat.S_IMODE(mode)
    fix = "name the file itself" if stat.S_ISLNK(mode) else "`-` is standard output"
    raise _refused(path, f"it is {kind_of(mode)}", span, fix)


@contextmanager
def replacing(path: str | os.PathLike[str], span: Span | None = None) -> Generator[BinaryIO, None, None]:
    """Open a new file that replaces `path` when the block succeeds and is removed when it fails.

    Folders that are missing above it are made.
    The null device is written to as it is: `-o /dev/null` asks for diagnostics only.
    """
    if os.fspath(path) == os.devnull:
        with open(os.devnull, "wb") as nothing:
            yield nothing
        return
    target = Path(path)
    permissions = check_writable(path, span)
    temporary = target.parent / f".ptoas-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not target.parent.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, flags, 0o666 if permissions is None else 0o600)
    except (OSError, ValueError) as error:
        raise _refused(path, _reason(error), span) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        if permissions is not None:
            os.chmod(temporary, permissions)
        # A link that somebody put there meanwhile is replaced, not followed.
        os.replace(temporary, target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _refused(path, _reason(error), span) from None
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _refused(
    path: str | os.PathLike[str], reason: str, span: Span | None, fix: str | None = None
) -> PtoasError:
    place = span or Span(Source("", os.fspath(path)), 0, 1)
    return PtoasError([Diagnostic(CODE, f"can't write {os.fspath(path)}: {reason}", place, fix=fix)])
