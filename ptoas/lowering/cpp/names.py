"""Names that C++ accepts, each used once, and comments that stay comments."""

from __future__ import annotations

import re

from ptoas.diagnostics.render import visible
from ptoas.ir.caches import memoize

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires return short signed
sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq final
override import module main errno assert NULL EOF signal time exp abs round floor ceil trunc
"""

# `W` and `CCU` are macros or parameters inside the library's headers, the others its types and functions.
_LIBRARY = """
W CCU AICORE PTO_INST pto std comm half bfloat16_t float8_e4m3_t float8_e5m2_t hifloat8_t Tile TileType
GlobalTensor Shape Stride Layout BLayout SLayout PadValue CompactMode Coalesce GatherOOB ScatterOOB
ScatterAtomicOp ScatterConflict AtomicType MaskPattern GatherAxis CmpMode RoundMode set_flag wait_flag
pipe_barrier get_block_idx get_block_num int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t
numBlocks stream reference X Op ConvTile ConvTileShape TileConfig TileLayoutCustom TileShape2D TileSplitAxis
GlobalTensorDim BaseShape2D RecordEvent EventBase ParallelGroup CollEngine SaturationMode CastMode ReduceOp
AccPhase STPhase AccToVecMode ReluPreMode QuantType TmpBuffer DataFIFO RingFIFO FIFOType Direction WaitCmp
AsyncEvent AsyncSession CcuTriggerContext DmaEngine PrintFormat SyncAllMode SyncCoreType ScatterAxis HistByte
WorkspaceConfig RuntimeConfig ChipArch MxQuantAlg SetFmatrixMode TFillPadMode TInsertMode TCopyMode aclTensor
aclOpExecutor cce ccu detail sdma rdma urma int4b_t cache_line_t is_tile is_event is_global float8_e8m0_t
float4_e1m2x2_t float4_e2m1x2_t set_mask_norm set_vector_mask NotifyOp
"""

RESERVED = frozenset(_KEYWORDS.split()) | frozenset(_LIBRARY.split())

_INSTRUCTION = re.compile(r"[TM][A-Z0-9_]{2,}|PIPE_\w+|EVENT_ID\d*")


_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+")
"""Pattern of the macros of the library, and of the compiler below it."""


_UNFIT = re.compile(r"[^0-9A-Za-z]+")
"""Pattern of characters that a C++ name lacks, and of repeated `_`."""


def free(name: str) -> str:
    """The name, or another one where it means something to the library, the language or a macro."""
    # Macros and instructions begin with a capital; most names of programs do not.
    capital = name[:1].isupper() and (_INSTRUCTION.fullmatch(name) or _CAPITALS.fullmatch(name))
    taken = name in RESERVED or capital
    return f"{name}_" if taken and not name.endswith("_") else name


@memoize
def identifier(text: str, fallback: str) -> str:
    """`text` as a C++ identifier: `%a.b-c` is `a_b_c`, `%0` is `v0`, `%int` is `int_`."""
    name = _UNFIT.sub("_", text).strip("_")
    if not name:
        return fallback
    if name[0].isdigit():
        name = fallback + name
    return free(name)


def capitalised(name: str) -> str:
    """`table_rows` as the first part of a type's name: `TableRows`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part)


class UniqueNames:
    """The names of one scope; a second taker of a name gets it with a number."""

    def __init__(self, taken: UniqueNames | None = None):
        self._taken: set[str] = set() if taken is None else set(taken._taken)
        self._next: dict[str, int] = {}

    def unique(self, name_hint: str) -> str:
        name = name_hint = free(name_hint)
        while name in self._taken:
            number = self._next.get(name_hint, 2)
            self._next[name_hint] = number + 1
            name = f"{name_hint}{'' if name_hint.endswith('_') else '_'}{number}"
        self._taken.add(name)
        return name


def comment_text(text: str) -> str:
    """Text of the program after `//`: nothing in it ends the comment, or lets it swallow the next line."""
    # `??/` is a backslash to compilers that read trigraphs.
    shown = visible(text.replace("\t", " ").strip()).replace("??/", "?? /")
    return shown.rstrip("\\ ")
