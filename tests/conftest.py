"""Private servers and workers for the tests: real ones, on free ports, with data in a temporary folder."""

from __future__ import annotations

import gc
import os
import secrets
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import hypothesis
import pytest
import structlog
from doubles.endpoint import Start, scripted_endpoints
from doubles.foreign import MOVIES, ForeignServer, at_port, empty, load_movies, start_foreign
from doubles.keys import KEY
from fleet.cases import cases
from fleet.servers import Makes, Servers, SharedServer
from proof import standing
from proof.processor import ProcessorSeconds, function_of, read_dear, seconds_of
from proof.results import Results
from proof.turns import LongTests, commit

from hopline.models.base import Frozen
from infra.local.neo4j_server import USER, neo4j_address
from infra.local.parts import model_address, vectors_address
from infra.local.redis_server import redis_address
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.settings import load_settings

if TYPE_CHECKING:
    from doubles.meter import Offline

TESTS = Path(__file__).resolve().parent
SERVERLESS = ("unit", "property", "contract")  # folders most of whose tests need no server
MOST_PROCESSES = 8  # each with servers of its own, of 2 GB
SET_ASIDE = TESTS / "set_aside.toml"
SHARED: dict[str, SharedServer] = {}
PROCESSOR = ProcessorSeconds()


class Neo4jServer(Frozen):
    url: str
    user: str
    password: str


_SHOWN_BYTES = 60  # of a parameter, in a test's name


def _leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name long bytes by their number: a zip holds the time, so each process would see other tests."""
    return f"{len(val)}-bytes" if isinstance(val, bytes) and len(val) > _SHOWN_BYTES else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-servers", action="store_true", help="only what needs none, in few examples")
    parser.addoption("--cheap", action="store_true", help="without the tests that tests/dear.txt lists")
    parser.addoption("--write-dear", action="store_true", help="write tests/dear.txt: what takes long here")
    parser.addoption("--budget", action="store_true", help="print the processor seconds of each folder")
    parser.addoption("--results", metavar="FOLDER", help="leave there what one needs to read a failure")
    parser.addoption(
        "--quarter", type=int, help="of the long tests' files only those of this quarter, from 0"
    )
    parser.addoption(
        "--record", action="store_true", help="write .ci/long.toml: which files passed, and where"
    )


@pytest.hookimpl(tryfirst=True)  # before the plugins of JUnit and Hypothesis read what is set here
def pytest_configure(config: pytest.Config) -> None:
    """No example of Hypothesis has a deadline: the first may load a dictionary on a machine that is busy."""
    hypothesis.settings.register_profile("whole", max_examples=cases(100), deadline=None)
    hypothesis.settings.register_profile("quick", max_examples=20, deadline=None)
    hypothesis.settings.load_profile("quick" if config.getoption("--no-servers") else "whole")
    *before, shown = structlog.get_config()["processors"]
    # As workers log them. Else each traceback is drawn with its source in colours, for seconds.
    configure = structlog.configure
    configure(processors=[*before, structlog.processors.format_exc_info, shown])
    # Loggers that a command in this process kept would be as it needs them in all later tests.
    structlog.configure = lambda **how: configure(**how | {"cache_logger_on_first_use": False})
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # So it is where a shell started it with `&`; commands that a test interrupts would take that over.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    _register_plugins(config, is_reporter=not hasattr(config, "workerinput"))


def _register_plugins(config: pytest.Config, *, is_reporter: bool) -> None:
    config.pluginmanager.register(PROCESSOR)
    if folder := config.getoption("--results"):
        results = Results(Path(folder), is_reporter=is_reporter)
        results.begin(config)
        config.pluginmanager.register(results)
    quarter, is_recorded = config.getoption("--quarter"), config.getoption("--record")
    if quarter is not None or is_recorded:
        config.pluginmanager.register(
            LongTests(quarter, commit=commit() if is_recorded and is_reporter else "")
        )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """With -n logical, a process for each processor; with -n auto one more: much of the time a test waits."""
    waiting = config.option.numprocesses == "auto"
    return min((os.cpu_count() or 1) + waiting, MOST_PROCESSES)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With --dist loadfile, keep together what needs the same of the slow servers."""
    if config.getoption("dist") != "loadfile":
        return None
    from fleet.distribution import ServerScheduling  # noqa: PLC0415 - not where pytest runs alone

    return ServerScheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With --no-servers, pass by the files of the folders that need servers, but for the ledger's cases."""
    if not config.getoption("--no-servers") or collection_path.suffix != ".py":
        return None
    if collection_path.relative_to(TESTS).parts[0] in SERVERLESS:
        return None
    return "memory_too" not in collection_path.read_text(encoding="utf-8") or None


