"""What a build and a container are made of, which machine can check them, and the order of an upgrade."""

import os
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
from image_check import __main__ as check
from image_check.compose import read_services
from image_check.composed import container_environment, user_ids
from image_check.container import entrance, is_inside
from image_check.image import DOCKERFILE, Builder, BuildFailed, base_name, unpacked
from image_check.machine import fault
from image_check.pip_settings import configuration
from image_check.revision import write_revision
from image_check.servers import env_file

from infra.local.process import StartFailed

ROOT = Path(__file__).resolve().parents[3]
CONFIG = {
    "User": "hopline", "Env": ["PATH=/opt/hopline/bin:/bin", "HOPLINE_VAR=/var/lib/hopline"],
    "Entrypoint": ["hopline"], "WorkingDir": "/var/lib/hopline",
}  # fmt: skip


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


def test_a_user_is_looked_up_in_the_image_and_runs_its_health_check_inside(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "passwd").write_text("root:x:0:0::/root:/bin/sh\nhopline:x:10001:10002::/:/bin/no\n")
    assert user_ids(tmp_path, "hopline") == (10001, 10002)
    assert user_ids(tmp_path, "") == (0, 0)
    with pytest.raises(StartFailed, match="stranger"):
        user_ids(tmp_path, "stranger")
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


@pytest.mark.parametrize(
    ("words", "code", "beginning"), [(["--or-skip"], 0, "skipped: "), ([], 1, "error: ")]
)
def test_without_rights_it_is_skipped_where_asked_or_an_error(words, code, beginning, monkeypatch, capsys):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["check", *words])
    assert check.main() == code
    printed = capsys.readouterr().out
    assert printed.startswith(beginning)
    assert "it needs root's rights" in printed


def test_without_its_tools_or_name_spaces_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"setpriv", "unshare", "nsenter", "debootstrap"}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in there else None)
    assert fault(spaces=["true"]) == "it needs buildah, and here is no apt-get to install it"
    refusing = ("sh", "-c", "echo not permitted >&2; exit 1")
    assert fault(refusing) == "it may not make name spaces: not permitted"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository whose file was changed since the tag v1."""
    folder = tmp_path / "clone"

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.test")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    folder.mkdir()
    git("init")
    for text, tag in (("old", "v1"), ("new", "v2")):
        (folder / "file.txt").write_text(text, encoding="utf-8")
        git("add", ".")
        git("commit", "-m", text)
        git("tag", tag)
    return folder


def test_an_earlier_revisions_files_come_out_of_git_or_it_is_named(clone: Path, tmp_path: Path) -> None:
    write_revision(clone, "v1", tmp_path / "before")
    assert [path.name for path in (tmp_path / "before").iterdir()] == ["file.txt"]
    assert (tmp_path / "before" / "file.txt").read_text(encoding="utf-8") == "old"
    for revision in ("v3", "--output=file"):
        with pytest.raises(BuildFailed, match=f"git has no files of {revision}"):
            write_revision(clone, revision, tmp_path / "other")
