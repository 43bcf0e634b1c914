"""Neo4j's jars: listed with checksums in neo4j-jars.txt, in a cache shared by all stacks of a user.

`python -m infra.local.jars` fetches them before the first start.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile

import requests
import rich.progress
import stamina
from filelock import FileLock
from jgo.config import GlobalSettings
from jgo.maven import MavenContext
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn

from hopline.errors import Permanent, Transient
from hopline.models.base import Frozen
from infra.local.settings import cache_folder, load_local_settings

_AT_ONCE = 12  # downloads; the jars are many and small
_PIECE = 1 << 16  # bytes
Progress = Callable[[int, int], None]  # (bytes done, bytes in all) of what had to be fetched


class Jar(Frozen):
    """One line of neo4j-jars.txt."""

    group: str
    artifact: str
    version: str
    classifier: str  # empty for most
    sha256: str
    size: int  # bytes

    @property
    def filename(self) -> str:
        """The name in the cache; the group keeps equal artifact names apart."""
        tail = f"-{self.classifier}" if self.classifier else ""
        return f"{self.group}.{self.artifact}-{self.version}{tail}.jar"

    @property
    def plugin(self) -> bool:
        """Whether Neo4j loads it from its plugins folder instead of the class path."""
        return self.group == "org.neo4j.procedure" and self.artifact.startswith("apoc-")


class Jars(Frozen):
    """The paths of the verified jars."""

    class_path: tuple[Path, ...]
    plugins: Path  # a folder that holds the plugins and nothing else


def listed_jars() -> tuple[Jar, ...]:
    """Read neo4j-jars.txt, one `group:artifact:version[:classifier] sha256 bytes` per line."""
    text = (files("infra.local") / "neo4j-jars.txt").read_text(encoding="utf-8")
    return tuple(_parsed(line) for line in text.splitlines() if line and not line.startswith("#"))


def _parsed(line: str) -> Jar:
    coordinates, sha256, size = line.split()
    group, artifact, version, *classifier = coordinates.split(":")
    return Jar(
        group=group,
        artifact=artifact,
        version=version,
        classifier=classifier[0] if classifier else "",
        sha256=sha256,
        size=int(size),
    )


def ensure_jars(cache: Path, progress: Progress | None = None) -> Jars:
    """Return verified jars, after fetching missing and damaged ones.

    Several processes may do this at once: one fetches, and the others wait.

    Raises:
        Transient: a repository cannot be reached.
        Permanent: a fetched file has a different checksum from the list.
    """
    jars = listed_jars()
    plugin_versions = "-".join(sorted({jar.version for jar in jars if jar.plugin}))
    folder = cache / "neo4j"
    places = {
        jar: folder / (f"plugins-{plugin_versions}" if jar.plugin else "jars") / jar.filename for jar in jars
    }
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        for left in folder.glob(".partial-*"):  # of a process that was killed
            left.unlink()
        missing = [jar for jar in jars if not _intact(jar, places[jar])]
        if missing:
            _fetch_all({jar: places[jar] for jar in missing}, progress or (lambda _done, _all: None))
    class_path = tuple(place for jar, place in places.items() if not jar.plugin)
    return Jars(class_path=class_path, plugins=folder / f"plugins-{plugin_versions}")


def fetch_jars(console: Console, cache: Path) -> None:
    """Fetch missing jars into the cache, with a progress bar."""
    with rich.progress.Progress("Fetching Neo4j", BarColumn(), DownloadColumn(), console=console) as progress:
        task = progress.add_task("", total=None, visible=False)

        def advance(done: int, whole: int) -> None:
            progress.update(task, completed=done, total=whole, visible=True)

        ensure_jars(cache, advance)


def _intact(jar: Jar, place: Path) -> bool:
    try:
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def repositories() -> MavenContext:
    """Return jgo's context: Maven Central, or the repositories that the user's jgo settings name."""
    return MavenContext(remote_repos=GlobalSettings.load().repositories or None, timeout=60)


def _fetch_all(places: dict[Jar, Path], progress: Progress) -> None:
    context, local, lock = repositories(), threading.local(), threading.Lock()
    whole, done = sum(jar.size for jar in places), 0

    def fetch(entry: tuple[Jar, Path]) -> None:
        nonlocal done
        jar, place = entry
        if not hasattr(local, "session"):
            local.session = requests.Session()  # one per thread: connections are reused
        _fetch(jar, place, context, local.session)
        with lock:
            done += jar.size
            progress(done, whole)

    progress(0, whole)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(fetch, places.items()):
            pass


@stamina.retry(on=(requests.RequestException, Transient), attempts=4, timeout=180)
def _fetch(jar: Jar, place: Path, context: MavenContext, session: requests.Session) -> None:
    artifact = (
        context.project(jar.group, jar.artifact).at_version(jar.version).artifact(jar.classifier, "jar")
    )
    path = f"{artifact.component.path_prefix.as_posix()}/{artifact.filename}"
    for repository in context.remote_repos.values():
        answer = session.get(f"{repository}/{path}", stream=True, timeout=context.timeout)
        if answer.status_code == requests.codes.not_found:
            continue
        if answer.status_code != requests.codes.ok:
            raise Transient(f"{artifact.filename}: the repository answered {answer.status_code}")
        _keep(jar, place, answer.iter_content(_PIECE))
        return
    raise Permanent(f"{artifact.filename}: none of the repositories {list(context.remote_repos)} has it")


def _keep(jar: Jar, place: Path, pieces: Iterable[bytes]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with NamedTemporaryFile(dir=place.parent.parent, prefix=".partial-", delete=False) as out:
        partial = Path(out.name)
        for piece in pieces:
            out.write(piece)
            digest.update(piece)
    if digest.hexdigest() != jar.sha256:
        partial.unlink()
        raise Permanent(f"{jar.filename}: what was fetched has another checksum than neo4j-jars.txt says")
    partial.chmod(0o644)
    partial.replace(place)


if __name__ == "__main__":
    fetch_jars(Console(highlight=False), cache_folder(load_local_settings().cache))
