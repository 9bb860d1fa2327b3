"""Colours for editors that have no server: grammars made from the dialect and its enumerations.

`python -m ptoas.editors` writes them: `editors/vscode/syntaxes/pto.tmLanguage.json`,
and `editors/vim/syntax/pto.vim`; the Pygments lexer asks the dialect itself.
"""
