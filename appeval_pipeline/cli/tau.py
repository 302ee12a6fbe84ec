"""``appeval tau``: how agents do on tau-bench, and how sure that is."""

from __future__ import annotations

import typer

from appeval_pipeline.cli.tau_compare import compare
from appeval_pipeline.cli.tau_evaluate import evaluate
from appeval_pipeline.cli.tau_leaderboard import leaderboard
from appeval_pipeline.cli.tau_run import run
from appeval_pipeline.cli.tau_score import score
from appeval_pipeline.cli.tau_show import show

tau = typer.Typer(no_args_is_help=True, help="tau-bench: how agents do on it, and how sure that is.")
for command in (run, score, compare, show, leaderboard, evaluate):
    tau.command()(command)
