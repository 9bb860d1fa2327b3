// The families of vector instructions: each formula as a plain loop. Scratch tiles are places in the call.
#pragma once

#include "vector.hpp"

#include <utility>

namespace pto {

namespace reference {

template <typename T>
double number(T value)
{
    if constexpr (is_small_float<T>) {
        return static_cast<float>(value);
    } else {
        return static_cast<double>(value);
    }
}

template <typename T>
T quotient(T a, T b)
{
    if constexpr (is_small_float<T>) {
        return T(static_cast<float>(a) / static_cast<float>(b));
    } else {
        return static_cast<T>(a / b);
    }
}

// a - floor(a / b) * b, and a - trunc(a / b) * b: devices calculate it so, the simulator exactly. A zero has
// another sign then.
template <typename T>
T modulo(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if constexpr (sizeof(T) == 8 && on_any_a5) {
            return b == 0 ? T{0} : static_cast<T>(a % b);
        }
        const T left = static_cast<T>(a % b);
        return static_cast<T>(left != 0 && (left < 0) != (b < 0) ? left + b : left);
    } else {
        const float x = static_cast<float>(a), y = static_cast<float>(b);
        if constexpr (on_cpu) {
            const float left = std::fmod(x, y);
            return T(left == 0 ? std::copysign(0.0f, y) : (left < 0) != (y < 0) ? left + y : left);
        } else {
            return T(x - std::floor(x / y) * y);
        }
    }
}

inline bool takes_first(bool better, bool worse, bool equal)
{
    return on_cpu ? better : on_a2a3 ? better || equal : !worse;
}

template <typename T>
T left_over(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(a % b);
    } else {
        const float x = static_cast<float>(a), y = static_cast<float>(b);
        return T(on_cpu ? std::fmod(x, y) : x - std::trunc(x / y) * y);
    }
}

template <typename T>
T power(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if (b < 0) {
            return static_cast<T>(a == 1 ? 1 : a == static_cast<T>(-1) ? (b % 2 ? -1 : 1) : 0);
        }
        T result = 1;
        for (T n = 0; n < b; ++n) {
            result = wrapping([](auto x, auto y) { return x * y; }, result, a);
        }
        return result;
    } else {
        return T(std::pow(number(a), number(b)));
    }
}

template <typename T>
T larger(T a, T b)
{
    return a < b ? b : a;
}
template <typename T>
T smaller(T a, T b)
{
    return b < a ? b : a;
}
template <typename T>
T product(T a, T b)
{
    return wrapping([](auto x, auto y) { return x * y; }, a, b);
}
template <typename T>
T sum(T a, T b)
{
    return wrapping([](auto x, auto y) { return x + y; }, a, b);
}
template <typename T>
T difference(T a, T b)
{
    return wrapping([](auto x, auto y) { return x - y; }, a, b);
}
template <typename T>
T leaky(T a, T slope)
{
    return number(a) > 0 ? a : product(a, slope);
}
template <typename T>
T exponential_of_difference(T a, T b)
{
    return T(std::exp(number(difference(a, b))));
}

template <typename T>
bool holds(CmpMode mode, T a, T b)
{
    switch (mode) {
        case CmpMode::EQ: return a == b;
        case CmpMode::NE: return !(a == b);
        case CmpMode::LT: return a < b;
        case CmpMode::LE: return a < b || a == b;
        case CmpMode::GT: return b < a;
        default: return b < a || a == b;
    }
}

// Bits of a mask: each row begins with a new byte, the lowest bit first.
template <typename Mask>
unsigned char *row_of_bits(Mask &mask, int r)
{
    return reinterpret_cast<unsigned char *>(mask.data()) + r * Mask::Cols * sizeof(typename Mask::DType);
}
template <typename Mask>
bool bit(Mask &mask, int r, int c)
{
    return row_of_bits(mask, r)[c / 8] >> c % 8 & 1;
}

} // namespace reference

// --- element by element -------------------------------------------------------------------------

#define PTO_TWO(NAME, FUNCTION)                                                                         \
    template <auto... Precision, typename Dst, typename A, typename B, typename... Tmp>                 \
    PTO_INST void NAME(Dst &dst, A &a, B &b, Tmp &...)                                                  \
    {                                                                                                   \
        reference::fill(dst, [&](int r, int c) { return FUNCTION(a.at(r, c), b.at(r, c)); });           \
    }
