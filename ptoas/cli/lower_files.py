"""The command `lower` for many files: each becomes a file in a directory, with the same folders around it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ptoas.compiler.lower import lower_file
from ptoas.diagnostics.files import write_text


def lower_into(
    directory: str, paths: Sequence[str], path: str, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Lower one file of a directory; return a summary with the path of its C++."""
    output = Path(directory) / target_name(paths, path)
    text = lower_file(path, **options)
    write_text(output, text)
    return str(output), {"output": str(output)}


def target_name(paths: Sequence[str], path: str) -> Path:
    """Return the output path of a file, relative to the directory it was found in.

    >>> target_name(["kernels"], "kernels/aiv/rope.pto").as_posix()
    'aiv/rope.cpp'
    >>> target_name(["a/rope.pto", "b.pto"], "a/rope.pto").as_posix()
    'rope.cpp'
    """
    above = [root for root in paths if os.path.commonpath([root, path]) == os.path.normpath(root) != path]
    below = Path(os.path.relpath(path, above[0])) if above else Path(os.path.basename(path))
    return below.with_suffix(".cpp")
