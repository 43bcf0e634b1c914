"""Conversations over HTTP: whose they are, what is kept, and what others see of a shared one."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest
from doubles.broker import Broker
from doubles.documents import made_document, write, write_made
from fleet.api import ServedApi, served_api

from hopline import Hopline, InvalidInput, NotFound
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.transport import ACT_AS_HEADER
from producer.api.principals.header import BROWSER_HEADER
from producer.service.keys import STORED, ApiKeys
from workers.core.jobs.records import Wanted
from workers.core.metadata.changes import MetadataChange
from workers.core.redis_keys import CONVERSATION_ERASURES, conversation_answers_key, conversation_key
from workers.engine.outbox import work_off
from workers.engine.session_history import question_of
from workers.ingest.delete import DeleteInput, delete_document
from workers.services import Services

MINE = "conversing"
FACTS = {
    "open.txt": ("A bridge stands in Conwy.", ["bridge", "Conwy"], None),
    "legal.txt": ("The bridge belongs to Mara.", ["bridge", "Mara"], ("group:legal",)),
}
LEGAL = MetadataChange(values={"allow": ("group:legal",)})
EVERYONE = MetadataChange(values={"allow": ("*",)})


@pytest.fixture(autouse=True)
def _library(services: Services) -> Iterator[None]:
    for uri, (fact, names, allow) in FACTS.items():
        write(services.graph, MINE, uri, [(fact, names)])
        change = MetadataChange(values={"allow": allow}) if allow else MetadataChange(unset=("allow",))
        services.graph.store.change_metadata([_id(uri)], change)
    yield
    for uri in FACTS:
        services.graph.store.delete_document(_id(uri))
    for record in services.ledger.page(Wanted(), limit=100)[0]:
        services.ledger.end(record.job.id, None, JobState.CANCELLED, {})


def _id(uri: str) -> str:
    return made_document(MINE, uri, [FACTS[uri][:2]])[0].id


def _cited(n: int, uri: str) -> dict[str, Any]:
    fact = FACTS[uri][0]
    return {
        "kind": "text", "n": n, "fact_id": f"f{n}", "fact": fact, "score": 1, "final_decayed_score": 1,
        "depth": 0, "source_description": "s", "chunk_id": "c", "start": 0, "end": 1, "quote": fact,
        "document": {"id": _id(uri), "title": uri, "uri": uri},
    }  # fmt: skip


def _end(api: ServedApi, job: str, *uris: str, state: JobState = JobState.DONE, **more: Any) -> None:
    """End a job with a sentence for each of some documents, which cites it; then tell of its end."""
    text = " ".join(f"{FACTS[uri][0].removesuffix('.')} [{n}]." for n, uri in enumerate(uris, 1))
    cited = [_cited(n, uri) for n, uri in enumerate(uris, 1)]
    walk = [{"node_id": "n", "name": "Mara", "depth": 0}]
    outcome = {"text": text, "citations": cited, "rests_on": [*map(_id, uris)], "walk": walk, **more}
    api.services.ledger.end(job, None, state, outcome)
    work_off(api.services, job)


def _ask(client: Hopline, talk: str, question: str = "Whose is the bridge?") -> str:
    return client.queries.submit(question, collection=MINE, conversation=talk, strategy="graph").id


def _answers(client: Hopline, talk: str) -> list[str]:
    turns = client.conversations.get(talk).turns
    return [turn.outcome.text for turn in turns if isinstance(turn.outcome, Answer)]


def test_a_question_begins_a_conversation_that_its_key_lists_renames_and_deletes(api: ServedApi) -> None:
    talk, other = uuid4().hex, uuid4().hex
    with Hopline(api.url, api_key=api.key("submit")) as client:
        job = _ask(client, talk)
        (turn,) = client.conversations.get(talk).turns
        assert (turn.job_id, turn.state, turn.outcome) == (job, "queued", None)
        _end(api, job, "open.txt")
        _end(api, _ask(client, talk, "And where?"), "legal.txt")
        _ask(client, other, "What is\nolder?")
        content = client.conversations.get(talk)
        assert [(each.question, each.state, each.collections) for each in content.turns] == [
            ("Whose is the bridge?", "done", (MINE,)),
            ("And where?", "done", (MINE,)),
        ]
        answer = content.turns[0].outcome
        assert isinstance(answer, Answer)
        assert (answer.text, answer.citations[0].fact) == (
            "A bridge stands in Conwy [1].",
            FACTS["open.txt"][0],
        )
        assert [step.name for step in answer.walk] == ["Mara"]
        listed = client.conversations.list()
        assert [(each.title, each.turns, each.collection, each.shared, each.own)
                for each in listed.conversations] == [
            ("What is older?", 1, MINE, False, True), ("Whose is the bridge?", 2, MINE, False, True),
        ]  # fmt: skip
        assert [each.id for each in client.conversations.iterate(q="AND WHERE")] == [talk]
        assert client.conversations.list(collection="another").conversations == []
        assert client.conversations.update(talk, title="  Bridges ").title == "Bridges"
        assert client.conversations.get(talk).title == "Bridges"
        assert client.conversations.delete(talk).turns == 2
        with pytest.raises(NotFound, match="hopline conversations"):
            client.conversations.get(talk)
        assert client.jobs.get(job).id == job
        assert [each.id for each in client.conversations.iterate()] == [other]


def test_lists_come_in_pages_newest_first(api: ServedApi) -> None:
    talks = [uuid4().hex for _ in range(5)]
    key = api.key("submit")
    with Hopline(api.url, api_key=key) as client:
        for talk in talks:
            _ask(client, talk)
        first = client.conversations.list(limit=2)
        second = client.conversations.list(limit=2, cursor=first.next or "")
        last = client.conversations.list(limit=2, cursor=second.next or "")
        found = [each.id for page in (first, second, last) for each in page.conversations]
        assert (found, last.next) == (talks[::-1], None)
    with api.client(key) as plain:
        answer = plain.get("/v1/conversations", params={"limit": 2})
        assert answer.headers["link"].startswith("<?limit=2&cursor=")
        assert plain.get("/v1/conversations", params={"cursor": "aaaa"}).status_code == 422


def test_a_conversation_is_its_owners_alone_and_nobody_else_goes_on_with_it(api: ServedApi) -> None:
    talk = uuid4().hex
    service = api.key("submit", "act-as")
    with Hopline(api.url, api_key=service, act_as="user:ann") as ann:
        _end(api, _ask(ann, talk), "open.txt")
        others = [
            Hopline(api.url, api_key=service),
            Hopline(api.url, api_key=service, act_as="user:bo"),
            Hopline(api.url, api_key=api.key("admin")),
        ]
        for shared in (False, True):
            ann.conversations.update(talk, shared=shared)
            for other in others:
                assert other.conversations.list().conversations == []
                acts = [
                    lambda other=other: other.conversations.update(talk, title="Mine"),
                    lambda other=other: other.conversations.delete(talk),
                    lambda other=other: _ask(other, talk),
                ]
                acts += [] if shared else [lambda other=other: other.conversations.get(talk)]
                for act in acts:
                    with pytest.raises(NotFound):
                        act()
        assert [each.id for each in ann.conversations.iterate()] == [talk]
        assert len(ann.conversations.get(talk).turns) == 1
    for other in others:
        other.close()


def test_without_keys_a_conversation_is_that_of_the_browser_that_began_it(
    services: Services,
) -> None:
    services.redis.delete(STORED)
    ApiKeys(services.redis).drop_need()
    with served_api(services, Broker(), loopback=True) as api:
        talk = uuid4().hex
        body = {"question": "Whose is it?", "collection": MINE, "conversation": talk}
        path = f"/v1/conversations/{talk}"
        with (
            api.client(**{BROWSER_HEADER: "one"}) as one,
            api.client(**{BROWSER_HEADER: "two"}) as two,
            api.client() as operator,
        ):
            clients = (one, two, operator)
            submitted = one.post("/v1/queries", json=body)
            assert submitted.status_code == 202
            assert [client.get(path).status_code for client in clients] == [200, 404, 404]
            listed = [client.get("/v1/conversations").json()["conversations"] for client in clients]
            assert [len(each) for each in listed] == [1, 0, 0]
            assert two.post("/v1/queries", json=body).status_code == 404
            assert one.patch(path, json={"shared": True}).status_code == 200
            assert two.get(path).status_code == 404, "nothing is answered yet"
            _end(api, submitted.json()["id"], "open.txt")
            assert (two.get(path).json()["own"], one.get(path).json()["own"]) == (False, True)


def test_a_conversation_takes_the_place_of_a_session(api: ServedApi) -> None:
    with Hopline(api.url, api_key=api.key("submit")) as client:
        for wrong in ("mine", "0" * 31, "G" * 32):
            with pytest.raises(InvalidInput, match="conversation"):
                _ask(client, wrong)
        with pytest.raises(InvalidInput, match="session"):
            client.queries.submit("Who?", collection=MINE, conversation=uuid4().hex, session="s")
        first, talk = uuid4().hex, uuid4().hex
        _end(api, _ask(client, first), "legal.txt")
        _end(api, _ask(client, talk), "open.txt")
        job = _ask(client, talk, "And since when?")
        told = api.services.ledger.input_of(job, "plan")["history"]
        assert [turn["answer"] for turn in told] == ["A bridge stands in Conwy [1]."]


def test_a_failed_question_says_why_and_one_whose_job_is_gone_says_so(api: ServedApi) -> None:
    talk = uuid4().hex
    with Hopline(api.url, api_key=api.key("submit")) as client:
        failed, gone = _ask(client, talk), _ask(client, talk)
        api.services.ledger.end(failed, None, JobState.FAILED, {"error": "the model was away"})
        work_off(api.services, failed)
        api.services.redis.delete(*api.services.redis.keys(f"hop:{{{gone}}}:*"))
        why, lost = client.conversations.get(talk).turns
        assert (why.state, lost.state) == ("failed", "failed")
        assert isinstance(lost.outcome, Answer)
        assert "ask again" in (lost.outcome.reason or "")


def test_quotes_of_a_deleted_document_leave_kept_answers(api: ServedApi) -> None:
    talk, services = uuid4().hex, api.services
    with Hopline(api.url, api_key=api.key("submit")) as client:
        _end(api, _ask(client, talk), "open.txt", "legal.txt")
        job = services.ledger.job(_ask(client, talk))
        assert job is not None
        ports = services.ports(job.job, services.meter(job.job))
        delete_document(DeleteInput(document_id=_id("legal.txt"), erase=True), ports)
        answer = client.conversations.get(talk).turns[0].outcome
        assert isinstance(answer, Answer)
        assert (answer.text, len(answer.citations), answer.walk) == ("A bridge stands in Conwy [1].", 1, ())
        assert "deleted" in (answer.reason or "")
        services.forget_collection(MINE)
        with pytest.raises(NotFound):
            client.conversations.get(talk)


def test_a_question_that_is_refused_leaves_no_word_of_it(api: ServedApi) -> None:
    asked = {"question": "Whose is it?", "collection": MINE}
    with api.client(api.key("submit")) as client:
        for number in range(2):
            sent = {**asked, "conversation": uuid4().hex, "question": f"{number}?"}
            answer = client.post("/v1/queries", json=sent, headers={"Idempotency-Key": "one"})
            talk = sent["conversation"]
        assert answer.status_code == 409
        client.post("/v1/queries", json={**asked, "conversation": talk, "collection": "no-such"})
        stored = api.services.redis.hgetall(conversation_key(talk))
    assert [text for text in stored.values() if "1?" in text or MINE in text] == []


def test_a_conversation_keeps_neither_title_nor_name_of_a_collection_that_is_deleted(api: ServedApi) -> None:
    document, talk = made_document("other", "open.txt", [FACTS["open.txt"][:2]]), uuid4().hex
    write_made(api.services.graph, *document)
    with Hopline(api.url, api_key=api.key("submit")) as client:
        _ask(client, talk, "What did Mara sell?")
        client.queries.submit("And the bridge?", collection="other", conversation=talk, strategy="graph")
        api.services.forget_collection(MINE)
        (listed,) = client.conversations.iterate()
        content = client.conversations.get(talk)
        for shown in (listed, content):
            assert (shown.title, shown.collection) == ("And the bridge?", "other")
    api.services.graph.store.delete_document(document[0].id)


def test_erasing_a_name_from_history_removes_it_from_conversations(api: ServedApi) -> None:
    talk = uuid4().hex
    with Hopline(api.url, api_key=api.key("admin")) as client:
        _end(api, _ask(client, talk), "legal.txt")
        _end(api, _ask(client, talk), "open.txt")
        client.history.erase(document="Mara")
        # The walk of both names her.
        with pytest.raises(NotFound):
            client.conversations.get(talk)


# shared -----------------------------------------------------------------------------------------------


def _seen(client: httpx.Client, talk: str) -> tuple[int, str]:
    """Return what a reader gets of a conversation, whatever its id."""
    answer = client.get(f"/v1/conversations/{talk}", headers={"X-Request-ID": "seen"})
    return answer.status_code, answer.text.replace(talk, "TALK")


def test_of_a_shared_conversation_others_see_what_they_would_if_what_is_hidden_had_never_been_there(
    api: ServedApi,
) -> None:
    talk, hidden = uuid4().hex, uuid4().hex
    with (
        Hopline(api.url, api_key=api.key("submit")) as owner,
        api.client(api.key("submit", principals=("user:bo",))) as bo,
    ):
        never = _seen(bo, uuid4().hex)[0]
        _end(api, _ask(owner, talk, "Where is the bridge?"), "open.txt", missing=["Mara"], reason="No Mara.")
        assert (_seen(bo, talk)[0], never) == (404, 404)
        owner.conversations.update(talk, shared=True)
        alone = _seen(bo, talk)
        assert (alone[0], "A bridge stands" in alone[1], 'walk":[]' in alone[1]) == (200, True, True)

        failed = _ask(owner, talk, "Who is Mara?")
        _end(api, failed, state=JobState.FAILED, error="Mara's file cannot be read")
        _end(api, _ask(owner, talk, "Whose is it?"), "open.txt", "legal.txt")
        _end(api, _ask(owner, talk, "Where does Mara live?"), "open.txt")
        _ask(owner, talk, "And her sister?")
        _end(api, _ask(owner, hidden, "Does Mara own it?"), "legal.txt")
        owner.conversations.update(hidden, shared=True)
        assert _seen(bo, talk) == alone
        assert _seen(bo, hidden) == _seen(bo, uuid4().hex)

        record = api.services.ledger.job(failed)
        assert record is not None
        ports = api.services.ports(record.job, api.services.meter(record.job))
        delete_document(DeleteInput(document_id=_id("legal.txt")), ports)
        assert _seen(bo, talk) == alone
        assert _seen(bo, hidden)[0] == 404


def test_a_shared_conversation_opens_under_the_rights_of_each_reader(api: ServedApi) -> None:
    talk = uuid4().hex
    with Hopline(api.url, api_key=api.key("submit")) as owner:
        _end(api, _ask(owner, talk), "open.txt")
        _end(api, _ask(owner, talk), "legal.txt")
        owner.conversations.update(talk, shared=True)
    readers = {
        api.key("read"): 2,
        api.key("read", principals=("group:legal",)): 2,
        api.key("read", principals=("user:bo",)): 1,
        api.key("read", collections=("another",)): None,
    }
    for key, count in readers.items():
        with Hopline(api.url, api_key=key) as reader:
            if count is None:
                with pytest.raises(NotFound):
                    reader.conversations.get(talk)
                continue
            content = reader.conversations.get(talk)
            assert (len(content.turns), content.own) == (count, False)
    with Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo:
        api.services.graph.store.change_metadata([_id("open.txt")], LEGAL)
        with pytest.raises(NotFound):
            bo.conversations.get(talk)


def test_a_reader_who_sees_some_documents_is_not_told_which_were_chosen(api: ServedApi) -> None:
    talk, chosen = uuid4().hex, [_id("open.txt"), _id("legal.txt")]
    with Hopline(api.url, api_key=api.key("submit")) as owner:
        job = owner.queries.submit("Where?", collection=MINE, conversation=talk, documents=chosen).id
        _end(api, job, "open.txt")
        owner.conversations.update(talk, shared=True)
    for principals, scope in ((None, {"documents": chosen}), (("user:bo",), {})):
        with Hopline(api.url, api_key=api.key("read", principals=principals)) as reader:
            (turn,) = reader.conversations.get(talk).turns
            assert isinstance(turn.outcome, Answer)
            assert turn.outcome.scope == scope


@pytest.mark.parametrize("act_as", [None, "user:ann"])
def test_revoking_a_key_ends_the_sharing_of_its_conversations(api: ServedApi, act_as: str | None) -> None:
    talk, key = uuid4().hex, api.key("submit", "act-as")
    with (
        Hopline(api.url, api_key=key, act_as=act_as) as owner,
        Hopline(api.url, api_key=api.key("read")) as reader,
    ):
        _end(api, _ask(owner, talk), "open.txt")
        owner.conversations.update(talk, shared=True)
        assert _answers(reader, talk) == ["A bridge stands in Conwy [1]."]
        ApiKeys(api.services.redis).revoke(key.split("_")[1])
        with pytest.raises(NotFound, match="no conversation"):
            reader.conversations.get(talk)


def test_who_sees_nothing_of_a_collection_sees_no_shared_conversation_of_it(api: ServedApi) -> None:
    talk = uuid4().hex
    with Hopline(api.url, api_key=api.key("submit")) as owner:
        _end(api, _ask(owner, talk), state=JobState.ABSTAINED, reason="It is not in the documents.")
        owner.conversations.update(talk, shared=True)
    with Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo:
        assert len(bo.conversations.get(talk).turns) == 1
        api.services.graph.store.change_metadata([_id("open.txt")], LEGAL)
        with pytest.raises(NotFound):
            bo.conversations.get(talk)


def test_opening_a_document_with_a_new_text_opens_no_answer_about_the_old_one_to_others(
    api: ServedApi,
) -> None:
    talk, services = uuid4().hex, api.services
    key = api.key("submit", principals=("group:legal",))
    with (
        Hopline(api.url, api_key=key) as owner,
        Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo,
    ):
        _end(api, _ask(owner, talk), "legal.txt")
        owner.conversations.update(talk, shared=True)
        services.graph.store.change_metadata([_id("legal.txt")], EVERYONE)
        assert _answers(bo, talk) == ["The bridge belongs to Mara [1]."]
        write(services.graph, MINE, "legal.txt", [("The bridge is public.", ["bridge"])])
        with pytest.raises(NotFound):
            bo.conversations.get(talk)
        assert _answers(owner, talk) == ["The bridge belongs to Mara [1]."]


def test_an_answer_about_an_earlier_time_opens_to_none_who_may_not_have_read_the_text_of_then(
    api: ServedApi,
) -> None:
    talk = uuid4().hex
    with (
        Hopline(api.url, api_key=api.key("submit")) as owner,
        Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo,
        Hopline(api.url, api_key=api.key("read")) as reader,
    ):
        job = _ask(owner, talk)
        _end(api, job, "open.txt")
        kept = api.services.conversations.answers(talk)[job]
        past = kept.job.model_copy(update={"params": {**kept.job.params, "known_at": "2026-01-01"}})
        api.services.redis.delete(conversation_answers_key(talk))
        about_then = kept.model_copy(update={"job": past})
        api.services.conversations.answer(talk, question_of(kept.record), about_then)
        owner.conversations.update(talk, shared=True)
        with pytest.raises(NotFound):
            bo.conversations.get(talk)
        assert _answers(reader, talk) == ["A bridge stands in Conwy [1]."]


def test_removing_a_hidden_answer_opens_no_question_behind_it_to_others(api: ServedApi) -> None:
    talk = uuid4().hex
    with (
        Hopline(api.url, api_key=api.key("submit")) as owner,
        Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo,
        Hopline(api.url, api_key=api.key("read")) as reader,
    ):
        _end(api, _ask(owner, talk, "Where is it?"), "open.txt", walk=[])
        _end(api, _ask(owner, talk), "legal.txt", walk=[])
        _end(api, _ask(owner, talk, "Where does she live?"), "open.txt", walk=[])
        owner.conversations.update(talk, shared=True)
        api.services.conversations.erase_name("Mara")
        assert [turn.question for turn in reader.conversations.get(talk).turns] == [
            "Where is it?",
            "Where does she live?",
        ]
        assert [turn.question for turn in bo.conversations.get(talk).turns] == ["Where is it?"]


@pytest.mark.parametrize("uri", FACTS)
def test_a_question_that_became_too_old_hides_those_behind_it_only_from_who_might_not_see_it(
    api: ServedApi, uri: str
) -> None:
    talk, days = uuid4().hex, api.services.settings.conversation_days
    with (
        Hopline(api.url, api_key=api.key("submit")) as owner,
        Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo,
    ):
        job = _ask(owner, talk, "What is old?")
        _end(api, job, uri)
        _end(api, _ask(owner, talk, "What is new?"), "open.txt")
        owner.conversations.update(talk, shared=True)
        _age(api, talk, job, days * 86_400 + 60)
        _assert_new_is_seen(bo, talk, seen=uri == "open.txt")
        _end(api, _ask(owner, talk, "And now?"), "open.txt")  # which removes what is too old
        assert job not in api.services.conversations.answers(talk)
        _assert_new_is_seen(bo, talk, seen=uri == "open.txt")
        write(api.services.graph, MINE, uri, [("It is public.", ["bridge"])])
        _assert_new_is_seen(bo, talk, seen=False)


def _age(api: ServedApi, talk: str, job: str, seconds: float) -> None:
    """Make an answered question older."""
    kept, redis = api.services.conversations.answers(talk)[job], api.services.redis
    old = kept.model_copy(update={"created": kept.created - seconds, "ended": kept.ended - seconds})
    redis.delete(CONVERSATION_ERASURES)  # another test may have erased the collection since
    redis.hdel(conversation_key(talk), job)
    redis.hdel(conversation_answers_key(talk), job)
    api.services.conversations.answer(talk, question_of(old.record), old)


def _assert_new_is_seen(reader: Hopline, talk: str, *, seen: bool) -> None:
    if not seen:
        with pytest.raises(NotFound):
            reader.conversations.get(talk)
        return
    content = reader.conversations.get(talk)
    assert (content.title, content.turns[0].question) == ("What is new?", "What is new?")


def test_others_see_a_title_that_its_owner_gave_or_the_first_question_that_they_see(api: ServedApi) -> None:
    talk = uuid4().hex
    with (
        Hopline(api.url, api_key=api.key("submit")) as owner,
        Hopline(api.url, api_key=api.key("read", principals=("user:bo",))) as bo,
    ):
        failed = _ask(owner, talk, "Who is Mara?")
        _end(api, failed, state=JobState.FAILED, error="Mara's file cannot be read")
        _end(api, _ask(owner, talk, "Where is\nit?"), "open.txt")
        owner.conversations.update(talk, shared=True)
        seen = bo.conversations.get(talk)
        assert (seen.title, seen.created, seen.collection) == ("Where is it?", seen.turns[0].asked, MINE)
        assert owner.conversations.get(talk).title == "Who is Mara?"
        owner.conversations.update(talk, title="Bridges")
        assert bo.conversations.get(talk).title == "Bridges"


def test_an_owner_who_sees_less_keeps_the_question_without_its_answer(api: ServedApi) -> None:
    talk = uuid4().hex
    with Hopline(api.url, api_key=api.key("submit", "act-as"), act_as="group:legal") as owner:
        _end(api, _ask(owner, talk), "open.txt")
        _end(api, _ask(owner, talk), "legal.txt")
        change = MetadataChange(values={"allow": ("user:ann",)})
        api.services.graph.store.change_metadata([_id("legal.txt")], change)
        assert _answers(owner, talk) == ["A bridge stands in Conwy [1].", ""]


def test_a_browser_is_no_name_beside_a_key(api: ServedApi) -> None:
    talk, key = uuid4().hex, api.key("submit", "act-as")
    body = {"question": "Whose is it?", "collection": MINE, "conversation": talk}
    with api.client(key, **{BROWSER_HEADER: "one"}) as one, api.client(key) as same:
        assert one.post("/v1/queries", json=body).status_code == 202
        assert same.get(f"/v1/conversations/{talk}").status_code == 200
        acting = {ACT_AS_HEADER: "user:ann"}
        assert same.get(f"/v1/conversations/{talk}", headers=acting).status_code == 404
