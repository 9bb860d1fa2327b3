"""The names of all instructions of PTO, those that ptoas does not have yet among them."""

_CHAPTERS = """
make_tensor_view partition_view alloc_tile tassign subview set_validshape get_validshape treshape bitcast
alloc_multi_tile multi_tile_get get_tensor_view_dim get_tensor_view_stride tile_valid_rows tile_valid_cols

tload tstore tprint tprefetch load_scalar store_scalar addptr ptrtoint inttoptr castptr tsetval tgetval
declare_local_array local_array_get local_array_set declare_struct struct_get struct_set print trap
get_block_idx get_block_num get_subblock_idx get_subblock_num

tadd tsub tmul tdiv tmax tmin tand tor txor tshl tshr trem tfmod tpow tprelu taddrelu tadds tsubs tmuls
tdivs tmaxs tmins tands tors txors tshls tshrs trems tfmods tpows tlrelu taxpy tabs texp tneg trecip tsqrt
trsqrt tlog trelu tnot taddc tsubc taddsc tsubsc tsubrelu tmuladddst tfusedmuladd tfusedmuladdrelu
taddreluconv tsubreluconv tadddeqrelu tpairreducesum tinterleave tdeinterleave tcmp tcmps tsel tsels
tpartadd tpartmul tpartmax tpartmin tpartargmax tpartargmin

trowsum trowmax trowmin trowprod tcolsum tcolprod tcolmax tcolmin trowargmax trowargmin tcolargmax
tcolargmin trowexpand tcolexpand texpands trowexpandadd trowexpandsub trowexpandmul trowexpanddiv
trowexpandmax trowexpandmin trowexpandexpdif tcolexpandadd tcolexpandsub tcolexpandmul tcolexpanddiv
tcolexpandmax tcolexpandmin tcolexpandexpdif

tcvt tquant tdequant tquant.mx tsort32 tmrgsort tci ttri trandom thistogram ttrans tconcat tconcatidx tmov
tfillpad mgather mscatter tgather tgatherb tscatter

tmatmul tmatmul.acc tmatmul.bias tmatmul.mx tmatmul.mx.acc tmatmul.mx.bias tgemv tgemv.acc tgemv.bias
tgemv.mx tgemv.mx.acc tgemv.mx.bias textract tinsert tget_scale_addr set_quant_scalar set_quant_vector

aic_initialize_pipe aiv_initialize_pipe reserve_buffer import_reserved_buffer talloc_to_aiv talloc_to_aic
tpush_to_aiv tpush_to_aic tpop_from_aic tpop_from_aiv tfree_from_aic tfree_from_aiv initialize_l2l_pipe
initialize_l2g2l_pipe declare_tile declare_global tpush tpop talloc tfree section.cube section.vector

set_flag wait_flag barrier set_flag_dyn wait_flag_dyn declare_eventid_array eventid_array_get
eventid_array_set record_event wait_event barrier_sync fence.barrier_all cmo.cacheinvalid sync.set
sync.wait set_cross_block wait_cross_block set_intra_block wait_intra_block set_ffts syncall tsync get_buf
rls_buf get_buf_dyn rls_buf_dyn

comm.tput comm.tget comm.tnotify comm.twait comm.ttest comm.tbroadcast comm.tgather comm.tscatter
comm.treduce comm.build_async_session comm.tput_async comm.tget_async comm.wait_async_event
comm.test_async_event make_prefetch_async_context get_prefetch_async_session tprefetch_async
"""

ISA_NAMES = frozenset(_CHAPTERS.split())

_CONVOLUTION = "no text gives the geometry of a convolution: gather its columns in memory, and load them"
_ROUNDING = "no text sets the register: products of f32 are formed in f32"
_MEMORIES = "write `{}`: its tiles say between which memories"

WITHOUT_TEXT = {
    **dict.fromkeys(("timg2col", "setfmatrix", "set_img2col_rpt", "set_img2col_padding"), _CONVOLUTION),
    **dict.fromkeys(("sethf32mode", "settf32mode"), _ROUNDING),
}
"""Calls of the instruction library that pages of the ISA name and no program can spell; why."""

_WORDS = ("m2l", "m2r", "m2b", "m2s", "a2v", "v2v", "s2d")

PAGE_SUFFIXES = {
    **{f"tmov.{word}": _MEMORIES.format("tmov") for word in _WORDS},
    "tmov.fp": "write `tmov` with the scales as an operand: `ins(%src, %fp : ...)`",
    **{
        f"{name}.fp": f"write `{name}` with a clause: `fp %fp : ...`"
        for name in ["tstore", "textract", "tinsert"]
    },
}
"""Suffixes by which pages of the ISA tell forms of an instruction apart; how those are written."""
