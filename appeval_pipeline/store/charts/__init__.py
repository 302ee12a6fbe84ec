"""Charts of results, by matplotlib: as SVG in the report, as PNG in the Dagster UI."""

from appeval_pipeline.store.charts.drawing import Drawing, bars, histogram, history, intervals
from appeval_pipeline.store.charts.png import png
from appeval_pipeline.store.charts.svg import Chart, inline_svg

__all__ = ["Chart", "Drawing", "bars", "histogram", "history", "inline_svg", "intervals", "png"]
