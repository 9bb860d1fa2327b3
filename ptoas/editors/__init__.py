"""Colours for editors that have no server: grammars made from the dialect and its enumerations.

`python -m ptoas.editors` writes them: `editors/vscode/syntaxes/pto.tmLanguage.json`,
`editors/vim/syntax/pto.vim`, and the words of the Pygments lexer, `ptoas/editors/_words.py`.
"""
