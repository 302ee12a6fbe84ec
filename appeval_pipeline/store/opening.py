"""The store that an address names."""

from __future__ import annotations

from pathlib import Path

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.database import Database
from appeval_pipeline.store_address import StoreAddress


def open_store(address: StoreAddress) -> Store:
    """The store at ``address``; nothing is opened or made yet."""
    if isinstance(address, Path):
        return Database(address)
    from appeval_pipeline.store.ducklake import DuckLake  # needs packages of the extra `distributed`

    return DuckLake.at(address)
