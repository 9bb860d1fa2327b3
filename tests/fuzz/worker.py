"""The process that does the fuzzing; `__main__` watches it, since a text may end it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from tests.fuzz import watchdog

CURRENT = "current.pto"
STATE = "state.json"
_WALL_SECONDS = 600.0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--engine", choices=("atheris", "random"), required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    watchdog.limit_memory()

    from tests.fuzz import engines
    from tests.fuzz.session import Session

    sessions: list[Session] = []
    began = time.monotonic()

    def feed(data: bytes) -> bool:
        if not sessions:  # made late: with atheris, after the tool's modules are instrumented
            sessions.append(Session(folder))
        session = sessions[0]
        (folder / CURRENT).write_bytes(data)
        watchdog.guard_process(_WALL_SECONDS)
        new = session.feed(data)
        if session.inputs % 100 == 0:
            report()
        return new

    def report() -> None:
        session = sessions[0]
        state = {
            "inputs": session.inputs,
            "seconds": round(time.monotonic() - began, 1),
            "features": len(session.features),
            "failures": sorted(session.failures),
        }
        (folder / STATE).write_text(json.dumps(state))

    def done() -> None:
        report()
        (folder / CURRENT).unlink(missing_ok=True)
        watchdog.unguard_process()
        sys.stdout.flush()
        os._exit(0)  # libFuzzer would not let go otherwise

    if options.engine == "atheris":
        engines.drive_with_atheris(feed, options.seconds, options.seed, done, folder / "corpus")
    else:
        engines.drive_randomly(feed, options.seconds, options.seed)
    done()


if __name__ == "__main__":
    main()
