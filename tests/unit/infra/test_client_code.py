"""The client without asyncio is written from the one for asyncio."""

from importlib import import_module
from typing import Any, get_type_hints

import pytest
from pydantic import BaseModel, create_model

from hopline.models import fields
from infra.client_code import GROUPS, main, synchronous

SOURCE = '''\
"""AsyncBoats: `await client.list()`; see hopline.aio.boats."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from hopline.aio.noun import AsyncNoun


class AsyncBoats(AsyncNoun):
    def __init__(self, fetch: Callable[[str], Awaitable[dict[str, list[int]]]]) -> None:
        self._fetch = fetch  # an AsyncIterator's

    async def each(self) -> AsyncIterator[int]:
        async with self._open() as opened:
            async for boat in opened:
                await asyncio.sleep(0.1)
                yield (await self._fetch(f"{boat}"))["a"][0]
'''
WANTED = '''\
"""Boats: `client.list()`; see hopline.sync.boats."""

import time
from collections.abc import Iterator, Awaitable, Callable

from hopline.sync.noun import Noun


class Boats(Noun):
    def __init__(self, fetch: Callable[[str], dict[str, list[int]]]) -> None:
        self._fetch = fetch  # an Iterator's

    def each(self) -> Iterator[int]:
        with self._open() as opened:
            for boat in opened:
                time.sleep(0.1)
                yield (self._fetch(f"{boat}"))["a"][0]
'''


def test_what_is_awaited_is_called() -> None:
    assert synchronous(SOURCE) == WANTED


def test_what_is_stored_is_what_would_be_written() -> None:
    assert main(["--check"]) == 0


@pytest.mark.parametrize(("module", "name"), [(key, name) for key, names in GROUPS.items() for name in names])
def test_a_group_of_parameters_documents_what_its_model_does(module: str, name: str) -> None:
    model: type[BaseModel] = getattr(import_module(f"hopline.models.{module}"), name)
    hints: dict[str, Any] = get_type_hints(getattr(fields, f"{name}Fields"), include_extras=True)

    wanted: dict[str, Any] = {each: (hint, ...) for each, hint in hints.items()}
    group: type[BaseModel] = create_model("Group", **wanted)

    assert group.model_json_schema()["properties"] == model.model_json_schema()["properties"]
