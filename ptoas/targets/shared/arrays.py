"""Arrays and structs of scalars: they lie on the stack, and no pipe but the scalar one touches them."""

from __future__ import annotations

from ptoas.dialects.pto import arrays as a
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.arrays import index_is_inside_the_array

ROWS: Rows = {
    a.DeclareLocalArrayOp: Row(),
    a.LocalArrayGetOp: Row(rules=(index_is_inside_the_array,)),
    a.LocalArraySetOp: Row(rules=(index_is_inside_the_array,)),
    a.DeclareStructOp: Row(),
    a.StructGetOp: Row(),
    a.StructSetOp: Row(),
}
