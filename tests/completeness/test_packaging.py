"""Completeness of the installation: declared dependencies, the source distribution and the wheel."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMES_WITH = {"markupsafe": "jinja2", "typing_extensions": "xdsl"}
"""Packages that a dependency depends on."""
EXTRAS = {"mpi4py": "runner/ranks/mpi.py", "lsprotocol": "lsp/", "pygls": "lsp/"}
"""Packages of an extra, and who may import them."""
HOSTS = {"pygments": "editors/lexer.py"}
"""Packages that load a module of ours as their plug-in."""


def declared() -> set[str]:
    """Names of the packages that every installation has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w.-]+", text) for text in project["dependencies"]]
    return {name.group().replace("-", "_").lower() for name in names if name}


def imported(path: Path) -> set[str]:
    """Top-level packages that a file imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"ptoas"}


def test_every_imported_package_is_a_dependency() -> None:
    missing: list[str] = []
    for path in sorted((ROOT / "ptoas").rglob("*.py")):
        here = path.relative_to(ROOT / "ptoas").as_posix()
        for name in imported(path):
            optional = EXTRAS | HOSTS
            if COMES_WITH.get(name, name) not in declared() and not (
                name in optional and here.startswith(optional[name])
            ):
                missing.append(f"{here} imports {name}")
    assert missing == []


def test_every_dependency_has_a_lowest_version() -> None:
    """`.ci/versions` installs it: a bound is a whole version that exists."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounded = re.compile(r"[\w-]+>=\d+\.\d+\.\d+(,<\d+(\.\d+)*)?")
    assert [text for text in project["dependencies"] if not bounded.fullmatch(text)] == []


def test_the_smoke_test_of_other_versions_runs_with_these() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.smoke"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# --- distributions ---------------------------------------------------------------------------------


def tracked(folder: str = "") -> list[str]:
    """The files of a clean clone."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", folder or "."], cwd=ROOT, capture_output=True)
    return listed.stdout.decode().rstrip("\0").split("\0") if listed.returncode == 0 else []


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel, built from what a clone has."""
    pytest.importorskip("hatchling", reason="the extra `dev` has it")
    files = [name for name in tracked() if os.path.lexists(ROOT / name)]
    if not files:
        pytest.skip("not a git checkout")
    clone, built = tmp_path_factory.mktemp("clone"), tmp_path_factory.mktemp("built")
    for name in files:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, clone / name, follow_symlinks=False)
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(built)]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return built


def test_both_distributions_have_the_whole_package(distributions: Path) -> None:
    (sdist,), (wheel,) = distributions.glob("*.tar.gz"), distributions.glob("*.whl")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    with zipfile.ZipFile(wheel) as archive:
        installed = set(archive.namelist())
    wanted = {name for name in tracked("ptoas") if (ROOT / name).is_file()}
    assert len(wanted) > 500
    assert sorted(wanted - packed) == [] and sorted(wanted - installed) == []


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["*.tar.gz", "*.whl"])
def test_a_distribution_can_be_installed_and_used(distributions: Path, kind: str, tmp_path: Path) -> None:
    (archive,) = distributions.glob(kind)
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv"))
    packages = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    # The dependencies are those of the environment that runs the tests; paths in a .pth come last.
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (Path(packages) / "dependencies.pth").write_text("\n".join(ours), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    run(*pip, "--no-deps", "--no-build-isolation", "--no-index", "--ignore-installed", str(archive))
    imported = run(str(python), "-c", "import ptoas; print(ptoas.__file__)").strip()
    assert Path(imported).is_relative_to(tmp_path)
    ptoas, program = str(python.with_name("ptoas")), str(ROOT / "examples" / "embedding_lookup.pto")
    run(ptoas, "verify", "--target", "a5", program)
    assert "2 checks held" in run(ptoas, "run", "--check-file", program)
    assert "MGATHER" in run(ptoas, "lower", program)
    run(ptoas, "report", program, "-o", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").stat().st_size > 10_000


def run(*command: str) -> str:
    """Return the output of a command, which must succeed; it runs outside the checkout, which is no
    package there.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr
