"""``appeval agent`` on a small app."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Appeval, StartAppeval

TASK = """\
name: Twice
description: Bring the total to 2.
app_id: tally
agent: alice
goal_condition: shared.total == 2
max_steps: 5
candidate_values: {amount: [1, 2]}
"""


def write_task(data: Path, text: str = TASK) -> None:
    folder = data / "apps" / "tally" / "tasks"
    folder.mkdir(exist_ok=True)
    (folder / "twice.yaml").write_text(text)


def test_the_oracle_is_shown_with_the_fewest_actions(appeval: Appeval, data: Path) -> None:
    write_task(data)
    result = appeval("agent", "tally", "--agent", "oracle", "--trials", "2")
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["Twice", "100%", "34%–100%", "1.0", "1", "1.00", "1.00", "0", "0"] in rows


def test_json_has_every_step(appeval: Appeval, data: Path) -> None:
    write_task(data)
    (evaluation,) = json.loads(appeval("agent", "tally", "--json").stdout)
    (step,) = evaluation["trials"][0]["trajectory"]["steps"]
    assert step["action"]["arguments"] == {"amount": 2}
    assert evaluation["optimal_actions"] == 1


def test_what_one_agent_did_another_repeats(appeval: Appeval, data: Path, tmp_path: Path) -> None:
    write_task(data)
    (evaluation,) = json.loads(appeval("agent", "tally", "--json").stdout)
    (tmp_path / "trial.json").write_text(json.dumps(evaluation["trials"][0]["trajectory"]))
    (again,) = json.loads(appeval("agent", "tally", "--agent", "replay:trial.json", "--json").stdout)
    assert again["agent_id"] == "replay:trial.json"
    assert (again["goal_rate"]["value"], again["efficiency_ratio"]) == (1, 1)
    missing = appeval("agent", "tally", "--agent", "replay:nothing.json")
    assert (missing.returncode, "nothing.json cannot be read" in missing.stderr) == (2, True)


def test_what_cannot_be_used_is_an_error(appeval: Appeval, data: Path) -> None:
    assert "no task for tally@1; tasks: none" in appeval("agent", "tally").stderr
    write_task(data, TASK.replace("total == 2", "totals >"))
    broken = appeval("agent", "tally")
    assert (broken.returncode, "twice.yaml" in broken.stderr) == (2, True)
    write_task(data)
    unknown = appeval("agent", "tally", "--agent", "chess")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "expected noop, random, oracle, llm, fastworkflow, replay:FILE, or module:Class" in unknown.stderr
    without_model = appeval("agent", "tally", "--agent", "llm")
    assert (without_model.returncode, "asks a model: say which" in without_model.stderr) == (2, True)
    superfluous = appeval("agent", "tally", "--model", "openai/gpt-4o")
    assert (superfluous.returncode, "are for the agent llm" in superfluous.stderr) == (2, True)
    twice = appeval("agent", "tally", "--agent", "llm:openai/gpt-4o", "--model", "openai/gpt-4o-mini")
    assert (twice.returncode, "named twice" in twice.stderr) == (2, True)


def test_a_model_in_the_agents_name_is_asked_where_the_options_say(appeval: Appeval, data: Path) -> None:
    write_task(data)
    # A service of one's own needs no key; without the address, the key of OpenAI would be missed.
    result = appeval(
        *("agent", "tally", "--agent", "llm:openai/any", "--api-base", "http://127.0.0.1:9/v1"),
        *("--max-time-s", "0.2"),
        OPENAI_API_KEY="",
    )
    assert "llm:openai/any" in result.stdout, result.stderr


OWN_AGENTS = """\
from appeval_pipeline.agents import NoopAgent


class Demanding(NoopAgent):
    def __init__(self, model):
        self.model = model


class Nameless:
    async def start(self, briefing, seed): ...
    async def act(self, history): ...
"""


def test_what_is_wrong_with_an_agent_of_ones_own_is_told(
    appeval: Appeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "own_agents.py").write_text(OWN_AGENTS)
    (tmp_path / "unfinished.py").write_text("class Agent(")
    for name, told in {
        "own_agents:Demanding": "cannot be made",
        "own_agents:Nameless": "it needs a name, and the methods start and act",
        "unfinished:Agent": "cannot be loaded: '(' was never closed",
    }.items():
        result = appeval("agent", "tally", "--agent", name, PYTHONPATH=str(tmp_path))
        assert (result.returncode, told in result.stderr) == (2, True), result.stderr
        assert "Traceback" not in result.stderr


SLOW_AGENT = """\
import asyncio
from pathlib import Path

