"""Base classes of data that goes over the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hopline.visible import visible

VisibleText = Annotated[str, AfterValidator(visible)]  # as a reader sees it; what is stored may hold more


class Frozen(BaseModel):
    """Base of all data that crosses a boundary: immutable, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def read_stored(cls, stored: str | bytes | Mapping[str, Any]) -> Self:
        """Return a stored record, given as JSON or decoded, without fields that only a newer version knows.

        Raises:
            ValidationError: it is not a record of this type.
        """
        if isinstance(stored, str | bytes):
            return cls.model_validate_json(stored, extra="ignore")
        return cls.model_validate(stored, extra="ignore")


class Page(Frozen):
    """A page of a list."""

    next: str | None = Field(default=None, description="The cursor of the next page, as in the header Link.")


class OfKind(Frozen):
    """Base of models that are distinguished by their `kind`, which is always written."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Require the kind in the schema of written data."""
        made = super().__get_pydantic_json_schema__(core_schema, handler)
        if handler.mode == "serialization":
            fields = handler.resolve_ref_schema(made)
            fields["required"] = list(dict.fromkeys(("kind", *fields.get("required", ()))))
        return made


class Sparse(Frozen):
    """Base of records that omit some fields if these are empty.

    These fields were added later, so records without them are stored as before.
    """

    LEFT_OUT: ClassVar[frozenset[str]]

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the fields, because the serializer below declares only that it returns an object."""
        fields = {name: part for name, part in core_schema.items() if name != "serialization"}
        return super().__get_pydantic_json_schema__(cast("CoreSchema", fields), handler)

    @model_serializer(mode="wrap")
    def _without_empty(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        stored: dict[str, Any] = fields(self)
        return {name: value for name, value in stored.items() if value or name not in self.LEFT_OUT}
