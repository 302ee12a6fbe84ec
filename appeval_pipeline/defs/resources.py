"""What assets, checks and sensors work on."""

from pathlib import Path

import dagster as dg
from pydantic import Field

from appeval_pipeline.store import Store, open_store
from appeval_pipeline.store_address import parse_store_address


class Workspace(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The data directory and the results store.

    It holds no connection: the store is opened for the moment of a read or a write.
    """

    data_dir: str = Field(description="Directory with apps/ and benchmarks/")
    store: str = Field(description="Where the results are: a DuckDB file or a DuckLake")

    @property
    def data_path(self) -> Path:
        """The data directory."""
        return Path(self.data_dir)

    @property
    def database(self) -> Store:
        """The results store."""
        return open_store(parse_store_address(self.store))
