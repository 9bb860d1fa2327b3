#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" __global__ AICORE void extended_ub(__gm__ float *table, __gm__ int32_t *idxIn, __gm__ float *out)
{
    using TableTensor = GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<8192, 8192, 8192, 128, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 160, 128>, Stride<20480, 20480, 20480, 128, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 160, 128>, Stride<20480, 20480, 20480, 128, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 160, 128>;
    using DstTile = Tile<TileType::Vec, float, 160, 128>;

    TableTensor tableGM(table);
    IdxInTensor idxInGM(idxIn);
    OutTensor outGM(out);
    IdxTile idx;
    TASSIGN<0x0>(idx);
    DstTile dst;
    TASSIGN<0x14000>(dst);
    TLOAD(idx, idxInGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<Coalesce::Elem, GatherOOB::Clamp>(dst, tableGM, idx);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}

#ifndef __CPU_SIM

void launch_extended_ub(uint32_t numBlocks, void *stream, float *table, int32_t *idxIn, float *out)
{
    extended_ub<<<numBlocks, 163840, stream>>>(table, idxIn, out);
}

#endif