def pytest_unconfigure() -> None:
    """Leave what is shared: not in a fixture, as its end may have to wait for other processes' tests."""
    for server in SHARED.values():
        server.leave()


def pytest_collection() -> None:
    """Collect no garbage while tests are collected: nearly all that is made then stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Spare collections of garbage what lives as long as the process: all tests, and all modules."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what is set aside. With --no-servers, leave out what asks for a server before it runs."""
    aside = tomllib.loads(SET_ASIDE.read_text(encoding="utf-8"))
    for item in items:
        if entry := aside.get(item.nodeid.partition("[")[0]):
            item.add_marker(pytest.mark.skip(reason=f"set aside on {entry['since']}: {entry['reason']}"))
    dear = read_dear() if config.getoption("--cheap") else frozenset[str]()
    serverless = config.getoption("--no-servers")
    left_out = {
        item for item in items if (serverless and _needs_server(item)) or function_of(item.nodeid) in dear
    }
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _needs_server(item: pytest.Item) -> bool:
    return "servers" in getattr(item, "fixturenames", ()) or item.get_closest_marker("server") is not None


@pytest.fixture(scope="session", autouse=True)
def _private_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the caller's settings and running stack out of the tests."""
    patch = pytest.MonkeyPatch()
    for name in list(os.environ):
        if name.startswith(("HOPLINE_", "OTEL_")) and not name.startswith("HOPLINE_TEST_"):
            patch.delenv(name)
    var = tmp_path_factory.mktemp("var")
    patch.setenv("HOPLINE_VAR", str(var))
    before = signal.signal(signal.SIGTERM, _leave)  # so that an ended session ends its servers too
    yield var
    signal.signal(signal.SIGTERM, before)
    patch.undo()


@pytest.fixture(autouse=True)
def _own_settings() -> None:
    """Read settings again in each test: those of the test before are kept in the process."""
    load_settings.cache_clear()


@pytest.fixture(autouse=True)
def own_logs() -> Iterator[None]:
    """Leave logs as they were: a command that runs in this process sets them as it needs them."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(scope="session")
def servers(
    _private_environment: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    if request.config.getoption("--no-servers"):
        pytest.skip("needs a server")
    if hasattr(request.config, "workerinput"):  # other processes run tests too
        SHARED["neo4j"] = SharedServer("neo4j", tmp_path_factory.getbasetemp().parent)
    claimed = None if SHARED else standing.claim()
    # The same in all processes of pytest-xdist, which share a server.
    password = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_urlsafe(18)
    if claimed is None:
        servers = Servers(_private_environment, SHARED, password)
    else:
        servers = Servers(_private_environment, SHARED, claimed[0].password, claimed[0].servers)
    if any("neo4j" in getattr(item, "fixturenames", ()) for item in request.session.items):
        servers.start("neo4j", _program(servers, "neo4j"))  # the slowest: let it start while other tests run
    yield servers
    for name, server in servers.running.items():
        PROCESSOR.add_ended(name, seconds_of(server.pid))
    for name in SHARED:
        PROCESSOR.shared[name] = seconds_of(servers.pids.get(name, 0))
    servers.stop()
    if claimed is not None:
        claimed[1].close()


def _program(servers: Servers, name: str, *, own: bool = False) -> Makes:
    return standing.programs(servers.password, standing.FOR_SEVERAL if SHARED and not own else None)[name]


@pytest.fixture(scope="session")
def redis_url(servers: Servers) -> str:
    """The URL of the session's Redis, password included."""
    return redis_address(servers.wait("redis", _program(servers, "redis")), servers.password)


