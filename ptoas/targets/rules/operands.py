"""Requirements of every instruction on its operands, read from its row: types, memories, layouts,
extents.

These few rules read the row; they are not listed in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.analysis.storage import has_address
from ptoas.diagnostics import Severity
from ptoas.dialects.pto import OPCODES
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import BLayout, SLayout, TileLoc
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets import drawing
from ptoas.targets.declaration import declare, declare_layout, set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.fixit import Fixit
from ptoas.targets.isa import HEADERS
from ptoas.targets.relation import orders_note
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Rule, Violation, Violations, mismatch, rule
from ptoas.targets.rules.common import contiguous, pad_to
from ptoas.targets.rules.examples import instruction, mgather
from ptoas.targets.specs import TileSpec, Types, element_names

_ADD = instruction("tadd", "16x32xf32", "16x32xf32", "16x32xf32")


def is_no_op(know: Facts) -> bool:
    """Return True if the destination's type makes the instruction a no-op."""
    return know.row.idle and know.tile("dst").valid == (0, 0)


_CONVERTED = {
    "i64": "i32",
    "ui64": "i32",
    "i32": "f32",
    "i16": "f32",
    "bf16": "f32",
    "f16": "f32",
    "f32": "f16",
}
"""The element type to convert to, where the target refuses one and takes the other."""


def _conversion(op: PtoOp, know: Facts, slot: str, tile: TileFacts, taken: Types) -> str | None:
    """The conversion of a source that is refused, or of the source that gives a destination its type."""
    converted = _CONVERTED.get(tile.element.text)
    if converted not in [each.text for each in taken]:
        return None
    sources = [
        name for name, _, each, _ in know.tiles if name not in op.OUTS and each.element is tile.element
    ]
    source = slot if slot not in op.OUTS else next(iter(sources), None)
    return source and f"convert it first: `tcvt` of ${source} to {converted}"


@rule(
    "PTO-I101",
    aliases="A101 A102 S101 S102 B101 B102 B111 B122 B123 B201 B202 B301 M101 M201 M301 E101",
    source="the instruction's page or header, supported data types",
    reason="The instruction exists for these element types only.",
    failing=instruction("tadd", "16x32xu8", "16x32xu8", "16x32xu8"),
    passing=_ADD,
    on="a2a3",
)
def operand_has_an_element_type_of_the_target(op: PtoOp, know: Facts) -> Violations:
    """The instruction must support the element type of each operand on the target."""
    for slot, at, tile, spec in know.tiles:
        taken = spec.types
        if taken is None or spec.takes(tile.element, know.aicore, know.isa):
            continue
        fix = None
        if tile.element in spec.aicore:
            fix = "pass --aicore if the simulator is an AICORE build"
        elif tile.element in spec.headers:
            fix = f"pass --isa {HEADERS}, whose headers support it"
        else:
            fix = _conversion(op, know, slot, tile, taken)
        required = f"one of {element_names(taken)}" if taken else "nothing on this target"
        what = f"element type of ${slot}"
        yield mismatch(what, tile.element_name, required, slot=(slot, at), fix=fix)
    for slot, view_spec in know.row.views.items():
        taken = view_spec.types
        for at, value in enumerate(know.values(slot)):
            if taken is None or isinstance(value.type, TileType):
                continue
            element = BY_TYPE[know.knowledge.view(value).type.element_type]
            if element not in taken:
                required = f"one of {element_names(taken)}"
                yield mismatch(f"element type of ${slot}", element.text, required, slot=(slot, at))


@rule(
    "PTO-I102",
    aliases="A103 A104 S103 B106 B205 M102 M202 E102 C101",
    source="the instruction's page, tile and memory types",
    reason="An instruction can access some of the local memories only.",
    failing=instruction("tadd", "16x32xf32", "mat, 16x32xf32", "16x32xf32"),
    passing=_ADD,
)
def operand_is_in_a_memory_of_the_instruction(op: PtoOp, know: Facts) -> Violations:
    """Each tile must be in a memory that the instruction can access on the target."""
    wrong = {
        tile.loc for slot, _, tile, spec in know.tiles if slot not in op.OUTS and tile.loc not in spec.locs
    }
    for slot, at, tile, spec in know.tiles:
        follows = slot in op.OUTS and tile.loc in wrong  # its type is that of the operand
        if tile.loc not in spec.locs and not follows:
            required = " or ".join(loc.value for loc in spec.locs)
            fix = _way_to(tile.type, spec.locs[0]) or _in_vec(slot, tile, spec)
            yield mismatch(f"memory of ${slot}", tile.loc.value, required, slot=(slot, at), fix=fix)


