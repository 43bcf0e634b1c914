"""The route that changes metadata: what it refuses, and what it hands on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from producer.api.access import Caller
from producer.api.routes.documents import change_metadata
from producer.api.schemas import MetadataEdit
from producer.service.keys import LOCAL
from workers.core.errors import InvalidInput
from workers.core.metadata.filter import Either


class Service:
    """Takes changes, and keeps their filters."""

    def __init__(self) -> None:
        self.filters: list[object] = []
        self.documents = self

    def change_metadata_of(self, _ids: object, _collection: str, where: object, _change: object) -> int:
        self.filters.append(where)
        return 1


def edit(service: Service, **fields: object) -> None:
    body = MetadataEdit.model_validate({"set": {"author": "Ann"}, **fields})
    change_metadata(SimpleNamespace(service=service), Caller(LOCAL), body)


def test_a_filter_as_json_is_not_longer_for_its_letters() -> None:
    service = Service()
    values = ["ä" * 100 + str(nth) for nth in range(40)]
    parts = [{"field": "author", "op": "in", "value": values}, {"field": "draft", "op": "exists"}]
    edit(service, collection="c", where={"or": parts})
    [where] = service.filters
    assert isinstance(where, Either)


def test_ids_with_a_collection_and_a_field_without_a_value_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        edit(Service(), documents=["d0"], collection="c")
    assert (caught.value.field, caught.value.value) == ("collection", "c")
    with pytest.raises(InvalidInput, match=r"name the field in `unset`") as caught:
        edit(Service(), documents=["d0"], set={"author": "Bo", "draft": None})
    assert (caught.value.field, caught.value.value) == ("set.draft", None)
