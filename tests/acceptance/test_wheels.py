"""The wheels in a home of their own, with Python alone: size, demo, servers only, stop; missing extras."""

import json
import shutil
from importlib.metadata import distributions
from pathlib import Path

import pytest
from fleet.home import TOO_LONG, Home

from infra.local.settings import cache_folder
from infra.wheels import build

pytestmark = [pytest.mark.long, pytest.mark.timeout(3 * TOO_LONG)]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def home(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("outside"), wheels)


def test_each_layer_names_the_extra_that_is_missing(home: Home) -> None:
    home.install(server=False)
    for command in ("demo", "up", "down", "uninstall"):
        alone = home.run(command)
        assert (alone.returncode, "pip install 'hopline[local]'" in alone.stderr) == (2, True), alone.stderr
    assert "pip install 'hopline[server]'" in home.run("serve").stderr

    home.install(server=True)
    for command in ("demo", "up"):
        without = home.run(command)
        assert (without.returncode, without.stdout) == (1, "")
        assert "supervisor" in without.stderr
        assert "pip install 'hopline[local]'" in without.stderr
        assert "make" not in without.stderr
    examined = home.run("doctor", "--json")
    assert json.loads(examined.stdout)["findings"], examined.stderr


def test_the_clients_wheel_is_small(wheels: list[Path], tmp_path: Path) -> None:
    home = Home(tmp_path, wheels)
    home.install(server=False)
    [packages] = home.venv.glob("lib/python*/site-packages")
    bytes_taken = sum(path.stat().st_size for path in packages.rglob("*") if path.is_file())
    bare = [path for name in ("pip", "setuptools") for path in packages.glob(f"{name}*")]
    bytes_bare = sum(path.stat().st_size for each in bare for path in each.rglob("*") if path.is_file())
    names = {each.name for each in distributions(path=[str(packages)])} - {"pip", "setuptools"}
    assert len(names) <= 25, sorted(names)
    assert bytes_taken - bytes_bare <= 45_000_000


def test_the_demo_answers_from_the_wheels_and_nothing_stays_after_uninstall(home: Home) -> None:
    home.install(server=True, extra="[local]")
    jars, fetched = cache_folder() / "neo4j", home.home / ".cache" / "hopline" / "neo4j"
    if jars.is_dir():  # verified at every start; others are fetched
        shutil.copytree(jars, fetched)
    demo = home.run("demo", "--json")
    try:
        assert demo.returncode == 0, demo.stderr
        questions = json.loads(demo.stdout)["questions"]
        assert len(questions) == 5
        assert questions[0]["answer"]["citations"]
        data = home.home / ".local" / "share" / "hopline"
        before = json.loads((data / "stack.json").read_text(encoding="utf-8"))["ports"]
        assert home.run("down").returncode == 0
        assert home.processes() == []
        servers = home.run("up", "--servers")
        assert servers.returncode == 0, servers.stderr
        assert "redis" in servers.stdout
        assert json.loads((data / "stack.json").read_text(encoding="utf-8"))["ports"] == before
        parts = {part["name"]: part for part in json.loads(home.run("status", "--json").stdout)["parts"]}
        assert (parts["neo4j"]["state"], parts["worker bulk"]["state"]) == ("up", "down")
        asked = home.run("uninstall")
        assert (asked.returncode, str(data / "redis") in asked.stderr) == (2, True), "nobody can be asked"
        assert data.is_dir()
    finally:
        removed = home.run("uninstall", "--cache", "--yes")
    assert removed.returncode == 0, removed.stderr
    assert home.processes() == []
    left = [path for path in home.home.rglob("*") if path.is_file()]
    assert [path for path in left if "hopline" in str(path.relative_to(home.home))] == []
