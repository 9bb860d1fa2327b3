"""Mistakes of a first program: each is one finding, and says what to write instead."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.cli.fixing import fix_source
from ptoas.project.verify_files import VerifyOptions, verify_source

HEAD = """.target a5
.arg %x : !pto.memref<16x32xf32>
.arg %out : !pto.memref<16x32xf32>
"""
SYNC = "set_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]\nwait_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]\n"
LEFT = "!pto.tile<left, 16x32xf32, slayout=row_major>"
ACC = "!pto.tile<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024>"

MISTAKES = {
    "an instruction": ("%a = tlaod %x\ntstore %a, %out", "PTO-P020", "did you mean `tload`?"),
    "a capital": ("%a = TLOAD %x\ntstore %a, %out", "PTO-P020", "did you mean `tload`?"),
    "no percent sign of a result": ("a = tload %x\ntstore %a, %out", "PTO-P010", "did you mean `%a`?"),
    "no percent sign of an operand": ("%a = tload x\ntstore %a, %out", "PTO-P010", "did you mean `%x`?"),
    "a name": ("%tile = tload %x\ntstore %tiel, %out", "PTO-P030", "did you mean `%tile`?"),
    "an operand in global memory": ("%a = texp %x\ntstore %a, %out", "PTO-P040", "`%t = tload %x`"),
    "no equals sign": ("%a tload %x\ntstore %a, %out", "PTO-P010", "write `%a = tload`"),
    "a number in place of a tile": (
        "%c = arith.constant 2.0 : f32\n%a = tload %x\n%b = tadd %a, %c\ntstore %b, %out",
        "PTO-P040",
        "`tadds` takes a number",
    ),
    "a type without its dialect": (
        "%a = tload %x : tile<16x32xf32>\ntstore %a, %out",
        "PTO-P010",
        "did you mean `!pto.tile`?",
    ),
    "the memref of MLIR": (
        "%a = tload %x\ntstore %a, %out",
        "PTO-P040",
        "declare it as `!pto.memref<16x32xf32>`",
    ),
    "an element type": (
        "%a = tload %x\n%h = tcvt %a : f61\ntstore %a, %out",
        "PTO-P021",
        "did you mean `f16`?",
    ),
    "a type": (
        "%a = tload %x : !pto.tlie<16x32xf32>\ntstore %a, %out",
        "PTO-P021",
        "did you mean `!pto.tile`?",
    ),
    "a shape with commas": (
        "%a = tload %x : !pto.tile<16, 32, f32>\ntstore %a, %out",
        "PTO-P021",
        "`16x32xf32`",
    ),
    "a wrong alias": (
        "!t = !pto.tile<16x32xf23>\n%a = tload %x : !pto.memref<16x32xf32> -> !t\n%b = texp %a : !t\n"
        "tstore %b, %out",
        "PTO-P021",
        "did you mean `f32`?",
    ),
    "another alias": (
        "!tile = !pto.tile<16x32xf32>\n%a = tload %x : !pto.memref<16x32xf32> -> !tlie\ntstore %a, %out",
        "PTO-P021",
        "did you mean `!tile`?",
    ),
    "a column beside a tile": (
        "%a = tload %x\n%m = trowmax %a\n%b = tsub %a, %m\ntstore %b, %out",
        "PTO-I106",
        "`trowexpandsub` repeats the column `%m`",
    ),
    "a row beside a tile": (
        "%a = tload %x\n%m = tcolmax %a\n%b = tmul %a, %m\ntstore %b, %out",
        "PTO-I106",
        "`tcolexpandmul` repeats the row `%m`",
    ),
    "an element type that the target has not": (
        "%a = tload %x\n%i = tcvt %a : i32\n%b = texp %i\n%f = tcvt %b : f32\ntstore %f, %out",
        "PTO-I101",
        "`tcvt` of `%i` to f32",
    ),
    "rows that are not whole bursts": (
        "%y = tload %out : !pto.tile<16x30xf32>\n%b = texp %y\n",
        "PTO-V101",
        "pad to 32 columns and keep 30 valid: `!pto.tile_buf<vec, 16x32xf32, valid=16x30>`",
    ),
    "a part of an argument": (
        "%a = tload %x : !pto.tile<16x16xf32>\n%b = texp %a",
        "PTO-M104",
        "take a `partition_view` of 16x16, or declare `%a` as `!pto.tile_buf<vec, 16x32xf32>`",
    ),
    "an argument that is larger than the tile": (
        "%p = partition_view %x, offsets = [0, 0], sizes = [8, 32]\n%a = tload %p\ntstore %a, %out",
        "PTO-M204",
        "take a `partition_view` of 8x32",
    ),
    "a number in arithmetic": (
        "%l = get_subblock_idx\n%r = arith.muli %l, 16\n%a = tload %x\ntstore %a, %out",
        "PTO-P040",
        "`%c16 = arith.constant 16 : i64`",
    ),
    "arithmetic without its type": (
        "%l = get_subblock_idx\n%r = arith.addi %l, %l\n%a = tload %x\ntstore %a, %out",
        "PTO-P043",
        "write `: i64` at the end",
    ),
    "integers of two types": (
        "%l = get_subblock_idx\n%r = arith.addi %l, %l : index\n%a = tload %x\ntstore %a, %out",
        "PTO-P042",
        "or convert it first: `arith.index_cast` to `index`",
    ),
    "a missing attribute": (
        "%a = tload %x\nset_flag[PIPE_MTE2, PIPE_V]\ntstore %a, %out",
        "PTO-P060",
        "`ptoas explain set_flag` shows",
    ),
    "a slice": (
        "%a = tload %x[0:8]\ntstore %a, %out",
        "PTO-P010",
        "`%part = partition_view %x, offsets = [0, 0], sizes = [8, 32]`",
    ),
    "an operation of another dialect": (
        "%t = memref.alloc() : memref<16x32xf32>\n%a = tload %x\ntstore %a, %out",
        "PTO-P020",
        "did you mean `alloc_tile`?",
    ),
    "an argument that is not declared": (
        "%a = tload %weights\ntstore %a, %out",
        "PTO-P030",
        "`.arg %weights : !pto.memref<16x32xf32>`",
    ),
    "a number without a tile beside it": (
        "%a = texpands 0.0\ntstore %a, %out",
        "PTO-P043",
        "`%a = texpands 0.0 :",
    ),
    "memory of an extent that only a run knows": (
        "%v = make_tensor_view %p, shape = [16, %n], strides = [%n, 1] : !pto.tensor_view<16x?xf32>\n"
        "%a = tload %v\ntstore %a, %out",
        "PTO-P043",
        "name its type",
    ),
    "an element type of memory that is converted by a load": (
        "%a = tload %x : !pto.tile<16x32xf64>\ntstore %a, %out",
        "PTO-P060",
        "name a tile of f32, and convert that with `tcvt`",
    ),
    "a scalar of another type than its memory": (
        ".arg %p : !pto.ptr<f32>\n%c = arith.constant 0 : index\n"
        "%v = load_scalar %p[%c] : !pto.ptr<f32> -> i32",
        "PTO-P060",
        "name the type f32",
    ),
    "no type": (
        "%c = arith.constant 0.0 : f32\n%a = texpands %c\ntstore %a, %out",
        "PTO-P043",
        "-> !pto.tile",
    ),
    "an attribute": (
        "%i = tload %x : !pto.memref<16x32xf32> -> !pto.tile<16x32xf32>\n"
        "%a = tcvt %i {rmod = #pto<round_mode RINT>} : f16\ntstore %i, %out",
        "PTO-P053",
        "did you mean `rmode`?",
    ),
    "vec tiles in a product": (
        "%b = tload %x\n%a = tmatmul %l, %b\n",
        "PTO-I102",
        "`tload` into mat",
    ),
    "an accumulator in a vector instruction": (
        "%a = tload %x\n%b = trelu %c\ntstore %a, %out",
        "PTO-I102",
        "`tpush_to_aiv`, then `tpop_from_aic` to `!pto.tile_buf<vec, 16x32xf32>`",
    ),
    "no flag": (
        f"%a = tload %x\n{SYNC}%b = texp %a\ntstore %b, %out",
        "PTO-F101",
        "set_flag[PIPE_V, PIPE_MTE3,",
    ),
    "a wait without its set": (
        f"%a = tload %x\n{SYNC.splitlines()[1]}\n%b = texp %a\npto.barrier <PIPE_ALL>\ntstore %b, %out",
        "PTO-F102",
        "add `set_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]`",
    ),
    "a set without its wait": (
        f"%a = tload %x\n{SYNC.splitlines()[0]}\npto.barrier <PIPE_ALL>\n%b = texp %a\n"
        "pto.barrier <PIPE_ALL>\ntstore %b, %out",
        "PTO-F104",
        "add `wait_flag[PIPE_MTE2, PIPE_V, EVENT_ID0]`",
    ),
    "a name twice": ("%a = tload %x\n%a = texp %a\ntstore %a, %out", "PTO-P031", "give it another name"),
    "a loop of Python": (
        "for i in range(4):\n    %a = tload %x\n    tstore %a, %out",
        "PTO-P010",
        "write `scf.for %i = %first to %end step %step",
    ),
    "a branch of Python": (
        "%a = tload %x\nif %a > 0:\n  %b = texp %a\n  tstore %b, %out",
        "PTO-P010",
        "write `scf.if %condition { ... }",
    ),
    "a sum of tiles": (
        "%a = tload %x\n%b = %a + %a\ntstore %b, %out",
        "PTO-P010",
        "write `%b = tadd %a, %a`",
    ),
    "a multiple of a tile": (
        "%a = tload %x\n%b = %a * 2\ntstore %b, %out",
        "PTO-P010",
        "write `%b = tmuls %a, 2`",
    ),
    "a number without a type": (
        "%c = 5\n%a = tload %x\n%b = tadds %a, 2.0\ntstore %b, %out",
        "PTO-P010",
        "write `%c = arith.constant 5 : index`",
    ),
    "a number of another type": (
        ".const %c = 5\n%a = tload %x\n%b = tadds %a, %c\ntstore %b, %out",
        "PTO-P060",
        "declare `%c` as `f32`, or write the number in its place",
    ),
    "a tile of another type": (
        "%a = tload %x\n%h = tcvt %a : f16\n%b = tadd %a, %h\ntstore %b, %out",
        "PTO-P060",
        "`%t = tcvt %h : f32`",
    ),
    "a comment of C": ("/* load */\n%a = tload %x\ntstore %a, %out", "PTO-P010", "with `//`"),
    "arithmetic of numbers for tiles": (
        "%a = tload %x\n%b = arith.addf %a, %a : f32\ntstore %b, %out",
        "PTO-P040",
        "did you mean `tadd`?",
    ),
    "a load of a number": ("%a = load %x\ntstore %a, %out", "PTO-P040", "did you mean `tload`?"),
    "an event that does not exist": (
        "%a = tload %x\nset_flag[PIPE_MTE2, PIPE_V, EVENT_ID9]\ntstore %a, %out",
        "PTO-P022",
        "there are 8: choose one of them",
    ),
    "a number of an event": (
        "%a = tload %x\nset_flag(PIPE_MTE2, PIPE_V, 0)\ntstore %a, %out",
        "PTO-P040",
        "write `EVENT_ID0`",
    ),
    "an operand too few": (
        "%a = tload %x\n%b = tadd %a\ntstore %b, %out",
        "PTO-P040",
        "write `tadd %src0, %src1`",
    ),
    "an operand too many": ("%a = tload %x\n%b = texp %a, %a\ntstore %b, %out", "PTO-P040", "remove it"),
    "a function without its dialect": (
        "func @f(%y: !pto.memref<16x32xf32>) {\n  %a = tload %y\n  tstore %a, %y\n}",
        "PTO-P020",
        "did you mean `func.func`?",
    ),
    "a bound of a loop that is a number": (
        "scf.for %i = 0 to 4 step 1 {\n  %a = tload %x\n  tstore %a, %out\n}",
        "PTO-P010",
        "`%c0 = arith.constant 0 : index`",
    ),
    "a result of the kernel": ("%a = tload %x\ntstore %a, %out\nreturn %a", "PTO-P042", "`tstore` it"),
    "a tile computed from itself": (
        "%a = tload %x\n%a = tadd %a, %a\ntstore %a, %out",
        "PTO-P031",
        "overwrite the tile: `tadd %a, ...`",
    ),
    "the name of a target in capitals": ("%a = tload %x\ntstore %a, %out", "PTO-T102", "did you mean `a5`?"),
    "another name of a target": ("%a = tload %x\ntstore %a, %out", "PTO-T102", "did you mean `a5`?"),
    "an argument without a percent sign": (
        "%a = tload %y\ntstore %a, %out",
        "PTO-P010",
        "did you mean `%y`?",
    ),
}


def program(name: str) -> str:
    text = HEAD + MISTAKES[name][0] + "\n"
    match name:
        case "another name of a target":
            return text.replace("a5", "a6", 1)
        case "the name of a target in capitals":
            return text.replace("a5", "A5X", 1)
        case "rows that are not whole bursts":
            return text.replace("out : !pto.memref<16x32", "out : !pto.memref<16x30")
        case "memory of an extent that only a run knows":
            return text.replace(".arg %out", ".arg %p : !pto.ptr<f32>\n.arg %n : index\n.arg %out", 1)
        case "the memref of MLIR":
            return text.replace("!pto.memref", "memref")
        case "an argument without a percent sign":
            return text.replace(".arg %x", ".arg y")
        case "an accumulator in a vector instruction":
            return text.replace(".arg %x", f".arg %c : {ACC}\n.arg %x")
        case "vec tiles in a product":
            return text.replace(".arg %out : !pto.memref<16x32xf32>", f".arg %l : {LEFT}").replace(
                "16x32xf32>\n.arg %l", "32x32xf32>\n.arg %l"
            )
        case _:
            return text


def findings(text: str) -> list[ptoas.Diagnostic]:
    report = verify_source(ptoas.Source(text, "f.pto"), VerifyOptions()).report
    return [found for found in report.diagnostics if found.is_error or found.code == "PTO-F104"]


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_finding_with_a_fix(name: str) -> None:
    _, code, fix = MISTAKES[name]
    found = findings(program(name))
    assert [each.code for each in found] == [code]
    assert fix in (found[0].fix or "")


def test_fixes_end_in_a_program_without_errors() -> None:
    fixed = {
        name
        for name in MISTAKES
        if not findings(fix_source(ptoas.Source(program(name), "f.pto"), VerifyOptions(), unsafe=True).after)
    }
    assert len(fixed) >= 14
    assert {
        "no flag",
        "a wait without its set",
        "a set without its wait",
        "no percent sign of a result",
        "a column beside a tile",
        "a row beside a tile",
        "a sum of tiles",
    } <= fixed


def test_a_row_is_repeated_by_the_expansion_of_columns() -> None:
    text = HEAD + ".arg %r : !pto.memref<1x32xf32>\n%a = tload %x\n%b = tload %r\n%c = trowexpandadd %a, %b\n"
    first, *_ = findings(text + "tstore %c, %out\n")
    assert (first.code, first.fix) == ("PTO-E501", "`tcolexpandadd` repeats the row `%b`")