@pytest.fixture(scope="session")
def neo4j(servers: Servers) -> Neo4jServer:
    """The session's Neo4j: url, user, password."""
    url = neo4j_address(servers.wait("neo4j", _program(servers, "neo4j")))
    return Neo4jServer(url=url, user=USER, password=servers.password)


@pytest.fixture(scope="module")
def neo4j_graph(neo4j: Neo4jServer) -> Iterator[Neo4jGraph]:
    """The graph of the session's Neo4j, at the newest version."""
    graph = Neo4jGraph(neo4j.url, neo4j.user, neo4j.password)
    graph.migrate()
    yield graph
    graph.close()


@pytest.fixture(scope="session")
def foreign_neo4j(servers: Servers) -> ForeignServer:
    """A Neo4j without APOC, with what the file before left in it."""
    return at_port(servers.wait("foreign", start_foreign))


@pytest.fixture(scope="module")
def movies_neo4j(request: pytest.FixtureRequest) -> ForeignServer:
    """The same with the Movies graph; skips where the evaluation folder is not there."""
    if not MOVIES.is_file():
        pytest.skip("no evaluation folder")
    server: ForeignServer = request.getfixturevalue("foreign_neo4j")
    empty(server)
    load_movies(server)
    return server


@pytest.fixture(scope="session")
def qdrant_url(servers: Servers) -> str:
    """The URL of the session's vectors endpoint."""
    return vectors_address(servers.wait("vectors", _program(servers, "vectors")))


@pytest.fixture(scope="session")
def model_url(servers: Servers) -> str:
    """The base URL (…/v1) of the session's offline model."""
    return model_address(servers.wait("model", _program(servers, "model")))


@pytest.fixture
def offline(model_url: str) -> Iterator[Offline]:
    """The session's offline model, its switches as at its start before and after the test."""
    from doubles.meter import Offline  # noqa: PLC0415 - loads the client of models

    offline = Offline(model_url)
    offline.set(reset=True)
    yield offline
    offline.set(reset=True)


@pytest.fixture
def endpoint() -> Iterator[Start]:
    """Starts endpoints of models that answer by a script."""
    with scripted_endpoints() as start:
        yield start


@pytest.fixture
def collection() -> str:
    """A collection's name that no other test uses."""
    return f"test-{secrets.token_hex(6)}"


@pytest.fixture(scope="session")
def stack_env(redis_url: str, neo4j: Neo4jServer, qdrant_url: str, model_url: str) -> dict[str, str]:
    """HOPLINE_* for processes that work on the session's servers."""
    return {
        "HOPLINE_VAR": os.environ["HOPLINE_VAR"],
        "HOPLINE_REDIS_URL": redis_url,
        "HOPLINE_NEO4J_URL": neo4j.url,
        "HOPLINE_NEO4J_USER": neo4j.user,
        "HOPLINE_NEO4J_PASSWORD": neo4j.password,
        "HOPLINE_QDRANT_URL": qdrant_url,
        "HOPLINE_QDRANT_API_KEY": KEY,
        "HOPLINE_MODEL_URL": model_url,
        "HOPLINE_BULK_NICE": "1",  # at 15 documents wait for the processes of all other tests
    }


@pytest.fixture(scope="session")
def own_stack_env(stack_env: dict[str, str], servers: Servers) -> dict[str, str]:
    """The same with a Neo4j that tests may kill or copy: `own_neo4j`, which no other process uses."""
    port = servers.wait("own_neo4j", _program(servers, "neo4j", own=True))
    return stack_env | {"HOPLINE_NEO4J_URL": neo4j_address(port)}
