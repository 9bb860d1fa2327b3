// Arithmetic on tiles.
#pragma once

#include "tile.hpp"

#include <algorithm>

namespace pto {

namespace reference {

template <typename Dst, typename F>
void fill(Dst &dst, F f)
{
    for (int r = 0; r < dst.GetValidRow(); ++r)
        for (int c = 0; c < dst.GetValidCol(); ++c)
            dst.at(r, c) = static_cast<typename Dst::DType>(f(r, c));
}

template <typename T>
T absolute(T value)
{
    if constexpr (is_float<T>) {
        return T(std::fabs(static_cast<float>(value)));
    } else {
        return value < 0 ? wrapping([](auto a, auto b) { return a - b; }, T(0), value) : value;
    }
}

} // namespace reference

#define PTO_BINARY(NAME, EXPRESSION)                                                                       \
    template <typename Dst, typename A, typename B>                                                        \
    PTO_INST void NAME(Dst &dst, A &a, B &b)                                                               \
    {                                                                                                      \
        static_assert(std::is_same_v<typename Dst::DType, typename A::DType> &&                            \
                          std::is_same_v<typename A::DType, typename B::DType>,                            \
                      "one element type");                                                                 \
        reference::fill(dst, [&](int r, int c) {                                                           \
            return reference::wrapping([](auto x, auto y) { return EXPRESSION; }, a.at(r, c), b.at(r, c)); \
        });                                                                                                \
    }
PTO_BINARY(TADD, x + y)
PTO_BINARY(TSUB, x - y)
PTO_BINARY(TMUL, x * y)
#undef PTO_BINARY

template <typename Dst, typename A, typename B>
PTO_INST void TDIV(Dst &dst, A &a, B &b)
{
    using T = typename Dst::DType;
    reference::fill(dst, [&](int r, int c) {
        if constexpr (reference::is_small_float<T>) {
            return T(static_cast<float>(a.at(r, c)) / static_cast<float>(b.at(r, c)));
        } else {
            return static_cast<T>(a.at(r, c) / b.at(r, c));
        }
    });
}
template <typename Dst, typename A, typename B>
PTO_INST void TMAX(Dst &dst, A &a, B &b)
{
    reference::fill(dst, [&](int r, int c) { return a.at(r, c) < b.at(r, c) ? b.at(r, c) : a.at(r, c); });
}
template <typename Dst, typename A, typename B>
PTO_INST void TMIN(Dst &dst, A &a, B &b)
{
    reference::fill(dst, [&](int r, int c) { return b.at(r, c) < a.at(r, c) ? b.at(r, c) : a.at(r, c); });
}

#define PTO_SCALAR(NAME, EXPRESSION)                                                                      \
    template <typename Dst, typename A>                                                                   \
    PTO_INST void NAME(Dst &dst, A &a, typename A::DType scalar)                                          \
    {                                                                                                     \
        static_assert(std::is_same_v<typename Dst::DType, typename A::DType>, "one element type");        \
        reference::fill(dst, [&](int r, int c) {                                                          \
            return reference::wrapping([](auto x, auto y) { return EXPRESSION; }, a.at(r, c), scalar);    \
        });                                                                                               \
    }
PTO_SCALAR(TADDS, x + y)
PTO_SCALAR(TSUBS, x - y)
PTO_SCALAR(TMULS, x * y)
#undef PTO_SCALAR

template <typename Dst, typename Src>
PTO_INST void TABS(Dst &dst, Src &src)
{
    reference::fill(dst, [&](int r, int c) { return reference::absolute(src.at(r, c)); });
}
template <typename Dst, typename Src>
PTO_INST void TEXP(Dst &dst, Src &src)
{
    reference::fill(dst, [&](int r, int c) { return std::exp(static_cast<double>(src.at(r, c))); });
}
template <typename Dst, typename Src>
PTO_INST void TNEG(Dst &dst, Src &src)
{
    using T = typename Src::DType;
    reference::fill(dst, [&](int r, int c) {
        if constexpr (reference::is_float<T>) {
            return T(-static_cast<float>(src.at(r, c)));
        } else {
            return reference::wrapping([](auto x, auto y) { return x - y; }, T(0), src.at(r, c));
        }
    });
}
template <typename Dst, typename Src>
PTO_INST void TMOV(Dst &dst, Src &src)
{
    reference::fill(dst, [&](int r, int c) { return src.at(r, c); });
}
template <typename Dst, typename Src>
PTO_INST void TROWEXPAND(Dst &dst, Src &src)
{
    reference::fill(dst, [&](int r, int) { return src.at(r, 0); });
}
template <typename Dst, typename Src>
PTO_INST void TCOLEXPAND(Dst &dst, Src &src)
{
    reference::fill(dst, [&](int, int c) { return src.at(0, c); });
}
template <typename Dst>
PTO_INST void TEXPANDS(Dst &dst, typename Dst::DType scalar)
{
    reference::fill(dst, [&](int, int) { return scalar; });
}

template <typename Dst, typename Src, typename Tmp>
PTO_INST void TROWSUM(Dst &dst, Src &src, Tmp &)
{
    using T = typename Src::DType;
    for (int r = 0; r < src.GetValidRow(); ++r) {
        T sum = src.at(r, 0);
        for (int c = 1; c < src.GetValidCol(); ++c) {
            sum = reference::wrapping([](auto x, auto y) { return x + y; }, sum, src.at(r, c));
        }
        dst.at(r, 0) = sum;
    }
}
template <typename Dst, typename Src, typename Tmp>
PTO_INST void TROWMAX(Dst &dst, Src &src, Tmp &)
{
    for (int r = 0; r < src.GetValidRow(); ++r) {
        auto best = src.at(r, 0);
        for (int c = 1; c < src.GetValidCol(); ++c) {
            best = best < src.at(r, c) ? src.at(r, c) : best;
        }
        dst.at(r, 0) = best;
    }
}

template <typename Dst, typename T, int Descending>
PTO_INST void TCI(Dst &dst, T start)
{
    static_assert(Dst::Rows == 1, "one row of consecutive numbers");
    static_assert(std::is_same_v<T, typename Dst::DType>, "the start has the element type");
    for (int k = 0; k < dst.GetValidCol(); ++k) {
        dst.at(0, k) = static_cast<T>(Descending ? start - static_cast<T>(k) : start + static_cast<T>(k));
    }
}

// With scratch, the device doubles what it has written instead of counting; the numbers are the same.
template <typename Dst, typename Tmp, typename T, int Descending>
PTO_INST void TCI(Dst &dst, T start, Tmp &)
{
    TCI<Dst, T, Descending>(dst, start);
}

} // namespace pto