#define PTO_BITS(EXPRESSION) [](auto x, auto y) { return static_cast<decltype(x)>(EXPRESSION); }
PTO_TWO(TAND, PTO_BITS(x & y))
PTO_TWO(TOR, PTO_BITS(x | y))
PTO_TWO(TXOR, PTO_BITS(x ^ y))
PTO_TWO(TSHL, PTO_BITS(static_cast<std::make_unsigned_t<decltype(x)>>(x) << y))
PTO_TWO(TSHR, PTO_BITS(x >> y))
PTO_TWO(TREM, reference::modulo)
PTO_TWO(TFMOD, reference::left_over)
PTO_TWO(TPOW, reference::power)
PTO_TWO(TPRELU, reference::leaky)
#undef PTO_TWO

#define PTO_WITH(NAME, FUNCTION)                                                                        \
    template <auto... Precision, typename Dst, typename A, typename S, typename... Tmp>                 \
        requires(!requires(S s) { s.data(); })                                                          \
    PTO_INST void NAME(Dst &dst, A &a, S scalar, Tmp &...)                                              \
    {                                                                                                   \
        const auto s = static_cast<typename A::DType>(scalar);                                          \
        reference::fill(dst, [&](int r, int c) { return FUNCTION(a.at(r, c), s); });                    \
    }
PTO_WITH(TMAXS, reference::larger)
PTO_WITH(TMINS, reference::smaller)
PTO_WITH(TDIVS, reference::quotient)
PTO_WITH(TANDS, PTO_BITS(x & y))
PTO_WITH(TORS, PTO_BITS(x | y))
PTO_WITH(TXORS, PTO_BITS(x ^ y))
PTO_WITH(TSHLS, PTO_BITS(static_cast<std::make_unsigned_t<decltype(x)>>(x) << y))
PTO_WITH(TSHRS, PTO_BITS(x >> y))
PTO_WITH(TREMS, reference::modulo)
PTO_WITH(TFMODS, reference::left_over)
PTO_WITH(TPOWS, reference::power)
PTO_WITH(TLRELU, reference::leaky)
#undef PTO_WITH
#undef PTO_BITS

template <auto... Precision, typename Dst, typename S, typename A>
    requires(!requires(S s) { s.data(); })
PTO_INST void TDIVS(Dst &dst, S scalar, A &a)
{
    const auto s = static_cast<typename A::DType>(scalar);
    reference::fill(dst, [&](int r, int c) { return reference::quotient(s, a.at(r, c)); });
}
template <typename Dst, typename A>
PTO_INST void TAXPY(Dst &dst, A &a, typename A::DType s)
{
    using D = typename Dst::DType;
    reference::fill(dst, [&](int r, int c) {
        if constexpr (reference::on_any_a5) {
            const double product = reference::number(a.at(r, c)) * reference::number(s);
            return D(product + reference::number(dst.at(r, c)));
        } else if constexpr (reference::on_a2a3) {
            return reference::sum(dst.at(r, c), reference::product(D(float(a.at(r, c))), D(float(s))));
        }
        return reference::sum(dst.at(r, c), static_cast<D>(reference::product(a.at(r, c), s)));
    });
}

#define PTO_ONE(NAME, EXPRESSION)                                                                       \
    template <auto... Precision, typename Dst, typename A, typename... Tmp>                             \
    PTO_INST void NAME(Dst &dst, A &a, Tmp &...)                                                        \
    {                                                                                                   \
        reference::fill(dst, [&](int r, int c) {                                                        \
            [[maybe_unused]] const auto x = a.at(r, c);                                                 \
            [[maybe_unused]] const double d = reference::number(x);                                     \
            return EXPRESSION;                                                                          \
        });                                                                                             \
    }
PTO_ONE(TRECIP, reference::quotient(static_cast<typename A::DType>(1), x))
PTO_ONE(TSQRT, std::sqrt(d))
PTO_ONE(TRSQRT, 1 / std::sqrt(d))
PTO_ONE(TLOG, std::log(d))
PTO_ONE(TRELU, d > 0 ? x : static_cast<typename A::DType>(0))
PTO_ONE(TNOT, static_cast<typename A::DType>(~x))
#undef PTO_ONE

// --- masks --------------------------------------------------------------------------------------

namespace reference {

template <typename Mask, typename Src, typename F>
void compare(Mask &mask, Src &src, F answer)
{
    const int bytes = (src.GetValidCol() + 7) / 8;
    for (int r = 0; r < src.GetValidRow(); ++r) {
        unsigned char *row = row_of_bits(mask, r);
        std::memset(row, 0, static_cast<std::size_t>(bytes));
        for (int c = 0; c < src.GetValidCol(); ++c) {
            row[c / 8] = static_cast<unsigned char>(row[c / 8] | (answer(r, c) ? 1 << c % 8 : 0));
        }
    }
}

} // namespace reference

