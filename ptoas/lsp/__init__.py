"""The language server, `ptoas lsp`: what the library knows of a program, while it is written.

`document` reads a text and keeps what was found; `names` says which places mean one thing; `findings` checks,
`plan` places and synchronises, both function by function, so that an edit costs what changed. The other
modules answer one request each, and `server` gives them to the protocol.
"""
