// Element types that C++ lacks: IEEE-like floats of 8 and 16 bits, rounded to nearest even.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace pto::reference {

// FiniteOnly: no infinities, and one NaN (all ones), as in f8E4M3FN.
template <typename Bits, int Exponent, int Mantissa, bool FiniteOnly>
struct SmallFloat {
    Bits bits;

    SmallFloat() = default;
    SmallFloat(float value) : bits(encode(value)) {}
    SmallFloat(double value) : bits(encode(value)) {}
    template <typename I>
        requires std::is_integral_v<I>
    SmallFloat(I value) : bits(encode(static_cast<double>(value)))
    {}
    operator float() const { return static_cast<float>(decode(bits)); }

    static constexpr int bias = (1 << (Exponent - 1)) - 1;
    static constexpr Bits all_exponent = static_cast<Bits>(((1 << Exponent) - 1) << Mantissa);
    static constexpr Bits nan = static_cast<Bits>(FiniteOnly ? (1 << (Exponent + Mantissa)) - 1
                                                             : all_exponent | (1 << (Mantissa - 1)));
    static constexpr int top_exponent = FiniteOnly ? bias + 1 : bias;

    static Bits encode(double value)
    {
        const Bits sign = static_cast<Bits>(std::signbit(value) ? Bits(1) << (Exponent + Mantissa) : 0);
        if (std::isnan(value)) {
            return static_cast<Bits>(sign | nan);
        }
        const double magnitude = std::fabs(value);
        const Bits overflow = static_cast<Bits>(sign | (FiniteOnly ? nan : all_exponent));
        if (std::isinf(magnitude)) {
            return overflow;
        }
        if (magnitude == 0) {
            return sign;
        }
        int exponent = std::ilogb(magnitude);
        const bool subnormal = exponent < 1 - bias;
        exponent = subnormal ? 1 - bias : exponent;
        double scaled = std::nearbyint(std::ldexp(magnitude, Mantissa - exponent));
        if (scaled >= std::ldexp(1.0, Mantissa + 1)) {
            scaled /= 2;
            ++exponent;
        }
        const int fraction = static_cast<int>(scaled);
        const int field = fraction < (1 << Mantissa) ? 0 : exponent + bias;
        const Bits result = static_cast<Bits>((field << Mantissa) | (fraction & ((1 << Mantissa) - 1)));
        const bool too_large = exponent > top_exponent || (FiniteOnly && result >= nan);
        return too_large ? overflow : static_cast<Bits>(sign | result);
    }

    static double decode(Bits pattern)
    {
        const bool negative = (pattern >> (Exponent + Mantissa)) & 1;
        const int field = (pattern >> Mantissa) & ((1 << Exponent) - 1);
        const int fraction = pattern & ((1 << Mantissa) - 1);
        double magnitude;
        if (FiniteOnly ? (pattern & nan) == nan : field == (1 << Exponent) - 1 && fraction != 0) {
            magnitude = std::numeric_limits<double>::quiet_NaN();
        } else if (!FiniteOnly && field == (1 << Exponent) - 1) {
            magnitude = std::numeric_limits<double>::infinity();
        } else if (field == 0) {
            magnitude = std::ldexp(fraction, 1 - bias - Mantissa);
        } else {
            magnitude = std::ldexp(fraction + (1 << Mantissa), field - bias - Mantissa);
        }
        return negative ? -magnitude : magnitude;
    }
};

template <typename T>
inline constexpr bool is_small_float = false;
template <typename B, int E, int M, bool F>
inline constexpr bool is_small_float<SmallFloat<B, E, M, F>> = true;

template <typename T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_small_float<T>;

// Arithmetic in the element's own type: integers wrap, small floats are rounded after each step.
template <typename T, typename F>
T wrapping(F f, T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<std::conditional_t<(sizeof(T) < 4), int32_t, T>>;
        return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
    } else if constexpr (is_small_float<T>) {
        return T(f(static_cast<float>(a), static_cast<float>(b)));
    } else {
        return f(a, b);
    }
}

template <typename T>
T zero()
{
    T value;
    std::memset(&value, 0, sizeof value);
    return value;
}

} // namespace pto::reference

using half = pto::reference::SmallFloat<uint16_t, 5, 10, false>;
using bfloat16_t = pto::reference::SmallFloat<uint16_t, 8, 7, false>;
using float8_e4m3_t = pto::reference::SmallFloat<uint8_t, 4, 3, true>;
using float8_e5m2_t = pto::reference::SmallFloat<uint8_t, 5, 2, false>;

// Storage only: their bytes are moved, nothing here computes with them.
struct hifloat8_t {
    uint8_t bits;
};
struct float8_e8m0_t {
    uint8_t bits;
};