template <typename Mask, typename A, typename B>
PTO_INST void TCMP(Mask &mask, A &a, B &b, CmpMode mode)
{
    reference::compare(mask, a, [&](int r, int c) { return reference::holds(mode, a.at(r, c), b.at(r, c)); });
}
template <typename Mask, typename A>
PTO_INST void TCMPS(Mask &mask, A &a, typename A::DType scalar, CmpMode mode)
{
    reference::compare(mask, a, [&](int r, int c) { return reference::holds(mode, a.at(r, c), scalar); });
}
template <typename Dst, typename Mask, typename A, typename B, typename Tmp>
PTO_INST void TSEL(Dst &dst, Mask &mask, A &a, B &b, Tmp &)
{
    reference::fill(dst, [&](int r, int c) { return reference::bit(mask, r, c) ? a.at(r, c) : b.at(r, c); });
}
template <typename Dst, typename Mask, typename A, typename Tmp>
PTO_INST void TSELS(Dst &dst, Mask &mask, A &a, Tmp &, typename A::DType scalar)
{
    reference::fill(dst, [&](int r, int c) { return reference::bit(mask, r, c) ? a.at(r, c) : scalar; });
}

// --- partial, reductions, expansions ------------------------------------------------------------

namespace reference {

template <typename T>
bool has(T &tile, int r, int c)
{
    return r < tile.GetValidRow() && c < tile.GetValidCol();
}

} // namespace reference

#define PTO_PART(NAME, FUNCTION)                                                                        \
    template <typename Dst, typename A, typename B>                                                     \
    PTO_INST void NAME(Dst &dst, A &a, B &b)                                                            \
    {                                                                                                   \
        reference::fill(dst, [&](int r, int c) {                                                        \
            if (reference::has(a, r, c) && reference::has(b, r, c)) {                                   \
                return FUNCTION(a.at(r, c), b.at(r, c));                                                \
            }                                                                                           \
            return reference::has(a, r, c) ? a.at(r, c) : b.at(r, c);                                   \
        });                                                                                             \
    }
PTO_PART(TPARTADD, reference::sum)
PTO_PART(TPARTMUL, reference::product)
PTO_PART(TPARTMAX, reference::larger)
PTO_PART(TPARTMIN, reference::smaller)
#undef PTO_PART

#define PTO_PART_ARG(NAME, WINS)                                                                        \
    template <typename Dst, typename A, typename B, typename I, typename J, typename K>                 \
    PTO_INST void NAME(Dst &dst, A &a, B &b, I &index, J &first, K &second)                             \
    {                                                                                                   \
        for (int r = 0; r < dst.GetValidRow(); ++r)                                                     \
            for (int c = 0; c < dst.GetValidCol(); ++c) {                                               \
                const bool one = reference::has(a, r, c), other = reference::has(b, r, c);              \
                const bool wins = one && (!other || WINS(a.at(r, c), b.at(r, c)));                      \
                dst.at(r, c) = wins ? a.at(r, c) : b.at(r, c);                                          \
                index.at(r, c) = wins ? first.at(r, c) : second.at(r, c);                               \
            }                                                                                           \
    }
// Of equals the simulator takes the second, a device the first; A5 also where nothing can be compared.
PTO_PART_ARG(TPARTARGMAX, [](auto x, auto y) { return reference::takes_first(y < x, x < y, x == y); })
PTO_PART_ARG(TPARTARGMIN, [](auto x, auto y) { return reference::takes_first(x < y, y < x, x == y); })
#undef PTO_PART_ARG

#define PTO_ALONG(NAME, FUNCTION)                                                                       \
    template <typename Dst, typename Src, typename... Tmp>                                              \
    PTO_INST void NAME(Dst &dst, Src &src, Tmp &&...)                                                   \
    {                                                                                                   \
        constexpr bool rows = #NAME[1] == 'R';                                                          \
        const int lines = rows ? src.GetValidRow() : src.GetValidCol();                                 \
        const int length = rows ? src.GetValidCol() : src.GetValidRow();                                \
        for (int n = 0; n < lines; ++n) {                                                               \
            auto found = rows ? src.at(n, 0) : src.at(0, n);                                            \
            for (int k = 1; k < length; ++k) {                                                          \
                found = FUNCTION(found, rows ? src.at(n, k) : src.at(k, n));                            \
            }                                                                                           \
            (rows ? dst.at(n, 0) : dst.at(0, n)) = found;                                               \
        }                                                                                               \
    }
PTO_ALONG(TROWMIN, reference::smaller)
PTO_ALONG(TROWPROD, reference::product)
PTO_ALONG(TCOLSUM, reference::sum)
PTO_ALONG(TCOLPROD, reference::product)
PTO_ALONG(TCOLMAX, reference::larger)
PTO_ALONG(TCOLMIN, reference::smaller)
#undef PTO_ALONG

