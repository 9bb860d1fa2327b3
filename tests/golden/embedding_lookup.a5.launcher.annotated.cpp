#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" __global__ AICORE void embedding_lookup(__gm__ float *table, __gm__ int32_t *idxIn,
                                                   __gm__ float *out)
{
    using TableTensor = GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<512, 512, 512, 32, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 1, 16>;
    using DstTile = Tile<TileType::Vec, float, 16, 32>;

    TableTensor tableGM(table);
    IdxInTensor idxInGM(idxIn);
    OutTensor outGM(out);
    // 64 bytes at the lowest free address
    IdxTile idx;
    TASSIGN<0x0>(idx);
    // 2048 bytes at the lowest free address above %idx, which is needed at the same time
    DstTile dst;
    TASSIGN<0x40>(dst);
    // 5: %idx = tload %idxIn : (!pto.memref<1x16xi32>) -> !pto.tile<1x16xi32>
    TLOAD(idx, idxInGM);
    // tload (line 5) writes %idx before mgather (line 6) reads it
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    // 6: %dst = mgather.row.clamp %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>
    MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, tableGM, idx);
    // mgather (line 6) writes %dst before tstore (line 7) reads it
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    // 7: tstore %dst, %out
    TSTORE(outGM, dst);
}

#ifndef __CPU_SIM

void launch_embedding_lookup(uint32_t numBlocks, void *stream, float *table, int32_t *idxIn, float *out)
{
    embedding_lookup<<<numBlocks, nullptr, stream>>>(table, idxIn, out);
}

#endif
