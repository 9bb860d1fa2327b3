if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=://,b:# shiftwidth=2 softtabstop=2 expandtab
" Names of values, types and functions have signs in front of them.
setlocal iskeyword+=.,$
let b:undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< softtabstop< expandtab< iskeyword<'
