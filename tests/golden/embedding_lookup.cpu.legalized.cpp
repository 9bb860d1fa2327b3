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
    using XTile = Tile<TileType::Vec, int32_t, 16, 32>;
    using TmpTile = Tile<TileType::Vec, int32_t, 1, 8>;
    using STile = Tile<TileType::Vec, int32_t, 1, 32>;

    TableTensor tableGM(table);
    IdxInTensor idxInGM(idxIn);
    OutTensor outGM(out);
    IdxTile idx;
    TASSIGN<0x0>(idx);
    DstTile dst;
    TASSIGN<0x0>(dst);
    XTile x;
    TASSIGN<0x840>(x);
    XTile k;
    TASSIGN<0x40>(k);
    TmpTile tmp;
    TASSIGN<0x0>(tmp);
    XTile limit;
    TASSIGN<0x0>(limit);
    XTile negative;
    TASSIGN<0x1840>(negative);
    XTile all;
    TASSIGN<0x1040>(all);
    XTile all_2;
    TASSIGN<0x1040>(all_2);
    XTile all_3;
    TASSIGN<0x1040>(all_3);
    XTile last;
    TASSIGN<0x1840>(last);
    XTile all_4;
    TASSIGN<0x1040>(all_4);
    STile s;
    TASSIGN<0x0>(s);
    XTile c;
    TASSIGN<0x1040>(c);
    TLOAD(idx, idxInGM);
    TEXPANDS(k, 0);
    for (int64_t r = 1; r < 16; ++r) {
        const int32_t v0 = static_cast<int32_t>(r);
        STile w;
        TSUBVIEW(w, k, r, 0);
        TEXPANDS(w, v0);
    }
    TGATHER(x, idx, k, tmp);
    TEXPANDS(limit, 64);
    TEXPANDS(all, -1);
    TMAX(negative, x, all);
    TEXPANDS(all_2, 0);
    TMIN(negative, negative, all_2);
    TMULS(negative, negative, -1);
    TMUL(negative, negative, limit);
    TEXPANDS(all_3, 0);
    TMAX(x, x, all_3);
    TADD(x, x, negative);
    TEXPANDS(all_4, 1);
    TSUB(last, limit, all_4);
    TMIN(x, x, last);
    TMULS(x, x, 32);
    TCI<STile, int32_t, 0>(s, 0);
    TCOLEXPAND(c, s);
    TADD(x, x, c);
    MGATHER(dst, tableGM, x);
    TSTORE(outGM, dst);
}
