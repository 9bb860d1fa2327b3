#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void embedding_lookup(__gm__ float *table, __gm__ int32_t *idxIn, __gm__ float *out)
{
    using TableTensor = GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<512, 512, 512, 32, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 1, 16>;
    using DstTile = Tile<TileType::Vec, float, 16, 32>;

    TableTensor tableGM(table);
    IdxInTensor idxInGM(idxIn);
    OutTensor outGM(out);
    IdxTile idx;
    TASSIGN<0x0>(idx);
    DstTile dst;
    TASSIGN<0x40>(dst);
    TLOAD(idx, idxInGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, tableGM, idx);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
