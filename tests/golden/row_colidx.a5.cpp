#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void row_colidx(__gm__ half *table, __gm__ int32_t *idxIn, __gm__ half *out)
{
    using TableTensor = GlobalTensor<half, Shape<1, 1, 1, 64, 64>, Stride<4096, 4096, 4096, 64, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 8, 1>, Stride<8, 8, 8, 1, 8>, Layout::DN>;
    using OutTensor = GlobalTensor<half, Shape<1, 1, 1, 8, 64>, Stride<512, 512, 512, 64, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor>;
    using DstTile = Tile<TileType::Vec, half, 8, 64>;

    TableTensor tableGM(table);
    IdxInTensor idxInGM(idxIn);
    OutTensor outGM(out);
    IdxTile idx;
    TASSIGN<0x0>(idx);
    DstTile dst;
    TASSIGN<0x20>(dst);
    TLOAD(idx, idxInGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Row>(dst, tableGM, idx);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
