"""Completeness of instructions: tests, bodies, rows, pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from ptoas.dialects.pto import CHAPTERS, OPCODES, OPS, OVERLOADS, instructions_of
from ptoas.dialects.pto.core_sync import SectionCubeOp, SectionVectorOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.multi_tile import AllocMultiTileOp
from ptoas.grammar.parse import parse
from ptoas.grammar.spans import span_of
from ptoas.machine.machine import INSTRUCTIONS, VALUES
from ptoas.ops import load_bodies
from ptoas.project.instruction_pages import chapter_of, markdown
from ptoas.targets import TARGETS
from ptoas.targets.pipes import Pipes
from ptoas.targets.row import Unsupported
from ptoas.targets.target import Target
from tests.isa import examples
from tests.isa.annotations import HERE, Program, read
from tests.isa.annotations import TARGETS as WRITTEN_TARGETS

PAGE = markdown()

every_instruction = pytest.mark.parametrize("op", OPS, ids=lambda op: op.mnemonic())
every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)


def file_of(op: type[PtoOp]) -> Path:
    return HERE / f"{op.mnemonic().replace('.', '_')}.pto"


@cache
def programs_of(op: type[PtoOp]) -> list[tuple[Program, set[int]]]:
    """The programs of its file that hold it, with the lines of the file on which it stands."""
    found: list[tuple[Program, set[int]]] = []
    for program in read(file_of(op)):
        ops = () if program.front_end else parse(program.text).walk()
        lines = {span_of(each).line + program.line - 1 for each in ops if isinstance(each, op)}
        if lines:
            found.append((program, lines))
    return found


@every_instruction
def test_it_has_a_file_with_programs(op: type[PtoOp]) -> None:
    path = file_of(op)
    assert path.exists(), f"write tests/isa/{path.name}"
    assert programs_of(op), f"no program of {path.name} holds it"


@every_instruction
@every_target
def test_isa_file_covers_every_target(op: type[PtoOp], target: Target) -> None:
    """Wherever a target has it, a C++ statement, or the refusal, stands beside it, and it has been run."""
    if isinstance(target.entry(op), Unsupported):
        return
    name, file = target.name, file_of(op).name
    statements = [n for program, lines in programs_of(op) for n, _ in program.cpp.get(name, ()) if n in lines]
    assert statements, f"no program of {file} has `# cpp[{name}]:` beside the instruction"
    runs = [p for p, _ in programs_of(op) if name in p.run and not p.refusal(p.run, name)]
    assert runs, f"no program of {file} with the instruction has values in `# run[{name}]:`"


KNOWN = (*instructions_of("sync"), AllocMultiTileOp, SectionCubeOp, SectionVectorOp)
"""Flags, barriers and sections move no data: the compiler of the machine knows them itself. Multi tiles are
taken apart before."""


@every_instruction
def test_machine_implements_it(op: type[PtoOp]) -> None:
    load_bodies()
    assert op in INSTRUCTIONS or op in VALUES or op in KNOWN
    assert not (op in INSTRUCTIONS and op in VALUES), "it has two"


def test_the_examples_are_those_of_the_isa_files() -> None:
    """Generated examples are up to date; otherwise run `python -m tests.isa.examples` or `make docs`."""
    assert examples.FILE.read_text() == examples.text()


def test_every_opcode_and_alias_names_one_instruction() -> None:
    names = [name for op in OPS for name in (op.mnemonic(), *op.ALIASES)]
    assert len(names) == len(set(names)) == len(OPCODES)
    assert OPCODES["mgather"].name == "pto.mgather" and OVERLOADS["tgather"].name == "pto.comm.tgather"


@every_instruction
@every_target
def test_target_has_a_row_or_a_reason(op: type[PtoOp], target) -> None:
    entry = target.entry(op)
    if isinstance(entry, Unsupported):
        assert "does not list it" not in entry.reason, f"{target.name} has no row for it"
        assert len(entry.reason.split()) > 2, f"{target.name} gives no reason"


@every_target
def test_row_names_only_slots_of_its_instruction(target: Target) -> None:
    for op, row in target.rows():
        slots = {slot.name for slot in op.signature().slots}
        named = {*row.tiles, *row.views, *row.valid, *row.shape, *row.ignores, *row.clobbers, *row.scratch}
        named |= {slot for pair in row.no_alias for slot in pair}
        named |= set(row.pipe.at) if isinstance(row.pipe, Pipes) else set()
        assert named <= slots, f"{target.name}, {op.mnemonic()}"
        assert set(row.defaults) <= set(op.signature().fields), f"{target.name}, {op.mnemonic()}"


def test_the_annotated_programs_know_every_target() -> None:
    assert tuple(TARGETS) == WRITTEN_TARGETS


@every_instruction
def test_the_reference_page_has_a_section(op: type[PtoOp]) -> None:
    assert chapter_of(op) in CHAPTERS, "its chapter is not on the page"
    (section,) = (part for part in PAGE.split("\n### ") if part.startswith(f"`{op.mnemonic()}`\n"))
    assert (op.__doc__ or "").strip().splitlines()[0] in section
    assert "```text" in section, "the section shows how it is written"
