# Made from the dialect by `python -m ptoas.editors`.
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias, overload

from xdsl.ir import Attribute

from ptoas.build.values import Value
from ptoas.dialects.pto.instruction import PtoOp

_Value: TypeAlias = Value
_Number: TypeAlias = Value | int | float
_Values: TypeAlias = Value | Sequence[Value | int]
_Type: TypeAlias = str | Attribute
_AccPhase: TypeAlias = Literal["unspecified", "partial", "final"] | StrEnum | int | Attribute
_AccToVecMode: TypeAlias = Literal["single_mode_vec0", "single_mode_vec1", "dual_mode_split_m", "dual_mode_split_n", "vec0", "vec1", "m", "n"] | StrEnum | int | Attribute
_AddressSpace: TypeAlias = Literal["zero", "gm", "mat", "left", "right", "acc", "vec", "bias", "scaling"] | StrEnum | int | Attribute
_AtomicType: TypeAlias = Literal["atomic_none", "atomic_add", "atomic_max", "atomic_min", "none", "add", "max", "min"] | StrEnum | int | Attribute
_CmpMode: TypeAlias = Literal["eq", "ne", "lt", "le", "gt", "ge"] | StrEnum | int | Attribute
_Coalesce: TypeAlias = Literal["row", "elem"] | StrEnum | int | Attribute
_CollEngine: TypeAlias = Literal["aiv", "ccu"] | StrEnum | int | Attribute
_Event: TypeAlias = Literal["EVENT_ID0", "EVENT_ID1", "EVENT_ID2", "EVENT_ID3", "EVENT_ID4", "EVENT_ID5", "EVENT_ID6", "EVENT_ID7", "ID0", "ID1", "ID2", "ID3", "ID4", "ID5", "ID6", "ID7"] | StrEnum | int | Attribute
_FenceScope: TypeAlias = Literal["gm", "all", "local_memory", "memory"] | StrEnum | int | Attribute
_GatherOOB: TypeAlias = Literal["undefined", "clamp", "wrap", "zero"] | StrEnum | int | Attribute
_Layout: TypeAlias = Literal["nd", "dn", "nz", "mx_a_zz", "mx_b_nn", "zz", "nn"] | StrEnum | int | Attribute
_LoadCachePolicy: TypeAlias = Literal["default", "l2_bypass", "bypass"] | StrEnum | int | Attribute
_MaskPattern: TypeAlias = Literal["P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"] | StrEnum | int | Attribute
_MxGroupAxis: TypeAlias = Literal["axis0", "axis1"] | StrEnum | int | Attribute
_NotifyOp: TypeAlias = Literal["atomic_add", "set", "add"] | StrEnum | int | Attribute
_PadValue: TypeAlias = Literal["null", "zero", "max", "min"] | StrEnum | int | Attribute
_Pipe: TypeAlias = Literal["PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX", "PIPE_ALL", "PIPE_MTE4", "PIPE_MTE5", "PIPE_V2", "VIRTUAL_PIPE_MTE2_L1A", "VIRTUAL_PIPE_MTE2_L1B", "S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL", "MTE4", "MTE5", "V2", "L1A", "L1B"] | StrEnum | int | Attribute
_Precision: TypeAlias = Literal["default", "high_precision", "precision"] | StrEnum | int | Attribute
_PrintFormat: TypeAlias = Literal["width8_precision4", "width8_precision2", "width10_precision6", "precision4", "precision2", "precision6"] | StrEnum | int | Attribute
_QuantScaleAlg: TypeAlias = Literal["ocp", "nv"] | StrEnum | int | Attribute
_QuantType: TypeAlias = Literal["INT8_SYM", "INT8_ASYM", "MXFP8", "MXFP4_E2M1", "SYM", "ASYM", "E2M1"] | StrEnum | int | Attribute
_ReduceOp: TypeAlias = Literal["sum", "max", "min"] | StrEnum | int | Attribute
_ReluPreMode: TypeAlias = Literal["no_relu", "normal_relu", "scalar_relu", "vector_relu", "pwl"] | StrEnum | int | Attribute
_RoundMode: TypeAlias = Literal["NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT"] | StrEnum | int | Attribute
_STPhase: TypeAlias = Literal["unspecified", "partial", "final"] | StrEnum | int | Attribute
_SaturationMode: TypeAlias = Literal["ON", "OFF"] | StrEnum | int | Attribute
_ScatterAtomicOp: TypeAlias = Literal["none", "add", "max", "min"] | StrEnum | int | Attribute
_ScatterConflict: TypeAlias = Literal["last", "default"] | StrEnum | int | Attribute
_ScatterOOB: TypeAlias = Literal["undefined", "skip", "clamp", "wrap"] | StrEnum | int | Attribute
_SyncAllMode: TypeAlias = Literal["hard", "soft"] | StrEnum | int | Attribute
_SyncCoreType: TypeAlias = Literal["aiv_only", "aic_only", "mix"] | StrEnum | int | Attribute
_SyncOpType: TypeAlias = Literal["TLOAD", "TSTORE_VEC", "TSTORE_ACC", "TMOV_M2L", "TMOV_M2B", "TMOV_M2S", "TMOV_M2V", "TMOV_V2M", "TMATMUL", "TVEC", "TVECWAIT_EVENT", "VEC", "ACC", "M2L", "M2B", "M2S", "M2V", "V2M", "EVENT"] | StrEnum | int | Attribute
_TInsertMode: TypeAlias = Literal["split2", "split4"] | StrEnum | int | Attribute
_VecStoreMode: TypeAlias = Literal["nd", "nz"] | StrEnum | int | Attribute
_WaitCmp: TypeAlias = Literal["eq", "ne", "gt", "ge", "lt", "le"] | StrEnum | int | Attribute

def instructions() -> dict[str, type[PtoOp]]: ...

