"""Takes the files of another revision out of git, to build its image."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from image_check.image import BuildFailed

_SECONDS = 120  # to pack the files


def write_revision(source: Path, revision: str, folder: Path) -> None:
    """Write the files of a revision into a folder.

    Args:
        source: the root of a clone.
        revision: a commit, branch or tag that the clone has.
        folder: where to, without git's own files.

    Raises:
        BuildFailed: git does not know the revision.
    """
    archive = subprocess.run(
        ("git", "-C", str(source), "archive", "--format=tar", "--end-of-options", revision),
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    if archive.returncode:
        raise BuildFailed(f"git has no files of {revision}: {archive.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
