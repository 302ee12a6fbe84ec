"""Charts as PNG, for pages that take no SVG."""

from __future__ import annotations

import io
from typing import Final

from appeval_pipeline.store.charts.drawing import Drawing, Palette, figure_of, style

_ON_ANY_GROUND: Final = Palette(text="#7d8590", line="#9aa1aa", accent="#4f7cff", track="#c3c9d233")
"""Colours that can be read on a light and on a dark page."""

_DOTS_PER_INCH: Final = 110


def png(drawing: Drawing) -> bytes:
    """The chart as a file; the same drawing has the same bytes."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(style(_ON_ANY_GROUND)):
        figure = figure_of(drawing, _ON_ANY_GROUND)
        figure.savefig(buffer, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return buffer.getvalue()
