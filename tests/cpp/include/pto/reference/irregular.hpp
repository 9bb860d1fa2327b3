// Sorting, quantisation, padding, random numbers, histograms, and single elements: each as a plain loop.
#pragma once

#include "families.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace pto {

enum class QuantType { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };
enum class HistByte { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };
using TRandomKey = uint32_t[2];
using TRandomCounter = uint32_t[4];

// --- rows with a scale each ---------------------------------------------------------------------

namespace reference {

template <QuantType Type, typename Dst, typename Src, typename Fp, typename Offset>
void quantise(Dst &dst, Src &src, Fp &fp, Offset *offset)
{
    constexpr float low = Type == QuantType::INT8_SYM ? -128 : 0, high = Type == QuantType::INT8_SYM ? 127 : 255;
    fill(dst, [&](int r, int c) {
        float value = src.at(r, c) * fp.at(r, 0);
        if (offset != nullptr) {
            value += offset->at(r, 0);
        }
        return std::clamp(std::nearbyint(value), low, high);
    });
}

} // namespace reference

template <QuantType Type, typename Dst, typename Src, typename Fp>
PTO_INST void TQUANT(Dst &dst, Src &src, Fp &fp)
{
    reference::quantise<Type>(dst, src, fp, static_cast<Fp *>(nullptr));
}
template <QuantType Type, typename Dst, typename Src, typename Fp, typename Offset>
PTO_INST void TQUANT(Dst &dst, Src &src, Fp &fp, Offset *offset)
{
    reference::quantise<Type>(dst, src, fp, offset);
}
template <QuantType Type, typename Dst, typename Src, typename Fp, typename Tmp>
    requires requires(Tmp t) { t.data(); }
PTO_INST void TQUANT(Dst &dst, Src &src, Fp &fp, Tmp &)
{
    static_assert(reference::on_a2a3 && sizeof(Tmp) > 0, "only A2/A3 takes the way through a scratch tile");
    reference::quantise<Type>(dst, src, fp, static_cast<Fp *>(nullptr));
}
template <QuantType Type, typename Dst, typename Src, typename Fp, typename Tmp, typename Offset>
PTO_INST void TQUANT(Dst &dst, Src &src, Fp &fp, Tmp &, Offset *offset)
{
    static_assert(reference::on_a2a3 && sizeof(Tmp) > 0, "only A2/A3 takes the way through a scratch tile");
    reference::quantise<Type>(dst, src, fp, offset);
}
template <typename Dst, typename Src, typename Scale, typename Offset>
PTO_INST void TDEQUANT(Dst &dst, Src &src, Scale &scale, Offset &offset)
{
    reference::fill(dst, [&](int r, int c) {
        const float shifted = static_cast<float>(src.at(r, c)) - offset.at(r, 0);
        return shifted * scale.at(r, 0);
    });
}

// --- pairs of a value and its index -------------------------------------------------------------

namespace reference {

// Eight bytes: the value in the first, padded with zeros to four, then the index.
template <typename T>
struct Pair {
    T value;
    uint32_t index;

    static Pair read(const T *from)
    {
        Pair pair;
        std::memcpy(&pair.value, from, sizeof(T));
        std::memcpy(&pair.index, reinterpret_cast<const char *>(from) + 4, 4);
        return pair;
    }
    void write(T *to) const
    {
        std::memset(static_cast<void *>(to), 0, 8);
        std::memcpy(static_cast<void *>(to), &value, sizeof(T));
        std::memcpy(reinterpret_cast<char *>(to) + 4, &index, 4);
    }
};

template <typename T>
inline constexpr int elements_of_pair = 8 / static_cast<int>(sizeof(T));

} // namespace reference

