"""Differences in vector instructions."""

from __future__ import annotations

from ptoas.differences.difference import Difference

ROWS: tuple[Difference, ...] = (
    Difference(
        "scratch that is left out",
        "asks for it in `tgather` by indices, in `trsqrt` and `trowexpanddiv` of high precision, and in `tquant` of open extents",
        "accepted: a scratch tile is added",
        "headers of TGATHER, TRSQRT, TROWEXPANDDIV and TQUANT say how large it is",
        """
.arg %s : !pto.tile<1x32xf16>
.arg %i : !pto.tile<1x32xi32>
%d = tgather %s, %i : (!pto.tile<1x32xf16>, !pto.tile<1x32xi32>) -> !pto.tile<1x32xf16>
""",
    ),
    Difference(
        "operands of which nothing is valid",
        "takes them in reductions, products and transfers",
        "refused where the type says so; what only the run knows does nothing, or stops it (D34)",
        "headers of TROWMAX, TMATMUL and TLOAD assert extents from 1 on",
        """
.arg %s : !pto.tile<16x16xf32, valid=0x16>
%d = trowmax %s : (!pto.tile<16x16xf32, valid=0x16>) -> !pto.tile<16x1xf32, valid=0x1>
""",
        "PTO-I104",
    ),
    Difference(
        "room for the pairs of `tsort32`",
        "takes as many columns for f16 as for f32",
        "refused: a pair of a half and its number has 8 bytes, so a half needs four columns",
        "header of TSORT32: results of `vbitsort` have 8 bytes each",
        """
.arg %s : !pto.tile<1x32xf16>
.arg %i : !pto.tile<1x32xu32>
%d = tsort32 %s, %i : (!pto.tile<1x32xf16>, !pto.tile<1x32xu32>) -> !pto.tile<1x64xf16>
""",
        "PTO-Q201",
    ),
    Difference(
        "rows of less than 32 bytes",
        "takes an i8 tile of 16 columns in some instructions",
        "refused",
        "`Tile` of the public headers asserts rows of a multiple of 32 bytes",
        """
func.func @f() {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xi8>
  return
}
""",
        "PTO-V101",
    ),
    Difference(
        "the destination as scratch",
        "takes it in `txor`",
        "refused",
        "header of TXOR: both are written before the last of them is read",
        """
.arg %a : !pto.tile<16x32xi16>
.arg %b : !pto.tile<16x32xi16>
.arg %d : !pto.tile<16x32xi16>
txor %d, %a, %b, %d : (!pto.tile<16x32xi16>, !pto.tile<16x32xi16>, !pto.tile<16x32xi16>, !pto.tile<16x32xi16>)
""",
        "PTO-U104",
    ),
    Difference(
        "`tsync`",
        "writes out a wait for events of the library",
        "refused on devices; events of the program are `record_event` and `wait_event`",
        "no value of a program is an event that a call returned",
        """
func.func @f() {
  pto.tsync
  return
}
""",
        "PTO-T105",
        "a5",
    ),
    Difference(
        "gathers of 8-bit floats between tiles",
        "takes them on a5",
        "refused",
        "D28: document 004 lists the types",
        """
.arg %s : !pto.tile<16x32xf8E5M2>
.arg %i : !pto.tile<16x32xi32>
%d = tgather %s, %i : (!pto.tile<16x32xf8E5M2>, !pto.tile<16x32xi32>) -> !pto.tile<16x32xf8E5M2>
""",
        "PTO-I101",
        "a5",
    ),
    Difference(
        "scratch for an integer `tpow`",
        "refuses it",
        "accepted: it is passed on and not used",
        "header of TPOW on a2a3: one form, with scratch, for all types",
        """
func.func @f(%a: !pto.tile_buf<vec, 1x16xi32>, %b: !pto.tile_buf<vec, 1x16xi32>, %t: !pto.tile_buf<vec, 1x16xi32>, %d: !pto.tile_buf<vec, 1x16xi32>) {
  pto.tpow ins(%a, %b, %t : !pto.tile_buf<vec, 1x16xi32>, !pto.tile_buf<vec, 1x16xi32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 1x16xi32>)
  return
}
""",
    ),
    Difference(
        "a `trowexpand` into no columns",
        "refuses it",
        "accepted: there is nothing to do (D34)",
        "header of TROWEXPAND on a5 loops over the valid columns",
        """
func.func @f(%s: !pto.tile_buf<vec, 16x1xf32>, %d: !pto.tile_buf<vec, 16x16xf32, valid=16x0>) {
  pto.trowexpand ins(%s : !pto.tile_buf<vec, 16x1xf32>) outs(%d : !pto.tile_buf<vec, 16x16xf32, valid=16x0>)
  return
}
""",
        target="a5",
    ),
    Difference(
        "scratch of `tgather` by comparison",
        "takes 32 bytes",
        "refused: what the comparison and its count need",
        "header of TGATHER on A2/A3 writes masks, counts and indices of a row there",
        """
func.func @f(%s: !pto.tile_buf<vec, 4x64xf32>, %k: f32, %t: !pto.tile_buf<vec, 4x32xi32>, %d: !pto.tile_buf<vec, 4x64xi32>, %n: !pto.tile_buf<vec, 1x16xi32>) {
  pto.tgather ins(%s, %k, %t : !pto.tile_buf<vec, 4x64xf32>, f32, !pto.tile_buf<vec, 4x32xi32>) outs(%d, %n : !pto.tile_buf<vec, 4x64xi32>, !pto.tile_buf<vec, 1x16xi32>) {cmpMode = #pto<cmp gt>, offset = 0 : i32}
  return
}
""",
        "PTO-I108",
    ),
    Difference(
        "the sign of what `tquant` makes",
        "takes ui8 for INT8_SYM, and i8 for INT8_ASYM",
        "refused",
        "header of TQUANT: `int8_t` and `uint8_t` are asserted",
        """
.arg %s : !pto.tile<32x32xf32>
.arg %f : !pto.tile<32x1xf32>
%d = tquant %s, %f {quant_type = #pto<quant_type INT8_SYM>} : (!pto.tile<32x32xf32>, !pto.tile<32x1xf32>) -> !pto.tile<32x32xui8>
""",
        "PTO-I101",
    ),
    Difference(
        "`tquant.mx` with five outputs",
        "takes them",
        "refused: reorder the exponents with `tmov`",
        "header of TQUANT on A5: no form has a fifth output any more",
        """
func.func @f(%s: !pto.tile_buf<vec, 16x64xf32>, %d: !pto.tile_buf<vec, 16x64xi8>, %e: !pto.tile_buf<vec, 16x32xui8, valid=16x2>, %m: !pto.tile_buf<vec, 1x32xf32>, %c: !pto.tile_buf<vec, 1x64xf32, valid=1x32>, %z: !pto.tile_buf<vec, 1x32xui8>) {
  pto.tquant.mx ins(%s : !pto.tile_buf<vec, 16x64xf32>) outs(%d, %e, %m, %c, %z : !pto.tile_buf<vec, 16x64xi8>, !pto.tile_buf<vec, 16x32xui8, valid=16x2>, !pto.tile_buf<vec, 1x32xf32>, !pto.tile_buf<vec, 1x64xf32, valid=1x32>, !pto.tile_buf<vec, 1x32xui8>) {quant_type = #pto<quant_type MXFP8>, storeMode = #pto<vec_store_mode nz>}
  return
}
""",
        "PTO-T105",
        "a5",
    ),
    Difference(
        "blocks along axis0 of floats, their exponents interleaved",
        "refuses them: the revision of the library that it is built for lacks them",
        "accepted",
        "header of TQUANT on A5, August",
        """
func.func @f(%s: !pto.tile_buf<vec, 64x32xf32>, %d: !pto.tile_buf<vec, 64x32xi8>, %e: !pto.tile_buf<vec, 1x64xui8>, %m: !pto.tile_buf<vec, 2x32xf32>, %c: !pto.tile_buf<vec, 2x32xf32>) {
  pto.tquant.mx ins(%s : !pto.tile_buf<vec, 64x32xf32>) outs(%d, %e, %m, %c : !pto.tile_buf<vec, 64x32xi8>, !pto.tile_buf<vec, 1x64xui8>, !pto.tile_buf<vec, 2x32xf32>, !pto.tile_buf<vec, 2x32xf32>) {quant_type = #pto<quant_type MXFP8>, grpAxis = #pto<mx_group_axis axis0>, interleave = true}
  return
}
""",
        None,
        "a5",
    ),
    Difference(
        "a transpose into a tile of the same shape",
        "takes it",
        "refused: rows become columns",
        "page of TTRANS: the valid extents of the destination are those of the source, turned",
        """
.arg %s : !pto.tile<1x16xf32>
%d = ttrans %s : (!pto.tile<1x16xf32>) -> !pto.tile<1x16xf32>
""",
        "PTO-I106",
    ),
    Difference(
        "valid columns of the scratch tile of `tprelu`",
        "asks for a bit for each column",
        "accepted: what counts is how many bytes it has",
        "header of TPRELU on A2/A3 does not look at them",
        """
func.func @f(%a: !pto.tile_buf<vec, 16x64xf32>, %b: !pto.tile_buf<vec, 16x64xf32>, %t: !pto.tile_buf<vec, 17x32xui8, valid=17x7>, %d: !pto.tile_buf<vec, 16x64xf32>) {
  pto.tprelu ins(%a, %b, %t : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 17x32xui8, valid=17x7>) outs(%d : !pto.tile_buf<vec, 16x64xf32>)
  return
}
""",
    ),
)
