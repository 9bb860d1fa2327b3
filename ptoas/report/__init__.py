"""Pictures of a profile: SVG files, and one page with everything that needs no network and no other file.

`memory.py` finds where tiles lie, `draw.py` makes pictures, `page.py` fills `templates/`. Jinja2 (the extra
`report`) makes the page, for it escapes what comes from a program; the pictures are rectangles and lines that
a plotting library would not draw faster, and would not make clickable.
"""

from __future__ import annotations

from ptoas.profiling.profile import RENDERERS, Profile
from ptoas.profiling.run import profile
from ptoas.report.lanes import timeline
from ptoas.report.page import compare_page, page, pictures

RENDERERS.update(page=page, pictures=pictures, timeline=timeline)

__all__ = ["Profile", "compare_page", "profile"]
