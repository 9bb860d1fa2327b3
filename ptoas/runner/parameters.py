"""The parameters of a kernel: what each is, how large it must be, whether it is read, written, or an index.

`argument_inference.py` fills in what the types do not say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import UnregisteredAttr, VectorType, i16
from xdsl.ir import Attribute

from ptoas.analysis.knowledge import Knowledge
from ptoas.diagnostics import Diagnostic, Note, PtoasError
from ptoas.dialects.pto.constraints import COUNTS
from ptoas.dialects.pto.enums import AddressSpace, Layout
from ptoas.dialects.pto.types import HANDLES, GroupType, PtrType, TileType, ViewType
from ptoas.grammar.spans import argument_type_span, span_of
from ptoas.lowering.join_cube_vector import launch_arguments
from ptoas.machine.dtypes import DType, dtype_of
from ptoas.machine.errors import failure


@dataclass(eq=False)
class Parameter:
    """One parameter of the entry; equal to itself only, so that sets and dictionaries can hold it."""

    name: str
    at: int
    type: Attribute
    kind: str
    """`memory`, `pointer`, `tile`, `group`, `counts` or `scalar`."""
    dtype: DType | None
    """The element type; `None` for a scalar without one (an index)."""
    shape: tuple[int, ...] = ()
    """Extents; `DYNAMIC` if only the argument determines one."""
    strides: tuple[int, ...] | None = None
    layout: Layout = Layout.ND
    ranks: int = 1
    elements: int | None = None
    """Least number of elements behind a pointer, if that is known before the run."""
    view_shape: tuple[int, ...] | None = None
    """The shape of all views of a pointer, if there is only one."""
    grows: bool = False
    """True if the size behind a pointer is known only at run time."""
    is_computed_with: bool = False
    """True if its integers are used in computed offsets, sizes, bounds or indices."""
    floor: int = 0
    """Their lower bound: smaller numbers would make a computed position negative."""
    read: bool = False
    written: bool = False
    index_limit: int | None = None
    """The values of an index argument stay below this."""
    index_step: int = 1
    """Their common divisor."""
    is_index: bool = False
    is_window: bool = False
    """Other ranks reach it: each has one of its own, at the same place of its window."""
    is_context: bool = False
    """True for the table of the windows of all ranks."""
    is_rank: bool = False
    """True for the number of the rank that runs."""
    is_count: bool = False
    """True for the number of ranks."""
    peers_apart: int = 0
    """Numbers of peers are calculated from its elements, by dividing them by this."""
    peers_most: int = 0
    """Maximum number of peers."""
    is_signal: bool = False
    """True if it is notified or waited for: it starts with zeros."""
    arrived: int = 0
    """Initial value of a signal that the program awaits and never sets."""
    suggestion: int = 1
    """Default of a scalar: an extent that fits the tiles it is used for."""
    reason: str = "nothing tells what it should be"
    """Reason for the default."""

    def need(self, elements: int) -> None:
        """Require at least so many elements."""
        self.elements = max(self.elements or 0, elements)

    def suggest(self, number: int, reason: str) -> None:
        """Set the default of a scalar."""
        self.suggestion, self.reason = number, reason

    @property
    def is_input(self) -> bool:
        """True if the program reads a value that only the caller knows.

        The launch provides the table of the ranks' windows, and signals that start with zeros.
        """
        if self.kind == "scalar":
            return True
        return self.read and not self.is_context and not (self.is_signal and not self.arrived)


def about(parameter: Parameter, entry: func.FuncOp, error: PtoasError) -> PtoasError:
    """An error about an argument that points at its declaration, also where it came from the command line."""
    declared, whole = argument_type_span(entry, parameter.at), span_of(entry)

    def pointing(finding: Diagnostic) -> Diagnostic:
        if finding.span == whole:
            return replace(finding, span=declared)
        return replace(finding, notes=(*finding.notes, Note(f"%{parameter.name} is declared here", declared)))

    return PtoasError([pointing(finding) for finding in error.diagnostics])


def parameters_of(entry: func.FuncOp) -> list[Parameter]:
    """The parameters as their types say it."""
    found: list[Parameter] = []
    known = launch_arguments(entry)
    for at, argument in enumerate(entry.body.blocks[0].args):
        if at in known:
            continue
        name = argument.name_hint or f"arg{at}"
        if isinstance(argument.type, HANDLES):
            message = f"%{name} is a {argument.type}, which only the program can create"
            raise failure("PTO-R505", message, span=argument_type_span(entry, at))
        found.append(_parameter(entry, name, at, argument.type))
    return found


def _parameter(entry: func.FuncOp, name: str, at: int, type: Attribute) -> Parameter:
    match type:
        case ViewType():
            # Without strides it is packed; a single row or column fits both layouts.
            argument = entry.body.blocks[0].args[at]
            layout = type.layout if type.strides is None else Knowledge().view(argument).layout
            return Parameter(
                name, at, type, "memory", dtype_of(type.element_type), type.shape, type.strides, layout
            )
        case PtrType() if type.space is not AddressSpace.GM:
            message = f"%{name} points to local memory, which a launch can't fill"
            raise failure("PTO-R156", message, entry, fix="pass global memory and load from it")
        case PtrType():
            return Parameter(name, at, type, "pointer", dtype_of(type.element_type))
        case TileType():
            return Parameter(name, at, type, "tile", dtype_of(type.element_type), type.valid)
        case GroupType():
            member = type.member
            assert isinstance(member, ViewType)
            place = member.shape, member.strides, member.layout
            return Parameter(name, at, type, "group", dtype_of(member.element_type), *place, type.size)
        case VectorType() if type == COUNTS:
            return Parameter(name, at, type, "counts", dtype_of(i16), (4,), written=True)
        case _:
            if isinstance(type, UnregisteredAttr):
                message = f"%{name} is a {type}, a type of another dialect: no value can be passed"
                raise failure("PTO-R505", message, span=argument_type_span(entry, at))
            try:
                return Parameter(name, at, type, "scalar", dtype_of(type))
            except KeyError:
                return Parameter(name, at, type, "scalar", None)
