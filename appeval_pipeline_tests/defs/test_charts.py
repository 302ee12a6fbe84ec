"""Which partitions of a large step get a chart, and what the one of agents says."""

import base64

from appeval_pipeline.defs.charts import MOST_CHARTS, chart_metadata, charted_partitions
from appeval_pipeline.store import charts
from appeval_pipeline.store.rows import PartitionResult
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.agent_samples import agents, evaluated


def results(*sizes: tuple[str, int]) -> list[PartitionResult]:
    return [
        PartitionResult(app_id, version, (), ())
        for app_id, versions in sizes
        for version in range(1, versions + 1)
    ]


def test_few_partitions_have_a_chart_each() -> None:
    assert charted_partitions(results(("paypal", 3), ("wallet", 1))) == {
        "paypal@1",
        "paypal@2",
        "paypal@3",
        "wallet@1",
    }


def test_of_many_the_latest_of_each_app_and_then_the_latest_have_one() -> None:
    charted = charted_partitions(results(("paypal", 100), ("wallet", 100)))
    assert charted == {"paypal@100", *(f"wallet@{version}" for version in range(82, 101))}
    assert len(charted) == MOST_CHARTS


def test_agents_have_a_chart_where_one_of_them_tried_something() -> None:
    nobody = {"status": "error", "goal_rate": None, "goal_rate_low": None, "goal_rate_high": None}
    upstream = samples.definition()
    assert chart_metadata(agents(upstream)) == {}
    assert chart_metadata(agents(upstream, evaluated("pay", "llm:a", **nobody))) == {}
    tried = agents(upstream, evaluated("pay", "oracle"), evaluated("pay", "llm:a", **nobody))
    (picture,) = chart_metadata(tried).values()
    text = str(getattr(picture, "value", picture))
    _, _, data = text.partition("base64,")
    assert base64.b64decode(data.split(")")[0]).startswith(b"\x89PNG")


def test_the_chart_of_shares_says_its_numbers_in_words() -> None:
    rates = [("pay, oracle", 1.0, 0.25, 1.0), ("pay, noop", 0.0, 0.0, 0.75)]
    assert charts.intervals(rates, "Goals reached").description == (
        "pay, oracle 100% (25% to 100%), pay, noop 0% (0% to 75%)"
    )
