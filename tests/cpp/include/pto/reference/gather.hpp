// Gathers and scatters between global memory and tiles, and within tiles.
#pragma once

#include "tensor.hpp"
#include "tile.hpp"

#include <cassert>

namespace pto {

namespace reference {

template <typename T, typename... Ts>
inline constexpr bool one_of = (std::is_same_v<T, Ts> || ...);

template <typename T>
inline constexpr bool gather_type =
    one_of<T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, half, bfloat16_t, float> ||
    (on_a5 && one_of<T, hifloat8_t, float8_e4m3_t, float8_e5m2_t>) ||
    (on_a5_custom && one_of<T, float8_e4m3_t, float8_e5m2_t>)
#ifdef __CCE_AICORE__
    || (on_cpu && one_of<T, float8_e4m3_t, float8_e5m2_t>)
#endif
    ;

// An index as the target reads it: 32 unsigned bits on the devices, sign-extended to 64 on the simulator.
template <typename I>
uint64_t index_bits(I value)
{
    return on_cpu ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint32_t>(value);
}

struct Remapped {
    int64_t index;
    bool inside;
};

inline Remapped remap(GatherOOB oob, uint64_t index, int64_t capacity)
{
    const uint64_t limit = static_cast<uint64_t>(capacity);
    const bool inside = index < limit;
    const int64_t as_is = static_cast<int64_t>(index);
    switch (oob) {
    case GatherOOB::Clamp: return {inside ? as_is : capacity - 1, true};
    case GatherOOB::Wrap: return {static_cast<int64_t>(index % limit), true};
    case GatherOOB::Zero: return {as_is, inside};
    default: return {as_is, true};
    }
}

inline Remapped remap(ScatterOOB oob, uint64_t index, int64_t capacity)
{
    switch (oob) {
    case ScatterOOB::Clamp: return remap(GatherOOB::Clamp, index, capacity);
    case ScatterOOB::Wrap: return remap(GatherOOB::Wrap, index, capacity);
    case ScatterOOB::Skip: return remap(GatherOOB::Zero, index, capacity);
    default: return remap(GatherOOB::Undefined, index, capacity);
    }
}

// The table's elements as (row, column): rows first, then the whole as one array.
template <typename Tensor>
struct Table {
    Tensor &tensor;
    static constexpr bool nz = Tensor::layout == Layout::NZ;

