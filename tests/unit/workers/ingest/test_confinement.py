"""A reader's process reads its packages and nothing else, whatever a document makes its libraries do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workers.ingest.reading.confinement import landlock_version

ROOT = Path(__file__).resolve().parents[4]
TRIES = """
import ctypes, json, os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from workers.ingest.reading.confinement import confine
secret = sys.argv[2]
confined = confine(Path(sys.argv[1]) / "workers")
told = {"confined": confined}
libc = ctypes.CDLL(None, use_errno=True)
told["by C"] = libc.open(secret.encode(), 0) >= 0
told["folder by C"] = bool(libc.opendir(os.path.dirname(secret).encode()))
try:
    told["by Python"] = bool(open(secret).read())
except PermissionError:
    told["by Python"] = False
try:
    Path(secret).with_name("made").write_text("")
    told["written"] = True
except PermissionError:
    told["written"] = False
import colorsys, zipfile, decimal  # of the standard library, also built in C
import workers.ingest.reading.blocks
told["own packages"] = True
import socket
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[3])), timeout=5)
    told["network"] = True
except OSError as error:
    told["network"] = not isinstance(error, PermissionError)
print(json.dumps(told))
"""


@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock, as `hopline doctor` says")
def test_a_confined_process_reads_its_packages_and_nothing_else(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a key", encoding="utf-8")
    command = [sys.executable, "-I", "-c", TRIES, str(ROOT), str(secret), "9"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    told = json.loads(done.stdout)
    refused = dict.fromkeys(("by C", "folder by C", "by Python", "written"), False)
    network = landlock_version() < 4
    assert told == {"confined": True, **refused, "own packages": True, "network": network}


def test_without_landlock_nothing_is_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert landlock_version() == 0
