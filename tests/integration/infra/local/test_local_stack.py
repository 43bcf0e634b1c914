import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import neo4j as neo4j_driver
import psutil
import pytest
import redis
from doubles.keys import KEY
from fleet.crew import wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge
from neo4j.exceptions import ClientError, TransientError
from redis.backoff import NoBackoff
from redis.retry import Retry
from rich.console import Console

from hopline import Hopline
from hopline.errors import HoplineError
from infra.local import stack, supervise
from infra.local.doctor import doctor
from infra.local.process import StartFailed, free_port, port_open
from infra.local.state import State, load_state
from infra.local.status import status
from workers.adapters.qdrant.vectors import QdrantVectors
from workers.settings import load_settings


def _lives(pid: int) -> bool:
    """Say whether the process runs; an orphan that nobody waits for stays as a zombie."""
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def _listening(process: psutil.Process) -> set[tuple[str, int]]:
    connections = process.net_connections(kind="tcp")
    return {(c.laddr.ip.removeprefix("::ffff:"), c.laddr.port) for c in connections if c.status == "LISTEN"}


def _shares_memory(pid: int) -> bool:
    """Say whether a third of a process's memory is not its own: what was imported before it was forked."""
    told = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    sizes = {
        name: int(size) for name, size in re.findall(r"^(Rss|Private_\w+): +(\d+) kB$", told, re.MULTILINE)
    }
    return sizes["Private_Clean"] + sizes["Private_Dirty"] < 2 / 3 * sizes["Rss"]


# Its servers ------------------------------------------------------------------------------------------


