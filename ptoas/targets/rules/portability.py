"""Programs whose meaning differs, or that are illegal, on other targets that are checked (D8, D12, D15,
D16).

These rules speak only when more than one target is checked.
"""

from __future__ import annotations

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Coalesce, GatherOOB, Layout
from ptoas.dialects.pto.gather import IndexedMemoryOp, TGatherOp
from ptoas.targets.facts import Facts
from ptoas.targets.row import Row
from ptoas.targets.rule import Violation, Violations, rule
from ptoas.targets.rules.examples import instruction, mgather
from ptoas.targets.specs import element_names
from ptoas.targets.target import Target


def _names(targets: list[Target]) -> str:
    return ", ".join(target.name for target in targets)


@rule(
    "PTO-W101",
    source="D8",
    reason="mgather without suffix is Elem on cpu and Row on a2a3 and a5: the same text gives two results.",
    failing=mgather("", "16x16xf32", "64x16xf32", "16x16xi32"),
    passing=mgather("elem", "16x16xf32", "64x16xf32", "16x16xi32"),
    severity=Severity.WARNING,
)
def gather_names_its_mode(op: IndexedMemoryOp, know: Facts) -> Violations:
    """mgather needs an explicit mode, .row or .elem, when it is checked for targets with different
    defaults."""
    if op.coalesce is not None:
        return
    modes: dict[str, list[Target]] = {}
    for target in know.checked:
        modes.setdefault(target.value(op, "coalesce").value, []).append(target)
    if len(modes) > 1:
        found = " and ".join(f"{mode} on {_names(targets)}" for mode, targets in sorted(modes.items()))
        yield Violation(f"mgather without a mode is {found}", fix="write mgather.row or mgather.elem")


@rule(
    "PTO-W102",
    source="D12",
    reason="-1 wraps to (2^32 - 1) mod capacity on the devices and to (2^64 - 1) mod capacity on cpu.",
    failing=mgather("elem.wrap", "16x16xf32", "60x16xf32", "16x16xi32"),
    passing=mgather("elem.wrap", "16x16xf32", "60x16xf32", "16x16xu32"),
    severity=Severity.WARNING,
)
def wrap_gives_one_result(op: IndexedMemoryOp, know: Facts) -> Violations:
    """A wrap that differs between cpu and the devices for negative indices needs u32 indices or a capacity
    that is a power of two."""
    if know.target.value(op, "gatherOob") is not GatherOOB.Wrap:
        return
    idx, table = know.tile("idx"), know.view("mem")
    ways = {target.sign_extends_index for target in know.checked}
    if len(ways) < 2 or idx.element.kind != "int":
        return
    capacity = know.model.capacity(table.shape5, table.layout, know.coalesce)
    if capacity is not None and capacity & (capacity - 1) == 0:
        return
    size = "an unknown capacity" if capacity is None else f"capacity {capacity}"
    yield Violation(
        f"negative indices of type {idx.element_name} with {size} wrap differently on cpu",
        slot="idx",
        fix="use a u32 index tile, or a capacity that is a power of two",
    )


@rule(
    "PTO-W103",
    source="004, index-based gather",
    reason="Only A5 reads 16-bit indices.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi16"),
    passing=instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi32"),
    severity=Severity.WARNING,
)
def index_type_is_supported_everywhere(op: TGatherOp, know: Facts) -> Violations:
    """The index type of a tile gather should be supported by every checked target."""
    if op.form != "index":
        return
    idx = know.tile("indices")
    refusing = [t for t in know.checked if not t.takes(op, "indices", idx.element.type, isa=know.isa)]
    if refusing and know.target not in refusing:
        common = [
            e
            for e in know.row.tiles["indices"].types or ()
            if all(t.takes(op, "indices", e.type) for t in know.checked)
        ]
        yield Violation(
            f"indices of type {idx.element_name} are not supported on {_names(refusing)}",
            slot="indices",
            fix=f"use one of {element_names(common)}, supported on all of the targets",
        )


@rule(
    "PTO-W104",
    source="000, Layout Support; D16",
    reason="NZ tables exist on a2a3 only, and a5 reads padding between rows as data.",
    failing=mgather("row", "16x32xf32", "64x32xf32, strides=[40, 1]", "1x16xi32"),
    passing=mgather("row", "16x32xf32", "64x32xf32", "1x16xi32"),
    severity=Severity.WARNING,
)
def table_form_is_supported_everywhere(op: IndexedMemoryOp, know: Facts) -> Violations:
    """The table of a gather should have a form that every checked target supports: packed ND."""
    table = know.view("mem")
    if table.layout is Layout.NZ and know.model.has_nz:
        refusing, found = [t for t in know.checked if not t.model(op).has_nz], "nz"
    elif table.layout is Layout.ND and table.is_packed is False and not know.model.packed:
        refusing = [t for t in know.checked if t.model(op).packed]
        found = f"strides {list(table.strides or ())}"
    else:
        return
    if refusing:
        yield Violation(
            f"a table with {found} is not supported on {_names(refusing)}",
            slot="mem",
            fix="use a packed nd table, supported on all of the targets",
        )


@rule(
    "PTO-W105",
    source="D15",
    reason="a2a3 counts the rows of all dimensions before the last, a5 those of DIM_3 only: an index can "
    "be a row on one and out of bounds on the other.",
    failing=mgather("row.clamp", "16x32xf32", "4x64x32xf32", "1x16xi32"),
    passing=mgather("row.clamp", "16x32xf32", "256x32xf32", "1x16xi32"),
    severity=Severity.WARNING,
)
def row_capacity_is_the_same_everywhere(op: IndexedMemoryOp, know: Facts) -> Violations:
    """A Row table that is checked for several targets should have the same rows on each: its first three
    dimensions must be 1."""
    table = know.view("mem")
    if not know.is_row or table.layout is not Layout.ND:
        return
    capacities: dict[int, list[Target]] = {}
    for target in know.checked:
        model = target.model(op) if isinstance(target.row(op), Row) else None
        if model is None or not model.has_row_mode or target.value(op, "coalesce") is not Coalesce.Row:
            continue
        capacity = model.capacity(table.shape5, table.layout, Coalesce.Row)
        if capacity is not None:
            capacities.setdefault(capacity, []).append(target)
    if len(capacities) > 1:
        found = " and ".join(f"{rows} rows on {_names(targets)}" for rows, targets in capacities.items())
        rows = max(capacities)
        yield Violation(
            f"the table has {found}",
            slot="mem",
            fix=f"give the table one dimension of rows: {rows}x{table.shape[-1]}",
        )
