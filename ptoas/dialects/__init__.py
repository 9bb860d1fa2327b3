"""The dialects of ptoas: `pto`, over xDSL's own `builtin`, `func`, `arith` and `scf`."""
