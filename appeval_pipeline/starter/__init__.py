"""The files that an author begins with: a small app that works, and schemas for the editor."""

from appeval_pipeline.starter.schemas import SchemaKind, json_schema, write_schemas
from appeval_pipeline.starter.writing import write_starter

__all__ = ["SchemaKind", "json_schema", "write_schemas", "write_starter"]
