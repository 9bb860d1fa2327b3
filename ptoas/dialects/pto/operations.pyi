# Made from the dialect by `python -m ptoas.editors`.
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, TypeAlias, overload

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue

from ptoas.dialects.pto import views as _views
from ptoas.dialects.pto import multi_tile as _multi_tile
from ptoas.dialects.pto import memory as _memory
from ptoas.dialects.pto import scalar as _scalar
from ptoas.dialects.pto import pointers as _pointers
from ptoas.dialects.pto import arrays as _arrays
from ptoas.dialects.pto import gather as _gather
from ptoas.dialects.pto import elementwise as _elementwise
from ptoas.dialects.pto import tile_scalar as _tile_scalar
from ptoas.dialects.pto import fused as _fused
from ptoas.dialects.pto import expand as _expand
from ptoas.dialects.pto import reduce as _reduce
from ptoas.dialects.pto import compare as _compare
from ptoas.dialects.pto import partial as _partial
from ptoas.dialects.pto import generate as _generate
from ptoas.dialects.pto import quant as _quant
from ptoas.dialects.pto import sort as _sort
from ptoas.dialects.pto import movement as _movement
from ptoas.dialects.pto import matmul as _matmul
from ptoas.dialects.pto import debug as _debug
from ptoas.dialects.pto import sync as _sync
from ptoas.dialects.pto import core_sync as _core_sync
from ptoas.dialects.pto import channel as _channel
from ptoas.dialects.pto import comm as _comm
from ptoas.dialects.pto import remote as _remote
from ptoas.dialects.pto import asynchronous as _asynchronous

_Value: TypeAlias = SSAValue | Operation
_Number: TypeAlias = _Value
_Values: TypeAlias = _Value | Sequence[_Value]
_Type: TypeAlias = Attribute
_Attributes: TypeAlias = Mapping[str, Attribute | None] | None
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