    int64_t logical_cols() const { return tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(4); }
    // Columns that a row transfers: all of an NZ row, whatever is valid.
    int columns(int valid) const { return nz ? static_cast<int>(logical_cols()) : valid; }
    int64_t rows() const
    {
        if (nz) {
            return tensor.GetShape(2) * 16;
        }
        const int64_t outer = tensor.GetShape(0) * tensor.GetShape(1) * tensor.GetShape(2);
        return on_a2a3 ? outer * tensor.GetShape(3) : tensor.GetShape(3);
    }
    int64_t size() const
    {
        return nz ? rows() * logical_cols()
                  : on_a5_custom ? tensor.GetShape(3) * tensor.GetShape(4) : tensor.count();
    }
    auto &in_row(int64_t row, int64_t col, int64_t width) const
    {
        if constexpr (nz) {
            const int64_t c0 = tensor.GetShape(4), block = col / c0;
            return tensor.data()[block / tensor.GetShape(1) * tensor.GetStride(0) +
                                 block % tensor.GetShape(1) * tensor.GetStride(1) + row / 16 * tensor.GetStride(2) +
                                 row % 16 * tensor.GetStride(3) + col % c0 * tensor.GetStride(4)];
        } else if (on_a2a3) {
            return tensor.data()[row * tensor.GetStride(3) + col];
        } else {
            return tensor.data()[row * (on_a5_custom ? tensor.GetShape(4) : width) + col];
        }
    }
    auto &flat(int64_t index) const
    {
        if constexpr (nz) {
            return in_row(index / logical_cols(), index % logical_cols(), 0);
        } else {
            return tensor.data()[index];
        }
    }
};

// The documented static checks, shared by MGATHER and MSCATTER.
template <Coalesce Mode, typename Data, typename Tensor, typename Idx>
constexpr void check_indexed()
{
    using T = typename Data::DType;
    static_assert(std::is_same_v<T, typename Tensor::DType>, "tile and table have one element type");
    static_assert(gather_type<T>, "element type of this target");
    static_assert(one_of<typename Idx::DType, int32_t, uint32_t>, "index type");
    static_assert(Data::Loc == TileType::Vec && Idx::Loc == TileType::Vec, "tiles of the vector core");
    constexpr bool both = Data::ValidRow > 0 && Data::ValidCol > 0 && Idx::ValidRow > 0 && Idx::ValidCol > 0;
    constexpr bool row_vector = Idx::ValidRow == 1 && Idx::ValidCol == Data::ValidRow;
    constexpr bool column_vector = Idx::ValidRow == Data::ValidRow && Idx::ValidCol == 1;
    constexpr bool same = Idx::ValidRow == Data::ValidRow && Idx::ValidCol == Data::ValidCol;
    if constexpr (on_a2a3) {
        static_assert(Idx::isRowMajor, "the index tile is row-major");
        static_assert((Tensor::layout == Layout::ND && Data::isRowMajor) ||
                          (Tensor::layout == Layout::NZ && Data::isNZ && Data::SFractalSize == 512),
                      "tile and table layouts are a pair");
        static_assert(Data::Cols * sizeof(T) % 32 == 0, "rows of 32-byte blocks");
        static_assert(Tensor::layout != Layout::NZ ||
                          (Tensor::staticShape[3] == 16 && Tensor::staticShape[4] == 32 / int64_t(sizeof(T)) &&
                           Data::Rows % 16 == 0 && Data::Cols % (32 / sizeof(T)) == 0),
                      "an NZ table is made of 16 x 32-byte blocks");
        static_assert(!both || Mode != Coalesce::Row || row_vector, "Row: idx is [1, R]");
        static_assert(!both || Mode != Coalesce::Elem || same, "Elem: idx has the tile's valid shape");
    }
    if constexpr (on_a5) {
        static_assert(Tensor::layout == Layout::ND && Data::SFractal == SLayout::NoneBox &&
                          Idx::SFractal == SLayout::NoneBox,
                      "packed ND only");
        static_assert(Mode != Coalesce::Row || Data::ValidCol == -1 || Tensor::staticShape[4] == Data::ValidCol,
                      "Row: the table is as wide as the tile");
        static_assert(!both || Mode != Coalesce::Row || row_vector || column_vector, "Row: idx is [1, R] or [R, 1]");
        static_assert(!both || Mode != Coalesce::Elem || same, "Elem: idx has the tile's valid shape");
        static_assert(Data::ValidRow == -1 || Mode != Coalesce::Row || Idx::ValidRow != -1 || Idx::ValidCol != -1,
                      "static destination, dynamic index");
    }
    if constexpr (on_a5_custom) {
        static_assert(Data::Rows == Idx::Rows && (Idx::Cols == 1 || Idx::Cols == Data::Cols),
                      "the index tile's columns say which gather this is");
    }
    if constexpr (on_cpu) {
        static_assert(Data::isRowMajor && Idx::isRowMajor && Tensor::layout == Layout::ND, "row-major, ND");
    }
}

template <Coalesce Mode, GatherOOB Oob, typename Dst, typename Tensor, typename Idx>
void gather(Dst &dst, Tensor &tensor, Idx &idx)
{
    using T = typename Dst::DType;
    const Table<Tensor> table{tensor};
    const int rows = dst.GetValidRow();
    const int cols = Mode == Coalesce::Row ? table.columns(dst.GetValidCol()) : dst.GetValidCol();
    if (Table<Tensor>::nz && Mode == Coalesce::Row && Oob == GatherOOB::Zero) {
        std::memset(static_cast<void *>(dst.data()), 0, sizeof(T) * Dst::Rows * Dst::Cols);
    }
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            if constexpr (Mode == Coalesce::Row) {
                const bool along_row = Idx::Cols != 1 && idx.GetValidRow() == 1;
                const uint64_t raw = index_bits(along_row ? idx.at(0, r) : idx.at(r, 0));
                const Remapped found = remap(Oob, raw, table.rows());
                dst.at(r, c) = found.inside ? table.in_row(found.index, c, cols) : zero<T>();
            } else {
                const Remapped found = remap(Oob, index_bits(idx.at(r, c)), table.size());
                dst.at(r, c) = found.inside ? table.flat(found.index) : zero<T>();
            }
        }
    }
}

