"""The assets of tau-bench experiments, upstream first."""

from appeval_pipeline.defs.tau_leaderboard import tau_leaderboard
from appeval_pipeline.defs.tau_metrics import tau_metrics
from appeval_pipeline.defs.tau_tasks import tau_tasks
from appeval_pipeline.defs.tau_trials import tau_trials

tau_assets = [tau_tasks, tau_trials, tau_metrics, tau_leaderboard]
