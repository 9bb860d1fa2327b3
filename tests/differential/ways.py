"""The ways of one program; each must leave the same bytes in all arguments.

The machine with all checks is the way that the others are compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.compiler.run import compile as compile_kernel
from ptoas.diagnostics import PtoasError
from ptoas.grammar.printer import FORMS
from ptoas.lowering.emit_cpp import emit_cpp
from ptoas.lowering.pipeline import build_pipeline, run_passes
from ptoas.machine.machine import Checks
from ptoas.runner.arguments import Binder
from ptoas.runner.core import cores_of
from ptoas.runner.kernel import Kernel
from ptoas.targets import TARGETS, get_target
from tests.cpp.harness import Built, Case, after_run, call_of

from .builder import Program
from .ranks import execute, memory_of, places_of

NO_VALUES = "PTO-L001"
"""A tile that is written twice has no SSA form, and the conversion says so."""


NO_SUCH_CALL = "has no MSCATTER"
"""The target's C++ library lacks the instruction: document 002 knows gathers only."""


@dataclass
class Findings:
    """Result of one program."""

    program: Program
    rejected: str | None = None
    """Reason why the verifier or the machine rejects it: usually a mistake of the generator."""
    differences: list[str] = field(default_factory=list[str])
    ways: set[str] = field(default_factory=set[str])
    built: Built | None = None
    module: ModuleOp | None = None


def walk(program: Program, cpp: bool = True) -> Findings:
    """Run a program in every way but the compiler's; what that needs is in `built`."""
    found = Findings(program)
    try:
        module = ptoas.parse(program.text, filename=f"{program.name}.pto")
        found.module = module
        kernel = _kernel(program, module, force=False)
        types = [argument.type for argument in kernel.entry.body.block.args]
        before = memory_of([program.copies(rank) for rank in range(program.ranks)], types)
        expected = _run(kernel, program, types)
    except PtoasError as error:
        found.rejected = f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"
        return found
    walker = _Walker(found, types, expected)
    walker.unchecked(kernel)
    ready = walker.passes(module)
    walker.forms(module)
    if ready is not None:
        walker.forms_of_lowered(ready)
        if cpp and program.has_cpp:
            walker.lowered(ready, before)
    return found


def _kernel(program: Program, module: ModuleOp, force: bool = True) -> Kernel:
    return compile_kernel(
        module,
        program.target,
        legalize=program.legalize,
        aicore=program.aicore,
        blocks=program.blocks,
        # Besides rows of its own every block stores what all store, the same.
        checks="all" if program.blocks == 1 else "mem,init,budget",
        force=force,
    )


def _run(kernel: Kernel, program: Program, types: Sequence[Attribute]) -> list[bytes]:
    given = [program.copies(rank) for rank in range(program.ranks)]
    for each, result in zip(given, execute(kernel, given), strict=True):
        # What is None, the members of a group, was written where it is.
        each |= {name: value for name, value in after_run(result, types).items() if value is not None}
    return memory_of(given, types)


