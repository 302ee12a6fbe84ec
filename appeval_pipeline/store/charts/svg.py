"""Charts as inline SVG that takes its colours from the page, and is the same at every drawing."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.store.charts.drawing import Drawing, Palette, figure_of, style

_STAND_INS: Final = Palette(text="#010101", line="#020202", accent="#030303", track="#040404")
"""They become the page's own colours, so that charts follow its light and dark schemes."""

_VARIABLES: Final = {
    _STAND_INS.text: "var(--muted)",
    _STAND_INS.line: "var(--line)",
    _STAND_INS.accent: "var(--accent)",
    _STAND_INS.track: "var(--track)",
}
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_NO_METADATA: Final = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its caption; ``description`` tells in words what it shows."""

    svg: str
    caption: str
    description: str


def inline_svg(chart_id: str, drawing: Drawing) -> Chart:
    """The chart as an element of a page; ``chart_id`` tells its inner ids from those of others."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context(style(_STAND_INS)):
        figure_of(drawing, _STAND_INS).savefig(buffer, format="svg", metadata=_NO_METADATA)
    label = f"{drawing.caption}: {drawing.description}"
    return Chart(_inline(buffer.getvalue(), chart_id, label), drawing.caption, drawing.description)


def _inline(document: str, chart_id: str, label: str) -> str:
    """An SVG document as an element of a page: ids of its own, no fixed size, the page's colours."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    root = ET.fromstring(document)
    for style_sheet in root.findall(f"{{{_SVG}}}defs[{{{_SVG}}}style]"):
        root.remove(style_sheet)  # it would hold for the whole page
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", label)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, f"{chart_id}-{value}")
            elif name == f"{{{_XLINK}}}href":
                element.set(name, f"#{chart_id}-{value.removeprefix('#')}")
            elif name in ("clip-path", "style"):
                element.set(name, _restyled(value, chart_id))
    return ET.tostring(root, encoding="unicode")


def _restyled(style: str, chart_id: str) -> str:
    style = style.replace("url(#", f"url(#{chart_id}-")
    for colour, variable in _VARIABLES.items():
        style = style.replace(colour, variable)
    return style
