#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" __global__ AICORE void example_manual(__gm__ float *src, __gm__ int32_t *idxIn, __gm__ float *out)
{
    using SrcTensor = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using IdxInTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;
    using DstTile = Tile<TileType::Vec, float, 16, 16>;
    using IdxTile = Tile<TileType::Vec, int32_t, 16, 16>;

    SrcTensor srcGM(src);
    IdxInTensor idxInGM(idxIn);
    SrcTensor outGM(out);
    DstTile dst;
    IdxTile idx;
    TASSIGN<0x1000>(dst);
    TASSIGN<0x2000>(idx);
    TLOAD(idx, idxInGM);
    MGATHER(dst, srcGM, idx);
    TSTORE(outGM, dst);
}