@dataclass
class _Walker:
    found: Findings
    types: Sequence[Attribute]
    expected: list[bytes]

    @property
    def program(self) -> Program:
        return self.found.program

    def compare(self, way: str, module: ModuleOp, force: bool = True) -> None:
        """Run a module on the machine."""
        self.judge(way, lambda: _kernel(self.program, module, force))

    def judge(self, way: str, compile: Callable[[], Kernel]) -> None:
        """Note it if the bytes differ, or if the program can't be run."""
        self.found.ways.add(way)
        try:
            got = _run(compile(), self.program, self.types)
        except PtoasError as error:
            return self.note(way, f"{error.diagnostics[0].code}: {error.diagnostics[0].message}")
        except Exception as error:
            return self.note(way, f"{type(error).__name__}: {error}")
        for number, (ours, theirs) in enumerate(zip(self.expected, got, strict=True)):
            if ours != theirs:
                byte = next(n for n, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
                return self.note(way, f"buffer {number} differs at byte {byte}")
        return None

    def unchecked(self, kernel: Kernel) -> None:
        """The same lowered program, compiled without checks."""
        bare = Kernel.__new__(Kernel)
        vars(bare).update(vars(kernel))
        bare.options = replace(kernel.options, checks=Checks.of("none"))
        bare.program = replace(kernel.program, options=bare.options)
        bare.cores = cores_of(bare.program, kernel.cores[0].machine.launch)
        bare.binder = Binder(bare.parameters, bare.entry)
        self.judge("machine without checks", lambda: bare)

    def note(self, way: str, what: str) -> None:
        self.found.differences.append(f"{way}: {what}")

    def passes(self, module: ModuleOp) -> ModuleOp | None:
        """Before and after every pass; what a pass leaves as it is need not be run again."""
        current = module.clone()
        for each in build_pipeline(self.program.target, legalize=self.program.legalize):
            way = f"after {each.name}"
            previous = current.clone()
            try:
                run_passes(current, [each])
            except Exception as error:
                self.note(way, f"{type(error).__name__}: {error}")
                return None
            self.found.ways.add(way)
            if not current.is_structurally_equivalent(previous):
                last = each.name == "insert-sync"
                self.compare(way, current, force=not last)
        return current

    def forms(self, module: ModuleOp) -> None:
        """Through each text form and back."""
        for form in FORMS:
            way = f"through {form}"
            again = self.reread(way, module, form)
            if again is not None and not again.is_structurally_equivalent(module):
                if form == "generic":
                    self.note(way, "another module")
                self.compare(way, again)

    def forms_of_lowered(self, module: ModuleOp) -> None:
        """The lowered module, with its addresses and flags, through one of the forms."""
        turn = self.program.seed // len(TARGETS)
        if turn % 3:
            return  # one in three
        form = ("asm", "dps", "generic")[turn // 3 % 3]
        way = f"lowered, through {form}"
        again = self.reread(way, module, form)
        if again is not None and not again.is_structurally_equivalent(module):
            self.note(way, "another module")

    def reread(self, way: str, module: ModuleOp, form: str) -> ModuleOp | None:
        self.found.ways.add(way)
        try:
            text = print_module(module, form)
            return ptoas.parse(text, filename=f"{self.program.name}.pto")
        except PtoasError as error:
            if form != "ssa" or any(d.code != NO_VALUES for d in error.diagnostics):
                self.note(way, f"{error.diagnostics[0].code}: {error.diagnostics[0].message}")
            else:
                self.found.ways.remove(way)
        except Exception as error:
            self.note(way, f"{type(error).__name__}: {error}")
        return None

    def lowered(self, module: ModuleOp, before: list[bytes]) -> None:
        """The C++ of the lowered module, for the compiler."""
        program = self.program
        try:
            cpp = emit_cpp(module, get_target(program.target))
        except PtoasError as error:
            if any(NO_SUCH_CALL not in d.message for d in error.diagnostics):
                self.note("C++", f"{error.diagnostics[0].code}: {error.diagnostics[0].message}")
            return
        except Exception as error:
            self.note("C++", f"{type(error).__name__}: {error}")
            return
        self.found.ways.add("C++")
        case = Case(program.name, program.text, program.target, aicore=program.aicore)
        call = "\n        ".join(
            f"{{ {call_of(module, program.name, program.copies(rank), places)} }}"
            for rank, places in enumerate(places_of(self.types, program.ranks))
        )
        if program.blocks > 1:
            call = (
                f"pto::reference::block_count = {program.blocks};\n"
                f"        for (int64_t b = 0; b < {program.blocks}; ++b) {{\n"
                f"        pto::reference::block_index = b;\n        {call}\n        }}\n"
                "        pto::reference::block_index = 0, pto::reference::block_count = 1;"
            )
        self.found.built = Built(case, cpp, call, before, self.expected)
