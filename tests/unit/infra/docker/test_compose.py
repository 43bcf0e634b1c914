"""docker-compose.yml is checked here as far as it can be without a Docker engine."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from dotenv import dotenv_values
from flower.command import is_flower_envvar
from typer.testing import CliRunner

from hopline.cli import app
from infra.local.jars import listed_jars
from infra.local.settings import EMBEDDERS
from workers.settings import Settings
from workers.telemetry.queues import QUEUES, SUBMISSIONS

ROOT = Path(__file__).resolve().parents[4]
COMPOSE = ROOT / "docker-compose.yml"
DOCKER = ROOT / "infra" / "docker"
EXAMPLE = DOCKER / "hopline.env.example"
STACK: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = STACK["services"]
OURS = sorted(name for name, service in SERVICES.items() if "build" in service)
SETTINGS = {f"HOPLINE_{name}".upper() for name in Settings.model_fields}
_ASKED = re.compile(r"(?<!\$)\$\{(\w+)")


def _is_valid(file: Path) -> bool:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    return subprocess.run(command, capture_output=True, check=False, timeout=180).returncode == 0


def test_the_file_follows_the_compose_specification_which_would_refuse_a_misspelt_key(tmp_path: Path) -> None:
    assert _is_valid(COMPOSE)
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(COMPOSE.read_text().replace("stop_grace_period:", "stop_grace:", 1))
    assert not _is_valid(wrong)


def test_the_stack_has_its_servers_and_processes_published_on_the_loopback_alone() -> None:
    workers = {f"worker-{queue}" for queue in (*QUEUES, SUBMISSIONS)}
    assert set(SERVICES) == {"redis", "neo4j", "qdrant", "flower", "api", "beat", "offline-model"} | workers
    assert set(OURS) == {"flower", "api", "beat", "offline-model"} | workers
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"flower": ["127.0.0.1:5555:5555"], "api": ["127.0.0.1:8400:8400"]}
    mounts = [mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", ())]
    assert set(mounts) == set(STACK["volumes"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_watched_restarted_given_time_to_stop_bounded_and_pinned(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"][0] in {"CMD", "CMD-SHELL"}
    assert {"interval", "timeout", "retries", "start_period"} <= set(service["healthcheck"])
    assert service["restart"] in {"always", "unless-stopped"}
    assert "stop_grace_period" in service
    assert "memory" in service["deploy"]["resources"]["limits"]
    assert re.search(r":v?\d+\.\d+\.\d+(-[\w.]+)?$", service["image"])


def test_images_are_of_our_version_and_of_those_that_stack_and_client_have() -> None:
    neo4j = next(jar.version for jar in listed_jars() if (jar.group, jar.artifact) == ("org.neo4j", "neo4j"))
    assert SERVICES["neo4j"]["image"] == f"neo4j:{neo4j}-community"
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    client = re.search(r"^qdrant-client==(\d+\.\d+)\.", pins, re.MULTILINE)
    assert client is not None
    assert SERVICES["qdrant"]["image"].startswith(f"qdrant/qdrant:v{client[1]}.")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {SERVICES[name]["image"] for name in OURS} == {f"hopline:{project['version']}"}


@pytest.mark.parametrize("name", sorted(set(OURS) - {"offline-model"}))
def test_every_setting_that_is_set_and_every_command_exists(name: str) -> None:
    """The command line is asked for the command's help: an unknown option or argument is a usage error."""
    variables = set(SERVICES[name]["environment"])
    assert {variable for variable in variables if variable.startswith("HOPLINE_")} <= SETTINGS
    assert all(is_flower_envvar(variable) for variable in variables if variable.startswith("FLOWER_"))
    assert all(variable.startswith(("HOPLINE_", "FLOWER_")) for variable in variables - {"TMPDIR"})
    reply = CliRunner().invoke(app, [*SERVICES[name]["command"], "--help"])
    assert reply.exit_code == 0, reply.output


