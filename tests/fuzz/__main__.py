"""`python -m tests.fuzz`: fuzz for a while, shrink what was found, and keep it as regression files."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from tests.fuzz import worker
from tests.fuzz.seeds import HERE, REGRESSIONS, ROOT

FAILURES = HERE / "failures"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to look for failures")
    parser.add_argument("--seed", type=int, default=None, help="where chance starts; the time, unless given")
    parser.add_argument("--engine", choices=("auto", "atheris", "random"), default="auto")
    parser.add_argument(
        "--failures", type=Path, default=FAILURES, help="where failures go, with their tracebacks"
    )
    parser.add_argument("--regressions", type=Path, default=REGRESSIONS, help="where shrunk texts go")
    parser.add_argument("--replay", type=Path, nargs="+", help="do every check on these files instead")
    options = parser.parse_args()
    if options.replay:
        return replay(options.replay)
    engine = options.engine
    if engine == "auto":
        engine = "atheris" if find_spec("atheris") else "random"
    seed = int(time.time()) if options.seed is None else options.seed
    print(
        f"engine {engine}, seed {seed}, {options.seconds:.0f} s; failures go to {options.failures}",
        flush=True,
    )
    shutil.rmtree(options.failures, ignore_errors=True)
    watch(engine, seed, options.seconds, options.failures)
    return shrink_all(options.failures, options.regressions)


def watch(engine: str, seed: int, seconds: float, folder: Path) -> None:
    """Run workers, one after the other, until the time is over: a text that ends one is a failure too."""
    deadline = time.monotonic() + seconds
    inputs = restarts = 0
    elapsed = 0.0
    while (left := deadline - time.monotonic()) > 1 or not restarts:
        command = [sys.executable, "-m", "tests.fuzz.worker", "--engine", engine, "--folder", str(folder)]
        command += ["--seconds", str(left), "--seed", str(seed + restarts)]
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "worker.log"
        with log.open("wb") as file:
            ended = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False)
        restarts += 1
        state = folder / worker.STATE
        if state.exists():
            numbers = json.loads(state.read_text())
            inputs += numbers["inputs"]
            elapsed += numbers["seconds"]
            state.unlink()
            print(
                f"{inputs} inputs, {inputs / max(elapsed, 0.1):.1f}/s, {numbers['features']} features",
                flush=True,
            )
        current = folder / worker.CURRENT
        if ended.returncode == 0:
            continue
        tail = log.read_text("utf-8", "replace")[-6000:]
        if not current.exists():
            print(f"the worker does not start:\n{tail}", flush=True)
            raise SystemExit(2)
        place = folder / f"ended-{restarts}"
        place.mkdir(parents=True, exist_ok=True)
        shutil.move(current, place / "input.pto")
        (place / "report.txt").write_text(f"the process ended with {ended.returncode}\n\n{tail}", "utf-8")


def shrink_all(folder: Path, regressions: Path) -> int:
    """Make every failure small and keep it; the exit code says whether there was one."""
    from tests.fuzz.failures import Failure, attempt
    from tests.fuzz.session import some_checks_of
    from tests.fuzz.shrink import shrink

    places = sorted(path.parent for path in folder.glob("*/input.pto"))
    for place in places:
        data = (place / "input.pto").read_bytes()
        print(f"\n=== {place.name}: {(place / 'report.txt').read_text('utf-8').splitlines()[0]}", flush=True)
        small = data
        if not place.name.startswith("ended-"):
            for check in some_checks_of(data):
                found = attempt(check, data)
                if isinstance(found, Failure) and found.slug == place.name:
                    found = shrink(found)
                    small = found.data
                    (place / "report.txt").write_text(found.report, "utf-8", "backslashreplace")
                    print(found.report[-1500:])
                    break
            else:
                print("it does not fail by itself: it depends on what was read before it")
        (place / "shrunk.pto").write_bytes(small)
        regressions.mkdir(parents=True, exist_ok=True)
        (regressions / f"{place.name}.pto").write_bytes(small)
    print(f"{len(places)} failure{'s' * (len(places) != 1)}")
    return 1 if places else 0


def replay(paths: list[Path]) -> int:
    """Every check on each file."""
    from tests.fuzz.checks import all_checks
    from tests.fuzz.session import Session

    session = Session()
    for path in paths:
        session.feed(path.read_bytes(), list(all_checks()))
    for failure in session.failures.values():
        print(failure.signature, failure.report, sep="\n")
    return 1 if session.failures else 0


if __name__ == "__main__":
    sys.exit(main())
