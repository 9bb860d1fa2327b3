"""Markers of slow tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ptoas", deadline=None)  # a loaded machine may take any time for an example
settings.load_profile("ptoas")

HERE = Path(__file__).parent

HEAVY = (
    "cpp",
    "differential",
    "fuzz",
    "comm/test_mpi.py",
    "editors/test_vscode.py",
    "lowering/test_barriers.py",
    "lowering/test_insert_sync.py",
    "lowering/test_plan_memory.py",
    "machine/test_scalars.py",
    "machine/test_compare.py",
    "machine/test_pipelines.py",
)
"""Folders and files whose tests run thousands of generated programs, or several processes."""


@pytest.fixture(autouse=True, scope="session")
def no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Verdicts that tests keep are theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PTOAS_CACHE_DIR", str(tmp_path_factory.mktemp("verdicts")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    heavy = tuple(HERE / name for name in HEAVY)
    for item in items:
        if any(item.path.is_relative_to(place) for place in heavy):
            item.add_marker(pytest.mark.heavy)
