"""Charts as inline SVG that takes its colours from the page, and is the same at every drawing.

matplotlib is imported when a chart is drawn: it takes half a second.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = Callable[["Axes"], None]

TEXT: Final = "#010101"
LINE: Final = "#020202"
ACCENT: Final = "#030303"
TRACK: Final = "#040404"
"""Stand-ins that become the page's own colours, so that charts follow its light and dark schemes."""

_VARIABLES: Final = {
    TEXT: "var(--muted)",
    LINE: "var(--line)",
    ACCENT: "var(--accent)",
    TRACK: "var(--track)",
}
_SVG: Final = "http://www.w3.org/2000/svg"
_XLINK: Final = "http://www.w3.org/1999/xlink"
_STYLE: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "appeval",
    "text.parse_math": False,
    "font.size": 10.5,
    "text.color": TEXT,
    "axes.edgecolor": LINE,
    "axes.labelcolor": TEXT,
    "xtick.color": TEXT,
    "ytick.color": TEXT,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_NO_METADATA: Final = {"Date": None, "Creator": None, "Format": None, "Type": None}


WIDTH: Final = 4.0
"""Of every chart, in inches; the page scales them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A chart's height and the margins for its labels, in inches.

    Given, not found by matplotlib, which takes as long for that as for the drawing.
    """

    height: float
    left: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its caption; ``description`` tells in words what it shows."""

    svg: str
    caption: str
    description: str


def bars(chart_id: str, values: Sequence[tuple[str, float]], caption: str) -> Chart:
    """Horizontal bars from 0 to 100, each with its number."""

    def draw(axes: Axes) -> None:
        names = [name.replace("_", " ") for name, _ in values]
        places = range(len(values))
        axes.barh(places, [100] * len(values), height=0.55, color=TRACK)
        axes.barh(places, [value for _, value in values], height=0.55, color=ACCENT)
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        for place, (_, value) in zip(places, values, strict=True):
            axes.text(103, place, f"{value:.0f}", va="center")
        axes.set_xlim(0, 112)
        axes.set_xticks([])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)

    words = ", ".join(f"{name.replace('_', ' ')} {value:.1f}" for name, value in values)
    longest = max(len(name) for name, _ in values)
    frame = Frame(height=0.1 + 0.27 * len(values), left=0.15 + 0.085 * longest, bottom=0.05)
    return _chart(chart_id, draw, frame, caption, words)


def history(chart_id: str, points: Sequence[tuple[int, float]], caption: str) -> Chart:
    """A score from 0 to 100 over versions."""

    def draw(axes: Axes) -> None:
        versions = [version for version, _ in points]
        axes.plot(versions, [score for _, score in points], color=ACCENT, marker="o", markersize=4)
        axes.set_ylim(0, 105)
        axes.set_yticks([0, 50, 70, 90])
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.set_xticks(_some(versions))
        axes.set_xlabel("version")
        axes.set_xlim(versions[0] - 0.5, versions[-1] + 0.5)
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)

    words = ", ".join(f"version {version}: {score:.1f}" for version, score in points[-20:])
    return _chart(chart_id, draw, Frame(height=2.0, left=0.35, bottom=0.5), caption, words)


def histogram(
    chart_id: str,
    edges: Sequence[float],
    counts: Sequence[float],
    marks: Sequence[tuple[str, float]],
    caption: str,
) -> Chart:
    """A distribution of latencies, with some marked; the scale is logarithmic where it spans decades."""

    def draw(axes: Axes) -> None:
        axes.stairs(counts, edges, fill=True, color=ACCENT)
        if edges[0] > 0 and edges[-1] / edges[0] > 20:
            axes.set_xscale("log")
        top = max(counts, default=1) or 1
        for place, (name, value) in enumerate(marks):
            axes.axvline(value, color=TEXT, linewidth=0.8, linestyle=(0, (3, 2)))
            axes.text(value, top * (1.2 - 0.11 * place), f" {name}", va="top")
        axes.set_ylim(0, top * 1.22)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        axes.set_xlabel("latency, ms")

    words = ", ".join(f"{name} {value:.4g} ms" for name, value in marks)
    return _chart(chart_id, draw, Frame(height=2.0, left=0.35, bottom=0.5), caption, words)


def _some(versions: Sequence[int]) -> list[int]:
    """At most twelve of the versions, the last among them."""
    step = -(-len(versions) // 12)
    return sorted(versions[::-1][::step])


def _chart(chart_id: str, draw: Draw, frame: Frame, caption: str, description: str) -> Chart:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, frame.height))
        figure.subplots_adjust(
            left=frame.left / WIDTH,
            right=1 - 0.1 / WIDTH,
            bottom=frame.bottom / frame.height,
            top=1 - 0.05 / frame.height,
        )
        axes = figure.subplots()
        draw(axes)
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        figure.savefig(buffer, format="svg", metadata=_NO_METADATA)
    return Chart(_inline(buffer.getvalue(), chart_id, f"{caption}: {description}"), caption, description)


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
