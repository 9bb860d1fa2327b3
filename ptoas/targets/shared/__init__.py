"""Parts of rows that targets share, by chapter; `ROWS` of a chapter are those that all targets have."""
