"""Wrong programs, and what is said of each: code, line, column, length, message, fix."""

# ruff: noqa: E501  (programs have long lines)

from __future__ import annotations

HEAD = """.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32>
"""

Expected = tuple[str, int, int, int, str, "str | None"]
"""Code, line, column, length, message, fix."""

CASES: dict[str, tuple[str, list[Expected]]] = {
    # names of pages that no program can spell
    "pages: a call of the library alone": (
        ".arg %a : !pto.tile<16x16xf16>\npto.timg2col ins(%a : !pto.tile<16x16xf16>) outs(%a : !pto.tile<16x16xf16>)",
        [
            (
                "PTO-P020",
                2,
                1,
                12,
                "`timg2col` is a call of the C++ instruction library, not an instruction",
                "no text gives the geometry of a convolution: gather its columns in memory, and load them",
            )
        ],
    ),
    "pages: a mode that no text sets": (
        "pto.sethf32mode {enable = true}",
        [
            (
                "PTO-P020",
                1,
                1,
                15,
                "`sethf32mode` is a call of the C++ instruction library, not an instruction",
                "no text sets the register: products of f32 are formed in f32",
            )
        ],
    ),
    "pages: a suffix that says between which memories": (
        ".arg %a : !pto.tile<16x16xf16>\n%b = tmov.m2l %a : (!pto.tile<16x16xf16>) -> !pto.tile<16x16xf16>",
        [
            (
                "PTO-P052",
                2,
                11,
                3,
                "`tmov` has no suffix `.m2l`",
                "write `tmov`: its tiles say between which memories",
            )
        ],
    ),
    # lists without their commas
    "commas: between two operands": (
        ".arg %a : !pto.tile<8x8xf32>\n%b = tadd %a %a : !pto.tile<8x8xf32>",
        [("PTO-P010", 2, 14, 2, "a `,` is missing before `%a`", "write `, %a`")],
    ),
    "commas: inside a group": (
        ".arg %a : !pto.tile<8x8xf32>\ntneg ins(%a %a : !pto.tile<8x8xf32>) outs(%a : !pto.tile<8x8xf32>)",
        [("PTO-P010", 2, 13, 2, "a `,` is missing before `%a`", "write `, %a`")],
    ),
    "commas: before a number": (
        ".arg %a : !pto.tile<8x8xf32>\n%b = tadds %a 3.0 : !pto.tile<8x8xf32>",
        [("PTO-P010", 2, 15, 3, "a `,` is missing before `3.0`", "write `, 3.0`")],
    ),
    # two mistakes at once
    "suffixes: a wrong one behind an operand whose definition is wrong": (
        ".arg %a : !pto.tile<8x8xf32>\n%b = tneg %c : !pto.tile<8x8xf32>\n%d = tneg.row %b : !pto.tile<8x8xf32>",
        [
            (
                "PTO-P030",
                2,
                11,
                2,
                "`%c` is not defined",
                "an argument is declared before: `.arg %c : !pto.memref<16x32xf32>`",
            ),
            ("PTO-P052", 3, 11, 3, "`tneg` has no suffix `.row`", None),
        ],
    ),
    # parts that do not belong there
    "parts: a body behind an instruction that has none": (
        "func.func @f(%c: i1) {\n  func.return %c {\n    %d = arith.constant 1 : i1\n  }\n  return\n}",
        [("PTO-P061", 2, 3, 16, "`func.return` has no body", None)],
    ),
    "parts: a function inside a function": (
        "func.func @f(%c: i1) {\n  scf.if %c {\n    func.func @g() {\n      return\n    }\n  }\n  return\n}",
        [("PTO-P061", 3, 5, 16, "a function is not allowed inside a function", None)],
    ),
    "parts: a module inside a function": (
        "func.func @f() {\n  module {\n  }\n  return\n}",
        [("PTO-P061", 2, 3, 8, "a module is not allowed inside a function", None)],
    ),
    "parts: a while loop that passes nothing": (
        "func.func @k(%n: index, %f: f32) {\n  %r = scf.while (%i = %n) : (index) -> index {\n    %go = arith.cmpi slt, %i, %n : index\n    scf.condition(%go)\n  } do {\n  ^bb0(%j: index):\n    scf.yield %j : index\n  }\n  return\n}\n",
        [("PTO-P042", 4, 5, 18, "`scf.while`: `scf.condition` passes nothing, expected index", None)],
    ),
    "parts: a while loop without a condition": (
        "func.func @k(%n: index, %f: f32) {\n  %r = scf.while (%i = %n) : (index) -> index {\n    %go = arith.cmpi slt, %i, %n : index\n    scf.yield %i : index\n  } do {\n  ^bb0(%j: index):\n    scf.yield %j : index\n  }\n  return\n}\n",
        [("PTO-P060", 4, 5, 20, "the first body of `scf.while` must end in `scf.condition`", None)],
    ),
    "parts: a while loop that yields another type": (
        "func.func @k(%n: index, %f: f32) {\n  %r = scf.while (%i = %n) : (index) -> index {\n    %go = arith.cmpi slt, %i, %n : index\n    scf.condition(%go) %i : index\n  } do {\n  ^bb0(%j: index):\n    scf.yield %f : f32\n  }\n  return\n}\n",
        [("PTO-P042", 7, 5, 18, "`scf.while`: `scf.yield` passes f32, expected index", None)],
    ),
    "parts: a while loop whose body takes another type": (
        "func.func @k(%n: index, %f: f32) {\n  %r = scf.while (%i = %n) : (index) -> index {\n    %go = arith.cmpi slt, %i, %n : index\n    scf.condition(%go) %i : index\n  } do {\n  ^bb0(%j: f32):\n    scf.yield %n : index\n  }\n  return\n}\n",
        [("PTO-P042", 2, 3, 45, "`scf.while`: the second body takes f32, expected index", None)],
    ),
    "parts: a branch that gives another type": (
        "func.func @k(%c: i1, %n: index, %f: f32) {\n  %r = scf.if %c -> (f32) {\n    scf.yield %n : index\n  } else {\n    scf.yield %f : f32\n  }\n  return\n}\n",
        [("PTO-P042", 3, 5, 20, "`scf.if`: a body yields index, expected f32", None)],
    ),
    "parts: a call of nothing": (
        'func.func @k() {\n  "func.call"() : () -> ()\n  return\n}\n',
        [("PTO-P060", 2, 3, 24, "`func.call` needs the name of a function", None)],
    ),
    "parts: a constant that is no number": (
        '.const %t = "words"',
        [("PTO-P022", 1, 13, 7, "`.const` takes a number", None)],
    ),
    "parts: sizes that are not whole": (
        HEAD + "%v = pto.partition_view %table, offsets = [0, 0], sizes = [1.5, 3]",
        [("PTO-P022", 3, 60, 3, "index needs a whole number, found `1.5`", None)],
    ),
    # brackets and strings
    "brackets and strings: parenthesis of a type list": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>\ntprint %d",
        [("PTO-P012", 3, 33, 1, "this `(` is never closed", None)],
    ),
    "brackets and strings: parenthesis of ins": (
        HEAD + "mgather.row.clamp ins(%table, %idx : !pto.memref<64x32xf32>\ntprint %idx",
        [("PTO-P012", 3, 22, 1, "this `(` is never closed", None)],
    ),
    "brackets and strings: angle of a type": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P012", 3, 45, 1, "this `<` is never closed", None)],
    ),
    "brackets and strings: angle at the end of a line": (
        ".arg %a : !pto.tile<16x32xf32\ntprint %a",
        [("PTO-P012", 1, 20, 1, "this `<` is never closed", None)],
    ),
    "brackets and strings: brace of a dictionary": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #pto<coalesce row> : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>\ntprint %d",
        [("PTO-P012", 3, 27, 1, "this `{` is never closed", None)],
    ),
    "brackets and strings: bracket of indices": (
        HEAD + "%d = tload %table[0, 1 : !pto.tile<16x32xf32>\ntprint %d",
        [("PTO-P012", 3, 18, 1, "this `[` is never closed", None)],
    ),
    "brackets and strings: region": (
        "module {\n  func.func @f() {\n    return\n  }\n",
        [("PTO-P012", 1, 8, 1, "this `{` is never closed", None)],
    ),
    "brackets and strings: brace too many": (
        "func.func @f() {\n  return\n}\n}\n",
        [("PTO-P013", 4, 1, 1, "this `}` has no opening `{`", None)],
    ),
    "brackets and strings: parenthesis too many": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>)\ntprint %d",
        [("PTO-P013", 3, 102, 1, "this `)` has no opening bracket", None)],
    ),
    "brackets and strings: wrong bracket": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>] -> !pto.tile<16x32xf32>",
        [("PTO-P013", 3, 77, 1, "this `]` does not close the `(` before it", None)],
    ),
    "brackets and strings: string": (
        'module attributes {pto.target_arch = "a5} {\n  func.func @f() {\n    return\n  }\n}\n',
        [("PTO-P011", 1, 38, 1, "this string is not closed on its line", None)],
    ),
    # instructions
    "instructions: misspelt": (
        HEAD
        + "%d = mgathr.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P020", 3, 6, 10, "unknown instruction `mgathr.row`", "did you mean `mgather.row`?")],
    ),
    "instructions: misspelt in DPS": (
        HEAD + "pto.tlaod ins(%table : !pto.memref<64x32xf32>) outs(%idx : !pto.tile<1x16xi32>)",
        [("PTO-P020", 3, 1, 9, "unknown instruction `pto.tlaod`", "did you mean `pto.tload`?")],
    ),
    "instructions: like nothing": (
        HEAD + "%x = frobnicate %table",
        [("PTO-P020", 3, 6, 10, "unknown instruction `frobnicate`", None)],
    ),
    "instructions: of arith": (
        "func.func @f(%a: index) {\n%b = arith.muli2 %a, %a : index\nreturn\n}",
        [("PTO-P020", 2, 6, 11, "unknown instruction `arith.muli2`", "did you mean `arith.muli`?")],
    ),
    "instructions: generic": (
        HEAD + '%d = "pto.mgathr"(%table) : (!pto.memref<64x32xf32>) -> !pto.tile<16x32xf32>',
        [("PTO-P020", 3, 6, 12, "unknown instruction `pto.mgathr`", "did you mean `pto.mgather`?")],
    ),
    "instructions: prose": (
        "This is not a program.",
        [("PTO-P020", 1, 1, 4, "unknown instruction `This`", None)],
    ),
    # types
    "types: unknown": (
        ".arg %a : !pto.tyle<16x32xf32>\ntprint %a",
        [("PTO-P021", 1, 11, 9, "unknown type `!pto.tyle`", "did you mean `!pto.tile`?")],
    ),
    "types: unknown alias": (
        ".arg %a : !mytile\ntprint %a",
        [("PTO-P021", 1, 11, 7, "`!mytile` is not defined; an alias is defined by `!mytile = ...`", None)],
    ),
    "types: unknown scalar": (
        ".arg %a : f33\ntprint %a",
        [("PTO-P021", 1, 11, 3, "unknown type `f33`", "did you mean `f32`?")],
    ),
    "types: unknown element": (
        ".arg %a : !pto.tile<16x32xf31>\ntprint %a",
        [("PTO-P021", 1, 21, 9, "unknown element type `f31`", "did you mean `f32`?")],
    ),
    "types: four bits": (
        ".arg %a : !pto.tile<16x64xi4>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                21,
                8,
                "unknown element type `i4`",
                "no text of PTO has integers of 4 bits: they are a type of the library's TCVT on A2/A3 alone; use i8",
            )
        ],
    ),
    "types: three dimensions": (
        ".arg %a : !pto.tile<2x16x32xf32>\ntprint %a",
        [("PTO-P021", 1, 21, 11, "a tile has two dimensions, found 3", "write `16x32xf32`")],
    ),
    "types: open physical shape": (
        ".arg %a : !pto.tile<?x32xf32>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                21,
                8,
                "the physical shape of a tile must be static",
                "write `?` in `valid=...`, and a size here",
            )
        ],
    ),
    "types: no parameters": (
        ".arg %a : !pto.tile<>\ntprint %a",
        [("PTO-P021", 1, 21, 1, "a tile needs its element type and shape", "write `16x32xf32`")],
    ),
    "types: no brackets": (
        ".arg %a : !pto.tile\ntprint %a",
        [("PTO-P021", 1, 11, 9, "`!pto.tile` needs its parameters in `<...>`", None)],
    ),
    "types: a shape with commas": (
        ".arg %a : !pto.tile<16, 64, f32>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                21,
                11,
                "shape and element type of a tile are joined by `x`",
                "write `16x64xf32`",
            )
        ],
    ),
    "types: no columns": (
        ".arg %a : !pto.tile<loc=vec, dtype=f32, rows=16>\ntprint %a",
        [("PTO-P021", 1, 21, 27, "a tile needs `cols`", "write `16x32xf32`")],
    ),
    "types: key twice": (
        ".arg %a : !pto.tile<vec, 16x32xf32, pad=0, pad=1>\ntprint %a",
        [("PTO-P021", 1, 44, 5, "`pad` is given twice", None)],
    ),
    "types: unknown key": (
        ".arg %a : !pto.tile<vec, 16x32xf32, blayuot=row_major>\ntprint %a",
        [("PTO-P021", 1, 37, 17, "a tile has no parameter `blayuot`", "did you mean `blayout`?")],
    ),
    "types: unknown word": (
        ".arg %a : !pto.tile<vec, 16x32xf32, blayout=rowmajr>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                45,
                7,
                "`blayout` can't be `rowmajr`; expected one of row_major, col_major",
                "did you mean `row_major`?",
            )
        ],
    ),
    "types: unknown location": (
        ".arg %a : !pto.tile<vek, 16x32xf32>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                21,
                3,
                "`loc` can't be `vek`; expected one of vec, mat, left, right, acc, bias, scaling, scale_left, scale_right",
                "did you mean `vec`?",
            )
        ],
    ),
    "types: valid beyond the shape": (
        ".arg %a : !pto.tile<vec, 16x32xf32, valid=17x32>\ntprint %a",
        [("PTO-P021", 1, 21, 27, "a tile of 16 rows can't have 17 valid rows", None)],
    ),
    "types: no rows": (
        ".arg %a : !pto.tile<0x32xf32>\ntprint %a",
        [("PTO-P021", 1, 21, 8, "a tile has at least one row and one column; found 0x32", None)],
    ),
    "types: pad out of range": (
        ".arg %a : !pto.tile<vec, 16x32xf32, pad=9>\ntprint %a",
        [("PTO-P021", 1, 41, 1, "`pad` goes from 0 to 3, found 9", None)],
    ),
    "types: rows that are no number": (
        ".arg %a : !pto.tile<dtype=f32, rows=f32, cols=16>\ntprint %a",
        [("PTO-P021", 1, 37, 3, "`rows` needs a whole number, found `f32`", None)],
    ),
    "types: huge extent": (
        ".arg %a : !pto.tile<99999999999x32xf32>\ntprint %a",
        [("PTO-P021", 1, 21, 15, "99999999999 is too large; the largest extent is 2147483647", None)],
    ),
    "types: six dimensions": (
        ".arg %a : !pto.memref<1x1x1x1x1x1xf32>\ntprint %a",
        [("PTO-P021", 1, 23, 15, "a view of memory has 1 to 5 dimensions; found 6", None)],
    ),
    "types: too few strides": (
        ".arg %a : !pto.memref<4x4xf32, strides=[1]>\ntprint %a",
        [("PTO-P021", 1, 23, 20, "`strides` needs a number for each of 2 dimensions, found 1", None)],
    ),
    "types: no shape": (
        ".arg %a : !pto.memref<f32>\ntprint %a",
        [("PTO-P021", 1, 23, 3, "a view of memory must start with its shape", "write `64x32xf32`")],
    ),
    "types: group without a count": (
        ".arg %a : !pto.group<!pto.memref<4x4xf32>>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                22,
                20,
                "a group needs a count and a memory type",
                "write `!pto.group<4 x !pto.memref<64x32xf32>>`",
            )
        ],
    ),
    "types: group of tiles": (
        ".arg %a : !pto.group<4 x !pto.tile<4x8xf32>>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                22,
                22,
                "a group is made of memory, for example `4 x !pto.memref<64x32xf32>`",
                None,
            )
        ],
    ),
    "types: pointer to a shape": (
        ".arg %a : !pto.ptr<16x32xf32>\ntprint %a",
        [("PTO-P021", 1, 20, 9, "a pointer needs its element type", "write `!pto.ptr<f32>`")],
    ),
    "types: prose": (
        ".arg %a : !pto.tile<16 by 32 of f32>\ntprint %a",
        [("PTO-P021", 1, 24, 2, "found `by`, expected the end of the type or `,`", None)],
    ),
    "types: missing": (
        ".arg %a\ntprint %a",
        [("PTO-P010", 1, 8, 1, "the statement ends, expected `:`", None)],
    ),
    # values
    "values: used before its definition": (
        HEAD
        + "tprint %d\n%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P030", 3, 8, 2, "`%d` is used before it is defined", None)],
    ),
    "values: never defined": (
        HEAD
        + "%d = mgather.row %tabel, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P030", 3, 18, 6, "`%tabel` is not defined", "did you mean `%table`?")],
    ),
    "values: two never defined": (
        HEAD
        + "%d = mgather.row %tabel, %ixd : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            ("PTO-P030", 3, 18, 6, "`%tabel` is not defined", "did you mean `%table`?"),
            ("PTO-P030", 3, 26, 4, "`%ixd` is not defined", "did you mean `%idx`?"),
        ],
    ),
    "values: defined twice": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>\n%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>\n",
        [("PTO-P031", 4, 1, 2, "`%d` is already defined", "give it another name")],
    ),
    "values: argument twice": (
        HEAD + ".arg %idx : f32\ntprint %idx",
        [("PTO-P031", 3, 6, 4, "`%idx` is already defined", "give it another name")],
    ),
    "values: out of its scope": (
        "func.func @f(%c: i1) {\nscf.if %c {\n%x = arith.constant 1 : index\n}\n%y = arith.addi %x, %x : index\nreturn\n}",
        [("PTO-P030", 5, 17, 2, "`%x` is not visible outside the body that defines it", None)],
    ),
    "values: bound of a loop": (
        "func.func @f(%a: index) {\nscf.for %i = %a to %b step %a {\n}\nreturn\n}",
        [("PTO-P030", 2, 20, 2, "`%b` is not defined", None)],
    ),
    "values: nameless": (
        HEAD + "tprint %",
        [("PTO-P010", 3, 8, 1, "a value needs a name: `%name`", None)],
    ),
    "values: a result too many": (
        "func.func @f(%a: index) {\n%b:2 = arith.addi %a, %a : index\nreturn\n}",
        [("PTO-P041", 2, 1, 2, "`%b:2` stands for several results, but there is only 1", None)],
    ),
    "values: a result that is not there": (
        "func.func @f(%a: index) {\n%b = arith.addi %a#1, %a : index\nreturn\n}",
        [("PTO-P030", 2, 17, 4, "`%a#1` is not defined", None)],
    ),
    "values: two functions": (
        "module {\nfunc.func @f() {\nreturn\n}\nfunc.func @f() {\nreturn\n}\n}",
        [("PTO-P032", 5, 11, 2, "there are two functions `@f`", "give one another name")],
    ),
    "values: unknown function": (
        "module {\nfunc.func private @go(i1)\nfunc.func @f(%a: i1) {\nfunc.call @gone(%a) : (i1) -> ()\nreturn\n}\n}",
        [("PTO-P030", 4, 11, 5, "there is no function `@gone`", "did you mean `@go`?")],
    ),
    "values: block twice": (
        "func.func @f() {\n^a:\nreturn\n^a:\nreturn\n}",
        [("PTO-P031", 4, 1, 2, "the block `^a` is already defined", None)],
    ),
    # operands and types
    "operands and types: too few": (
        HEAD + "%d = mgather.row %table : !pto.memref<64x32xf32> -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P040",
                3,
                6,
                11,
                "`mgather` needs `idx`: a tile of integer indices",
                "write `mgather.row %mem, %idx`",
            )
        ],
    ),
    "operands and types: too many": (
        HEAD + "%d = mgather.row %table, %idx, %idx -> !pto.tile<16x32xf32>",
        [("PTO-P040", 3, 32, 4, "too many operands for `mgather`, which takes mem, idx", "remove it")],
    ),
    "operands and types: no destination": (
        HEAD + "mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>)",
        [
            (
                "PTO-P040",
                3,
                13,
                6,
                "`mgather` needs a destination: a result (`%dst = ...`) or a tile as first operand",
                None,
            )
        ],
    ),
    "operands and types: destination without a type": (
        HEAD + "mgather.row %d, %table, %idx",
        [
            (
                "PTO-P043",
                3,
                13,
                2,
                "the destination is not defined, and its type is not written",
                "add the types: `mgather.row %dst, ... : (!pto.tile<...>, ...)`",
            )
        ],
    ),
    "operands and types: result without a type": (
        HEAD + "%d = mgather %table, %idx",
        [
            (
                "PTO-P043",
                3,
                6,
                7,
                "the type of the result is not known: the shape of the result depends on the mode, whose default depends on the target: write mgather.row or mgather.elem, or name the target in the program (D8)",
                "name its type: `%d = mgather %table, %idx : (!pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) -> !pto.tile_buf<vec, 16x32xf32>`",
            )
        ],
    ),
    "operands and types: an index of floats": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xf32>\n%d = mgather.row %table, %idx -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P040",
                3,
                26,
                4,
                "`idx` of `mgather` must be a tile of integer indices, found !pto.tile_buf<vec, 1x16xf32>",
                None,
            )
        ],
    ),
    "operands and types: another element type": (
        HEAD + "%d = mgather.row %table, %idx -> !pto.tile<16x32xf16>",
        [
            (
                "PTO-P060",
                3,
                34,
                20,
                "`mgather`: result: found element type f16, expected f32, as in the operands before it",
                "name a tile of f32, and convert that with `tcvt`",
            )
        ],
    ),
    "operands and types: another element type in DPS": (
        HEAD
        + ".arg %d : !pto.tile<16x32xf16>\npto.mgather ins(%table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32>) outs(%d : !pto.tile<16x32xf16>)",
        [
            (
                "PTO-P060",
                4,
                82,
                2,
                "`mgather`: operand `dst`: found element type f16, expected f32, as in the operands before it",
                None,
            )
        ],
    ),
    "operands and types: a type too many": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>, f32) -> !pto.tile<16x32xf32>",
        [("PTO-P041", 3, 34, 48, "2 operands, but 3 types", None)],
    ),
    "operands and types: a type too few in DPS": (
        HEAD
        + ".arg %d : !pto.tile<16x32xf32>\npto.mgather ins(%table, %idx : !pto.memref<64x32xf32>) outs(%d : !pto.tile<16x32xf32>)",
        [("PTO-P041", 4, 32, 22, "2 operands, but 1 type", None)],
    ),
    "operands and types: a type too few, generic": (
        HEAD + '%d = "pto.mgather"(%table, %idx) : (!pto.memref<64x32xf32>) -> !pto.tile<16x32xf32>',
        [("PTO-P041", 3, 37, 47, "2 operands, but 1 type", None)],
    ),
    "operands and types: another type than the value has": (
        HEAD
        + "%d = mgather.row %table, %idx : (!pto.memref<64x16xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P042",
                3,
                34,
                22,
                "the operand's type is !pto.memref<64x32xf32>, but this statement declares !pto.memref<64x16xf32>",
                "write the type `!pto.memref<64x32xf32>`",
            )
        ],
    ),
    "operands and types: another type, generic": (
        HEAD + '%d = "pto.mgather"(%table, %idx) : (!pto.memref<64x32xf32>, f32) -> !pto.tile<16x32xf32>',
        [
            (
                "PTO-P042",
                3,
                28,
                4,
                "the operand's type is !pto.tile_buf<vec, 1x16xi32>, but this statement declares f32",
                "write the type `!pto.tile_buf<vec, 1x16xi32>`",
            )
        ],
    ),
    "operands and types: two result types": (
        HEAD + "%d = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> (f32, f32)",
        [("PTO-P041", 3, 34, 57, "1 result, but 2 result types", None)],
    ),
    "operands and types: an instruction without a result": (
        HEAD + "%d = tstore %idx, %table",
        [("PTO-P041", 3, 6, 6, "`tstore` has no result", "remove the name and `=`")],
    ),
    "operands and types: a fused product, whose destination is an operand": (
        HEAD + "%d = tfusedmuladd %idx, %idx, %idx",
        [("PTO-P041", 3, 6, 12, "`tfusedmuladd` has no result", "remove the name and `=`")],
    ),
    "operands and types: arithmetic of another type": (
        "func.func @f(%a: index) {\n%b = arith.addi %a, %a : i32\nreturn\n}",
        [
            (
                "PTO-P042",
                2,
                17,
                2,
                "the operand's type is index, but this statement declares i32",
                "write the type `index`, or convert it first: `arith.index_cast` to `i32`",
            )
        ],
    ),
    "operands and types: arithmetic with one operand": (
        "func.func @f(%a: index) {\n%b = arith.addi %a : index\nreturn\n}",
        [("PTO-P040", 2, 6, 10, "`arith.addi` takes 2 operands, found 1", None)],
    ),
    "operands and types: arithmetic without a type": (
        "func.func @f(%a: index) {\n%b = arith.addi %a, %a\nreturn\n}",
        [("PTO-P043", 2, 6, 10, "`arith.addi` needs its type after `:`", "write `: index` at the end")],
    ),
    "operands and types: integer arithmetic on floats": (
        "func.func @f(%a: f32) {\n%b = arith.addi %a, %a : f32\nreturn\n}",
        [("PTO-P060", 2, 1, 28, "`arith.addi`: `lhs` can't be f32", None)],
    ),
    "operands and types: condition": (
        "func.func @f(%a: index) {\nscf.if %a {\n}\nreturn\n}",
        [("PTO-P042", 2, 8, 2, "a condition must be i1, found index", None)],
    ),
    "operands and types: return": (
        "func.func @f() -> index {\nreturn\n}",
        [("PTO-P042", 2, 1, 6, "`return` gives nothing, but `@f` returns index", None)],
    ),
    "operands and types: no return": (
        "func.func @f() -> index {\n}",
        [("PTO-P060", 1, 1, 25, "the function ends without `return`; it must return index", None)],
    ),
    "operands and types: result without else": (
        "func.func @f(%a: i1, %c: index) {\n%r = scf.if %a -> (index) {\nscf.yield %c : index\n}\nreturn\n}",
        [("PTO-P060", 2, 20, 5, "`scf.if` has a result, so it needs an `else`", None)],
    ),
    # attributes
    "attributes: suffix against dictionary": (
        HEAD
        + "%d = mgather.row %table, %idx {coalesce = #pto<coalesce elem>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P050",
                3,
                32,
                30,
                "the suffix sets coalesce = row, the attribute sets #pto.coalesce<elem>",
                "keep one of the two",
            )
        ],
    ),
    "attributes: suffix against key": (
        HEAD
        + "%d = mgather.row.clamp %table, %idx #gatherOob=zero : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P050",
                3,
                37,
                15,
                "the suffix sets gatherOob = clamp, the attribute sets #pto.gather_oob<zero>",
                "keep one of the two",
            )
        ],
    ),
    "attributes: unknown suffix": (
        HEAD
        + "%d = mgather.row.clmp %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P052",
                3,
                18,
                4,
                "`mgather` has no suffix `.clmp`; it has .row, .elem, .undefined, .clamp, .wrap, .zero",
                "did you mean `.clamp`?",
            )
        ],
    ),
    "attributes: suffixes in the wrong order": (
        HEAD
        + "%d = mgather.clamp.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P052",
                3,
                20,
                3,
                "`.row` is out of place: the suffixes of `mgather` come in the order coalesce, gatherOob",
                "write `mgather.row.clamp`",
            )
        ],
    ),
    "attributes: suffix where there is none": (
        ".arg %a : !pto.tile<8x16xf32>\n%b = tadd.row %a, %a",
        [("PTO-P052", 2, 11, 3, "`tadd` has no suffix `.row`", None)],
    ),
    "attributes: key twice": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #pto<coalesce row>, coalesce = #pto<coalesce row>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P051", 3, 59, 29, "`coalesce` is given twice", None)],
    ),
    "attributes: key twice in a module": (
        "module attributes {a = 1, a = 2} {\n}",
        [("PTO-P051", 1, 27, 5, "`a` is given twice", None)],
    ),
    "attributes: unknown key": (
        HEAD
        + "%d = mgather %table, %idx {coalese = #pto<coalesce row>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 28, 28, "`mgather` has no attribute `coalese`", "did you mean `coalesce`?")],
    ),
    "attributes: of a module, without its prefix": (
        'module attributes {target_arch = "a5"} {\n}',
        [("PTO-P053", 1, 20, 18, "a module has no attribute `target_arch`", "write `pto.target_arch`")],
    ),
    "attributes: of a function, without its prefix": (
        "func.func @f() attributes {kernel_kind = #pto.kernel_kind<vector>} {\n  return\n}",
        [("PTO-P053", 1, 28, 38, "a function has no attribute `kernel_kind`", "write `pto.kernel_kind`")],
    ),
    "attributes: unknown key, generic": (
        HEAD
        + '%d = "pto.mgather"(%table, %idx) {coalese = #pto.coalesce<row>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>',
        [("PTO-P053", 3, 35, 28, "`mgather` has no attribute `coalese`", "did you mean `coalesce`?")],
    ),
    "attributes: unknown value": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #pto<coalesce rows>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P022",
                3,
                39,
                19,
                "`rows` is not a value of coalesce; expected one of row, elem",
                "did you mean `row`?",
            )
        ],
    ),
    "attributes: value of another kind": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #pto<gather_oob clamp>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P022", 3, 39, 22, "expected #pto.coalesce<...>, found `#pto<gather_oob clamp>`", None)],
    ),
    "attributes: number for a word": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = 1} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P022", 3, 39, 1, "`1` is not a value of coalesce; expected one of row, elem", None)],
    ),
    "attributes: unknown enumeration": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #pto.coalesc<row>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P022", 3, 39, 17, "unknown attribute `#pto.coalesc`", "did you mean `#pto.coalesce<row>`?")],
    ),
    "attributes: undefined alias": (
        HEAD
        + "%d = mgather %table, %idx {coalesce = #rows} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>",
        [("PTO-P022", 3, 39, 5, "`#rows` is not defined", "define it before: `#rows = ...`")],
    ),
    "attributes: constant too large": (
        ".const %a = 300 : i8",
        [("PTO-P022", 1, 13, 3, "`300` does not fit i8, which goes from -128 to 255", None)],
    ),
    "attributes: hexadecimal too large": (
        ".const %a = 0x1FFFFFFFF : i32",
        [
            (
                "PTO-P022",
                1,
                13,
                11,
                "`0x1FFFFFFFF` does not fit i32, which goes from -2147483648 to 4294967295",
                None,
            )
        ],
    ),
    "attributes: fraction for an integer": (
        ".const %a = 1.5 : i32",
        [("PTO-P022", 1, 13, 3, "i32 needs a whole number, found `1.5`", None)],
    ),
    "attributes: constant of a tile": (
        ".const %a = 1 : !pto.tile<8x8xf32>",
        [("PTO-P022", 1, 13, 1, "a number can't be of type !pto.tile_buf<vec, 8x8xf32>", None)],
    ),
    "attributes: unknown comparison": (
        "func.func @f(%a: index) {\n%b = arith.cmpi lt, %a, %a : index\nreturn\n}",
        [
            (
                "PTO-P022",
                2,
                17,
                2,
                "`arith.cmpi` needs one of the predicates eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge; found `lt`",
                None,
            )
        ],
    ),
    # structure
    "structure: no step": (
        "func.func @f(%a: index) {\nscf.for %i = %a to %a {\n}\nreturn\n}",
        [("PTO-P010", 2, 23, 1, "found `{`, expected `step`", None)],
    ),
    "structure: functions and a bare program": (
        "func.func @f() {\nreturn\n}\n%x = arith.constant 1 : index",
        [("PTO-P061", 1, 1, 16, "a file holds either a bare program or functions, not both", None)],
    ),
    "structure: argument inside a function": (
        "func.func @f() {\n.arg %a : index\nreturn\n}",
        [("PTO-P061", 2, 1, 15, "`.arg` is only allowed at the top level of a bare program", None)],
    ),
    "structure: constant without a value": (
        "func.func @f() {\n%a = arith.constant : index\nreturn\n}",
        [("PTO-P010", 2, 1, 27, "a constant needs its value: `arith.constant 16 : index`", None)],
    ),
    "structure: nothing": (
        "",
        [("PTO-P002", 1, 1, 1, "the program is empty", "write at least one instruction")],
    ),
    "structure: comments only": (
        "# nothing\n// here\n\n",
        [("PTO-P002", 1, 1, 1, "the program is empty", "write at least one instruction")],
    ),
    "structure: zero byte": (
        "tprint %a\n\x00",
        [("PTO-P001", 2, 1, 1, "this is not text: it contains a zero byte", None)],
    ),
    "structure: a number of ten thousand digits": (
        ".const %a = " + "1" * 10000 + " : index",
        [
            (
                "PTO-P010",
                1,
                13,
                10000,
                "found `1111111111111111111111111111111111111...`, which is not valid here",
                None,
            )
        ],
    ),
    # beside the common slips
    "attributes: a number too large for its type": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant 300 : i8\nreturn\n}\n",
        [("PTO-P022", 2, 21, 3, "`300` does not fit i8, which goes from -128 to 255", None)],
    ),
    "attributes: a negative number of an unsigned type": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant -1 : ui8\nreturn\n}\n",
        [("PTO-P022", 2, 21, 2, "`-1` does not fit ui8, which goes from 0 to 255", None)],
    ),
    "attributes: a number of a pointer": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant 3 : !pto.ptr<f32>\nreturn\n}\n",
        [("PTO-P022", 2, 21, 1, "a number can't be of type !pto.ptr<f32>", None)],
    ),
    "attributes: a bare word": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntprint %idx {x.note = row}",
        [("PTO-P022", 3, 23, 3, "`row` is not an attribute value", 'write "row" for a string')],
    ),
    "attributes: of nobody": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntprint %idx {x.note = #foo<bar>}",
        [("PTO-P022", 3, 23, 9, "unknown attribute `#foo<bar>`", None)],
    ),
    "attributes: an array with a word": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntprint %idx {x.note = array<i64: 1, x>}",
        [("PTO-P022", 3, 23, 16, "`array<i64: 1, x>` is not a valid attribute: `x` is unexpected", None)],
    ),
    "attributes: a dense list with a word": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant dense<[1, x]> : vector<2xi32>\nreturn\n}\n",
        [
            (
                "PTO-P022",
                2,
                21,
                13,
                "`dense<[1, x]> : vector<2xi32>` is not a valid attribute: `x` is unexpected",
                None,
            )
        ],
    ),
    "attributes: of pto, unknown": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntprint %idx {x.note = #pto<frobnicate row>}",
        [("PTO-P022", 3, 23, 20, "unknown attribute `#pto.frobnicate`", None)],
    ),
    "attributes: undeclared, gatherOOB": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {gatherOOB = #pto<gather_oob clamp>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 34, "`mgather` has no attribute `gatherOOB`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, GatherOOB": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {GatherOOB = #pto<gather_oob clamp>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 34, "`mgather` has no attribute `GatherOOB`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, oob": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {oob = #pto<gather_oob clamp>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 28, "`mgather` has no attribute `oob`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, Oob": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {Oob = #pto<gather_oob clamp>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 28, "`mgather` has no attribute `Oob`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, Mode": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {Mode = #pto<gather_oob clamp>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 29, "`mgather` has no attribute `Mode`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, CMode": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i {CMode = #pto<coalesce row>} : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 26, 26, "`mgather` has no attribute `CMode`", "did you mean `coalesce`?")],
    ),
    "attributes: undeclared, after the types": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32> {foo = 3 : i32}",
        [("PTO-P053", 3, 96, 13, "`mgather` has no attribute `foo`", "remove `foo`")],
    ),
    "attributes: undeclared, between two of the documents' words": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = mgather.row %t, %i #Mode=clamp : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P053", 3, 25, 11, "`mgather` has no `Mode`", "did you mean `gatherOob`?")],
    ),
    "attributes: undeclared, of a destination-passing form": (
        ".arg %a : !pto.tile<8x8xf32>\n.arg %b : !pto.tile<8x8xf32>\npto.tneg ins(%a : !pto.tile<8x8xf32>) outs(%b : !pto.tile<8x8xf32>) {foo}",
        [("PTO-P053", 3, 70, 3, "`tneg` has no attribute `foo`", "remove `foo`")],
    ),
    "attributes: undeclared, generic": (
        '.arg %a : !pto.tile<8x8xf32>\n%b = "pto.tneg"(%a) {foo = 3 : i32, operandSegmentSizes = array<i32: 1, 0>} : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>',
        [("PTO-P053", 2, 22, 13, "`tneg` has no attribute `foo`", "remove `foo`")],
    ),
    "attributes: undeclared, a generic property": (
        '.arg %a : !pto.tile<8x8xf32>\n%b = "pto.tneg"(%a) <{foo = 3 : i32, operandSegmentSizes = array<i32: 1, 0>}> : (!pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>',
        [("PTO-P053", 2, 23, 13, "`tneg` has no attribute `foo`", "remove `foo`")],
    ),
    "attributes: undeclared, of arithmetic": (
        "func.func @f(%a: i32) {\n%b = arith.addi %a, %a {overflow = 3 : i32} : i32\nreturn {foo}\n}",
        [
            (
                "PTO-P053",
                2,
                25,
                18,
                "`arith.addi` has no attribute `overflow`",
                "did you mean `overflowFlags`?",
            ),
            ("PTO-P053", 3, 9, 3, "`func.return` has no attribute `foo`", "remove `foo`"),
        ],
    ),
    "attributes: generic, a property given in both dictionaries": (
        '.arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n%d = "pto.mgather"(%t, %i) <{gatherOob = #pto<gather_oob clamp>}> {gatherOob = #pto<gather_oob wrap>} : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>',
        [("PTO-P051", 3, 68, 33, "`gatherOob` is given twice", None)],
    ),
    "arith: a constant of two values": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant 1, 2 : i32\nreturn\n}\n",
        [("PTO-P010", 2, 24, 1, "a constant must have one value", None)],
    ),
    "arith: a constant without a number": (
        'func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.constant "a"\nreturn\n}\n',
        [("PTO-P010", 2, 21, 3, "a constant needs its value: `arith.constant 16 : index`", None)],
    ),
    "arith: another type than the operand's": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = arith.select %n, %a, %a : i1, i32, i32\nreturn\n}\n",
        [
            (
                "PTO-P042",
                2,
                19,
                2,
                "the operand's type is index, but this statement declares i1",
                "write the type `index`",
            )
        ],
    ),
    "arith: a conversion without its second type": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = builtin.unrealized_conversion_cast %a : i32\nreturn\n}\n",
        [
            (
                "PTO-P043",
                2,
                6,
                34,
                "`builtin.unrealized_conversion_cast` needs both types: `: i32 to ui32`",
                None,
            )
        ],
    ),
    "arith: a call of nobody": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b = func.call (%a) : (i32) -> i32\nreturn\n}\n",
        [("PTO-P010", 2, 6, 9, "a call needs the name of its function: `func.call @name(...)`", None)],
    ),
    "operands in another order: a result": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n.arg %s : !pto.tile<16x32xf32>\n%a = mgather.row %i, %t : (!pto.tile<1x16xi32>, !pto.memref<64x32xf32>) -> !pto.tile<16x32xf32>",
        [
            (
                "PTO-P044",
                4,
                18,
                2,
                "the operands of `mgather` come in the order %mem, %idx; found `idx` in place of `mem`",
                "write `mgather.row %mem, %idx`",
            )
        ],
    ),
    "operands in another order: a destination": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n.arg %s : !pto.tile<16x32xf32>\nmgather.row %s, %i, %t : (!pto.tile<16x32xf32>, !pto.tile<1x16xi32>, !pto.memref<64x32xf32>)",
        [
            (
                "PTO-P044",
                4,
                17,
                2,
                "the operands of `mgather` come in the order %mem, %idx; found `idx` in place of `mem`",
                "write `mgather.row %dst, %mem, %idx`",
            )
        ],
    ),
    "operands in another order: ins": (
        ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n.arg %s : !pto.tile<16x32xf32>\npto.mgather ins(%i, %t : !pto.tile<1x16xi32>, !pto.memref<64x32xf32>) outs(%s : !pto.tile<16x32xf32>)",
        [
            (
                "PTO-P044",
                4,
                17,
                2,
                "the operands of `mgather` come in the order %mem, %idx; found `idx` in place of `mem`",
                "write `ins(%mem, %idx)`",
            )
        ],
    ),
    "operands in another order: a collective": (
        ".arg %g : !pto.group<1 x !pto.memref<64x32xf32>>\n.arg %d : !pto.memref<64x32xf32>\ntgather %d, %g : (!pto.memref<64x32xf32>, !pto.group<1 x !pto.memref<64x32xf32>>)",
        [
            (
                "PTO-P044",
                3,
                9,
                2,
                "the operands of `comm.tgather` come in the order %group, %dst; found `dst` in place of `group`",
                "write `tgather %group, %dst`",
            )
        ],
    ),
    "operands: a window of a tile": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n%d = tload %idx[0, 0] : (!pto.tile<1x16xi32>) -> !pto.tile<1x16xi32>",
        [("PTO-P040", 3, 12, 10, "only a view of memory takes indices", None)],
    ),
    "operands: a window of open extents": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n%d = tload %table[0, 0] : !pto.tile_buf<vec, 16x32xf32, valid=?x32>",
        [("PTO-P043", 3, 12, 12, "the size of this window is not written", "use `partition_view`")],
    ),
    "operands: a window by three indices": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n%d = tload %table[0, 0, 0] : !pto.tile<16x32xf32>",
        [("PTO-P040", 3, 12, 15, "a view of 2 dimensions takes 2 indices, found 3", None)],
    ),
    "operands: two destinations": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n%t = tload %table : (!pto.memref<64x32xf32>) -> !pto.tile<16x32xf32>\ntneg ins(%t : !pto.tile<16x32xf32>) outs(%t, %t : !pto.tile<16x32xf32>, !pto.tile<16x32xf32>)",
        [("PTO-P040", 4, 46, 2, "`tneg` has 1 destination, found 2", None)],
    ),
    "operands: named twice": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = pto.alloc_tile valid_row = %n valid_row = %n : !pto.tile_buf<vec, 16x32xf32, valid=?x32>\nreturn\n}\n",
        [("PTO-P051", 2, 36, 14, "`valid_row` is given twice", None)],
    ),
    "operands: of no such name": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = pto.alloc_tile valid_rov = %n : !pto.tile_buf<vec, 16x32xf32, valid=?x32>\nreturn\n}\n",
        [("PTO-P053", 2, 21, 14, "`alloc_tile` has no `valid_rov`", "did you mean `valid_row`?")],
    ),
    "operands: of no such part": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntprint foo(%idx)",
        [("PTO-P010", 3, 8, 8, "`tprint` has no part `foo(...)`", None)],
    ),
    "operands: an address that is a value": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\ntassign %idx, @tile(%idx)",
        [("PTO-P010", 3, 21, 4, "an address is a number", "write `@tile(0x1000)`")],
    ),
    "operands: sizes that are values": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n%s = pto.subview %t[%n, %n] sizes [%n, 32] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x32xf32>\nreturn\n}\n",
        [("PTO-P010", 3, 29, 13, "`sizes [...]` takes whole numbers only", None)],
    ),
    "operands: an extent that is no whole number": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%v = pto.make_tensor_view %p, shape = [%n, 4.5], strides = [%n, %n] : !pto.tensor_view<?x?xf32>\nreturn\n}\n",
        [("PTO-P022", 2, 44, 3, "index needs a whole number, found `4.5`", None)],
    ),
    "types: more parameters than there are": (
        ".arg %a : !pto.tile_buf<vec, 16x32xf32, 1, 2, 3, 4, 5, 6, 7, 8, 9>\ntprint %a",
        [("PTO-P021", 1, 53, 1, "too many parameters: `5`", None)],
    ),
    "types: valid with one extent": (
        ".arg %a : !pto.tile_buf<vec, 16x32xf32, valid=9>\ntprint %a",
        [("PTO-P021", 1, 47, 1, "`valid` needs two extents", "write `valid=9x?`")],
    ),
    "types: a view with a tile's parameter": (
        ".arg %a : !pto.memref<16x32xf32, pad=zero>\ntprint %a",
        [("PTO-P021", 1, 34, 8, "a view of memory has no parameter `pad`", None)],
    ),
    "types: an enumerator of C++": (
        ".arg %a : !pto.tile<vec, f32, 32, 32, BLayout::RowMajor>",
        [
            (
                "PTO-P021",
                1,
                46,
                1,
                "found `:`, expected the end of the type or `,`",
                "write `row_major` for `BLayout::RowMajor`",
            )
        ],
    ),
    "types: the dots of the documents": (
        ".arg %a : !pto.tile<...>",
        [
            (
                "PTO-P021",
                1,
                21,
                3,
                "found `...`, which is not valid here",
                "`...` stands for the parameters: write them, as in `16x32xf32`",
            )
        ],
    ),
    "types: a pointer into another memory": (
        ".arg %a : !pto.ptr<f32, l1>\n.arg %i : index\n%x = load_scalar %a[%i] : !pto.ptr<f32, l1> -> f32",
        [
            (
                "PTO-P040",
                3,
                18,
                6,
                "`ptr` of `load_scalar` must be a pointer into global memory or the unified buffer "
                "(!pto.ptr<...>, !pto.ptr<..., ub>), found !pto.ptr<f32, l1>",
                None,
            )
        ],
    ),
    "types: a pointer into no memory": (
        ".arg %a : !pto.ptr<f32, l2>\ntprint %a",
        [
            (
                "PTO-P021",
                1,
                25,
                2,
                "`l2` is not a memory; expected one of gm, ub, l1, l0a, l0b, l0c, bt, fb",
                None,
            )
        ],
    ),
    # what a reader of other documents writes
    "other documents: an instruction without a spelling": (
        HEAD + "pto.timg2col ins(%idx) outs(%idx)",
        [
            (
                "PTO-P020",
                3,
                1,
                12,
                "`timg2col` is a call of the C++ instruction library, not an instruction",
                "no text gives the geometry of a convolution: gather its columns in memory, and load them",
            )
        ],
    ),
    "other documents: a call of the instruction library": (
        HEAD + "TLOAD(%idx, %table)",
        [("PTO-P020", 3, 1, 5, "unknown instruction `TLOAD`", "did you mean `tload`?")],
    ),
    "other documents: an older name in the generic form": (
        HEAD + '"pto.comm_tgather"(%table) : (!pto.memref<64x32xf32>) -> ()',
        [
            (
                "PTO-P020",
                3,
                1,
                18,
                "unknown instruction `pto.comm_tgather`",
                "did you mean `pto.comm.tgather`?",
            )
        ],
    ),
    "other documents: another assembler's directive": (
        ".arch a5\n" + HEAD + "tprint %idx",
        [
            (
                "PTO-P010",
                1,
                1,
                5,
                "unknown directive `.arch`; there are .arg, .const, .target",
                "write `.target a5`",
            )
        ],
    ),
    "other documents: a value without its sign": (
        HEAD
        + "%d = mgather.row table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>",
        [("PTO-P010", 3, 18, 5, "`table` is no value", "did you mean `%table`?")],
    ),
    "other documents: a full-width colon": (
        ".arg %a\uff1a f32\ntprint %a",
        [("PTO-P010", 1, 8, 1, "found a fullwidth colon, U+FF1A", "write `:`")],
    ),
    "other documents: a no-break space": (
        HEAD + "tprint\u00a0%idx",
        [("PTO-P010", 3, 7, 1, "found a no-break space, U+00A0", "write a plain space")],
    ),
    "brackets and strings: the inner of two braces": (
        "module {\n  func.func @f(%c: i1) {\n    scf.if %c {\n      pto.barrier <PIPE_ALL>\n    return\n  }\n}",
        [("PTO-P012", 3, 15, 1, "this `{` is never closed", None)],
    ),
    "types: a group of nothing": (
        ".arg %a : !pto.group<2 x !pto.memrif<4x4xf32>>\ntprint %a",
        [("PTO-P021", 1, 26, 11, "unknown type `!pto.memrif`", "did you mean `!pto.memref`?")],
    ),
    "types: a vector of nothing": (
        ".arg %a : vector<2xfoo>\ntprint %a",
        [("PTO-P021", 1, 20, 3, "`vector<2xfoo>` is not a valid type: `foo` is unexpected", None)],
    ),
    "types: a complex of nothing": (
        ".arg %a : complex<foo>\ntprint %a",
        [("PTO-P021", 1, 19, 3, "`complex<foo>` is not a valid type: `foo` is unexpected", None)],
    ),
    "statements: a name and no instruction": (
        ".arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n%d =",
        [("PTO-P010", 3, 5, 1, "the statement ends, expected a string or an instruction", None)],
    ),
    "functions: the target twice": (
        ".target a5\n.target a2a3\n.arg %a : f32",
        [("PTO-P051", 2, 9, 4, "the target is given twice", None)],
    ),
    "functions: called with other types": (
        "func.func @g(%x: i32) -> i32 {\nreturn %x : i32\n}\nfunc.func @f(%y: f32) {\n%r = func.call @g(%y) : (f32) -> i32\nreturn\n}\n",
        [("PTO-P060", 5, 1, 36, "`@g` takes i32, but this call passes f32", None)],
    ),
    "functions: called for other results": (
        "func.func @g(%x: i32) -> i32 {\nreturn %x : i32\n}\nfunc.func @f(%y: i32) {\n%r = func.call @g(%y) : (i32) -> f32\nreturn\n}\n",
        [("PTO-P060", 5, 1, 36, "`@g` returns i32, but this call expects f32", None)],
    ),
    "functions: without names of parameters": (
        "func.func @f(i32) {\nreturn\n}",
        [("PTO-P010", 1, 11, 2, "a function with a body must name its parameters", None)],
    ),
    "functions: two destinations in the generic form": (
        'func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%u = pto.alloc_tile : !pto.tile<8x8xf32>\n%d = "pto.tneg"(%u, %u) : (!pto.tile<8x8xf32>, !pto.tile<8x8xf32>) -> !pto.tile<8x8xf32>\nreturn\n}\n',
        [
            (
                "PTO-P060",
                3,
                1,
                88,
                "`pto.tneg`: needs exactly one destination: a result (SSA) or an operand (DPS)",
                None,
            )
        ],
    ),
    "functions: no destination in the generic form": (
        'func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%u = pto.alloc_tile : !pto.tile<8x8xf32>\n"pto.tneg"(%u) : (!pto.tile<8x8xf32>) -> ()\nreturn\n}\n',
        [
            (
                "PTO-P060",
                3,
                1,
                43,
                "`pto.tneg`: needs exactly one destination: a result (SSA) or an operand (DPS)",
                None,
            )
        ],
    ),
    "functions: segments that do not add up": (
        'func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = "pto.alloc_tile"(%n) {operandSegmentSizes = array<i32: 0, 1, 1>} : (index) -> !pto.tile_buf<vec, 16x32xf32, valid=?x32>\nreturn\n}\n',
        [("PTO-P060", 2, 1, 124, "`pto.alloc_tile`: operandSegmentSizes [0, 1, 1] for 1 operand", None)],
    ),
    "functions: a negative segment": (
        'func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = "pto.alloc_tile"(%n) {operandSegmentSizes = array<i32: -1, 1, 1>} : (index) -> !pto.tile_buf<vec, 16x32xf32, valid=?x32>\nreturn\n}\n',
        [("PTO-P060", 2, 1, 125, "`pto.alloc_tile`: operandSegmentSizes [-1, 1, 1] for 1 operand", None)],
    ),
    "functions: a flag without its pipes": (
        '.arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n"pto.set_flag"() : () -> ()',
        [
            (
                "PTO-P060",
                3,
                1,
                27,
                "`pto.set_flag`: attribute `src_pipe` is missing",
                None,
            )
        ],
    ),
    "functions: a flag of numbers": (
        '.arg %table : !pto.memref<64x32xf32>\n.arg %idx : !pto.tile<1x16xi32>\n"pto.set_flag"() {src_pipe = 3 : i32, dst_pipe = 3 : i32, event_id = 1 : i32} : () -> ()',
        [("PTO-P060", 3, 1, 88, "`pto.set_flag`: 3 : i32 is not a pipe", None)],
    ),
    "types: a shape without its type, and a type behind it": (
        ".arg %a : 16x32xf32!pto.tile<16x32xf32>",
        [("PTO-P010", 1, 11, 9, "found `16x32xf32`, expected a type", None)],
    ),
    "functions: a label with a wrong type": (
        "func.func @f() {\n^bb0(%a: foo):\nreturn\n}",
        [("PTO-P010", 2, 10, 3, "found `foo`, expected a type", None)],
    ),
    "loops: results that are not named": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%c0 = arith.constant 0 : index\nscf.for %k = %c0 to %n step %n iter_args(%z = %a) -> (i32) {\nscf.yield %z : i32\n}\nreturn\n}\n",
        [
            (
                "PTO-P041",
                3,
                1,
                60,
                "`scf.for` has 1 result, which must be named",
                "begin the statement with `%r =`",
            )
        ],
    ),
    "loops: results of another type": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%r = scf.for %k = %n to %n step %n iter_args(%z = %a) -> (f32) {\nscf.yield %z : i32\n}\nreturn\n}\n",
        [("PTO-P042", 2, 59, 3, "the loop's result types differ from its initial values'", None)],
    ),
    "loops: while of another type": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%r = scf.while (%z = %a) : (f32) -> f32 {\nscf.condition(%z) %z : f32\n} do {\n^bb0(%q: f32):\nscf.yield %q : f32\n}\nreturn\n}\n",
        [("PTO-P042", 2, 29, 11, "the loop's types differ from its initial values'", None)],
    ),
    "functions: a function in a branch of no function": (
        "module {\n%u = arith.constant true\nscf.if %u {\nfunc.func @f() {\nreturn\n}\n}\n}",
        [("PTO-P061", 4, 1, 16, "a function is not allowed inside a branch", None)],
    ),
    "functions: a module in a loop of no function": (
        "module {\n%c = arith.constant 1 : index\nscf.for %i = %c to %c step %c {\nmodule {\n}\n}\n}",
        [("PTO-P061", 4, 1, 8, "a module is not allowed inside a loop", None)],
    ),
    "functions: a function in an operation in the generic form": (
        'module {\n"scf.execute_region"() ({\nfunc.func @f() {\nreturn\n}\n"scf.yield"() : () -> ()\n}) : () -> ()\n}',
        [("PTO-P061", 3, 1, 16, "a function is not allowed inside `scf.execute_region`", None)],
    ),
    "loops: yield in no loop": (
        "func.func @f() {\nscf.yield\nreturn\n}",
        [
            (
                "PTO-P060",
                2,
                1,
                9,
                "`scf.yield`: it must be directly inside one of: `scf.for`, `scf.if`, `scf.execute_region`, `scf.while`, `scf.index_switch`",
                None,
            )
        ],
    ),
    "loops: more names than results": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%b, %c = arith.addi %a, %a : i32\nreturn\n}\n",
        [("PTO-P041", 2, 1, 2, "2 names for 1 result", None)],
    ),
    "types: a tile of indices": (
        ".arg %a : !pto.tile<8x8xindex>\ntprint %a",
        [("PTO-P021", 1, 21, 9, "unknown element type `index`", None)],
    ),
    "types: memory of indices": (
        ".arg %a : !pto.memref<8x8xindex>\ntprint %a",
        [("PTO-P021", 1, 23, 9, "unknown element type `index`", None)],
    ),
    "types: a group of no rank": (
        ".arg %a : !pto.group<0 x !pto.memref<4x4xf32>>",
        [("PTO-P021", 1, 22, 24, "a group has at least one rank; found 0", None)],
    ),
    "types: a group of too many ranks": (
        ".arg %a : !pto.group<99999999 x !pto.memref<4x4xf32>>",
        [("PTO-P021", 1, 22, 31, "a group has at most 1024 ranks; found 99999999", None)],
    ),
    "operands: a view with one extent too few": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%v = pto.make_tensor_view %p, shape = [%n], strides = [%n, %n] : !pto.tensor_view<?x?xf32>\nreturn\n}\n",
        [
            (
                "PTO-P060",
                2,
                1,
                90,
                "`make_tensor_view`: `shape` needs 2 values for a view of 2 dimensions, found 1",
                None,
            )
        ],
    ),
    "operands: a part with one offset too few": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%v = pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %n] : !pto.tensor_view<?x?xf32>\n%w = pto.partition_view %v, offsets = [%n], sizes = [%n, %n] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>\nreturn\n}\n",
        [
            (
                "PTO-P060",
                3,
                1,
                127,
                "`partition_view`: `offsets` needs 2 values for a view of 2 dimensions, found 1",
                None,
            )
        ],
    ),
    "operands: a window with one valid extent": (
        "func.func @f(%a: i32, %x: f32, %p: !pto.ptr<f32>, %n: index) {\n%t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>\n%s = pto.subview %t[%n, %n] sizes [8, 32] valid [%n] : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x32xf32>\nreturn\n}\n",
        [("PTO-P060", 3, 1, 116, "`subview`: takes two valid extents, rows and columns, or none", None)],
    ),
}