template <Coalesce Mode, ScatterAtomicOp Op, ScatterOOB Oob, typename Tensor, typename Src, typename Idx>
void scatter(Tensor &tensor, Src &src, Idx &idx)
{
    using T = typename Src::DType;
    const Table<Tensor> table{tensor};
    const auto combine = [](T &target, T value) {
        if constexpr (Op == ScatterAtomicOp::Add) {
            target = wrapping([](auto a, auto b) { return a + b; }, target, value);
        } else if constexpr (Op == ScatterAtomicOp::Max) {
            target = target < value ? value : target;
        } else if constexpr (Op == ScatterAtomicOp::Min) {
            target = value < target ? value : target;
        } else {
            target = value;
        }
    };
    const int cols = Mode == Coalesce::Row ? table.columns(src.GetValidCol()) : src.GetValidCol();
    const auto write = [&](int r, int c) {
        if constexpr (Mode == Coalesce::Row) {
            const bool along_row = Idx::Cols != 1 && idx.GetValidRow() == 1;
            const uint64_t raw = index_bits(along_row ? idx.at(0, r) : idx.at(r, 0));
            const Remapped found = remap(Oob, raw, table.rows());
            if (found.inside) {
                combine(table.in_row(found.index, c, cols), src.at(r, c));
            }
        } else {
            const Remapped found = remap(Oob, index_bits(idx.at(r, c)), table.size());
            if (found.inside) {
                combine(table.flat(found.index), src.at(r, c));
            }
        }
    };
    // Of two writers the later one stays: rows one after the other, for NZ in one column of blocks after another.
    const int width = Table<Tensor>::nz ? 32 / static_cast<int>(sizeof(T)) : cols;
    for (int first = 0; first < cols; first += width)
        for (int r = 0; r < src.GetValidRow(); ++r)
            for (int c = first; c < cols && c < first + width; ++c)
                write(r, c);
}

} // namespace reference

#if PTO_REF_TARGET == PTO_REF_CPU
template <typename Dst, typename Tensor, typename Idx>
PTO_INST void MGATHER(Dst &dst, Tensor &src, Idx &indexes)
{
    static_assert(Dst::Rows == Idx::Rows && Dst::Cols * sizeof(typename Dst::DType) % 32 == 0);
    static_assert(Tensor::staticShape[0] == 1 && Tensor::staticShape[1] == 1 && Tensor::staticShape[2] == 1);
    reference::check_indexed<Coalesce::Elem, Dst, Tensor, Idx>();
    reference::gather<Coalesce::Elem, GatherOOB::Undefined>(dst, src, indexes);
}
inline constexpr Coalesce default_coalesce = Coalesce::Elem;
#elif PTO_REF_TARGET != PTO_REF_A5_CUSTOM
template <Coalesce Mode = Coalesce::Row, GatherOOB Oob = GatherOOB::Undefined, typename Dst, typename Tensor,
          typename Idx>
PTO_INST void MGATHER(Dst &dst, Tensor &table, Idx &idx)
{
    reference::check_indexed<Mode, Dst, Tensor, Idx>();
    reference::gather<Mode, Oob>(dst, table, idx);
}
inline constexpr Coalesce default_coalesce = Coalesce::Row;
#endif

#if PTO_REF_TARGET != PTO_REF_A5_CUSTOM
template <Coalesce Mode = default_coalesce, ScatterAtomicOp Op = ScatterAtomicOp::None,
          ScatterOOB Oob = ScatterOOB::Undefined, typename Tensor, typename Src, typename Idx>
PTO_INST void MSCATTER(Tensor &table, Src &src, Idx &idx)
{
    reference::check_indexed<Mode, Src, Tensor, Idx>();
    reference::scatter<Mode, Op, Oob>(table, src, idx);
}
#if PTO_REF_TARGET != PTO_REF_A2A3
template <Coalesce Mode, ScatterAtomicOp Op, ScatterOOB Oob, ScatterConflict Conflict, typename Tensor, typename Src,
          typename Idx>
PTO_INST void MSCATTER(Tensor &table, Src &src, Idx &idx)
{
    static_assert(!reference::on_cpu || Op == ScatterAtomicOp::None || Conflict == ScatterConflict::Default);
    reference::check_indexed<Mode, Src, Tensor, Idx>();
    reference::scatter<Mode, Op, Oob>(table, src, idx);
}
#endif
#endif

