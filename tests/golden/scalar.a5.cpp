#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void scalar(__gm__ float *table, __gm__ int32_t *idxIn, __gm__ float *out)
{
    using TableTensor = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<32, 32, 32, 32, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
    using DstTile = Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1>;

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
    MGATHER<Coalesce::Elem>(dst, tableGM, idx);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
