"""What charts show: drawn on matplotlib's axes, in whatever colours.

matplotlib is imported when a chart is rendered: it takes half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH: Final = 4.0
"""Of every chart, in inches; pages scale them."""


_LINES: Final = ("-", "--", ":")
_MARKS: Final = ("o", "s", "^")

_DECADES: Final = 20
"""From here on a scale is logarithmic."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a chart, as matplotlib takes them."""

    text: str
    line: str
    accent: str
    track: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A chart's height and the margins for its labels, in inches.

    Given, not found by matplotlib, which takes as long for that as for the drawing.
    """

    height: float
    left: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart that is not rendered yet; ``description`` tells in words what it shows."""

    draw: Callable[[Axes, Palette], None]
    frame: Frame
    caption: str
    description: str


def bars(values: Sequence[tuple[str, float]], caption: str) -> Drawing:
    """Horizontal bars from 0 to 100, each with its number."""

    def draw(axes: Axes, palette: Palette) -> None:
        names = [name.replace("_", " ") for name, _ in values]
        places = range(len(values))
        axes.barh(places, [100] * len(values), height=0.55, color=palette.track)
        axes.barh(places, [value for _, value in values], height=0.55, color=palette.accent)
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
    return Drawing(draw, frame, caption, words)


def history(series: Sequence[tuple[str, Sequence[tuple[int, float]]]], caption: str) -> Drawing:
    """Scores from 0 to 100 over versions, each with its name; at most three, told apart by their lines."""

    def draw(axes: Axes, palette: Palette) -> None:
        colours = (palette.accent, palette.text, palette.text)
        for (name, points), colour, line, mark in zip(series, colours, _LINES, _MARKS, strict=False):
            axes.plot(
                *zip(*points, strict=True), label=name, color=colour, ls=line, marker=mark, markersize=4
            )
        versions = sorted({version for _, points in series for version, _ in points})
        axes.set_ylim(0, 105)
        axes.set_yticks([0, 50, 70, 90])
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.set_xticks(_some(versions))
        axes.set_xlabel("version")
        axes.set_xlim(versions[0] - 0.5, versions[-1] + 0.5)
        axes.tick_params(length=0)
        axes.spines["left"].set_visible(False)
        axes.legend(loc="lower right", frameon=False, fontsize=9, labelcolor=palette.text)

    words = "; ".join(
        f"{name}: {', '.join(f'version {version}: {score:.1f}' for version, score in points[-20:])}"
        for name, points in series
    )
    return Drawing(draw, Frame(height=2.3, left=0.35, bottom=0.5), caption, words)


def intervals(values: Sequence[tuple[str, float, float, float]], caption: str) -> Drawing:
    """Shares from 0 to 1, each a point with its interval: name, share, low and high."""

    def draw(axes: Axes, palette: Palette) -> None:
        places = range(len(values))
        axes.hlines(places, 0, 1, color=palette.track, linewidth=0.8)
        axes.hlines(
            places,
            [low for *_, low, _ in values],
            [high for *_, high in values],
            color=palette.accent,
            linewidth=3,
        )
        axes.plot([share for _, share, *_ in values], places, "o", color=palette.text, markersize=4)
        axes.set_yticks(places, [name.replace("_", " ") for name, *_ in values])
        axes.invert_yaxis()
        axes.set_xlim(-0.03, 1.1)
        axes.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)

    words = ", ".join(f"{name} {share:.0%} ({low:.0%} to {high:.0%})" for name, share, low, high in values)
    longest = max(len(name) for name, *_ in values)
    frame = Frame(height=0.4 + 0.27 * len(values), left=min(0.15 + 0.085 * longest, 2.6), bottom=0.3)
    return Drawing(draw, frame, caption, words)


def histogram(
    edges: Sequence[float],
    counts: Sequence[float],
    marks: Sequence[tuple[str, float]],
    caption: str,
) -> Drawing:
    """A distribution of latencies, with some marked; the scale is logarithmic where it spans decades."""

    def draw(axes: Axes, palette: Palette) -> None:
        axes.stairs(counts, edges, fill=True, color=palette.accent)
        if edges[0] > 0 and edges[-1] / edges[0] > _DECADES:
            axes.set_xscale("log")
        top = max(counts, default=1) or 1
        for place, (name, value) in enumerate(marks):
            axes.axvline(value, color=palette.text, linewidth=0.8, linestyle=(0, (3, 2)))
            axes.text(value, top * (1.2 - 0.11 * place), f" {name}", va="top")
        axes.set_ylim(0, top * 1.22)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_xticks(_spread(edges[0], edges[-1]), minor=False)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.2g}")
        axes.minorticks_off()
        axes.set_xlabel("latency, ms")

    words = ", ".join(f"{name} {value:.4g} ms" for name, value in marks)
    return Drawing(draw, Frame(height=2.0, left=0.35, bottom=0.5), caption, words)


def _spread(low: float, high: float) -> list[float]:
    """Four values from ``low`` to ``high``, by equal ratios where they span decades, else by equal steps."""
    if low > 0 and high / low > _DECADES:
        return [low * (high / low) ** (place / 3) for place in range(4)]
    return [low + (high - low) * place / 3 for place in range(4)]


def _some(versions: Sequence[int]) -> list[int]:
    """At most twelve of the versions, the last among them."""
    step = -(-len(versions) // 12)
    return sorted(versions[::-1][::step])


def style(palette: Palette) -> dict[Any, Any]:
    """The settings of matplotlib under which a chart is drawn and rendered."""
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "appeval",
        "text.parse_math": False,
        "font.size": 10.5,
        "text.color": palette.text,
        "axes.edgecolor": palette.line,
        "axes.labelcolor": palette.text,
        "xtick.color": palette.text,
        "ytick.color": palette.text,
        "grid.color": palette.line,
        "grid.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }


def figure_of(drawing: Drawing, palette: Palette) -> Figure:
    """The figure, to be rendered under the same :func:`style`; it has no ground of its own."""
    from matplotlib.figure import Figure

    frame = drawing.frame
    figure = Figure(figsize=(WIDTH, frame.height))
    figure.subplots_adjust(
        left=frame.left / WIDTH,
        right=1 - 0.1 / WIDTH,
        bottom=frame.bottom / frame.height,
        top=1 - 0.05 / frame.height,
    )
    axes = figure.subplots()
    drawing.draw(axes, palette)
    figure.patch.set_visible(False)
    axes.patch.set_visible(False)
    return figure
