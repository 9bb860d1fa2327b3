au BufRead,BufNewFile *.pto setfiletype pto
