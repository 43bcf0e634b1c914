"""Threads of a process for work beside its own, and waiting for that work to end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial
from typing import Any


def process_threads(most: int, name: str) -> Callable[[], ThreadPoolExecutor]:
    """Return what gives a process's threads: made when they are first asked for, and again after a fork.

    They stay, and with them their connections; new threads each time cost 1 ms.

    Args:
        most: threads at most; what is more waits for its turn.
        name: the beginning of their names.
    """
    threads = cache(partial(ThreadPoolExecutor, most, name))
    os.register_at_fork(after_in_child=threads.cache_clear)  # where the threads are not
    return threads


@contextmanager
def until_done(*futures: Future[Any]) -> Iterator[None]:
    """Wait for what was begun in other threads, also where this one fails: nothing goes on behind it."""
    try:
        yield
    finally:
        wait(futures)