// Blocks of 32, the largest first; of equal ones that with the smaller index.
template <typename Dst, typename Src, typename Idx, typename... Tmp>
PTO_INST void TSORT32(Dst &dst, Src &src, Idx &idx, Tmp &...)
{
    using T = typename Src::DType;
    constexpr int each = reference::elements_of_pair<T>;
    for (int r = 0; r < src.GetValidRow(); ++r) {
        for (int start = 0; start < src.GetValidCol(); start += 32) {
            std::vector<reference::Pair<T>> block;
            for (int c = start; c < std::min(start + 32, src.GetValidCol()); ++c) {
                block.push_back({src.at(r, c), idx.at(idx.GetValidRow() == 1 ? 0 : r, c)});
            }
            std::stable_sort(block.begin(), block.end(), [](const auto &a, const auto &b) {
                return b.value < a.value || (!(a.value < b.value) && a.index < b.index);
            });
            for (std::size_t n = 0; n < block.size(); ++n) {
                block[n].write(&dst.at(r, each * (start + static_cast<int>(n))));
            }
        }
    }
}

// Four sorted blocks become one: the largest first pair of what is left of them, over and over.
template <typename Dst, typename Src>
PTO_INST void TMRGSORT(Dst &dst, Src &src, int64_t length)
{
    using T = typename Src::DType;
    constexpr int each = reference::elements_of_pair<T>;
    const int group = 4 * static_cast<int>(length), block = static_cast<int>(length) / each;
    for (int start = 0; start + group <= src.GetValidCol(); start += group) {
        std::array<int, 4> taken = {};
        for (int n = 0; n < 4 * block; ++n) {
            int best = -1;
            reference::Pair<T> found = {};
            for (int list = 0; list < 4; ++list) {
                if (taken[static_cast<std::size_t>(list)] == block) {
                    continue;
                }
                const int at = start + each * (list * block + taken[static_cast<std::size_t>(list)]);
                const auto pair = reference::Pair<T>::read(&src.at(0, at));
                if (best < 0 || found.value < pair.value) {
                    best = list, found = pair;
                }
            }
            ++taken[static_cast<std::size_t>(best)];
            found.write(&dst.at(0, start + each * n));
        }
    }
}

// --- padding ------------------------------------------------------------------------------------

namespace reference {

template <typename T>
T pad_of(PadValue pad)
{
    if (pad == PadValue::Null || pad == PadValue::Zero) {
        return zero<T>();
    }
    const bool greatest = pad == PadValue::Max;
    if constexpr (std::is_integral_v<T>) {
        return greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    } else if constexpr (!is_float<T> || (sizeof(T) == 1 && !on_cpu)) {
        return zero<T>();
    } else if constexpr (std::is_same_v<T, float8_e4m3_t>) {
        return T(greatest ? 448.0f : -448.0f);
    } else {
        const float infinity = std::numeric_limits<float>::infinity();
        return T(greatest ? infinity : -infinity);
    }
}

// Devices fill valid rows across the tile, the simulator all of it. Of a row that a load has padded alike,
// A2/A3 takes what completes its last 32 bytes from the source.
template <typename Dst, typename Src>
void fill_pad(Dst &dst, Src &src)
{
    using T = typename Dst::DType;
    constexpr int unit = 32 / static_cast<int>(sizeof(T));
    int until = src.GetValidCol();
    if constexpr (on_a2a3 && Dst::PadVal == Src::PadVal) {
        until = std::min(Src::Cols, (until + unit - 1) / unit * unit);
    }
    const int rows = on_cpu ? Dst::Rows : dst.GetValidRow();
    std::vector<T> values;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < Dst::Cols; ++c)
            values.push_back(r < src.GetValidRow() && c < until ? src.at(r, c) : pad_of<T>(Dst::PadVal));
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < Dst::Cols; ++c)
            dst.at(r, c) = values[static_cast<std::size_t>(r * Dst::Cols + c)];
}

} // namespace reference

template <typename Dst, typename Src>
PTO_INST void TFILLPAD(Dst &dst, Src &src)
{
    reference::fill_pad(dst, src);
}
template <typename Dst, typename Src>
PTO_INST void TFILLPAD_INPLACE(Dst &dst, Src &src)
{
    reference::fill_pad(dst, src);
}
template <typename Dst, typename Src>
PTO_INST void TFILLPAD_EXPAND(Dst &dst, Src &src)
{
    reference::fill_pad(dst, src);
}

