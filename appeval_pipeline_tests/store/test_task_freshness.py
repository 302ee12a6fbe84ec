"""What makes the results of agents stale, and nothing but them."""

from pathlib import Path

import pytest

from appeval_pipeline.agent_plan import AgentPlan, parse_agent_plan
from appeval_pipeline.store import Store, query
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate, needs_of, plan_of

AGENTS = ("agent_evaluations",)
PLAN = parse_agent_plan("oracle, noop")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    catalogues.add_version(data, version=1)
    catalogues.add_scenario(data)
    catalogues.add_task(data)
    return data


@pytest.fixture
def evaluated(data_dir: Path, database: Store) -> Store:
    assert evaluate(data_dir, database, agents=PLAN) == {"counter@1": APP_ASSETS}
    assert needs_of(data_dir, database, PLAN) == {}
    return database


def reasons(data_dir: Path, database: Store, agents: AgentPlan = PLAN) -> dict[str, tuple[str, ...]]:
    return {need.partition_key: need.reasons for need in plan_of(data_dir, database, agents).needs}


def change(data_dir: Path) -> None:
    catalogues.add_task(data_dir, goal="shared.count == 2")


def add(data_dir: Path) -> None:
    catalogues.add_task(data_dir, file="two.yaml", name="Two", goal="shared.count == 2")


def remove(data_dir: Path) -> None:
    (data_dir / "apps/counter/tasks/three.yaml").unlink()


def break_it(data_dir: Path) -> None:
    catalogues.write(data_dir / "apps/counter/tasks/three.yaml", "name: Broken\n")


@pytest.mark.parametrize("edit", [change, add, remove, break_it])
def test_other_tasks_make_the_agents_results_stale_and_nothing_else(
    data_dir: Path,
    evaluated: Store,
    edit,  # type: ignore[no-untyped-def]
) -> None:
    edit(data_dir)
    assert reasons(data_dir, evaluated) == {
        "counter@1": ("agent_evaluations: its tasks changed",),
    }
    (need,) = plan_of(data_dir, evaluated, PLAN).needs
    assert need.causes == (Cause.FILES,)
    assert evaluate(data_dir, evaluated, agents=PLAN) == {"counter@1": AGENTS}
    assert needs_of(data_dir, evaluated, PLAN) == {}


def test_a_comment_or_another_layout_changes_nothing(data_dir: Path, evaluated: Store) -> None:
    catalogues.add_task(data_dir, extra="# A comment.\n")
    assert needs_of(data_dir, evaluated, PLAN) == {}
    path = data_dir / "apps/counter/tasks/three.yaml"
    path.write_text(path.read_text().replace("agent: alice", "agent: {id: alice}"))
    assert needs_of(data_dir, evaluated, PLAN) == {}


@pytest.mark.parametrize("agents", ["oracle", "noop, oracle", "oracle, noop*2", "oracle, noop, random*2"])
def test_other_agents_make_the_results_stale(data_dir: Path, evaluated: Store, agents: str) -> None:
    other = parse_agent_plan(agents)
    assert reasons(data_dir, evaluated, other) == {
        "counter@1": ("agent_evaluations: its configuration changed: agents.plan",)
    }
    assert evaluate(data_dir, evaluated, agents=other) == {"counter@1": AGENTS}
    rows = query(evaluated, "SELECT agent, count(*) FROM agent_trials GROUP BY ALL ORDER BY agent").rows
    assert dict(rows) == {agent.name: agent.trials for agent in other.agents}  # type: ignore[arg-type]
    assert needs_of(data_dir, evaluated, other) == {}


def test_a_task_concerns_the_versions_that_it_applies_to(data_dir: Path, evaluated: Store) -> None:
    catalogues.add_version(data_dir, version=2)
    evaluate(data_dir, evaluated, agents=PLAN)
    catalogues.add_task(data_dir, file="later.yaml", name="Later", extra='applies_to: ">=2"\n')
    assert evaluate(data_dir, evaluated, agents=PLAN) == {"counter@2": AGENTS}
    rows = query(evaluated, "SELECT DISTINCT version, task FROM agent_evaluations ORDER BY ALL").rows
    assert rows == ((1, "Three"), (2, "Later"), (2, "Three"))


def test_scenarios_do_not_concern_agents(data_dir: Path, evaluated: Store) -> None:
    catalogues.add_scenario(data_dir, count=7)
    assert "agent_evaluations" not in evaluate(data_dir, evaluated, agents=PLAN)["counter@1"]


def test_evaluating_again_gives_the_same_data_version(data_dir: Path, evaluated: Store) -> None:
    sql = "SELECT DISTINCT data_version FROM lineage WHERE asset_key = 'agent_evaluations'"
    before = query(evaluated, sql).rows
    change(data_dir)
    evaluate(data_dir, evaluated, run_id="run-2", agents=PLAN)
    assert query(evaluated, sql).rows != before
    catalogues.add_task(data_dir)
    evaluate(data_dir, evaluated, run_id="run-3", agents=PLAN)
    assert query(evaluated, sql).rows == before


def test_a_version_without_tasks_is_evaluated_once(data_dir: Path, evaluated: Store) -> None:
    remove(data_dir)
    evaluate(data_dir, evaluated, agents=PLAN)
    assert query(evaluated, "SELECT count(*) FROM agent_evaluations").rows == ((0,),)
    assert needs_of(data_dir, evaluated, PLAN) == {}
