"""Weights of tenants by the command line, over a Redis in memory."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from doubles.memory_redis import memory_redis, services_over
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client.hopline import Hopline
from producer.service.service import Service
from workers.core.audit import AuditEvent
from workers.history.books import EVENTS
from workers.services import Services

Run = Callable[..., Result]


@pytest.fixture
def services() -> Services:
    return services_over(memory_redis())


@pytest.fixture
def run(services: Services, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("producer.commands.client.greet_redis", lambda _url: None)
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    monkeypatch.setattr("producer.client.hopline.Hopline", lambda _settings: Hopline(services=services))
    return lambda *args: CliRunner().invoke(app, ["weights", *args])


def made_key(services: Services, name: str) -> str:
    return Service(services=services).keys.create(name, frozenset({"submit"}))[0].id


def stored(run: Run) -> list[tuple[str, str, float, str]]:
    listed = json.loads(run("--json").stdout)["weights"]
    return [(each["kind"], each["name"], each["weight"], each["called"]) for each in listed]


def test_weights_are_set_listed_changed_and_taken_away(services: Services, run: Run) -> None:
    key = made_key(services, "nightly")
    assert "same share" in run().stdout
    assert run("set", "--collection", "legal", "3").exit_code == 0
    assert run("set", "--key", "nightly", "0.5").exit_code == 0
    assert stored(run) == [("collection", "legal", 3.0, ""), ("key", key, 0.5, "nightly")]
    assert run("set", "--key", key, "2").exit_code == 0
    assert "nightly" in run().stdout
    removed = run("remove", "--collection", "legal", "--json")
    assert [each["weight"] for each in json.loads(removed.stdout)["weights"]] == [2.0]
    assert run("remove", "--key", "nightly").exit_code == 0
    assert stored(run) == []


def test_the_weight_of_a_revoked_key_is_taken_away_by_its_id(services: Services, run: Run) -> None:
    key = made_key(services, "gone")
    run("set", "--key", key, "2")
    Service(services=services).keys.revoke(key)
    assert stored(run) == [("key", key, 2.0, "")]
    assert run("remove", "--key", key).exit_code == 0


def test_no_weight_is_taken_away_from_one_of_several_keys_of_a_name(services: Services, run: Run) -> None:
    keys = sorted(made_key(services, "twin") for _ in range(2))
    for key in keys:
        run("set", "--key", key, "2")
    result = run("remove", "--key", "twin")
    assert result.exit_code != 0
    assert "one of its keys" in " ".join(result.output.split())
    assert [name for _, name, _, _ in stored(run)] == keys


def test_the_audit_of_a_collection_holds_who_changed_its_weight(services: Services, run: Run) -> None:
    run("set", "--collection", "legal", "2")
    run("remove", "--collection", "legal")
    events = [AuditEvent.model_validate_json(text) for text in services.redis.hvals(EVENTS.waiting)]
    assert [(event.act, event.collection) for event in events] == [("set", "legal"), ("clear", "legal")]


def test_the_audit_names_a_key_by_its_id_whose_weight_is_taken_away(services: Services, run: Run) -> None:
    key = made_key(services, "nightly")
    run("set", "--key", "nightly", "2")
    run("remove", "--key", "nightly")
    events = [AuditEvent.model_validate_json(text) for text in services.redis.hvals(EVENTS.waiting)]
    ended = {
        (event.act, event.target) for event in events if event.kind == "weight" and event.outcome == "done"
    }
    assert ended == {("set", f"key {key}"), ("clear", f"key {key}")}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("set", "3"), "one of them"),
        (("set", "--key", "k", "--collection", "c", "3"), "one of them"),
        (("set", "--collection", "legal", "0"), "0.1 to 100"),
        (("set", "--collection", "legal", "nan"), "0.1 to 100"),
        (("set", "--collection", "a b", "3"), "collection"),
        (("set", "--key", "unknown", "3"), "no key unknown"),
        (("set", "--key", "twin", "3"), "one of its keys"),
        (("remove", "--collection", "legal"), "has no weight"),
    ],
)
def test_what_is_not_valid_is_refused(
    services: Services, run: Run, arguments: tuple[str, ...], why: str
) -> None:
    for _ in range(2):
        made_key(services, "twin")
    result = run(*arguments)
    assert result.exit_code != 0
    assert why in " ".join(result.output.split())
    assert stored(run) == []
