"""Cost models of the instructions of A2 and A3.

Most vector models are `slope` cycles for 256 bytes, and `lat` once for the first instruction of the pipe, as
the public cost model of the instruction library has them; where its profiling values contradict it, the
model is a line through those values. Evident mistakes (free long tiles, reductions whose rows are free) are
not adopted.
"""

from __future__ import annotations

from ptoas.targets.costs import Case, Chip, Confidence, CostModel, CostTable, Form, borrowed, each

MODEL = "public A2/A3 cost model, intrinsics"
FIT = "public A2/A3 cost model, fitted formulas"
PROFILED = "profiling values of the public cost model's tests"
NONE = "no public number"

SERIAL = "000, Performance Considerations (A2/A3); " + PROFILED
SCALAR_READ = f"{NONE}: a miss on A5 (M16); 50 in the public simulator, 1400 in pypto (M27)"
DMA_START = 264
"""Cycles before the first byte of a transfer from global memory arrives: profiled for loads into UB."""


def vector(
    names: str, slope: float, lat: float, confidence: Confidence, form: Form = "line", source: str = MODEL
) -> dict[str, CostModel]:
    """`slope` for each repeat; a mask that is set and reset takes 2, 16 more in count mode."""
    mask = 18.0 if form == "binary" else 2.0
    constants = {"slope": slope, "lat": lat, "mask": mask}
    return each(
        names, CostModel("slope * repeats + mask * masked", source, confidence, constants, "lat", form=form)
    )


def by_row(names: str, source: str, confidence: Confidence, **cases: str) -> dict[str, CostModel]:
    """`row` cycles a row and a `bias`, by columns: `b4="64:7+44 96:9+75"` for elements of 4 bytes."""
    found: list[Case] = []
    for size, text in cases.items():
        for part in text.split():
            cols, _, model = part.partition(":")
            row, _, bias = model.partition("+")
            found.append((int(size[1:]), int(cols), {"row": float(row), "bias": float(bias)}))
    return each(names, CostModel("row * rows + bias", source, confidence, cases=tuple(found)))


ROWS_FOUR = "8:7+58 32:7+59 64:7+44 96:9+75 128:8+61.5 176:10+92 240:11+99 272:13+104 336:14+121"
ROWS_TWO = "32:7+62 96:7+57 128:7+47 240:9+79 368:10+105 496:11+112 656:13.5+123"
MAX_FOUR = "8:7+46 32:7+47 64:7+32 96:9+61 128:8+48 176:10+78 240:11+100 304:13+104 336:14+131"
MAX_TWO = "32:7+48 96:7+43 128:7+33 240:9+62 368:10+86 496:11+106 656:13.5+119"

# One transfer a row, one after the other, as the profiled loads of several transfers were; at best they
# overlap behind the scalar pipe, which reads an index and issues one.
ROW_WALK = CostModel(
    "calls * (start + bytes / calls / rate)",
    SERIAL,
    "borrowed",
    {"start": DMA_START, "rate": 128, "issue": 12},
    low="start + bytes / rate",
    other_pipes={"PIPE_S": "rows * issue"},
)
SCALAR_WALK = CostModel(
    "elements * read", SCALAR_READ, "borrowed", {"read": 550}, low="elements * 50", high="elements * 1400"
)
FROM_L0C = "fix + rows * (max(least, 4 * cols / rate) + step * (odd(ceil(cols / 8)) - 1))"
PRODUCT = "start + f * (1 + pairs) * ceil(m / 16) * ceil(k * size / 32) * ceil(n / 16)"
PRODUCTS = (
    "tmatmul tmatmul.acc tmatmul.bias tgemv tgemv.acc tgemv.bias "
    "tmatmul.mx tmatmul.mx.acc tmatmul.mx.bias tgemv.mx tgemv.mx.acc tgemv.mx.bias"
)


def products(source: str, confidence: Confidence, start: float, wide: float) -> dict[str, CostModel]:
    """Products of matrices; elements of 4 bytes take `wide` cycles for each step."""
    cases = tuple((size, None, {"f": f}) for size, f in ((4, wide), (2, 1), (1, 1)))
    model = CostModel(PRODUCT, source, confidence, {"start": start}, cases=cases)
    return each(PRODUCTS, model)


