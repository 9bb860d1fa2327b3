"""Every public name of the library is documented, with an example that is run."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import ptoas
from docs import manual

ROOT = Path(__file__).parents[2]
NAMES = manual.public()
CLASSES = {name: thing for name, thing in NAMES.items() if inspect.isclass(thing)}


def examples(thing: object) -> str:
    """The statements of the examples of a docstring; `pytest --doctest-modules` runs them."""
    parser = doctest.DocTestParser()
    return "".join(example.source for example in parser.get_examples(inspect.getdoc(thing) or ""))


def module(name: str) -> object:
    return import_module(manual.modules()[name])


def test_a_former_name_works_with_a_warning() -> None:
    with pytest.deprecated_call(match="ProgramRules"):
        assert ptoas.Asked is ptoas.ProgramRules


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_the_names_of_the_documentation_are_imported_from_here(path: Path) -> None:
    for module, names in re.findall(r"(?m)^(?:>>> )?from (ptoas[\w.]*) import ([\w, ]+)$", path.read_text()):
        assert module == "ptoas", f"{names} has a shorter name"
        assert all(hasattr(ptoas, name.strip()) for name in names.split(","))


def test_every_instruction_is_imported_from_here() -> None:
    from ptoas.dialects.pto import OPS

    assert [op for op in OPS if getattr(ptoas, op.__name__) is not op] == []


def test_an_editor_can_complete_the_names() -> None:
    code = "import ptoas, sys; print(set(ptoas.__all__) <= set(dir(ptoas)), 'xdsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_has_an_example(name: str) -> None:
    # Data has no docstring of its own; the example stands at the head of its module.
    documented = (
        NAMES[name] if inspect.isclass(NAMES[name]) or inspect.isfunction(NAMES[name]) else module(name)
    )
    shown = examples(documented)
    assert shown, f"{name} has no example"
    used = any(f"ptoas.{name}" in text for text in (shown, *map(examples, manual_members(name))))
    made_by = {
        "Kernel": "ptoas.compile(",
        "Profile": "ptoas.profile(",
        "Report": "ptoas.verify_targets(",
        "Result": "ptoas.run(",
        "Rule": "ptoas.RULES[",
        "Target": "ptoas.get_target(",
    }
    assert used or made_by[name] in shown, f"the example does not show {name}"


def manual_members(name: str) -> list[object]:
    return list(manual.members(CLASSES[name]).values()) if name in CLASSES else []


MEMBERS = [(name, member) for name, owner in CLASSES.items() for member in manual.members(owner)]


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=lambda text: text)
def test_a_public_method_is_documented_and_shown(name: str, member: str) -> None:
    function = manual.members(CLASSES[name])[member]
    assert inspect.getdoc(function), f"{name}.{member} has no docstring"
    shown = examples(CLASSES[name]) + examples(function)
    assert re.search(rf"\.{member}\b", shown), f"no example uses {name}.{member}"


def test_the_examples_of_the_page_work_as_they_stand() -> None:
    text = manual.api()
    blocks = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" in block]
    assert len(blocks) >= len(NAMES)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for number, block in enumerate(blocks):
        # A name of its own for each: nothing is imported but what the example imports.
        runner.run(doctest.DocTestParser().get_doctest(block, {}, f"api.md, example {number}", "api.md", 0))
    assert runner.summarize(verbose=False).failed == 0
