"""The app definition as data: what its keys are and what they may hold.

Keys are accepted in camelCase and snake_case and written back as the language spells them. Rules that
span several keys are in `checking`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from appeval_pipeline.appdef.hashing import content_hash

ValueType = Literal["string", "number", "boolean", "array", "object"]
Category = Literal["payment", "shopping", "communication", "calendar", "social", "custom"]
AccessType = Literal["shared", "role_restricted", "per_agent"]
StateType = Literal["shared", "per_agent"]
ToolType = Literal["read", "write"]
Operation = Literal["set", "add", "subtract", "append", "remove", "merge"]

AppId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", min_length=2, max_length=50)]
ActionName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=100)]
Number = int | float


class SchemaModel(BaseModel):
    """A closed, frozen object whose keys may be spelled in camelCase or snake_case."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, populate_by_name=True, defer_build=True
    )

    _spellings: ClassVar[dict[str, str]]

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._spellings = {
            spelling: name
            for name in cls.model_fields
            for spelling in (name.rstrip("_"), to_camel(name.rstrip("_")))
        }

    @classmethod
    def accepted_keys(cls) -> list[str]:
        """The keys as the language spells them."""
        return [field.serialization_alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        result: dict[object, object] = {}
        for key, value in data.items():
            if key in cls.model_fields and key not in cls._spellings:
                # A name of ours that is no spelling of the language, such as else_.
                raise PydanticCustomError("twice", "Unknown key '{key}'", {"key": key})
            name = cls._spellings.get(key, key) if isinstance(key, str) else key
            if name in result:
                raise PydanticCustomError("twice", "Key '{key}' is given in two spellings", {"key": key})
            result[name] = value
        return result


def _spelled(alias: str, **constraints: Any) -> Any:
    return Field(default=None, serialization_alias=alias, **constraints)


def _also_a_mapping(schema: dict[str, Any]) -> None:
    """Tell editors that properties may be a mapping, too, where the name is the key."""
    schema["anyOf"] = [*schema["anyOf"], {"type": "object", "additionalProperties": {"type": "object"}}]


class StateField(SchemaModel):
    """A field of the state, or a property of an object field."""

    name: Identifier
    type: ValueType
    default: JsonValue = None
    description: str | None = None
    per_agent: bool = Field(default=True, serialization_alias="perAgent")
    max_items: int | None = _spelled("maxItems", ge=0)
    properties: list[StateField] | None = Field(default=None, json_schema_extra=_also_a_mapping)

    @model_validator(mode="before")
    @classmethod
    def _list_properties(cls, data: object) -> object:
        """Properties may also be a mapping from name to the rest, as in JSON Schema; its order is nothing."""
        if isinstance(data, Mapping) and isinstance(data.get("properties"), Mapping):
            listed = [
                {"name": name, **spec} if isinstance(spec, Mapping) and "name" not in spec else spec
                for name, spec in sorted(data["properties"].items())
            ]
            return {**data, "properties": listed}
        return data

    @property
    def has_default(self) -> bool:
        return "default" in self.model_fields_set


class ParamSpec(SchemaModel):
    """A parameter of an action."""

    type: ValueType
    description: str | None = None
    required: bool = False
    default: JsonValue = None
    min_value: Number | None = _spelled("minValue")
    max_value: Number | None = _spelled("maxValue")
    min_length: int | None = _spelled("minLength", ge=0)
    max_length: int | None = _spelled("maxLength", ge=0)
    pattern: str | None = None
    enum: list[JsonValue] | None = None

    @property
    def is_constrained(self) -> bool:
        """Whether it says more than its type."""
        limits = (self.min_value, self.max_value, self.min_length, self.max_length, self.pattern, self.enum)
        return any(limit is not None for limit in limits)


class ValidateBlock(SchemaModel):
    type: Literal["validate"]
    condition: str
    error_message: str = Field(serialization_alias="errorMessage")


class UpdateBlock(SchemaModel):
    type: Literal["update"]
    target: str
    operation: Operation
    value: JsonValue


class NotifyBlock(SchemaModel):
    type: Literal["notify"]
    to: str
    message: str
    data: dict[str, JsonValue] | None = None


class ReturnBlock(SchemaModel):
    type: Literal["return"]
    value: dict[str, JsonValue]


class ErrorBlock(SchemaModel):
    type: Literal["error"]
    message: str


class BranchBlock(SchemaModel):
    type: Literal["branch"]
    condition: str
    then: list[LogicBlock]
    else_: list[LogicBlock] | None = Field(default=None, alias="else", serialization_alias="else")


class LoopBlock(SchemaModel):
    type: Literal["loop"]
    collection: str
    item: Identifier
    body: list[LogicBlock]


AnyBlock = ValidateBlock | UpdateBlock | NotifyBlock | ReturnBlock | ErrorBlock | BranchBlock | LoopBlock
LogicBlock = Annotated[AnyBlock, Field(discriminator="type")]

BLOCK_TYPES: dict[str, type[SchemaModel]] = {
    "validate": ValidateBlock,
    "update": UpdateBlock,
    "notify": NotifyBlock,
    "return": ReturnBlock,
    "error": ErrorBlock,
    "branch": BranchBlock,
    "loop": LoopBlock,
}


class ActionDefinition(SchemaModel):
    """An action: its parameters, what it returns, and its logic."""

    name: ActionName
    description: str | None = None
    parameters: dict[Identifier, ParamSpec] = Field(default_factory=dict)
    returns: dict[str, JsonValue] | None = None
    tool_type: ToolType = "write"
    logic: list[LogicBlock] = Field(default_factory=list)


class AppDefinition(SchemaModel):
    """A simulated app: its state and its actions."""

    app_id: AppId
    name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    description: Annotated[str, StringConstraints(max_length=500)] | None = None
    category: Category
    icon: str | None = None
    version: Annotated[int, Field(ge=1)] | None = None
    state_schema: list[StateField] = Field(default_factory=list)
    initial_config: dict[str, JsonValue] = Field(default_factory=dict)
    config_schema: dict[str, JsonValue] | None = None
    actions: Annotated[list[ActionDefinition], Field(min_length=1)]
    access_type: AccessType = "shared"
    allowed_roles: list[str] = Field(default_factory=list)
    allowed_role_tags: list[str] = Field(default_factory=list)
    state_type: StateType = "shared"

    def action(self, name: str) -> ActionDefinition | None:
        """The action of that name, if there is one."""
        return next((action for action in self.actions if action.name == name), None)

    def is_per_agent(self, field: StateField) -> bool:
        """Whether each agent has a value of its own of ``field``."""
        return self.state_type == "per_agent" or field.per_agent

    def to_dict(self) -> dict[str, Any]:
        """What the definition says, as plain JSON, keys spelled as the language spells them."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @cached_property
    def definition_hash(self) -> str:
        """SHA-256 of the canonical JSON of all but the version, which the catalogue decides.

        Defaults count as if written out; comments, the order of keys and their spelling do not count.
        """
        return content_hash(self.model_dump(mode="json", by_alias=True, exclude={"version"}))
