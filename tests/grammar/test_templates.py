"""Expressiveness of assembly formats, on instructions of later chapters as the assembler spells them.

The instructions are made up here: their texts are what counts. Each is read from the text that its row gives,
printed again as that text, and read back in every form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr, UnitAttr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoTerminator

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.dialects.pto import OPCODES
from ptoas.dialects.pto.constraints import AnyTile, AnyView, Index, Ptr, Scalar
from ptoas.dialects.pto.enums import AtomicTypeAttr, PipeAttr
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.type_text import xdsl_context
from ptoas.grammar.printer import FORMS

SEGMENTS = (AttrSizedOperandSegments(as_property=True),)
T = "!pto.tile_buf<vec, 8x16xf32>"
ADD = "#pto.atomic_type<atomic_add>"
V = "!pto.memref<8x16xf32>"
P = "!pto.ptr<f32>"
PRELUDE = f"""
.arg %t : {T}
.arg %u : {T}
.arg %v : {V}
.arg %p : {P}
.arg %i : index
.arg %n : i64
.arg %f : f32
%d = pto.alloc_tile : {T}
"""


@irdl_op_definition
class InsertOp(Instruction):
    """Keyword operands with types of their own."""

    name = "pto.x_insert"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src, $row, $col : ^src, ^row, ^col( fp $fp : ^fp)?( pre_quant $quant : ^quant)?)"
        "( outs($dst : ^dst))? {attrs}"
    )
    irdl_options = SEGMENTS
    src = operand_def(AnyTile())
    row = operand_def(Index())
    col = operand_def(Index())
    fp = opt_operand_def(AnyTile())
    quant = opt_operand_def(Scalar())
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    mode = opt_prop_def(AtomicTypeAttr)


@irdl_op_definition
class CompareOp(Instruction):
    """A dictionary inside `ins(...)`, and an attribute among the types."""

    name = "pto.x_compare"
    ASSEMBLY_FORMAT: ClassVar = "ins($src {cmp = #cmp} : ^src(, #axis)?)( outs($dst : ^dst))? {attrs}"
    irdl_options = SEGMENTS
    src = operand_def(AnyTile())
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    cmp = prop_def(AtomicTypeAttr)
    axis = opt_prop_def(StringAttr)


@irdl_op_definition
class MergeOp(PtoOp):
    """Several outputs, scratch among them, and a word that stands for itself."""

    name = "pto.x_merge"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($lists(, $tmp)?( &no_tmp)? : ^lists(, ^tmp)?) outs($dst(, $taken)? : ^dst(, ^taken)?) {attrs}"
    )
    OUTS: ClassVar = ("dst", "taken")
    irdl_options = SEGMENTS
    lists = var_operand_def(Scalar())
    tmp = opt_operand_def(Ptr())
    dst = operand_def(AnyTile())
    taken = opt_operand_def(AnyTile())
    no_tmp = opt_prop_def(UnitAttr)


@irdl_op_definition
class GetValueOp(PtoOp):
    """`outs` without an operand."""

    name = "pto.x_getval"
    ASSEMBLY_FORMAT: ClassVar = "ins($src, $offset : ^src, ^offset) {attrs} outs : ^result"
    src = operand_def(AnyTile())
    offset = operand_def(Index())
    result = result_def(Scalar())


@irdl_op_definition
class PushOp(PtoOp):
    name = "pto.x_push"
    ASSEMBLY_FORMAT: ClassVar = "($tile, $pipe : ^tile, ^pipe) {attrs}( lane($lane : ^lane))?"
    irdl_options = SEGMENTS
    tile = operand_def(AnyTile())
    pipe = operand_def(Ptr())
    lane = opt_operand_def(Scalar())
    split = prop_def(IntegerAttr)


@irdl_op_definition
class PopOp(PtoOp):
    """Operands, a dictionary, a clause, all before the type of the result."""

    name = "pto.x_pop"
    ASSEMBLY_FORMAT: ClassVar = "(($row, $col) )?{attrs}( lane($lane))? -> ^result"
    irdl_options = SEGMENTS
    row = opt_operand_def(Index())
    col = opt_operand_def(Index())
    lane = opt_operand_def(Scalar())
    split = prop_def(IntegerAttr)
    result = result_def(AnyTile())


@irdl_op_definition
class InitialiseOp(PtoOp):
    """The dictionary first; then any of the operands, by words that are not the slots' names."""

    name = "pto.x_init"
    ASSEMBLY_FORMAT: ClassVar = (
        "{attrs}( ((gm_buffer = $gm : ^gm)?(, gm_tensor = $view : ^view)?(, buf = $buf : ^buf)?))?"
    )
    irdl_options = SEGMENTS
    gm = opt_operand_def(Ptr())
    view = opt_operand_def(AnyView())
    buf = opt_operand_def(Scalar())
    id = opt_prop_def(IntegerAttr)


