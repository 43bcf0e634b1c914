"""What operators reach over the API: dead messages, settings, and what sessions remember."""

import json
from collections.abc import Iterator

import pytest
import redis
from doubles.documents import made_document
from fleet.api import ServedApi

from hopline import AccessDenied, Hopline, InvalidInput, NotFound
from workers.ledger.sessions import Exchange, Remembered
from workers.services import Services
from workers.telemetry.presence import stay, tell_settings
from workers.transport.dead_messages import bury

LIVE = "talks"
SETTINGS = {"max_attempts": 7, "model_url": "http://ann:open-sesame@127.0.0.1:8099/v1"}
MESSAGE = {
    "body": "W10=", "headers": {"task": "app.mail", "id": "8d1f"}, "properties": {"priority": 4},
}  # fmt: skip


@pytest.fixture
def client(api: ServedApi) -> Iterator[Hopline]:
    with Hopline(api.url, api_key=api.key("admin")) as client:
        yield client


def test_a_dead_message_is_shown_whole_sent_again_into_its_list_and_no_more_kept(
    client: Hopline, services: Services
) -> None:
    broker: redis.Redis = services.broker_redis
    bury(broker, "bulk", MESSAGE, "there is no task app.mail")
    [listed] = client.messages.list().messages
    assert (listed.queue, listed.what, listed.text) == ("bulk", "app.mail 8d1f", None)
    assert json.loads(client.messages.get(listed.id).text or "") == MESSAGE
    assert client.messages.send(listed.id) == listed
    waiting = broker.lrange("bulk\x06\x164", 0, -1)
    assert [json.loads(text) for text in waiting] == [MESSAGE]
    assert client.messages.list().messages == ()
    for act in (client.messages.get, client.messages.send, client.messages.delete):
        with pytest.raises(NotFound, match="hopline messages"):
            act(listed.id)


def test_what_no_worker_could_read_is_not_sent_again_but_deleted(client: Hopline, services: Services) -> None:
    masked = MESSAGE | {"body": "hop_0123456789ab_" + "A" * 43}
    for raw, why in ((b"no JSON", "no message"), (b"[]", "no message"), (masked, "held an API key")):
        bury(services.broker_redis, "bulk", raw, "it cannot be read")
        [listed] = client.messages.list().messages
        with pytest.raises(InvalidInput, match=why):
            client.messages.send(listed.id)
        assert client.messages.delete(listed.id) == listed
        assert client.messages.list().messages == ()


def test_settings_say_where_they_are_from_and_which_workers_differ_but_no_secret(
    client: Hopline, services: Services
) -> None:
    stay(services.redis, "bulk", "bulk@there")
    tell_settings(services.redis, "bulk@there", services.settings.digests() | {"max_attempts": "another"})
    listed = {each.name: each for each in client.server.settings().settings}
    attempts, url, secret = (listed[f"HOPLINE_{name}"] for name in ("MAX_ATTEMPTS", "MODEL_URL", "REDIS_URL"))
    assert (attempts.value, attempts.source, attempts.differs) == ("7", "the program", ("bulk@there",))
    assert (listed["HOPLINE_BACKOFF_SECONDS"].source, listed["HOPLINE_BACKOFF_SECONDS"].differs) == (
        "default",
        (),
    )
    assert url.value == "http://127.0.0.1:8099/v1"
    assert (secret.value, secret.secret) == (None, True)


def test_dead_messages_and_settings_are_for_admins_of_everything(api: ServedApi) -> None:
    for key in (api.key("submit"), api.key("admin", collections=(LIVE,))):
        with Hopline(api.url, api_key=key) as client:
            for read in (client.messages.list, client.server.settings):
                with pytest.raises(AccessDenied):
                    read()


def test_a_session_is_its_keys_own_and_forgotten_by_who_owns_it(api: ServedApi, services: Services) -> None:
    mine, foreign = api.key("submit"), api.key("submit")
    talk = Remembered(name="talk", collections=(LIVE,), caller=mine.split("_")[1])
    services.sessions.add(talk, Exchange(job_id="j1", question="Who?", answer="Brunel."))
    with Hopline(api.url, api_key=foreign) as other:
        assert other.sessions.list().sessions == ()
        for act in (other.sessions.get, other.sessions.delete):
            with pytest.raises(NotFound):
                act(talk.id)
    with Hopline(api.url, api_key=api.key("admin")) as admin:
        assert [each.key for each in admin.sessions.list().sessions] == [talk.caller]
    with Hopline(api.url, api_key=mine) as own:
        memory = own.sessions.get(talk.id)
        assert (memory.name, memory.collections, memory.turns[0].answer) == ("talk", (LIVE,), "Brunel.")
        assert own.queries.check("?", collection=LIVE, session="talk").remembered == 1
        assert own.sessions.delete(talk.id).id == talk.id
        assert own.queries.check("?", collection=LIVE, session="talk").remembered == 0
        assert own.sessions.list().sessions == ()


def test_an_answer_that_rests_on_what_may_not_be_seen_any_more_is_not_shown(
    api: ServedApi, services: Services
) -> None:
    key = api.key("read", principals=("user:ann",))
    talk = Remembered(name="talk", collections=(LIVE,), caller=key.split("_")[1], principals=("user:ann",))
    live = made_document(LIVE, "live.txt")[0].id
    for job, documents in (("j1", (live,)), ("j2", ("gone",))):
        exchange = Exchange(job_id=job, question="Who?", answer="Brunel.", scope="{}", documents=documents)
        services.sessions.add(talk, exchange)
    with Hopline(api.url, api_key=key) as client:
        assert [turn.job_id for turn in client.sessions.get(talk.id).turns] == ["j1"]


def test_a_session_for_some_principals_is_theirs_alone(api: ServedApi, services: Services) -> None:
    key = api.key("read", "act-as")
    talk = Remembered(name="talk", collections=(LIVE,), caller=key.split("_")[1], principals=("user:ann",))
    services.sessions.add(talk, Exchange(job_id="j1", question="Who?", answer="Brunel.", scope="{}"))
    with Hopline(api.url, api_key=key, act_as="user:ann") as ann:
        assert [each.id for each in ann.sessions.list().sessions] == [talk.id]
    for others in (None, "user:bo", "user:ann,user:bo"):
        with Hopline(api.url, api_key=key, act_as=others) as client:
            assert client.sessions.list().sessions == ()
            with pytest.raises(NotFound):
                client.sessions.get(talk.id)
