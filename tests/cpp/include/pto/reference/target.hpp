// Which target this translation unit is checked against, and what the language extensions become.
#pragma once

#include <cstddef>
#include <cstdint>

#define PTO_REF_CPU 0
#define PTO_REF_A2A3 1
#define PTO_REF_A5 2
#define PTO_REF_A5_CUSTOM 3

#ifndef PTO_REF_TARGET
#error "define PTO_REF_TARGET as PTO_REF_CPU, PTO_REF_A2A3, PTO_REF_A5 or PTO_REF_A5_CUSTOM"
#endif

// 0: the calls as the documents declare them; 1: as the headers of August 2026 do.
#ifndef PTO_REF_ISA_2026_08
#define PTO_REF_ISA_2026_08 1
#endif

#define AICORE
#define __gm__
#define __global__
#define PTO_INST inline

namespace pto::reference {
inline constexpr bool on_cpu = PTO_REF_TARGET == PTO_REF_CPU;
inline constexpr bool on_a2a3 = PTO_REF_TARGET == PTO_REF_A2A3;
inline constexpr bool on_a5 = PTO_REF_TARGET == PTO_REF_A5;
inline constexpr bool on_a5_custom = PTO_REF_TARGET == PTO_REF_A5_CUSTOM;
inline constexpr bool on_any_a5 = on_a5 || on_a5_custom;
} // namespace pto::reference
