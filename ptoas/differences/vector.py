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
        "`tpow` of high precision on a2a3",
        "refuses it",
        "accepted with a warning: it is no more precise there",
        "header of TPOW on a2a3: the algorithm is a parameter that nothing reads",
        """
.arg %a : !pto.tile<1x16xf32>
.arg %b : !pto.tile<1x16xf32>
%d = tpow %a, %b {precisionType = #pto<pow_precision high_precision>} : (!pto.tile<1x16xf32>, !pto.tile<1x16xf32>) -> !pto.tile<1x16xf32>
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
        "an attribute that an instruction does not have",
        "refuses `mode` of `tfillpad`",
        "accepted and ignored",
        "attributes of other tools travel with a program",
        """
func.func @f(%s: !pto.tile_buf<vec, 16x16xf32>, %d: !pto.tile_buf<vec, 16x16xf32, pad=zero>) {
  pto.tfillpad ins(%s : !pto.tile_buf<vec, 16x16xf32>) outs(%d : !pto.tile_buf<vec, 16x16xf32, pad=zero>) {mode = "expand"}
  return
}
""",
    ),
)
