"""Sources of texts: atheris, guided by coverage; or random choice, guided by observed features."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.fuzz.mutator import mutate
from tests.fuzz.seeds import starting_texts
from tests.fuzz.statement_mutations import MAX_SIZE


def random_texts(random: Random) -> Iterator[tuple[bytes, Callable[[], None]]]:
    """Texts without end, each with a function that keeps it as a start for others."""
    pool = list(starting_texts())
    fresh: list[bytes] = []
    while True:
        # What was kept last leads on; but the old ones hold what nothing else does.
        origin = random.choice(fresh[-200:] if fresh and random.random() < 0.4 else pool)
        data = mutate(origin, random)
        yield data, lambda data=data: fresh.append(data)


def drive_randomly(feed: Callable[[bytes], bool], seconds: float, seed: int) -> None:
    """Feed texts until the time is over."""
    deadline = time.monotonic() + seconds
    for data, keep in random_texts(Random(seed)):
        if time.monotonic() > deadline:
            return
        if feed(data):
            keep()


def drive_with_atheris(
    feed: Callable[[bytes], bool], seconds: float, seed: int, done: Callable[[], None], corpus: Path
) -> None:
    """Let libFuzzer choose by coverage what to mutate; the mutator is ours. Does not return.

    `corpus` is the folder where texts that reach new code are kept.
    """
    import atheris

    with atheris.instrument_imports(include=["ptoas"]):
        for module in _modules():
            importlib.import_module(module)
    corpus.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(starting_texts()):
        (corpus / f"{number:05d}").write_bytes(text)
    deadline = time.monotonic() + seconds

    def one(data: bytes) -> None:
        feed(data)
        if time.monotonic() > deadline:
            done()

    def change(data: bytes, max_size: int, seed: int) -> bytes:
        return mutate(data, Random(seed))[:max_size]

    options = [
        f"-max_len={MAX_SIZE}",
        f"-seed={seed & 0x7FFFFFFF or 1}",
        "-len_control=0",
        "-timeout=1000000",
        # What it finds slow goes beside the failures, not into the folder that it was started in.
        f"-artifact_prefix={corpus.parent}/",
    ]
    options += ["-rss_limit_mb=0", "-print_final_stats=0", "-verbosity=0", "-handle_xfsz=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change, internal_libfuzzer=True)
    atheris.Fuzz()


def _modules() -> Iterator[str]:
    import ptoas

    for module in pkgutil.walk_packages(ptoas.__path__, "ptoas."):
        if module.name != "ptoas.runner.ranks.mpi":
            yield module.name
