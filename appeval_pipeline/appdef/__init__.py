"""App definitions: read, validated, checked, hashed and catalogued."""

from appeval_pipeline.appdef.checking import Finding, check_app
from appeval_pipeline.appdef.loading import load_app
from appeval_pipeline.appdef.schema import AppDefinition

__all__ = ["AppDefinition", "Finding", "check_app", "load_app"]
