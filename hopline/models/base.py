"""Base of what goes over the wire."""

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
        """Return what was stored, as JSON or decoded: fields that only a newer version knows are left out.

        Raises:
            ValidationError: it is no such record.
        """
        if isinstance(stored, str | bytes):
            return cls.model_validate_json(stored, extra="ignore")
        return cls.model_validate(stored, extra="ignore")


class Page(Frozen):
    """A page of a list."""

    next: str | None = Field(default=None, description="The cursor of the next page, as in the header Link.")


class OfKind(Frozen):
    """Base of what is distinguished by its `kind`, which is always written."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Require the kind in what is written."""
        made = super().__get_pydantic_json_schema__(core_schema, handler)
        if handler.mode == "serialization":
            fields = handler.resolve_ref_schema(made)
            fields["required"] = list(dict.fromkeys(("kind", *fields.get("required", ()))))
        return made


class Sparse(Frozen):
    """Base of records that leave some fields out where these are empty.

    They came later than the record did: what is stored is as it was before there were any.
    """

    LEFT_OUT: ClassVar[frozenset[str]]

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe its fields: the serializer below says of what it returns that it is an object."""
        fields = {name: part for name, part in core_schema.items() if name != "serialization"}
        return super().__get_pydantic_json_schema__(cast("CoreSchema", fields), handler)

    @model_serializer(mode="wrap")
    def _without_empty(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        stored: dict[str, Any] = fields(self)
        return {name: value for name, value in stored.items() if value or name not in self.LEFT_OUT}
