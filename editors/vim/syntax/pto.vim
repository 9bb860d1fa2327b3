" Made by python -m ptoas.editors; do not edit.
if exists('b:current_syntax')
  finish
endif

syn match ptoNumber /\v[%[:alnum:]_$.]@<![-+]?(0[xX]\x+|\d+(\.\d*)?([eE][-+]?\d+)?)[[:alnum:]_.]@!/
syn match ptoWord /\v[[:alnum:]_$.%@!#^-]@<!(single_cache_line|c2v_consumer_buf|v2c_consumer_buf|aiv_subblockid|gm_slot_buffer|gm_slot_tensor|attributes|core_type|iter_args|no_inline|pre_quant|valid_col|valid_row|context|default|offsets|private|strides|nested|public|false|group|shape|sizes|valid|addr|case|else|mode|outs|recv|step|true|unit|all|buf|ins|loc|do|fp|to)[[:alnum:]_$.-]@!/
syn match ptoMember /\v[<= ]@<=(VIRTUAL_PIPE_MTE2_L1A|VIRTUAL_PIPE_MTE2_L1B|qf322bf16_pre_scalar|qf322hif8_pre_scalar|qs322bf16_pre_scalar|qf322f16_pre_scalar|qf322fp8_pre_scalar|qf322b8_pre_scalar|width10_precision6|dual_mode_split_m|dual_mode_split_n|qs322bf16_pre_vec|width8_precision2|width8_precision4|single_mode_vec0|single_mode_vec1|qf322b8_pre_vec|TVECWAIT_EVENT|high_precision|deqf16_scalar|local_memory|row_plus_one|atomic_none|normal_relu|req8_scalar|scalar_relu|scale_right|unspecified|vector_relu|MXFP4_E2M1|TSTORE_ACC|TSTORE_VEC|atomic_add|atomic_max|atomic_min|deqf16_vec|no_convert|scale_left|CAST_RINT|EVENT_ID0|EVENT_ID1|EVENT_ID2|EVENT_ID3|EVENT_ID4|EVENT_ID5|EVENT_ID6|EVENT_ID7|INT8_ASYM|PIPE_MTE1|PIPE_MTE2|PIPE_MTE3|PIPE_MTE4|PIPE_MTE5|col_major|row_major|undefined|INT8_SYM|PIPE_ALL|PIPE_FIX|TMOV_M2B|TMOV_M2L|TMOV_M2S|TMOV_M2V|TMOV_V2M|aic_only|aiv_only|f32_bf16|none_box|req8_vec|PIPE_V2|TMATMUL|default|f32_f16|mx_a_zz|mx_b_nn|no_relu|partial|scaling|PIPE_M|PIPE_S|PIPE_V|normal|split2|split4|vector|FLOOR|MXFP8|P0001|P0010|P0100|P0101|P1000|P1010|P1111|ROUND|TLOAD|TRUNC|axis0|axis1|clamp|final|nz2dn|nz2nd|nz2nz|right|CEIL|NONE|RINT|TVEC|bias|cube|elem|hard|last|left|none|null|skip|soft|wrap|zero|ODD|OFF|acc|add|aiv|all|ccu|mat|max|min|mix|ocp|pwl|row|set|sum|vec|ON|dn|eq|ge|gm|gt|le|lt|nd|ne|nv|nz)(\s*[>,} ]|$)@=/
syn match ptoKey /\v[[:alnum:]_$.%]@<!(acc_push_epilogue|channel_group_idx|comm_block_offset|scatterAtomicOp|scatterConflict|local_slot_num|precisionType|quantScaleAlg|accToVecMode|upperOrLower|block_bytes|maskPattern|printFormat|reluPreMode|tinsertMode|atomicType|descending|interleave|quant_type|scatterOob|core_type|exhausted|ffts_mode|flag_base|gatherOob|peer_func|queue_num|slot_size|storeMode|accPhase|coalesce|dir_mask|dst_pipe|event_id|isBinary|location|notifyOp|padValue|pingpong|reduceOp|sat_mode|slot_num|src_pipe|address|cmpMode|grpAxis|nosplit|op_type|satmode|stPhase|sync_id|buf_id|dst_op|engine|format|layout|no_tmp|offset|rounds|src_op|isMSB|rmode|scope|sizes|space|split|auto|axis|base|byte|mode|name|path|pipe|root|size|cmp|id|op)(\s*\=)@=/
syn match ptoShape /\v[[:alnum:]_$.%]@<!(\d+|\?)x((\d+|\?)x)*[A-Za-z!]@=/
syn match ptoScalar /\v([[:alnum:]_$.%@!#^-]@<!|([0-9?]x)@<=)(bfloat16|f4E1M2x2|f4E2M1x2|f8E4M3FN|f8e4m3fn|float16|float32|bf16x2|f8E4M3|f8E5M2|f8E8M0|f8e4m3|f8e5m2|f8e8m0|hif8x2|uint16|uint32|uint64|float|index|int16|int32|int64|uint8|bf16|half|hif8|int8|none|si16|si32|si64|ui16|ui32|ui64|f16|f32|f64|i16|i32|i64|si8|u16|u32|u64|ui8|i1|i8|u8)[[:alnum:]_$.-]@!/
syn match ptoLabel /\v\^[[:alnum:]_$.-]+/
syn match ptoSymbol /\v\@[[:alnum:]_$.-]+/
syn match ptoValue /\v\%[[:alnum:]_$.-]*(#\d+)?/
syn match ptoAlias /\v[!#][A-Za-z_][[:alnum:]_.$-]*/
syn match ptoAttribute /\v#pto(\.(scatter_atomic_op|scatter_conflict|acc_to_vec_mode|pipe_event_type|quant_scale_alg|recip_precision|rsqrt_precision|saturation_mode|fmod_precision|sqrt_precision|sync_core_type|vec_store_mode|address_space|div_precision|exp_precision|log_precision|mx_group_axis|pow_precision|relu_pre_mode|rem_precision|sync_all_mode|compact_mode|mask_pattern|print_format|tinsert_mode|atomic_type|coll_engine|fence_scope|kernel_kind|push_layout|scatter_oob|gather_oob|push_quant|quant_type|round_mode|acc_phase|notify_op|pad_value|reduce_op|coalesce|st_phase|wait_cmp|blayout|slayout|layout|event|pipe|cmp|loc)[[:alnum:]_.]@!|\<@=)/
syn match ptoType /\v!?pto\.(prefetch_async_context|partition_tensor_view|acc_push_epilogue|multi_tile_buf|async_session|eventid_array|async_event|local_array|tensor_view|f4E1M2x2|f4E2M1x2|tile_buf|bf16x2|f8E8M0|hif8x2|memref|struct|event|group|hif8|pipe|tile|ptr)[[:alnum:]_.]@!/
syn match ptoInstruction /\v[[:alnum:]_$.%@!#^-]@<!(pto\.)?(make_prefetch_async_context|get_prefetch_async_session|comm\.build_async_session|get_tensor_view_stride|import_reserved_buffer|comm\.test_async_event|comm\.wait_async_event|declare_eventid_array|initialize_l2g2l_pipe|aic_initialize_pipe|aiv_initialize_pipe|declare_local_array|get_tensor_view_dim|initialize_l2l_pipe|eventid_array_get|eventid_array_set|fence\.barrier_all|alloc_multi_tile|cmo\.cacheinvalid|get_subblock_idx|get_subblock_num|make_tensor_view|set_quant_scalar|set_quant_vector|tcolexpandexpdif|tfusedmuladdrelu|trowexpandexpdif|wait_cross_block|wait_intra_block|comm\.tbroadcast|comm\.tget_async|comm\.tput_async|comm_tbroadcast|comm_tget_async|comm_tput_async|local_array_get|local_array_set|set_cross_block|set_intra_block|tget_scale_addr|tile_valid_cols|tile_valid_rows|tmatmul\.mx\.bias|tprefetch_async|declare_global|declare_struct|get_validshape|multi_tile_get|partition_view|reserve_buffer|section\.vector|set_validshape|tfree_from_aic|tfree_from_aiv|tmatmul\.mx\.acc|tpairreducesum|comm\.tscatter|comm_tscatter|get_block_idx|get_block_num|talloc_to_aic|talloc_to_aiv|tcolexpandadd|tcolexpanddiv|tcolexpandmax|tcolexpandmin|tcolexpandmul|tcolexpandsub|tdeinterleave|tgemv\.mx\.bias|tile_buf_addr|tpop_from_aic|tpop_from_aiv|trowexpandadd|trowexpanddiv|trowexpandmax|trowexpandmin|trowexpandmul|trowexpandsub|wait_flag_dyn|barrier_sync|comm\.tgather|comm\.tnotify|comm\.treduce|comm_tgather|comm_tnotify|comm_treduce|declare_tile|record_event|section\.cube|set_flag_dyn|store_scalar|taddreluconv|tfusedmuladd|tgemv\.mx\.acc|tmatmul\.bias|tpush_to_aic|tpush_to_aiv|tsubreluconv|get_buf_dyn|load_scalar|mgather\.mat|rls_buf_dyn|tadddeqrelu|tinterleave|tmatmul\.acc|tpartargmax|tpartargmin|alloc_tile|comm\.ttest|comm\.twait|comm_ttest|comm_twait|struct_get|struct_set|tbroadcast|tcolargmax|tcolargmin|tcolexpand|tconcatidx|tgemv\.bias|tget_async|thistogram|tmatmul\.mx|tmuladddst|tput_async|trowargmax|trowargmin|trowexpand|wait_event|comm\.tget|comm\.tput|comm_tget|comm_tput|sync\.wait|tgemv\.acc|tprefetch|tquant\.mx|wait_flag|inttoptr|mscatter|ptrtoint|set_ffts|set_flag|sync\.set|taddrelu|tcolprod|tdequant|texpands|textract|tfillpad|tgatherb|tgemv\.mx|tmrgsort|tpartadd|tpartmax|tpartmin|tpartmul|treshape|trowprod|tscatter|tsubrelu|barrier|bitcast|castptr|get_buf|mgather|rls_buf|subview|syncall|tassign|tcolmax|tcolmin|tcolsum|tconcat|tgather|tgetval|tinsert|tmatmul|tnotify|trandom|treduce|trowmax|trowmin|trowsum|tsetval|tsort32|addptr|record|subset|taddsc|talloc|tfmods|tlrelu|tprelu|tprint|tquant|trecip|trsqrt|tstore|tsubsc|ttrans|print|store|taddc|tadds|tands|taxpy|tcmps|tdivs|tfmod|tfree|tgemv|tload|tmaxs|tmins|tmuls|tpows|tpush|trelu|trems|tsels|tshls|tshrs|tsqrt|tsubc|tsubs|tsync|ttest|twait|txors|load|tabs|tadd|tand|tcmp|tcvt|tdiv|texp|tget|tlog|tmax|tmin|tmov|tmul|tneg|tnot|tors|tpop|tpow|tput|trap|trem|tsel|tshl|tshr|tsub|ttri|txor|tci|tor)(\.(undefined|default|clamp|elem|last|none|skip|wrap|zero|add|max|min|row))*([[:alnum:]_$-]|\.[[:alnum:]_])@!/
syn match ptoStructure /\v[[:alnum:]_$.%@!#^-]@<!(builtin\.unrealized_conversion_cast|arith\.addui_extended|arith\.mulsi_extended|arith\.mului_extended|scf\.execute_region|pto\.fusion_region|arith\.floordivsi|arith\.index_cast|scf\.index_switch|arith\.ceildivsi|arith\.ceildivui|arith\.constant|arith\.maximumf|arith\.minimumf|builtin\.module|arith\.bitcast|arith\.maxnumf|arith\.minnumf|scf\.condition|arith\.fptosi|arith\.fptoui|arith\.select|arith\.sitofp|arith\.truncf|arith\.trunci|arith\.uitofp|arith\.divsi|arith\.divui|arith\.extsi|arith\.extui|arith\.maxsi|arith\.maxui|arith\.minsi|arith\.minui|arith\.remsi|arith\.remui|arith\.shrsi|arith\.shrui|func\.return|arith\.addf|arith\.addi|arith\.andi|arith\.cmpf|arith\.cmpi|arith\.divf|arith\.extf|arith\.mulf|arith\.muli|arith\.negf|arith\.shli|arith\.subf|arith\.subi|arith\.xori|cf\.cond_br|arith\.ori|cf\.switch|func\.call|func\.func|pto\.yield|scf\.while|scf\.yield|scf\.for|module|return|scf\.if|cf\.br|call)([[:alnum:]_$-]|\.[[:alnum:]_])@!/
syn match ptoDirective /\v[[:alnum:]_.]@<!(\.target|\.const|\.arg)[[:alnum:]_]@!/
syn match ptoComment /\v\/\/.*|#(\s|#|$)@=.*|^\s*#([A-Za-z_][[:alnum:]_.$-]*\s*\=)@!.*/ contains=ptoTodo
syn match ptoCheck /\v(\/\/|#)\s*(RUN-CHECK(\[[^\]]*\])?|ARGS|RUN):.*/
syn region ptoString start=/"/ skip=/\\./ end=/"/ oneline
syn keyword ptoTodo TODO FIXME XXX contained
syn sync minlines=50

hi def link ptoInstruction Function
hi def link ptoStructure Statement
hi def link ptoDirective PreProc
hi def link ptoWord Keyword
hi def link ptoType Type
hi def link ptoScalar Type
hi def link ptoAlias Typedef
hi def link ptoAttribute Constant
hi def link ptoKey Identifier
hi def link ptoMember Constant
hi def link ptoValue Identifier
hi def link ptoSymbol Function
hi def link ptoLabel Label
hi def link ptoNumber Number
hi def link ptoShape Number
hi def link ptoString String
hi def link ptoComment Comment
hi def link ptoCheck SpecialComment
hi def link ptoTodo Todo

let b:current_syntax = 'pto'
