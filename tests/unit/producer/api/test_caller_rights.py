"""What an API key lets its holder see and do, and what a question sent again tells of collections."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from doubles.desk import Desk

from hopline.errors import NoDocuments, NotFound
from hopline.models.documents import Document
from hopline.models.keys import KeyScope
from hopline.models.params import QueryBounds
from producer.api import admission
from producer.api.access import Caller
from producer.api.problems import Problem
from producer.api.routes import queries
from producer.service.keys import ApiKey, is_needed
from workers.core.errors import EmbedderMismatch
from workers.core.jobs.params import QueryParams
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job, Phase, Terms


def caller(*scopes: KeyScope, name: str = "mine", collections: tuple[str, ...] | None = None) -> Caller:
    scope_set = frozenset(scopes or ("read",))
    return Caller(
        ApiKey(id=name, name=name, digest="", scopes=scope_set, collections=collections, created=0.0)
    )


def job_of(owner: str, collection: str = "default") -> JobRecord:
    ledger = Desk().ledger
    ledger.submit(Job(id="job", kind="query", collection=collection, caller=owner), Phase(items=()))
    record = ledger.job("job")
    assert record is not None
    return record


@pytest.mark.parametrize(("scope", "may"), [
    ("read", {"read"}), ("submit", {"read", "submit"}), ("admin", {"read", "submit", "admin"}),
])  # fmt: skip
def test_a_scope_holds_those_before_it(scope: KeyScope, may: set[str]) -> None:
    key = caller(scope).key
    assert {right for right in ("read", "submit", "admin") if key.may(right)} == may  # type: ignore[arg-type]


def test_jobs_and_documents_are_shown_to_their_owner_and_keys_of_all_their_collections() -> None:
    record = job_of("mine")
    assert caller("submit").own(record, "job") is record
    assert caller("admin", name="chief").own(record, "job") is record
    with pytest.raises(NotFound, match="no job job"):
        caller("submit", name="other").own(record, "job")
    limited = caller("admin", collections=("maps",))
    document = Document(id="doc", collection="books", uri="a.txt", title="A", content_hash="")
    assert caller().document(document, "doc") is document
    with pytest.raises(NotFound, match="no document doc"):
        limited.document(document, "doc")
    with pytest.raises(NotFound, match="no job job"):
        limited.own(job_of("mine", "books"), "job")
    with pytest.raises(Problem, match="may not use collection books"):
        limited.collection("books")
    record = job_of("mine", "maps")
    job = record.job.model_copy(update={"params": {"collections": ["maps", "books"]}})
    record = record.model_copy(update={"job": job})
    for collections in (None, ("maps", "books", "more")):
        assert caller("admin", collections=collections).own(record, "job") is record
    with pytest.raises(NotFound, match="no job job"):
        caller("admin", collections=("maps",)).own(record, "job")


def test_a_server_that_has_seen_a_key_asks_for_one_until_it_is_opened() -> None:
    assert is_needed(1, seen=False, opened=False)
    assert is_needed(0, seen=True, opened=False), "Redis lost its data"
    assert not is_needed(0, seen=True, opened=True)
    assert not is_needed(0, seen=False, opened=False)


def outcome_of(monkeypatch: pytest.MonkeyPatch, *, repeated: bool, visible: bool) -> Any:
    """Return what a question over two collections of different embedders comes to, under one key."""

    def check_embedders(_collections: Sequence[str]) -> None:
        raise EmbedderMismatch("collection 'hidden' was built with another")

    def require_visible(*_args: object) -> None:
        if not visible:
            raise NoDocuments("hidden", ())

    async def respond(*args: Any) -> Any:
        return args[3]

    monkeypatch.setattr(queries, "terms_of", lambda *_args, **_more: Terms(principals=("user:ann",)))
    monkeypatch.setattr(queries, "respond_with_job", respond)
    monkeypatch.setattr(admission, "slot_for", lambda *_args: nullcontext())
    checks = {"require_visible": require_visible, "check_embedders": check_embedders}
    parts = SimpleNamespace(check=lambda *_args: QueryParams(question="Who?"), **checks)
    jobs = SimpleNamespace(exists=lambda *_args: repeated)
    service = SimpleNamespace(questions=parts, jobs=jobs, submit=lambda *_args, **_more: "submitted")
    api: Any = SimpleNamespace(service=service)
    key = Caller(caller("submit").key.model_copy(update={"principals": ("user:ann",)}))
    nothing: Any = None
    asked: dict[str, Any] = {"question": "Who?", "collection": ("seen", "hidden"), "strategy": "auto"}
    terms: dict[str, Any] = {
        "session": None,
        "conversation": None,
        "priority": "normal",
        "webhook": None,
        "tags": {},
        "key": "k",
    }
    given = asked | terms | {"parameters": QueryBounds(), "wait": 0.0, "scope": {}}
    return asyncio.run(queries.submit_query(api, key, nothing, nothing, **given))


def test_a_question_says_nothing_of_the_embedder_of_the_unseen_nor_when_repeated(monkeypatch):
    assert outcome_of(monkeypatch, repeated=True, visible=False) == "submitted"
    with pytest.raises(NoDocuments):
        outcome_of(monkeypatch, repeated=False, visible=False)
    with pytest.raises(EmbedderMismatch):
        outcome_of(monkeypatch, repeated=False, visible=True)
