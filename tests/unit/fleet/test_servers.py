"""What becomes of a test whose server does not run: only a missing program may skip it, and not in CI."""

import sys
from pathlib import Path

import pytest
from fleet.servers import Servers, SharedServer

from hopline.errors import Permanent
from infra.local.process import Program, StartFailed

BROKEN = Program("redis", (sys.executable, "-c", "raise SystemExit(3)"), lambda _pid: False)


def missing(_folder: Path, _port: int) -> Program:
    raise Permanent("no redis-server")


@pytest.fixture(params=["of its own", "shared"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Servers:
    shared = {"redis": SharedServer("redis", tmp_path)} if request.param == "shared" else {}
    return Servers(tmp_path, shared, password="of nobody")


@pytest.mark.parametrize("ci", ["true", ""])
def test_a_server_that_does_not_start_fails_each_test_that_asks_for_it(servers, monkeypatch, ci):
    monkeypatch.setenv("CI", ci)
    begun = []
    for _ in range(2):
        with pytest.raises(StartFailed, match="redis ended with code 3"):
            servers.wait("redis", lambda *_: begun.append(1) or BROKEN)
    assert begun == [1], "it is tried once"


def test_a_server_whose_program_is_missing_skips_but_in_ci(servers, monkeypatch):
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception, match="no redis-server"):
        servers.wait("redis", missing)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no redis-server"):
        servers.wait("redis", missing)
