"""The user guide's commands on a machine with the package `hopline` alone, against an API elsewhere."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from doubles.foreign import ForeignServer
from fleet.api import ServedApi, served_api
from fleet.crew import private_crew
from fleet.home import Home
from fleet.walk import ROOT, Block, as_script, check_output, read_blocks

from infra.wheels import build

TOO_LONG = 1500  # seconds
pytestmark = [pytest.mark.long, pytest.mark.timeout(3 * TOO_LONG)]

# They work only on servers or on this machine, as the guide says, like `make` and a clone's environment.
LOCAL = {
    "worker", "flower", "beat", "serve", "up", "down", "demo", "uninstall", "backup", "restore", "migrate",
    "doctor", "import", "read", "eval", "mcp",
}  # fmt: skip
ELSEWHERE = re.compile(rf"make |\. \.venv/|hopline (?:{'|'.join(sorted(LOCAL))})\b")
OWN_FOLDER = "hopline sync archive/ "  # which only the server can compare; the guide says so
FOREIGN = "## Ask any Neo4j graph"  # from here the guide's stack has the Movies graph for its tools
TEXTS = ("producer/demo/documents", "producer/demo/story/en/chapters")  # that the guide names


@pytest.fixture(scope="module")
def laptop(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A machine that has nothing of the server, and the guide's documents."""
    wheels = build(tmp_path_factory.mktemp("dist"))
    laptop = Home(tmp_path_factory.mktemp("laptop"), wheels)
    laptop.install(server=False)
    laptop.environment["PATH"] += f"{os.pathsep}/usr/bin{os.pathsep}/bin"
    for name in TEXTS:
        shutil.copytree(ROOT / name, laptop.home / name)
    return laptop


@pytest.fixture(scope="module", params=["documents", "movies"])
def api(
    request: pytest.FixtureRequest, stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedApi]:
    """An API that wants a key: over documents, and over a graph of somebody else's."""
    place = tmp_path_factory.mktemp("places")
    shutil.copytree(ROOT / TEXTS[0], place / "archive")
    settings = {"HOPLINE_API_SOURCES": f"file://{place}"}
    if request.param == "movies":
        movies: ForeignServer = request.getfixturevalue("movies_neo4j")
        settings |= {
            f"HOPLINE_TOOLS_NEO4J_{name.upper()}": getattr(movies, name)
            for name in ("url", "user", "password")
        }
    with private_crew(stack_env, tmp_path_factory.mktemp("servers"), **settings) as crew:
        crew.have(interactive="interactive", bulk="bulk")
        with served_api(crew.services, loopback=False) as served:
            yield served
        for collection in crew.client.collections.list().collections:
            crew.client.collections.delete(collection.name)


def commands_of(page: str) -> list[Block]:
    return [block for block in read_blocks(page) if block.is_run]


def run(laptop: Home, text: str) -> subprocess.CompletedProcess[str]:
    """Run a script in the home."""
    return subprocess.run(
        ["/bin/bash", "-c", text],
        cwd=laptop.home,
        env=laptop.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TOO_LONG,
        check=False,
    )


def run_remote(laptop: Home, block: Block, places: str) -> str:
    """Run what a block says that can be said from elsewhere, and compare what it prints.

    Args:
        laptop: where.
        block: of a page.
        places: an address of folders that the server reads.
    """
    lines = block.text.splitlines()
    kept = [":" if ELSEWHERE.match(line) else line for line in lines]
    remote = "\n".join(kept).replace(OWN_FOLDER, f"hopline sync {places}/archive ")
    ran = run(laptop, as_script(block._replace(text=remote), {}, laptop.home / "shell"))
    assert ran.returncode == 0, f"{block.text}\n{ran.stdout}\n{ran.stderr}"
    if kept == lines:
        check_output(block, ran.stdout)
    return ran.stdout


def test_the_guides_commands_work_from_a_machine_without_servers(
    laptop: Home, api: ServedApi, request
) -> None:
    (packages,) = laptop.venv.glob("lib/python*/site-packages")
    assert not [name for name in ("workers", "producer", "infra") if (packages / name).exists()]
    laptop.environment |= {"HOPLINE_API_URL": api.url, "HOPLINE_API_KEY": api.key("submit", "admin")}
    (laptop.home / "shell").unlink(missing_ok=True)
    places = api.services.settings.api_sources
    readme, _, _ = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Serve it")
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    before, title, after = guide.partition(FOREIGN)
    if request.node.callspec.params["api"] == "movies":
        printed = "".join(run_remote(laptop, block, places) for block in commands_of(title + after))
        assert "How many movies did Tom Hanks act in? movies: 12" in printed
        return
    story = Block(0, "sh", f"hopline ingest {TEXTS[1]} -c story --profile narrative")  # as the demo does
    for block in [story, *commands_of(readme), *commands_of(before)]:
        run_remote(laptop, block, places)
    refused = run(laptop, f"{OWN_FOLDER} -c archive --dry-run")
    assert (refused.returncode, "lies on this machine" in refused.stderr) == (2, True), refused.stderr


@pytest.mark.parametrize("command", sorted(LOCAL))
def test_a_command_of_the_servers_machine_says_what_is_missing(laptop: Home, command: str) -> None:
    refused = laptop.run(command)
    assert (refused.returncode, "pip install 'hopline[" in refused.stderr) == (2, True), refused.stderr
