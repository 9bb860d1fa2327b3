// From one element type to another.
#pragma once

#include "vector.hpp"

namespace pto {

namespace reference {

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

// Pairs of types whose low bits A2/A3 keeps; all other integers go to the nearest end of the range there.
template <typename S, typename D>
inline constexpr bool keeps_low_bits =
    (std::is_same_v<S, half> && (std::is_same_v<D, uint8_t> || std::is_same_v<D, int8_t>)) ||
    ((std::is_same_v<S, float> || std::is_same_v<S, half> || std::is_same_v<S, int32_t>)&&std::is_same_v<D, int16_t>) ||
    (std::is_same_v<S, int64_t> && std::is_same_v<D, int32_t>);

template <typename S, typename D>
bool saturates(SaturationMode asked)
{
    if constexpr (std::is_integral_v<D>) {
        return asked == SaturationMode::ON || (on_a2a3 && !keeps_low_bits<S, D>);
    } else {
        return asked == SaturationMode::ON && !on_a2a3;
    }
}

template <typename D>
inline constexpr double largest = std::is_same_v<D, half>            ? 65504.0
                                  : std::is_same_v<D, bfloat16_t>    ? 3.3895313892515355e38
                                  : std::is_same_v<D, float8_e4m3_t> ? 448.0
                                  : std::is_same_v<D, float8_e5m2_t> ? 57344.0
                                                                     : std::numeric_limits<double>::infinity();

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

// A number as a float type has it, rounded as asked; the simulator always takes the nearest, and so do all for fp8.
template <typename D>
D to_float(RoundMode mode, double exact)
{
    const D nearest = static_cast<D>(exact);
    const double back = static_cast<double>(nearest);
    if (on_cpu || sizeof(D) == 1 || back == exact) {
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

template <typename Dst, typename Src>
PTO_INST void TCVT(Dst &dst, Src &src, RoundMode mode, SaturationMode asked)
{
    using D = typename Dst::DType;
    using S = typename Src::DType;
    using Wide = std::conditional_t<reference::on_a2a3 && sizeof(D) <= 4, int32_t, int64_t>;
    mode = reference::meant<S, D>(mode);
    const bool saturates = reference::saturates<S, D>(asked);
    reference::fill(dst, [&](int r, int c) -> D {
        const S value = src.at(r, c);
        if constexpr (std::is_integral_v<S> && std::is_integral_v<D>) {
            return saturates ? reference::clamped<D>(static_cast<__int128>(value)) : static_cast<D>(value);
        } else if constexpr (std::is_integral_v<D>) {
            const double whole = reference::round_as(mode, static_cast<double>(value));
            if (std::isnan(whole)) {
                return D(0);
            }
            return saturates ? reference::clamped<D>(whole) : static_cast<D>(reference::clamped<Wide>(whole));
        } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
            return reference::on_cpu ? value : static_cast<float>(reference::round_as(mode, value));
        } else {
            const double limit = saturates ? reference::largest<D> : std::numeric_limits<double>::infinity();
            const double exact = static_cast<double>(value);
            return reference::to_float<D>(mode, std::isnan(exact) ? exact : std::clamp(exact, -limit, limit));
        }
    });
}

template <typename Dst, typename Src, typename Tmp>
PTO_INST void TCVT(Dst &dst, Src &src, Tmp &, RoundMode mode, SaturationMode asked)
{
    static_assert(reference::on_a2a3 && sizeof(Tmp) > 0, "only A2/A3 takes the way through a scratch tile");
    TCVT(dst, src, mode, asked);
}

} // namespace pto
