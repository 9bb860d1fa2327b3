#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void tile_gather_mask(__gm__ float *a, __gm__ float *out)
{
    using ATensor = GlobalTensor<float, Shape<1, 1, 1, 2, 16>, Stride<32, 32, 32, 16, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
    using SrcTile = Tile<TileType::Vec, float, 2, 16>;
    using DstTile = Tile<TileType::Vec, float, 1, 16>;

    ATensor aGM(a);
    OutTensor outGM(out);
    SrcTile src;
    DstTile dst;
    TASSIGN<0x1000>(src);
    TASSIGN<0x2000>(dst);
    TLOAD(src, aGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TGATHER<DstTile, SrcTile, MaskPattern::P0101>(dst, src);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