MODELS: dict[str, CostModel] = {
    # --- by the way that data takes; an instruction that moves data and is not named has one of these ---
    "gm-vec": CostModel(
        "calls * (start + bytes / calls / rate)", PROFILED, "B", {"start": DMA_START, "rate": 128}
    ),
    # The start is that of loads into UB; with it M1 leaves this rate for its transfers of 64 and 128 KiB.
    "gm-mat": CostModel(
        "calls * start + bytes / rate", "M1; start: " + PROFILED, "A", {"start": DMA_START, "rate": 99}
    ),
    "vec-gm": CostModel(
        "start + bytes / rate", f"{MODEL}; start: its second mode", "B", {"start": 107.3, "rate": 109.38}
    ),
    **borrowed(
        "mat-gm",
        CostModel("start + bytes / rate", "", "B", {"start": 107.3, "rate": 18.57}),
        "start of vec to gm",
    ),
    "acc-gm": CostModel(FROM_L0C, "M4", "A", {"fix": 164, "least": 4.45, "rate": 118, "step": 2.6}),
    "acc-mat": CostModel("bytes / rate", MODEL, "B", {"rate": 74.29}),
    **borrowed("acc-vec mat-vec", CostModel("bytes / rate", "", "B", {"rate": 74.29}), "as acc to mat"),
    "vec-vec": CostModel("calls * (5 + ceil(bytes / calls / 32))", PROFILED, "B"),
    **borrowed("vec-mat", CostModel("bytes / rate", "", "B", {"rate": 109.38}), "as vec to gm"),
    # The ratio of both is that of M4, whose pair would take 510 cycles; M1 has 412.
    "mat-left": CostModel("bytes / rate", "M1 and M4", "A", {"rate": 160.6}),
    "mat-right": CostModel("bytes / rate", "M1 and M4", "A", {"rate": 105.8}),
    **each(
        "mat-bias mat-scaling mat-scale_left mat-scale_right",
        CostModel("bytes / rate", MODEL, "B", {"rate": 18.57}),
    ),
    # Through a tile of UB; the device needs no start that the figures show.
    "comm.tget": CostModel(
        "bytes / rate", "M22", "A", {"rate": 3.0}, other_pipes={"PIPE_MTE3": "bytes / 109.38"}
    ),
    **borrowed(
        "gm-gm",
        CostModel("bytes / rate", "", "A", {"rate": 3.0}, other_pipes={"PIPE_MTE3": "bytes / 109.38"}),
        "as comm.tget (M22)",
    ),
    # --- arithmetic ---
    **vector("tadd tsub tmax tmin", 2, 24, "A", "binary"),
    **vector("tand tor", 2, 20, "C", "binary"),
    **vector("tmul", 2, 25, "A", "binary"),
    **vector("tdiv", 4, 30, "A", "binary"),
    **vector("tshl tshr txor taddrelu taxpy tprelu", 2, 24, "borrowed", "binary", f"{NONE}: as tadd"),
    **vector("taddc tsubc", 4, 24, "borrowed", "binary", "two additions"),
    **vector("tfmod trem", 9, 30, "borrowed", "binary", "division, conversion, product, difference"),
    **vector("tpow", 6, 33, "borrowed", "binary", "logarithm, product, exponential"),
    **vector("tadds tsubs", 1, 31, "C", "scalar"),
    **vector("tmuls tneg", 1, 26, "A", "scalar"),
    **vector("tmaxs", 1, 23, "A", "scalar"),
    **vector("tmins", 1, 23, "B", "scalar", FIT),
    **vector("tlrelu", 1, 26, "A", "scalar"),
    **vector("tands tors txors tshls tshrs", 1, 26, "borrowed", "scalar", f"{NONE}: as tmuls"),
    **vector("taddsc tsubsc", 3, 24, "borrowed", "binary", "an addition of a scalar, one of a tile"),
    **vector("tfmods trems", 8, 30, "borrowed", "scalar", "division, conversion, product, difference"),
    **vector("tpows", 5, 33, "borrowed", "scalar", "logarithm, product, exponential"),
    "tdivs": CostModel(
        "slope * repeats + lat + mask * masked",
        FIT,
        "B",
        {"lat": 45, "mask": 17},
        form="scalar",
        cases=((4, None, {"slope": 5}), (2, None, {"slope": 9})),
    ),
    **vector("trelu", 1, 23, "A"),
    **vector("tabs", 1, 29, "C"),
    **vector("texp", 2, 31, "A"),
    **vector("tlog", 2, 33, "A"),
    **vector("tsqrt", 2, 39, "C"),
    **vector("trsqrt", 1, 24, "A"),
    **vector("trecip", 1, 24, "borrowed", source=f"{NONE}: as trsqrt"),
    **vector("tnot", 2, 20, "C"),
    **vector("tcvt", 1, 27, "A"),
    **vector("tcmp tcmps", 2, 36, "C"),
    **vector("tsel tsels", 2, 27, "C"),
    **vector("texpands tci tfillpad", 1, 24, "C"),
    **vector(
        "tpartadd tpartmax tpartmin", 3, 24, "borrowed", "binary", "the operation, and a copy of the rest"
    ),
    **vector("tpartmul", 3, 25, "borrowed", "binary", "the operation, and a copy of the rest"),
    # --- rows and columns ---
    **by_row("trowsum", FIT, "B", b4=ROWS_FOUR, b2=ROWS_TWO),
    **by_row("trowmax trowmin", FIT, "B", b4=MAX_FOUR, b2=MAX_TWO),
    **by_row("trowprod trowargmax trowargmin", f"{NONE}: as trowmax", "borrowed", b4=MAX_FOUR, b2=MAX_TWO),
    **by_row(
        "tcolsum",
        FIT,
        "B",
        b4="8:19+29 64:19.5+15 96:21+14 128:22+8 240:24+32 336:27+35",
        b2="16:19+21 128:19.5+15 160:21+14 336:22+28 656:26.5+33",
    ),
    **by_row(
        "tcolmax tcolmin tcolprod tcolargmax tcolargmin",
        FIT,
        "B",
        b4="8:17+24 32:17.5+16 64:17.5+17 96:35+2 128:20+10",
        b2="128:17.5+17 192:35+2",
    ),
    **by_row("trowexpand", FIT, "B", b4="64:14+37 128:15+37", b2="128:14+37 192:15+37"),
    **by_row(
        "trowexpandadd trowexpandsub trowexpandmul trowexpanddiv trowexpandmax trowexpandmin "
        "trowexpandexpdif",
        "trowexpand, then the operation of two tiles row by row",
        "borrowed",
        b4="64:16+61 128:19+61",
        b2="128:16+61 192:19+61",
    ),
    "tcolexpand": CostModel("rows * (5 + cols * size / 32)", "a copy of a row each", "borrowed"),
    **vector(
        "tcolexpandadd tcolexpandsub tcolexpandmul tcolexpandmax tcolexpandmin",
        2,
        24,
        "borrowed",
        "binary",
        "the operation of two tiles",
    ),
    **vector("tcolexpanddiv tcolexpandexpdif", 4, 31, "borrowed", "binary", "the operation of two tiles"),
    "ttrans": CostModel("block * ceil(bytes / 512) + 6", f"{PROFILED}, one of them", "B", {"block": 3.87}),
    # --- gathers ---
    "tgather": CostModel("46.6 * rows", MODEL, "A", first="24"),
    **vector("tgather.mask", 14, 34, "C"),
    "tscatter": CostModel(
        "elements * write",
        "a scalar read and write an element",
        "C",
        {"write": 4},
        low="elements * 2",
        high="elements * 16",
    ),
    "mgather.row": ROW_WALK,
    "mscatter.row": ROW_WALK,
    "mgather.elem": SCALAR_WALK,
    "mscatter.elem": SCALAR_WALK,
    **each(
        "load_scalar comm.twait comm.ttest",
        CostModel("read", SCALAR_READ, "borrowed", {"read": 550}, low="50", high="1400"),
    ),
    "store_scalar": CostModel(
        "write", "300 in the model of pypto; nothing waits for a store", "C", {"write": 50}, high="300"
    ),
    # A signal is a store, whose cache line is cleaned.
    "comm.tnotify": CostModel("write", "M26: clean of a line and dsb", "B", {"write": 832}),
    **vector("tsort32", 16, 20, "A"),
    **vector("tmrgsort", 78, 20, "A"),
    # Only the start of and the test for asynchronous transfers are timed, not the transfer itself.
    # --- the matrix unit ---
    **products("M1 (12); M4 has 21", "A", 12, 2),
    # --- whatever else runs on a pipe: its commonest instruction ---
    **vector("PIPE_V", 2, 24, "borrowed", "binary", f"{NONE}: as tadd"),
    **borrowed("PIPE_M", CostModel("12 + elements / 256", "", "A"), "as tmatmul of one step"),
    **borrowed("PIPE_MTE1", CostModel("bytes / 105.8", "", "A"), "as mat to right"),
    **borrowed("PIPE_MTE2", CostModel("264 + bytes / 128", "", "B"), "as gm to vec"),
    **borrowed("PIPE_MTE3", CostModel("107 + bytes / 109.38", "", "B"), "as vec to gm"),
    **borrowed("PIPE_FIX", CostModel("164 + rows * max(4.45, 4 * cols / 118)", "", "A"), "as acc to gm"),
    "PIPE_S": CostModel("1", MODEL, "C"),
}

TABLE = CostTable(
    Chip(
        mhz=1850,
        issue=7,
        flag=1,
        fence=832,
        memory=595,
        cache=1960,
        sources={
            "mhz": ("M1; 910B2 and B3 run at 1800 MHz, B4 at 1500", "A"),
            "issue": (f"{NONE}: as on A5 (M9a)", "borrowed"),
            "flag": (MODEL, "C"),
            "fence": ("M26: clean of a line and dsb, 0.45 µs", "A"),
            "memory": ("M10: 1.1 TB/s, read and written", "A"),
            "cache": ("M1: 24 cores at 151 GB/s", "A"),
        },
    ),
    MODELS,
)
