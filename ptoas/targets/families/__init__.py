"""Rows that families of instructions share, a module a chapter; an instruction brings its element types.

A row of a family runs on the vector pipe, and its tiles lie in the unified buffer, unless it says otherwise.
"""