namespace reference {

template <typename Dst, typename Src, typename Idx>
void gather_in_tile(Dst &dst, Src &src, Idx &idx)
{
    using T = typename Dst::DType;
    static_assert(std::is_same_v<T, typename Src::DType>, "one element type");
    static_assert(sizeof(typename Idx::DType) == 4 || ((on_a5 || on_a5_custom) && sizeof(typename Idx::DType) == 2), "index size");
    for (int r = 0; r < dst.GetValidRow(); ++r) {
        for (int c = 0; c < dst.GetValidCol(); ++c) {
            const uint64_t index = index_bits(idx.at(r, c));
            const bool inside = index < uint64_t(Src::Rows) * Src::Cols;
            dst.at(r, c) = inside ? src.at(static_cast<int>(index / Src::Cols), static_cast<int>(index % Src::Cols))
                                  : zero<T>();
        }
    }
}

} // namespace reference

#if PTO_REF_ISA_2026_08
template <typename Dst, typename Src, typename Idx, typename Tmp>
PTO_INST void TGATHER(Dst &dst, Src &src, Idx &idx, Tmp &)
{
    static_assert(!reference::on_a2a3 || std::is_same_v<typename Tmp::DType, typename Idx::DType>);
    reference::gather_in_tile(dst, src, idx);
}
#else
template <typename Dst, typename Src, typename Idx>
PTO_INST void TGATHER(Dst &dst, Src &src, Idx &idx)
{
    reference::gather_in_tile(dst, src, idx);
}
template <typename Dst, typename Src, typename Idx, typename Tmp>
PTO_INST void TGATHER(Dst &dst, Src &src, Idx &idx, Tmp &)
{
    reference::gather_in_tile(dst, src, idx);
}
#endif

// The kept elements of all valid rows, one after another from the destination's first element.
template <typename Dst, typename Src, MaskPattern Pattern, GatherAxis Axis = GatherAxis::GATHER_ROW>
PTO_INST void TGATHER(Dst &dst, Src &src)
{
    static_assert(sizeof(typename Dst::DType) == sizeof(typename Src::DType), "equal element sizes");
    static_assert(Dst::Loc == TileType::Vec && Src::Loc == TileType::Vec && Dst::isRowMajor && Src::isRowMajor);
    constexpr int every = Pattern == MaskPattern::P1111 ? 1
                          : Pattern == MaskPattern::P0101 || Pattern == MaskPattern::P1010 ? 2 : 4;
    constexpr int phase = Pattern == MaskPattern::P1010 || Pattern == MaskPattern::P0010 ? 1
                          : Pattern == MaskPattern::P0100 ? 2 : Pattern == MaskPattern::P1000 ? 3 : 0;
    int next = 0;
    for (int r = 0; r < src.GetValidRow(); ++r) {
        if constexpr (Axis == GatherAxis::GATHER_COL) {
            if (r % every != phase) {
                continue;
            }
            for (int c = 0; c < src.GetValidCol(); ++c) {
                std::memcpy(&dst.at(next, c), &src.at(r, c), sizeof(typename Src::DType));
            }
            ++next;
        } else {
            for (int c = phase; c < src.GetValidCol(); c += every) {
                std::memcpy(dst.data() + next++, &src.at(r, c), sizeof(typename Src::DType));
            }
        }
    }
}

// Whole 32-byte blocks; an offset counts bytes from the source's first.
template <typename Dst, typename Src, typename Offset>
PTO_INST void TGATHERB(Dst &dst, Src &src, Offset &offset)
{
    static_assert(Dst::isRowMajor);
    constexpr int per_block = 32 / static_cast<int>(sizeof(typename Dst::DType));
    for (int r = 0; r < dst.GetValidRow(); ++r) {
        for (int c = 0; c < dst.GetValidCol(); ++c) {
            const auto *block = reinterpret_cast<const unsigned char *>(src.data()) +
                                static_cast<uint32_t>(offset.at(r, c / per_block));
            std::memcpy(&dst.at(r, c), block + c % per_block * sizeof(typename Dst::DType), sizeof(typename Dst::DType));
        }
    }
}

// `idx` counts elements from the destination's first; the devices clear the destination before.
template <typename Dst, typename Src, typename Idx>
PTO_INST void TSCATTER(Dst &dst, Src &src, Idx &idx)
{
    static_assert(std::is_same_v<typename Dst::DType, typename Src::DType>, "one element type");
    if (!reference::on_cpu) {
        std::memset(static_cast<void *>(dst.data()), 0, sizeof(typename Dst::DType) * Dst::Rows * Dst::Cols);
    }
    for (int r = 0; r < idx.GetValidRow(); ++r) {
        for (int c = 0; c < idx.GetValidCol(); ++c) {
            dst.data()[idx.at(r, c)] = src.at(r, c);
        }
    }
}

} // namespace pto
