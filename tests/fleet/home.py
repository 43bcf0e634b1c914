"""A home and a virtual environment outside the clone, into which wheels are installed."""

import os
import subprocess
import sys
from pathlib import Path

import psutil

from infra.local.supervise import MARK

ROOT = Path(__file__).resolve().parents[2]
TOO_LONG = 1500  # seconds


class Home:
    """A user's home outside the clone, and a virtual environment that the wheels are installed into."""

    def __init__(self, folder: Path, wheels: list[Path]) -> None:
        self.home, self.venv = folder / "home", folder / "venv"
        self.home.mkdir()
        self._wheels = {wheel.name.partition("-")[0]: wheel for wheel in wheels if wheel.suffix == ".whl"}
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
        # Without make, git, compilers and what else a machine has.
        self.environment = kept | {"HOME": str(self.home), "PATH": str(self.venv / "bin"), "LANG": "C.UTF-8"}
        subprocess.run([sys.executable, "-m", "venv", self.venv], check=True, timeout=TOO_LONG)

    def install(self, *, server: bool, extra: str = "") -> None:
        wanted = [str(self._wheels["hopline"])]
        if server:
            wanted.append(f"{self._wheels['hopline_server']}{extra}")
        command = [self.venv / "bin" / "python", "-m", "pip", "install", "--quiet"]
        command += ["-c", ROOT / "constraints.txt", "--only-binary", ":all:", *wanted]
        subprocess.run(command, check=True, env=self.environment, cwd=self.home, timeout=TOO_LONG)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [self.venv / "bin" / "hopline", *words]
        return subprocess.run(
            command,
            env=self.environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=TOO_LONG,
        )

    def processes(self) -> list[int]:
        """Return the processes of a stack whose data lies in this home."""
        return [
            process.pid
            for process in psutil.process_iter()
            if str(self.home) in (_environment(process).get(MARK) or "")
        ]


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}