#define PTO_WHERE(NAME, WINS)                                                                           \
    template <typename Dst, typename Src, typename Tmp>                                                 \
    PTO_INST void NAME(Dst &dst, Src &src, Tmp &)                                                       \
    {                                                                                                   \
        constexpr bool rows = #NAME[1] == 'R';                                                          \
        const int lines = rows ? src.GetValidRow() : src.GetValidCol();                                 \
        const int length = rows ? src.GetValidCol() : src.GetValidRow();                                \
        for (int n = 0; n < lines; ++n) {                                                               \
            int best = 0;                                                                               \
            for (int k = 1; k < length; ++k) {                                                          \
                const auto x = rows ? src.at(n, k) : src.at(k, n);                                      \
                const auto y = rows ? src.at(n, best) : src.at(best, n);                                \
                best = WINS ? k : best;                                                                 \
            }                                                                                           \
            (rows ? dst.at(n, 0) : dst.at(0, n)) = static_cast<typename Dst::DType>(best);              \
        }                                                                                               \
    }
PTO_WHERE(TROWARGMAX, y < x)
PTO_WHERE(TROWARGMIN, x < y)
PTO_WHERE(TCOLARGMAX, y < x)
PTO_WHERE(TCOLARGMIN, x < y)
#undef PTO_WHERE

namespace reference {

// The value of a source that is repeated along rows: a column, or 32 bytes of each row.
template <typename Src, typename Dst>
auto along_row(Src &src, Dst &dst, int r, int c)
{
    if constexpr (Src::BFractal == BLayout::ColMajor) {
        return src.at(r, 0);
    } else {
        return src.at(r, src.GetValidCol() == dst.GetValidCol() ? c : c % src.GetValidCol());
    }
}

} // namespace reference

#define PTO_EXPAND(NAME, FUNCTION)                                                                      \
    template <auto... Precision, typename Dst, typename A, typename B, typename... Tmp>                 \
    PTO_INST void TROWEXPAND##NAME(Dst &dst, A &a, B &b, Tmp &...)                                      \
    {                                                                                                   \
        reference::fill(dst, [&](int r, int c) {                                                        \
            return FUNCTION(reference::along_row(a, dst, r, c), reference::along_row(b, dst, r, c));    \
        });                                                                                             \
    }                                                                                                   \
    template <auto... Precision, typename Dst, typename A, typename B>                                  \
    PTO_INST void TCOLEXPAND##NAME(Dst &dst, A &a, B &b)                                                \
    {                                                                                                   \
        reference::fill(dst, [&](int r, int c) { return FUNCTION(a.at(r, c), b.at(0, c)); });           \
    }
PTO_EXPAND(ADD, reference::sum)
PTO_EXPAND(SUB, reference::difference)
PTO_EXPAND(MUL, reference::product)
PTO_EXPAND(DIV, reference::quotient)
PTO_EXPAND(MAX, reference::larger)
PTO_EXPAND(MIN, reference::smaller)
PTO_EXPAND(EXPDIF, reference::exponential_of_difference)
#undef PTO_EXPAND

// --- movement -----------------------------------------------------------------------------------

template <typename Dst, typename Src, typename Tmp>
PTO_INST void TTRANS(Dst &dst, Src &src, Tmp &)
{
    for (int r = 0; r < src.GetValidRow(); ++r)
        for (int c = 0; c < src.GetValidCol(); ++c)
            dst.at(c, r) = src.at(r, c);
}
template <typename Dst, typename A, typename B>
PTO_INST void TCONCAT(Dst &dst, A &a, B &b)
{
    const int left = a.GetValidCol();
    reference::fill(dst, [&](int r, int c) { return c < left ? a.at(r, c) : b.at(r, c - left); });
}
template <typename Dst, typename Src>
PTO_INST void TEXTRACT(Dst &dst, Src &src, int64_t row, int64_t col)
{
    reference::fill(dst, [&](int r, int c) { return src.at(static_cast<int>(row) + r, static_cast<int>(col) + c); });
}
template <typename Dst, typename Src>
PTO_INST void TINSERT(Dst &dst, Src &src, int64_t row, int64_t col)
{
    for (int r = 0; r < src.GetValidRow(); ++r)
        for (int c = 0; c < src.GetValidCol(); ++c)
            dst.at(static_cast<int>(row) + r, static_cast<int>(col) + c) = src.at(r, c);
}

// Triangles of ones.
template <typename Dst, int Upper>
PTO_INST void TTRI(Dst &dst, int64_t diagonal)
{
    reference::fill(dst, [&](int r, int c) { return (Upper ? c >= r + diagonal : c <= r + diagonal) ? 1 : 0; });
}

} // namespace pto
