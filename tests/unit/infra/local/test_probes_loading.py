"""Probes load their drivers while they run side by side."""

from __future__ import annotations

import subprocess
import sys

SIDE_BY_SIDE = """
from threading import Barrier, Thread
from infra.local.probes import is_refused, server_probes
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
threads = [Thread(target=run, args=(ask,)) for ask in [neo4j, lambda: is_refused(ValueError())] * 3]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


def test_drivers_that_are_loaded_by_many_threads_are_loaded_whole() -> None:
    command = [sys.executable, "-c", SIDE_BY_SIDE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
