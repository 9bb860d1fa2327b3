#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

AICORE void dynamic_shapes(__gm__ float *srcGm, __gm__ int32_t *idxGm, __gm__ float *outGm, int64_t validCols,
                           int64_t d3, int64_t d4, int64_t srcStride3)
{
    using TableGMTensor = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
    using IdxGMTensor = GlobalTensor<int32_t, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, -1, 1>>;
    using OutGMTensor = GlobalTensor<float, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, -1, 1>>;
    using DstTile = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, -1, -1>;
    using IdxTile = Tile<TileType::Vec, int32_t, 1, 16, BLayout::RowMajor, -1, -1>;

    TableGMTensor tableGM(srcGm, Shape<1, 1, 1, -1, -1>(d3, d4), Stride<1, 1, 1, -1, 1>(srcStride3));
    IdxGMTensor idxGM(idxGm, Shape<1, 1, 1, 1, -1>(validCols), Stride<1, 1, 1, -1, 1>(validCols));
    OutGMTensor outGM(outGm, Shape<1, 1, 1, 1, -1>(validCols), Stride<1, 1, 1, -1, 1>(validCols));
    DstTile dstTile(1, validCols);
    TASSIGN<0x40>(dstTile);
    IdxTile idxTile(1, validCols);
    TASSIGN<0x0>(idxTile);
    TLOAD(idxTile, idxGM);
    MGATHER<Coalesce::Elem>(dstTile, tableGM, idxTile);
    TSTORE(outGM, dstTile);
}
