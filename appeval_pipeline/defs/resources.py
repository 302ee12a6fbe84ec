"""What assets, checks and sensors work on."""

from pathlib import Path

import dagster as dg
from pydantic import Field

from appeval_pipeline.agent_plan import DEFAULT_AGENTS, AgentPlan, parse_agent_plan
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Store, open_store
from appeval_pipeline.store_address import parse_store_address


class Workspace(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data directory and the results store.

    It holds no connection: the store is opened for the moment of a read or a write.
    """

    data_dir: str = Field(description="Directory with apps/, benchmarks/ and tau/")
    store: str = Field(description="Where the results are: a DuckDB file or a DuckLake")

    agents: str = Field(default=DEFAULT_AGENTS, description="Which agents try the tasks, and how often")
    trials_dir: str = Field(
        default=".appeval/trials", description="Where finished trials are until they are stored"
    )
    local_model_url: str | None = Field(default=None, description="Where the model `local` answers")
    costly_experiments: bool = Field(
        default=False,
        description="Whether experiments that ask a model or load a class are run by themselves",
    )

    @classmethod
    def of(cls, settings: Settings) -> "Workspace":
        """The workspace that the settings name."""
        return cls(
            data_dir=str(settings.data_dir),
            store=str(settings.store),
            agents=settings.agents,
            trials_dir=str(settings.trials_dir),
            local_model_url=settings.local_model_url,
            costly_experiments=settings.costly_experiments,
        )

    @property
    def agent_plan(self) -> AgentPlan:
        """Which agents try the tasks."""
        return parse_agent_plan(self.agents)

    @property
    def data_path(self) -> Path:
        """The data directory."""
        return Path(self.data_dir)

    @property
    def trials_path(self) -> Path:
        """Where finished trials are until they are stored."""
        return Path(self.trials_dir)

    @property
    def database(self) -> Store:
        """The results store."""
        return open_store(parse_store_address(self.store))
