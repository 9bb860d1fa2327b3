// TLOAD and TSTORE, and scalars of global memory.
#pragma once

#include "tensor.hpp"
#include "tile.hpp"

#include <cassert>

namespace pto {

namespace reference {

// Calls f(row, column, element of global memory) for the whole view, in the tile's coordinates.
template <typename Tensor, typename F>
void for_each(Tensor &tensor, F f)
{
    const int64_t s0 = tensor.GetShape(0), s1 = tensor.GetShape(1), s2 = tensor.GetShape(2);
    const int64_t s3 = tensor.GetShape(3), s4 = tensor.GetShape(4);
    for (int64_t a = 0; a < s0; ++a)
        for (int64_t b = 0; b < s1; ++b)
            for (int64_t c = 0; c < s2; ++c)
                for (int64_t d = 0; d < s3; ++d)
                    for (int64_t e = 0; e < s4; ++e) {
                        auto &element = tensor.data()[a * tensor.GetStride(0) + b * tensor.GetStride(1) +
                                                      c * tensor.GetStride(2) + d * tensor.GetStride(3) +
                                                      e * tensor.GetStride(4)];
                        const int64_t outer = (a * s1 + b) * s2 + c;
                        if constexpr (Tensor::layout == Layout::ND) {
                            f(static_cast<int>(outer * s3 + d), static_cast<int>(e), element);
                        } else if constexpr (Tensor::layout == Layout::DN) {
                            f(static_cast<int>(d), static_cast<int>(outer * s4 + e), element);
                        } else {
                            f(static_cast<int>(c * s3 + d), static_cast<int>((a * s1 + b) * s4 + e), element);
                        }
                    }
}

template <typename TileData, typename Tensor>
constexpr void check_transfer()
{
    static_assert(sizeof(typename TileData::DType) == sizeof(typename Tensor::DType), "equal element sizes");
    constexpr bool vector = TileData::Rows == 1 || TileData::Cols == 1;
    constexpr bool column = TileData::BFractal == BLayout::ColMajor && TileData::SFractal == SLayout::NoneBox;
    static_assert(TileData::Loc != TileType::Vec || vector || (Tensor::layout == Layout::ND && TileData::isRowMajor) ||
                      (Tensor::layout == Layout::DN && column) || (Tensor::layout == Layout::NZ && TileData::isNZ),
                  "a tile is loaded from and stored to memory of its own layout");
}

} // namespace reference

template <typename TileData, typename Tensor>
PTO_INST void TLOAD(TileData &dst, Tensor &src)
{
    reference::check_transfer<TileData, Tensor>();
    reference::for_each(src, [&](int r, int c, auto &element) {
        if (r < dst.GetValidRow() && c < dst.GetValidCol()) {
            dst.at(r, c) = element;
        }
    });
}

namespace reference {

template <AtomicType Atomic, typename TileData, typename Tensor>
void store(Tensor &dst, TileData &src)
{
    using T = typename TileData::DType;
    check_transfer<TileData, Tensor>();
    for_each(dst, [&](int r, int c, auto &element) {
        if (r >= src.GetValidRow() || c >= src.GetValidCol()) {
            return;
        }
        if constexpr (Atomic == AtomicType::AtomicAdd) {
            element = wrapping([](auto a, auto b) { return a + b; }, static_cast<T>(element), src.at(r, c));
        } else {
            static_assert(Atomic == AtomicType::AtomicNone, "TSTORE has no other atomic mode");
            element = src.at(r, c);
        }
    });
}

} // namespace reference

template <typename TileData, typename Tensor>
PTO_INST void TSTORE(Tensor &dst, TileData &src)
{
    reference::store<AtomicType::AtomicNone>(dst, src);
}

template <typename TileData, typename Tensor, AtomicType Atomic>
PTO_INST void TSTORE(Tensor &dst, TileData &src)
{
    reference::store<Atomic>(dst, src);
}

template <typename TileData>
PTO_INST void TPRINT(TileData &)
{}

} // namespace pto
