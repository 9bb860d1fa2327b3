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

// What a mode does to a pair of types: ODD is for f32 to f16 on devices; where none is said, a float loses its
// fraction on its way to an integer, and all else takes the nearest.
template <typename S, typename D>
RoundMode meant(RoundMode mode)
{
    constexpr bool has_odd = on_cpu || (std::is_same_v<S, float> && std::is_same_v<D, half>);
    if (mode == RoundMode::CAST_NONE || (mode == RoundMode::CAST_ODD && !has_odd)) {
        return std::is_integral_v<D> && !std::is_integral_v<S> ? RoundMode::CAST_TRUNC : RoundMode::CAST_RINT;
    }
    return mode;
}

// To a whole number. The simulator's ODD rounds to the nearest, and of two that are as near takes the odd one.
inline double round_as(RoundMode mode, double value)
{
    const double low = std::floor(value);
    switch (mode) {
    case RoundMode::CAST_ROUND: return std::round(value);
    case RoundMode::CAST_FLOOR: return low;
    case RoundMode::CAST_CEIL: return std::ceil(value);
    case RoundMode::CAST_TRUNC: return std::trunc(value);
    case RoundMode::CAST_ODD:
        if (value - low != 0.5) {
            return std::nearbyint(value);
        }
        return std::fmod(low, 2.0) == 0 ? low + 1 : low;
    default: return std::nearbyint(value);
    }
}

// Pairs of types that keep the low bits of a number out of range; all others go to the nearest end of the range.
template <typename S, typename D>
inline constexpr bool keeps_low_bits =
    on_cpu || (std::is_same_v<S, half> && (std::is_same_v<D, uint8_t> || std::is_same_v<D, int8_t>)) ||
    ((std::is_same_v<S, float> || std::is_same_v<S, half> || std::is_same_v<S, int32_t>)&&std::is_same_v<D, int16_t>) ||
    (std::is_same_v<S, int64_t> && std::is_same_v<D, int32_t>);

template <typename D, typename Wide>
D clamped(Wide value)
{
    using Limits = std::numeric_limits<D>;
    if (value >= static_cast<Wide>(Limits::max())) {
        return Limits::max();
    }
    return value <= static_cast<Wide>(Limits::min()) ? Limits::min() : static_cast<D>(value);
}

// The neighbour of a number whose magnitude's bit pattern is one step larger or smaller.
template <typename D>
D stepped(D number, int step)
{
    using Bits = std::conditional_t<sizeof(D) == 1, uint8_t, std::conditional_t<sizeof(D) == 2, uint16_t, uint32_t>>;
    Bits bits;
    std::memcpy(&bits, &number, sizeof bits);
    bits = static_cast<Bits>(bits + step);
    std::memcpy(&number, &bits, sizeof bits);
    return number;
}

template <typename D>
bool is_odd(D number)
{
    unsigned char bytes[sizeof(D)];
    std::memcpy(bytes, &number, sizeof(D));
    return bytes[0] & 1;
}

// A number as a float type has it, rounded as asked; the simulator always takes the nearest.
template <typename D>
D to_float(RoundMode mode, double exact)
{
    if constexpr (std::is_same_v<D, float8_e4m3_t>) {
        exact = std::fmin(std::fmax(exact, -448.0), 448.0);
    } else if constexpr (std::is_same_v<D, float8_e5m2_t>) {
        exact = std::fmin(std::fmax(exact, -57344.0), 57344.0);
    }
    const D nearest = static_cast<D>(exact);
    const double back = static_cast<double>(nearest);
    if (on_cpu || back == exact) {
        return nearest;
    }
    const D inner = std::fabs(back) > std::fabs(exact) ? stepped(nearest, -1) : nearest;
    const D outer = stepped(inner, 1);
    const double below = std::fabs(exact) - std::fabs(static_cast<double>(inner));
    const double above = std::fabs(static_cast<double>(outer)) - std::fabs(exact);
    switch (mode) {
    case RoundMode::CAST_TRUNC: return inner;
    case RoundMode::CAST_FLOOR: return exact < 0 ? outer : inner;
    case RoundMode::CAST_CEIL: return exact < 0 ? inner : outer;
    case RoundMode::CAST_ODD: return is_odd(inner) ? inner : outer;
    case RoundMode::CAST_ROUND: return below >= above ? outer : inner;
    default: return nearest;
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

template <typename Dst, typename Src>
PTO_INST void TCVT(Dst &dst, Src &src, RoundMode mode)
{
    using D = typename Dst::DType;
    using S = typename Src::DType;
    mode = reference::meant<S, D>(mode);
    reference::fill(dst, [&](int r, int c) -> D {
        const S value = src.at(r, c);
        if constexpr (std::is_integral_v<S> && std::is_integral_v<D>) {
            if constexpr (reference::keeps_low_bits<S, D> || std::is_same_v<S, D>) {
                return static_cast<D>(value);
            } else {
                return reference::clamped<D>(static_cast<__int128>(value));
            }
        } else if constexpr (std::is_integral_v<D>) {
            const double whole = reference::round_as(mode, static_cast<double>(value));
            if constexpr (reference::keeps_low_bits<S, D>) {
                return static_cast<D>(static_cast<int64_t>(whole));
            } else {
                return std::isnan(whole) ? D(0) : reference::clamped<D>(whole);
            }
        } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
            return reference::on_cpu ? value : static_cast<float>(reference::round_as(mode, value));
        } else {
            return reference::to_float<D>(mode, static_cast<double>(value));
        }
    });
}

} // namespace pto
