"""Probes load their drivers while they run side by side."""

from __future__ import annotations

import subprocess
import sys

SIDE_BY_SIDE = """
from threading import Barrier, Thread
from infra.local import probes
barrier, failed = Barrier(6), []
def run(ask):
    barrier.wait()
    try:
        ask()
    except Exception as error:
        if type(error).__name__ != "ServiceUnavailable":
            failed.append(repr(error))
asked = [lambda: probes._neo4j("bolt://127.0.0.1:9", "u", "p"), lambda: probes.is_refused(ValueError())]
threads = [Thread(target=run, args=(ask,)) for ask in asked * 3]
for one in threads: one.start()
for one in threads: one.join()
print(failed)
"""


def test_drivers_that_are_loaded_by_many_threads_are_loaded_whole() -> None:
    command = [sys.executable, "-c", SIDE_BY_SIDE]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate(timeout=180)[0].strip() for process in running] == ["[]"] * 4