from appeval_pipeline.agents import RandomAgent


class Slow(RandomAgent):
    async def start(self, briefing, seed):
        with Path("episodes").open("a") as file:
            file.write(f"{seed} ")
        if seed == 3 and not Path("killed").exists():
            print("third", flush=True)
            await asyncio.sleep(600)
        await super().start(briefing, seed)
"""


def test_a_killed_evaluation_goes_on_where_it_was(
    appeval: Appeval, start_appeval: StartAppeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "slow_agent.py").write_text(SLOW_AGENT)
    command = ("agent", "tally", "--agent", "slow_agent:Slow", "--trials", "5", "--json")
    process = start_appeval(*command, PYTHONPATH=str(tmp_path))
    assert process.stdout is not None
    assert process.stdout.readline() == "third\n"
    process.kill()
    process.wait()
    (tmp_path / "killed").touch()
    resumed = appeval(*command, PYTHONPATH=str(tmp_path))
    assert resumed.returncode == 0, resumed.stderr
    assert "going on after 3 trials of an interrupted evaluation" in resumed.stderr
    assert (tmp_path / "episodes").read_text().split() == ["0", "1", "2", "3", "3", "4"]
    (evaluation,) = json.loads(resumed.stdout)
    assert [trial["seed"] for trial in evaluation["trials"]] == [0, 1, 2, 3, 4]
    assert evaluation["agent_id"] == "slow_agent:Slow"
    again = appeval(*command, PYTHONPATH=str(tmp_path))
    assert "going on" not in again.stderr


def test_who_could_not_be_asked_is_asked_again_by_the_next_run(
    appeval: Appeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    extra = {"PYTHONPATH": str(tmp_path), "APPEVAL_AGENTS": "oracle, late_agent:Late*2"}
    first = appeval("run", "--app", "tally", **extra)
    assert first.returncode == 1
    assert "late_agent:Late, Twice: The agent 'late_agent:Late' cannot be loaded" in first.stderr
    assert "Traceback" not in first.stderr
    (tmp_path / "late_agent.py").write_text(
        "from appeval_pipeline.agents import NoopAgent\n\n\nclass Late(NoopAgent):\n    pass\n"
    )
    second = appeval("run", "--app", "tally", "--json", **extra)
    assert second.returncode == 0, second.stderr
    (version,) = json.loads(second.stdout)["versions"]
    assert version["reasons"] == ["agent_evaluations: some agents could not be asked"]
    assert json.loads(appeval("run", "--app", "tally", "--json", **extra).stdout)["evaluated_count"] == 0


def test_what_breaks_down_is_told_and_left_out(
    appeval: Appeval, appeval_process: Appeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "broken_agent.py").write_text(
        SLOW_AGENT.replace("await super()", "raise ConnectionError('the wire is cut')\n        await super()")
    )
    # Only a process of its own shows what is logged, as pytest takes it here.
    result = appeval_process("agent", "tally", "--agent", "broken_agent:Slow", PYTHONPATH=str(tmp_path))
    assert result.returncode == 3
    assert "1 trial broke down: ConnectionError: the wire is cut" in result.stdout
    assert "Traceback" not in result.stderr
    again = appeval("agent", "tally", "--agent", "broken_agent:Slow", PYTHONPATH=str(tmp_path))
    assert (again.returncode, "going on" in again.stderr) == (3, False)


PRICELESS_AGENT = """\
from appeval_pipeline.agents import Stop, Turn, Usage


class Priceless:
    name = "priceless"

    async def start(self, briefing, seed):
        pass

    async def act(self, history):
        return Turn(Stop(), Usage(10, 1, None))
"""


def test_a_limit_on_an_unknown_cost_is_told_to_be_none(appeval: Appeval, data: Path, tmp_path: Path) -> None:
    write_task(data)
    (tmp_path / "priceless_agent.py").write_text(PRICELESS_AGENT)
    command = ("agent", "tally", "--agent", "priceless_agent:Priceless")
    limited = appeval(*command, "--max-cost-usd", "1", PYTHONPATH=str(tmp_path))
    assert limited.returncode == 0, limited.stderr
    assert "--max-cost-usd limited nothing" in limited.stderr
    assert "cost: at unknown prices" in limited.stdout
    assert "limited nothing" not in appeval(*command, PYTHONPATH=str(tmp_path)).stderr