class MakeTensorViewOp(_views.MakeTensorViewOp):
    def __init__(self, ptr: _Value, result_type: _Type | None = ..., *, shape: _Values = ..., strides: _Values = ..., layout: _Layout | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A view of the tensor at a pointer: its shape, and its strides in elements."""

class PartitionViewOp(_views.PartitionViewOp):
    def __init__(self, source: _Value, result_type: _Type | None = ..., *, offsets: _Values = ..., sizes: _Values = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A part of a view: where it starts and how large it is, in elements of each dimension."""

class AllocTileOp(_views.AllocTileOp):
    def __init__(self, result_type: _Type | None = ..., *, addr: _Number | None = ..., valid_row: _Number | None = ..., valid_col: _Number | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A tile of local memory; its address and, where the type says `?`, its valid extents."""

class TAssignOp(_views.TAssignOp):
    def __init__(self, tile: _Value, result_type: _Type | None = ..., *, addr: _Number | None = ..., address: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Bind a tile to an address of its memory: `tassign %t, @tile(0x1000)`."""

class SubviewOp(_views.SubviewOp):
    def __init__(self, source: _Value, sizes: Sequence[int], result_type: _Type | None = ..., *, offsets: _Values = ..., valid: _Values = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A window of a tile; it shares the tile's bytes and row stride."""

class TReshapeOp(_views.TReshapeOp):
    def __init__(self, source: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The same bytes in another shape, layout or element type. Where its type leaves them open, the valid"""

class BitcastOp(_views.BitcastOp):
    def __init__(self, source: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The same bytes with another element type, in the shape, layout and valid extents of the source."""

class GetValidShapeOp(_views.GetValidShapeOp):
    def __init__(self, tile: _Value, *, result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The valid extents that a tile has now."""

class TileValidRowsOp(_views.TileValidRowsOp):
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The current number of valid rows of a tile."""

class TileValidColsOp(_views.TileValidColsOp):
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The current number of valid columns of a tile."""

class GetTensorViewDimOp(_views.GetTensorViewDimOp):
    def __init__(self, view: _Value, dim: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The extent of a view in one dimension."""

class GetTensorViewStrideOp(_views.GetTensorViewStrideOp):
    def __init__(self, view: _Value, dim: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The stride of a view in one dimension, in elements."""

class SetValidShapeOp(_views.SetValidShapeOp):
    def __init__(self, tile: _Value, row: _Number, col: _Number, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Change the valid extents of a tile whose type leaves them open."""

class AllocMultiTileOp(_multi_tile.AllocMultiTileOp):
    def __init__(self, result_type: _Type | None = ..., *, addr: _Number | None = ..., valid_row: _Number | None = ..., valid_col: _Number | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Several tiles of one type; with an address, one after the other from there on."""

class MultiTileGetOp(_multi_tile.MultiTileGetOp):
    def __init__(self, slot: _Number, result_type: _Type | None = ..., *, source: _Values = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """One of several tiles, by its number from 0 on."""

class TLoadOp(_memory.TLoadOp):
    @overload
    def __init__(self, mem: _Value, result_type: _Type | None = ..., *, layout: _Layout | None = ..., cache_policy: _LoadCachePolicy | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""
    @overload
    def __init__(self, mem: _Value, dst: _Value, *, layout: _Layout | None = ..., cache_policy: _LoadCachePolicy | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mem[i, j]`: a block of global memory into a tile."""

class TStoreOp(_memory.TStoreOp):
    def __init__(self, src: _Value, mem: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., atomic_type: _AtomicType | None = ..., relu_pre_mode: _ReluPreMode | None = ..., st_phase: _STPhase | None = ..., layout: _Layout | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`mem[i, j] = src[i, j]`, or an atomic addition: a tile's valid region into global memory. Out of the"""

class TPrefetchOp(_memory.TPrefetchOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`, begun ahead of its use: a block of global memory into a tile."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`, begun ahead of its use: a block of global memory into a tile."""

class TPrintOp(_memory.TPrintOp):
    def __init__(self, src: _Value, *, tmp: _Value | None = ..., print_format: _PrintFormat | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Print a tile's valid region, or a view, for debugging. A tile outside the unified buffer goes through"""

class LoadScalarOp(_scalar.LoadScalarOp):
    def __init__(self, ptr: _Value, offset: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = ptr[offset]`."""

class StoreScalarOp(_scalar.StoreScalarOp):
    def __init__(self, value: _Number, ptr: _Value, offset: _Number, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`ptr[offset] = value`."""

class TGetValOp(_scalar.TGetValOp):
    def __init__(self, src: _Value, offset: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = src.flat[offset]`, in the order of the tile's bytes."""

class TSetValOp(_scalar.TSetValOp):
    def __init__(self, offset: _Number, value: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst.flat[offset] = value`, in the order of the tile's bytes; all else of it stays."""

class AddPtrOp(_scalar.AddPtrOp):
    def __init__(self, ptr: _Value, offset: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = ptr + offset`, in elements."""

class GetBlockIdxOp(_scalar.GetBlockIdxOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The number of this block, from 0."""

class GetBlockNumOp(_scalar.GetBlockNumOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The number of blocks that run this kernel."""

class GetSubblockIdxOp(_scalar.GetSubblockIdxOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The number of this vector core in its block, from 0; 0 on the cube core."""

class GetSubblockNumOp(_scalar.GetSubblockNumOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The number of vector cores of this block; 1 on the cube core."""

class PtrToIntOp(_pointers.PtrToIntOp):
    def __init__(self, ptr: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The address that a pointer points to, in bytes."""

class IntToPtrOp(_pointers.IntToPtrOp):
    def __init__(self, addr: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pointer to an address, for single scalars."""

class CastPtrOp(_pointers.CastPtrOp):
    def __init__(self, input: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A pointer to elements of another type in the same memory; or between a pointer and its address."""

class TileBufAddrOp(_pointers.TileBufAddrOp):
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pointer to the first element of a tile in the unified buffer, for single scalars."""

class DeclareLocalArrayOp(_arrays.DeclareLocalArrayOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """An array of scalars; nothing is in it until it is set."""

class LocalArrayGetOp(_arrays.LocalArrayGetOp):
    def __init__(self, array: _Value, result_type: _Type | None = ..., *, indices: _Values = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = array[indices]`; later writes do not change it."""

class LocalArraySetOp(_arrays.LocalArraySetOp):
    def __init__(self, array: _Value, value: _Number, *, indices: _Values = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`array[indices] = value`."""

class DeclareStructOp(_arrays.DeclareStructOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Fields of several types; nothing is in them until they are set. It stays in the function."""

class StructGetOp(_arrays.StructGetOp):
    def __init__(self, struct: _Value, path: Sequence[int], result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = struct.path`; later writes do not change it."""

class StructSetOp(_arrays.StructSetOp):
    def __init__(self, struct: _Value, value: _Number, path: Sequence[int], *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`struct.path = value`."""

class MGatherOp(_gather.MGatherOp):
    @overload
    def __init__(self, mem: _Value, idx: _Value, result_type: _Type | None = ..., *, coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather from global memory. Row: `dst[r, :] = mem[idx[r], :]`; Elem: `dst[i, j] = mem[idx[i, j]]`."""
    @overload
    def __init__(self, mem: _Value, idx: _Value, dst: _Value, *, coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather from global memory. Row: `dst[r, :] = mem[idx[r], :]`; Elem: `dst[i, j] = mem[idx[i, j]]`."""

class MGatherMatOp(_gather.MGatherMatOp):
    def __init__(self, mem: _Value, idx: _Value, dst: _Value, *, scratch: _Value | None = ..., coalesce: _Coalesce | None = ..., gather_oob: _GatherOOB | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather from global memory into L1, with indices in global memory: `mgather` with a view of indices."""

class MScatterOp(_gather.MScatterOp):
    def __init__(self, src: _Value, idx: _Value, mem: _Value, *, coalesce: _Coalesce | None = ..., scatter_oob: _ScatterOOB | None = ..., scatter_atomic_op: _ScatterAtomicOp | None = ..., scatter_conflict: _ScatterConflict | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Scatter to global memory. Row: `mem[idx[r], :] = src[r, :]`; Elem: `mem[idx[i, j]] = src[i, j]`."""

class TGatherOp(_gather.TGatherOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, indices: _Value | None = ..., threshold: _Number | None = ..., tmp: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., cmp_mode: _CmpMode | None = ..., offset: int | Attribute | None = ..., result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather within tiles, in three forms."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, cdst: _Value | None = ..., indices: _Value | None = ..., threshold: _Number | None = ..., tmp: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., cmp_mode: _CmpMode | None = ..., offset: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather within tiles, in three forms."""

class TGatherBOp(_gather.TGatherBOp):
    @overload
    def __init__(self, src: _Value, offsets: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather 32-byte blocks: block `b` of row `i` of `dst` is the block of `src` at byte `offsets[i, b]`."""
    @overload
    def __init__(self, src: _Value, offsets: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Gather 32-byte blocks: block `b` of row `i` of `dst` is the block of `src` at byte `offsets[i, b]`."""

class TScatterOp(_gather.TScatterOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, idx: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Scatter within tiles. Index: `dst[idx[i, j]] = src[i, j]`, `idx` counting elements of `dst`. Mask:"""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, idx: _Value | None = ..., mask_pattern: _MaskPattern | None = ..., axis: str | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Scatter within tiles. Index: `dst[idx[i, j]] = src[i, j]`, `idx` counting elements of `dst`. Mask:"""

class TAddOp(_elementwise.TAddOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`."""

class TSubOp(_elementwise.TSubOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`."""

class TMulOp(_elementwise.TMulOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`."""

class TDivOp(_elementwise.TDivOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`."""

class TMaxOp(_elementwise.TMaxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`."""

class TMinOp(_elementwise.TMinOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`."""

class TAndOp(_elementwise.TAndOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] & src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] & src1[i, j]`."""

class TOrOp(_elementwise.TOrOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] | src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] | src1[i, j]`."""

class TXorOp(_elementwise.TXorOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] ^ src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] ^ src1[i, j]`."""

class TShlOp(_elementwise.TShlOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] << src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] << src1[i, j]`."""

class TShrOp(_elementwise.TShrOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] >> src1[i, j]`; a signed number keeps its sign."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] >> src1[i, j]`; a signed number keeps its sign."""

class TRemOp(_elementwise.TRemOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - floor(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the divisor."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - floor(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the divisor."""

class TFmodOp(_elementwise.TFmodOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - trunc(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the dividend."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - trunc(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the dividend."""

class TPowOp(_elementwise.TPowOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] ** src1[i, j]`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] ** src1[i, j]`; an integer to a negative power is 0, but for 1 and -1."""

class TPReluOp(_elementwise.TPReluOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] if src0[i, j] > 0 else src0[i, j] * src1[i, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] if src0[i, j] > 0 else src0[i, j] * src1[i, j]`."""

class TAddReluOp(_elementwise.TAddReluOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j] + src1[i, j], 0)`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j] + src1[i, j], 0)`."""

class TAbsOp(_elementwise.TAbsOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = |src[i, j]|`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = |src[i, j]|`."""

class TExpOp(_elementwise.TExpOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src[i, j])`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src[i, j])`."""

class TNegOp(_elementwise.TNegOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = -src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = -src[i, j]`."""

class TRecipOp(_elementwise.TRecipOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1 / src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1 / src[i, j]`."""

class TSqrtOp(_elementwise.TSqrtOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sqrt(src[i, j])`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sqrt(src[i, j])`."""

class TRsqrtOp(_elementwise.TRsqrtOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1 / sqrt(src[i, j])`; on some targets more precise with a scratch tile."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1 / sqrt(src[i, j])`; on some targets more precise with a scratch tile."""

class TLogOp(_elementwise.TLogOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = log(src[i, j])`, the natural logarithm."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = log(src[i, j])`, the natural logarithm."""

class TReluOp(_elementwise.TReluOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src[i, j], 0)`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src[i, j], 0)`."""

class TNotOp(_elementwise.TNotOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = ~src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = ~src[i, j]`."""

class TAddCOp(_elementwise.TAddCOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, src2: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j] + src2[i, j]`, rounded after each sum."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, src2: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j] + src2[i, j]`, rounded after each sum."""

class TSubCOp(_elementwise.TSubCOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, src2: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j] + src2[i, j]`, rounded after each step."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, src2: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j] + src2[i, j]`, rounded after each step."""

class TCIOp(_elementwise.TCIOp):
    @overload
    def __init__(self, start: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., descending: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""
    @overload
    def __init__(self, start: _Number, dst: _Value, *, tmp: _Value | None = ..., descending: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""

class TAddSOp(_tile_scalar.TAddSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] + scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] + scalar`."""

class TSubSOp(_tile_scalar.TSubSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - scalar`."""

class TMulSOp(_tile_scalar.TMulSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] * scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] * scalar`."""

class TMaxSOp(_tile_scalar.TMaxSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src[i, j], scalar)`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src[i, j], scalar)`."""

class TMinSOp(_tile_scalar.TMinSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src[i, j], scalar)`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src[i, j], scalar)`."""

class TDivSOp(_tile_scalar.TDivSOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, dividend: _Number | None = ..., divisor: _Number | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] / scalar`, or `scalar / src[i, j]` where the scalar comes first."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, dividend: _Number | None = ..., divisor: _Number | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] / scalar`, or `scalar / src[i, j]` where the scalar comes first."""

class TAndSOp(_tile_scalar.TAndSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] & scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] & scalar`."""

class TOrSOp(_tile_scalar.TOrSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] | scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] | scalar`."""

class TXorSOp(_tile_scalar.TXorSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] ^ scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] ^ scalar`."""

class TShlSOp(_tile_scalar.TShlSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] << scalar`."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] << scalar`."""

class TShrSOp(_tile_scalar.TShrSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] >> scalar`; a signed number keeps its sign."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] >> scalar`; a signed number keeps its sign."""

class TRemSOp(_tile_scalar.TRemSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - floor(src[i, j] / scalar) * scalar`: the sign of the divisor."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - floor(src[i, j] / scalar) * scalar`: the sign of the divisor."""

class TFmodSOp(_tile_scalar.TFmodSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - trunc(src[i, j] / scalar) * scalar`: the sign of the dividend."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] - trunc(src[i, j] / scalar) * scalar`: the sign of the dividend."""

class TPowSOp(_tile_scalar.TPowSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] ** scalar`; an integer to a negative power is 0, but for 1 and -1."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] ** scalar`; an integer to a negative power is 0, but for 1 and -1."""

class TLReluOp(_tile_scalar.TLReluOp):
    @overload
    def __init__(self, src: _Value, slope: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] if src[i, j] > 0 else src[i, j] * slope`; the slope may be f32 for any tile."""
    @overload
    def __init__(self, src: _Value, slope: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j] if src[i, j] > 0 else src[i, j] * slope`; the slope may be f32 for any tile."""

class TAxpyOp(_tile_scalar.TAxpyOp):
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = dst[i, j] + src[i, j] * scalar`; the destination may be wider than the source."""

class TAddSCOp(_tile_scalar.TAddSCOp):
    @overload
    def __init__(self, src0: _Value, scalar: _Number, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + scalar + src1[i, j]`, rounded after each sum."""
    @overload
    def __init__(self, src0: _Value, scalar: _Number, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + scalar + src1[i, j]`, rounded after each sum."""

class TSubSCOp(_tile_scalar.TSubSCOp):
    @overload
    def __init__(self, src0: _Value, scalar: _Number, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - scalar + src1[i, j]`, rounded after each step."""
    @overload
    def __init__(self, src0: _Value, scalar: _Number, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - scalar + src1[i, j]`, rounded after each step."""

class TSubReluOp(_fused.TSubReluOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j] - src1[i, j], 0)`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j] - src1[i, j], 0)`."""

class TMulAddDstOp(_fused.TMulAddDstOp):
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j] + dst[i, j]`."""

class TFusedMulAddOp(_fused.TFusedMulAddOp):
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * dst[i, j] + src1[i, j]`."""

class TFusedMulAddReluOp(_fused.TFusedMulAddReluOp):
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j] * dst[i, j] + src1[i, j], 0)`."""

class TAddReluConvOp(_fused.TAddReluConvOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(max(src0[i, j] + src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(max(src0[i, j] + src1[i, j], 0))` to a shorter type, with saturation."""

class TSubReluConvOp(_fused.TSubReluConvOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(max(src0[i, j] - src1[i, j], 0))` to a shorter type, with saturation."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(max(src0[i, j] - src1[i, j], 0))` to a shorter type, with saturation."""

class TAddDeqReluOp(_fused.TAddDeqReluOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, scale: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = f16(max((src0[i, j] + src1[i, j]) * scale, 0))` of integers."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, scale: _Number, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = f16(max((src0[i, j] + src1[i, j]) * scale, 0))` of integers."""

class TPairReduceSumOp(_fused.TPairReduceSumOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, k] = src[i, 2k] + src[i, 2k + 1]` in the first half of the columns."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, k] = src[i, 2k] + src[i, 2k + 1]` in the first half of the columns."""

class TInterleaveOp(_fused.TInterleaveOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Columns of `src0` and `src1` in turn: the first half of the sequence in `dst`, the second in `dst1`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, dst1: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Columns of `src0` and `src1` in turn: the first half of the sequence in `dst`, the second in `dst1`."""

class TDeinterleaveOp(_fused.TDeinterleaveOp):
    @overload
    def __init__(self, src0: _Value, result_type: _Type | None = ..., *, src1: _Value | None = ..., result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Even columns of `src0`, then of `src1`, in `dst`; odd ones in `dst1`. Without `src1` the columns of"""
    @overload
    def __init__(self, src0: _Value, dst: _Value, *, dst1: _Value | None = ..., src1: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Even columns of `src0`, then of `src1`, in `dst`; odd ones in `dst1`. Without `src1` the columns of"""

class TRowExpandOp(_expand.TRowExpandOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""

class TColExpandOp(_expand.TColExpandOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""

class TExpandSOp(_expand.TExpandSOp):
    @overload
    def __init__(self, scalar: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = scalar`."""
    @overload
    def __init__(self, scalar: _Number, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = scalar`."""

class TRowExpandAddOp(_expand.TRowExpandAddOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]`, one source repeated along the rows."""

class TRowExpandSubOp(_expand.TRowExpandSubOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[i, j]`, one source repeated along the rows."""

class TRowExpandMulOp(_expand.TRowExpandMulOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]`, one source repeated along the rows."""

class TRowExpandDivOp(_expand.TRowExpandDivOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[i, j]`, one source repeated along the rows."""

class TRowExpandMaxOp(_expand.TRowExpandMaxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])`, one source repeated along the rows."""

class TRowExpandMinOp(_expand.TRowExpandMinOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])`, one source repeated along the rows."""

class TRowExpandExpdifOp(_expand.TRowExpandExpdifOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[i, j])`, one source repeated along the rows."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[i, j])`, one source repeated along the rows."""

class TColExpandAddOp(_expand.TColExpandAddOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[0, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[0, j]`."""

class TColExpandSubOp(_expand.TColExpandSubOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[0, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] - src1[0, j]`."""

class TColExpandMulOp(_expand.TColExpandMulOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[0, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[0, j]`."""

class TColExpandDivOp(_expand.TColExpandDivOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[0, j]`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, precision_type: _Precision | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] / src1[0, j]`."""

class TColExpandMaxOp(_expand.TColExpandMaxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[0, j])`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[0, j])`."""

class TColExpandMinOp(_expand.TColExpandMinOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[0, j])`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[0, j])`."""

class TColExpandExpdifOp(_expand.TColExpandExpdifOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[0, j])`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = exp(src0[i, j] - src1[0, j])`."""

class TRowSumOp(_reduce.TRowSumOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = sum over j of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = sum over j of src[i, j]`."""

class TRowProdOp(_reduce.TRowProdOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = product over j of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = product over j of src[i, j]`."""

class TRowMaxOp(_reduce.TRowMaxOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = max over j of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = max over j of src[i, j]`."""

class TRowMinOp(_reduce.TRowMinOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = min over j of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = min over j of src[i, j]`."""

class TRowArgMaxOp(_reduce.TRowArgMaxOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = the first j with the largest src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = the first j with the largest src[i, j]`."""

class TRowArgMinOp(_reduce.TRowArgMinOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = the first j with the smallest src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, 0] = the first j with the smallest src[i, j]`."""

class TColSumOp(_reduce.TColSumOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., is_binary: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = sum over i of src[i, j]`: one by one, or with `isBinary` in pairs, which `tmp` holds."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., is_binary: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = sum over i of src[i, j]`: one by one, or with `isBinary` in pairs, which `tmp` holds."""

class TColProdOp(_reduce.TColProdOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = product over i of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = product over i of src[i, j]`."""

class TColMaxOp(_reduce.TColMaxOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = max over i of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = max over i of src[i, j]`."""

class TColMinOp(_reduce.TColMinOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = min over i of src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = min over i of src[i, j]`."""

class TColArgMaxOp(_reduce.TColArgMaxOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = the first i with the largest src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = the first i with the largest src[i, j]`."""

class TColArgMinOp(_reduce.TColArgMinOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = the first i with the smallest src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = the first i with the smallest src[i, j]`."""

class TCmpOp(_compare.TCmpOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, cmp_mode: _CmpMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst.bit[i, j] = src0[i, j] <cmpMode> src1[i, j]`; without a mode, whether they are equal."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, cmp_mode: _CmpMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst.bit[i, j] = src0[i, j] <cmpMode> src1[i, j]`; without a mode, whether they are equal."""

class TCmpSOp(_compare.TCmpSOp):
    @overload
    def __init__(self, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, cmp_mode: _CmpMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst.bit[i, j] = src[i, j] <cmpMode> scalar`; without a mode, whether they are equal."""
    @overload
    def __init__(self, src: _Value, scalar: _Number, dst: _Value, *, cmp_mode: _CmpMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst.bit[i, j] = src[i, j] <cmpMode> scalar`; without a mode, whether they are equal."""

class TSelOp(_compare.TSelOp):
    @overload
    def __init__(self, mask: _Value, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src0[i, j] : src1[i, j]`."""
    @overload
    def __init__(self, mask: _Value, src0: _Value, src1: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src0[i, j] : src1[i, j]`."""

class TSelSOp(_compare.TSelSOp):
    @overload
    def __init__(self, mask: _Value, src: _Value, scalar: _Number, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src[i, j] : scalar`."""
    @overload
    def __init__(self, mask: _Value, src: _Value, scalar: _Number, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = mask.bit[i, j] ? src[i, j] : scalar`."""

class TPartAddOp(_partial.TPartAddOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]` where both are valid, else the one that is."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] + src1[i, j]` where both are valid, else the one that is."""

class TPartMulOp(_partial.TPartMulOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]` where both are valid, else the one that is."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] * src1[i, j]` where both are valid, else the one that is."""

class TPartMaxOp(_partial.TPartMaxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = max(src0[i, j], src1[i, j])` where both are valid, else the one that is."""

class TPartMinOp(_partial.TPartMinOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])` where both are valid, else the one that is."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = min(src0[i, j], src1[i, j])` where both are valid, else the one that is."""

class TPartArgMaxOp(_partial.TPartArgMaxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] > src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, dst_idx: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] > src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""

class TPartArgMinOp(_partial.TPartArgMinOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] < src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, dst_idx: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src0[i, j] < src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;"""

class TTriOp(_generate.TTriOp):
    @overload
    def __init__(self, diag: _Number, result_type: _Type | None = ..., *, upper_or_lower: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1` where `j <= i + diag` (`upperOrLower = 0`) or `j >= i + diag` (`1`), elsewhere 0."""
    @overload
    def __init__(self, diag: _Number, dst: _Value, *, upper_or_lower: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = 1` where `j <= i + diag` (`upperOrLower = 0`) or `j >= i + diag` (`1`), elsewhere 0."""

class TRandomOp(_generate.TRandomOp):
    @overload
    def __init__(self, k0: _Number, k1: _Number, c0: _Number, c1: _Number, c2: _Number, c3: _Number, result_type: _Type | None = ..., *, rounds: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Random bits: Philox 4x32 with the key `k0 k1`, counting from `c0 c1 c2 c3`, `c0` the lowest."""
    @overload
    def __init__(self, k0: _Number, k1: _Number, c0: _Number, c1: _Number, c2: _Number, c3: _Number, dst: _Value, *, rounds: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Random bits: Philox 4x32 with the key `k0 k1`, counting from `c0 c1 c2 c3`, `c0` the lowest."""

class THistogramOp(_generate.THistogramOp):
    @overload
    def __init__(self, src: _Value, idx: _Value, result_type: _Type | None = ..., *, byte: int | Attribute | None = ..., is_msb: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, b]`: how many elements of row `i` have a byte number `byte` of at most `b`, among those whose"""
    @overload
    def __init__(self, src: _Value, idx: _Value, dst: _Value, *, byte: int | Attribute | None = ..., is_msb: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, b]`: how many elements of row `i` have a byte number `byte` of at most `b`, among those whose"""

class TCvtOp(_quant.TCvtOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., rmode: _RoundMode | None = ..., satmode: _SaturationMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the"""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., rmode: _RoundMode | None = ..., satmode: _SaturationMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the"""

class TQuantOp(_quant.TQuantOp):
    @overload
    def __init__(self, src: _Value, fp: _Value, quant_type: _QuantType, result_type: _Type | None = ..., *, offset: _Value | None = ..., tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = round(src[i, j] * fp[i, 0])` from -128 to 127 (`INT8_SYM`), or"""
    @overload
    def __init__(self, src: _Value, fp: _Value, dst: _Value, quant_type: _QuantType, *, offset: _Value | None = ..., tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = round(src[i, j] * fp[i, 0])` from -128 to 127 (`INT8_SYM`), or"""

class TDequantOp(_quant.TDequantOp):
    @overload
    def __init__(self, src: _Value, scale: _Value, offset: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = (src[i, j] - offset[i, 0]) * scale[i, 0]`."""
    @overload
    def __init__(self, src: _Value, scale: _Value, offset: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = (src[i, j] - offset[i, 0]) * scale[i, 0]`."""

class TQuantMxOp(_quant.TQuantMxOp):
    @overload
    def __init__(self, src: _Value, quant_type: _QuantType, result_type: _Type | None = ..., *, scale_alg: _QuantScaleAlg | None = ..., group_axis: _MxGroupAxis | None = ..., interleave: int | Attribute | None = ..., store_mode: _VecStoreMode | None = ..., result_types: Sequence[_Type] = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Blocks of 32 numbers along `grpAxis` with one scale each, a power of two: `dst` holds the numbers times"""
    @overload
    def __init__(self, src: _Value, dst: _Value, quant_type: _QuantType, *, exp: _Value | None = ..., max: _Value | None = ..., scaling: _Value | None = ..., exp_zz: _Value | None = ..., scale_alg: _QuantScaleAlg | None = ..., group_axis: _MxGroupAxis | None = ..., interleave: int | Attribute | None = ..., store_mode: _VecStoreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Blocks of 32 numbers along `grpAxis` with one scale each, a power of two: `dst` holds the numbers times"""

class SetQuantScalarOp(_quant.SetQuantScalarOp):
    def __init__(self, scale: _Number, *, id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """One scale for all that is pushed through channel `id` from here on."""

class SetQuantVectorOp(_quant.SetQuantVectorOp):
    def __init__(self, scales: _Value, *, id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A scale for each column of tiles pushed through channel `id` from now on."""

class TSort32Op(_sort.TSort32Op):
    @overload
    def __init__(self, src: _Value, idx: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Sort every 32 elements of each row of `src` in descending order, as pairs with their indices `idx`."""
    @overload
    def __init__(self, src: _Value, idx: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Sort every 32 elements of each row of `src` in descending order, as pairs with their indices `idx`."""

class TMrgSortOp(_sort.TMrgSortOp):
    @overload
    def __init__(self, result_type: _Type | None = ..., *, srcs: _Values = ..., block_len: _Number | None = ..., excuted: _Value | None = ..., tmp: _Value | None = ..., exhausted: int | Attribute | None = ..., no_tmp: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Sorted lists of pairs merged into one. With `block_len` every four neighbouring blocks of `srcs`, of so"""
    @overload
    def __init__(self, dst: _Value, *, srcs: _Values = ..., block_len: _Number | None = ..., excuted: _Value | None = ..., tmp: _Value | None = ..., exhausted: int | Attribute | None = ..., no_tmp: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Sorted lists of pairs merged into one. With `block_len` every four neighbouring blocks of `srcs`, of so"""

class TMovOp(_movement.TMovOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tmp: _Value | None = ..., group_axis: _MxGroupAxis | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert. With a"""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tmp: _Value | None = ..., group_axis: _MxGroupAxis | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert. With a"""

class TFillPadOp(_movement.TFillPadOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, pad_value: _PadValue | None = ..., mode: str | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a"""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, pad_value: _PadValue | None = ..., mode: str | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a"""

class TTransOp(_movement.TTransOp):
    @overload
    def __init__(self, src: _Value, result_type: _Type | None = ..., *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[j, i] = src[i, j]`."""
    @overload
    def __init__(self, src: _Value, dst: _Value, *, tmp: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[j, i] = src[i, j]`."""

class TConcatOp(_movement.TConcatOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Concatenate the valid columns of `src0` and `src1`, row by row."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Concatenate the valid columns of `src0` and `src1`, row by row."""

class TConcatIdxOp(_movement.TConcatIdxOp):
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Each row of `dst` is the first columns of the row of `src0`, then those of `src1`."""
    @overload
    def __init__(self, src0: _Value, src1: _Value, src0_idx: _Value, src1_idx: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Each row of `dst` is the first columns of the row of `src0`, then those of `src1`."""

class TExtractOp(_movement.TExtractOp):
    @overload
    def __init__(self, src: _Value, row: _Number, col: _Number, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[row + i, col + j]`; out of the accumulator it may convert."""
    @overload
    def __init__(self, src: _Value, row: _Number, col: _Number, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[row + i, col + j]`; out of the accumulator it may convert."""

class TInsertOp(_movement.TInsertOp):
    @overload
    def __init__(self, src: _Value, row: _Number, col: _Number, result_type: _Type | None = ..., *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tinsert_mode: _TInsertMode | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays. Out of the accumulator it may"""
    @overload
    def __init__(self, src: _Value, row: _Number, col: _Number, dst: _Value, *, fp: _Value | None = ..., pre_quant: _Number | None = ..., tinsert_mode: _TInsertMode | None = ..., acc_to_vec_mode: _AccToVecMode | None = ..., relu_pre_mode: _ReluPreMode | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays. Out of the accumulator it may"""

class TMatmulOp(_matmul.TMatmulOp):
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sum over k of lhs[i, k] * rhs[k, j]`."""

class TMatmulAccOp(_matmul.TMatmulAccOp):
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = acc_in[i, j] + sum over k of lhs[i, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = acc_in[i, j] + sum over k of lhs[i, k] * rhs[k, j]`; `acc_in` is `dst`."""

class TMatmulBiasOp(_matmul.TMatmulBiasOp):
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = bias[0, j] + sum over k of lhs[i, k] * rhs[k, j]`."""
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = bias[0, j] + sum over k of lhs[i, k] * rhs[k, j]`."""

class TMatmulMxOp(_matmul.TMatmulMxOp):
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sum over k of a[i, k] * b[k, j]`, with `a = lhs * lhs_scale` and `b = rhs * rhs_scale`: a"""
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = sum over k of a[i, k] * b[k, j]`, with `a = lhs * lhs_scale` and `b = rhs * rhs_scale`: a"""

class TMatmulMxAccOp(_matmul.TMatmulMxAccOp):
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, added to `acc_in`, which is `dst`."""
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, added to `acc_in`, which is `dst`."""

class TMatmulMxBiasOp(_matmul.TMatmulMxBiasOp):
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, added to `bias[0, j]`."""
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, added to `bias[0, j]`."""

class TGemvMxOp(_matmul.TGemvMxOp):
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, of one row."""
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx`, of one row."""

class TGemvMxAccOp(_matmul.TGemvMxAccOp):
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx.acc`, of one row."""
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx.acc`, of one row."""

class TGemvMxBiasOp(_matmul.TGemvMxBiasOp):
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx.bias`, of one row."""
    @overload
    def __init__(self, lhs: _Value, lhs_scale: _Value, rhs: _Value, rhs_scale: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """As `tmatmul.mx.bias`, of one row."""

class TGetScaleAddrOp(_matmul.TGetScaleAddrOp):
    def __init__(self, src: _Value, dst: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Bind a tile of scales to the address at which the matrix unit looks for those of an operand."""

class TGemvOp(_matmul.TGemvOp):
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = sum over k of lhs[0, k] * rhs[k, j]`: a vector times a matrix."""
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = sum over k of lhs[0, k] * rhs[k, j]`: a vector times a matrix."""

class TGemvAccOp(_matmul.TGemvAccOp):
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, rhs: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = acc_in[0, j] + sum over k of lhs[0, k] * rhs[k, j]`; `acc_in` is `dst`."""
    @overload
    def __init__(self, acc_in: _Value, lhs: _Value, rhs: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = acc_in[0, j] + sum over k of lhs[0, k] * rhs[k, j]`; `acc_in` is `dst`."""

class TGemvBiasOp(_matmul.TGemvBiasOp):
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, bias: _Value, result_type: _Type | None = ..., *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = bias[0, j] + sum over k of lhs[0, k] * rhs[k, j]`."""
    @overload
    def __init__(self, lhs: _Value, rhs: _Value, bias: _Value, dst: _Value, *, acc_phase: _AccPhase | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[0, j] = bias[0, j] + sum over k of lhs[0, k] * rhs[k, j]`."""

class PrintOp(_debug.PrintOp):
    def __init__(self, scalar: _Number, format: str, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Print a scalar in a text: `%d`, `%x` and so on in `format` stand for it, as in C."""

class TrapOp(_debug.TrapOp):
    def __init__(self, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Stop the program because an assumption is violated."""

class SetFlagOp(_sync.SetFlagOp):
    def __init__(self, src_pipe: _Pipe, dst_pipe: _Pipe, event_id: _Event, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `src_pipe` raises `event_id` for pipe `dst_pipe`, after all that it was given before."""

class WaitFlagOp(_sync.WaitFlagOp):
    def __init__(self, src_pipe: _Pipe, dst_pipe: _Pipe, event_id: _Event, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `dst_pipe` waits until `src_pipe` has raised `event_id`, and takes it down."""

class RecordEventOp(_sync.RecordEventOp):
    def __init__(self, src_op: _SyncOpType, dst_op: _SyncOpType, event_id: _Event, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pipe of the class `src_op` raises `event_id` for that of the class `dst_op`: `set_flag`"""

class WaitEventOp(_sync.WaitEventOp):
    def __init__(self, src_op: _SyncOpType, dst_op: _SyncOpType, event_id: _Event, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pipe of the class `dst_op` waits for `event_id` of that of the class `src_op`: `wait_flag` by"""

class SetFlagDynOp(_sync.SetFlagDynOp):
    def __init__(self, event_id: _Number, src_pipe: _Pipe, dst_pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `src_pipe` raises the event of that number for pipe `dst_pipe`; the number is a value."""

class WaitFlagDynOp(_sync.WaitFlagDynOp):
    def __init__(self, event_id: _Number, src_pipe: _Pipe, dst_pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `dst_pipe` waits for the event of that number of `src_pipe`; the number is a value."""

class DeclareEventIdArrayOp(_sync.DeclareEventIdArrayOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """An array of event ids; elements are undefined until they are stored."""

class EventIdArrayGetOp(_sync.EventIdArrayGetOp):
    def __init__(self, array: _Value, index: _Number, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result = array[index]`."""

class EventIdArraySetOp(_sync.EventIdArraySetOp):
    def __init__(self, array: _Value, index: _Number, value: _Number, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`array[index] = value`."""

class BarrierOp(_sync.BarrierOp):
    def __init__(self, pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Complete the earlier operations of pipe `pipe` before its later ones start; PIPE_ALL: all pipes."""

class BarrierSyncOp(_sync.BarrierSyncOp):
    def __init__(self, op_type: _SyncOpType, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A barrier of the pipe that instructions of the class `op_type` run on."""

class FenceBarrierAllOp(_sync.FenceBarrierAllOp):
    def __init__(self, scope: _FenceScope, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """All pipes end what they were given, and others see what was written to memory before."""

class CmoCacheInvalidOp(_sync.CmoCacheInvalidOp):
    def __init__(self, *, addr: _Value | None = ..., space: _AddressSpace | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Write back and drop what the scalar pipe's cache holds: all of it, or the 64 bytes at an address."""

class RecordOp(_sync.RecordOp):
    def __init__(self, result_type: _Type | None = ..., *, event_id: _Event | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Record an event when the instruction before this is done."""

class TSyncOp(_sync.TSyncOp):
    def __init__(self, event: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Let the instruction after this wait for an event."""

class GetBufOp(_sync.GetBufOp):
    def __init__(self, buf_id: int | Attribute, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pipe of the class `op_type` takes the token `buf_id`: it waits until the holder releases it."""

class RlsBufOp(_sync.RlsBufOp):
    def __init__(self, buf_id: int | Attribute, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The pipe of the class `op_type` gives the token `buf_id` back when it has done what it was given."""

class GetBufDynOp(_sync.GetBufDynOp):
    def __init__(self, buf_id: _Number, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`get_buf` of the token whose number is a value."""

class RlsBufDynOp(_sync.RlsBufDynOp):
    def __init__(self, buf_id: _Number, op_type: _SyncOpType, *, mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`rls_buf` of the token whose number is a value."""

class SectionCubeOp(_core_sync.SectionCubeOp):
    def __init__(self, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A region that runs on the cube core only."""

class SectionVectorOp(_core_sync.SectionVectorOp):
    def __init__(self, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A region that runs on the vector cores only."""

class SetIntraBlockOp(_core_sync.SetIntraBlockOp):
    def __init__(self, event_id: int | Attribute, pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` adds one to counter `event_id` of the other kind of core in this block."""

class WaitIntraBlockOp(_core_sync.WaitIntraBlockOp):
    def __init__(self, event_id: int | Attribute, pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` waits for counter `event_id` from the other kind of core in this block, and takes one."""

class SetCrossBlockOp(_core_sync.SetCrossBlockOp):
    def __init__(self, event_id: int | Attribute, pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` has come to `event_id`; when all cores of its kind have, each of them may go on."""

class WaitCrossBlockOp(_core_sync.WaitCrossBlockOp):
    def __init__(self, event_id: int | Attribute, pipe: _Pipe, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` waits until all cores of its kind have come to `event_id`."""

class SyncSetOp(_core_sync.SyncSetOp):
    def __init__(self, pipe: _Pipe, *, event_id_dyn: _Number | None = ..., event_id: int | Attribute | None = ..., ffts_mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` sets a counter of the group `ffts_mode`: 0, all cores of its kind; 1, the vector cores of"""

class SyncWaitOp(_core_sync.SyncWaitOp):
    def __init__(self, pipe: _Pipe, *, event_id_dyn: _Number | None = ..., event_id: int | Attribute | None = ..., ffts_mode: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Pipe `pipe` waits for a counter of the group `ffts_mode`, and takes one from it."""

class SetFftsOp(_core_sync.SetFftsOp):
    def __init__(self, ffts: _Value, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Set the address of the counters between cores; once, before the first of them is used."""

class SyncAllOp(_core_sync.SyncAllOp):
    def __init__(self, mode: _SyncAllMode, core_type: _SyncCoreType, *, workspace: _Value | None = ..., used_cores: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """All cores of the kind `core_type` in the launch wait for each other; `soft`: by a counter in memory."""

class ReserveBufferOp(_channel.ReserveBufferOp):
    def __init__(self, buffer_name: str, size: int | Attribute, space: _AddressSpace, auto: int | Attribute, result_type: _Type | None = ..., *, base: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Keep `size` bytes of local memory free for a ring; the result is their address."""

class ImportReservedBufferOp(_channel.ImportReservedBufferOp):
    def __init__(self, buffer_name: str, peer_func: Attribute, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The address that function `peer_func` reserved under this name."""

class AicInitializePipeOp(_channel.AicInitializePipeOp):
    def __init__(self, dir_mask: int | Attribute, slot_size: int | Attribute, *, gm_slot_buffer: _Value | None = ..., gm_slot_tensor: _Value | None = ..., c2v_consumer_buf: _Number | None = ..., v2c_consumer_buf: _Number | None = ..., id: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Declares a channel on the cube core: its directions, its slots, where they are."""

class AivInitializePipeOp(_channel.AivInitializePipeOp):
    def __init__(self, dir_mask: int | Attribute, slot_size: int | Attribute, *, gm_slot_buffer: _Value | None = ..., gm_slot_tensor: _Value | None = ..., c2v_consumer_buf: _Number | None = ..., v2c_consumer_buf: _Number | None = ..., id: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Declares a channel on the vector cores: its directions, its slots, where they are."""

class TAllocToAivOp(_channel.TAllocToAivOp):
    def __init__(self, split: int | Attribute, result_type: _Type | None = ..., *, id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A view of the next empty slot of a channel of views, for the cube core to store into."""

class TAllocToAicOp(_channel.TAllocToAicOp):
    def __init__(self, split: int | Attribute, result_type: _Type | None = ..., *, id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A view of the next empty slot of a channel of views, for a vector core to store into."""

class TPushToAivOp(_channel.TPushToAivOp):
    def __init__(self, entry: _Value, split: int | Attribute, *, id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The cube core pushes an accumulator to the vector cores, or a view that it has filled."""

class TPushToAicOp(_channel.TPushToAicOp):
    def __init__(self, entry: _Value, split: int | Attribute, *, aiv_subblockid: _Number | None = ..., id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A vector core pushes a tile to the cube core, or a view that it has filled."""

class TPopFromAicOp(_channel.TPopFromAicOp):
    def __init__(self, split: int | Attribute, result_type: _Type | None = ..., *, valid_row: _Number | None = ..., valid_col: _Number | None = ..., aiv_subblockid: _Number | None = ..., id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A vector core takes the next tile that the cube core has pushed, or its half of it."""

class TPopFromAivOp(_channel.TPopFromAivOp):
    def __init__(self, split: int | Attribute, result_type: _Type | None = ..., *, valid_row: _Number | None = ..., valid_col: _Number | None = ..., id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The cube core takes the next tile that the vector cores have pushed."""

class TFreeFromAicOp(_channel.TFreeFromAicOp):
    def __init__(self, split: int | Attribute, *, entry: _Value | None = ..., id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A vector core gives back the slot that it has popped first: its tile is no longer there."""

class TFreeFromAivOp(_channel.TFreeFromAivOp):
    def __init__(self, split: int | Attribute, *, entry: _Value | None = ..., id: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The cube core gives back the slot that it has popped first: its tile is no longer there."""

class InitializeL2LPipeOp(_channel.InitializeL2LPipeOp):
    def __init__(self, local_addr: _Number, dir_mask: int | Attribute, slot_size: int | Attribute, result_type: _Type | None = ..., *, peer_local_addr: _Number | None = ..., flag_base: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Declares a channel whose slots are in the consumer's memory; gives its handle."""

class InitializeL2G2LPipeOp(_channel.InitializeL2G2LPipeOp):
    def __init__(self, gm_addr: _Value, dir_mask: int | Attribute, slot_size: int | Attribute, result_type: _Type | None = ..., *, local_addr: _Number | None = ..., peer_local_addr: _Number | None = ..., flag_base: int | Attribute | None = ..., slot_num: int | Attribute | None = ..., local_slot_num: int | Attribute | None = ..., nosplit: int | Attribute | None = ..., acc_push_epilogue: Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Declares a channel whose slots are in global memory; gives its handle."""

class DeclareTileOp(_channel.DeclareTileOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A tile without an address, for `tpop` to bind to a slot."""

class DeclareGlobalOp(_channel.DeclareGlobalOp):
    def __init__(self, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A view without an address, for `talloc` and `tpop` to bind to a slot."""

class TPushOp(_channel.TPushOp):
    def __init__(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Push a tile, or a view that was filled, through the channel of a handle."""

class TPopOp(_channel.TPopOp):
    def __init__(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Bind a declared tile or view to the next full slot of the channel of a handle."""

class TAllocOp(_channel.TAllocOp):
    def __init__(self, entry: _Value, pipe_handle: _Value, split: int | Attribute, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Bind a declared view to the next empty slot of the channel of a handle."""

class TFreeOp(_channel.TFreeOp):
    def __init__(self, pipe_handle: _Value, split: int | Attribute, *, entry: _Value | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Give back the slot that was popped first from the channel of a handle."""

class CommTGatherOp(_comm.CommTGatherOp):
    def __init__(self, dst: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[r * H + i, j] = source of rank r [i, j]`: the root concatenates all ranks' rows."""

class CommTScatterOp(_comm.CommTScatterOp):
    def __init__(self, src: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`destination of rank r [i, j] = src[r * H + i, j]`: the root deals its rows out to all ranks."""

class CommTBroadcastOp(_comm.CommTBroadcastOp):
    def __init__(self, src: _Value, *, group: _Values = ..., context: _Values = ..., staging: _Values = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`destination of rank r [i, j] = src[i, j]`: the root copies its data to all ranks."""

class CommTReduceOp(_comm.CommTReduceOp):
    def __init__(self, dst: _Value, *, group: _Values = ..., context: _Values = ..., acc: _Value | None = ..., staging: _Values = ..., op: _ReduceOp | None = ..., root: int | Attribute | None = ..., engine: _CollEngine | None = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = op over ranks r of source of rank r [i, j]`: the root's own first, then the others."""

class CommTPutOp(_remote.CommTPutOp):
    def __init__(self, dst: _Value, src: _Value, *, staging: _Values = ..., atomic_type: _AtomicType | None = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`, or an atomic addition: local memory into the memory of another rank."""

class CommTGetOp(_remote.CommTGetOp):
    def __init__(self, dst: _Value, src: _Value, *, staging: _Values = ..., pingpong: bool | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`dst[i, j] = src[i, j]`: the memory of another rank into local memory."""

class CommTNotifyOp(_remote.CommTNotifyOp):
    def __init__(self, signal: _Value, value: _Value, notify_op: _NotifyOp, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`signal += value`, or `signal = value`: tells another rank that what came before has happened."""

class CommTWaitOp(_remote.CommTWaitOp):
    def __init__(self, signal: _Value, cmp_value: _Value, cmp: _WaitCmp, *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Wait until every element of `signal` compares with `cmp_value` as asked for."""

class CommTTestOp(_remote.CommTTestOp):
    def __init__(self, signal: _Value, cmp_value: _Value, cmp: _WaitCmp, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`result` = whether every element of `signal` compares with `cmp_value` as asked for, now."""

class BuildAsyncSessionOp(_asynchronous.BuildAsyncSessionOp):
    def __init__(self, workspace: _Value, result_type: _Type | None = ..., *, scratch: _Value, sync_id: int | Attribute | None = ..., block_bytes: int | Attribute | None = ..., comm_block_offset: int | Attribute | None = ..., queue_num: int | Attribute | None = ..., channel_group_idx: int | Attribute | None = ..., attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """A session of the DMA engine: `scratch` is for its control words, `workspace` was set up by the host."""

class CommTPutAsyncOp(_asynchronous.CommTPutAsyncOp):
    def __init__(self, dst: _Value, src: _Value, session: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Start `dst[i] = src[i]`: local memory into the memory of another rank."""

class CommTGetAsyncOp(_asynchronous.CommTGetAsyncOp):
    def __init__(self, dst: _Value, src: _Value, session: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Start `dst[i] = src[i]`: the memory of another rank into local memory."""

class WaitAsyncEventOp(_asynchronous.WaitAsyncEventOp):
    def __init__(self, event: _Value, session: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Wait for an event; `completed` is true."""

class TestAsyncEventOp(_asynchronous.TestAsyncEventOp):
    def __init__(self, event: _Value, session: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """`completed` = whether an event has come."""

class MakePrefetchAsyncContextOp(_asynchronous.MakePrefetchAsyncContextOp):
    def __init__(self, workspace: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Create a context for prefetches from the `workspace` that the host set up."""

class GetPrefetchAsyncSessionOp(_asynchronous.GetPrefetchAsyncSessionOp):
    def __init__(self, ctx: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """The session of a context, for waiting."""

class TPrefetchAsyncOp(_asynchronous.TPrefetchAsyncOp):
    def __init__(self, src: _Value, ctx: _Value, result_type: _Type | None = ..., *, attributes: _Attributes = ..., location: LocationAttr | None = ..., regions: Sequence[Region] | None = ...) -> None:
        """Start bringing `src` into the cache, for a later load; no data changes."""
