#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void tile_gather(__gm__ float *a, __gm__ int32_t *b, __gm__ float *out)
{
    using ATensor = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using BTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using Src0Tile = Tile<TileType::Vec, float, 16, 16>;
    using IdxTile = Tile<TileType::Vec, int32_t, 16, 16>;
    using TmpTile = Tile<TileType::Vec, int32_t, 1, 8>;

    ATensor aGM(a);
    BTensor bGM(b);
    ATensor outGM(out);
    Src0Tile src0;
    TASSIGN<0x0>(src0);
    IdxTile idx;
    TASSIGN<0x400>(idx);
    Src0Tile dst;
    TASSIGN<0x800>(dst);
    TmpTile tmp;
    TASSIGN<0x0>(tmp);
    TLOAD(src0, aGM);
    TLOAD(idx, bGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TGATHER(dst, src0, idx, tmp);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
