"""API keys by the command line, over a Redis in memory."""

import json

import pytest
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
    monkeypatch.setattr("producer.service.service.Service", lambda: Service(services=services))
    return lambda *args: run_hopline("keys", *args)


def made(run: Run, *args: str) -> dict:
    return json.loads(run("create", *args, "--yes", "--json").stdout)


def test_a_key_is_made_listed_changed_and_deleted(services: Services, run: Run) -> None:
    key = made(
        run, "ann", "--scope", "submit", "--scope", "act-as", "-c", "legal", "--as", "user:ann,group:law"
    )
    assert (key["scopes"], key["collections"]) == (["act-as", "submit"], ["legal"])
    assert key["key"].startswith(f"hop_{key['id']}_")
    shown = {name: value for name, value in key.items() if name not in {"key", "webhook_secret"}}
    assert json.loads(run("list", "--json").stdout) == {"keys": [shown], "needed": True}
    row = " ".join(run("list").stdout.splitlines()[-1].split())
    assert row == f"ann {key['id']} act-as, submit legal what is allowed to user:ann, group:law"
    assert run("change", "ann", "--as", "user:bo").stderr.endswith("sees what is allowed to user:bo.\n")
    assert run("change", key["id"][:6], "--everything").stderr.endswith("sees everything.\n")
    assert services.redis.hexists("hop:api-keys", key["id"])
    assert json.loads(run("show", "ann", "--json").stdout)["id"] == key["id"]
    asked = run("delete", "ann")
    assert (asked.exit_code, "Delete key ann" in asked.stderr, "--yes" in asked.stderr) == (2, True, True)
    assert "there is no key any more" in " ".join(run("delete", "ann", "--yes").stderr.lower().split())
    assert "there is no key ann" in run("delete", "ann", "--yes").stderr


def test_the_first_key_alone_is_asked_about(run: Run) -> None:
    assert "none is needed" in run("list").stdout
    refused = run("create", "ann")
    assert (refused.exit_code, "add --yes" in refused.stderr) == (2, True)
    key = made(run, "ann")
    assert run("create", "bo").stdout.startswith("hop_")
    for each in json.loads(run("list", "--json").stdout)["keys"]:
        run("delete", each["id"], "--yes")
    assert "the API still needs one" in " ".join(run("list").stdout.split())
    assert run("webhook-secret", key["id"]).exit_code == 3
    assert run("open").exit_code == 0
    assert "none is needed" in run("list").stdout


def test_the_secret_that_signs_is_shown_again(run: Run) -> None:
    key = made(run, "hooks")
    assert run("webhook-secret", key["id"][:7]).stdout.strip() == key["webhook_secret"]
    assert run("webhook-secret").stdout.strip() != key["webhook_secret"]


def test_a_key_with_act_as_alone_is_warned_of(run: Run) -> None:
    assert "opens nothing" in run("create", "ann", "--scope", "act-as", "--yes").stderr


@pytest.mark.parametrize(("args", "said"), [
    (("a/b",), "name is 'a/b'"),
    (("ann", "--scope", "all"), "--scope is 'all', but must be 'read', 'submit', 'admin' or 'act-as'"),
    (("ann", "--as", "ann"), "--as is"),
    (("ann", "--scope", "admin", "--as", "user:ann"), "admin sees everything"),
])  # fmt: skip
def test_a_key_that_is_not_valid_is_not_made(run: Run, args: tuple[str, ...], said: str) -> None:
    refused = run("create", *args, "--yes")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert said in " ".join(refused.stderr.split())
    assert json.loads(run("list", "--json").stdout)["keys"] == []


def test_a_change_says_whom_the_key_reads_for(run: Run) -> None:
    key = made(run, "ann")
    for args in ((), ("--as", "user:ann", "--everything")):
        assert run("change", key["id"], *args).exit_code == 2
