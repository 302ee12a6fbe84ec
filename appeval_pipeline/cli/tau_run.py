"""``appeval tau run``: an agent on the tasks of tau-bench."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from appeval_pipeline.cli.exits import INFRASTRUCTURE
from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from appeval_pipeline.agents.journal import Journal
    from appeval_pipeline.taubench.experiments import ExperimentSettings, PreparedExperiment
    from appeval_pipeline.taubench.results import TauResult

_AGENT = "The agent's model"
_USER = "The simulated user's model"


def run(
    agent: Annotated[
        str,
        typer.Option(
            help="oracle, noop; tool-calling, schema, react, act, fastworkflow, fastworkflow-retail: ask a "
            "model; or module:Class, your own."
        ),
    ] = "oracle",
    model: Annotated[
        str | None,
        typer.Option(help="As litellm names it, such as openai/gpt-4o.", rich_help_panel=_AGENT),
    ] = None,
    provider: Annotated[
        str | None, typer.Option(help="Where the name does not tell.", rich_help_panel=_AGENT)
    ] = None,
    api_base: Annotated[
        str | None,
        typer.Option(help="Address of a service that speaks OpenAI's protocol.", rich_help_panel=_AGENT),
    ] = None,
    temperature: Annotated[
        float, typer.Option(help="0 to repeat itself as far as it can.", min=0, rich_help_panel=_AGENT)
    ] = 0.0,
    use_reasoning: Annotated[
        bool,
        typer.Option(
            "--use-reasoning/--no-use-reasoning",
            help="Whether it is to reason first: if not, react is act, and no tool think is offered.",
            rich_help_panel=_AGENT,
        ),
    ] = True,
    user: Annotated[
        str,
        typer.Option(
            help="scripted, which takes what comes; llm, react, verify, reflection: a model plays it."
        ),
    ] = "scripted",
    user_model: Annotated[str | None, typer.Option(help="As --model.", rich_help_panel=_USER)] = None,
    user_provider: Annotated[str | None, typer.Option(help="As --provider.", rich_help_panel=_USER)] = None,
    user_api_base: Annotated[str | None, typer.Option(help="As --api-base.", rich_help_panel=_USER)] = None,
    env: Annotated[Env, typer.Option(help="The domain.")] = Env.RETAIL,
    task_split: Annotated[TaskSplit, typer.Option(help="Which of its tasks.")] = TaskSplit.TEST,
    task_ids: Annotated[
        str | None, typer.Option(help="Only these: 1,2,3 or 0-9, both ends included.", show_default="all")
    ] = None,
    num_trials: Annotated[int, typer.Option(help="How often each task is tried.", min=1, max=100)] = 1,
    max_steps: Annotated[int, typer.Option(help="Steps of a trial; one that needs more fails.", min=1)] = 30,
    max_invalid_actions: Annotated[
        int, typer.Option(help="How often in a row an agent is told that it said no action.", min=0)
    ] = 0,
    max_concurrency: Annotated[int, typer.Option(help="Trials at the same time.", min=1, max=1000)] = 10,
    max_time_s: Annotated[float, typer.Option(help="Seconds that one trial may take.", min=0.1)] = 600.0,
    max_cost_usd: Annotated[
        float | None,
        typer.Option(help="Dollars after which no trial begins, agent and user together.", min=0),
    ] = None,
    seed: Annotated[int, typer.Option(help="Each trial's own seed follows from it.", min=0)] = 0,
    reference_env: Annotated[
        bool, typer.Option("--reference-env", help="Run in tau-bench's own environment; slow.")
    ] = False,
    clear_cache: Annotated[
        bool, typer.Option("--clear-cache", help="Do finished trials of the same experiment again.")
    ] = False,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Try again what broke down by no fault of the agent's."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would run, and at what cost.")] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the results to this file, in tau-bench's form.")
    ] = None,
    all_tasks: Annotated[
        bool, typer.Option("--tasks", help="Show all tasks, not only those that failed most.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the score as JSON.")] = False,
) -> None:
    """Let an agent try tasks of tau-bench, and score it: pass^1 to pass^4 with intervals.

    Each trial is kept when it ends: the same command goes on where it was, and more trials or tasks are
    added to those that there are. Exits with 3 if trials broke down and are left, or were not begun.
    """
    from appeval_pipeline.agents.journal import Journal
    from appeval_pipeline.cli.interrupting import resumable
    from appeval_pipeline.cli.tau_outputs import refuse_unwritable
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.taubench.experiments import prepare
    from appeval_pipeline.taubench.results import write_results

    settings = _settings(
        agent=agent,
        model=model,
        provider=provider,
        api_base=api_base,
        temperature=temperature,
        use_reasoning=use_reasoning,
        user=user,
        user_model=user_model,
        user_provider=user_provider,
        user_api_base=user_api_base,
        env=env.value,
        task_split=task_split.value,
        task_ids=task_ids,
        num_trials=num_trials,
        max_steps=max_steps,
        max_invalid_actions=max_invalid_actions,
        max_concurrency=max_concurrency,
        max_time_s=max_time_s,
        max_cost_usd=max_cost_usd,
        seed=seed,
        reference_env=reference_env,
    )
    refuse_unwritable("--output", output)
    own = load_settings()
    with resumable(), _local_model(settings, own.local_model_url) as local_url:
        prepared = prepare(settings, local_url)
        _announce(prepared)
        journal = Journal(own.trials_dir / "tau", prepared.configuration())
        if dry_run:
            _tell_plan(prepared, journal, clear_cache, retry_errors)
            return
        results = _run(prepared, journal, clear_cache, retry_errors)
    if output is not None:
        write_results(output, results)
        typer.echo(f"Results: {output}", err=True)
    _tell_budget(prepared, results)
    if not _show(prepared, results, all_tasks=all_tasks, as_json=as_json):
        raise typer.Exit(INFRASTRUCTURE)


def _settings(**options: Any) -> ExperimentSettings:
    from pydantic import ValidationError

    from appeval_pipeline.errors import SettingsError
    from appeval_pipeline.taubench.experiments import ExperimentSettings

    try:
        return ExperimentSettings(**options)
    except ValidationError as error:
        told = [
            f"--{str(fault['loc'][0]).replace('_', '-')}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsError("; ".join(told)) from None


@contextmanager
def _local_model(settings: ExperimentSettings, url: str | None) -> Iterator[str | None]:
    """Where the model on this machine answers, if it is asked; one is started if need be."""
    from appeval_pipeline.local_model import reachable_or_serving

    if settings.asks_local_agent or settings.asks_local_user:
        with reachable_or_serving(url) as found:
            yield found
    else:
        yield None


def _announce(prepared: PreparedExperiment) -> None:
    suite, settings = prepared.suite, prepared.settings
    source = suite.domain.source
    tasks = len(prepared.tasks)
    typer.echo(
        f"{prepared.agent.name} with user {prepared.user.name} on {tasks} tasks of {suite.domain.name}, "
        f"split {suite.split.name} ({source.package} {source.version}, tasks {suite.split.sha256[:12]}): "
        f"{tasks * settings.num_trials} trials, up to {settings.max_steps} steps each",
        err=True,
    )
    for fault in suite.split.faults:
        typer.echo(f"left out: {fault}", err=True)


def _tell_plan(prepared: PreparedExperiment, journal: Journal, clear_cache: bool, retry_errors: bool) -> None:
    """What would run, and what it may cost; nothing is written."""
    from appeval_pipeline.taubench.estimating import estimate_cost

    finished = {}
    if journal.path.exists():
        with journal:
            finished = dict(journal.finished)
    if clear_cache:
        finished = {}
    typer.echo(str(estimate_cost(prepared, finished, retry_errors=retry_errors)), err=True)


def _run(
    prepared: PreparedExperiment, journal: Journal, clear_cache: bool, retry_errors: bool
) -> tuple[TauResult, ...]:
    from appeval_pipeline.cli.agent_progress import TrialProgress
    from appeval_pipeline.cli.rendering import console
    from appeval_pipeline.cli.tau_progress import Tally

    wanted = {
        (str(task.id), trial) for task in prepared.tasks for trial in range(prepared.settings.num_trials)
    }
    with journal, TrialProgress(console(stderr=True), len(wanted)) as progress:
        if clear_cache:
            journal.clear()
        there = sum((key.task, key.trial) in wanted for key in journal.finished)
        if there:
            typer.echo(f"{there} trials had finished before; --clear-cache does them again", err=True)
        tally = Tally()

        def tell(result: TauResult) -> None:
            tally.add(result)
            progress.begin(str(tally), 0)
            progress.advance()

        running = prepared.evaluator().run(prepared.tasks, journal, retry_errors=retry_errors, tell=tell)
        return asyncio.run(running)


def _tell_budget(prepared: PreparedExperiment, results: Sequence[TauResult]) -> None:
    limit = prepared.settings.max_cost_usd
    if limit is None:
        return
    missing = len(prepared.tasks) * prepared.settings.num_trials - len(results)
    if missing:
        typer.echo(
            f"{missing} trials were not begun: those before cost ${limit:g} or more (--max-cost-usd); with a "
            "higher limit the same command goes on",
            err=True,
        )
    for side in ("agent", "user"):
        if any(getattr(result, side).cost_usd is None for result in results):
            typer.echo(
                f"The price of the {side}'s model is not known: --max-cost-usd did not limit it", err=True
            )


def _show(
    prepared: PreparedExperiment, results: Sequence[TauResult], *, all_tasks: bool, as_json: bool
) -> bool:
    """Print the score; whether all trials are there and none broke down."""
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.cli.tau_breakdown import show_breakdown
    from appeval_pipeline.cli.tau_tables import show_score
    from appeval_pipeline.taubench.breakdown import break_down
    from appeval_pipeline.taubench.explaining import explainer_of_suite
    from appeval_pipeline.taubench.flagging import without_flagged
    from appeval_pipeline.taubench.scoring import score

    settings = prepared.settings
    if not results:
        return False
    made = score(results, task_ids=[task.id for task in prepared.tasks], seed=settings.seed)
    agent, user = prepared.agent.name, prepared.user.name
    breakdown = break_down(results, explainer_of_suite(prepared.suite))
    flagged = tuple(without_flagged(prepared.suite, prepared.tasks, results, seed=settings.seed))
    if as_json:
        parts = {
            "without_flagged": [one.to_dict() for one in flagged],
            "breakdown": breakdown.to_dict(),
        }
        print_json({"agent": agent, "user": user, **made.to_dict(), **parts})
    else:
        show_score(f"{agent}, user {user}, {settings.env} {settings.task_split}", made)
        for one in flagged:
            typer.echo(one)
        show_breakdown(breakdown, all_tasks=all_tasks)
    complete = len(results) == len(prepared.tasks) * settings.num_trials
    return complete and not made.infra_error_count
