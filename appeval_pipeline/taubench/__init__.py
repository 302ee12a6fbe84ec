"""tau-bench: its tasks, and an environment of our own that answers and rewards as its own does."""

from appeval_pipeline.taubench.agents import OracleTauAgent
from appeval_pipeline.taubench.domain import DOMAINS, TaskSplit, TauDomain, load_domain, load_split
from appeval_pipeline.taubench.environment import TauEnvironment
from appeval_pipeline.taubench.ground_truth import GroundTruth, TaskFlags
from appeval_pipeline.taubench.judging import FieldDifference, RecordDifference, Verdict, judge
from appeval_pipeline.taubench.source import TauSource, find_source
from appeval_pipeline.taubench.suite import TauSuite, load_suite
from appeval_pipeline.taubench.tasks import TauTask, select_tasks
from appeval_pipeline.taubench.users import ScriptedUser, User, UserReply

__all__ = [
    "DOMAINS",
    "FieldDifference",
    "GroundTruth",
    "OracleTauAgent",
    "RecordDifference",
    "ScriptedUser",
    "TaskFlags",
    "TaskSplit",
    "TauDomain",
    "TauEnvironment",
    "TauSource",
    "TauSuite",
    "TauTask",
    "User",
    "UserReply",
    "Verdict",
    "find_source",
    "judge",
    "load_domain",
    "load_split",
    "load_suite",
    "select_tasks",
]
