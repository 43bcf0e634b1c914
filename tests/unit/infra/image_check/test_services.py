"""What docker-compose.yml says is read into what `make image-check` runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from dotenv import dotenv_values

from infra.image_check.compose import Service, read_services, seconds
from infra.image_check.servers import env_file
from workers.core.errors import InvalidInput
from workers.telemetry.queues import QUEUES, SUBMISSIONS

ROOT = Path(__file__).resolve().parents[4]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
VALUES = env_file()
SERVICES = read_services(TEXT, VALUES)
BUILT = [name for name, service in SERVICES.items() if service.is_built]


def _one(fields: str) -> Service:
    """A file with one service of these lines."""
    lines = ["services:", "  one:", "    image: one:1.0.0", "    healthcheck: {test: [CMD, 'true']}", fields]
    return read_services("\n".join(lines), {"NAME": "value", "EMPTY": ""})["one"]


def test_every_service_of_the_file_is_read_after_those_that_it_depends_on() -> None:
    names = list(SERVICES)
    assert set(names) == set(yaml.safe_load(TEXT)["services"])
    for name, service in SERVICES.items():
        assert all(names.index(earlier) < names.index(name) for earlier in service.depends_on)


def test_workers_beat_the_api_and_flower_are_run_from_our_image() -> None:
    workers = {f"worker-{queue}" for queue in (*QUEUES, SUBMISSIONS)}
    assert set(BUILT) == {"beat", "api", "flower"} | workers


@pytest.mark.parametrize("name", BUILT)
def test_ours_run_without_rights_on_files_that_nothing_writes(name: str) -> None:
    service = SERVICES[name]
    assert service.read_only
    assert service.drops_rights
    assert service.tmpfs == ("/tmp",)  # noqa: S108 - of a container
    assert service.user == ""  # the image's
    assert service.grace == 120
    assert set(service.depends_on) == {"redis", "neo4j", "qdrant"}
    assert service.hosts == ("host.docker.internal",)


def test_a_worker_has_its_command_volume_environment_and_health_check() -> None:
    worker = SERVICES["worker-bulk"]
    assert worker.command == ("worker", "bulk")
    assert worker.volumes == {"/var/lib/hopline/blobs": "blobs"}
    assert worker.environment["HOPLINE_REDIS_URL"] == f"redis://:{VALUES['REDIS_PASSWORD']}@redis:6379/0"
    assert worker.environment["HOPLINE_MODEL"] == "offline"  # of the env file
    assert worker.health.command[:2] == ("/bin/sh", "-c")
    assert '"bulk@$(hostname)"' in worker.health.command[2]
    times = worker.health.interval, worker.health.timeout, worker.health.start_period
    assert (*times, worker.health.start_interval, worker.health.retries) == (30, 20, 60, 5, 3)


def test_a_check_without_a_shell_keeps_its_words() -> None:
    assert SERVICES["api"].health.command[:2] == ("python", "-c")
    assert len(SERVICES["api"].health.command) == 3


def test_what_fills_the_env_file_in_has_the_names_of_the_example() -> None:
    assert set(VALUES) == set(dotenv_values(ROOT / "infra" / "docker" / "hopline.env.example"))


def test_a_variable_is_filled_in_and_a_doubled_sign_stays_one() -> None:
    service = _one("    environment: {A: '${NAME}', B: 'x$NAME', C: '$${NAME}', D: 1}")
    assert service.environment == {"A": "value", "B": "xvalue", "C": "${NAME}", "D": "1"}


@pytest.mark.parametrize("name", ["EMPTY", "MISSING"])
def test_a_required_variable_that_is_missing_or_empty_is_named_with_its_text(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name}.*see the example"):
        _one(f"    environment: {{A: '${{{name}:?see the example}}'}}")


def test_a_service_has_the_env_file_only_where_it_names_it() -> None:
    assert _one("    command: [x]").environment == {}
    assert _one("    env_file: some.env\n    environment: {NAME: own}").environment["NAME"] == "own"
    assert _one("    env_file: some.env").environment["NAME"] == "value"


def test_a_key_of_which_nobody_decided_how_to_run_it_is_refused() -> None:
    with pytest.raises(InvalidInput, match="cpuset"):
        _one("    cpuset: '0'")


@pytest.mark.parametrize("volume", ["./here:/there", "name:/there:ro", "/there"])
def test_a_volume_that_is_not_a_named_one_is_refused(volume: str) -> None:
    with pytest.raises(InvalidInput, match="volumes"):
        _one(f"    volumes: ['{volume}']")


def test_services_that_depend_on_one_another_in_a_circle_are_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        _one("    depends_on: [one]")


@pytest.mark.parametrize(
    ("text", "length"), [("120s", 120), ("1m30s", 90), ("2h", 7200), ("250ms", 0.25), ("1m", 60)]
)
def test_a_duration_is_read(text: str, length: float) -> None:
    assert seconds(text) == length


@pytest.mark.parametrize("text", ["", "5", "s", "1s2m"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        seconds(text)
