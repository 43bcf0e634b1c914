"""Builds the image with buildah, without an engine, over a base from a registry or from debootstrap."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from hopline.errors import Permanent
from hopline.models.base import Frozen
from image_check.machine import ALONE
from image_check.pip_settings import pip_volumes
from infra.local.process import last_lines

DOCKERFILE = Path("infra", "docker", "Dockerfile")  # from the root of the repository
_MIRROR = "http://deb.debian.org/debian"
_PACKAGES = "python3,python3-venv,ca-certificates"
_PATH = "/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
_PULL_SECONDS = 120.0
_BUILD_SECONDS = 1800.0


class BuildFailed(Permanent):
    """A tool failed; the text holds the end of its log."""


class Image(Frozen):
    """A built image, unpacked."""

    root: Path  # its files
    base: str  # where its base came from
    user: str
    folder: str  # in which its processes begin
    entrypoint: tuple[str, ...]
    environment: dict[str, str]


def base_name(dockerfile: str) -> str:
    """Return the image that all stages of a Dockerfile are made from.

    Raises:
        BuildFailed: there are several; this check makes one.
    """
    bases = set(re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE))
    if len(bases) != 1:
        raise BuildFailed(f"the stages have other bases: {', '.join(sorted(bases))}")
    return str(bases.pop())


class Builder:
    """Buildah with everything that it keeps in one folder.

    Args:
        source: the root of the repository.
        folder: where all of it lies.
        alone: begins a command that runs by itself.
    """

    def __init__(self, source: Path, folder: Path, alone: tuple[str, ...] = ALONE) -> None:
        self._alone = alone
        self._source = source
        self._folder = folder
        self._log = folder / "log" / "build.log"
        self._scratch = folder / "scratch"
        for path in (self._log.parent, self._scratch):
            path.mkdir(parents=True, exist_ok=True)

    def prepare_base(self) -> str:
        """Bring the base here, and return in words where it came from.

        Raises:
            BuildFailed: no registry has it, and debootstrap cannot make it.
        """
        name = base_name((self._source / DOCKERFILE).read_text(encoding="utf-8"))
        try:
            self._buildah("pull", "--quiet", f"docker.io/library/{name}", seconds=_PULL_SECONDS)
        except BuildFailed:
            self._bootstrap(name)
            return "debootstrap, as no registry of images is reachable"
        return f"the registry's {name}"

    def build(self, tag: str, base: str) -> Image:
        """Build the image of the Dockerfile and return it unpacked.

        Raises:
            BuildFailed: a step of it failed.
        """
        ignored = self._source / f"{DOCKERFILE}.dockerignore"
        volumes = [word for volume in pip_volumes(self._folder) for word in ("--volume", volume)]
        self._buildah(
            *("bud", "--isolation", "chroot", "--pull-never", "--ignorefile", str(ignored), *volumes),
            *("--file", str(self._source / DOCKERFILE), "--tag", tag, str(self._source)),
        )
        container = self._buildah("from", "--pull-never", tag)
        root = Path(self._buildah("mount", container))
        config = json.loads(self._buildah("inspect", "--type", "image", tag))["OCIv1"]["config"]
        return unpacked(root, base, config)

    def _bootstrap(self, name: str) -> None:
        """Make an image with Debian's Python that has the name of the one with Python's own."""
        suite = name.rpartition("-")[2]
        root = self._folder / "base"
        self.run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite, str(root), _MIRROR)
        (root / "usr" / "bin" / "python").symlink_to("python3")
        container = self._buildah("from", "scratch")
        self._buildah("add", container, str(root), "/")
        self._buildah("config", "--env", f"PATH={_PATH}", container)
        self._buildah("commit", "--quiet", "--rm", container, f"docker.io/library/{name}")

    def _buildah(self, command: str, *words: str, seconds: float = _BUILD_SECONDS) -> str:
        places = ("--root", str(self._folder / "storage"), "--runroot", str(self._folder / "run"))
        buildah = ("env", f"TMPDIR={self._scratch}", "buildah", *places, "--storage-driver", "vfs")
        return self.run(*buildah, command, *words, seconds=seconds)

    def run(self, *command: str, seconds: float = _BUILD_SECONDS) -> str:
        """Run a tool by itself; return what it printed, which goes into the log with its errors."""
        with self._log.open("ab") as log:
            try:
                ended = subprocess.run(
                    (*self._alone, *command), stdout=subprocess.PIPE, stderr=log, check=False, timeout=seconds
                )
            except (subprocess.TimeoutExpired, OSError) as error:
                raise BuildFailed(f"{error}; the end of {self._log}:\n{last_lines(self._log)}") from error
            log.write(ended.stdout)  # what a step of a Dockerfile prints stands here, its reason to fail too
        if ended.returncode:
            reason = f"code {ended.returncode}; the end of {self._log}:\n{last_lines(self._log)}"
            raise BuildFailed(f"{' '.join(command)[:200]}: {reason}")
        return ended.stdout.decode(errors="replace").strip()


def unpacked(root: Path, base: str, config: dict[str, Any]) -> Image:
    """Return an image as its configuration (OCI image-spec) has it."""
    return Image(
        root=root,
        base=base,
        user=config.get("User", ""),
        folder=config.get("WorkingDir") or "/",
        entrypoint=tuple(config.get("Entrypoint", ())),
        environment=dict(line.split("=", 1) for line in config.get("Env", ())),
    )
