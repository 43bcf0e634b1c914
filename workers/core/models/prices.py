"""Reads the prices of models from a file; a model not listed has no known price."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from hopline.errors import InvalidInput, unreadable_file
from hopline.models.base import Frozen


class Price(Frozen):
    """A model's prices per million tokens, in the currency of the file; None if unknown."""

    input: float | None = Field(default=None, ge=0)
    output: float | None = Field(default=None, ge=0)  # of chat models; embedders have none


class PriceList(Frozen):
    """A file of prices: `currency = "USD"`, then tables `[models."name"]` with input and output prices."""

    currency: str = Field(default="", max_length=10)
    models: dict[str, Price] = {}

    def of(self, model: str) -> Price:
        """Return a model's price; unknown if the file does not list the model."""
        return self.models.get(model, Price())


def read_prices(path: Path | None) -> PriceList:
    """Return the prices in a file; none if no file is given.

    Raises:
        InvalidInput: the file cannot be read, or is not a valid price list; names the field.
    """
    if path is None:
        return PriceList()
    try:
        return PriceList.model_validate(_parsed(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{path.name}: {field}", first["input"], first["msg"]) from error


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable_file("prices", path, error) from error
    except UnicodeDecodeError as error:
        raise InvalidInput("prices", str(path), f"a file in UTF-8 ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("prices", str(path), f"a TOML file ({error})") from error