@irdl_op_definition
class SignalOp(PtoOp):
    """Attributes and an operand by position; a number is an attribute where one is due."""

    name = "pto.x_signal"
    ASSEMBLY_FORMAT: ClassVar = "[#pipe(, #number)?(, $event)?] {attrs}"
    event = opt_operand_def(Scalar())
    pipe = prop_def(PipeAttr)
    number = opt_prop_def(IntegerAttr)


@irdl_op_definition
class InvalidateOp(PtoOp):
    """Words that only say which of two shapes it is."""

    name = "pto.x_invalid"
    ASSEMBLY_FORMAT: ClassVar = "(all #pipe)?($address single_line : ^address)? {attrs}"
    address = opt_operand_def(Ptr())
    pipe = opt_prop_def(PipeAttr)


@irdl_op_definition
class SyncAllOp(PtoOp):
    name = "pto.x_syncall"
    ASSEMBLY_FORMAT: ClassVar = "(($space(, $count)?) )?mode = #mode, core = #core {attrs}"
    irdl_options = SEGMENTS
    space = opt_operand_def(Ptr())
    count = opt_operand_def(Scalar())
    mode = prop_def(AtomicTypeAttr)
    core = prop_def(PipeAttr)


@irdl_op_definition
class FieldOp(PtoOp):
    """Indices that are an attribute."""

    name = "pto.x_field"
    ASSEMBLY_FORMAT: ClassVar = "$base[#path] {attrs} : ^base -> ^result"
    base = operand_def(Ptr("T"))
    path = prop_def(DenseArrayBase)
    result = result_def(Scalar("T"))


@irdl_op_definition
class ShapeOp(PtoOp):
    """Several results."""

    name = "pto.x_shape"
    ASSEMBLY_FORMAT: ClassVar = "$tile {attrs} : ^tile -> ^row, ^col"
    tile = operand_def(AnyTile())
    row = result_def(Index())
    col = result_def(Index())


@irdl_op_definition
class SectionOp(PtoOp):
    name = "pto.x_section"
    ASSEMBLY_FORMAT: ClassVar = "{body} {attrs}"
    body = region_def("single_block")
    traits = traits_def(NoTerminator())


OPS: tuple[type[PtoOp], ...] = (
    InsertOp, CompareOp, MergeOp, GetValueOp, PushOp, PopOp, InitialiseOp, SignalOp, InvalidateOp, SyncAllOp,
    FieldOp, ShapeOp, SectionOp,
)  # fmt: skip


@pytest.fixture(autouse=True)
def made_up_instructions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for op in OPS:
        monkeypatch.setitem(OPCODES, op.mnemonic(), op)
        for allow in (False, True):
            if xdsl_context(allow).get_optional_op(op.name) is None:
                xdsl_context(allow).load_op(op)
    yield
    ptoas.clear_caches()  # plans of instructions that are gone


