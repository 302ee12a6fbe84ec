"""``appeval agent``: how an agent gets on with an app's tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.completion import complete_app
from appeval_pipeline.cli.exits import INFRASTRUCTURE

if TYPE_CHECKING:
    from appeval_pipeline.appdef import AppDefinition
    from appeval_pipeline.cli.agent_progress import TrialProgress
    from appeval_pipeline.evaluation import AgentEvaluation, EvaluationTask
    from appeval_pipeline.evaluation.agents import EvaluationPlan, NamedAgent, TaskEvaluator
    from appeval_pipeline.settings import Settings

_PANEL = "A language model"


class ModelMode(StrEnum):
    """How a model is asked for an action."""

    TOOLS = "tools"
    SCHEMA = "schema"


def agent(
    app: Annotated[
        str,
        typer.Argument(
            help="The app; its latest version is used.", metavar="APP", autocompletion=complete_app
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            "--agent",
            help="noop, random, oracle, llm, fastworkflow, replay:FILE, or module:Class for one of your own.",
        ),
    ] = "oracle",
    task: Annotated[
        str | None, typer.Option(help="Only the task of this name, or in the file of this name.")
    ] = None,
    trials: Annotated[int, typer.Option(help="How often each task is tried.", min=1, max=1000)] = 1,
    seed: Annotated[int, typer.Option(help="Decides whatever is left to chance.")] = 0,
    max_concurrency: Annotated[
        int, typer.Option(help="Trials of a task at the same time.", min=1, max=100)
    ] = 1,
    max_time_s: Annotated[float, typer.Option(help="Seconds that one trial may take.", min=0.1)] = 600.0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do again what an interrupted evaluation had finished.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="The model of the agent llm or fastworkflow, as litellm names it, such as openai/gpt-4o; "
            "local: a small one on this machine, for llm.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    api_base: Annotated[
        str | None,
        typer.Option(
            help="Address of a service of your own that speaks OpenAI's protocol.", rich_help_panel=_PANEL
        ),
    ] = None,
    mode: Annotated[
        ModelMode | None,
        typer.Option(
            help="tools: the model calls tools; schema: it writes JSON of a given schema.",
            show_default="tools; schema for the local model",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    temperature: Annotated[
        float, typer.Option(help="0 to repeat itself as far as the model can.", rich_help_panel=_PANEL, min=0)
    ] = 0.0,
    max_tokens: Annotated[
        int | None, typer.Option(help="Tokens that one trial may take.", rich_help_panel=_PANEL, min=1)
    ] = None,
    max_cost_usd: Annotated[
        float | None, typer.Option(help="Dollars that one trial may cost.", rich_help_panel=_PANEL, min=0)
    ] = None,
    max_invalid_actions: Annotated[
        int,
        typer.Option(
            help="How often in a row the model is told that an answer was no action.",
            rich_help_panel=_PANEL,
            min=0,
        ),
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every step.")] = False,
) -> None:
    """Let an agent try the tasks of an app, and show how it gets on; stores no result.

    The oracle carries out the shortest plan that a search finds: no agent can do better. If the command is
    interrupted, the same command goes on where it was. Exits with 3 if a trial broke down through no fault
    of the agent's: its model could not be reached, say.
    """
    from appeval_pipeline.agents import Limits
    from appeval_pipeline.appdef.catalogue import load_version
    from appeval_pipeline.cli.interrupting import resumable
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.evaluation.agents import EvaluationPlan
    from appeval_pipeline.evaluation.suite import find_tasks, latest_versions
    from appeval_pipeline.settings import load_settings

    settings = load_settings()
    (entry,) = latest_versions(settings.data_dir, [app])
    definition = load_version(settings.data_dir, entry).app
    tasks = find_tasks(settings.data_dir, entry, task)
    limits = Limits(
        max_invalid_actions=max_invalid_actions,
        max_tokens=max_tokens,
        max_cost_usd=max_cost_usd,
        max_time_s=max_time_s,
    )
    plan = EvaluationPlan(seed=seed, limits=limits, max_concurrency=max_concurrency)
    with resumable(), _named(name, _Model(model, api_base, mode, temperature), settings) as found:
        evaluations = _Evaluating(settings, found, trials, fresh).evaluate(definition, tasks, plan)
    if as_json:
        print_json([evaluation.to_dict() for evaluation in evaluations])
    else:
        from appeval_pipeline.cli.agent_tables import show

        show(f"{entry.partition_key}, agent {found.name}, trials a task: {trials}", evaluations)
    if max_cost_usd is not None and any(evaluation.usage.cost_usd is None for evaluation in evaluations):
        typer.echo(
            "The price of the model is not known, so that --max-cost-usd limited nothing: --max-tokens does",
            err=True,
        )
    if any(evaluation.infra_errors for evaluation in evaluations):
        raise typer.Exit(INFRASTRUCTURE)


@dataclass(frozen=True, slots=True)
class _Model:
    """What the command line says of the model."""

    name: str | None
    api_base: str | None
    mode: ModelMode | None
    temperature: float


@contextmanager
def _named(name: str, model: _Model, settings: Settings) -> Iterator[NamedAgent]:
    """The agent of this name; the local model answers as long as the context lasts."""
    from appeval_pipeline.agents.models import ModelSettings
    from appeval_pipeline.errors import SettingsError
    from appeval_pipeline.evaluation.agents import ModelOptions, find_agent
    from appeval_pipeline.evaluation.agents.local import LOCAL_AGENT, find_local_agent
    from appeval_pipeline.evaluation.agents.naming import ASKING_AGENTS, LLM
    from appeval_pipeline.local_model import LOCAL_MODEL, reachable_or_serving

    if name == LOCAL_AGENT or (name == "llm" and model.name == LOCAL_MODEL):
        with reachable_or_serving(settings.local_model_url) as url:
            yield find_local_agent(url)
        return
    kind, _, named = name.partition(":")
    if kind not in ASKING_AGENTS and (model.name or model.api_base or model.mode):
        raise SettingsError(f"--model, --api-base and --mode are for the agent llm; the agent is {name}")
    if kind != LLM and model.mode:
        raise SettingsError(f"--mode is for the agent llm; the agent is {name}")
    if named and model.name:
        raise SettingsError(f"The model is named twice: {named} and {model.name}")
    chosen = None
    if kind in ASKING_AGENTS and (asked := named or model.name):
        chosen = ModelSettings(asked, api_base=model.api_base, temperature=model.temperature)
    yield find_agent(name, ModelOptions(chosen, (model.mode or ModelMode.TOOLS).value))


@dataclass(frozen=True, slots=True)
class _Evaluating:
    """One agent, task after task, each with a journal."""

    settings: Settings
    agent: NamedAgent
    trials: int
    fresh: bool

    def evaluate(
        self, app: AppDefinition, tasks: Sequence[EvaluationTask], plan: EvaluationPlan
    ) -> list[AgentEvaluation]:
        from appeval_pipeline.cli.agent_progress import TrialProgress
        from appeval_pipeline.cli.rendering import console
        from appeval_pipeline.engine import Engine
        from appeval_pipeline.evaluation.agents import TaskEvaluator

        engine = Engine(app)
        with TrialProgress(console(stderr=True), len(tasks) * self.trials) as progress:
            return [self._evaluate(TaskEvaluator(engine, task, plan), task, progress) for task in tasks]

    def _evaluate(
        self, evaluator: TaskEvaluator, task: EvaluationTask, progress: TrialProgress
    ) -> AgentEvaluation:
        from appeval_pipeline.agents.journal import Journal

        with Journal(self.settings.trials_dir, evaluator.configuration(dict(self.agent.identity))) as journal:
            if self.fresh:
                journal.clear()
            progress.begin(task.name, len(journal.done()))
            evaluation = asyncio.run(
                evaluator.evaluate(self.agent.choice, self.trials, journal, progress.advance)
            )
            if not evaluation.infra_errors:
                journal.discard()
        # By the name that was asked for, whatever one's own class calls itself.
        return replace(evaluation, agent_id=self.agent.name)
