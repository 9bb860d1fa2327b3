// Tiles of local memory: a window of one of the core's memories, with a layout and a valid region.
#pragma once

#include "enums.hpp"
#include "numbers.hpp"
#include "target.hpp"

#include <cstdlib>
#include <cstring>

namespace pto {

namespace reference {

// One memory for each place; large enough for every target. Bytes start as a pattern that is no useful number.
inline unsigned char *local_memory(TileType where)
{
    constexpr std::size_t size = 512 * 1024;
    static unsigned char *memories[9] = {};
    unsigned char *&memory = memories[static_cast<int>(where)];
    if (memory == nullptr) {
        memory = static_cast<unsigned char *>(std::aligned_alloc(64, size));
        std::memset(memory, 0xA5, size);
    }
    return memory;
}

} // namespace reference

template <TileType Loc_, typename Element_, int Rows_, int Cols_, BLayout BFractal_ = BLayout::RowMajor,
          int RowValid_ = Rows_, int ColValid_ = Cols_, SLayout SFractal_ = SLayout::NoneBox,
          int SFractalSize_ = 512, PadValue PadVal_ = PadValue::Null, CompactMode Compact_ = CompactMode::Null>
class Tile {
public:
    using DType = Element_;
    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_, Cols = Cols_, ValidRow = RowValid_, ValidCol = ColValid_;
    static constexpr BLayout BFractal = BFractal_;
    static constexpr SLayout SFractal = SFractal_;
    static constexpr int SFractalSize = SFractalSize_;
    static constexpr PadValue PadVal = PadVal_;
    static constexpr bool isRowMajor = BFractal == BLayout::RowMajor && SFractal == SLayout::NoneBox;
    static constexpr bool isNZ = BFractal == BLayout::ColMajor && SFractal == SLayout::RowMajor;

    static_assert(SFractal != SLayout::NoneBox || BFractal != BLayout::RowMajor || Cols * sizeof(DType) % 32 == 0,
                  "a row of a row-major tile is a multiple of 32 bytes");
    static_assert(SFractal != SLayout::NoneBox || BFractal != BLayout::ColMajor || Rows * sizeof(DType) % 32 == 0,
                  "a column of a column-major tile is a multiple of 32 bytes");
    static_assert(ValidRow <= Rows && ValidCol <= Cols, "the valid region lies inside the tile");

    Tile() : rows_(ValidRow), cols_(ValidCol) {}
    explicit Tile(int64_t extent)
        requires((ValidRow == -1) != (ValidCol == -1))
        : rows_(ValidRow == -1 ? static_cast<int>(extent) : ValidRow),
          cols_(ValidCol == -1 ? static_cast<int>(extent) : ValidCol)
    {}
    Tile(int64_t rows, int64_t cols)
        requires(ValidRow == -1 && ValidCol == -1)
        : rows_(static_cast<int>(rows)), cols_(static_cast<int>(cols))
    {}

    int GetValidRow() const { return rows_; }
    int GetValidCol() const { return cols_; }
    void SetValidShape(int64_t rows, int64_t cols)
    {
        static_assert(ValidRow == -1 && ValidCol == -1, "both extents are open");
        rows_ = static_cast<int>(rows);
        cols_ = static_cast<int>(cols);
    }
    void SetValidRow(int64_t rows)
    {
        static_assert(ValidRow == -1, "the rows are open");
        rows_ = static_cast<int>(rows);
    }
    void SetValidCol(int64_t cols)
    {
        static_assert(ValidCol == -1, "the columns are open");
        cols_ = static_cast<int>(cols);
    }
    DType *data() const { return data_; }
    // One element, counted in the order of addresses.
    DType GetValue(int64_t at) const { return data_[at]; }
    void SetValue(int64_t at, DType value) const { data_[at] = value; }
    void bind(void *data) { data_ = static_cast<DType *>(data); }

    // Where element (r, c) stands, in elements from the tile's first.
    static constexpr int offset(int r, int c)
    {
        if constexpr (SFractal == SLayout::NoneBox) {
            return BFractal == BLayout::RowMajor ? r * Cols + c : c * Rows + r;
        } else {
            constexpr int unit = 32 / static_cast<int>(sizeof(DType));
            constexpr int box_rows = SFractalSize == 1024 ? 16 : SFractal == SLayout::RowMajor ? 16 : unit;
            constexpr int box_cols = SFractalSize == 1024 ? 16 : SFractal == SLayout::RowMajor ? unit : 16;
            const int box_row = r / box_rows, box_col = c / box_cols, in_row = r % box_rows, in_col = c % box_cols;
            const int box = BFractal == BLayout::ColMajor ? box_col * (Rows / box_rows) + box_row
                                                          : box_row * (Cols / box_cols) + box_col;
            const int inside = SFractal == SLayout::RowMajor ? in_row * box_cols + in_col : in_col * box_rows + in_row;
            return box * box_rows * box_cols + inside;
        }
    }
    DType &at(int r, int c) const { return data_[offset(r, c)]; }

private:
    DType *data_ = nullptr;
    int rows_, cols_;
};

template <typename TileData, typename Address>
    requires std::is_integral_v<Address>
PTO_INST void TASSIGN(TileData &tile, Address address)
{
    tile.bind(reference::local_memory(TileData::Loc) + address);
}

// The address is a constant, of which the devices check bounds and alignment.
template <std::size_t Address, typename TileData>
PTO_INST void TASSIGN(TileData &tile)
{
    static_assert(Address % 32 == 0, "a tile begins at a multiple of 32 bytes");
    TASSIGN(tile, Address);
}

// The same bytes in another form.
template <typename DstTile, typename SrcTile>
PTO_INST void TRESHAPE(DstTile &dst, SrcTile &src)
{
    static_assert(DstTile::Rows * DstTile::Cols * sizeof(typename DstTile::DType) ==
                      SrcTile::Rows * SrcTile::Cols * sizeof(typename SrcTile::DType),
                  "a tile of another form has as many bytes");
    dst.bind(src.data());
}

// A window of `src`: it keeps the parent's strides, so it is declared with the extent that they follow from.
template <typename DstTile, typename SrcTile>
PTO_INST void TSUBVIEW(DstTile &dst, SrcTile &src, uint16_t row, uint16_t col)
{
    static_assert(DstTile::Loc == SrcTile::Loc && DstTile::BFractal == SrcTile::BFractal, "a window is a part");
    static_assert(DstTile::BFractal == BLayout::RowMajor ? DstTile::Cols == SrcTile::Cols
                                                         : DstTile::Rows == SrcTile::Rows,
                  "a window lies at its parent's strides");
    dst.bind(src.data() + SrcTile::offset(row, col));
}

} // namespace pto

// Flags order pipes; here instructions run one after another, so they have nothing to do.
PTO_INST void set_flag(pipe_t, pipe_t, event_t) {}
PTO_INST void wait_flag(pipe_t, pipe_t, event_t) {}
PTO_INST void pipe_barrier(pipe_t) {}

// The reference has no cache of its own: memory is always as the scalar pipe sees it.
enum class cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum mem_dsb_t { DSB_ALL, DSB_DDR };
PTO_INST void dcci(void *, cache_line_t) {}
PTO_INST void dsb(mem_dsb_t) {}

namespace pto::reference {
inline int64_t block_index = 0, block_count = 1;
}
PTO_INST int64_t get_block_idx() { return pto::reference::block_index; }
PTO_INST int64_t get_block_num() { return pto::reference::block_count; }