class InstructionMethods:
    args: dict[str, Value]
    def __getattr__(self, name: str) -> Value: ...
    def __dir__(self) -> list[str]: ...
    def _instruction(
        self, cls: type[PtoOp], arguments: Sequence[Any], named: dict[str, Any], name: str | None
    ) -> Any: ...
    def addptr(self, ptr: _Value, offset: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result = ptr + offset`, in elements."""
    def aic_initialize_pipe(self, dir_mask: int | Attribute, slot_size: int | Attribute, *, gm_slot_buffer: _Value | None = ..., gm_slot_tensor: _Value | None = ..., c2v_consumer_buf: _Number | None = ..., v2c_consumer_buf: _Number | None = ..., id: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., name: str | None = None) -> None:
        """Declares a channel on the cube core: its directions, its slots, where they are."""
    def aiv_initialize_pipe(self, dir_mask: int | Attribute, slot_size: int | Attribute, *, gm_slot_buffer: _Value | None = ..., gm_slot_tensor: _Value | None = ..., c2v_consumer_buf: _Number | None = ..., v2c_consumer_buf: _Number | None = ..., id: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., name: str | None = None) -> None:
        """Declares a channel on the vector cores: its directions, its slots, where they are."""
    def alloc_multi_tile(self, result_type: _Type | None = ..., *, addr: _Number | None = ..., valid_row: _Number | None = ..., valid_col: _Number | None = ..., name: str | None = None) -> _Value:
        """Several tiles of one type; with an address, one after the other from there on."""
    def alloc_tile(self, result_type: _Type | None = ..., *, addr: _Number | None = ..., valid_row: _Number | None = ..., valid_col: _Number | None = ..., name: str | None = None) -> _Value:
        """A tile of local memory; its address and, where the type says `?`, its valid extents."""
    def barrier(self, pipe: _Pipe, *, name: str | None = None) -> None:
        """Complete the earlier operations of pipe `pipe` before its later ones start; PIPE_ALL: all pipes."""
    def barrier_sync(self, op_type: _SyncOpType, *, name: str | None = None) -> None:
        """A barrier of the pipe that instructions of the class `op_type` run on."""
    def bitcast(self, source: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The same bytes with another element type, in the shape, layout and valid extents of the source."""
    def castptr(self, input: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """A pointer to elements of another type in the same memory; or between a pointer and its address."""
    def cmo_cacheinvalid(self, *, addr: _Value | None = ..., space: _AddressSpace | None = ..., name: str | None = None) -> None:
        """Write back and drop what the scalar pipe's cache holds: all of it, or the 64 bytes at an address."""
    def comm_build_async_session(self, workspace: _Value, result_type: _Type | None = ..., *, scratch: _Value, sync_id: int | Attribute | None = ..., block_bytes: int | Attribute | None = ..., comm_block_offset: int | Attribute | None = ..., queue_num: int | Attribute | None = ..., channel_group_idx: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """A session of the DMA engine: `scratch` is for its control words, `workspace` was set up by the host."""
    def comm_tbroadcast(self, src: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`destination of rank r [i, j] = src[i, j]`: the root copies its data to all ranks."""
    def comm_test_async_event(self, event: _Value, session: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`completed` = whether an event has come."""
    def comm_tgather(self, dst: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`dst[r * H + i, j] = source of rank r [i, j]`: the root concatenates all ranks' rows."""
    def comm_tget(self, dst: _Value, src: _Value, *, staging: _Values = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j]`: the memory of another rank into local memory."""
    def comm_tget_async(self, dst: _Value, src: _Value, session: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Start `dst[i] = src[i]`: the memory of another rank into local memory."""
    def comm_tnotify(self, signal: _Value, value: _Value, notify_op: _NotifyOp, *, name: str | None = None) -> None:
        """`signal += value`, or `signal = value`: tells another rank that what came before has happened."""
    def comm_tput(self, dst: _Value, src: _Value, *, staging: _Values = ..., atomic_type: _AtomicType | None = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j]`, or an atomic addition: local memory into the memory of another rank."""
    def comm_tput_async(self, dst: _Value, src: _Value, session: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Start `dst[i] = src[i]`: local memory into the memory of another rank."""
    def comm_treduce(self, dst: _Value, *, group: _Values = ..., context: _Values = ..., acc: _Value | None = ..., staging: _Values = ..., op: _ReduceOp | None = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = op over ranks r of source of rank r [i, j]`: the root's own first, then the others."""
    def comm_tscatter(self, src: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., name: str | None = None) -> None:
        """`destination of rank r [i, j] = src[r * H + i, j]`: the root deals its rows out to all ranks."""
    def comm_ttest(self, signal: _Value, cmp_value: _Value, cmp: _WaitCmp, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result` = whether every element of `signal` compares with `cmp_value` as asked for, now."""
    def comm_twait(self, signal: _Value, cmp_value: _Value, cmp: _WaitCmp, *, name: str | None = None) -> None:
        """Wait until every element of `signal` compares with `cmp_value` as asked for."""
    def comm_wait_async_event(self, event: _Value, session: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Wait for an event; `completed` is true."""
    def declare_eventid_array(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """An array of event ids; elements are undefined until they are stored."""
    def declare_global(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """A view without an address, for `talloc` and `tpop` to bind to a slot."""
    def declare_local_array(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """An array of scalars; nothing is in it until it is set."""
    def declare_struct(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Fields of several types; nothing is in them until they are set. It stays in the function."""
    def declare_tile(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """A tile without an address, for `tpop` to bind to a slot."""
    def eventid_array_get(self, array: _Value, index: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result = array[index]`."""
    def eventid_array_set(self, array: _Value, index: _Number, value: _Number, *, name: str | None = None) -> None:
        """`array[index] = value`."""
    def fence_barrier_all(self, scope: _FenceScope, *, name: str | None = None) -> None:
        """All pipes end what they were given, and others see what was written to memory before."""
    def get_block_idx(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The number of this block, from 0."""
    def get_block_num(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The number of blocks that run this kernel."""
    def get_buf(self, buf_id: int | Attribute, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """The pipe of the class `op_type` takes the token `buf_id`: it waits until the holder releases it."""
    def get_buf_dyn(self, buf_id: _Number, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """`get_buf` of the token whose number is a value."""
    def get_prefetch_async_session(self, ctx: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The session of a context, for waiting."""
    def get_subblock_idx(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The number of this vector core in its block, from 0; 0 on the cube core."""
    def get_subblock_num(self, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The number of vector cores of this block; 1 on the cube core."""
    def get_tensor_view_dim(self, view: _Value, dim: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The extent of a view in one dimension."""
    def get_tensor_view_stride(self, view: _Value, dim: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The stride of a view in one dimension, in elements."""
    def get_validshape(self, tile: _Value, *, result_types: Sequence[_Type] = ..., name: str | None = None) -> tuple[_Value, _Value]:
        """The valid extents that a tile has now."""
    def import_reserved_buffer(self, buffer_name: str, peer_func: Attribute, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The address that function `peer_func` reserved under this name."""
    def initialize_l2g2l_pipe(self, gm_addr: _Value, dir_mask: int | Attribute, slot_size: int | Attribute, result_type: _Type | None = ..., *, local_addr: _Number | None = ..., peer_local_addr: _Number | None = ..., flag_base: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., name: str | None = None) -> _Value:
        """Declares a channel whose slots are in global memory; gives its handle."""
    def initialize_l2l_pipe(self, local_addr: _Number, dir_mask: int | Attribute, slot_size: int | Attribute, result_type: _Type | None = ..., *, peer_local_addr: _Number | None = ..., flag_base: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., name: str | None = None) -> _Value:
        """Declares a channel whose slots are in the consumer's memory; gives its handle."""
    def inttoptr(self, addr: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The pointer to an address, for single scalars."""
    def load_scalar(self, ptr: _Value, offset: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result = ptr[offset]`."""
    def local_array_get(self, array: _Value, result_type: _Type | None = ..., *, indices: _Values = ..., name: str | None = None) -> _Value:
        """`result = array[indices]`; later writes do not change it."""
    def local_array_set(self, array: _Value, value: _Number, *, indices: _Values = ..., name: str | None = None) -> None:
        """`array[indices] = value`."""
    def make_prefetch_async_context(self, workspace: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Create a context for prefetches from the `workspace` that the host set up."""
    @overload
    def mgather(self, mem: _Value, idx: _Value, result_type: _Type | None = ..., *, coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., name: str | None = None) -> _Value:
        """Gather from global memory. Row: `dst[r, :] = mem[idx[r], :]`; Elem: `dst[i, j] = mem[idx[i, j]]`."""
    @overload
    def mgather(self, mem: _Value, idx: _Value, dst: _Value, *, coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., name: str | None = None) -> None:
        """Gather from global memory. Row: `dst[r, :] = mem[idx[r], :]`; Elem: `dst[i, j] = mem[idx[i, j]]`."""
    def mgather_mat(self, mem: _Value, idx: _Value, dst: _Value, *, scratch: _Value | None = ..., coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., name: str | None = None) -> None:
        """Gather from global memory into L1, with indices in global memory: `mgather` with a view of indices."""
    def mscatter(self, src: _Value, idx: _Value, mem: _Value, *, coalesce: _Coalesce | None = ..., scatter_oob: _ScatterOOB | None = ..., scatter_atomic_op: _ScatterAtomicOp | None = ..., scatter_conflict: _ScatterConflict | None = ..., name: str | None = None) -> None:
        """Scatter to global memory. Row: `mem[idx[r], :] = src[r, :]`; Elem: `mem[idx[i, j]] = src[i, j]`."""
    def multi_tile_get(self, slot: _Number, result_type: _Type | None = ..., *, source: _Values = ..., name: str | None = None) -> _Value:
        """One of several tiles, by its number from 0 on."""
    def print(self, scalar: _Number, format: str, *, name: str | None = None) -> None:
        """Print a scalar in a text: `%d`, `%x` and so on in `format` stand for it, as in C."""
    def ptrtoint(self, ptr: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The address that a pointer points to, in bytes."""
    def record(self, result_type: _Type | None = ..., *, event_id: _Event | None = ..., name: str | None = None) -> _Value:
        """Record an event when the instruction before this is done."""
    def record_event(self, src_op: _SyncOpType, dst_op: _SyncOpType, event_id: _Event, *, name: str | None = None) -> None:
        """The pipe of the class `src_op` raises `event_id` for that of the class `dst_op`: `set_flag`"""
    def reserve_buffer(self, buffer_name: str, size: int | Attribute, space: _AddressSpace, auto: int | Attribute, result_type: _Type | None = ..., *, base: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """Keep `size` bytes of local memory free for a ring; the result is their address."""
    def rls_buf(self, buf_id: int | Attribute, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """The pipe of the class `op_type` gives the token `buf_id` back when it has done what it was given."""
    def rls_buf_dyn(self, buf_id: _Number, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """`rls_buf` of the token whose number is a value."""
    def section_cube(self, *, name: str | None = None) -> None:
        """A region that runs on the cube core only."""
    def section_vector(self, *, name: str | None = None) -> None:
        """A region that runs on the vector cores only."""
    def set_cross_block(self, event_id: int | Attribute, pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `pipe` has come to `event_id`; when all cores of its kind have, each of them may go on."""
    def set_ffts(self, ffts: _Value, *, name: str | None = None) -> None:
        """Set the address of the counters between cores; once, before the first of them is used."""
    def set_flag(self, src_pipe: _Pipe, dst_pipe: _Pipe, event_id: _Event, *, name: str | None = None) -> None:
        """Pipe `src_pipe` raises `event_id` for pipe `dst_pipe`, after all that it was given before."""
    def set_flag_dyn(self, event_id: _Number, src_pipe: _Pipe, dst_pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `src_pipe` raises the event of that number for pipe `dst_pipe`; the number is a value."""
    def set_intra_block(self, event_id: int | Attribute, pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `pipe` adds one to counter `event_id` of the other kind of core in this block."""
    def set_quant_scalar(self, scale: _Number, *, id: int | Attribute | None = ..., name: str | None = None) -> None:
        """One scale for all that is pushed through channel `id` from here on."""
    def set_quant_vector(self, scales: _Value, *, id: int | Attribute | None = ..., name: str | None = None) -> None:
        """A scale for each column of tiles pushed through channel `id` from now on."""
    def set_validshape(self, tile: _Value, row: _Number, col: _Number, *, name: str | None = None) -> None:
        """Change the valid extents of a tile whose type leaves them open."""
    def store_scalar(self, value: _Number, ptr: _Value, offset: _Number, *, name: str | None = None) -> None:
        """`ptr[offset] = value`."""
    def struct_get(self, struct: _Value, path: Sequence[int], result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result = struct.path`; later writes do not change it."""
    def struct_set(self, struct: _Value, value: _Number, path: Sequence[int], *, name: str | None = None) -> None:
        """`struct.path = value`."""
    def subview(self, source: _Value, sizes: Sequence[int], result_type: _Type | None = ..., *, offsets: _Values = ..., valid: _Values = ..., name: str | None = None) -> _Value:
        """A window of a tile; it shares the tile's bytes and row stride."""
    def sync_set(self, pipe: _Pipe, *, event_id_dyn: _Number | None = ..., event_id: int | Attribute | None = ..., ffts_mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """Pipe `pipe` sets a counter of the group `ffts_mode`: 0, all cores of its kind; 1, the vector cores of"""
    def sync_wait(self, pipe: _Pipe, *, event_id_dyn: _Number | None = ..., event_id: int | Attribute | None = ..., ffts_mode: int | Attribute | None = ..., name: str | None = None) -> None:
        """Pipe `pipe` waits for a counter of the group `ffts_mode`, and takes one from it."""
    def syncall(self, mode: _SyncAllMode, core_type: _SyncCoreType, *, workspace: _Value | None = ..., used_cores: _Value | None = ..., name: str | None = None) -> None:
        """All cores of the kind `core_type` in the launch wait for each other; `soft`: by a counter in memory."""
    @overload
    def tabs(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = |src[i, j]|`."""
    @overload
    def tabs(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = |src[i, j]|`."""
    @overload
    def tadd(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + src1[i, j]`."""
    @overload
    def tadd(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`."""
    @overload
    def taddc(self, src0: _Value, src1: _Value, src2: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + src1[i, j] + src2[i, j]`, rounded after each sum."""
    @overload
    def taddc(self, src0: _Value, src1: _Value, src2: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j] + src2[i, j]`, rounded after each sum."""
    @overload
    def tadddeqrelu(self, src0: _Value, src1: _Value, scale: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = f16(max((src0[i, j] + src1[i, j]) * scale, 0))` of integers."""
    @overload
    def tadddeqrelu(self, src0: _Value, src1: _Value, scale: _Number, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = f16(max((src0[i, j] + src1[i, j]) * scale, 0))` of integers."""
    @overload
    def taddrelu(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j] + src1[i, j], 0)`."""
    @overload
    def taddrelu(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j] + src1[i, j], 0)`."""
    @overload
    def taddreluconv(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = convert(max(src0[i, j] + src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def taddreluconv(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = convert(max(src0[i, j] + src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def tadds(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] + scalar`."""
    @overload
    def tadds(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] + scalar`."""
    @overload
    def taddsc(self, src0: _Value, scalar: _Number, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + scalar + src1[i, j]`, rounded after each sum."""
    @overload
    def taddsc(self, src0: _Value, scalar: _Number, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + scalar + src1[i, j]`, rounded after each sum."""
    def talloc(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, name: str | None = None) -> None:
        """Bind a declared view to the next empty slot of the channel of a handle."""
    def talloc_to_aic(self, split: int | Attribute, result_type: _Type | None = ..., *, id: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """A view of the next empty slot of a channel of views, for a vector core to store into."""
    def talloc_to_aiv(self, split: int | Attribute, result_type: _Type | None = ..., *, id: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """A view of the next empty slot of a channel of views, for the cube core to store into."""
    @overload
    def tand(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] & src1[i, j]`."""
    @overload
    def tand(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] & src1[i, j]`."""
    @overload
    def tands(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] & scalar`."""
    @overload
    def tands(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] & scalar`."""
    def tassign(self, tile: _Value, result_type: _Type | None = ..., *, addr: _Number | None = ..., address: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """Bind a tile to an address of its memory: `tassign %t, @tile(0x1000)`."""
    def taxpy(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = dst[i, j] + src[i, j] * scalar`; the destination may be wider than the source."""
    @overload
    def tci(self, start: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., descending: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""
    @overload
    def tci(self, start: _Number, dst: _Value, *, tmp: _Value | None = ..., descending: int | Attribute | None = ..., name: str | None = None) -> None:
        """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""
    @overload
    def tcmp(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, cmp_mode: _CmpMode | None = ..., name: str | None = None) -> _Value:
        """`dst.bit[i, j] = src0[i, j] <cmpMode> src1[i, j]`; without a mode, whether they are equal."""
    @overload
    def tcmp(self, src0: _Value, src1: _Value, dst: _Value, *, cmp_mode: _CmpMode | None = ..., name: str | None = None) -> None:
        """`dst.bit[i, j] = src0[i, j] <cmpMode> src1[i, j]`; without a mode, whether they are equal."""
    @overload
    def tcmps(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, cmp_mode: _CmpMode | None = ..., name: str | None = None) -> _Value:
        """`dst.bit[i, j] = src[i, j] <cmpMode> scalar`; without a mode, whether they are equal."""
    @overload
    def tcmps(self, src: _Value, scalar: _Number, dst: _Value, *, cmp_mode: _CmpMode | None = ..., name: str | None = None) -> None:
        """`dst.bit[i, j] = src[i, j] <cmpMode> scalar`; without a mode, whether they are equal."""
    @overload
    def tcolargmax(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = the first i with the largest src[i, j]`."""
    @overload
    def tcolargmax(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = the first i with the largest src[i, j]`."""
    @overload
    def tcolargmin(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = the first i with the smallest src[i, j]`."""
    @overload
    def tcolargmin(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = the first i with the smallest src[i, j]`."""
    @overload
    def tcolexpand(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""
    @overload
    def tcolexpand(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""
    @overload
    def tcolexpandadd(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + src1[0, j]`."""
    @overload
    def tcolexpandadd(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + src1[0, j]`."""
    @overload
    def tcolexpanddiv(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] / src1[0, j]`."""
    @overload
    def tcolexpanddiv(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] / src1[0, j]`."""
    @overload
    def tcolexpandexpdif(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = exp(src0[i, j] - src1[0, j])`."""
    @overload
    def tcolexpandexpdif(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[0, j])`."""
    @overload
    def tcolexpandmax(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j], src1[0, j])`."""
    @overload
    def tcolexpandmax(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j], src1[0, j])`."""
    @overload
    def tcolexpandmin(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = min(src0[i, j], src1[0, j])`."""
    @overload
    def tcolexpandmin(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = min(src0[i, j], src1[0, j])`."""
    @overload
    def tcolexpandmul(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] * src1[0, j]`."""
    @overload
    def tcolexpandmul(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * src1[0, j]`."""
    @overload
    def tcolexpandsub(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - src1[0, j]`."""
    @overload
    def tcolexpandsub(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - src1[0, j]`."""
    @overload
    def tcolmax(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[0, j] = max over i of src[i, j]`."""
    @overload
    def tcolmax(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[0, j] = max over i of src[i, j]`."""
    @overload
    def tcolmin(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[0, j] = min over i of src[i, j]`."""
    @overload
    def tcolmin(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[0, j] = min over i of src[i, j]`."""
    @overload
    def tcolprod(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[0, j] = product over i of src[i, j]`."""
    @overload
    def tcolprod(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[0, j] = product over i of src[i, j]`."""
    @overload
    def tcolsum(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., is_binary: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = sum over i of src[i, j]`: one by one, or with `isBinary` in pairs, which `tmp` holds."""
    @overload
    def tcolsum(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., is_binary: int | Attribute | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = sum over i of src[i, j]`: one by one, or with `isBinary` in pairs, which `tmp` holds."""
    @overload
    def tconcat(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Concatenate the valid columns of `src0` and `src1`, row by row."""
    @overload
    def tconcat(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """Concatenate the valid columns of `src0` and `src1`, row by row."""
    @overload
    def tconcatidx(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Each row of `dst` is the first columns of the row of `src0`, then those of `src1`."""
    @overload
    def tconcatidx(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, name: str | None = None) -> None:
        """Each row of `dst` is the first columns of the row of `src0`, then those of `src1`."""
    @overload
    def tcvt(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., rmode: _RoundMode | None = ..., satmode: _SaturationMode | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the"""
    @overload
    def tcvt(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., rmode: _RoundMode | None = ..., satmode: _SaturationMode | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the"""
    @overload
    def tdeinterleave(self, src0: _Value, result_type: _Type | None = ..., *, src1: _Value | None = ..., result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """Even columns of `src0`, then of `src1`, in `dst`; odd ones in `dst1`. Without `src1` the columns of"""
    @overload
    def tdeinterleave(self, src0: _Value, dst: _Value, *, dst1: _Value | None = ..., src1: _Value | None = ..., name: str | None = None) -> None:
        """Even columns of `src0`, then of `src1`, in `dst`; odd ones in `dst1`. Without `src1` the columns of"""
    @overload
    def tdequant(self, src: _Value, scale: _Value, offset: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = (src[i, j] - offset[i, 0]) * scale[i, 0]`."""
    @overload
    def tdequant(self, src: _Value, scale: _Value, offset: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = (src[i, j] - offset[i, 0]) * scale[i, 0]`."""
    @overload
    def tdiv(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] / src1[i, j]`."""
    @overload
    def tdiv(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`."""
    @overload
    def tdivs(self, src: _Value, result_type: _Type | None = ..., *, dividend: _Number | None = ..., divisor: _Number | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] / scalar`, or `scalar / src[i, j]` where the scalar comes first."""
    @overload
    def tdivs(self, src: _Value, dst: _Value, *, dividend: _Number | None = ..., divisor: _Number | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] / scalar`, or `scalar / src[i, j]` where the scalar comes first."""
    @overload
    def texp(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = exp(src[i, j])`."""
    @overload
    def texp(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = exp(src[i, j])`."""
    @overload
    def texpands(self, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = scalar`."""
    @overload
    def texpands(self, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = scalar`."""
    @overload
    def textract(self, src: _Value, row: _Number, col: _Number, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[row + i, col + j]`; out of the accumulator it may convert."""
    @overload
    def textract(self, src: _Value, row: _Number, col: _Number, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[row + i, col + j]`; out of the accumulator it may convert."""
    @overload
    def tfillpad(self, src: _Value, result_type: _Type | None = ..., *, pad_value: _PadValue | None = ..., mode: str | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a"""
    @overload
    def tfillpad(self, src: _Value, dst: _Value, *, pad_value: _PadValue | None = ..., mode: str | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a"""
    @overload
    def tfmod(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - trunc(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the dividend."""
    @overload
    def tfmod(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - trunc(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the dividend."""
    @overload
    def tfmods(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] - trunc(src[i, j] / scalar) * scalar`: the sign of the dividend."""
    @overload
    def tfmods(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] - trunc(src[i, j] / scalar) * scalar`: the sign of the dividend."""
    def tfree(self, pipe_handle: _Value, split: int | Attribute, *, entry: _Value | None = ..., name: str | None = None) -> None:
        """Give back the slot that was popped first from the channel of a handle."""
    def tfree_from_aic(self, split: int | Attribute, *, entry: _Value | None = ..., id: int | Attribute | None = ..., name: str | None = None) -> None:
        """A vector core gives back the slot that it has popped first: its tile is no longer there."""
    def tfree_from_aiv(self, split: int | Attribute, *, entry: _Value | None = ..., id: int | Attribute | None = ..., name: str | None = None) -> None:
        """The cube core gives back the slot that it has popped first: its tile is no longer there."""
    def tfusedmuladd(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * dst[i, j] + src1[i, j]`."""
    def tfusedmuladdrelu(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j] * dst[i, j] + src1[i, j], 0)`."""
    @overload
    def tgather(self, src: _Value, result_type: _Type | None = ..., *, indices: _Value | None = ..., threshold: _Number | None = ..., tmp: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., cmp_mode: _CmpMode | None = ..., offset: int | Attribute | None = ..., result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """Gather within tiles, in three forms."""
    @overload
    def tgather(self, src: _Value, dst: _Value, *, cdst: _Value | None = ..., indices: _Value | None = ..., threshold: _Number | None = ..., tmp: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., cmp_mode: _CmpMode | None = ..., offset: int | Attribute | None = ..., name: str | None = None) -> None:
        """Gather within tiles, in three forms."""
    @overload
    def tgatherb(self, src: _Value, offsets: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Gather 32-byte blocks: block `b` of row `i` of `dst` is the block of `src` at byte `offsets[i, b]`."""
    @overload
    def tgatherb(self, src: _Value, offsets: _Value, dst: _Value, *, name: str | None = None) -> None:
        """Gather 32-byte blocks: block `b` of row `i` of `dst` is the block of `src` at byte `offsets[i, b]`."""
    @overload
    def tgemv(self, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = sum over k of lhs[0, k] * rhs[k, j]`: a vector times a matrix."""
    @overload
    def tgemv(self, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = sum over k of lhs[0, k] * rhs[k, j]`: a vector times a matrix."""
    @overload
    def tgemv_acc(self, acc_in: _Value, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = acc_in[0, j] + sum over k of lhs[0, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def tgemv_acc(self, acc_in: _Value, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = acc_in[0, j] + sum over k of lhs[0, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def tgemv_bias(self, lhs: _Value, rhs: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[0, j] = bias[0, j] + sum over k of lhs[0, k] * rhs[k, j]`."""
    @overload
    def tgemv_bias(self, lhs: _Value, rhs: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[0, j] = bias[0, j] + sum over k of lhs[0, k] * rhs[k, j]`."""
    @overload
    def tgemv_mx(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """As `tmatmul.mx`, of one row."""
    @overload
    def tgemv_mx(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """As `tmatmul.mx`, of one row."""
    @overload
    def tgemv_mx_acc(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """As `tmatmul.mx.acc`, of one row."""
    @overload
    def tgemv_mx_acc(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """As `tmatmul.mx.acc`, of one row."""
    @overload
    def tgemv_mx_bias(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """As `tmatmul.mx.bias`, of one row."""
    @overload
    def tgemv_mx_bias(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """As `tmatmul.mx.bias`, of one row."""
    def tget_scale_addr(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """Bind a tile of scales to the address at which the matrix unit looks for those of an operand."""
    def tgetval(self, src: _Value, offset: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`result = src.flat[offset]`, in the order of the tile's bytes."""
    @overload
    def thistogram(self, src: _Value, idx: _Value, result_type: _Type | None = ..., *, byte: int | Attribute | None = ..., is_msb: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """`dst[i, b]`: how many elements of row `i` have a byte number `byte` of at most `b`, among those whose"""
    @overload
    def thistogram(self, src: _Value, idx: _Value, dst: _Value, *, byte: int | Attribute | None = ..., is_msb: int | Attribute | None = ..., name: str | None = None) -> None:
        """`dst[i, b]`: how many elements of row `i` have a byte number `byte` of at most `b`, among those whose"""
    def tile_buf_addr(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The pointer to the first element of a tile in the unified buffer, for single scalars."""
    def tile_valid_cols(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The current number of valid columns of a tile."""
    def tile_valid_rows(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The current number of valid rows of a tile."""
    @overload
    def tinsert(self, src: _Value, row: _Number, col: _Number, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tinsert_mode: _TInsertMode | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> _Value:
        """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays. Out of the accumulator it may"""
    @overload
    def tinsert(self, src: _Value, row: _Number, col: _Number, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tinsert_mode: _TInsertMode | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> None:
        """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays. Out of the accumulator it may"""
    @overload
    def tinterleave(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """Columns of `src0` and `src1` in turn: the first half of the sequence in `dst`, the second in `dst1`."""
    @overload
    def tinterleave(self, src0: _Value, src1: _Value, dst: _Value, *, dst1: _Value | None = ..., name: str | None = None) -> None:
        """Columns of `src0` and `src1` in turn: the first half of the sequence in `dst`, the second in `dst1`."""
    @overload
    def tload(self, mem: _Value, result_type: _Type | None = ..., *, layout: _Layout | None = ..., cache_policy: _LoadCachePolicy | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""
    @overload
    def tload(self, mem: _Value, dst: _Value, *, layout: _Layout | None = ..., cache_policy: _LoadCachePolicy | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""
    @overload
    def tlog(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = log(src[i, j])`, the natural logarithm."""
    @overload
    def tlog(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = log(src[i, j])`, the natural logarithm."""
    @overload
    def tlrelu(self, src: _Value, slope: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] if src[i, j] > 0 else src[i, j] * slope`; the slope may be f32 for any tile."""
    @overload
    def tlrelu(self, src: _Value, slope: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] if src[i, j] > 0 else src[i, j] * slope`; the slope may be f32 for any tile."""
    @overload
    def tmatmul(self, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def tmatmul(self, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def tmatmul_acc(self, acc_in: _Value, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = acc_in[i, j] + sum over k of lhs[i, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def tmatmul_acc(self, acc_in: _Value, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = acc_in[i, j] + sum over k of lhs[i, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def tmatmul_bias(self, lhs: _Value, rhs: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = bias[0, j] + sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def tmatmul_bias(self, lhs: _Value, rhs: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = bias[0, j] + sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def tmatmul_mx(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = sum over k of a[i, k] * b[k, j]`, with `a = lhs * lhs_scale` and `b = rhs * rhs_scale`: a"""
    @overload
    def tmatmul_mx(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = sum over k of a[i, k] * b[k, j]`, with `a = lhs * lhs_scale` and `b = rhs * rhs_scale`: a"""
    @overload
    def tmatmul_mx_acc(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """As `tmatmul.mx`, added to `acc_in`, which is `dst`."""
    @overload
    def tmatmul_mx_acc(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """As `tmatmul.mx`, added to `acc_in`, which is `dst`."""
    @overload
    def tmatmul_mx_bias(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> _Value:
        """As `tmatmul.mx`, added to `bias[0, j]`."""
    @overload
    def tmatmul_mx_bias(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., name: str | None = None) -> None:
        """As `tmatmul.mx`, added to `bias[0, j]`."""
    @overload
    def tmax(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`."""
    @overload
    def tmax(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`."""
    @overload
    def tmaxs(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src[i, j], scalar)`."""
    @overload
    def tmaxs(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src[i, j], scalar)`."""
    @overload
    def tmin(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`."""
    @overload
    def tmin(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`."""
    @overload
    def tmins(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = min(src[i, j], scalar)`."""
    @overload
    def tmins(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = min(src[i, j], scalar)`."""
    @overload
    def tmov(self, src: _Value, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tmp: _Value | None = ..., group_axis: _MxGroupAxis | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert. With a"""
    @overload
    def tmov(self, src: _Value, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tmp: _Value | None = ..., group_axis: _MxGroupAxis | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert. With a"""
    @overload
    def tmrgsort(self, result_type: _Type | None = ..., *, srcs: _Values = ..., block_len: _Number | None = ..., excuted: _Value | None = ..., tmp: _Value | None = ..., exhausted: int | Attribute | None = ..., no_tmp: bool | None = ..., name: str | None = None) -> _Value:
        """Sorted lists of pairs merged into one. With `block_len` every four neighbouring blocks of `srcs`, of so"""
    @overload
    def tmrgsort(self, dst: _Value, *, srcs: _Values = ..., block_len: _Number | None = ..., excuted: _Value | None = ..., tmp: _Value | None = ..., exhausted: int | Attribute | None = ..., no_tmp: bool | None = ..., name: str | None = None) -> None:
        """Sorted lists of pairs merged into one. With `block_len` every four neighbouring blocks of `srcs`, of so"""
    @overload
    def tmul(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] * src1[i, j]`."""
    @overload
    def tmul(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`."""
    def tmuladddst(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j] + dst[i, j]`."""
    @overload
    def tmuls(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] * scalar`."""
    @overload
    def tmuls(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] * scalar`."""
    @overload
    def tneg(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = -src[i, j]`."""
    @overload
    def tneg(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = -src[i, j]`."""
    @overload
    def tnot(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = ~src[i, j]`."""
    @overload
    def tnot(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = ~src[i, j]`."""
    @overload
    def tor(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] | src1[i, j]`."""
    @overload
    def tor(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] | src1[i, j]`."""
    @overload
    def tors(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] | scalar`."""
    @overload
    def tors(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] | scalar`."""
    @overload
    def tpairreducesum(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, k] = src[i, 2k] + src[i, 2k + 1]` in the first half of the columns."""
    @overload
    def tpairreducesum(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, k] = src[i, 2k] + src[i, 2k + 1]` in the first half of the columns."""
    @overload
    def tpartadd(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + src1[i, j]` where both are valid, else the one that is."""
    @overload
    def tpartadd(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]` where both are valid, else the one that is."""
    @overload
    def tpartargmax(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """`dst[i, j] = src0[i, j] > src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def tpartargmax(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, dst_idx: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] > src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def tpartargmin(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """`dst[i, j] = src0[i, j] < src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def tpartargmin(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, dst_idx: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] < src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def tpartmax(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def tpartmax(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def tpartmin(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = min(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def tpartmin(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def tpartmul(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] * src1[i, j]` where both are valid, else the one that is."""
    @overload
    def tpartmul(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]` where both are valid, else the one that is."""
    def tpop(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, name: str | None = None) -> None:
        """Bind a declared tile or view to the next full slot of the channel of a handle."""
    def tpop_from_aic(self, split: int | Attribute, result_type: _Type | None = ..., *, valid_row: _Number | None = ..., valid_col: _Number | None = ..., aiv_subblockid: _Number | None = ..., id: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """A vector core takes the next tile that the cube core has pushed, or its half of it."""
    def tpop_from_aiv(self, split: int | Attribute, result_type: _Type | None = ..., *, valid_row: _Number | None = ..., valid_col: _Number | None = ..., id: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """The cube core takes the next tile that the vector cores have pushed."""
    @overload
    def tpow(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] ** src1[i, j]`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def tpow(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] ** src1[i, j]`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def tpows(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] ** scalar`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def tpows(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] ** scalar`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def tprefetch(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j]`, begun ahead of its use: a block of global memory into a tile."""
    @overload
    def tprefetch(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j]`, begun ahead of its use: a block of global memory into a tile."""
    def tprefetch_async(self, src: _Value, ctx: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """Start bringing `src` into the cache, for a later load; no data changes."""
    @overload
    def tprelu(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] if src0[i, j] > 0 else src0[i, j] * src1[i, j]`."""
    @overload
    def tprelu(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] if src0[i, j] > 0 else src0[i, j] * src1[i, j]`."""
    def tprint(self, src: _Value, *, tmp: _Value | None = ..., print_format: _PrintFormat | None = ..., name: str | None = None) -> None:
        """Print a tile's valid region, or a view, for debugging. A tile outside the unified buffer goes through"""
    def tpush(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, name: str | None = None) -> None:
        """Push a tile, or a view that was filled, through the channel of a handle."""
    def tpush_to_aic(self, entry: _Value, split: int | Attribute, *, aiv_subblockid: _Number | None = ..., id: int | Attribute | None = ..., name: str | None = None) -> None:
        """A vector core pushes a tile to the cube core, or a view that it has filled."""
    def tpush_to_aiv(self, entry: _Value, split: int | Attribute, *, id: int | Attribute | None = ..., name: str | None = None) -> None:
        """The cube core pushes an accumulator to the vector cores, or a view that it has filled."""
    @overload
    def tquant(self, src: _Value, fp: _Value, quant_type: _QuantType, result_type: _Type | None = ..., *, offset: _Value | None = ..., tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = round(src[i, j] * fp[i, 0])` from -128 to 127 (`INT8_SYM`), or"""
    @overload
    def tquant(self, src: _Value, fp: _Value, dst: _Value, quant_type: _QuantType, *, offset: _Value | None = ..., tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = round(src[i, j] * fp[i, 0])` from -128 to 127 (`INT8_SYM`), or"""
    @overload
    def tquant_mx(self, src: _Value, quant_type: _QuantType, result_type: _Type | None = ..., *, scale_alg: _QuantScaleAlg | None = ..., group_axis: _MxGroupAxis | None = ..., interleave: int | Attribute | None = ..., store_mode: _VecStoreMode | None = ..., result_types: Sequence[_Type] = ..., name: str | None = None) -> Any:
        """Blocks of 32 numbers along `grpAxis` with one scale each, a power of two: `dst` holds the numbers times"""
    @overload
    def tquant_mx(self, src: _Value, dst: _Value, quant_type: _QuantType, *, exp: _Value | None = ..., max: _Value | None = ..., scaling: _Value | None = ..., exp_zz: _Value | None = ..., scale_alg: _QuantScaleAlg | None = ..., group_axis: _MxGroupAxis | None = ..., interleave: int | Attribute | None = ..., store_mode: _VecStoreMode | None = ..., name: str | None = None) -> None:
        """Blocks of 32 numbers along `grpAxis` with one scale each, a power of two: `dst` holds the numbers times"""
    @overload
    def trandom(self, k0: _Number, k1: _Number, c0: _Number, c1: _Number, c2: _Number, c3: _Number, result_type: _Type | None = ..., *, rounds: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """Random bits: Philox 4x32 with the key `k0 k1`, counting from `c0 c1 c2 c3`, `c0` the lowest."""
    @overload
    def trandom(self, k0: _Number, k1: _Number, c0: _Number, c1: _Number, c2: _Number, c3: _Number, dst: _Value, *, rounds: int | Attribute | None = ..., name: str | None = None) -> None:
        """Random bits: Philox 4x32 with the key `k0 k1`, counting from `c0 c1 c2 c3`, `c0` the lowest."""
    def trap(self, *, name: str | None = None) -> None:
        """Stop the program because an assumption is violated."""
    @overload
    def trecip(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = 1 / src[i, j]`."""
    @overload
    def trecip(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = 1 / src[i, j]`."""
    @overload
    def trelu(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src[i, j], 0)`."""
    @overload
    def trelu(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src[i, j], 0)`."""
    @overload
    def trem(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - floor(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the divisor."""
    @overload
    def trem(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - floor(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the divisor."""
    @overload
    def trems(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] - floor(src[i, j] / scalar) * scalar`: the sign of the divisor."""
    @overload
    def trems(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] - floor(src[i, j] / scalar) * scalar`: the sign of the divisor."""
    def treshape(self, source: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """The same bytes in another shape, layout or element type. Where its type leaves them open, the valid"""
    @overload
    def trowargmax(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = the first j with the largest src[i, j]`."""
    @overload
    def trowargmax(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = the first j with the largest src[i, j]`."""
    @overload
    def trowargmin(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = the first j with the smallest src[i, j]`."""
    @overload
    def trowargmin(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = the first j with the smallest src[i, j]`."""
    @overload
    def trowexpand(self, src: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""
    @overload
    def trowexpand(self, src: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""
    @overload
    def trowexpandadd(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] + src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpandadd(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpanddiv(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] / src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpanddiv(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpandexpdif(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = exp(src0[i, j] - src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandexpdif(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandmax(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandmax(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandmin(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandmin(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def trowexpandmul(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] * src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpandmul(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpandsub(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowexpandsub(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`, one source repeated along the rows."""
    @overload
    def trowmax(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = max over j of src[i, j]`."""
    @overload
    def trowmax(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = max over j of src[i, j]`."""
    @overload
    def trowmin(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = min over j of src[i, j]`."""
    @overload
    def trowmin(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = min over j of src[i, j]`."""
    @overload
    def trowprod(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = product over j of src[i, j]`."""
    @overload
    def trowprod(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = product over j of src[i, j]`."""
    @overload
    def trowsum(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, 0] = sum over j of src[i, j]`."""
    @overload
    def trowsum(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, 0] = sum over j of src[i, j]`."""
    @overload
    def trsqrt(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = 1 / sqrt(src[i, j])`; on some targets more precise with a scratch tile."""
    @overload
    def trsqrt(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = 1 / sqrt(src[i, j])`; on some targets more precise with a scratch tile."""
    @overload
    def tscatter(self, src: _Value, result_type: _Type | None = ..., *, idx: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., name: str | None = None) -> _Value:
        """Scatter within tiles. Index: `dst[idx[i, j]] = src[i, j]`, `idx` counting elements of `dst`. Mask:"""
    @overload
    def tscatter(self, src: _Value, dst: _Value, *, idx: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., name: str | None = None) -> None:
        """Scatter within tiles. Index: `dst[idx[i, j]] = src[i, j]`, `idx` counting elements of `dst`. Mask:"""
    @overload
    def tsel(self, mask: _Value, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = mask.bit[i, j] ? src0[i, j] : src1[i, j]`."""
    @overload
    def tsel(self, mask: _Value, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src0[i, j] : src1[i, j]`."""
    @overload
    def tsels(self, mask: _Value, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = mask.bit[i, j] ? src[i, j] : scalar`."""
    @overload
    def tsels(self, mask: _Value, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src[i, j] : scalar`."""
    def tsetval(self, offset: _Number, value: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst.flat[offset] = value`, in the order of the tile's bytes; all else of it stays."""
    @overload
    def tshl(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] << src1[i, j]`."""
    @overload
    def tshl(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] << src1[i, j]`."""
    @overload
    def tshls(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] << scalar`."""
    @overload
    def tshls(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] << scalar`."""
    @overload
    def tshr(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] >> src1[i, j]`; a signed number keeps its sign."""
    @overload
    def tshr(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] >> src1[i, j]`; a signed number keeps its sign."""
    @overload
    def tshrs(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] >> scalar`; a signed number keeps its sign."""
    @overload
    def tshrs(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] >> scalar`; a signed number keeps its sign."""
    @overload
    def tsort32(self, src: _Value, idx: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """Sort every 32 elements of each row of `src` in descending order, as pairs with their indices `idx`."""
    @overload
    def tsort32(self, src: _Value, idx: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """Sort every 32 elements of each row of `src` in descending order, as pairs with their indices `idx`."""
    @overload
    def tsqrt(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = sqrt(src[i, j])`."""
    @overload
    def tsqrt(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = sqrt(src[i, j])`."""
    def tstore(self, src: _Value, mem: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., atomic_type: _AtomicType | None = ..., relu_pre_mode: _ReluPreMode | None = ..., st_phase: _STPhase | None = ..., layout: _Layout | None = ..., name: str | None = None) -> None:
        """`mem[i, j] = src[i, j]`, or an atomic addition: a tile's valid region into global memory. Out of the"""
    @overload
    def tsub(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - src1[i, j]`."""
    @overload
    def tsub(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`."""
    @overload
    def tsubc(self, src0: _Value, src1: _Value, src2: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - src1[i, j] + src2[i, j]`, rounded after each step."""
    @overload
    def tsubc(self, src0: _Value, src1: _Value, src2: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j] + src2[i, j]`, rounded after each step."""
    @overload
    def tsubrelu(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = max(src0[i, j] - src1[i, j], 0)`."""
    @overload
    def tsubrelu(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = max(src0[i, j] - src1[i, j], 0)`."""
    @overload
    def tsubreluconv(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = convert(max(src0[i, j] - src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def tsubreluconv(self, src0: _Value, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = convert(max(src0[i, j] - src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def tsubs(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] - scalar`."""
    @overload
    def tsubs(self, src: _Value, scalar: _Number, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] - scalar`."""
    @overload
    def tsubsc(self, src0: _Value, scalar: _Number, src1: _Value, result_type: _Type | None = ..., *, name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] - scalar + src1[i, j]`, rounded after each step."""
    @overload
    def tsubsc(self, src0: _Value, scalar: _Number, src1: _Value, dst: _Value, *, name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] - scalar + src1[i, j]`, rounded after each step."""
    def tsync(self, event: _Value, *, name: str | None = None) -> None:
        """Let the instruction after this wait for an event."""
    @overload
    def ttrans(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[j, i] = src[i, j]`."""
    @overload
    def ttrans(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[j, i] = src[i, j]`."""
    @overload
    def ttri(self, diag: _Number, result_type: _Type | None = ..., *, upper_or_lower: int | Attribute | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = 1` where `j <= i + diag` (`upperOrLower = 0`) or `j >= i + diag` (`1`), elsewhere 0."""
    @overload
    def ttri(self, diag: _Number, dst: _Value, *, upper_or_lower: int | Attribute | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = 1` where `j <= i + diag` (`upperOrLower = 0`) or `j >= i + diag` (`1`), elsewhere 0."""
    @overload
    def txor(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src0[i, j] ^ src1[i, j]`."""
    @overload
    def txor(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src0[i, j] ^ src1[i, j]`."""
    @overload
    def txors(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., name: str | None = None) -> _Value:
        """`dst[i, j] = src[i, j] ^ scalar`."""
    @overload
    def txors(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., name: str | None = None) -> None:
        """`dst[i, j] = src[i, j] ^ scalar`."""
    def wait_cross_block(self, event_id: int | Attribute, pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `pipe` waits until all cores of its kind have come to `event_id`."""
    def wait_event(self, src_op: _SyncOpType, dst_op: _SyncOpType, event_id: _Event, *, name: str | None = None) -> None:
        """The pipe of the class `dst_op` waits for `event_id` of that of the class `src_op`: `wait_flag` by"""
    def wait_flag(self, src_pipe: _Pipe, dst_pipe: _Pipe, event_id: _Event, *, name: str | None = None) -> None:
        """Pipe `dst_pipe` waits until `src_pipe` has raised `event_id`, and takes it down."""
    def wait_flag_dyn(self, event_id: _Number, src_pipe: _Pipe, dst_pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `dst_pipe` waits for the event of that number of `src_pipe`; the number is a value."""
    def wait_intra_block(self, event_id: int | Attribute, pipe: _Pipe, *, name: str | None = None) -> None:
        """Pipe `pipe` waits for counter `event_id` from the other kind of core in this block, and takes one."""
