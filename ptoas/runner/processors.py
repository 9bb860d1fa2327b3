"""Number of available processors."""

from __future__ import annotations

import os
from typing import Any


def processors() -> int:
    """The number of processors that this process may use."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
