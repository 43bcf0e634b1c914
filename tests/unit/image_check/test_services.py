"""What `make image-check` runs of docker-compose.yml, and the questions that it asks the API."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from dotenv import dotenv_values
from image_check.api import ComposedApi, Expectation, WrongAnswer, demo_questions
from image_check.compose import Service, read_services, seconds
from image_check.servers import env_file

from hopline.errors import InvalidInput
from producer.demo.questions import DemoQuestion, load_questions

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
VALUES = env_file()
SERVICES = read_services(TEXT, VALUES)
MODEL = SERVICES["offline-model"]
BUILT = [service for service in SERVICES.values() if service.is_built]


def _one(fields: str) -> Service:
    """A file with one service of these lines."""
    lines = ["services:", "  one:", "    image: one:1.0.0", "    healthcheck: {test: [CMD, 'true']}", fields]
    return read_services("\n".join(lines), {"NAME": "value", "EMPTY": ""})["one"]


def test_services_come_after_those_they_depend_on_and_ours_run_without_rights() -> None:
    names = list(SERVICES)
    assert set(names) == set(yaml.safe_load(TEXT)["services"])
    for name, service in SERVICES.items():
        assert all(names.index(earlier) < names.index(name) for earlier in service.depends_on)
    for service in BUILT:
        assert service.read_only
        assert service.drops_rights
        assert service.tmpfs == ("/tmp",)  # noqa: S108 - of a container
        assert service.user == ""  # the image's
        assert service.grace == 120
        assert service is MODEL or set(service.depends_on) == {"redis", "neo4j", "qdrant", MODEL.name}
        assert service.hosts == ("host.docker.internal",)


def test_the_offline_model_has_an_entrance_of_its_own_and_no_secret() -> None:
    assert MODEL.entrypoint == ("python", "-m", "infra.offline_model")
    assert (MODEL.environment, MODEL.volumes, MODEL.depends_on) == ({}, {}, ())


def test_a_worker_has_its_command_volume_environment_and_health_check() -> None:
    worker = SERVICES["worker-bulk"]
    assert worker.command == ("worker", "bulk")
    assert worker.volumes == {"/var/lib/hopline/blobs": "blobs"}
    assert worker.environment["HOPLINE_REDIS_URL"] == f"redis://:{VALUES['REDIS_PASSWORD']}@redis:6379/0"
    assert worker.environment["HOPLINE_MODEL"] == "offline"  # of the env file
    health = worker.health
    assert health.command[:2] == ("/bin/sh", "-c")
    assert '"bulk@$(hostname)"' in health.command[2]
    assert (health.interval, health.timeout, health.start_period) == (30, 20, 60)
    assert (health.start_interval, health.retries) == (5, 3)
    assert SERVICES["api"].health.command[:2] == ("python", "-c"), "without a shell its words are kept"


def test_the_questions_and_names_are_those_of_the_demo_and_the_example() -> None:
    assert set(VALUES) == set(dotenv_values(ROOT / "infra" / "docker" / "hopline.env.example"))
    questions = [question.model_dump(exclude={"graph"}) for question in load_questions(DemoQuestion)]
    assert [question.model_dump() for question in demo_questions(ROOT)] == questions


def test_variables_are_filled_in_from_the_env_file_where_it_is_named() -> None:
    service = _one("    environment: {A: '${NAME}', B: 'x$NAME', C: '$${NAME}', D: 1}")
    assert service.environment == {"A": "value", "B": "xvalue", "C": "${NAME}", "D": "1"}
    assert _one("    command: [x]").environment == {}
    assert _one("    env_file: some.env\n    environment: {NAME: own}").environment["NAME"] == "own"
    assert _one("    env_file: some.env").environment["NAME"] == "value"


@pytest.mark.parametrize(("fields", "error"), [
    ("    environment: {A: '${EMPTY:?see the example}'}", "EMPTY.*see the example"),
    ("    environment: {A: '${MISSING:?see the example}'}", "MISSING.*see the example"),
    ("    cpuset: '0'", "cpuset"),  # of which nobody decided how to run it
    ("    volumes: ['./here:/there']", "volumes"),
    ("    volumes: ['name:/there:ro']", "volumes"),
    ("    volumes: ['/there']", "volumes"),
    ("    depends_on: [one]", "cycle"),
])  # fmt: skip
def test_what_cannot_be_run_is_refused(fields: str, error: str) -> None:
    with pytest.raises((InvalidInput, ValueError), match=error):
        _one(fields)


def test_a_duration_is_read_and_what_is_none_refused() -> None:
    lengths = {"120s": 120, "1m30s": 90, "2h": 7200, "250ms": 0.25, "1m": 60}
    assert {text: seconds(text) for text in lengths} == lengths
    for text in ("", "5", "s", "1s2m"):
        with pytest.raises(InvalidInput):
            seconds(text)


FORTH = Expectation(question="When?", shows="", words=("1890",), documents=1)


def _job(state: str, text: str = "", documents: int = 0) -> dict[str, Any]:
    citations = [{"kind": "document", "document": {"id": f"d{number}"}} for number in range(documents)]
    return {
        "id": "j",
        "state": state,
        "ended": state != "running",
        "outcome": {"text": text, "citations": citations},
    }


def _api(*replies: httpx.Response | Exception) -> ComposedApi:
    """An API that gives these replies one after another."""
    waiting = list(replies)

    def reply(_request: httpx.Request) -> httpx.Response:
        following = waiting.pop(0)
        if isinstance(following, Exception):
            raise following
        return following

    return ComposedApi("http://api.test", away_seconds=0, transport=httpx.MockTransport(reply))


def test_another_end_a_missing_word_or_too_few_documents_are_faults() -> None:
    FORTH.check(_job("done", "In 1890 [1].", documents=1))
    for job, fault in (
        (_job("abstained"), "ended abstained"),
        (_job("done", "In 1889.", documents=1), "1890"),
        (_job("done", "In 1890."), "cites 0 documents"),
    ):
        with pytest.raises(WrongAnswer, match=fault):
            FORTH.check(job)


def test_a_job_is_waited_for_while_the_api_is_away_and_a_refusal_told() -> None:
    away = httpx.ConnectError("refused"), httpx.Response(503)
    ended = httpx.Response(200, json=_job("done"))
    api = _api(*away, httpx.Response(200, json=_job("running")), ended)
    assert api.await_end("j")["state"] == "done"
    api = _api(httpx.Response(401, text="a key is needed"))
    with pytest.raises(WrongAnswer, match=r"POST /v1/queries: 401 a key is needed"):
        api.ask("When?")
