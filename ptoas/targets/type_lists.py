"""Lists of element types that several instructions or targets share."""

from __future__ import annotations

from ptoas.dialects.pto.element_types import ElementType
from ptoas.targets.target import elements

NINE = elements("i8 u8 i16 u16 i32 u32 f16 bf16 f32")
"""The element types that every gather takes (document 000, Supported data types)."""

FLOAT8 = elements("f8e4m3 f8e5m2")
HIF8 = elements("hif8")
INDEX = elements("i32 u32")
SHORT_INDEX = elements("i16 u16 i32 u32")
TILE_GATHER = elements("i16 u16 i32 u32 f16 f32")
"""Document 004, index form."""
TILE_MASK = elements("i16 u16 i32 u32 f16 bf16 f32")
"""Document 004, mask form on A2/A3."""
WIDE = elements("i64 u64")
ANY = (*NINE, *WIDE, *FLOAT8, *HIF8)

ElementTypes = dict[str, tuple[ElementType, ...]]

A2A3_TYPES: ElementTypes = {
    "mgather": NINE,
    "mgather.idx": INDEX,
    "mscatter": NINE,
    "mscatter.idx": INDEX,
    "mscatter.add": elements("i8 i16 i32 f16 bf16 f32"),
    "mscatter.max": (),
    "mscatter.min": (),
    "tgather.index": TILE_GATHER,
    "tgather.indices": INDEX,
    "tgather.mask": TILE_MASK,
    "tgather.compare": elements("f16 f32 i32"),
    "tgather.compare.dst": INDEX,
    "tgatherb": NINE,
    "tscatter": NINE,
    "tload": (*NINE, *WIDE),
    "tstore": (*NINE, *WIDE),
    "tstore.add": elements("i8 i16 i32 f16 bf16 f32"),
    **dict.fromkeys(("tadd", "tsub", "tmul", "tmax", "tmin"), elements("i16 i32 f16 f32")),
    **dict.fromkeys(("tadds", "tsubs", "tmuls", "tneg"), elements("i16 i32 f16 f32")),
    **dict.fromkeys(("tdiv", "tabs", "texp"), elements("f16 f32")),
    "texpands": NINE,
    "tci": elements("i16 u16 i32 u32 f16 bf16 f32"),
    "tmov": NINE,
    "trowexpand": NINE,
    "tcolexpand": NINE,
    "trowsum": elements("i16 i32 f16 f32"),
    "trowmax": elements("i16 i32 f16 f32"),
    "tprint": elements("i8 u8 i16 u16 i32 u32 f16 f32"),
    "comm.treduce.sum": elements("i16 i32 f16 f32"),
    "comm.treduce.max": elements("i16 i32 f16 f32"),
    "comm.treduce.min": elements("i16 i32 f16 f32"),
}

_A5_ADD = elements("i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32")
_A5_MUL = elements("i16 u16 i32 u32 i64 u64 f16 bf16 f32")

A5_TYPES: ElementTypes = {
    "mgather": (*NINE, *FLOAT8, *HIF8),
    "mgather.idx": INDEX,
    "mscatter": (*NINE, *FLOAT8, *HIF8),
    "mscatter.idx": INDEX,
    "mscatter.add": elements("i32 u32 f16 bf16 f32"),
    "mscatter.max": elements("i32 u32 f32"),
    "mscatter.min": elements("i32 u32 f32"),
    "tgather.index": TILE_GATHER,
    "tgather.indices": SHORT_INDEX,
    "tgather.mask": (*NINE, *FLOAT8, *HIF8),
    "tgather.compare": elements("i16 u16 i32 u32 f16 f32"),
    "tgather.compare.dst": INDEX,
    "tgatherb": NINE,
    "tscatter": (*NINE, *WIDE),
    "tload": ANY,
    "tstore": ANY,
    "tstore.add": elements("i8 i16 i32 f16 bf16 f32"),
    **dict.fromkeys(("tadd", "tsub", "tmax", "tmin", "tadds", "tsubs"), _A5_ADD),
    **dict.fromkeys(("tmul", "tmuls", "tneg"), _A5_MUL),
    "tdiv": elements("i16 u16 i32 u32 i64 u64 f16 f32"),
    "tabs": elements("i8 i16 i32 f16 f32"),
    "texp": elements("f16 f32"),
    "texpands": (*NINE, *WIDE),
    "tci": SHORT_INDEX,
    "tmov": (*NINE, *FLOAT8, *HIF8),
    "trowexpand": (*NINE, *WIDE),
    "tcolexpand": (*NINE, *WIDE),
    "trowsum": elements("i16 i32 i64 u64 f16 f32"),
    "trowmax": elements("i8 u8 i16 i32 i64 u64 f16 f32"),
    "tprint": elements("i8 u8 i16 u16 i32 u32 f16 f32"),
    "comm.treduce.sum": _A5_ADD,
    "comm.treduce.max": _A5_ADD,
    "comm.treduce.min": _A5_ADD,
}

A5_CUSTOM_TYPES: ElementTypes = {**A5_TYPES, "mgather": (*NINE, *FLOAT8)}

# The simulator computes in plain C++: what moves bytes takes all types, arithmetic what C++ has.
_CPU_ARITHMETIC = (*NINE, *WIDE)
CPU_TYPES: ElementTypes = {
    "mgather": NINE,
    "mgather.idx": INDEX,
    "mscatter": NINE,
    "mscatter.idx": INDEX,
    "mscatter.add": elements("i32 u32 f16 f32"),
    "mscatter.max": elements("i32 f32"),
    "mscatter.min": elements("i32 f32"),
    "tgather.index": (*NINE, *WIDE),
    "tgather.indices": INDEX,
    "tgather.mask": (*NINE, *WIDE),
    "tgatherb": NINE,
    "tscatter": _CPU_ARITHMETIC,
    "tload": ANY,
    "tstore": ANY,
    "tstore.add": _CPU_ARITHMETIC,
    **dict.fromkeys(
        (
            "tadd",
            "tsub",
            "tmul",
            "tdiv",
            "tmax",
            "tmin",
            "tadds",
            "tsubs",
            "tmuls",
            "tneg",
        ),
        _CPU_ARITHMETIC,
    ),
    "tabs": elements("i8 i16 i32 f16 bf16 f32"),
    "texp": elements("f16 bf16 f32"),
    "texpands": _CPU_ARITHMETIC,
    "tci": _CPU_ARITHMETIC,
    "tmov": ANY,
    "trowexpand": _CPU_ARITHMETIC,
    "tcolexpand": _CPU_ARITHMETIC,
    "trowsum": elements("i16 i32 f16 bf16 f32"),
    "trowmax": elements("i16 i32 f16 bf16 f32"),
    "tprint": elements("i8 u8 i16 u16 i32 u32 f16 f32"),
    "comm.treduce.sum": _CPU_ARITHMETIC,
    "comm.treduce.max": _CPU_ARITHMETIC,
    "comm.treduce.min": _CPU_ARITHMETIC,
}