def test_workers_serve_their_queues_under_their_own_names_share_blobs_and_can_be_many() -> None:
    """A fixed name or a published port would be two containers' at once with --scale."""
    for queue in (*QUEUES, SUBMISSIONS):
        service = SERVICES[f"worker-{queue}"]
        assert service["command"] == ["worker", queue]
        assert f'"{queue}@$$(hostname)"' in service["healthcheck"]["test"][1]
        assert f"blobs:{service['environment']['HOPLINE_BLOB_URL']}" in service["volumes"]
        assert not {"container_name", "hostname", "ports", "scale"} & set(service)
        assert "replicas" not in service["deploy"]
    assert SERVICES["worker-bulk"]["stop_grace_period"] == "120s", "time to finish a call"
    assert Settings(_env_file=None).model_timeout < 120


def test_the_offline_model_is_there_where_it_is_asked_for_and_the_example_says_how() -> None:
    model, worker = SERVICES["offline-model"], SERVICES["worker-bulk"]
    assert [name for name, service in SERVICES.items() if "profiles" in service] == ["offline-model"]
    assert worker["depends_on"]["offline-model"] == {"condition": "service_healthy", "required": False}
    assert not any(model[name] for name in ("env_file", "environment", "volumes", "depends_on"))
    shown = dict(re.findall(r"^#   (\w+)=(\S+)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    assert shown["COMPOSE_PROFILES"] in model["profiles"]
    assert shown["HOPLINE_MODEL_URL"] == "http://offline-model:" + model["command"][-1] + "/v1"
    assert shown["HOPLINE_EMBEDDING_MODEL"] in EMBEDDERS
    assert Settings(_env_file=None).model == shown["HOPLINE_MODEL"]
    blanks = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert all(blanks.count(f"{name}=") == 1 for name in shown), "each is there to be filled in"


def test_secrets_come_from_the_env_file_alone_and_its_example_holds_none() -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    secret = re.compile(r"^\s*\w*(?:PASSWORD|API_KEY|AUTH)\w*: *(.+)$", re.MULTILINE)
    assert all("${" in value and ":?" in value for value in secret.findall(text))
    assert set(_ASKED.findall(text)) <= set(dotenv_values(EXAMPLE))
    example = dotenv_values(EXAMPLE)
    assert set(example) - {"REDIS_PASSWORD", "COMPOSE_PROFILES"} <= SETTINGS
    assert not any(example.values())
    assert "infra/docker/hopline.env" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "infra/docker" in (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()


def test_redis_is_durable_and_closed_and_neo4j_set_as_in_the_local_stack() -> None:
    script = SERVICES["redis"]["command"][-1]
    assert "requirepass" in script
    options = ("--appendonly yes", "--appendfsync everysec", "--maxmemory-policy noeviction", "--dir /data")
    options += ("--client-output-buffer-limit normal", "--rdb-version-check relaxed")
    assert all(option in script for option in options)
    local = (ROOT / "infra" / "local" / "neo4j.conf").read_text(encoding="utf-8")
    settings = {_setting(name): value for name, value in SERVICES["neo4j"]["environment"].items()}
    shared = [line.split("=", 1) for line in local.splitlines() if "=" in line and "{" not in line]
    same = {name: value for name, value in shared if name in settings}
    assert set(same) >= {
        "dbms.security.procedures.allowlist",
        "dbms.security.procedures.unrestricted",
        "dbms.cypher.min_replan_interval",
    }
    assert {name: settings[name] for name in same} == same


def _setting(name: str) -> str:
    """Return the setting that the image makes of a variable: one underscore is a point, two are one."""
    return name.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".").replace("\0", "_")


def test_the_image_is_built_from_pins_of_what_exists_and_runs_without_rights() -> None:
    lines = (DOCKER / "Dockerfile").read_text(encoding="utf-8").splitlines()
    last_stage = lines[max(i for i, line in enumerate(lines) if line.startswith("FROM")) :]
    assert "USER hopline" in last_stage
    for name in OURS:
        assert SERVICES[name]["cap_drop"] == ["ALL"]
        assert SERVICES[name]["read_only"] is True
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    assert "pip install -c constraints.txt" in text
    assert "[local" not in text
    bases = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(bases) > 1
    assert all(re.search(r":\d+\.\d+\.\d+-", base) for base in bases)
    text = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
    let_through = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [
        word for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for word in line.split()
    ]
    assert copied
    for word in copied:
        assert (ROOT / word).exists()
        assert f"!{word}" in let_through
