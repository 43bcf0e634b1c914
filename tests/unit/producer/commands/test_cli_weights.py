"""Weights of tenants by the command line, over a Redis in memory."""

import json

import pytest
from doubles.audited import noted
from doubles.command_line import Run, run_hopline, work_on
from doubles.memory_redis import memory_redis, services_over

from producer.service.service import Service
from workers.services import Services


@pytest.fixture
def services() -> Services:
    return services_over(memory_redis())


@pytest.fixture
def run(services: Services, monkeypatch: pytest.MonkeyPatch) -> Run:
    work_on(monkeypatch, services)
    return lambda *args: run_hopline("weights", *args)


def made_key(services: Services, name: str) -> str:
    return Service(services=services).keys.create(name, frozenset({"submit"}))[0].id


def stored(run: Run) -> list[tuple[str, str, float, str]]:
    listed = json.loads(run("--json").stdout)["weights"]
    return [(each["kind"], each["name"], each["weight"], each["called"]) for each in listed]


def test_weights_are_set_listed_changed_and_removed_and_the_audit_tells(services: Services, run: Run) -> None:
    key = made_key(services, "nightly")
    assert "same share" in run().stdout
    assert run("set", "--collection", "legal", "3").exit_code == 0
    assert run("set", "--key", "nightly", "0.5").exit_code == 0
    assert stored(run) == [("collection", "legal", 3.0, ""), ("key", key, 0.5, "nightly")]
    assert run("set", "--key", key, "2").exit_code == 0
    assert "nightly" in run().stdout
    removed = run("delete", "--collection", "legal", "--json")
    assert [each["weight"] for each in json.loads(removed.stdout)["weights"]] == [2.0]
    assert run("delete", "--key", "nightly").exit_code == 0
    assert stored(run) == []
    weighed = [event for event in noted(services) if event.kind == "weight"]
    acts = sorted((event.act, event.collection or event.target) for event in weighed)
    of_key = [("clear", f"key {key}"), ("set", f"key {key}"), ("set", f"key {key}")]
    assert acts == sorted([*of_key, ("clear", "legal"), ("set", "legal")])


def test_a_weight_of_a_revoked_key_goes_by_its_id_and_none_by_the_name_of_several(services, run):
    key = made_key(services, "gone")
    run("set", "--key", key, "2")
    Service(services=services).keys.revoke(key)
    assert stored(run) == [("key", key, 2.0, "")]
    assert run("delete", "--key", key).exit_code == 0
    keys = sorted(made_key(services, "twin") for _ in range(2))
    for key in keys:
        run("set", "--key", key, "2")
    assert "one of its keys" in " ".join(run("delete", "--key", "twin").output.split())
    assert [name for _, name, _, _ in stored(run)] == keys


@pytest.mark.parametrize(("arguments", "why"), [
    (("set", "3"), "one of them"),
    (("set", "--key", "k", "--collection", "c", "3"), "one of them"),
    (("set", "--collection", "legal", "0"), "0.1 to 100"),
    (("set", "--collection", "legal", "nan"), "0.1 to 100"),
    (("set", "--collection", "a b", "3"), "collection"),
    (("set", "--key", "unknown", "3"), "no key unknown"),
    (("set", "--key", "twin", "3"), "one of its keys"),
    (("delete", "--collection", "legal"), "has no weight"),
])  # fmt: skip
def test_what_is_wrong_is_refused(services: Services, run: Run, arguments: tuple[str, ...], why: str) -> None:
    for _ in range(2):
        made_key(services, "twin")
    result = run(*arguments)
    assert result.exit_code != 0
    assert why in " ".join(result.output.split())
    assert stored(run) == []
