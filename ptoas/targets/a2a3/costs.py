"""Cost models of the instructions of A2 and A3.

Most vector models are `slope` cycles for 256 bytes, and `lat` once for the first instruction of the pipe, as
the public cost model of the instruction library has them; where its profiling values contradict it, the
model is a line through those values. Evident mistakes (free long tiles, reductions whose rows are free) are
not adopted.
"""

from __future__ import annotations

from ptoas.targets.costs import Case, CostModel, CostTable, Form, Kind, each

MODEL = "public A2/A3 cost model, intrinsics"
FIT = "public A2/A3 cost model, fitted formulas"
PROFILED = "profiling values of the public cost model's tests"
NONE = "no public number"

SERIAL = "000, Performance Considerations (A2/A3); " + PROFILED
SCALAR_READ = f"{NONE}: 50 to 200 in the L2 model of the public simulator, 1400 in that of pypto"


def vector(
    names: str, slope: float, lat: float, kind: Kind, form: Form = "line", source: str = MODEL
) -> dict[str, CostModel]:
    """`slope` for each repeat; a mask that is set and reset takes 2, 16 more in count mode."""
    mask = 18.0 if form == "binary" else 2.0
    constants = {"slope": slope, "lat": lat, "mask": mask}
    return each(
        names, CostModel("slope * repeats + mask * masked", source, kind, constants, "lat", form=form)
    )


def by_row(names: str, source: str, kind: Kind, **cases: str) -> dict[str, CostModel]:
    """`row` cycles a row and a `bias`, by columns: `b4="64:7+44 96:9+75"` for elements of 4 bytes."""
    found: list[Case] = []
    for size, text in cases.items():
        for part in text.split():
            cols, _, model = part.partition(":")
            row, _, bias = model.partition("+")
            found.append((int(size[1:]), int(cols), {"row": float(row), "bias": float(bias)}))
    return each(names, CostModel("row * rows + bias", source, kind, cases=tuple(found)))


def transfer(start: float, rate: float, peak: tuple[float, float], source: str = MODEL) -> CostModel:
    """Bytes over a bandwidth; `peak`, the start-up and bandwidth of the model's other mode, is the upper end.

    The two modes of the public model differ by a factor of up to seven; what they are from is not said.
    """
    constants = {"start": start, "rate": rate, "start2": peak[0], "rate2": peak[1]}
    return CostModel("start + bytes / rate", source, "derived", constants, high="start2 + bytes / rate2")


ROWS_FOUR = "8:7+58 32:7+59 64:7+44 96:9+75 128:8+61.5 176:10+92 240:11+99 272:13+104 336:14+121"
ROWS_TWO = "32:7+62 96:7+57 128:7+47 240:9+79 368:10+105 496:11+112 656:13.5+123"
MAX_FOUR = "8:7+46 32:7+47 64:7+32 96:9+61 128:8+48 176:10+78 240:11+100 304:13+104 336:14+131"
MAX_TWO = "32:7+48 96:7+43 128:7+33 240:9+62 368:10+86 496:11+106 656:13.5+119"

# One transfer a row, one after the other, as the profiled loads of several transfers were; at best they
# overlap behind the scalar pipe, which reads an index and issues one.
ROW_WALK = CostModel(
    "calls * (start + bytes / calls / rate)",
    SERIAL,
    "derived",
    {"start": 264, "rate": 128, "issue": 12},
    low="start + bytes / rate",
    other_pipes={"PIPE_S": "rows * issue"},
)
SCALAR_WALK = CostModel(
    "elements * read", SCALAR_READ, "guessed", {"read": 200}, low="elements * 50", high="elements * 1400"
)

