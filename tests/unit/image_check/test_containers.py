"""Containers without an engine, run from an image that holds nothing but the machine's own programs."""

import json
import os
from pathlib import Path

import pytest
from image_check.compose import HealthCheck, Service
from image_check.composed import ComposedService, hosts_text
from image_check.image import Image
from image_check.machine import fault

from infra.local.process import StartFailed

UNFIT = fault()
pytestmark = pytest.mark.skipif(UNFIT is not None, reason=str(UNFIT))

PROGRAMS = [name for name in ("usr", "bin", "lib", "lib64", "sbin") if Path("/", name).exists()]
LOOK = """
import json, os, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
def writes(path):
    try:
        open(path, "w").close()
    except OSError:
        return False
    return True
print(json.dumps({
    "host": socket.gethostname(), "ids": [os.getuid(), os.getgid(), os.getgroups()], "folder": os.getcwd(),
    "rights": [status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs")],
    "writes": {path: writes(path) for path in ("/file", "/data/file", "/scratch/file", "/dev/null")},
    "names": socket.gethostbyname("redis"), "environment": dict(os.environ),
}))
"""


@pytest.fixture
def image(tmp_path: Path) -> Image:
    """A root of empty folders, with a user; the machine's programs are mounted there."""
    root = tmp_path / "image"
    for name in ("etc", "proc", "dev", "data", "scratch"):
        (root / name).mkdir(parents=True)
    for name in PROGRAMS:
        (root / name).mkdir()
    (root / "etc" / "passwd").write_text("someone:x:10001:10002::/:/bin/sh\n")
    environment = {"PATH": "/usr/bin:/bin"}
    return Image(root=root, base="", user="someone", folder="/data", entrypoint=(), environment=environment)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a run writes; the machine's programs are volumes of it."""
    volumes = tmp_path / "run" / "volumes"
    volumes.mkdir(parents=True)
    (tmp_path / "run" / "hosts").write_text(hosts_text(("redis",)))
    for name in PROGRAMS:
        (volumes / name).symlink_to(Path("/", name))
    return tmp_path / "run"


def _service(*command: str, health: HealthCheck | None = None, grace: float = 120) -> Service:
    return Service(
        name="one",
        is_built=True,
        image="",
        command=command,
        environment={"OWN": "value"},
        volumes={**{f"/{name}": name for name in PROGRAMS}, "/data": "data"},
        tmpfs=("/scratch",),
        read_only=True,
        drops_rights=True,
        health=health or HealthCheck(command=("true",), start_interval=0.1, start_period=600),
        grace=grace,
    )


def test_a_process_has_the_user_rights_files_and_names_of_a_container(image: Image, folder: Path) -> None:
    os.chown(image.root / "data", 10001, 10002)  # a new volume belongs to whom the image's folder belongs to
    service = ComposedService(_service("true"), image, folder)
    seen = json.loads(service.run_once("python3", "-c", LOOK))
    assert seen["host"] == "one-run"
    assert seen["ids"] == [10001, 10002, []]
    assert seen["folder"] == "/data"
    assert seen["rights"] == ["0" * 16, "0" * 16, "0" * 16, "1"]
    assert seen["writes"] == {"/file": False, "/data/file": True, "/scratch/file": True, "/dev/null": True}
    assert seen["names"] == "127.0.0.1"
    assert seen["environment"].items() >= {"OWN": "value", "HOSTNAME": "one-run", "HOME": "/data"}.items()
    assert "PYTHONPATH" not in seen["environment"]
    assert not list((image.root / "scratch").iterdir())
    assert (folder / "volumes" / "data" / "file").stat().st_uid == 10001


@pytest.mark.parametrize(("script", "well", "grace", "code"), [
    ("exec sleep 600", 'test "$(hostname)" = one && test "$(id -u)" = 10001', 120, -15),
    ("trap '' TERM; touch /scratch/ready; while :; do sleep 1; done", "test -e /scratch/ready", 0.2, -9),
])  # fmt: skip
def test_a_service_stops_when_told_to_or_is_killed_after_its_grace(image, folder, script, well, grace, code):
    health = HealthCheck(command=("/bin/sh", "-c", well), start_interval=0.1, start_period=600)
    service = ComposedService(_service("/bin/sh", "-c", script, health=health, grace=grace), image, folder)
    service.start()
    stop = service.stop()
    assert (stop.code, stop.in_time) == (code, code == -15)


@pytest.mark.parametrize(("script", "health", "error"), [
    ("echo reason; sleep 600", HealthCheck(command=("false",), retries=2, interval=0.1), "not healthy"),
    (
        "echo reason; exit 3",
        HealthCheck(command=("false",), start_interval=60, start_period=600),
        "(?s)code 3.*reason",
    ),
])  # fmt: skip
def test_a_service_that_is_never_well_or_ends_is_given_up_with_its_log(image, folder, script, health, error):
    service = ComposedService(_service("/bin/sh", "-c", script, health=health), image, folder)
    with pytest.raises(StartFailed, match=error):
        service.start()