// --- random numbers and histograms ---------------------------------------------------------------

namespace reference {

// Philox 4x32: four words out of a counter of 128 bits and a key of 64.
inline std::array<uint32_t, 4> philox(unsigned __int128 counter, uint32_t k0, uint32_t k1, int rounds)
{
    std::array<uint32_t, 4> c;
    for (auto &word : c) {
        word = static_cast<uint32_t>(counter);
        counter >>= 32;
    }
    for (int n = 0; n < rounds; ++n) {
        const uint64_t one = uint64_t(c[0]) * 0xD2511F53u, two = uint64_t(c[2]) * 0xCD9E8D57u;
        c = {static_cast<uint32_t>(two >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(two),
             static_cast<uint32_t>(one >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(one)};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

} // namespace reference

// Portions of 64 counters: a device writes the four words of each behind one another and counts on from row to
// row; the simulator writes 64 first words, then 64 second ones, and counts on by a quarter of a row's room.
template <int Rounds, typename Dst>
PTO_INST void TRANDOM(Dst &dst, const uint32_t (&key)[2], const uint32_t (&start)[4])
{
    unsigned __int128 counter = 0;
    for (int n = 3; n >= 0; --n) {
        counter = counter << 32 | start[n];
    }
    const int cols = dst.GetValidCol();
    for (int r = 0; r < dst.GetValidRow(); ++r) {
        for (int first = 0; first < cols; first += 256) {
            for (int lane = 0; lane < 64; ++lane) {
                const auto words = reference::philox(counter + static_cast<unsigned>(lane), key[0], key[1], Rounds);
                for (int n = 0; n < 4; ++n) {
                    const int c = first + (reference::on_cpu ? 64 * n + lane : 4 * lane + n);
                    if (c < cols) {
                        dst.at(r, c) = words[static_cast<std::size_t>(n)];
                    }
                }
            }
            const bool last = first + 256 >= cols;
            counter += reference::on_cpu ? Dst::Cols / 4 : last ? (cols - 1) % 64 + 1 : 64;
        }
    }
}

// Of 16 bits: how many elements of a row have at most this byte, of those whose other byte is the one asked for.
template <HistByte Byte, typename Dst, typename Src, typename Idx>
PTO_INST void THISTOGRAM(Dst &dst, Src &src, Idx &idx)
{
    static_assert(sizeof(typename Src::DType) == 2, "the tests count elements of 16 bits");
    for (int r = 0; r < src.GetValidRow(); ++r)
        for (int bin = 0; bin < 256; ++bin) {
            uint32_t count = 0;
            for (int c = 0; c < src.GetValidCol(); ++c) {
                const unsigned low = src.at(r, c) & 0xFF, high = src.at(r, c) >> 8;
                const bool counts = Byte == HistByte::BYTE_1 || high == idx.at(r, 0);
                count += counts && static_cast<int>(Byte == HistByte::BYTE_1 ? high : low) <= bin;
            }
            dst.at(r, bin) = count;
        }
}

// --- columns that are counted -------------------------------------------------------------------

// So many columns of one source, then so many of the other, as far as there is room; counts are in bytes of the
// elements that count them.
template <typename Dst, typename A, typename B, typename I, typename J>
PTO_INST void TCONCAT(Dst &dst, A &a, B &b, I &first, J &second)
{
    for (int r = 0; r < dst.GetValidRow(); ++r) {
        const int room = dst.GetValidCol();
        const int left = std::min(room, static_cast<int>(first.at(r, 0) / sizeof(typename I::DType)));
        const int right = std::min(room - left, static_cast<int>(second.at(r, 0) / sizeof(typename J::DType)));
        for (int c = 0; c < left + right; ++c) {
            dst.at(r, c) = c < left ? a.at(r, c) : b.at(r, c - left);
        }
    }
}

} // namespace pto