MODELS: dict[str, CostModel] = {
    # --- by the way that data takes; an instruction that moves data and is not named has one of these ---
    "gm-vec": CostModel(
        "calls * (start + bytes / calls / rate)", PROFILED, "fitted", {"start": 264, "rate": 128}
    ),
    "gm-mat": transfer(0, 78.35, (66.7, 16.61)),
    "vec-gm": transfer(0, 109.38, (107.3, 16.36)),
    "mat-gm": CostModel("bytes / rate", MODEL, "derived", {"rate": 18.57}),
    # Two bytes an element, whatever the type: the pipe narrows on its way.
    "acc-gm": CostModel(
        "elements * 2 / rate",
        MODEL,
        "derived",
        {"rate": 40.63, "start2": 1215.6, "rate2": 23.94},
        high="start2 + elements * 2 / rate2",
    ),
    "acc-mat": CostModel("bytes / rate", MODEL, "derived", {"rate": 74.29}),
    "acc-vec": CostModel("bytes / rate", f"{NONE}: as acc to mat", "derived", {"rate": 74.29}),
    "vec-vec": CostModel("calls * (5 + ceil(bytes / calls / 32))", PROFILED, "fitted"),
    "vec-mat": CostModel("bytes / rate", f"{NONE}: as vec to gm", "derived", {"rate": 109.38}),
    "mat-vec": CostModel("bytes / rate", f"{NONE}: as acc to mat", "derived", {"rate": 74.29}),
    "mat-left": CostModel("elements * 2 / rate + 1", MODEL, "derived", {"rate": 256}),
    "mat-right": CostModel("elements * 2 / rate + 1", MODEL, "derived", {"rate": 128}),
    **each(
        "mat-bias mat-scaling mat-scale_left mat-scale_right",
        CostModel("bytes / rate", MODEL, "derived", {"rate": 18.57}),
    ),
    # Chunk by chunk through a tile; what lies on another rank is no nearer than that.
    "gm-gm": CostModel(
        "calls * start + bytes / rate",
        f"{NONE}: a load and a store of each chunk",
        "guessed",
        {"start": 264, "rate": 128},
        high="4 * (calls * start + bytes / rate)",
        other_pipes={"PIPE_MTE3": "bytes / 109.38"},
    ),
    # --- arithmetic ---
    **vector("tadd tsub tmax tmin", 2, 24, "measured", "binary"),
    **vector("tand tor", 2, 20, "guessed", "binary"),
    **vector("tmul", 2, 25, "measured", "binary"),
    **vector("tdiv", 4, 30, "measured", "binary"),
    **vector("tshl tshr txor taddrelu taxpy tprelu", 2, 6, "guessed", "binary"),
    **vector("taddc tsubc", 4, 24, "derived", "binary", "two additions"),
    **vector("tfmod trem", 9, 30, "derived", "binary", "division, conversion, product, difference"),
    **vector("tpow", 6, 33, "derived", "binary", "logarithm, product, exponential"),
    **vector("tadds tsubs", 1, 31, "guessed", "scalar"),
    **vector("tmuls tneg", 1, 26, "measured", "scalar"),
    **vector("tmaxs", 1, 23, "measured", "scalar"),
    **vector("tmins", 1, 23, "fitted", "scalar", FIT),
    **vector("tlrelu", 1, 26, "measured", "scalar"),
    **vector("tands tors txors tshls tshrs", 2, 6, "guessed", "scalar"),
    **vector("taddsc tsubsc", 3, 24, "derived", "binary", "an addition of a scalar, one of a tile"),
    **vector("tfmods trems", 8, 30, "derived", "scalar", "division, conversion, product, difference"),
    **vector("tpows", 5, 33, "derived", "scalar", "logarithm, product, exponential"),
    "tdivs": CostModel(
        "slope * repeats + lat + mask * masked",
        FIT,
        "fitted",
        {"lat": 45, "mask": 17},
        form="scalar",
        cases=((4, None, {"slope": 5}), (2, None, {"slope": 9})),
    ),
    **vector("trelu", 1, 23, "measured"),
    **vector("tabs", 1, 29, "guessed"),
    **vector("texp", 2, 31, "measured"),
    **vector("tlog", 2, 33, "measured"),
    **vector("tsqrt", 2, 39, "guessed"),
    **vector("trsqrt", 1, 24, "measured"),
    **vector("trecip", 1, 24, "derived", source=f"{NONE}: as trsqrt"),
    **vector("tnot", 2, 20, "guessed"),
    **vector("tcvt", 1, 27, "measured"),
    **vector("tcmp tcmps", 2, 36, "guessed"),
    **vector("tsel tsels", 2, 27, "guessed"),
    **vector("texpands tci tfillpad", 1, 24, "guessed"),
    **vector(
        "tpartadd tpartmax tpartmin", 3, 24, "derived", "binary", "the operation, and a copy of the rest"
    ),
    **vector("tpartmul", 3, 25, "derived", "binary", "the operation, and a copy of the rest"),
    # --- rows and columns ---
    **by_row("trowsum", FIT, "fitted", b4=ROWS_FOUR, b2=ROWS_TWO),
    **by_row("trowmax trowmin", FIT, "fitted", b4=MAX_FOUR, b2=MAX_TWO),
    **by_row("trowprod trowargmax trowargmin", f"{NONE}: as trowmax", "derived", b4=MAX_FOUR, b2=MAX_TWO),
    **by_row(
        "tcolsum",
        FIT,
        "fitted",
        b4="8:19+29 64:19.5+15 96:21+14 128:22+8 240:24+32 336:27+35",
        b2="16:19+21 128:19.5+15 160:21+14 336:22+28 656:26.5+33",
    ),
    **by_row(
        "tcolmax tcolmin tcolprod tcolargmax tcolargmin",
        FIT,
        "fitted",
        b4="8:17+24 32:17.5+16 64:17.5+17 96:35+2 128:20+10",
        b2="128:17.5+17 192:35+2",
    ),
    **by_row("trowexpand", FIT, "fitted", b4="64:14+37 128:15+37", b2="128:14+37 192:15+37"),
    **by_row(
        "trowexpandadd trowexpandsub trowexpandmul trowexpanddiv trowexpandmax trowexpandmin "
        "trowexpandexpdif",
        "trowexpand, then the operation of two tiles row by row",
        "derived",
        b4="64:16+61 128:19+61",
        b2="128:16+61 192:19+61",
    ),
    "tcolexpand": CostModel("rows * (5 + cols * size / 32)", "a copy of a row each", "derived"),
    **vector(
        "tcolexpandadd tcolexpandsub tcolexpandmul tcolexpandmax tcolexpandmin",
        2,
        24,
        "derived",
        "binary",
        "the operation of two tiles",
    ),
    **vector("tcolexpanddiv tcolexpandexpdif", 4, 31, "derived", "binary", "the operation of two tiles"),
    "ttrans": CostModel(
        "block * ceil(bytes / 512) + 6", f"{PROFILED}, one of them", "fitted", {"block": 3.87}
    ),
    # --- gathers ---
    "tgather": CostModel("46.6 * rows", MODEL, "measured", first="24"),
    **vector("tgather.mask", 14, 34, "guessed"),
    "tscatter": CostModel(
        "elements * write",
        f"{NONE}: a scalar read and write an element",
        "guessed",
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
        CostModel("read", SCALAR_READ, "guessed", {"read": 200}, low="50", high="1400"),
    ),
    **each(
        "store_scalar comm.tnotify",
        CostModel("write", f"{NONE}: 300 in the model of pypto", "guessed", {"write": 50}, high="300"),
    ),
    **vector("tsort32", 16, 20, "measured"),
    **vector("tmrgsort", 78, 20, "measured"),
    # Of asynchronous transfers the start is timed, and the question for the end; what goes on beside is not.
    # --- the matrix unit ---
    **each(
        "tmatmul tmatmul.acc tmatmul.bias tgemv tgemv.acc tgemv.bias",
        CostModel(
            "6 + f * ceil(m / 16) * ceil(k * size / 32) * ceil(n / 16)",
            MODEL,
            "measured",
            cases=((4, None, {"f": 2}), (2, None, {"f": 1}), (1, None, {"f": 1})),
        ),
    ),
    # --- whatever else runs on a pipe ---
    **vector("PIPE_V", 2, 6, "guessed", "binary"),
    "PIPE_S": CostModel("1", MODEL, "guessed"),
    "PIPE_M": CostModel("4 + elements / 16", MODEL, "guessed"),
    "PIPE_MTE1": CostModel("1 + elements / 64", MODEL, "guessed"),
    **each("PIPE_MTE2 PIPE_MTE3 PIPE_FIX", CostModel("3 + elements / 32", MODEL, "guessed")),
}

TABLE = CostTable(
    1850, "the public cost model's clock; 910B2 and B3 run at 1800 MHz, B4 at 1500", MODELS, cores=24
)
