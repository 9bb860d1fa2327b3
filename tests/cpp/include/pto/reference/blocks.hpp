// Blocks of numbers that share an exponent, exponents in boxes, sorted lists that become one: each as a plain loop.
#pragma once

#include "irregular.hpp"

#include <bit>

namespace pto {

enum class MxQuantAlg { OcpMxFp8E4M3, NvMxFp8E4M3 };

// --- blocks with an exponent each ---------------------------------------------------------------

namespace reference {

inline constexpr int block_length = 32;

// The exponent of a block in eight bits, from its largest magnitude: that of 448 is 8.
template <MxQuantAlg Algorithm>
int exponent_of(float largest)
{
    if (std::isnan(largest)) {
        return 0xFF;
    }
    if constexpr (Algorithm == MxQuantAlg::OcpMxFp8E4M3) {
        return std::max(static_cast<int>(std::bit_cast<uint32_t>(largest) >> 23) - 8, 0);
    } else {
        // One more where a part of the quotient is left over; infinity is the largest that is a number.
        const uint32_t bits = std::bit_cast<uint32_t>(largest * (1.0f / 448.0f));
        return std::min(static_cast<int>(bits >> 23) + ((bits & 0x7FFFFF) != 0 ? 1 : 0), 0xFE);
    }
}

inline float scale_of(int exponent)
{
    return exponent == 0xFF ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, 127 - exponent);
}

// What belongs to block (r, c) of so many in a row: at its place, or all of them in one row.
template <typename TileData>
auto &of_block(TileData &tile, int r, int c, int in_row)
{
    return tile.GetValidRow() == 1 ? tile.at(0, r * in_row + c) : tile.at(r, c);
}

} // namespace reference

template <int Axis, MxQuantAlg Algorithm, typename Dst, typename Src, typename Exp, typename Max, typename Scaling>
PTO_INST void TQUANT(Dst &dst, Src &src, Exp *exp, Max *max, Scaling *scaling)
{
    static_assert(sizeof(Dst) > 0 && !reference::on_a2a3, "A2/A3 has no blocks");
    constexpr int length = reference::block_length, down = Axis == 0 ? length : 1, right = Axis == 0 ? 1 : length;
    const int rows = src.GetValidRow() / down, cols = src.GetValidCol() / right;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            const auto number = [&](int n) -> float {
                return src.at(r * down + (Axis == 0 ? n : 0), c * right + (Axis == 0 ? 0 : n));
            };
            float largest = 0;
            for (int n = 0; n < length; ++n) {
                largest = std::max(largest, std::fabs(number(n)));
            }
            const int exponent = reference::exponent_of<Algorithm>(largest);
            const float scale = reference::scale_of(exponent);
            reference::of_block(*exp, r, c, cols) = static_cast<typename Exp::DType>(exponent);
            reference::of_block(*max, r, c, cols) = static_cast<typename Max::DType>(largest);
            reference::of_block(*scaling, r, c, cols) = static_cast<typename Scaling::DType>(scale);
            for (int n = 0; n < length; ++n) {
                const float value = std::clamp(number(n) * scale, -448.0f, 448.0f);
                const auto code = static_cast<typename Dst::DType>(float8_e4m3_t(value).bits);
                dst.at(r * down + (Axis == 0 ? n : 0), c * right + (Axis == 0 ? 0 : n)) = code;
            }
        }
    }
}

// Boxes of 16 rows and 2 columns one after the other, row by row, in the order of addresses. Rows that complete
// the last boxes are zeros, in the source as well.
template <int Axis = 1, typename Dst, typename Src, typename Tmp>
    requires requires(Tmp t) { t.data(); }
PTO_INST void TMOV(Dst &dst, Src &src, Tmp &)
{
    static_assert(reference::on_any_a5 && sizeof(Tmp) > 0, "only A5 puts exponents into boxes");
    const int rows = Axis == 0 ? src.GetValidCol() : dst.GetValidRow();
    const int cols = Axis == 0 ? src.GetValidRow() : dst.GetValidCol();
    const int whole = (rows + 15) / 16 * 16;
    if constexpr (Axis == 1) {
        std::fill(src.data() + rows * cols, src.data() + whole * cols, typename Src::DType{});
    }
    auto *to = dst.data();
    for (int top = 0; top < whole; top += 16) {
        for (int left = 0; left < cols; left += 2) {
            for (int n = 0; n < 32; ++n) {
                const int r = top + n / 2, c = left + n % 2;
                *to++ = src.data()[Axis == 0 ? c * rows + r : r * cols + c];
            }
        }
    }
}

// --- sorted lists -------------------------------------------------------------------------------

struct MrgSortExecutedNumList {
    uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3;
};

namespace reference {

// The largest first pair of all lists, over and over; of equal ones that of the earlier list. `stops` where the
// first list is used up.
template <bool Stops, typename Dst, typename... Lists>
void merge(Dst &dst, MrgSortExecutedNumList &executed, Lists &...lists)
{
    using T = typename Dst::DType;
    constexpr int each = elements_of_pair<T>;
    const std::array<const T *, sizeof...(Lists)> data = {lists.data()...};
    const std::array<int, sizeof...(Lists)> sizes = {lists.GetValidCol() / each...};
    std::array<uint16_t, 4> taken = {};
    for (int n = 0; n < dst.GetValidCol() / each; ++n) {
        int best = -1;
        bool empty = false;
        Pair<T> found = {};
        for (std::size_t list = 0; list < sizes.size(); ++list) {
            if (taken[list] == sizes[list]) {
                empty = true;
                continue;
            }
            const auto pair = Pair<T>::read(data[list] + each * taken[list]);
            if (best < 0 || found.value < pair.value) {
                best = static_cast<int>(list), found = pair;
            }
        }
        if (best < 0 || (Stops && empty)) {
            break;
        }
        ++taken[static_cast<std::size_t>(best)];
        found.write(&dst.at(0, each * n));
    }
    executed = {taken[0], taken[1], taken[2], taken[3]};
}

} // namespace reference

template <typename Dst, typename Tmp, typename A, typename B, bool Stops>
PTO_INST void TMRGSORT(Dst &dst, MrgSortExecutedNumList &executed, Tmp &, A &a, B &b)
{
    reference::merge<Stops>(dst, executed, a, b);
}
template <typename Dst, typename Tmp, typename A, typename B, typename C, bool Stops>
PTO_INST void TMRGSORT(Dst &dst, MrgSortExecutedNumList &executed, Tmp &, A &a, B &b, C &c)
{
    reference::merge<Stops>(dst, executed, a, b, c);
}
template <typename Dst, typename Tmp, typename A, typename B, typename C, typename D, bool Stops>
PTO_INST void TMRGSORT(Dst &dst, MrgSortExecutedNumList &executed, Tmp &, A &a, B &b, C &c, D &d)
{
    reference::merge<Stops>(dst, executed, a, b, c, d);
}

} // namespace pto