def _as_row(tile: TileFacts) -> str | None:
    """A column has the bytes of a row, which element-wise instructions take."""
    if tile.type.cols != 1 or not tile.is_dn:
        return None
    row = TileType.of(tile.type.element_type, 1, tile.type.rows, valid=(1, tile.type.valid_rows))
    return f"a column has the bytes of a row: `treshape` it to `{row}`, and the result back"


def _in_vec(slot: str, tile: TileFacts, spec: TileSpec) -> str | None:
    """The declaration of a plain tile in vec, for an operand that must be there."""
    if spec.locs != (TileLoc.Vec,):
        return None
    return declare(slot, tile, loc=TileLoc.Vec, blayout=None, slayout=SLayout.NoneBox, fractal=512)


_OPERANDS_OF_THE_MATRIX_UNIT = {TileLoc.Left: SLayout.RowMajor, TileLoc.Right: SLayout.ColMajor}


def _way_to(found: TileType, memory: TileLoc) -> str | None:
    """The moves that bring a tile to or from the matrix unit, with the types of their tiles."""
    if found.loc.data is TileLoc.Acc and memory is TileLoc.Vec:
        vec = TileType.of(found.element_type, *found.shape)
        return f"a vector core gets it through a channel: `tpush_to_aiv`, then `tpop_from_aic` to `{vec}`"
    order = _OPERANDS_OF_THE_MATRIX_UNIT.get(memory)
    if order is None or found.loc.data not in (TileLoc.Vec, TileLoc.Mat):
        return None
    rows, cols = found.shape
    mat = TileType.of(
        found.element_type, rows, cols, loc=TileLoc.Mat, blayout=BLayout.ColMajor, slayout=SLayout.RowMajor
    )
    last = TileType.of(found.element_type, rows, cols, loc=memory, slayout=order)
    move = f"`tmov` to {memory.value} (`{last}`)"
    return move if found.loc.data is TileLoc.Mat else f"`tload` into mat (`{mat}`), then {move}"


@rule(
    "PTO-I103",
    aliases="A105 A106 A107 A109 S104 S105 S106 S108 B112 B203 E103 E212",
    source="the instruction's page, tile and memory types",
    reason="The instruction reads its operands in this order, without conversion.",
    failing=instruction("tadd", "32x16xf32, blayout=col_major", "32x16xf32", "32x16xf32"),
    passing=_ADD,
)
def operand_has_a_layout_of_the_target(op: PtoOp, know: Facts) -> Violations:
    """Each operand must have a layout that the instruction supports on the target."""
    repeated = _repeated(op, know)
    for slot, at, tile, spec in know.tiles:
        if repeated is not None and slot == repeated[0]:
            continue  # The instruction that repeats it takes this layout (PTO-I106).
        if spec.layout is not None and not spec.layout.holds(tile.type) and tile.loc in spec.locs:
            yield mismatch(
                f"layout of ${slot}",
                tile.layout_text,
                spec.layout.text,
                slot=(slot, at),
                fix=_as_row(tile) or declare_layout(slot, tile, spec.layout.order),
                related=_orders(tile, spec.layout.order),
            )
    for slot, view_spec in know.row.views.items():
        if view_spec.layouts is None:
            continue
        for at, value in enumerate(know.values(slot)):
            found = know.knowledge.view(value).layout
            if found not in view_spec.layouts:
                required = " or ".join(layout.value for layout in view_spec.layouts)
                yield mismatch(f"layout of ${slot}", found.value, required, slot=(slot, at))


def _orders(tile: TileFacts, required: drawing.Order | None) -> tuple[Related, ...]:
    """Both orders side by side, where one of them has boxes."""
    found = (tile.type.blayout, tile.type.slayout)
    plain = required is not None and {found[1], required[1]} == {SLayout.NoneBox}
    return () if plain else orders_note(found, required)


@rule(
    "PTO-I104",
    aliases="A204 S204 M105 M205",
    source="the instruction's page, shape constraints",
    reason="The instruction takes its size from these extents.",
    failing=mgather("row", "16x32xf32, valid=16x0", "64x32xf32", "1x16xi32"),
    passing=mgather("row", "16x32xf32, valid=1x32", "64x32xf32", "1x16xi32, valid=1x1"),
    on="a2a3",
)
def operand_is_not_empty(op: PtoOp, know: Facts) -> Violations:
    """Operands must not be empty where the instruction needs at least one element."""
    for slot, at, tile, spec in () if is_no_op(know) else know.tiles:
        if not spec.empty and 0 in tile.valid:
            what = f"valid shape of ${slot}"
            yield mismatch(what, shape_str(tile.valid), "at least 1x1", slot=(slot, at))
    for slot, view_spec in know.row.views.items():
        shape = () if view_spec.empty else know.view(slot).shape
        if 0 in shape:
            yield mismatch(f"shape of ${slot}", shape_str(shape), "positive extents", slot=slot)


