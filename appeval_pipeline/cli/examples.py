"""An example or more of every command, shown below its `--help`.

A test holds them to the commands: each command has one, and each parses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import typer
from typer.models import CommandInfo

Examples = Mapping[str, str]
"""What it does, by command line."""

FIRST_STEPS: Final[Examples] = {
    "appeval new gift_shop": "begin an app",
    "appeval check data/apps/gift_shop": "what is wrong with it, and how good it is",
    "appeval run": "evaluate all apps, and store the results",
    "appeval ui": "the same in a browser, whenever a file changes",
}

EXAMPLES: Final[Mapping[str, Examples]] = {
    "new": {
        "appeval new gift_shop": "below ./data",
        "appeval new gift_shop --dir ~/apps": "below another data directory",
    },
    "check": {
        "appeval check data/apps/paypal/v2.yaml": "one version",
        "appeval check data --min-quality 90": "all there are, against a higher bar",
        "appeval check data/apps/paypal/scenarios/edge_inputs.yaml": "the latest version, after an edit",
        "appeval check data --junit junit.xml": "with test results for CI",
    },
    "run": {
        "appeval run": "what is new or stale",
        "appeval run --app paypal --version 2 --all": "one version, in any case",
        "appeval run --strict": "exit with 1 if a check fails: for CI",
        "appeval run --json > summary.json": "for programs",
    },
    "compare": {
        "appeval compare paypal 2 3": "what version 3 breaks",
        "appeval compare paypal baseline 3 --format markdown": "the summary of a pull request",
        "appeval compare paypal 1 2 --json": "every finding, for programs",
    },
    "bench": {
        "appeval bench": "the five reference apps",
        "appeval bench paypal --json": "one of your own, for programs",
    },
    "agent": {
        "appeval agent bench_counter": "the shortest plans there are",
        "appeval agent bench_counter --agent random --trials 20": "what chance reaches",
        "appeval agent bench_counter --agent llm --model local": "a small model on this machine",
        "appeval agent bench_counter --agent llm --model openai/gpt-4o --trials 4": "with a key of yours",
        "appeval agent bench_counter --task start_over --agent my_agents:Careful": "your own, on one task",
    },
    "sql": {
        'appeval sql "show tables"': "what there is to ask",
        "appeval sql \"select * from metrics where app_id = 'paypal'\"": "every number of an app",
        'appeval sql "from latest_quality" --format csv > quality.csv': "for a spreadsheet",
    },
    "why": {
        "appeval why paypal 2 quality.overall": "down to files, code and configuration",
        "appeval why paypal 3 scenarios.passed --against baseline": "why it is not what it was in version 2",
    },
    "export": {
        "appeval export --output results": "in every format",
        "appeval export --format html --output results": "a page for people",
        "appeval export --format junit --output results": "for CI",
    },
    "schema": {
        "appeval schema task": "print one",
        "appeval schema --output data/schemas": "bring those of the editor up to date",
    },
    "ui": {"appeval ui --port 3001": "beside another one"},
    "serve": {"appeval serve --port 8001": "then look at http://127.0.0.1:8001/docs"},
    "model serve": {
        "appeval model serve": "then, elsewhere: appeval agent bench_counter --agent llm --model local"
    },
    "tau run": {
        "appeval tau run": "the oracle on all tasks of retail, without a key",
        "appeval tau run --agent noop --task-ids 0-9 --output noop.json": "what ten tasks give away",
        "appeval tau run --agent tool-calling --model openai/gpt-4o --user llm --user-model openai/gpt-4o "
        "--num-trials 4 --dry-run": "what a real experiment would take",
    },
    "tau score": {
        "appeval tau score results.json": "pass^k with intervals, faults and tasks",
        "appeval tau score results.json --env airline": "of the other domain, which must be there whole",
    },
    "tau compare": {"appeval tau compare before.json after.json": "which tasks went better or worse"},
    "tau show": {
        "appeval tau show 5": "a task, and what is known to be wrong with it",
        "appeval tau show 5 --results results.json": "a failed trial of it, step by step",
    },
    "tau leaderboard": {
        "appeval tau leaderboard --env retail": "the published rows",
        "appeval tau leaderboard --results results.json": "yours among them",
    },
    "tau evaluate": {
        "appeval tau evaluate --free": "the experiments in data/tau that need no key",
        "appeval tau evaluate oracle": "one of them",
    },
}
"""By the command's path below `appeval`."""


def add_examples(app: typer.Typer) -> None:
    """Give every command of ``app`` its examples as an epilogue."""
    app.info.epilog = epilogue(FIRST_STEPS)
    for path, command in _commands(app):
        if path in EXAMPLES:
            command.epilog = epilogue(EXAMPLES[path])


def epilogue(examples: Examples) -> str:
    """Markdown: a list with an item an example."""
    items = (f"- `{command}`: {what}" for command, what in examples.items())
    return "\n\n".join([f"Example{'' if len(examples) == 1 else 's'}:", *items])


def _commands(app: typer.Typer, before: str = "") -> Iterator[tuple[str, CommandInfo]]:
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        yield f"{before}{name}", command
    for group in app.registered_groups:
        if group.typer_instance is not None:
            yield from _commands(group.typer_instance, f"{before}{group.name} ")
