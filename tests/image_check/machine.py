"""What the check needs of the machine: Linux, root's rights, and two packages of Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from hopline.errors import Permanent

TOOLS = ("buildah", "debootstrap")
# Runs a command whose mounts and processes end with it, and it with this process, however that ends.
ALONE = (
    *("setpriv", "--pdeathsig", "KILL", "--"),
    *("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
)
_SPACES = (*ALONE, "--net", "--uts", "true")
_SECONDS = 30  # to try that
_INSTALL_SECONDS = 600


class Unfit(Permanent):
    """This machine cannot run the check; the text says why."""


def missing_tools() -> list[str]:
    """Return which of the tools are not installed."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def fault(spaces: Sequence[str] = _SPACES) -> str | None:
    """Return why this machine cannot run the check; None where it can, or could with tools installed.

    Args:
        spaces: a command that makes name spaces, as the check does.
    """
    if sys.platform != "linux":
        return "it needs Linux: it runs containers without an engine"
    if os.geteuid() != 0:
        return "it needs root's rights: it mounts, and changes users"
    if not all(map(shutil.which, ("setpriv", "unshare", "nsenter"))):
        return "it needs setpriv, unshare and nsenter, which the package util-linux holds"
    tried = subprocess.run(tuple(spaces), capture_output=True, text=True, timeout=_SECONDS, check=False)
    if tried.returncode:
        return f"it may not make name spaces: {tried.stderr.strip()}"
    if missing_tools() and shutil.which("apt-get") is None:
        return f"it needs {' and '.join(missing_tools())}, and here is no apt-get to install it"
    return None


def prepare_machine() -> None:
    """Install the tools that are missing, from the machine's own package sources.

    Raises:
        Unfit: they cannot be installed, or something else is missing.
    """
    reason = fault()
    if reason:
        raise Unfit(reason)
    missing = missing_tools()
    if not missing:
        return
    quiet = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq")
    for words in (("update",), ("install", "--yes", "--no-install-recommends", *missing)):
        tried = subprocess.run(
            (*quiet, *words), capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
        )
        if tried.returncode:
            raise Unfit(f"{' and '.join(missing)} cannot be installed: {tried.stderr.strip()[-500:]}")
