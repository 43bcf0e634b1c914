"""What a question that is sent again under its idempotency key tells of collections."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from producer.api.routes import queries
from producer.api.schemas import QueryRequest
from workers.core.errors import EmbedderMismatch, NoDocuments


def outcome_of(monkeypatch: pytest.MonkeyPatch, *, repeated: bool, visible: bool) -> Any:
    """Return what a question over two collections of different embedders comes to, under one key."""

    def check_embedders(_collections: Sequence[str]) -> None:
        raise EmbedderMismatch("collection 'hidden' was built with another")

    def require_seen(*_args: object) -> None:
        if not visible:
            raise NoDocuments("hidden", ())

    async def submit(_question: object) -> str:
        return "submitted"

    async def respond(*args: Any) -> Any:
        return args[3]

    monkeypatch.setattr(queries, "terms_of", lambda *_args, **_more: None)
    monkeypatch.setattr(queries, "was_submitted", lambda *_args: repeated)
    monkeypatch.setattr(queries, "require_seen", require_seen)
    monkeypatch.setattr(queries, "respond_with_job", respond)
    parts = SimpleNamespace(check=lambda *_args: {}, check_embedders=check_embedders)
    api: Any = SimpleNamespace(
        service=SimpleNamespace(questions=parts), questions=SimpleNamespace(submit=submit)
    )
    caller: Any = SimpleNamespace(
        collection=lambda name: name, own_key=lambda key: key, principals=("user:ann",)
    )
    nothing: Any = None
    query = QueryRequest.model_validate({"question": "Who?", "collection": ["seen", "hidden"]})
    return asyncio.run(queries.submit_query(api, caller, nothing, nothing, query, "k"))


def test_a_repeated_question_says_nothing_of_embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome_of(monkeypatch, repeated=True, visible=False) == "submitted"


def test_a_new_question_says_nothing_of_the_embedder_of_the_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoDocuments):
        outcome_of(monkeypatch, repeated=False, visible=False)
    with pytest.raises(EmbedderMismatch):
        outcome_of(monkeypatch, repeated=False, visible=True)