def test_redis_keeps_changes_on_disk_evicts_nothing_and_refuses_without_password(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        configuration = client.config_get("*")
    durable = {"appendonly": "yes", "appendfsync": "everysec", "maxmemory-policy": "noeviction"}
    assert configuration.items() >= (durable | {"bind": "127.0.0.1"}).items()
    with (
        redis.Redis(port=urlsplit(redis_url).port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


@pytest.fixture
def ask(neo4j: Any) -> Iterator[Callable[[str], list[Any]]]:
    login = (neo4j.user, neo4j.password)
    with neo4j_driver.GraphDatabase.driver(neo4j.url, auth=login, max_transaction_retry_time=0) as driver:
        yield lambda query: driver.execute_query(query, database_="neo4j").records


def test_neo4j_runs_no_strings_reaches_nothing_and_listens_on_the_loopback(ask, neo4j, servers):
    ask("CALL apoc.meta.data()")
    version = ask("CALL dbms.components() YIELD versions RETURN versions[0] AS version")
    assert version[0]["version"] == "5.26.30"
    for query in (
        "CALL apoc.meta.data.of('MATCH (n) DETACH DELETE n', {})",
        "CALL apoc.cypher.run('RETURN 1', {})",
        "CALL apoc.load.json('http://127.0.0.1/')",
        "LOAD CSV FROM 'http://127.0.0.1/' AS row RETURN row",
        "LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row",
    ):
        with pytest.raises(ClientError):
            ask(query)
    with pytest.raises(TransientError, match="MemoryPoolOutOfMemory"):
        ask("UNWIND range(1, 50000000) AS n WITH collect(n) AS list RETURN size(list)")
    process = psutil.Process(servers.pids["neo4j"])
    assert _listening(process) == {("127.0.0.1", urlsplit(neo4j.url).port)}


# The whole stack --------------------------------------------------------------------------------------


@pytest.fixture
def var(tmp_path, neo4j, qdrant_url, model_url, monkeypatch):
    """A stack's folder; Neo4j, the vectors and the model are given by URL, the rest is the stack's own."""
    var = tmp_path / "var"
    graph = {"NEO4J_URL": neo4j.url, "NEO4J_USER": neo4j.user, "NEO4J_PASSWORD": neo4j.password}
    vectors = {"QDRANT_URL": qdrant_url, "QDRANT_API_KEY": KEY}
    models = {"MODEL_URL": model_url, "EMBEDDING_URL": model_url}
    for name, value in ({"VAR": str(var)} | graph | vectors | models).items():
        monkeypatch.setenv(f"HOPLINE_{name}", value)
    monkeypatch.chdir(tmp_path)
    yield var
    stack.down(Console(file=io.StringIO()))


def _up() -> str:
    output = io.StringIO()
    stack.up(Console(file=output, width=200))
    return output.getvalue()


def _programs(var: Path) -> dict[str, int]:
    calls = supervise.connect(var)
    return {info["name"]: info["pid"] for info in calls.getAllProcessInfo()} if calls else {}


def _remembered(var: Path) -> State:
    state = load_state(var)
    assert state is not None
    return state


def _secrets(var: Path) -> list[str]:
    state = _remembered(var)
    return [value for name, value in state if name != "ports"]


@pytest.mark.long
def test_the_stack_comes_up_whole_is_watched_over_and_goes_down(var: Path) -> None:
    output = _up()
    assert "flower" in output
    before = _programs(var)
    # The others were given.
    workers = {"interactive", "bulk", "ocr", "quarantine", "submissions"}
    assert set(before) == {"redis", "beat", "flower", "api"} | workers
    # A worker may be slow to answer once.
    wait_until(lambda: all(part.state == "up" for part in status()), "all parts are up", 600)

    for secret in _secrets(var):
        assert secret not in output
        for pid in before.values():
            assert secret not in " ".join(psutil.Process(pid).cmdline())
        for log in (var / "log").iterdir():
            assert secret not in log.read_text(errors="replace"), log
    for name in ("stack.env", "stack.json", "redis/redis.conf"):
        assert stat.S_IMODE((var / name).stat().st_mode) == 0o600, name
    for pid in before.values():
        assert {ip for ip, _port in _listening(psutil.Process(pid))} <= {"127.0.0.1"}

    _up()
    assert _programs(var) == before  # what runs stays
    if sys.platform == "linux":
        for name in (*workers, "api"):
            assert _shares_memory(before[name]), name

    os.kill(before["bulk"], signal.SIGKILL)
    wait_until(lambda: _programs(var)["bulk"] not in (0, before["bulk"]), "the supervisor starts another")
    _up()
    assert _programs(var)["interactive"] == before["interactive"]

    stack.down(Console(file=io.StringIO()))
    assert not any(_lives(pid) for pid in before.values())
    assert list((var / "redis" / "appendonlydir").glob("*.incr.aof"))
    assert {part.name for part in status() if part.state == "down"} >= {"redis", "worker bulk", "flower"}
    assert any("hopline up" in str(finding) for finding in doctor().findings)


def test_only_the_servers_come_up_where_that_is_asked_for(var: Path) -> None:
    stack.up(Console(file=io.StringIO()), servers_only=True)
    running = {name for name, pid in _programs(var).items() if pid}
    assert running == {"redis"}, "the other servers were given"


@pytest.fixture
def small(var: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same without workers and Flower: only Redis is the stack's own."""
    monkeypatch.setattr(stack, "work", lambda *_: ())
    return var


@pytest.mark.long
def test_a_killed_supervisor_leaves_nothing_that_the_next_start_does_not_clear(
    var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = stack.work
    monkeypatch.setattr(stack, "work", lambda *given: [p for p in whole(*given) if p.program.name == "beat"])
    _up()
    orphans = _programs(var)
    assert orphans.keys() == {"redis", "beat"}, "an executed program, and a fork of the supervisor"
    os.kill(int((var / "supervisord.pid").read_text()), signal.SIGKILL)
    wait_until(lambda: supervise.connect(var) is None, "the supervisor is gone")
    _up()
    assert not any(_lives(pid) for pid in orphans.values())
    assert all(_lives(pid) for pid in _programs(var).values())


def test_a_taken_port_is_replaced_and_the_replacement_remembered(small, redis_url, monkeypatch):
    taken = urlsplit(redis_url).port
    monkeypatch.setenv("HOPLINE_REDIS_PORT", str(taken))
    _up()
    chosen = _remembered(small).ports["redis"]
    assert chosen.wanted == taken != chosen.used
    assert port_open(chosen.used)
    stack.down(Console(file=io.StringIO()))
    _up()
    assert _remembered(small).ports["redis"] == chosen


def test_a_part_that_does_not_start_is_named_with_the_end_of_its_log(small: Path) -> None:
    (small / "redis").mkdir(parents=True)
    (small / "redis" / "appendonly.aof").write_text("this is no append-only file")
    with pytest.raises(StartFailed, match=r"redis does not start(.|\n)*append only file"):
        _up()


def test_a_server_is_started_again_for_its_own_settings_and_for_no_others(small, monkeypatch):
    _up()
    pids = [_programs(small)["redis"]]
    changes: tuple[Callable[[], None], ...] = (
        lambda: None,
        lambda: monkeypatch.setenv("HOPLINE_MODEL", "another"),
        lambda: monkeypatch.setattr(stack, "code_fingerprint", lambda: "the version after"),
        lambda: monkeypatch.setenv("HOPLINE_REDIS_PORT", str(free_port())),
    )
    for change in changes:
        change()
        _up()
        pids.append(_programs(small)["redis"])
    assert len(set(pids[:4])) == 1
    assert pids[4] not in (0, pids[0])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_changed_model_restarts_workers_and_questions_are_answered_meanwhile(var, model_url, monkeypatch):
    up = [sys.executable, "-m", "hopline", "up"]
    subprocess.run(up, check=True, timeout=900)
    with Hopline() as client:
        client.ingest([write_bridge(var.parent)], "bridges")
    before = _programs(var)
    monkeypatch.setenv("HOPLINE_MODEL_URL", model_url.replace("127.0.0.1", "localhost"))
    second, ended = subprocess.Popen(up, stdout=subprocess.PIPE, text=True), list[str]()
    while second.poll() is None:
        with suppress(HoplineError, OSError), Hopline() as client:  # the API itself is started again, too
            ended.append(client.ask(BRIDGE_QUESTION, collection="bridges").status)
    printed = second.communicate()[0]
    assert second.returncode == 0, printed
    after = _programs(var)
    assert {name for name in before if before[name] == after[name]} == {"redis", "flower", "beat"}
    assert len(ended) > 1, "questions were answered while the workers were restarted"
    assert set(ended) == {"done"}
    assert "interactive was restarted" in printed


@pytest.mark.long
def test_a_stack_of_the_version_before_comes_up_with_a_key_for_its_vectors(small, monkeypatch):
    for name in ("QDRANT_URL", "QDRANT_API_KEY"):
        monkeypatch.delenv(f"HOPLINE_{name}")
    _up()
    older = json.loads((small / "stack.json").read_text())
    for key in ("vectors_key", "control_key"):
        del older[key]
    (small / "stack.json").write_text(json.dumps(older))
    config = small / "supervisord.conf"
    config.write_text(re.sub(r" --key-file \S+", "", config.read_text()))
    before = _programs(small)

    _up()

    after, key = _programs(small), _remembered(small).vectors_key
    assert after["vectors"] not in (0, before["vectors"]), "the older program is replaced"
    settings = load_settings()
    assert settings.qdrant_api_key is not None
    assert settings.qdrant_api_key.get_secret_value() == key
    assert key not in " ".join(psutil.Process(after["vectors"]).cmdline())
    assert stat.S_IMODE((small / "vectors.key").stat().st_mode) == 0o600
    assert httpx.get(f"{settings.qdrant_url}/collections", timeout=60).status_code == 401
    assert QdrantVectors(settings.qdrant_url, key).count("nothing") == 0
    _up()
    assert (_programs(small), _remembered(small).vectors_key) == (after, key)


def test_status_tells_addresses_and_versions_without_passwords(small: Path) -> None:
    _up()
    # In a process of its own, as the Celery application reads its broker once per process.
    command = [sys.executable, "-m", "hopline", "status", "--json"]
    process = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert process.returncode == 1  # no workers
    parts = {part["name"]: part for part in json.loads(process.stdout)["parts"]}
    assert re.fullmatch(r"redis://127\.0\.0\.1:\d+/0", parts["redis"]["address"])
    assert parts["redis"]["version"].startswith("9.1")
    assert (parts["neo4j"]["state"], parts["neo4j"]["version"]) == ("up", "5.26.30")
    assert parts["worker bulk"]["state"] == "down"
    assert not any(secret in process.stdout + process.stderr for secret in _secrets(small))