@rule(
    "PTO-I105",
    aliases="A110 A111 A112 S109",
    source="the instruction's page, shape constraints; 000, Minimum Tile Shape",
    reason="Tiles move in bursts of 32 bytes along their contiguous dimension, and each row starts on one.",
    failing=mgather("row", "16x12xf32", "64x12xf32", "1x16xi32"),
    passing=mgather("row", "16x16xf32, valid=16x12", "64x12xf32", "1x16xi32"),
    on="a2a3",
)
def operand_is_made_of_32_byte_blocks(op: PtoOp, know: Facts) -> Violations:
    """Columns (row_major) or rows (col_major) times the element size must be a multiple of 32 bytes; valid
    extents are free."""
    for slot, at, tile, spec in know.tiles:
        if not spec.aligned or tile.type.slayout is not SLayout.NoneBox:
            continue
        if spec.layout is not None and not spec.layout.holds(tile.type):
            continue  # In another layout it has other lines.
        word, extent = contiguous(tile)
        width = extent * tile.size
        if width % BURST:
            found = f"{extent} x {tile.size} bytes = {width} bytes"
            fix = pad_to(word, extent, BURST // tile.size)
            required = f"a multiple of {BURST} bytes"
            yield mismatch(f"{word} of ${slot}", found, required, slot=(slot, at), fix=fix)


@rule(
    "PTO-I106",
    aliases="E104 E201 E202 E203 E211",
    source="the instruction's page, constraints",
    reason="Element (i, j) of one operand corresponds to element (i, j) of the other.",
    failing=instruction("tadd", "16x32xf32", "16x32xf32", "16x32xf32, valid=16x16"),
    passing=_ADD,
)
def valid_extents_agree(op: PtoOp, know: Facts) -> Violations:
    """The valid extents of the operands must match the instruction's formula. If a type leaves an extent open
    it is a warning, because the headers compare in debug builds only."""
    dst = know.tile("dst") if "dst" in know.row.valid else None
    if dst is not None and dst.valid == (0, 0) and DYNAMIC in dst.type.valid:
        return
    repeated = _repeated(op, know)
    for violation, slots in _disagreements(know, know.row.valid, "valid", lambda tile: tile.valid):
        opened = any(_is_open(know, slot) for slot in slots)
        if repeated is not None:
            slot, word, expansion = repeated
            fix, fixit = (
                f"`{expansion}` repeats the {word} ${slot}",
                Fixit("opcode", expansion, op.mnemonic(), safe=False),
            )
            violation = replace(violation, fix=fix, fixit=fixit)
        yield replace(violation, severity=Severity.WARNING) if opened else violation


def _repeated(op: PtoOp, know: Facts) -> tuple[str, str, str] | None:
    """The source that NumPy would repeat, a row or a column beside a full tile: its slot, its kind, and the
    instruction that does it."""
    if {*know.row.valid} != {"dst", "src0", "src1"} or len(set(know.row.valid.values())) != 1:
        return None
    for slot, other in (("src1", "src0"), ("src0", "src1")):
        narrow, full = know.tile(slot).valid, know.tile(other).valid
        kind = {(full[0], 1): "row", (1, full[1]): "col"}.get(narrow)
        expansion = f"t{kind}expand{op.mnemonic()[1:]}"
        # A row is the second source, and has to be: some operations do not commute.
        takes_it = kind == "row" or slot == "src1"
        if narrow != full and DYNAMIC not in (*narrow, *full) and takes_it and expansion in OPCODES:
            return slot, "column" if kind == "row" else "row", expansion
    return None


def _is_open(know: Facts, slot: str) -> bool:
    """Return True if the types of the tiles in a slot leave valid extents to run time."""
    types = [value.type for value in know.values(slot)]
    return any(isinstance(type, TileType) and DYNAMIC in type.valid for type in types)


@rule(
    "PTO-I107",
    aliases="E214 E301 E402",
    source="the instruction's page or header, constraints",
    reason="The target moves whole physical tiles, or its header compares their shapes at compile time.",
    failing=instruction("tmov", "16x32xf32", "16x64xf32, valid=16x32"),
    passing=instruction("tmov", "16x32xf32", "16x32xf32"),
    on="a2a3",
)
def physical_extents_agree(op: PtoOp, know: Facts) -> Violations:
    """The physical extents of the operands must match where the target compares them."""
    if not list(valid_extents_agree.check(op, know)):
        found = _disagreements(know, know.row.shape, "physical", lambda tile: tile.physical)
        yield from (violation for violation, _ in found)


def _disagreements(
    know: Facts, expected: Mapping[str, str], kind: str, extents: Callable[[TileFacts], Sequence[int]]
) -> Iterator[tuple[Violation, set[str]]]:
    """Operands whose extents differ from those that the operands before them gave the same letters; each with
    the slots that disagree."""
    if is_no_op(know):
        return
    bound: dict[str, tuple[int, str]] = {}
    for slot, text in expected.items():
        if not know.values(slot):
            continue
        found = extents(know.tile(slot))
        letters = text.split()
        required = [
            _required(letter, extent, bound, slot) for letter, extent in zip(letters, found, strict=True)
        ]
        wrong = [at for at, extent in enumerate(found) if extent != required[at]]
        wrong = [at for at in wrong if DYNAMIC not in (found[at], required[at])]
        if not wrong:
            continue
        owner = next((bound[letters[at]][1] for at in wrong if letters[at] in bound), None)
        like = f", as ${owner}" if owner is not None and owner != slot else ""
        what, tile = f"{kind} shape of ${slot}", know.tile(slot)
        wanted = [old if new == DYNAMIC else new for old, new in zip(found, required, strict=True)]
        fix = (
            set_valid(slot, tile, wanted)
            if kind == "valid"
            else declare(slot, tile, rows=wanted[0], cols=wanted[1])
        )
        violation = mismatch(what, shape_str(found), f"{shape_str(required)}{like}", slot=slot, fix=fix)
        yield violation, {slot, owner} if owner is not None else {slot}


def _required(letter: str, extent: int, bound: dict[str, tuple[int, str]], slot: str) -> int:
    """The extent bound to a letter; the first known one binds it."""
    if letter == "_":
        return extent
    if letter.isdigit():
        return int(letter)
    if letter not in bound or (bound[letter][0] == DYNAMIC and extent != DYNAMIC):
        bound[letter] = (extent, slot)
    return bound[letter][0]


@rule(
    "PTO-I108",
    aliases="E213",
    source="the instruction's page or header, temporary tile",
    reason="The target writes beyond the end of a scratch tile that is too small.",
    on="a2a3",
)
def scratch_is_large_enough(op: PtoOp, know: Facts) -> Violations:
    """A scratch tile must have as many bytes as the target uses. It is a warning for a tile with an address
    if the library uses bytes behind the declared tile, which may be free."""
    for slot, scratch in know.row.scratch.items():
        if slot in know.row.ignores or not know.values(slot):
            continue
        needed = scratch.needs(know)
        least = scratch.least(know) if scratch.least is not None else needed.size_bytes if needed else 0
        found = know.tile(slot).type.size_bytes
        if found >= least:
            continue
        fix = f"declare ${slot} as `{needed}`" if needed and needed.size_bytes >= least else None
        violation = mismatch(
            f"size of ${slot}", f"{found} bytes", f"at least {least} bytes", slot=slot, fix=fix
        )
        if scratch.uses_bytes_after and has_address(know.values(slot)[0]):
            fix = f"keep {least} bytes free from the address of ${slot} on"
            violation = replace(violation, severity=Severity.WARNING, fix=fix)
        yield violation


@lru_cache(maxsize=4096)
def rules_for(row: Row) -> tuple[Rule, ...]:
    """The shared rules that have something to say about a row."""
    tiles, views = row.tiles.values(), row.views.values()
    expected = {
        operand_has_an_element_type_of_the_target: any(spec.types is not None for spec in (*tiles, *views)),
        operand_is_in_a_memory_of_the_instruction: bool(row.tiles),
        operand_has_a_layout_of_the_target: any(s.layout for s in tiles) or any(s.layouts for s in views),
        operand_is_not_empty: any(not spec.empty for spec in (*tiles, *views)),
        operand_is_made_of_32_byte_blocks: any(spec.aligned for spec in tiles),
        valid_extents_agree: bool(row.valid),
        physical_extents_agree: bool(row.shape),
        scratch_is_large_enough: any(slot not in row.ignores for slot in row.scratch),
    }
    return tuple(rule for rule, applies in expected.items() if applies)
