"""Fingerprints of findings, which stay the same when other lines of a file move."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote_from_bytes

from ptoas.diagnostics.core import Diagnostic


def fingerprints(diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Return a fingerprint of each finding, made from its code, its file and its source line.

    Of several equal ones, the second has another one than the first.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found: list[str] = []
    for d in diagnostics:
        line = " ".join(d.span.source.line_text(d.span.line).split())
        key = (d.code, uri(d.span.file), line)
        digest = sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass"))
        seen[key] += 1
        found.append(digest.hexdigest()[:32])
    return found


def uri(file: str) -> str:
    """A path as a URI; relative paths stay relative, so that a host finds them in the repository."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote_from_bytes(os.fsencode(file.replace(os.sep, "/")))
