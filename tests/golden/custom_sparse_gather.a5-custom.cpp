#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/npu/a5/custom/MGather.hpp>

using namespace pto;

AICORE void custom_sparse_gather(__gm__ float *data, __gm__ int32_t *sparseIndices, __gm__ float *out)
{
    using DataTensor = GlobalTensor<float, Shape<1, 1, 1, 1024, 64>, Stride<65536, 65536, 65536, 64, 1>>;
    using SparseIndicesTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using OutTensor = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using IdxTile = Tile<TileType::Vec, int32_t, 16, 16>;
    using DstTile = Tile<TileType::Vec, float, 16, 16>;

    DataTensor dataGM(data);
    SparseIndicesTensor sparseIndicesGM(sparseIndices);
    OutTensor outGM(out);
    IdxTile idx;
    TASSIGN<0x0>(idx);
    DstTile dst;
    TASSIGN<0x400>(dst);
    TLOAD(idx, sparseIndicesGM);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    MGATHER<GatherOOB::Zero>(dst, dataGM, idx);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(outGM, dst);
}
