"""The English dictionary takes its memory once, however many threads ask for their first word together."""

from __future__ import annotations

import subprocess
import sys

_LOOK_UP = """
import resource, sys, threading
from workers.core.language.plurals import singular

threads = int(sys.argv[1])
together = threading.Barrier(threads)

def look_up():
    together.wait()
    assert singular("houses") == "house"

started = [threading.Thread(target=look_up) for _ in range(threads)]
for thread in started:
    thread.start()
for thread in started:
    thread.join()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _peak_kilobytes(threads: int) -> int:
    command = [sys.executable, "-c", _LOOK_UP, str(threads)]
    run = subprocess.run(command, capture_output=True, check=True, text=True)
    return int(run.stdout)


def test_threads_that_look_up_their_first_word_together_load_one_dictionary() -> None:
    assert _peak_kilobytes(threads=16) < 1.5 * _peak_kilobytes(threads=1)