TEXTS = {
    "keyword operands": (
        f"pto.x_insert ins(%t, %i, %i : {T}, index, index fp %u : {T} pre_quant %n : i64) outs(%d : {T})"
    ),
    "one keyword operand": (
        f"pto.x_insert ins(%t, %i, %i : {T}, index, index pre_quant %n : i64) outs(%d : {T})"
    ),
    "no keyword operand": f"pto.x_insert ins(%t, %i, %i : {T}, index, index) outs(%d : {T}) {{mode = {ADD}}}",
    "attributes inside": f'pto.x_compare ins(%t {{cmp = {ADD}}} : {T}, "row") outs(%d : {T})',
    "several outputs": f"pto.x_merge ins(%n, %n, %p : i64, i64, {P}) outs(%t, %u : {T}, {T})",
    "a word for itself": f"pto.x_merge ins(%n, %n no_tmp : i64, i64) outs(%t : {T})",
    "outs without operand": f"%r = pto.x_getval ins(%t, %i : {T}, index) outs : f32",
    "types in parentheses": f"pto.x_push(%t, %p : {T}, {P}) {{split = 0}}",
    "a clause with a type": f"pto.x_push(%t, %p : {T}, {P}) {{split = 0}} lane(%n : i64)",
    "attributes first": f"%r = pto.x_pop {{split = 0}} -> {T}",
    "everything at once": f"%r = pto.x_pop(%i, %i) {{split = 0}} lane(%n) -> {T}",
    "nothing": "pto.x_init",
    "the last of several": "pto.x_init {id = 3} (buf = %n : i64)",
    "all of several": f"pto.x_init(gm_buffer = %p : {P}, gm_tensor = %v : {V}, buf = %n : i64)",
    "a number by position": "pto.x_signal[#pto.pipe<PIPE_V>, 3]",
    "an operand by position": "pto.x_signal[#pto.pipe<PIPE_V>, %n]",
    "words of the first shape": "pto.x_invalid all #pto.pipe<PIPE_V>",
    "words of the second shape": f"pto.x_invalid %p single_line : {P}",
    "keys without parentheses": f"pto.x_syncall mode = {ADD}, core = #pto.pipe<PIPE_V>",
    "keys and operands": (f"pto.x_syncall(%p, %n) mode = {ADD}, core = #pto.pipe<PIPE_V>"),
    "indices that are numbers": f"%r = pto.x_field %p[0, 2] : {P} -> f32",
    "several results": f"%r, %c = pto.x_shape %t : {T} -> index, index",
    "a body": "pto.x_section {\n  pto.barrier #pto.pipe<PIPE_ALL>\n}",
    "an empty body": "pto.x_section {\n}",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_read_and_printed(text: str) -> None:
    module = ptoas.parse(PRELUDE + text)
    module.verify()
    printed = "\n".join(line.strip() for line in print_module(module, "dps").splitlines())
    assert "\n".join(line.strip() for line in text.splitlines()) + "\n" in printed
    for form in FORMS:
        printed = print_module(module, form)
        again = ptoas.parse(printed)
        assert print_module(again, form) == printed
    for form in ("dps", "generic"):
        assert ptoas.parse(print_module(module, form)).is_structurally_equivalent(module)


@pytest.mark.parametrize(
    ("form", "expected"),
    {
        "ssa": "%u = pto.x_insert %t, %i, %i fp %t pre_quant %n : (T, index, index, T, i64) -> T",
        "asm": "%u = x_insert %t, %i, %i fp %t pre_quant %n : (T, index, index, T, i64) -> T",
    }.items(),
)
def test_the_flat_forms_follow_from_ins_and_outs(form: str, expected: str) -> None:
    tile = "!pto.tile<vec, 8x16xf32>"
    expected = expected.replace("T", tile)
    prelude = PRELUDE.replace(f".arg %u : {T}\n", "")
    module = ptoas.parse(f"{prelude}{expected}")
    assert expected in print_module(module, form)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"pto.x_insert ins(%t, %i, %i : {T}, index, index fp %u) outs(%d)", "PTO-P041", "4 operands, but 3"),
        ("pto.x_insert ins(%t, %i, %i fp %u fp %u) outs(%d)", "PTO-P051", "`fp` is given twice"),
        ("pto.x_insert ins(%t, %i, %i fq %u) outs(%d)", "PTO-P010", "`fq` is no value"),
        ("pto.x_signal[#pto.pipe<PIPE_V>, 3, 4, 5]", "PTO-P040", "`x_signal`, which takes event"),
        ("pto.x_barrier {\n}", "PTO-P020", "unknown instruction"),
        ("pto.barrier <PIPE_ALL> {\n  pto.barrier <PIPE_ALL>\n}", "PTO-P061", "`barrier` has no body"),
    ],
)  # fmt: skip
def test_statement_that_does_not_match_its_declaration_is_rejected(
    text: str, code: str, message: str
) -> None:
    with pytest.raises(ptoas.PtoasError) as error:
        ptoas.parse(PRELUDE + text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == code and message in diagnostic.message


def test_a_part_may_begin_a_line() -> None:
    """The words of the templates are known where statements are cut."""
    window = "!pto.tile_buf<vec, 4x8xf32, valid=?x?>"
    parts = ("%s = pto.subview %t[%i, %i]", "sizes [4, 8]", "valid [%i, %i]", f": {T} -> {window}")
    assert ptoas.parse(PRELUDE + "\n  ".join(parts))
