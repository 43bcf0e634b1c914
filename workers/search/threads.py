"""Threads of a process for concurrent work, and waiting for that work to end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial
from typing import Any


def process_threads(most: int, name: str) -> Callable[[], ThreadPoolExecutor]:
    """Return a function that returns a process's threads: created on first use, and again after a fork.

    They are kept, together with their connections; creating new threads each time would cost 1 ms.

    Args:
        most: maximum number of threads; further work waits for its turn.
        name: prefix of their names.
    """
    threads = cache(partial(ThreadPoolExecutor, most, name))
    os.register_at_fork(after_in_child=threads.cache_clear)  # where the threads are not
    return threads


@contextmanager
def until_done(*futures: Future[Any]) -> Iterator[None]:
    """Wait for work started in other threads, even if this one fails, so that none continues afterwards."""
    try:
        yield
    finally:
        wait(futures)
