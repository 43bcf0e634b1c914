"""Rewrites neo4j-jars.txt by resolving the coordinates with jgo: `python -m infra.local.lock_jars`.

Developers run this when they upgrade a version; users never do: reading some 340 POMs takes over a minute,
fetching the listed jars a few seconds.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from jgo.maven import Artifact, MavenContext

from infra.local.files import write_file
from infra.local.jars import repositories

_SERVER = "org.neo4j:neo4j:5.26.30"  # holds org.neo4j.server.CommunityEntryPoint
# apoc-core's POM does not name apoc-common, and apoc.meta.* fails without it. Neither needs more than the
# server's own jars for apoc.meta.data.
_PLUGINS = ("org.neo4j.procedure:apoc-core:5.26.19", "org.neo4j.procedure:apoc-common:5.26.19")
_HEAD = "# group:artifact:version[:classifier] sha256 bytes; written by `python -m infra.local.lock_jars`.\n"


def _artifacts(context: MavenContext) -> list[Artifact]:
    server, others = context.resolver.resolve([context.create_dependency(_SERVER)])
    wanted = [*server, *(d for d in others if not d.optional)]
    wanted += [context.create_dependency(plugin) for plugin in _PLUGINS]
    return [dependency.artifact for dependency in wanted]


def _line(artifact: Artifact) -> str:
    content = artifact.resolve().read_bytes()
    classifier = f":{artifact.classifier}" if artifact.classifier else ""
    coordinates = f"{artifact.groupId}:{artifact.artifactId}:{artifact.version}{classifier}"
    return f"{coordinates} {hashlib.sha256(content).hexdigest()} {len(content)}\n"


def main() -> None:
    """Resolve, fetch and write."""
    with TemporaryDirectory() as folder:
        context = repositories()
        context.repo_cache = Path(folder)
        with ThreadPoolExecutor(8) as pool:
            lines = sorted(pool.map(_line, _artifacts(context)))
    write_file(Path(__file__).parent / "neo4j-jars.txt", _HEAD + "".join(lines))


if __name__ == "__main__":
    main()
