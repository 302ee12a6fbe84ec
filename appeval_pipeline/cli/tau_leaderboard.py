"""``appeval tau leaderboard``: published rows, and one's own beside them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from appeval_pipeline.taubench.leaderboard import NoRow, OwnRow


def leaderboard(
    env: Annotated[
        Env | None,
        typer.Option(help="Only this domain.", show_default="both; results are of retail"),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(
            help="A results file to put beside them, named as its file is; may be given more than once.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The published rows, with what they leave out: standard errors, and what differences they can show.

    Beside them stand stored experiments on whole test splits, and results files: each is a row only where
    every task of the test split has all its trials, scored.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.cli.tau_tables import show_leaderboard
    from appeval_pipeline.taubench.leaderboard import PUBLISHED, NoRow, OwnRow

    rows = [row for row in PUBLISHED if env is None or row.domain == env]
    own = [*_stored_rows(env), *(_own_row(path, env or Env.RETAIL) for path in results or ())]
    ready = [row for row in own if isinstance(row, OwnRow)]
    lacking = [row for row in own if isinstance(row, NoRow)]
    if as_json:
        print_json([row.to_dict() for row in (*rows, *own)])
    else:
        show_leaderboard(rows, ready, lacking)


def _stored_rows(env: Env | None) -> Iterator[OwnRow | NoRow]:
    from appeval_pipeline.cli.tau_trials import whole_experiments
    from appeval_pipeline.taubench.leaderboard import own_row

    for stored in whole_experiments():
        domain = Env(str(stored.env))
        label = " ".join(filter(None, (stored.agent, stored.model)))
        strategy = label if label == stored.name else f"{label} ({stored.name})"
        if env in (None, domain):
            yield own_row(domain.value, strategy, stored.results, seed=stored.seed)


def _own_row(path: Path, env: Env) -> OwnRow | NoRow:
    from appeval_pipeline.cli.tau_score import split_ids
    from appeval_pipeline.taubench.leaderboard import own_row
    from appeval_pipeline.taubench.results import read_results

    return own_row(env.value, path.stem, read_results(path, split_ids(env, TaskSplit.TEST)))
