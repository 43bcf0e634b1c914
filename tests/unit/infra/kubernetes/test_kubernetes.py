"""The Kubernetes manifests, checked as far as they can be without a cluster.

Kustomize builds the example; each object is held against Kubernetes' own schemas, unknown fields refused. For
KEDA's two objects no Python package carries a schema: what matters in them is checked here by hand.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from typer.testing import CliRunner

from hopline.cli import app
from workers.settings import Settings
from workers.telemetry.queues import QUEUES, count_lists

ROOT = Path(__file__).resolve().parents[4]
MANIFESTS = ROOT / "infra" / "kubernetes"
EXAMPLE = MANIFESTS / "overlays" / "example"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SETTINGS = {f"HOPLINE_{name}".upper() for name in Settings.model_fields}
VERSIONS = ("1.29", "1.37")  # an old Kubernetes that is still run, and the newest whose schemas are there
Json = dict[str, Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """What `kubectl apply -k` would send, with made-up secrets."""
    if shutil.which("kubectl") is None:
        pytest.skip("no kubectl")
    copy = tmp_path_factory.mktemp("kubernetes") / "kubernetes"
    shutil.copytree(MANIFESTS, copy)
    example = copy / "overlays" / "example"
    secrets = (EXAMPLE / "secrets.env.example").read_text(encoding="utf-8")
    (example / "secrets.env").write_text(
        re.sub("=$", "=made-up", secrets, flags=re.MULTILINE), encoding="utf-8"
    )
    command, environment = ["kubectl", "kustomize", str(example)], os.environ | {"HOME": str(copy)}
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=180, env=environment
    )
    assert result.returncode == 0, result.stderr
    return list(yaml.safe_load_all(result.stdout))


def _named(built: list[Json], kind: str, name: str) -> Json:
    return next(
        manifest
        for manifest in built
        if manifest["kind"] == kind and manifest["metadata"]["name"].startswith(name)
    )


def _ours(built: list[Json]) -> list[Json]:
    return [
        manifest
        for manifest in built
        if manifest["metadata"].get("labels", {}).get("hopline.process") == "ours"
    ]


def _container(workload: Json) -> Json:
    containers: list[Json] = workload["spec"]["template"]["spec"]["containers"]
    assert len(containers) == 1
    return containers[0]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_follows_kubernetes_own_schema_which_would_refuse_a_misspelt_field(built, version):
    checked = [manifest for manifest in built if not manifest["apiVersion"].startswith("keda.sh/")]
    assert len(checked) > 15
    for manifest in checked:
        kubernetes_validate.validate(manifest, version, strict=True)
    worker = _named(built, "Deployment", "worker-bulk")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(
            {**worker, "spec": {**worker["spec"], "replica": 2}}, version, strict=True
        )


def test_there_is_the_api_and_a_worker_for_every_queue_with_commands_that_exist(built: list[Json]) -> None:
    names = {workload["metadata"]["name"] for workload in _ours(built)}
    assert names >= {f"worker-{queue}" for queue in QUEUES} | {"api"}
    for workload in _ours(built):
        reply = CliRunner().invoke(app, [*_container(workload)["args"], "--help"])
        assert reply.exit_code == 0, reply.output
    for queue in QUEUES:  # asked under its own name
        probe = _container(_named(built, "Deployment", f"worker-{queue}"))["livenessProbe"]
        assert f'"{queue}@$(hostname)"' in probe["exec"]["command"][-1]


def test_settings_variables_and_secrets_are_those_that_exist(built: list[Json]) -> None:
    settings = set(_named(built, "ConfigMap", "hopline-settings")["data"])
    assert settings <= SETTINGS
    assert not [name for name in settings if re.search("PASSWORD|KEY|SECRET", name)]
    for workload in _ours(built):
        variables = {entry["name"] for entry in _container(workload)["env"]}
        assert variables - {"REDIS_PASSWORD"} <= SETTINGS
    """Kubernetes fills in $(NAME) only where NAME was defined before."""
    for workload in [*_ours(built), _named(built, "StatefulSet", "neo4j")]:
        known: set[str] = set()
        for entry in _container(workload)["env"]:
            assert set(re.findall(r"\$\((\w+)\)", entry.get("value", ""))) <= known
            known.add(entry["name"])
    held = set(_named(built, "Secret", "hopline-secrets")["data"])
    text = "\n".join(path.read_text(encoding="utf-8") for path in MANIFESTS.rglob("*.yaml"))
    assert set(re.findall(r"name: hopline-secrets, key: (\w+)", text)) == held
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "infra/kubernetes/overlays/*/secrets.env" in lines


def test_every_process_is_watched_bounded_without_rights_and_given_time_to_finish(built: list[Json]) -> None:
    for workload in _ours(built):
        pod, container = workload["spec"]["template"]["spec"], _container(workload)
        assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
        assert "memory" in container["resources"]["limits"]
        assert pod["terminationGracePeriodSeconds"] >= 60
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
        if "rollingUpdate" in workload["spec"]["strategy"]:
            assert workload["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_the_servers_are_those_of_the_composed_stack(built: list[Json]) -> None:
    for name in ("redis", "neo4j", "qdrant"):
        assert _container(_named(built, "StatefulSet", name))["image"] == COMPOSE["services"][name]["image"]
    environment = {
        variable["name"]: variable.get("value")
        for variable in _container(_named(built, "StatefulSet", "neo4j"))["env"]
    }
    composed = COMPOSE["services"]["neo4j"]["environment"]
    shared = set(environment) & set(composed) - {"NEO4J_AUTH"}
    assert len(shared) > 8
    assert {name: environment[name] for name in shared} == {name: composed[name] for name in shared}


def test_bulk_workers_are_scaled_by_all_the_lists_of_their_queue(built: list[Json]) -> None:
    scaled = _named(built, "ScaledObject", "worker-bulk")["spec"]
    triggers = scaled["triggers"]
    assert [trigger["metadata"]["listName"] for trigger in triggers] == count_lists("bulk")
    assert {trigger["type"] for trigger in triggers} == {"redis"}
    names = [trigger["name"] for trigger in triggers]
    assert scaled["advanced"]["scalingModifiers"]["formula"] == " + ".join(names)
    assert all(isinstance(value, str) for trigger in triggers for value in trigger["metadata"].values())
    assert scaled["minReplicaCount"] >= 1
    target = _named(built, "Deployment", scaled["scaleTargetRef"]["name"])
    assert "replicas" not in target["spec"], "how many there are is KEDA's to say"
    login = _named(built, "TriggerAuthentication", triggers[0]["authenticationRef"]["name"])
    assert login["spec"]["secretTargetRef"][0]["parameter"] == "password"
