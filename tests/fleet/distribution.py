"""Which process of pytest-xdist runs which tests: a file's in one, and all of what starts more servers."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parents[2]
BROWSER = "tests/browser"  # the site, its workers and documents
FOREIGN = ("foreign_neo4j", "movies_neo4j")  # fixtures: a second Neo4j
OWN = "own_stack_env"  # a fixture: one that tests kill or copy whole
STACK = ("from fleet.walk import", "from infra.local import stack")  # starts all programs of `hopline up`


class ServerScheduling(LoadFileScheduling):
    """Gives each process one file after another, and to one process all files that start the same server."""

    def _split_scope(self, nodeid: str) -> str:
        return _scope(nodeid.partition("::")[0])


@cache
def _scope(file: str) -> str:
    if file.startswith(BROWSER):
        return BROWSER
    text = (ROOT / file).read_text(encoding="utf-8")
    if OWN in text:
        return OWN
    if any(name in text for name in STACK):
        return STACK[0]
    return FOREIGN[0] if any(name in text for name in FOREIGN) else file
