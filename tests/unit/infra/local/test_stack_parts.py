"""Parts of `make up`: programs, ports, changes of code, wrong settings, probes side by side."""

import socket
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest

from infra.local.__main__ import main
from infra.local.parts import vectors_program
from infra.local.process import LOOPBACK, Program, StartFailed, free_port
from infra.local.settings import code_fingerprint
from infra.local.supervise import configuration


def test_programs_get_their_own_variables_beside_those_of_the_stack(tmp_path: Path) -> None:
    program = Program("one", ("sleep", "1"), lambda _pid: True, {"SHARE": "50%"})
    read = RawConfigParser()
    read.read_string(configuration(tmp_path, "fingerprint", [program], []))
    environment = read["program:one"]["environment"].split(",")
    assert f'HOPLINE_VAR="{tmp_path}"' in environment
    assert environment[-1] == 'SHARE="50%%"'
    program = vectors_program(tmp_path / "vectors", 6333, "key")
    assert program.environment["OPENBLAS_NUM_THREADS"] == "1"


def test_a_port_is_free_and_none_that_connections_are_given() -> None:
    ports = {free_port() for _ in range(50)}
    assert len(ports) > 1
    assert all(20_000 <= port < 32_768 for port in ports)
    with socket.socket() as used:
        used.bind((LOOPBACK, 0))
        taken = used.getsockname()[1]
        with pytest.raises(StartFailed, match=f"no free port from {taken}"):
            free_port(range(taken, taken + 1))


@pytest.mark.parametrize(("file", "is_code"), [
    ("workers/app.py", True),
    ("workers/ledger/lua/settle.lua", True),
    ("requirements.lock", True),
    ("workers/__pycache__/app.cpython-311.pyc", False),
])  # fmt: skip
def test_new_code_a_script_and_new_packages_are_changes(tmp_path: Path, file: str, *, is_code: bool) -> None:
    for name in ("hopline", "workers", "producer", "infra"):
        (tmp_path / name).mkdir()
    before = code_fingerprint(tmp_path)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("changed\n", encoding="utf-8")
    assert (code_fingerprint(tmp_path) != before) == is_code


@pytest.mark.parametrize(
    ("name", "value"), [("HOPLINE_API_SOURCES", "/archive"), ("HOPLINE_API_PORT", "eighty")]
)
def test_a_wrong_setting_is_one_line_before_anything_starts(tmp_path, name, value, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["infra.local", "up"])
    for variable, text in (("HOPLINE_VAR", str(tmp_path / "var")), (name, value)):
        monkeypatch.setenv(variable, text)
    assert main() == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"error: {name}: ")
    assert printed.err == ""
    assert not (tmp_path / "var").exists()


SIDE_BY_SIDE = """
from threading import Barrier, Thread
from infra.local.probes import refused_login, server_probes
from workers.settings import Settings
barrier, failed = Barrier(6), []
def run(ask):
    barrier.wait()
    try:
        ask()
    except Exception as error:
        if type(error).__name__ != "ServiceUnavailable":
            failed.append(repr(error))
neo4j = server_probes(Settings(neo4j_url="bolt://127.0.0.1:9"))["neo4j"]
threads = [Thread(target=run, args=(ask,)) for ask in [neo4j, lambda: refused_login(ValueError())] * 3]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


def test_drivers_that_are_loaded_by_many_threads_are_loaded_whole() -> None:
    command = [sys.executable, "-c", SIDE_BY_SIDE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
