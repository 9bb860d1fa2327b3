"""Asynchronous transfers: sessions, events, and prefetching into the cache."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ptoas.dialects.pto.constraints import (
    AnyAsyncEvent,
    AnyAsyncSession,
    AnyTile,
    AnyView,
    BytePtr,
    PrefetchContext,
    Scalar,
)
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import AsyncEventType, AsyncSessionType, PrefetchAsyncContextType


@irdl_op_definition
class BuildAsyncSessionOp(PtoOp):
    """A session of the DMA engine: `scratch` is for its control words, `workspace` was set up by the host."""

    name = "pto.comm.build_async_session"
    TAKES_EVENTS: ClassVar = False
    RETURNS_EVENT: ClassVar = False
    SCRATCH: ClassVar = ("scratch",)
    NO_EFFECT: ClassVar = ("workspace",)
    SIDE_EFFECTING: ClassVar = True
    EXTENDS_LIFETIME: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "($scratch, $workspace : ^scratch, ^workspace) {attrs} -> ^session"
    RESULTS: ClassVar = (AsyncSessionType(),)
    scratch = operand_def(AnyTile())
    workspace = operand_def(BytePtr())
    session = result_def(AnyAsyncSession())
    sync_id = opt_prop_def(IntegerAttr)
    block_bytes = opt_prop_def(IntegerAttr)
    comm_block_offset = opt_prop_def(IntegerAttr)
    queue_num = opt_prop_def(IntegerAttr)
    channel_group_idx = opt_prop_def(IntegerAttr)


class StartOp(PtoOp, ABC):
    """Start an asynchronous operation and return an event to wait for."""

    RETURNS_EVENT: ClassVar = False
    SIDE_EFFECTING: ClassVar = True
    RESULTS: ClassVar = (AsyncEventType(),)
    event = result_def(AnyAsyncEvent())


class AsyncTransferOp(StartOp, ABC):
    """Asynchronous copy between ranks by the DMA engine, which owns both memories until the wait."""

    OUTS: ClassVar = ("dst",)
    ASSEMBLY_FORMAT: ClassVar = "($dst, $src, $session : ^dst, ^src, ^session) {attrs} -> ^event"
    dst = operand_def(AnyView("T"))
    src = operand_def(AnyView("T"))
    session = operand_def(AnyAsyncSession())


@irdl_op_definition
class CommTPutAsyncOp(AsyncTransferOp):
    """Start `dst[i] = src[i]`: local memory into the memory of another rank."""

    name = "pto.comm.tput_async"
    ALIASES: ClassVar = ("tput_async", "comm_tput_async")


@irdl_op_definition
class CommTGetAsyncOp(AsyncTransferOp):
    """Start `dst[i] = src[i]`: the memory of another rank into local memory."""

    name = "pto.comm.tget_async"
    ALIASES: ClassVar = ("tget_async", "comm_tget_async")


class EventOp(PtoOp, ABC):
    """Test if an event and all earlier ones of its session are complete."""

    SIDE_EFFECTING: ClassVar = True
    RESULTS: ClassVar = (i1,)
    ASSEMBLY_FORMAT: ClassVar = "($event, $session : ^event, ^session) {attrs} -> ^completed"
    event = operand_def(AnyAsyncEvent())
    session = operand_def(AnyAsyncSession())
    completed = result_def(Scalar())


@irdl_op_definition
class WaitAsyncEventOp(EventOp):
    """Wait for an event; `completed` is true."""

    name = "pto.comm.wait_async_event"


@irdl_op_definition
class TestAsyncEventOp(EventOp):
    """`completed` = whether an event has come."""

    name = "pto.comm.test_async_event"


@irdl_op_definition
class MakePrefetchAsyncContextOp(PtoOp):
    """Create a context for prefetches from the `workspace` that the host set up."""

    name = "pto.make_prefetch_async_context"
    NO_EFFECT: ClassVar = ("workspace",)
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "($workspace : ^workspace) {attrs} -> ^ctx"
    RESULTS: ClassVar = (PrefetchAsyncContextType(),)
    workspace = operand_def(BytePtr())
    ctx = result_def(PrefetchContext())


@irdl_op_definition
class GetPrefetchAsyncSessionOp(PtoOp):
    """The session of a context, for waiting."""

    name = "pto.get_prefetch_async_session"
    ASSEMBLY_FORMAT: ClassVar = "$ctx {attrs} : ^ctx -> ^session"
    RESULTS: ClassVar = (AsyncSessionType(),)
    traits = traits_def(Pure())
    ctx = operand_def(PrefetchContext())
    session = result_def(AnyAsyncSession())


@irdl_op_definition
class TPrefetchAsyncOp(StartOp):
    """Start bringing `src` into the cache, for a later load; no data changes."""

    name = "pto.tprefetch_async"
    ASSEMBLY_FORMAT: ClassVar = "($src, $ctx : ^src, ^ctx) {attrs} -> ^event"
    src = operand_def(AnyView())
    ctx = operand_def(PrefetchContext())
