"""What goes into a build and what a container is made of, without building or running one."""

from __future__ import annotations

from configparser import ConfigParser
from pathlib import Path

import pytest

from infra.image_check.compose import read_services
from infra.image_check.composed import container_environment, user_ids
from infra.image_check.container import entrance, is_inside
from infra.image_check.image import DOCKERFILE, Builder, BuildFailed, base_name, unpacked
from infra.image_check.pip_settings import configuration
from infra.image_check.servers import env_file
from infra.local.process import StartFailed

ROOT = Path(__file__).resolve().parents[4]
CONFIG = {
    "User": "hopline",
    "Env": ["PATH=/opt/hopline/bin:/bin", "HOPLINE_VAR=/var/lib/hopline"],
    "Entrypoint": ["hopline"],
    "WorkingDir": "/var/lib/hopline",
}


def test_all_stages_of_our_image_have_one_base_of_a_debian_release_and_several_are_refused() -> None:
    name = base_name((ROOT / DOCKERFILE).read_text(encoding="utf-8"))
    assert name.startswith("python:3.11.")
    assert name.rpartition("-")[2] == "bookworm"
    with pytest.raises(BuildFailed, match=r"a:1\.0, b:1\.0"):
        base_name("FROM a:1.0 AS build\nRUN x\nFROM b:1.0\n")


def test_pips_settings_are_passed_on_and_a_variable_is_stronger_than_a_file(tmp_path: Path) -> None:
    certificate = tmp_path / "ca.pem"
    certificate.touch()
    settings = ("global.timeout='15'", ":env:.timeout='180'", f":env:.cert='{certificate}'")
    listed = "\n".join((*settings, "install.no-binary='one\\ntwo'"))
    text, volumes = configuration(listed)
    read = ConfigParser()
    read.read_string(text)
    assert read["global"]["timeout"] == "180"
    assert read["install"]["no-binary"].split() == ["one", "two"]
    assert volumes == [f"{certificate}:{read['global']['cert']}:ro"]
    assert configuration("") == ("", [])


def test_a_container_has_the_images_environment_and_over_it_the_files() -> None:
    image = unpacked(Path("/image"), "a base", CONFIG)
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    environment = container_environment(read_services(text, env_file())["flower"], image)
    assert environment["PATH"] == "/opt/hopline/bin:/bin"
    assert environment["FLOWER_DB"] == "/var/lib/hopline/flower/flower.db"
    assert environment["HOME"] == "/var/lib/hopline"


def test_a_user_is_looked_up_in_the_image(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "passwd").write_text("root:x:0:0::/root:/bin/sh\nhopline:x:10001:10002::/:/bin/no\n")
    assert user_ids(tmp_path, "hopline") == (10001, 10002)
    assert user_ids(tmp_path, "") == (0, 0)
    with pytest.raises(StartFailed, match="stranger"):
        user_ids(tmp_path, "stranger")


def test_a_health_check_runs_in_the_containers_spaces_as_its_user(tmp_path: Path) -> None:
    command = entrance(7, (10001, 10002), ("python", "-c", "pass"))
    assert command[:3] == ("nsenter", "--target", "7")
    assert {"--mount", "--uts", "--root", "--setuid=10001", "--setgid=10002"} <= set(command)
    assert command[-3:] == ("python", "-c", "pass")
    assert not any(is_inside(process, tmp_path) for process in (0, 2**30)), "with other files, or gone"


def test_a_step_that_fails_is_told_with_what_it_printed(tmp_path: Path) -> None:
    """A step's output, such as pip's reason, is the tool's own output; only the tool's errors are its log."""
    builder = Builder(ROOT, tmp_path, alone=("env",))
    with pytest.raises(BuildFailed, match=r"(?s)code 3.*no such package"):
        builder.run("sh", "-c", "echo no such package; exit 3")
    assert builder.run("echo", "an id") == "an id"
    with pytest.raises(BuildFailed, match=r"(?s)timed out"):
        builder.run("sleep", "60", seconds=0.1)
