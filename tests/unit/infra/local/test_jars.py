import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hopline.errors import Permanent
from infra.local import jars
from infra.local.jars import Jar, ensure_jars

CONTENT = b"classes" * 1000


def _jar(artifact: str, content: bytes = CONTENT, group: str = "org.example") -> Jar:
    sha256, size = hashlib.sha256(content).hexdigest(), len(content)
    return Jar(group=group, artifact=artifact, version="1.0", classifier="", sha256=sha256, size=size)


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []

    def put(self, jar: Jar, content: bytes = CONTENT) -> None:
        place = self.folder / jar.group.replace(".", "/") / jar.artifact / jar.version
        place.mkdir(parents=True)
        (place / f"{jar.artifact}-{jar.version}.jar").write_bytes(content)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """A Maven repository on the loopback, named in the user's jgo settings."""
    served = Repository(tmp_path / "repository")

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_args: object) -> None:
            served.asked.append(self.path.rpartition("/")[2])

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(served.folder)))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings = tmp_path / "jgo.conf"
    settings.write_text(f"[repositories]\nhere = http://127.0.0.1:{server.server_port}\n")
    monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
    yield served
    server.shutdown()
    server.server_close()


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[Jar]:
    listed: list[Jar] = []
    monkeypatch.setattr(jars, "listed_jars", lambda: listed)
    return listed


def test_missing_and_damaged_jars_are_fetched_once_and_plugins_lie_apart(repository, tmp_path, listed):
    plain, plugin = _jar("plain"), _jar("apoc-core", group="org.neo4j.procedure")
    for jar in (plain, plugin):
        repository.put(jar)
        listed.append(jar)
    progress: list[tuple[int, int]] = []
    jar_files = ensure_jars(tmp_path / "cache", lambda done, whole: progress.append((done, whole)))
    ensure_jars(tmp_path / "cache")
    (kept,) = jar_files.class_path
    assert kept.read_bytes() == CONTENT
    assert [path.name for path in jar_files.plugins.iterdir()] == [plugin.filename]
    assert progress[-1] == (2 * len(CONTENT), 2 * len(CONTENT))
    assert sorted(repository.asked) == ["apoc-core-1.0.jar", "plain-1.0.jar"]
    kept.write_bytes(b"torn")
    ensure_jars(tmp_path / "cache")
    assert kept.read_bytes() == CONTENT


def test_a_jar_with_another_checksum_is_refused_and_an_absent_one_named(repository, tmp_path, listed):
    listed.append(_jar("plain"))
    repository.put(listed[0], b"something else")
    with pytest.raises(Permanent, match="checksum"):
        ensure_jars(tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("*.jar"))
    assert not list((tmp_path / "cache").rglob(".partial-*"))
    listed[:] = [_jar("absent")]
    with pytest.raises(Permanent, match=r"absent-1\.0\.jar"):
        ensure_jars(tmp_path / "cache")


def test_two_at_once_fetch_each_jar_once(repository: Repository, tmp_path: Path, listed: list[Jar]) -> None:
    listed += [_jar(f"plain{number}") for number in range(20)]
    for jar in listed:
        repository.put(jar)
    both = [threading.Thread(target=ensure_jars, args=(tmp_path / "cache",)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(repository.asked) == len(listed)
