"""Values that options and the configuration share; imports nothing, so that help texts need no compiler."""

SYNC_MODES = ("auto", "manual", "all")
REVISIONS = ("doc", "2026.08", "2026.09")
