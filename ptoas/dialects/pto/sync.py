"""Ordering between the pipes of a core."""

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, prop_def

from ptoas.dialects.pto.enums import EventAttr, PipeAttr
from ptoas.dialects.pto.instruction import PtoOp


@irdl_op_definition
class SetFlagOp(PtoOp):
    """Pipe `src_pipe` raises `event_id` for pipe `dst_pipe`, after all that it was given before."""

    name = "pto.set_flag"
    OPAQUE: ClassVar = True
    LAYOUT: ClassVar = "[#src_pipe, #dst_pipe, #event_id] {attrs}"
    src_pipe = prop_def(PipeAttr)
    dst_pipe = prop_def(PipeAttr)
    event_id = prop_def(EventAttr)


@irdl_op_definition
class WaitFlagOp(PtoOp):
    """Pipe `dst_pipe` waits until `src_pipe` has raised `event_id`, and takes it down."""

    name = "pto.wait_flag"
    OPAQUE: ClassVar = True
    LAYOUT: ClassVar = "[#src_pipe, #dst_pipe, #event_id] {attrs}"
    src_pipe = prop_def(PipeAttr)
    dst_pipe = prop_def(PipeAttr)
    event_id = prop_def(EventAttr)


@irdl_op_definition
class BarrierOp(PtoOp):
    """What pipe `pipe` was given before is done before what it is given after; PIPE_ALL: all pipes."""

    name = "pto.barrier"
    OPAQUE: ClassVar = True
    LAYOUT: ClassVar = "#pipe {attrs}"
    pipe = prop_def(PipeAttr)
