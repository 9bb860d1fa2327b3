"""Writing one function's Python source: names, lines, and the objects that the text names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from ptoas.machine.errors import failure

if TYPE_CHECKING:
    from ptoas.machine.compile import ModuleCompiler
    from ptoas.machine.handover import Handover
    from ptoas.machine.segments import Segment


DEFAULT_MAX_STEPS = 200_000_000


@dataclass
class Steps:
    """Counts executed operations; a loop is counted when it starts, so counting costs nothing inside it."""

    limit: int = DEFAULT_MAX_STEPS
    taken: int = 0

    def counter(self, op: Operation, weight: int) -> Callable[[int], None]:
        def count(times: int) -> None:
            self.taken += times * weight
            if self.taken > self.limit:
                raise failure(
                    "PTO-R501",
                    f"{op.name}: more than {self.limit} operations (--max-steps); this one alone takes "
                    f"{times * weight} more",
                    op,
                )

        return count


class SourceWriter(ABC):
    """The text of one function while it grows."""

    def __init__(self, module: ModuleCompiler, op: func.FuncOp):
        self.module = module
        self.machine = module.machine
        self.op = op
        self.lines: list[str] = []
        self.depth = 1
        self.current: Operation = op
        """The operation that is being written."""
        self.parts: list[list[str]] = []
        """Bodies of the functions that deeply nested loops and branches are written as."""
        self.variables_in_list = False
        """True if variables are elements of a list, which all parts of the function share."""
        self.names: dict[SSAValue, str] = {}
        self.known: dict[SSAValue, object] = {}
        """Values that are the same in every execution: constants, and tiles at constant addresses."""
        self.callees: list[str] = []
        self.handovers: dict[Operation, Handover] = {}
        """Handovers of stores that follow a gather."""
        self.segment: Segment | None = None
        """The segment that the next instruction may belong to."""

    @abstractmethod
    def operation(self, op: Operation) -> None:
        """Write one operation."""

    # --- names ---

    def add_global(self, thing: object) -> str:
        return self.module.add_global(thing)

    def ref(self, value: SSAValue) -> str:
        if value in self.known:
            thing = self.known[value]
            if isinstance(thing, int):
                return str(int(thing)) if thing >= 0 else f"({int(thing)})"
            return self.add_global(thing)
        return self.name(value)

    def name(self, value: SSAValue) -> str:
        found = self.names.get(value)
        if found is None:
            number = len(self.names)
            found = self.names[value] = f"v[{number}]" if self.variables_in_list else f"v{number}"
        return found

    def refs(self, values: Sequence[SSAValue]) -> str:
        return ", ".join(self.ref(value) for value in values)

    # --- text ---

    def line(self, text: str) -> None:
        self.lines.append(f"{'    ' * self.depth}{text}  # {len(self.module.places)}")
        self.module.places.append((self.current, self.names))

    def raiser(self, error: Exception) -> str:
        def fail(*_: object) -> None:
            raise error

        return self.add_global(fail)

    def block(self, block: Block) -> None:
        """The operations of a block; what ends it is left to the caller, except `return`."""
        before = len(self.lines)
        outer, self.segment = self.current, None
        for op in block.ops:
            self.current = op
            self.operation(op)
        self.current, self.segment = outer, None
        if len(self.lines) == before:
            self.line("pass")

    def assign(self, targets: Sequence[SSAValue], values: Sequence[SSAValue]) -> None:
        """All at once: a value may be one of the targets."""
        if targets:
            left = ", ".join(self.name(target) for target in targets)
            self.line(f"{left} = {self.refs(values)}")
