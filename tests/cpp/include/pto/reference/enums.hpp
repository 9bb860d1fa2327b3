// The enumerations of the instruction library that emitted code names.
#pragma once

#include <cstdint>

namespace pto {

enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class PadValue : uint64_t { Null, Zero, Max, Min };
enum class CompactMode { Null, Normal, RowPlusOne };
enum class Layout { ND, DN, NZ };
enum class Coalesce : uint8_t { Row = 0, Elem = 1 };
enum class GatherOOB : uint8_t { Undefined = 0, Clamp = 1, Wrap = 2, Zero = 3 };
enum class ScatterOOB : uint8_t { Undefined = 0, Skip = 1, Clamp = 2, Wrap = 3 };
enum class ScatterAtomicOp : uint8_t { None = 0, Add = 1, Max = 2, Min = 3 };
enum class ScatterConflict : uint8_t { Last = 0, Default = 1 };
enum class AtomicType : uint8_t { AtomicNone = 0, AtomicAdd = 1, AtomicMax = 2, AtomicMin = 3 };
enum class MaskPattern : uint8_t { P0101 = 1, P1010, P0001, P0010, P0100, P1000, P1111 };
enum class GatherAxis { GATHER_ROW, GATHER_COL };
enum class CmpMode : uint8_t { EQ, NE, LT, LE, GT, GE };
enum class RoundMode : uint8_t { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode { ON, OFF };
enum class GlobalTensorDim { DIM_0, DIM_1, DIM_2, DIM_3, DIM_4 };

} // namespace pto

enum pipe_t { PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_ALL, PIPE_FIX };
enum event_t {
    EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
};
