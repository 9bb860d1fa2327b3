"""The parts of a function for cube and vector cores: neither needs anything of the other."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.kinds import has_channels, is_mixed, left_out
from ptoas.dialects.pto.enums import KernelKind
from ptoas.naming import name_of
from ptoas.targets.rule import Related, Violation, rule
from ptoas.targets.target import Target

Violations = Iterator[Violation]

_READS = """\
!vec = !pto.tile_buf<vec, 8x16xf32>
!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
func.func @kernel(%t: !vec, %acc: !acc, %at: index, %last: index, %out: !pto.memref<16x16xf32>) {
  %x = pto.tgetval ins(%t, %at : !vec, index) outs : f32
  %zero = arith.constant 0.0 : f32
  %some = arith.cmpf ogt, %x, %zero : f32
  pto.wait_intra_block <PIPE_V>, 3
  scf.if %some {
    pto.tadds ins(%t, %x : !vec, f32) outs(%t : !vec)
  }
  scf.if SOME {
    pto.tstore ins(%acc : !acc) outs(%out : !pto.memref<16x16xf32>)
  }
  return
}"""


def crossing_parts(function: FuncOp) -> Violations:
    """Where the parts of a mixed function for cube and vector cores need something of each other."""
    if function.function_type.outputs.data:
        name = function.sym_name.data
        message = f"@{name} returns a value, and cube and vector cores run different parts of it"
        yield Violation(message, op=function, fix="let it write memory, or give it one kind of core")
    seen: set[tuple[Operation, Operation]] = set()
    for kind in KernelKind:
        for op, reader in left_out(function, kind)[1]:
            if (op, reader) in seen:
                continue
            seen.add((op, reader))
            yield Violation(
                f"`{name_of(reader)}` on the {kind.value} core needs what `{name_of(op)}` gives, which runs "
                "on the other kind",
                op=reader,
                part="statement",
                fix="a tile goes through a channel or memory, a number through memory",
                related=(Related("it is here", op),),
            )


@rule(
    "PTO-H303",
    source="PTOAS section.cube, section.vector; public memory model: cube core and vector core",
    reason="The parts of a function for cube and vector cores run on different cores, which share only "
    "global memory.",
    failing=_READS.replace("SOME", "%some"),
    passing=_READS.replace("SOME", "%least").replace(
        "  pto.wait", "  %least = arith.cmpi ne, %at, %last : index\n  pto.wait"
    ),
    on="a5 a5-custom",
    scope="function",
)
def a_part_needs_nothing_of_the_other(facts: FunctionFacts, target: Target) -> Violations:
    """What one kind of core computes the other can't use: of a function with parts for both, neither reads a
    result of the other, and it gives no value back."""
    function = facts.func
    if not is_mixed(function):
        return
    module = function.get_toplevel_object()
    if target.has_pipes or (isinstance(module, Operation) and has_channels(module.walk())):
        yield from crossing_parts(function)
