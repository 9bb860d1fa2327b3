"""What a target is, as data: its memories, its defaults, its type lists, how it reads an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Operation

from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE, ElementType
from ptoas.dialects.pto.enums import Coalesce, Event, Layout, TileLoc
from ptoas.dialects.pto.gather import MGatherOp, MScatterOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.pipes import NOTHING, Effects, Pipes, effects_from

if TYPE_CHECKING:
    from ptoas.targets.rule import Rule, Table

KB = 1024

FRACTAL_ROWS = 16
"""Rows of one fractal block of an NZ layout (document 000, NZ Layout)."""

C0_BYTES = 32
"""Bytes of one row of a fractal block, and of one burst of the memory engines."""


class UnknownTargetError(ValueError):
    """A target that does not exist was asked for."""

    def __init__(self, name: str, known: Sequence[str]):
        self.name = name
        super().__init__(f"there is no target {name!r}; the targets are {', '.join(known)}")


def elements(texts: str) -> tuple[ElementType, ...]:
    """Element types by their texts: `elements("i8 u8 f16")`."""
    return tuple(BY_TEXT[text] for text in texts.split())


def element_names(types: Sequence[ElementType]) -> str:
    """Element types as an author writes them."""
    return ", ".join(type.text.removeprefix("!pto.") for type in types)


@dataclass(frozen=True)
class UbLayout:
    """How the unified buffer is shared out (document 000, UB Memory Budget)."""

    total: int
    reserved: int = 0
    """Fixed reservation of the compiler."""
    data_cache: int = 0
    """Least size of the data cache, which only SIMT kernels have to leave room for."""
    default_budget: int | None = None
    """What a SIMT kernel may use without asking for a dynamic region at launch."""

    def limit(self, simt: bool) -> int:
        """Bytes that tiles may use at most."""
        return self.total - self.reserved - (self.data_cache if simt else 0)


@dataclass(frozen=True, eq=False)
class Target:
    """One machine: data, the pipes of its instructions, and its table of rules.

    >>> import ptoas
    >>> from ptoas.dialects.pto.enums import Coalesce, Layout, TileLoc
    >>> a5 = ptoas.get_target("a5")
    >>> a5.memory_size(TileLoc.Vec), a5.capacity((1, 1, 1, 64, 32), Layout.ND, Coalesce.Row)
    (221184, 64)
    >>> [type.text for type in a5.types_of("tabs")]
    ['i8', 'i16', 'i32', 'f16', 'f32']
    >>> module = ptoas.parse('''
    ... .arg %table : !pto.memref<64x32xf32>
    ... .arg %idx : !pto.tile<1x16xi32>
    ... %dst = mgather %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>
    ... ''')
    >>> gather = next(op for op in module.walk() if op.name == "pto.mgather")
    >>> a5.coalesce_of(gather).value, a5.takes("mgather", gather.destination.type.element_type)
    ('row', True)
    >>> [(access.pipe.value, access.write) for access in a5.effects(gather).accesses]
    [('PIPE_V', False), ('PIPE_V', False), ('PIPE_V', True)]
    >>> "PTO-A201" in [rule.code for rule in a5.rules()]
    True
    """

    name: str
    title: str
    summary: str
    default_coalesce: Coalesce | None
    """The mode of an `mgather` without suffix; `None`: the index tile's columns decide (D8)."""
    memories: Mapping[TileLoc, int | None]
    """Bytes of each local memory; `None`: as much as the host has; missing: there is none."""
    ub: UbLayout | None
    """The layout of the unified buffer; `None` where there is none."""
    sign_extends_index: bool
    """Whether a signed index is sign-extended to 64 bits; otherwise it is 32 unsigned bits (D12)."""
    row_stride_is_dim3: bool
    """Row gathers step by the table's stride of DIM_3; otherwise by the destination's valid columns (D16)."""
    row_capacity_dims: tuple[int, ...]
    """Dimensions whose product is the number of rows of an ND table (D15)."""
    elem_capacity_dims: tuple[int, ...]
    """Dimensions whose product is the number of elements of a table (D15)."""
    element_types: Mapping[str, tuple[ElementType, ...]]
    """Element types of an instruction's data, by mnemonic, or by mnemonic and form: `tgather.mask`."""
    pipe_model: Callable[[PtoOp, Coalesce | None], Pipes | None]
    """Which pipe touches which operand, and the handshakes made inside an instruction."""
    instructions: Table
    """What the target asks of each instruction, line by line as the document does."""
    program: tuple[Rule, ...]
    """What the target asks of functions and modules as a whole."""
    aliases: tuple[str, ...] = ()
    aicore_types: Mapping[str, tuple[ElementType, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Element types that only an AICORE build adds (D3)."""
    has_row_mode: bool = True
    """Whether gathers of whole rows exist (D17)."""
    checks_bounds: bool = True
    """Whether an out-of-bounds mode exists at all."""
    has_pipes: bool = True
    gathers_into_columns: bool = False
    """Whether a gather's destination may be column-major."""
    needs_packed_table: bool = False
    """Whether a table with gaps between its rows is refused (D16)."""
    has_nz: bool = False
    """Whether gathers know the fractal layout of tables and tiles."""
    events: tuple[Event, ...] = tuple(Event)
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What single rules need to know: limits and lists by name."""

    def effects(self, op: Operation) -> Effects:
        """What `op` does on the pipes of this target."""
        if not isinstance(op, PtoOp):
            return NOTHING
        coalesce = self.coalesce_of(op) if isinstance(op, MGatherOp | MScatterOp) else None
        return effects_from(op, self.pipe_model(op, coalesce))

    def memory_size(self, loc: TileLoc, simt: bool = True) -> int | None:
        """Bytes that tiles may use in a memory; `None`: no limit. KeyError: the target has no such memory."""
        if loc is TileLoc.Vec and self.ub is not None:
            return self.ub.limit(simt)
        return self.memories[loc]

    def coalesce_of(self, op: MGatherOp | MScatterOp) -> Coalesce:
        """The mode of a gather or scatter: as written, else the target's own default (D8)."""
        if op.coalesce is not None:
            return op.coalesce.data
        if self.default_coalesce is not None:
            return self.default_coalesce
        index = op.idx.type
        assert isinstance(index, TileType)
        # Document 002: an index tile of one column chooses rows, one as wide as the destination elements.
        return Coalesce.Row if index.cols == 1 else Coalesce.Elem

    def capacity(self, shape5: Sequence[int], layout: Layout, coalesce: Coalesce) -> int | None:
        """How many rows or elements an index may choose from (D15); `None` when a dimension is unknown."""
        dims = self.row_capacity_dims if coalesce is Coalesce.Row else self.elem_capacity_dims
        if layout is Layout.NZ and self.has_nz:
            if coalesce is Coalesce.Row:
                return None if shape5[2] == DYNAMIC else shape5[2] * FRACTAL_ROWS
            dims = (0, 1, 2, 3, 4)
        extents = [shape5[dim] for dim in dims]
        return None if DYNAMIC in extents else prod(extents)

    def types_of(self, instruction: str, aicore: bool = False) -> tuple[ElementType, ...]:
        """Element types that an instruction takes here."""
        plain = self.element_types.get(instruction, ())
        return plain + (self.aicore_types.get(instruction, ()) if aicore else ())

    def takes(self, instruction: str, element: Attribute, aicore: bool = False) -> bool:
        """Whether an instruction takes this element type here."""
        return BY_TYPE.get(element) in self.types_of(instruction, aicore)

    def rules(self) -> tuple[Rule, ...]:
        """Every rule that the target has, once each, by code."""
        rows = [row for row in self.instructions.values() if isinstance(row, tuple)]
        found = {rule.code: rule for row in (*rows, self.program) for rule in row}
        return tuple(found[code] for code in sorted(found))

    def __repr__(self) -> str:
        return f"Target({self.name!r})"
