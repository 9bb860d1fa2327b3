"""Cost models of the instructions of A5.

Vector models are the public cost model's fitted formulas: `a` for 256 bytes and `b` for the start
where rows follow each other, else `a2 * pieces + b2` for each row, and `c2`. Instructions that these lack
have the line that the model's own simulator of the vector unit gives. The matrix unit and its feeds are
measured (M5, M7), launches of threads simulated (M16); transfers of the vector cores have no public number
alone, and borrow those of A2/A3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ptoas.targets.a2a3.costs import DMA_START, FROM_L0C, NONE, products
from ptoas.targets.a2a3.costs import MODELS as A2A3
from ptoas.targets.costs import Case, Chip, CostModel, CostTable, each

FIT = "public A5 cost model, fitted formulas"
SIMULATED = "public A5 cost model, its simulator of the vector unit"
AS_A2A3 = f"{NONE}: as on A2/A3"

LINE, BY_ROW = "a * lines + b", "(a2 * per_row + b2) * rows + c2"


def fitted(names: str, *rows: str) -> dict[str, CostModel]:
    """Formulas by the size of an element: `"4: 1.2 55 / 1.9 2.9 44"`, a and b, then a2, b2 and c2.

    A single one is for all sizes.
    """
    return each(names, CostModel(LINE, FIT, "B", ragged=BY_ROW, cases=_cases(rows, "a b a2 b2 c2")))


def _cases(rows: Sequence[str], names: str) -> tuple[Case, ...]:
    found: list[Case] = []
    for row in rows:
        size, _, numbers = row.partition(":")
        values = [float(word) for word in numbers.replace("/", " ").split()]
        found.append((int(size), None, dict(zip(names.split(), values, strict=True))))
    return tuple(found)


def simulated(
    names: str, four: tuple[float, float], two: tuple[float, float] | None = None
) -> dict[str, CostModel]:
    """A line: what a repeat takes, and the start."""
    cases = tuple((size, None, {"a": a, "b": b}) for size, (a, b) in ((4, four), (2, two or four)))
    ragged = "a * per_row * rows + b"
    return each(names, CostModel(LINE, SIMULATED, "B", ragged=ragged, cases=cases))


def converted(pairs: str, numbers: str) -> dict[str, CostModel]:
    """The conversions between pairs of types, `f32-f16`."""
    return {f"tcvt:{pair}": model for pair, model in fitted(pairs, f"4: {numbers}").items()}


# Rows of Elem gathers that lie side by side touch fewer pieces than are counted.
THREADS = CostModel(
    "launch + miss + bursts * 128 / rate",
    "M16, a simulator",
    "B",
    {"launch": 1100, "miss": 550, "rate": 25},
    low="(launch + miss + bytes / rate) / 1.35",
)

MODELS: dict[str, CostModel] = {
    **{
        name: replace(model, source=AS_A2A3, confidence="borrowed")
        for name, model in A2A3.items()
        if "-" in name or name.startswith(("PIPE_", "comm.", "tsort32", "tmrgsort", "tpart", "ttrans"))
    },
    "gm-mat": CostModel("calls * start + bytes / rate", "M7", "B", {"start": DMA_START, "rate": 115}),
    "mat-left": CostModel("bytes / rate", "M5, a simulator", "B", {"rate": 206.3}),
    "mat-right": CostModel("bytes / rate", "M5, a simulator", "B", {"rate": 223.8}),
    # The form is that of A2/A3, the rate what M7 leaves: the simulator's (M5) is about four times too slow.
    "acc-gm": CostModel(FROM_L0C, "M7", "B", {"fix": 164, "least": 4.45, "rate": 157, "step": 2.6}),
    **products("M7 (15 to 23), M5", "B", 19, 8),
    # --- fitted ---
    **fitted("tadd tsub", "4: 1.24697 55.0737 / 1.87494 2.87628 44.3446"),
    **fitted("tmul", "4: 1.19411 56.2860 / 1.87082 2.91237 44.8446"),
    **fitted("tmins", "4: 1.05893 53.1404 / 1.10168 4.53144 49.6279"),
    **fitted("tneg", "4: 1.05893 55.1404 / 1.09529 4.56526 51.5085"),
    **fitted(
        "tdivs trecip",
        "4: 1.90815 64.5165 / 1.86887 2.47536 62.9426",
        "2: 3.54918 68.7377 / 3.99817 -0.12081 65.1592",
    ),
    **fitted(
        "texp",
        "4: 1.96707 62.6568 / 1.85489 2.54424 60.5982",
        "2: 3.76230 65.9344 / 3.99817 -0.12081 64.1592",
    ),
    **fitted(
        "tsqrt",
        "4: 1.96707 63.6568 / 1.85489 2.54424 61.5982",
        "2: 3.76230 66.9344 / 3.99817 -0.12081 65.1592",
    ),
    **fitted(
        "trsqrt", "4: 4.02946 75.5702 / 4 0.03265 76.4643", "2: 8.10656 81.0984 / 8.01119 0.05721 80.7114"
    ),
    "tsel": CostModel(
        "a * lines + b if lines % 2 == 0 else odd * lines + start",
        FIT,
        "B",
        ragged=BY_ROW,
        cases=_cases(
            (
                "4: 1.93367 58.8469 3.91429 63.8857 / 3.08691 36.1095 22.5124",
                "2: 2.09836 52.4754 2.09836 52.4754 / 2.46174 1.42732 48.6169",
            ),
            "a b odd start a2 b2 c2",
        ),
    ),
    # --- conversions, by the types ---
    **converted("f32-f16 f32-bf16", "1.31967 52.2951 / 2.25801 1.04224 55.1841"),
    # Falls over the profiled points, up to ten pieces; it is not continued.
    **each(
        "tcvt:f16-f32 tcvt:bf16-f32",
        CostModel(
            "b - a * min(lines, 10)",
            FIT,
            "B",
            {"a": 1.77049, "b": 82.4426, "a2": 1.27035, "b2": 1.92990, "c2": 51.6617},
            ragged=BY_ROW,
        ),
    ),
    **converted("bf16-f16", "1.21311 53.1967 / 1.27931 1.83338 51.8060"),
    **converted("f16-hif8", "1.31967 53.2951 / 1.28976 1.78462 52.4726"),
    **converted("f32-f8e4m3 f32-f8e5m2 f32-hif8", "12.3197 55.2951 / 87.6382 -30.0131 7.60697"),
    **converted("f8e4m3-f32 f8e5m2-f32 hif8-f32", "3.93443 81.0164 / 5.16316 -1.75893 69.0995"),
    **simulated("tcvt", (1, 55)),
    # --- simulated ---
    **simulated("tadds tsubs tshl tshr", (1, 54)),
    **simulated("tmuls tlrelu taxpy tprelu", (1, 55)),
    **simulated("tmax tmin tmaxs", (1, 53)),
    **simulated(
        "tand tor txor tabs tshls tshrs tands tors txors tnot trelu tcmp tcmps tsels texpands", (1, 52)
    ),
    **simulated("tdiv", (2, 62), (4, 63)),
    **simulated("tlog", (2, 61), (4, 62)),
    **simulated("trowsum trowprod", (3.15, 67)),
    **simulated("trowmax trowmin trowargmax trowargmin", (2.29, 62)),
    **simulated("tcolsum tcolmax tcolmin tcolprod tcolargmax tcolargmin", (1, 54)),
    **simulated("trowexpand tcolexpand tfillpad tci", (1, 52)),
    # --- gathers ---
    **each(
        "tgather tgatherb tscatter",
        CostModel("55 + 10 * lines", f"{SIMULATED}: a gather every ten cycles", "B", low="55 + lines"),
    ),
    **each("mgather.row mscatter.row mgather.elem mscatter.elem", THREADS),
    "load_scalar": CostModel("read", "M16: a miss; 19 for a hit", "B", {"read": 550}, low="19", high="1400"),
    "store_scalar": replace(A2A3["store_scalar"], source=AS_A2A3, confidence="borrowed"),
    "PIPE_V": CostModel(
        LINE, f"{NONE}: as tadd", "borrowed", {"a": 1.25, "b": 55}, ragged="a * per_row * rows + b"
    ),
}

TABLE = CostTable(
    Chip(
        mhz=1650,
        issue=7,
        flag=1,
        fence=742,
        memory=1833,
        cache=2121,
        sources={
            "mhz": ("M7, and a public report of Ascend 950", "B"),
            "issue": ("M9a: seven scalar instructions for a product", "B"),
            "flag": (AS_A2A3, "borrowed"),
            "fence": (AS_A2A3, "borrowed"),
            "memory": ("M13: a copy of 3.03 TB/s, read and written", "A"),
            "cache": ("M13: 3.4 to 3.6 TB/s below 64 MiB", "A"),
        },
    ),
    MODELS,
)
